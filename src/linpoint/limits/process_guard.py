# SPDX-License-Identifier: Apache-2.0
"""Guarding a command: its limits hold whatever it is doing, also where no Python code runs to notice them.

The guard is a native thread. It announces a limit, so that the command can answer by itself: of memory by a signal for
the main thread (see ``deadlines``), of Ctrl-C by stopping all searches. A command that has not begun to answer a moment
later is ended with the answer that was prepared for this case. Guarantee: the process ends within ``INTERRUPT_GRACE_S``
of Ctrl-C, within 5 % and half a second of its time, and holds no more than a tenth above its memory.
"""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

from linpoint.limits._native_limits import Limit, ProcessGuard, answer_marks
from linpoint.limits.budget import Budget

INTERRUPT_GRACE_S: Final = 0.22
"""Seconds from Ctrl-C in which the command may answer by itself."""
_TIME_GRACE_S: Final = 0.4
_TIME_GRACE_SHARE: Final = 0.045
_MEMORY_GRACE_SHARE: Final = 0.05
_MIN_MEMORY_ROOM_BYTES: Final = 8 << 20
"""Room above what the process holds already when it is guarded: a limit below that is told by its first answer."""
_RETRY_S: Final = 0.002

LIMIT_MARK, PROGRESS_MARK, _PEAK_MARK = answer_marks()
PEAK_MARK: Final = int(_PEAK_MARK)
"""What stands in a prepared answer for the limit in words, for the progress and for the peak of memory."""

_kept: Final[list[object]] = []
_guard: ProcessGuard | None = None
_retried: type[BaseException] | None = None


@contextmanager
def guarding(budget: Budget, resident: int) -> Iterator[ProcessGuard]:
    """Guard the process in the block, which begins with so much ``resident`` memory. On the main thread, once at a time."""
    global _guard  # noqa: PLW0603 - there is one process
    most = budget.max_memory
    # Before the guard: a signal without a handler would end the process.
    alarm = signal.signal(signal.SIGALRM, _ring)
    guard = ProcessGuard(
        budget.remaining(),
        _TIME_GRACE_S + _TIME_GRACE_SHARE * (budget.total or 0.0),
        INTERRUPT_GRACE_S,
        most,
        None if most is None else max(int(most * (1 + _MEMORY_GRACE_SHARE)), resident + _MIN_MEMORY_ROOM_BYTES),
        signal.SIGALRM,
    )
    descriptor = signal.set_wakeup_fd(guard.signal_descriptor, warn_on_full_buffer=False)
    hook, sys.unraisablehook = sys.unraisablehook, _retry_or(sys.unraisablehook)
    _guard = guard
    try:
        yield guard
    finally:
        guard.release()
        _guard = None
        sys.unraisablehook = hook
        signal.set_wakeup_fd(descriptor)
        signal.signal(signal.SIGALRM, alarm)


def memory_is_up() -> bool:
    """Whether the guard has announced that the memory is used up."""
    return _guard is not None and _guard.announced is Limit.MEMORY


def keep_until_exit(thing: object) -> None:
    """Do not free what this holds: of millions of objects that takes seconds, and the process ends soon."""
    _kept.append(thing)


class LimitReachedError(BaseException):
    """Raised in the main thread when a limit is reached; not an Exception, so that no user's spec swallows it."""

    why = "a limit was reached"


def _ring(*_: object) -> None:
    """Raise again what was lost, outside of blocks with a deadline."""
    raise_lost()


def raise_lost() -> None:
    """Raise the Ctrl-C that was lost, if one was."""
    global _retried
    lost, _retried = _retried, None
    if lost is KeyboardInterrupt:
        raise KeyboardInterrupt


def _retry_or(hook: Any) -> Any:
    """Raise once more in a moment what was raised in a callback, where Python can only print it."""

    def retry(unraisable: Any) -> None:
        global _retried  # noqa: PLW0603 - as above
        kind = unraisable.exc_type
        if issubclass(kind, (KeyboardInterrupt, LimitReachedError)):
            _retried = kind
            signal.setitimer(signal.ITIMER_REAL, _RETRY_S)
        else:
            hook(unraisable)

    return retry
