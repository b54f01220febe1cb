# SPDX-License-Identifier: Apache-2.0
"""The smallest workload that still shows a cause: operations are left out until none can be.

What comes after the crash goes first, then what is about other keys, then halves, quarters and single operations (Zeller's
delta debugging). Guarantee: if it says so, no single operation can be left out. Cost: a run of the host for each attempt,
within the time that it is given.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from linpoint.crash.causes import Cause, cause_key
from linpoint.crash.program import CrashTest
from linpoint.crash.running import Run, Runner
from linpoint.crash.said import Violation
from linpoint.crash.telling import class_of
from linpoint.histories.values import same
from linpoint.scenarios.scenario import Call

_ONE: Final = 3.0
"""Seconds for one attempt."""
_SHORTEST: Final = 0.05


@dataclass(slots=True)
class Smallest:
    """The smallest run that was found, and whether no operation of it can be left out."""

    run: Run
    shown: Violation
    minimal: bool


def smallest(cause: Cause, test: CrashTest, runner: Runner, deadline: float) -> Smallest:
    """The smallest workload for a cause, in the time there is."""
    return _Shrinking(cause, test, runner, deadline).best()


class _Shrinking:
    def __init__(self, cause: Cause, test: CrashTest, runner: Runner, deadline: float) -> None:
        self._cause, self._test, self._runner, self._deadline = cause, test, runner, deadline
        self._found = Smallest(cause.run, cause.shown, minimal=False)
        self._kind = cause.shown.kind.lower()
        self._places_of: Path = test.target.library

    def best(self) -> Smallest:
        plan, shown = self._cause.run.plan, self._cause.shown
        calls, beside = _essential(plan.calls, shown)
        workload = list(plan.workload)
        try:
            if len(calls) + len(beside) < len(workload) + len(plan.beside) and self._shows(calls, beside):
                workload = calls
            else:
                beside = list(plan.beside)
            workload, beside = self._about_one_key(workload, beside)
            for size in _sizes(len(workload)):
                workload = self._without_chunks(workload, beside, size)
            self._found.minimal = self._is_minimal(workload, beside)
        except _OutOfTimeError:
            pass
        return self._found

    def _about_one_key(self, workload: list[Call], beside: list[Call]) -> tuple[list[Call], list[Call]]:
        if not self._test.vocabulary.keyed or len(workload) < 2:
            return workload, beside
        keys = [call.args[0] for call in (workload[-1], *beside) if call.args]
        mine = [call for call in workload if call.args and any(same(call.args[0], key) for key in keys)]
        for fewer in (mine[-1:], mine):
            if len(fewer) < len(workload) and fewer and self._shows(fewer, beside):
                return fewer, beside
        return workload, beside

    def _without_chunks(self, workload: list[Call], beside: list[Call], size: int) -> list[Call]:
        """Chunks of this size are left out, from the first to the last."""
        at = 0
        while at < len(workload):
            fewer = workload[:at] + workload[at + size :]
            if fewer and self._shows(fewer, beside):
                workload = fewer
            else:
                at += size
        return workload

    def _is_minimal(self, workload: list[Call], beside: list[Call]) -> bool:
        """Whether leaving out any one operation was tried, of the workload that is left."""
        if len(workload) == 1:
            return True
        for at in range(len(workload)):
            fewer = workload[:at] + workload[at + 1 :]
            if self._shows(fewer, beside):
                return self._is_minimal(fewer, beside)
        return True

    def _shows(self, workload: Sequence[Call], beside: Sequence[Call]) -> bool:
        left = self._deadline - time.monotonic()
        if left < _SHORTEST:
            raise _OutOfTimeError
        run = self._runner.test(self._test.plan(workload, beside), [self._kind], min(_ONE, left), want=self._is_wanted)
        if run.heard.interrupted:
            raise KeyboardInterrupt
        if run.wanted is None or not run.sound:
            return False
        self._found = Smallest(run, run.wanted, minimal=False)
        return True

    def _is_wanted(self, run: Run, _host: int, violation: Violation) -> bool:
        if not violation.confirmed or class_of(violation) != class_of(self._cause.shown):
            return False
        return cause_key(violation, run.places(self._places_of)) == self._cause.key


class _OutOfTimeError(Exception):
    pass


def _essential(calls: Sequence[Call], shown: Violation) -> tuple[list[Call], list[Call]]:
    """What had run when the crash came: operations that completed, those open, and what ran beside them."""
    numbers = list(range(shown.prefix)) if isinstance(shown.prefix, int) else list(shown.prefix)
    if shown.dl3 is not None:
        first, second = shown.dl3.first, shown.dl3.second
        return [calls[number] for number in (*numbers, first)], [calls[second]]
    return [calls[number] for number in dict.fromkeys([*numbers, *shown.open])], []


def _sizes(count: int) -> Iterator[int]:
    size = count // 2
    while size >= 1:
        yield size
        size //= 2
