# SPDX-License-Identifier: Apache-2.0
"""Running independent tasks on threads, while the main thread watches limits and listens for Ctrl-C.

The tasks are native searches that release the interpreter lock, so threads are enough. A task that was told to stop
and does not, because it is inside an endless call of a user's spec, gets an exception raised in its Python code; one
that is stuck outside Python is left behind on a daemon thread. Guarantee: ``run_all`` returns within about a second of
being told to stop, whatever the tasks do.
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
"""Work to do; it gives back tasks to be queued behind those that wait already."""

WATCH_INTERVAL_S: Final = 0.02
TASK_GRACE_S: Final = 0.3
"""Seconds that a task has to stop by itself, and again after an exception was raised in it."""

_PEAK_MEMORY_MAX_AGE_S: Final = 0.01
"""Seconds for which a reading of the peak memory is good."""

_PAGE: Final = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096
_STATM: Final = "/proc/self/statm"
_STATUS: Final = "/proc/self/status"
_MEMINFO: Final = "/proc/meminfo"
_AVAILABLE: Final = re.compile(rb"MemAvailable:\s*(\d+)")
_PEAK: Final = re.compile(rb"VmHWM:\s*(\d+)")


class AbandonedError(BaseException):
    """Raised inside a task that did not stop when told to; not an Exception, so that no user's code swallows it."""


class _Crew:
    """Daemon threads that work off a queue of tasks, to which tasks may add."""

    def __init__(self, tasks: Sequence[Task], jobs: int) -> None:
        self._waiting = deque(tasks)
        self._left = len(tasks)
        self._changed = threading.Condition()
        # Who waits for the end must not need the lock of the workers: an exception that is raised in one of them may hit
        # it anywhere, also where it holds that lock. Letting this one go is a single step that nothing can interrupt.
        self._unfinished = threading.Lock()
        self._unfinished.acquire()
        self.error: BaseException | None = None
        self._jobs = jobs
        self._closed = False
        self._threads: list[threading.Thread] = []
        self._hire()

    def _hire(self) -> None:
        """Start a thread for each task that waits, as far as there may be more."""
        while len(self._threads) < min(self._jobs, self._left):
            self._threads.append(threading.Thread(target=self._work, daemon=True))
            self._threads[-1].start()

    def _work(self) -> None:
        try:
            while self._work_once():
                pass
        except AbandonedError:  # told to go while it had nothing to do
            pass

    def _work_once(self) -> bool:
        """Take the next task and run it; False when there is none and will be none."""
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
        except BaseException as error:  # noqa: BLE001 - handed to the caller of run_all
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
        """Wake who waits for tasks, and who waits for their end if it has come. The lock is held."""
        self._changed.notify_all()
        if self._left == 0 and self._unfinished.locked():
            self._unfinished.release()

    def wait(self, seconds: float) -> bool:
        """Wait a little; whether all tasks are done."""
        return self._left == 0 or self._unfinished.acquire(timeout=seconds)

    def abandon(self) -> None:
        """Start no more tasks, and raise an exception in the Python code of those that run."""
        self._closed = True
        if self._changed.acquire(timeout=TASK_GRACE_S):  # unless a task keeps others from it
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
        """Forget tasks that do not come back to Python code."""
        cancel_raise(self._threads)


def raise_in_thread(thread: int, error: type[BaseException]) -> None:
    """Raise ``error`` in a thread, as soon as it executes Python code again.

    Whoever calls this says later ``cancel_raise``, if the thread may be one that never does.
    """
    _asynchronously(ctypes.c_ulong(thread), ctypes.py_object(error))


def cancel_raise(threads: Iterable[threading.Thread]) -> None:
    """Raise nothing more in threads that have not come back to Python code: they wait, perhaps for ever.

    In 3.11 and 3.12 one exception that nobody takes has every thread look for it again and again, and in 3.11 code that is
    traced, as for coverage or by a debugger, would not go on at all. Only one that is raised puts an end to that.
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
    """Raised and caught in ``cancel_raise`` alone."""


_asynchronously: Any = ctypes.pythonapi.PyThreadState_SetAsyncExc


def run_all(
    tasks: Sequence[Task],
    *,
    jobs: int,
    watch: Callable[[], bool],
    interrupt: Callable[[], None],
) -> bool:
    """Run all tasks, and those that they give back to be run after them. Says whether Ctrl-C was pressed meanwhile.

    ``watch`` is called now and then on the calling thread and says whether the tasks have been told to stop;
    ``interrupt`` is called once, when Ctrl-C is pressed, and must tell them.
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
                interrupt()  # nothing the others find can matter any more
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
    """Bytes of memory this process holds now; 0 where the system does not tell."""
    try:
        return int(_read(_STATM).split()[1]) * _PAGE
    except (OSError, ValueError, IndexError):
        return 0


def available_memory() -> int | None:
    """Bytes of memory that the system could give to processes now; None where it does not tell."""
    try:
        found = _AVAILABLE.search(_read(_MEMINFO))
    except OSError:
        return None
    return int(found[1]) * 1024 if found else None


def peak_memory() -> int:
    """The most bytes of memory this process has held, as of a moment ago; 0 where the system does not tell.

    Not from getrusage: there a process begins with the peak of the one that started it. Asking takes as long as a
    small check, so the answer is kept for a moment.
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
    """The first page of a file of the system; quicker than a stream."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        return os.read(descriptor, 4096)
    finally:
        os.close(descriptor)
