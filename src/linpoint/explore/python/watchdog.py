# SPDX-License-Identifier: Apache-2.0
"""A thread that watches whether a run moves, and a signal that gets it out of where it is stuck.

Processes are carried by the thread that drives the session, so nobody but another thread can notice that one of them
waits for something real. A signal interrupts most of what the system or C code waits in, and its handler raises there.
Guarantee: the handler that was there before is back when the block is left. Cost: a thread that wakes a few times a second.
"""

from __future__ import annotations

import _thread
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from linpoint.explore import _native_control as native
from linpoint.explore.python.stopping import StopRun

_SIGNAL: Final = getattr(signal, "SIGRTMIN", signal.SIGUSR2) + (9 if hasattr(signal, "SIGRTMIN") else 0)
_LOOKS: Final = 20
"""How often it looks within the time that a run may stand still."""
_make_lock: Final = _thread.allocate_lock


def can_watch() -> bool:
    """Whether the calling thread gets signals: only the main one does."""
    return threading.current_thread() is threading.main_thread()


@contextmanager
def watched(patience: float, stalled: Callable[[], None]) -> Iterator[None]:
    """While the block lasts, ``stalled`` is called, on another thread, when a run stands still; then the run is stopped."""
    main = threading.get_ident()
    closed = _make_lock()
    closed.acquire()
    told = False

    def on_signal(_number: int, _frame: object) -> None:
        if told and native.control_process() is not None:
            native.control_stop_run()
            raise StopRun

    def watch() -> None:
        nonlocal told
        beats, still = 0, 0
        while not closed.acquire(timeout=patience / _LOOKS):
            now = native.control_beats()
            still = still + 1 if now == beats and now != 0 else 0
            beats = now
            if still == 0:
                told = False
            elif still % _LOOKS == 0:
                if not told:
                    stalled()
                told = True
                signal.pthread_kill(main, _SIGNAL)

    before = signal.signal(_SIGNAL, on_signal)
    _thread.start_new_thread(watch, ())
    try:
        yield
    finally:
        closed.release()
        signal.signal(_SIGNAL, before)
