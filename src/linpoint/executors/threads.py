# SPDX-License-Identifier: Apache-2.0
"""Running independent tasks on threads, while the main thread watches limits and listens for Ctrl-C.

The tasks are native searches that release the interpreter lock, so threads are enough. Guarantee: every task is
waited for, also after an interrupt, so nothing runs on in the background; stopping them is the watcher's part.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from pathlib import Path
from typing import Final, TypeVar

T = TypeVar("T")

WATCH_INTERVAL: Final = 0.02
_PAGE: Final = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096
_STATM: Final = Path("/proc/self/statm")


def run_all(
    tasks: Sequence[Callable[[], T]],
    *,
    jobs: int,
    watch: Callable[[], None],
    interrupt: Callable[[], None],
) -> tuple[list[T], bool]:
    """The results of all tasks in their order, and whether Ctrl-C was pressed meanwhile.

    ``watch`` is called now and then on the calling thread; ``interrupt`` once, when Ctrl-C is pressed: it must make
    the tasks end soon.
    """
    interrupted = False
    with ThreadPoolExecutor(max_workers=max(1, min(jobs, len(tasks)))) as pool:
        futures: list[Future[T]] = [pool.submit(task) for task in tasks]
        pending: set[Future[T]] = set(futures)
        while pending:
            try:
                _, pending = wait(pending, timeout=WATCH_INTERVAL, return_when=FIRST_EXCEPTION)
                watch()
            except KeyboardInterrupt:
                interrupted = True
                interrupt()
        return [future.result() for future in futures], interrupted


def resident_memory() -> int:
    """Bytes of memory this process holds now; 0 where the system does not tell."""
    try:
        return int(_STATM.read_text().split()[1]) * _PAGE
    except (OSError, ValueError, IndexError):
        return 0


def peak_memory() -> int:
    """The most bytes of memory this process has held; 0 where the system does not tell."""
    try:
        import resource  # noqa: PLC0415 - not on every platform
    except ImportError:
        return 0
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
