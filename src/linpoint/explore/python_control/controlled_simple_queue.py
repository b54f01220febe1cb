# SPDX-License-Identifier: Apache-2.0
"""``queue.SimpleQueue`` in Python, for threads under control.

The real one is written in C, and each of its methods is one step. Here each is one region of a lock. The standard library
has one in Python too, but there a value can be seen in it that nobody can get yet.
"""

from __future__ import annotations

import collections
import queue
import threading
import types
from typing import Any


class ControlledSimpleQueue:
    """Values in the order in which they were put; without a bound."""

    def __init__(self) -> None:
        self._values: collections.deque[Any] = collections.deque()
        self._changed = threading.Condition(threading.Lock())

    def put(self, item: Any, block: bool = True, timeout: float | None = None) -> None:  # noqa: ARG002
        """Never waits; the other parameters are there as in other queues."""
        with self._changed:
            self._values.append(item)
            self._changed.notify()

    def get(self, block: bool = True, timeout: float | None = None) -> Any:
        """The first value; waits for one, or raises ``queue.Empty``."""
        if timeout is not None and timeout < 0:
            raise ValueError("'timeout' must be a non-negative number")
        with self._changed:
            if not self._values and not (block and self._changed.wait_for(lambda: self._values, timeout)):
                raise queue.Empty
            return self._values.popleft()

    def put_nowait(self, item: Any) -> None:
        """As ``put``."""
        self.put(item)

    def get_nowait(self) -> Any:
        """The first value, or ``queue.Empty``."""
        return self.get(block=False)

    def empty(self) -> bool:
        """Whether there is no value."""
        return self.qsize() == 0

    def qsize(self) -> int:
        """How many values there are."""
        with self._changed:
            return len(self._values)

    __class_getitem__: Any = classmethod(types.GenericAlias)
