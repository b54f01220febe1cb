# SPDX-License-Identifier: Apache-2.0
"""The progress of reading a file, for progress lines and for limits.

Thread-safe, since parts of a file are read in parallel. Cost: one call per block.
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
    """The number of bytes of one file that have been read. ``tell`` is called with the progress as text."""

    def __init__(self, tell: Callable[[str], object]) -> None:
        self._tell = tell
        self._lock = threading.Lock()
        self._done = 0
        self._total = 0

    def begin(self, total: int) -> None:
        """Begin a file of ``total`` bytes, 0 if the size is unknown."""
        with self._lock:
            self._done, self._total = 0, total

    def add(self, count: int) -> None:
        """Add ``count`` bytes that have been read."""
        with self._lock:
            self._done += count
            self._tell(str(self))

    def __str__(self) -> str:
        if not self._total:
            return f"{self._done / _MEGABYTE:,.1f} MB so far" if self._done else ""
        return f"{min(100, 100 * self._done // self._total)} % of {self._total / _MEGABYTE:,.1f} MB"


@contextmanager
def reporting(progress: ReadingProgress) -> Iterator[None]:
    """Report the files that are read in the block to ``progress``."""
    token = _current.set(progress)
    try:
        yield
    finally:
        _current.reset(token)


def current_progress() -> ReadingProgress:
    """The progress to which the next file is reported."""
    return _current.get() or ReadingProgress(len)
