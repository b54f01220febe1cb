# SPDX-License-Identifier: Apache-2.0
"""How far a file has been read, for whoever waits for it or has to end it.

Thread-safe: the parts of a file are read at the same time. Cost: a call for each block.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

_MEGABYTE: Final = 1 << 20

_current: ContextVar[ReadingProgress | None] = ContextVar("reading progress", default=None)


class ReadingProgress:
    """The bytes of one file that have been read. ``tell`` is called with the progress in words."""

    def __init__(self, tell: Callable[[str], object]) -> None:
        self._tell = tell
        self._lock = threading.Lock()
        self._done = 0
        self._total = 0

    def begin(self, total: int) -> None:
        """There are so many bytes, 0 where nobody knows; reading begins anew."""
        with self._lock:
            self._done, self._total = 0, total

    def add(self, count: int) -> None:
        """So many more bytes have been read."""
        with self._lock:
            self._done += count
            self._tell(str(self))

    def __str__(self) -> str:
        if not self._total:
            return f"{self._done / _MEGABYTE:,.1f} MB so far" if self._done else ""
        return f"{min(100, 100 * self._done // self._total)} % of {self._total / _MEGABYTE:,.1f} MB"


@contextmanager
def reporting(progress: ReadingProgress) -> Iterator[None]:
    """Report the files that are read in the block."""
    token = _current.set(progress)
    try:
        yield
    finally:
        _current.reset(token)


def current_progress() -> ReadingProgress:
    """Where to report the file that is about to be read."""
    return _current.get() or ReadingProgress(len)
