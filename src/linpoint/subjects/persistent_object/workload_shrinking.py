# SPDX-License-Identifier: Apache-2.0
"""Shrinks workloads: operations are left out while the failure still shows.

Operations after the crash are left out first, then those on other keys, then halves, quarters and single operations
(Zeller's delta debugging). Guarantee: a workload is called minimal only if no single operation can be left out. Cost: a
run of the host for each candidate, within the limits.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from linpoint.crash.crash_plan import CrashPlan
from linpoint.crash.root_causes import RootCause
from linpoint.histories.values import Value, equal_values, scalars
from linpoint.hosts.crash_messages import Code, CrashViolation
from linpoint.limits.search_limits import SearchLimits
from linpoint.scenarios.scenario import Call
from linpoint.subjects.interface import Failure

_MIN_ATTEMPT_S: Final = 0.05


@dataclass(frozen=True, slots=True)
class SmallerWorkload:
    """A workload that is crashed with the same kind of test as a root cause, and must show this cause."""

    cause: RootCause
    workload: tuple[Call, ...]
    beside: tuple[Call, ...]
    healed: tuple[Code, ...] = ()


@dataclass(frozen=True, slots=True)
class UnchangedWorkload:
    """The workload of a failure with the stores of other causes healed. It is not rerun."""

    failure: Failure
    healed: tuple[Code, ...]


@dataclass(frozen=True, slots=True)
class CrashFreeWorkload:
    """A workload that must fail with this kind without a crash."""

    kind: str
    workload: tuple[Call, ...]


Candidate = SmallerWorkload | UnchangedWorkload | CrashFreeWorkload
Shrinking = Generator[Candidate, Failure | None, bool]
_Attempt = Generator[Candidate, Failure | None, bool]
"""A generator that returns whether its candidate shows the failure."""


def smaller_workloads(
    failure: Failure, cause: RootCause, others: Sequence[Code], limits: SearchLimits, *, keyed: bool
) -> Shrinking:
    """Candidates for a root cause; ``others`` are the stores to blame for other causes.

    If this cause does not show while the others are present, their stores are healed, as when it was found. ``keyed``:
    whether the first argument of an operation is a key.
    """
    return _WorkloadShrinking(failure, cause, tuple(others), limits, keyed=keyed).candidates()


def smaller_crash_free_workloads(failure: Failure, calls: Sequence[Call], limits: SearchLimits) -> Shrinking:
    """Candidates for a workload that fails without a crash."""
    workload = list(calls)
    for size in _chunk_sizes(len(workload)):
        at = 0
        while at < len(workload):
            fewer = workload[:at] + workload[at + size :]
            if fewer:
                if limits.seconds() < _MIN_ATTEMPT_S:
                    return False
                if (yield CrashFreeWorkload(failure.kind, tuple(fewer))) is not None:
                    workload = fewer
                    continue
            at += size
    return True


class _WorkloadShrinking:
    def __init__(
        self, failure: Failure, cause: RootCause, others: tuple[Code, ...], limits: SearchLimits, *, keyed: bool
    ) -> None:
        self._failure, self._cause, self._others, self._limits = failure, cause, others, limits
        self._keyed = keyed
        self._healed: tuple[Code, ...] = ()
        self._smallest: CrashPlan = failure.case

    def candidates(self) -> Shrinking:
        plan = self._smallest
        calls, beside = _essential(plan.calls, self._cause.shown)
        workload = list(plan.workload)
        try:
            if (yield from self._shows_with_or_without_others(calls, beside)):
                workload = calls
            elif (yield from self._shows_with_or_without_others(workload, list(plan.beside))):
                beside = list(plan.beside)
            else:
                yield UnchangedWorkload(self._failure, self._others)
                return False
            workload, beside = yield from self._on_one_key(workload, beside)
            for size in _chunk_sizes(len(workload)):
                workload = yield from self._without_chunks(workload, beside, size)
            minimal = yield from self._is_minimal(workload, beside)
            yield from self._shows(*_with_small_numbers(self._smallest))
        except _OutOfTimeError:
            return False
        return minimal

    def _shows_with_or_without_others(self, workload: Sequence[Call], beside: Sequence[Call]) -> _Attempt:
        self._healed = ()
        if (yield from self._shows(workload, beside)):
            return True
        self._healed = self._others
        return bool(self._others) and (yield from self._shows(workload, beside))

    def _on_one_key(
        self, workload: list[Call], beside: list[Call]
    ) -> Generator[Candidate, Failure | None, tuple[list[Call], list[Call]]]:
        if not self._keyed or len(workload) < 2:
            return workload, beside
        keys = [call.args[0] for call in (workload[-1], *beside) if call.args]
        mine = [call for call in workload if call.args and any(equal_values(call.args[0], key) for key in keys)]
        for fewer in (mine[-1:], mine):
            if len(fewer) < len(workload) and fewer and (yield from self._shows(fewer, beside)):
                return fewer, beside
        return workload, beside

    def _without_chunks(
        self, workload: list[Call], beside: list[Call], size: int
    ) -> Generator[Candidate, Failure | None, list[Call]]:
        """Leave out chunks of this size, from first to last."""
        at = 0
        while at < len(workload):
            fewer = workload[:at] + workload[at + size :]
            if fewer and (yield from self._shows(fewer, beside)):
                workload = fewer
            else:
                at += size
        return workload

    def _is_minimal(self, workload: list[Call], beside: list[Call]) -> _Attempt:
        """Whether no single operation of the workload can be left out; continues with a smaller workload if one can."""
        if len(workload) == 1:
            return True
        for at in range(len(workload)):
            fewer = workload[:at] + workload[at + 1 :]
            if (yield from self._shows(fewer, beside)):
                return (yield from self._is_minimal(fewer, beside))
        return True

    def _shows(self, workload: Sequence[Call], beside: Sequence[Call]) -> _Attempt:
        if self._limits.seconds() < _MIN_ATTEMPT_S:
            raise _OutOfTimeError
        found = yield SmallerWorkload(self._cause, tuple(workload), tuple(beside), self._healed)
        if found is not None:
            self._smallest = found.case
        return found is not None


class _OutOfTimeError(Exception):
    pass


def _essential(calls: Sequence[Call], shown: CrashViolation) -> tuple[list[Call], list[Call]]:
    """The operations that had run at the crash: completed, interrupted and concurrent ones."""
    numbers = list(range(shown.prefix)) if isinstance(shown.prefix, int) else list(shown.prefix)
    if shown.dl3 is not None:
        first, second = shown.dl3.first, shown.dl3.second
        return [calls[number] for number in (*numbers, first)], [calls[second]]
    return [calls[number] for number in dict.fromkeys([*numbers, *shown.open])], []


def _with_small_numbers(plan: CrashPlan) -> tuple[list[Call], list[Call]]:
    """The same workload with the smallest numbers in the same order, which are easier to read than 506952116."""
    calls = [*plan.workload, *plan.beside]
    numbers = sorted({value for call in calls for value in scalars(call.args) if type(value) is int})
    rank = {value: at for at, value in enumerate(numbers, 1)}

    def renamed(value: Value) -> Value:
        if type(value) is int:
            return rank[value]
        return tuple(map(renamed, value)) if isinstance(value, tuple) else value

    simple = [Call(call.operation, tuple(map(renamed, call.args))) for call in calls]
    return simple[: len(plan.workload)], simple[len(plan.workload) :]


def _chunk_sizes(count: int) -> Iterator[int]:
    """Half of a number, a quarter of it, and so on down to 1."""
    size = count // 2
    while size >= 1:
        yield size
        size //= 2
