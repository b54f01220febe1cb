# SPDX-License-Identifier: Apache-2.0
"""Runs independent tasks on threads, while the main thread watches limits and handles Ctrl-C.

The tasks are native searches that release the interpreter lock, so threads suffice. If a task is inside an endless call
of a user's spec and does not stop on request, an exception is raised in its Python code. A task that is stuck outside
Python is abandoned on its daemon thread.

Guarantee: ``run_all`` returns within about a second after the request to stop, whatever the tasks do.
"""

from __future__ import annotations

import ctypes
import os
import re
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

Task = Callable[[], "Iterable[Task]"]
"""A unit of work. It returns tasks, which are queued behind those already waiting."""

WATCH_INTERVAL_S: Final = 0.02
TASK_GRACE_S: Final = 0.3
"""Seconds that a task has for stopping by itself, and again after an exception was raised in it."""

_PEAK_MEMORY_MAX_AGE_S: Final = 0.01
"""Seconds for which a reading of the peak memory stays valid."""

_PAGE: Final = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096
_STATM: Final = "/proc/self/statm"
_STATUS: Final = "/proc/self/status"
_MEMINFO: Final = "/proc/meminfo"
_AVAILABLE: Final = re.compile(rb"MemAvailable:\s*(\d+)")
_PEAK: Final = re.compile(rb"VmHWM:\s*(\d+)")


class AbandonedError(BaseException):
    """Raised inside a task that does not stop on request. Not an Exception, so that user code does not catch it."""


class _Crew:
    """Daemon threads that work on a queue of tasks. Tasks may add further tasks."""

    def __init__(self, tasks: Sequence[Task], jobs: int) -> None:
        self._waiting = deque(tasks)
        self._left = len(tasks)
        self._changed = threading.Condition()
        # The thread that waits for the end must not need the lock of the workers: an exception raised in a worker may
        # hit it anywhere, even while it holds that lock. Releasing this lock is one step that cannot be interrupted.
        self._unfinished = threading.Lock()
        self._unfinished.acquire()
        self.error: BaseException | None = None
        self._jobs = jobs
        self._closed = False
        self._threads: list[threading.Thread] = []
        self._hire()

    def _hire(self) -> None:
        """Start one thread per waiting task, up to the maximum."""
        while len(self._threads) < min(self._jobs, self._left):
            self._threads.append(threading.Thread(target=self._work, daemon=True))
            self._threads[-1].start()

    def _work(self) -> None:
        try:
            while self._work_once():
                pass
        except AbandonedError:  # stopped while it was idle
            pass

    def _work_once(self) -> bool:
        """Take the next task and run it; return False when no task is left and none will follow."""
        with self._changed:
            self._changed.wait_for(lambda: self._waiting or self._left == 0)
            if not self._waiting:
                return False
            task = self._waiting.popleft()
        more: Iterable[Task] = ()
        try:
            more = task()
        except AbandonedError:
            pass
        except BaseException as error:  # noqa: BLE001 - run_all raises it for the caller
            self.error = self.error or error
        with self._changed:
            before = len(self._waiting)
            if not self._closed:
                self._waiting.extend(more)
            self._left += len(self._waiting) - before - 1
            self._hire()
            self._tell()
        return True

    def _tell(self) -> None:
        """Wake the threads that wait for tasks, and the thread that waits for the end. The caller holds the lock."""
        self._changed.notify_all()
        if self._left == 0 and self._unfinished.locked():
            self._unfinished.release()

    def wait(self, seconds: float) -> bool:
        """Wait briefly; return whether all tasks are done."""
        return self._left == 0 or self._unfinished.acquire(timeout=seconds)

    def abandon(self) -> None:
        """Start no more tasks, and raise an exception in the Python code of the running ones."""
        self._closed = True
        if self._changed.acquire(timeout=TASK_GRACE_S):  # fails if a task holds the lock
            try:
                self._left -= len(self._waiting)
                self._waiting.clear()
                self._tell()
            finally:
                self._changed.release()
        for thread in self._threads:
            if thread.ident is not None and thread.is_alive():
                raise_in_thread(thread.ident, AbandonedError)

    def leave_behind(self) -> None:
        """Give up tasks that do not return to Python code."""
        cancel_raise(self._threads)


