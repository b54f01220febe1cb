# SPDX-License-Identifier: Apache-2.0
"""Time limits and Ctrl-C around work on the main thread: reading, loading a spec, explaining."""

from __future__ import annotations

import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from linpoint.limits.budget import Budget

_SECOND_INTERRUPT_GRACE_S: Final = 1.0


class TimeIsUpError(BaseException):
    """Raised in the main thread when the budget ends; not an Exception, so that no user's spec swallows it."""


@contextmanager
def deadline(budget: Budget, *, grace: float = 0.0) -> Iterator[None]:
    """Interrupt the block when the budget (and ``grace``) runs out, where the system has timers."""
    left = budget.remaining()
    if left is None or not hasattr(signal, "setitimer"):
        yield
        return

    rung = False

    def ring(*_: object) -> None:
        nonlocal rung
        rung = True
        raise TimeIsUpError

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, max(left + grace, 1e-6))
    try:
        yield
    except Exception:
        if rung:  # somebody between made an error of his own of it, as importing a user's module may
            raise TimeIsUpError from None
        raise
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def install_sigint_handler() -> None:
    """Let Ctrl-C count once in a moment.

    Wrappers such as make pass it on to a process that the terminal has told already, so it often comes twice; the
    second must not disturb the work of putting together what is known.
    """
    if signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
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
    """Ignore Ctrl-C in the block: for the short work of telling what is known already."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
