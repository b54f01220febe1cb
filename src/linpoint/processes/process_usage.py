# SPDX-License-Identifier: Apache-2.0
"""Measures the memory of a process tree, and the time for which a process was starved of processors.

Cost: psutil finds descendants in the table of all processes (1 ms per 100 processes of the machine). The tree is
therefore scanned again only after 50 times the duration of the last scan; in between, its known members are measured.
"""

from __future__ import annotations

import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import psutil

_SCAN_SHARE: Final = 0.02


class TreeMemory:
    """The resident memory of a process and its descendants."""

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self._members: list[psutil.Process] = []
        self._scan_at = 0.0
        self.peak_bytes = 0
        """The highest measured value."""

    def measure(self) -> int:
        """Measure the resident bytes now; 0 if the process has ended."""
        import psutil  # noqa: PLC0415 - takes 20 ms, needed only for a process with a memory limit

        begin = time.monotonic()
        if begin >= self._scan_at:
            try:
                root = psutil.Process(self._pid)
                self._members = [root, *root.children(recursive=True)]
            except psutil.Error:
                self._members = []
            end = time.monotonic()
            self._scan_at = end + (end - begin) / _SCAN_SHARE
        total = 0
        for member in self._members:
            with suppress(psutil.Error):
                total += member.memory_info().rss
        self.peak_bytes = max(self.peak_bytes, total)
        return total


def starved_seconds(pid: int) -> dict[str, float]:
    """The seconds for which each thread of a process was ready to run without getting a processor.

    Empty where the system does not count them. A stopped or sleeping thread is not ready to run.
    """
    waited = {}
    for each in Path(f"/proc/{pid}/task").glob("*/schedstat"):
        with suppress(OSError, IndexError):
            waited[each.parent.name] = int(each.read_text(encoding="ascii").split()[1]) / 1e9
    return waited


class SilenceClock:
    """Seconds since the last message of a process, without those in which it was starved of processors."""

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self._since: tuple[float, dict[str, float]] | None = None

    def reset(self) -> None:
        """Restart the clock after a message."""
        self._since = None

    def seconds(self) -> float:
        """The duration of the silence. The first call after ``reset`` starts it."""
        waited = starved_seconds(self._pid)
        if self._since is None:
            self._since = time.monotonic(), waited
        begin, before = self._since
        starved = max((each - before.get(thread, 0.0) for thread, each in waited.items()), default=0.0)
        return time.monotonic() - begin - starved
