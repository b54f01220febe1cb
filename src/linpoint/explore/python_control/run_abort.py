# SPDX-License-Identifier: Apache-2.0
"""Stops threads under control, and ends a run that meets something beyond control."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NoReturn

from linpoint.errors import TestError
from linpoint.explore import _native_control as native


class StopRun(BaseException):
    """The run is over, and the thread must end. Not an Exception, so that few handlers catch it."""


class BlockedForever(BaseException):
    """The only running thread waits for an event that can never happen."""


@contextmanager
def silence_aborted_finalizers() -> Iterator[None]:
    """Suppress reports of ``StopRun`` from finalisers and callbacks, which cannot raise."""
    before = sys.unraisablehook

    def report(unraisable: Any) -> None:
        if unraisable.exc_type is not StopRun:
            before(unraisable)

    sys.unraisablehook = report
    try:
        yield
    finally:
        sys.unraisablehook = before


_troubles: list[TestError] = []


def blame(error: TestError) -> None:
    """Record an error that makes the run meaningless; it is raised when the run is over."""
    _troubles.append(error)


def refuse(error: TestError) -> NoReturn:
    """End the run because of the next action of the program."""
    if native.control_process() is None:
        raise error
    blame(error)
    native.control_stop_run()
    raise StopRun


def raise_blame() -> None:
    """After a run: raise the first recorded error, if any."""
    troubles = _troubles.copy()
    _troubles.clear()
    if troubles:
        raise troubles[0]


def is_ctrl_c(error: BaseException) -> bool:
    """Whether the user pressed Ctrl-C; a ``KeyboardInterrupt`` that an operation itself raises is a result."""
    return isinstance(error, KeyboardInterrupt) and native.control_interrupted()


native.control_exceptions(StopRun, BlockedForever)