def raise_in_thread(thread: int, error: type[BaseException]) -> None:
    """Raise ``error`` in a thread as soon as it executes Python code again.

    If the thread may never do so, the caller must call ``cancel_raise`` later.
    """
    _asynchronously(ctypes.c_ulong(thread), ctypes.py_object(error))


def cancel_raise(threads: Iterable[threading.Thread]) -> None:
    """Cancel exceptions for threads that have not returned to Python code and may never do so.

    In 3.11 and 3.12 a pending exception makes every thread look for it again and again, and in 3.11 traced code, as
    under coverage or a debugger, would not continue at all. Only raising an exception ends that.
    """
    left = [thread.ident for thread in threads if thread.is_alive() and thread.ident is not None]
    for ident in left:
        _asynchronously(ctypes.c_ulong(ident), None)
    if left:
        tracer = sys.gettrace()
        sys.settrace(None)
        try:
            raise_in_thread(threading.get_ident(), _TakenBackError)
            while True:
                pass
        except _TakenBackError:
            pass
        finally:
            sys.settrace(tracer)


class _TakenBackError(BaseException):
    """Raised and caught only in ``cancel_raise``."""


_asynchronously: Any = ctypes.pythonapi.PyThreadState_SetAsyncExc


def run_all(
    tasks: Sequence[Task],
    *,
    jobs: int,
    watch: Callable[[], bool],
    interrupt: Callable[[], None],
) -> bool:
    """Run all tasks, and those that they return. Return whether Ctrl-C was pressed meanwhile.

    ``watch`` is called from time to time on the calling thread and returns whether the tasks have been asked to stop.
    ``interrupt`` is called once, when Ctrl-C is pressed, and must ask them to stop.
    """
    crew = _Crew(tasks, jobs)
    interrupted = False
    told: float | None = None
    abandoned = False
    while True:
        try:
            if crew.wait(WATCH_INTERVAL_S):
                break
            if crew.error is not None and told is None:
                interrupt()  # results of the other tasks no longer matter
            if not watch():
                continue
            now = time.monotonic()
            told = told if told is not None else now
            if abandoned and now - told > 2 * TASK_GRACE_S:
                crew.leave_behind()
                break
            if not abandoned and now - told > TASK_GRACE_S:
                abandoned = True
                crew.abandon()
        except KeyboardInterrupt:
            interrupted = True
            interrupt()
    if crew.error is not None:
        raise crew.error
    return interrupted


def resident_memory() -> int:
    """The memory of this process in bytes; 0 where the system does not report it."""
    try:
        return int(_read(_STATM).split()[1]) * _PAGE
    except (OSError, ValueError, IndexError):
        return 0


def available_memory() -> int | None:
    """The memory in bytes that the system could give to processes now; None where it does not report it."""
    try:
        found = _AVAILABLE.search(_read(_MEMINFO))
    except OSError:
        return None
    return int(found[1]) * 1024 if found else None


def peak_memory() -> int:
    """The peak memory of this process in bytes, as of a moment ago; 0 where the system does not report it.

    It is not read from getrusage, where a process starts with the peak of its parent. A reading takes as long as a
    small check, so the result is cached briefly.
    """
    now = time.monotonic()
    if now >= _peak.good_until:
        _peak.bytes, _peak.good_until = _read_peak(), now + _PEAK_MEMORY_MAX_AGE_S
    return _peak.bytes


@dataclass(slots=True)
class _Peak:
    bytes: int = 0
    good_until: float = 0.0


_peak = _Peak()


def _read_peak() -> int:
    try:
        found = _PEAK.search(_read(_STATUS))
    except OSError:
        return 0
    return int(found[1]) * 1024 if found else 0


def _read(path: str) -> bytes:
    """The first page of a system file; faster than a stream."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        return os.read(descriptor, 4096)
    finally:
        os.close(descriptor)
