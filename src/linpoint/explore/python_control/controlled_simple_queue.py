# SPDX-License-Identifier: Apache-2.0
"""``queue.SimpleQueue`` in Python, for threads under control.

The real class is written in C, and each of its methods is one step. Here each method is one critical section. The
standard library also has a Python version, but there a value can be visible before any thread can get it.
"""

from __future__ import annotations

import collections
import queue
import threading
import types
from typing import Any


class ControlledSimpleQueue:
    """An unbounded queue of values in the order in which they were put."""

    def __init__(self) -> None:
        self._values: collections.deque[Any] = collections.deque()
        self._changed = threading.Condition(threading.Lock())

    def put(self, item: Any, block: bool = True, timeout: float | None = None) -> None:  # noqa: ARG002
        """Never waits; the other parameters exist for compatibility with other queues."""
        with self._changed:
            self._values.append(item)
            self._changed.notify()

    def get(self, block: bool = True, timeout: float | None = None) -> Any:
        """Remove and return the first value; waits for one, or raises ``queue.Empty``."""
        if timeout is not None and timeout < 0:
            raise ValueError("'timeout' must be a non-negative number")
        with self._changed:
            if not self._values and not (block and self._changed.wait_for(lambda: self._values, timeout)):
                raise queue.Empty
            return self._values.popleft()

    def put_nowait(self, item: Any) -> None:
        """Like ``put``, which never waits."""
        self.put(item)

    def get_nowait(self) -> Any:
        """Remove and return the first value, or raise ``queue.Empty``."""
        return self.get(block=False)

    def empty(self) -> bool:
        """Whether the queue is empty."""
        return self.qsize() == 0

    def qsize(self) -> int:
        """The number of values."""
        with self._changed:
            return len(self._values)

    __class_getitem__: Any = classmethod(types.GenericAlias)
