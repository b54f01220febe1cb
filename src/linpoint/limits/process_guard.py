# SPDX-License-Identifier: Apache-2.0
"""Guards a command: its limits take effect whatever it is doing, even where no Python code runs.

The guard is a native thread. It announces a limit so that the command can answer by itself: the memory limit by a
signal to the main thread (see ``deadlines``), Ctrl-C by stopping all searches. If the command does not begin to answer
shortly afterwards, the guard prints the prepared answer and ends the process.

Guarantee: the process ends within ``INTERRUPT_GRACE_S`` of Ctrl-C, exceeds its time by at most 5 % and half a second,
and exceeds its memory limit by at most a tenth.
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
"""Seconds after Ctrl-C in which the command may answer by itself."""
_TIME_GRACE_S: Final = 0.4
_TIME_GRACE_SHARE: Final = 0.045
_MEMORY_GRACE_SHARE: Final = 0.05
_MIN_MEMORY_ROOM_BYTES: Final = 8 << 20
"""Memory above what the process holds when guarding starts. The first check of the command reports a lower limit."""
_RETRY_S: Final = 0.002

LIMIT_MARK, PROGRESS_MARK, _PEAK_MARK = answer_marks()
PEAK_MARK: Final = int(_PEAK_MARK)
"""Placeholders in a prepared answer: for the description of the limit, the progress and the peak memory."""

_kept: Final[list[object]] = []
_guard: ProcessGuard | None = None
_retried: type[BaseException] | None = None


@contextmanager
def guarding(budget: Budget, resident: int) -> Iterator[ProcessGuard]:
    """Guard the process in the block, which holds ``resident`` bytes at the start.

    Use it on the main thread, not nested.
    """
    global _guard  # noqa: PLW0603 - there is one process
    most = budget.max_memory
    # Installed before the guard: a signal without a handler would end the process.
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
    """Whether the guard has announced the memory limit."""
    return _guard is not None and _guard.announced is Limit.MEMORY


def keep_until_exit(thing: object) -> None:
    """Keep an object alive until the process exits, since freeing millions of objects takes seconds."""
    _kept.append(thing)


class LimitReachedError(BaseException):
    """Raised in the main thread when a limit is reached. Not an Exception, so that no user's spec catches it."""

    why = "a limit was reached"


def _ring(*_: object) -> None:
    """Raise a lost exception again, outside blocks with a deadline."""
    raise_lost()


def raise_lost() -> None:
    """Raise KeyboardInterrupt again if one was lost."""
    global _retried
    lost, _retried = _retried, None
    if lost is KeyboardInterrupt:
        raise KeyboardInterrupt


def _retry_or(hook: Any) -> Any:
    """Raise an exception again shortly after it was raised in a callback, where Python can only print it."""

    def retry(unraisable: Any) -> None:
        global _retried  # noqa: PLW0603 - as above
        kind = unraisable.exc_type
        if issubclass(kind, (KeyboardInterrupt, LimitReachedError)):
            _retried = kind
            signal.setitimer(signal.ITIMER_REAL, _RETRY_S)
        else:
            hook(unraisable)

    return retry
