# SPDX-License-Identifier: Apache-2.0
"""The smallest workload that still shows a cause: operations are left out until none can be.

What comes after the crash goes first, then what is about other keys, then halves, quarters and single operations (Zeller's
delta debugging). Guarantee: if it says so, no single operation can be left out. Cost: a run of the host for each attempt,
within the time that it is given.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from linpoint.crash.crash_plan import CrashPlan
from linpoint.crash.crash_run import CrashRun, CrashRunner
from linpoint.crash.root_causes import RootCause, cause_key
from linpoint.histories.values import Value, same, scalars
from linpoint.hosts.crash_messages import Code, CrashViolation
from linpoint.scenarios.scenario import Call
from linpoint.subjects.persistent_object.build_tests import BuiltCrashTest
from linpoint.subjects.persistent_object.finding_builder import violation_class

_ONE: Final = 3.0
"""Seconds for one attempt."""
_SHORTEST: Final = 0.05


@dataclass(slots=True)
class Smallest:
    """The smallest run that was found, and whether no operation of it can be left out."""

    run: CrashRun
    shown: CrashViolation
    minimal: bool


def smallest(
    cause: RootCause, test: BuiltCrashTest, runner: CrashRunner, deadline: float, others: Sequence[Code] = ()
) -> Smallest:
    """The smallest workload for a cause, in the time there is; ``others`` are to blame for something else.

    Where this cause does not show beside the others, they are healed, as they were when it was found.
    """
    return _Shrinking(cause, test, runner, deadline, tuple(others)).best()


class _Shrinking:
    def __init__(
        self, cause: RootCause, test: BuiltCrashTest, runner: CrashRunner, deadline: float, others: tuple[Code, ...]
    ) -> None:
        self._cause, self._test, self._runner, self._deadline = cause, test, runner, deadline
        self._others = others
        self._healed: tuple[Code, ...] = ()
        self._found = Smallest(cause.run, cause.shown, minimal=False)
        self._kind = cause.shown.kind.lower()

    def best(self) -> Smallest:
        plan, shown = self._cause.run.plan, self._cause.shown
        calls, beside = _essential(plan.calls, shown)
        workload = list(plan.workload)
        try:
            if self._shows_in_some_way(calls, beside):
                workload = calls
            elif self._shows_in_some_way(workload, list(plan.beside)):
                beside = list(plan.beside)
            else:
                return self._unshown()
            workload, beside = self._about_one_key(workload, beside)
            for size in _sizes(len(workload)):
                workload = self._without_chunks(workload, beside, size)
            minimal = self._is_minimal(workload, beside)
            self._shows(*_simpler(self._found.run.plan))
            self._found.minimal = minimal
        except _OutOfTimeError:
            pass
        return self._found

    def _shows_in_some_way(self, workload: Sequence[Call], beside: Sequence[Call]) -> bool:
        self._healed = ()
        if self._shows(workload, beside):
            return True
        self._healed = self._others
        return bool(self._others) and self._shows(workload, beside)

    def _unshown(self) -> Smallest:
        """As it was found: with all that was healed by then."""
        run = replace(self._cause.run, plan=replace(self._cause.run.plan, healed=self._others))
        return Smallest(run, self._cause.shown, minimal=False)

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
        run = self._runner.test(
            replace(self._test.plan(workload, beside), healed=self._healed),
            [self._kind],
            min(_ONE, left),
            want=self._is_wanted,
        )
        if run.heard.interrupted:
            raise KeyboardInterrupt
        if run.wanted is None or not run.sound:
            return False
        self._found = Smallest(run, run.wanted, minimal=False)
        return True

    def _is_wanted(self, run: CrashRun, _host: int, violation: CrashViolation) -> bool:
        if not violation.confirmed or violation_class(violation) != violation_class(self._cause.shown):
            return False
        return cause_key(violation, run.places(self._test.target.library, self._test.sources)) == self._cause.key


class _OutOfTimeError(Exception):
    pass


def _essential(calls: Sequence[Call], shown: CrashViolation) -> tuple[list[Call], list[Call]]:
    """What had run when the crash came: operations that completed, those open, and what ran beside them."""
    numbers = list(range(shown.prefix)) if isinstance(shown.prefix, int) else list(shown.prefix)
    if shown.dl3 is not None:
        first, second = shown.dl3.first, shown.dl3.second
        return [calls[number] for number in (*numbers, first)], [calls[second]]
    return [calls[number] for number in dict.fromkeys([*numbers, *shown.open])], []


def _simpler(plan: CrashPlan) -> tuple[list[Call], list[Call]]:
    """The same workload with the smallest numbers in the same order: 506952116 is nothing to remember at night."""
    calls = [*plan.workload, *plan.beside]
    numbers = sorted({value for call in calls for value in scalars(call.args) if type(value) is int})
    rank = {value: at for at, value in enumerate(numbers, 1)}

    def renamed(value: Value) -> Value:
        if type(value) is int:
            return rank[value]
        return tuple(map(renamed, value)) if isinstance(value, tuple) else value

    simple = [Call(call.operation, tuple(map(renamed, call.args))) for call in calls]
    return simple[: len(plan.workload)], simple[len(plan.workload) :]


def _sizes(count: int) -> Iterator[int]:
    size = count // 2
    while size >= 1:
        yield size
        size //= 2
