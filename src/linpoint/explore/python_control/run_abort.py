# SPDX-License-Identifier: Apache-2.0
"""How threads under control are told to stop, and how a run is ended by what cannot be steered."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NoReturn

from linpoint.errors import TestError
from linpoint.explore import _native_control as native


class StopRun(BaseException):
    """The run is over, and the thread must come to its end. Not an Exception, so that few handlers swallow it."""


class BlockedForever(BaseException):
    """The only thread there is waits for something that nobody will ever do."""


@contextmanager
def unheard() -> Iterator[None]:
    """Finalisers and callbacks cannot raise; what ends a run in the middle of one is no news."""
    before = sys.unraisablehook

    def tell(unraisable: Any) -> None:
        if unraisable.exc_type is not StopRun:
            before(unraisable)

    sys.unraisablehook = tell
    try:
        yield
    finally:
        sys.unraisablehook = before


_troubles: list[TestError] = []


def blame(error: TestError) -> None:
    """Say what keeps the run from meaning anything; it is raised when the run is over."""
    _troubles.append(error)


def refuse(error: TestError) -> NoReturn:
    """End the run because of what the program is about to do."""
    if native.control_process() is None:
        raise error
    blame(error)
    native.control_stop_run()
    raise StopRun


def raise_blame() -> None:
    """After a run: raise the first that was said of it, if anything was."""
    troubles = _troubles.copy()
    _troubles.clear()
    if troubles:
        raise troubles[0]


def is_ctrl_c(error: BaseException) -> bool:
    """Whether it is none of the program's doing; a ``KeyboardInterrupt`` that an operation raises itself is a result."""
    return isinstance(error, KeyboardInterrupt) and native.control_interrupted()


native.control_exceptions(StopRun, BlockedForever)
