# SPDX-License-Identifier: Apache-2.0
"""Limits and Ctrl-C around work on the main thread: reading, loading a spec, explaining."""

from __future__ import annotations

import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from linpoint.limits.budget import Budget
from linpoint.limits.process_guard import LimitReachedError, memory_is_up, raise_lost

_SECOND_INTERRUPT_GRACE_S: Final = 1.0


class TimeIsUpError(LimitReachedError):
    """The budget has ended."""

    why = "the time budget ran out"


class MemoryIsUpError(LimitReachedError):
    """The process holds as much memory as it may."""

    why = "the memory budget ran out"


@contextmanager
def deadline(budget: Budget, *, grace: float = 0.0) -> Iterator[None]:
    """Interrupt the block when the time (and ``grace``) runs out, or the guard of the process says that memory has.

    For the time, the system must have timers.
    """
    left = budget.remaining()
    if (left is None and budget.max_memory is None) or not hasattr(signal, "setitimer"):
        yield
        return

    rung: type[LimitReachedError] | None = None

    def ring(*_: object) -> None:
        nonlocal rung
        raise_lost()
        rung = MemoryIsUpError if memory_is_up() else TimeIsUpError
        raise rung

    before = signal.signal(signal.SIGALRM, ring)
    if memory_is_up():  # before anybody listened
        signal.signal(signal.SIGALRM, before)
        raise MemoryIsUpError
    if left is not None:
        signal.setitimer(signal.ITIMER_REAL, max(left + grace, 1e-6))
    try:
        yield
    except Exception:
        if rung is not None:  # somebody between made an error of his own of it, as importing a user's module may
            raise rung from None
        raise
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def require_room(budget: Budget, resident: int) -> None:
    """Raise where the process, which holds ``resident`` bytes, has no memory left for what is about to begin."""
    if budget.max_memory is not None and resident > budget.max_memory:
        raise MemoryIsUpError


def install_sigint_handler() -> None:
    """Let Ctrl-C count once in a moment.

    Wrappers such as make pass it on to a process that the terminal has told already, so it often comes twice; the
    second must not disturb the work of putting together what is known.
    """
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        return  # a shell starts background jobs with Ctrl-C ignored, and so it stays
    last = -_SECOND_INTERRUPT_GRACE_S

    def press(*_: object) -> None:
        nonlocal last
        now = time.monotonic()
        if now - last >= _SECOND_INTERRUPT_GRACE_S:
            last = now
            raise KeyboardInterrupt

    signal.signal(signal.SIGINT, press)


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Let Ctrl-C wait in the block, for the short work of reporting what is known already; a guard still sees it."""
    before = signal.getsignal(signal.SIGINT)
    if not callable(before):  # ignored, or not ours
        yield
        return
    signal.signal(signal.SIGINT, _wait)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _wait(*_: object) -> None:
    """A handler, so that Python writes the signal to the guard."""
