# SPDX-License-Identifier: Apache-2.0
"""Applies limits and Ctrl-C to work on the main thread: reading, loading a spec, explaining."""

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
    """The time budget has ended."""

    why = "the time budget ran out"


class MemoryIsUpError(LimitReachedError):
    """The process has reached its memory limit."""

    why = "the memory budget ran out"


@contextmanager
def deadline(budget: Budget, *, grace: float = 0.0) -> Iterator[None]:
    """Interrupt the block when the time plus ``grace`` runs out, or when the guard reports the memory limit.

    The time limit requires a system with timers.
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
    if memory_is_up():  # announced before the handler was installed
        signal.signal(signal.SIGALRM, before)
        raise MemoryIsUpError
    if left is not None:
        signal.setitimer(signal.ITIMER_REAL, max(left + grace, 1e-6))
    try:
        yield
    except Exception:
        if rung is not None:  # code in between converted the error to its own, as importing a user's module may
            raise rung from None
        raise
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def require_room(budget: Budget, resident: int) -> None:
    """Raise MemoryIsUpError if the process, which holds ``resident`` bytes, has no memory left for the next phase."""
    if budget.max_memory is not None and resident > budget.max_memory:
        raise MemoryIsUpError


def install_sigint_handler() -> None:
    """Make Ctrl-C count only once within a second.

    Wrappers such as make forward the signal to a process that the terminal has already signalled, so it often arrives
    twice. The second signal must not disturb the assembly of the results.
    """
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        return  # a shell starts background jobs with Ctrl-C ignored, which stays in effect
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
    """Delay Ctrl-C during the block, for the short work of reporting known results. A guard still sees the signal."""
    before = signal.getsignal(signal.SIGINT)
    if not callable(before):  # ignored, or not a Python handler
        yield
        return
    signal.signal(signal.SIGINT, _wait)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _wait(*_: object) -> None:
    """Do nothing. The handler exists so that Python writes the signal to the guard."""
