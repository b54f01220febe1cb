# SPDX-License-Identifier: Apache-2.0
"""A thread that checks whether a run makes progress, and a signal that interrupts a run that does not.

The thread that drives the session carries the processes, so only another thread can notice that one of them waits for
something real. A signal interrupts most waits in the system or in C code, and its handler raises there. A process that
continues even then is put to sleep forever. Ctrl-C is reported to the control, which otherwise could not distinguish it
from a ``KeyboardInterrupt`` that the program raises. Guarantee: leaving the block restores the previous handlers. Cost:
a thread that wakes a few times a second.
"""

from __future__ import annotations

import _thread
import signal
import threading
import types
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from linpoint.explore import _native_control as native
from linpoint.explore.python_control.run_abort import StopRun

_ABORT_SIGNAL: Final = getattr(signal, "SIGRTMIN", signal.SIGUSR2) + (9 if hasattr(signal, "SIGRTMIN") else 0)
_POLLS_PER_TIMEOUT: Final = 20
"""Number of polls within the time that a run may stand still."""
_POLLS_BEFORE_RETRY: Final = 5
"""Number of polls after which a process that has not returned gets another signal."""
_MAX_ABORT_SIGNALS: Final = 3
_make_lock: Final = _thread.allocate_lock


def can_watch() -> bool:
    """Whether the calling thread receives signals: only the main thread does."""
    return threading.current_thread() is threading.main_thread()


@contextmanager
def stall_watchdog(patience: float, stalled: Callable[[], None]) -> Iterator[None]:
    """In the block, call ``stalled`` on another thread when a run stands still, and then stop the run."""
    main = threading.get_ident()
    closed = _make_lock()
    closed.acquire()
    signals = 0

    def on_signal(_number: int, _frame: object) -> None:
        if signals and native.control_process() is not None:
            native.control_stop_run()
            if signals > _MAX_ABORT_SIGNALS:  # it has caught every exception that was raised
                native.control_park()
            raise StopRun

    def watch() -> None:
        nonlocal signals
        beats, still = 0, 0
        while not closed.acquire(timeout=patience / _POLLS_PER_TIMEOUT):
            now = native.control_beats()
            still = still + 1 if now == beats and now != 0 else 0
            beats = now
            if still == 0:
                signals = 0
            elif still >= _POLLS_PER_TIMEOUT and (still - _POLLS_PER_TIMEOUT) % _POLLS_BEFORE_RETRY == 0:
                if not signals:
                    stalled()
                signals += 1
                signal.pthread_kill(main, _ABORT_SIGNAL)

    with _handled(_ABORT_SIGNAL, on_signal), _report_ctrl_c():
        _thread.start_new_thread(watch, ())
        try:
            yield
        finally:
            closed.release()


@contextmanager
def _report_ctrl_c() -> Iterator[None]:
    before = signal.getsignal(signal.SIGINT)
    if not callable(before):  # the signal is ignored, or ends the interpreter
        yield
        return

    def on_interrupt(number: int, frame: types.FrameType | None) -> None:
        try:
            before(number, frame)
        except KeyboardInterrupt:
            native.control_interrupt()
            raise

    with _handled(signal.SIGINT, on_interrupt):
        yield


@contextmanager
def _handled(number: int, handler: Callable[[int, types.FrameType | None], None]) -> Iterator[None]:
    before = signal.signal(number, handler)
    try:
        yield
    finally:
        signal.signal(number, before)
