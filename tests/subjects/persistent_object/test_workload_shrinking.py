# SPDX-License-Identifier: Apache-2.0
"""Shrinking workloads, with a rule in place of a host."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from linpoint.crash.crash_plan import CrashPlan
from linpoint.crash.crash_run import CrashRun
from linpoint.crash.root_causes import RootCause
from linpoint.hosts.crash_messages import CrashViolation
from linpoint.limits.search_limits import SearchLimits
from linpoint.scenarios.scenario import Call, Scenario
from linpoint.subjects.interface import Failure
from linpoint.subjects.persistent_object.crash_failure import crash_failure, with_healed
from linpoint.subjects.persistent_object.workload_shrinking import (
    CrashFreeWorkload,
    Shrinking,
    SmallerWorkload,
    UnchangedWorkload,
    smaller_crash_free_workloads,
    smaller_workloads,
)

OTHERS = ((0, 77),)
"""Code that is blamed for another cause."""


def _calls(text: str) -> tuple[Call, ...]:
    return tuple(Scenario.parse(text).calls)


def _limits(seconds: float = 60.0) -> SearchLimits:
    return SearchLimits(time.monotonic() + seconds)


def _shrunk(
    workload: str, shows: Callable[[str, bool], bool], *, prefix: int, limits: SearchLimits | None = None
) -> tuple[str, bool, list[Any]]:
    """The smallest workload with its healed code, whether it is minimal, and the candidates."""
    plan = CrashPlan("MapTest", _calls(workload))
    violation = CrashViolation(0, "C2", prefix, [], [], "complete", "", [], [], True, 5, 1, [])
    cause = RootCause("map.cpp:3", violation, CrashRun(plan))
    failure = crash_failure(cause.run, violation, cause)
    tried: list[Any] = []
    best = failure
    candidates: Shrinking = smaller_workloads(failure, cause, OTHERS, limits or _limits(), keyed=True)
    answer = None
    while True:
        try:
            candidate = candidates.send(answer)
        except StopIteration as end:
            return "; ".join(map(str, best.case.workload)), bool(end.value), [*tried, best.case.healed]
        tried.append(candidate)
        answer = None
        if isinstance(candidate, UnchangedWorkload):
            best = answer = with_healed(candidate)
        elif shows("; ".join(map(str, candidate.workload)), bool(candidate.healed)):
            smaller = replace(plan, workload=candidate.workload, healed=candidate.healed)
            best = answer = crash_failure(CrashRun(smaller), violation, cause)


def test_operations_after_the_crash_and_on_other_keys_are_removed_first() -> None:
    workload = "insert(7, 7); insert(1, 2); get(7); insert(1, 3); insert(8, 1); get(8)"
    smallest, minimal, tried = _shrunk(workload, lambda text, _: text.count("insert(1, ") == 2, prefix=4)
    assert smallest == "insert(1, 2); insert(1, 3)"
    assert minimal
    assert [len(each.workload) for each in tried[:3]] == [4, 1, 2]


def test_numbers_become_small_in_the_same_order() -> None:
    smallest, minimal, _ = _shrunk("insert(506952116, 3000); get(506952116)", lambda *_: True, prefix=1)
    assert minimal
    assert smallest == "insert(2, 1)"


def test_other_causes_are_healed_if_they_hide_this_one() -> None:
    smallest, minimal, tried = _shrunk("insert(1, 2); insert(3, 4)", lambda _, healed: healed, prefix=2)
    assert smallest == "insert(1, 2)"
    assert minimal
    assert tried[-1] == OTHERS


def test_a_cause_that_is_not_reproduced_keeps_its_workload() -> None:
    workload = "insert(1, 2); insert(3, 4); get(1)"
    smallest, minimal, tried = _shrunk(workload, lambda *_: False, prefix=2)
    assert smallest == workload
    assert not minimal
    assert tried[-1] == OTHERS
    assert [type(each) for each in tried[:-1]] == [SmallerWorkload] * 4 + [UnchangedWorkload]


def test_without_time_nothing_is_tried_or_claimed() -> None:
    smallest, minimal, tried = _shrunk("insert(1, 2); get(1)", lambda *_: True, prefix=1, limits=_limits(0.0))
    assert smallest == "insert(1, 2); get(1)"
    assert not minimal
    assert tried == [()]


def test_workloads_failing_without_a_crash_shrink_by_halves_then_by_operations() -> None:
    calls = _calls("; ".join(f"insert({key}, 1)" for key in range(1, 9)))
    failure = Failure("linearizability", CrashPlan("MapTest", calls), (), 0, None)

    def needs(calls: Sequence[Call]) -> bool:
        return {2, 7} <= {call.args[0] for call in calls}

    best, answer, tried = calls, None, 0
    candidates = smaller_crash_free_workloads(failure, calls, _limits())
    while True:
        try:
            candidate = candidates.send(answer)
        except StopIteration as end:
            assert end.value is True
            break
        assert isinstance(candidate, CrashFreeWorkload)
        assert candidate.kind == "linearizability"
        tried += 1
        answer = failure if needs(candidate.workload) else None
        best = candidate.workload if answer else best
    assert [call.args[0] for call in best] == [2, 7]
    assert tried < 20
