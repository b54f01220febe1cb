# SPDX-License-Identifier: Apache-2.0
"""The discovery zoo: every known bug is found and explained as an engineer would, and the correct twins pass.

The tests verify that a finding is minimal, scenario by scenario and bound by bound, without the code that shrank it.
"""

from __future__ import annotations

import functools
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from linpoint import Scenario, Status
from linpoint.explore.python_control.control_session import ControlSession
from linpoint.limits.budget import DEFAULT_BUDGET_S
from linpoint.limits.search_limits import SearchLimits
from linpoint.scenarios import ConcurrentTestDefinition, definition_of
from linpoint.subjects.python_object.object_judge import ObjectJudge
from linpoint.subjects.python_object.scenario_runner import ScenarioRunner
from linpoint.subjects.python_object.scenario_search import ScenarioSearch
from linpoint.traces.trace import StepKind
from linpoint.verdicts.finding import Finding
from linpoint.verdicts.result import Result
from linpoint.verdicts.schedule import FEW_PREEMPTIONS
from tests.subjects.python_object.run_object_test import reported, run_definition
from tests.subjects.python_object.zoo.inhabitants import INHABITANTS
from tests.subjects.python_object.zoo.target import Target

everyone = pytest.mark.parametrize("name", INHABITANTS)

_RUNS = 20_000
"""More than the schedules of any scenario smaller than a finding."""


@functools.cache
def result_of(name: str) -> Result:
    """The result of the broken class, shared by several tests."""
    definition = definition_of(INHABITANTS[name].broken)
    return run_definition(definition, scenarios=definition.scenarios)


def found(name: str) -> tuple[Target, Finding]:
    result = result_of(name)
    assert result.status is Status.VIOLATION, result.why
    (finding,) = result.findings
    return INHABITANTS[name], finding


def scenario_of(finding: Finding) -> Scenario:
    return Scenario.from_dict(finding.replay["scenario"])


def fails(
    definition: ConcurrentTestDefinition, scenario: Scenario, kind: str, *, most: int, reduced: bool = True
) -> bool:
    """Whether a schedule of the scenario with up to ``most`` preemptions fails this way, or, if wanted, any
    schedule.
    """
    with ControlSession() as session:
        exploration = ScenarioSearch(ScenarioRunner(definition, scenario, session), ObjectJudge(definition, session))
        limits = SearchLimits(time.monotonic() + 10 * DEFAULT_BUDGET_S, _RUNS)
        failure = exploration.first_failure(f"bounded:{most}", limits)
        if failure is None and reduced and not exploration.coverage.exhaustive:
            failure = exploration.first_failure("dpor", limits)
        assert (
            failure is not None or exploration.coverage.few or exploration.coverage.exhaustive or most < FEW_PREEMPTIONS
        )
        return failure is not None and failure.kind == kind


def with_less(scenario: Scenario) -> Iterator[Scenario]:
    """The scenarios without one call, and without one thread."""
    for at in range(len(scenario.after)):
        yield replace(scenario, after=(*scenario.after[:at], *scenario.after[at + 1 :]))
    for number, thread in enumerate(scenario.threads):
        others = (*scenario.threads[:number], *scenario.threads[number + 1 :])
        if others:
            yield replace(scenario, threads=others)
        if len(thread) > 1:
            for at in range(len(thread)):
                shorter = (*thread[:at], *thread[at + 1 :])
                yield replace(scenario, threads=(*scenario.threads[:number], shorter, *scenario.threads[number + 1 :]))


@everyone
def test_the_bug_is_found_within_the_budget(name: str) -> None:
    target, finding = found(name)
    assert finding.kind == target.kind
    assert result_of(name).models == {"free-threaded": Status.VIOLATION, "gil": target.gil}
    assert not result_of(name).exhaustive


@everyone
def test_the_scenario_is_the_one_that_an_engineer_would_write(name: str) -> None:
    target, finding = found(name)
    assert finding.scenario == target.scenario
    assert finding.preemptions == target.preemptions
    assert finding.minimal
    assert scenario_of(finding) == Scenario.parse(target.scenario, after=target.after)


@everyone
def test_no_operation_or_thread_can_be_removed(name: str) -> None:
    target, finding = found(name)
    definition = definition_of(target.broken)
    for scenario in with_less(scenario_of(finding)):
        assert not fails(definition, scenario, finding.kind, most=FEW_PREEMPTIONS), scenario


@everyone
def test_no_preemption_can_be_removed(name: str) -> None:
    target, finding = found(name)
    definition = definition_of(target.broken)
    scenario = scenario_of(finding)
    assert fails(definition, scenario, finding.kind, most=finding.preemptions, reduced=False)
    if finding.preemptions:
        assert not fails(definition, scenario, finding.kind, most=finding.preemptions - 1, reduced=False)


@everyone
def test_the_schedule_reproduces_the_finding(name: str) -> None:
    target, finding = found(name)
    definition = definition_of(target.broken)
    with ControlSession() as session:
        exploration = ScenarioSearch(
            ScenarioRunner(definition, scenario_of(finding), session), ObjectJudge(definition, session)
        )
        runs = [exploration.rerun(finding.schedule) for _ in range(2)]
    for shown in runs:
        run, failure = shown.run, shown.failure
        assert shown.diverged_at is None
        assert run is not None
        assert failure is not None
        assert failure.kind == finding.kind
        reported = finding.operations
        performed = [*run.before, *(each for thread in run.threads for each in thread), *run.after]
        assert [(each.returned, each.result) for each in reported] == [
            (each.returned is not None, each.result) for each in performed
        ]


@everyone
def test_the_trace_shows_the_line_and_only_needed_steps(name: str) -> None:
    target, finding = found(name)
    trace = finding.trace
    assert trace is not None
    assert len(trace.steps) <= target.steps
    assert target.line in {step.place.text for step in trace.steps if step.place is not None}
    assert sum(step.preempts for step in trace.steps) == finding.preemptions
    called = [step for step in trace.steps if step.kind is StepKind.CALL]
    assert len(called) == sum(map(len, scenario_of(finding).threads))
    assert {step.thread for step in trace.steps} == set(range(len(scenario_of(finding).threads)))


@everyone
def test_a_second_run_has_the_same_finding(name: str) -> None:
    definition = definition_of(INHABITANTS[name].broken)
    again = run_definition(definition, scenarios=definition.scenarios, gil_verdict=False)
    _, finding = found(name)
    (other,) = again.findings
    assert reported(other) == reported(finding)
    counts = [
        (each.scenarios, each.bounded_schedules, each.schedules, each.steps)
        for each in (again.tested, result_of(name).tested)
    ]
    assert counts[0] == counts[1]


@everyone
def test_the_bug_is_found_off_the_main_thread(name: str) -> None:
    """There system threads take turns, not fibers."""
    definition = definition_of(INHABITANTS[name].broken)
    _, finding = found(name)
    scenarios = (scenario_of(finding),)
    with ThreadPoolExecutor(1) as pool:
        (other,) = pool.submit(run_definition, definition, scenarios=scenarios, gil_verdict=False).result().findings
    assert reported(other) == reported(finding)


@everyone
def test_rewritten_code_has_the_same_finding(name: str) -> None:
    """Without frame inspection: the same finding after the same number of schedules, with the same steps."""
    definition = definition_of(INHABITANTS[name].broken)
    again = run_definition(definition, scenarios=definition.scenarios, gil_verdict=False, backend="ast")
    _, finding = found(name)
    (other,) = again.findings
    assert reported(other) == reported(finding)
    assert finding.trace is not None
    assert other.trace is not None
    assert [(step.thread, step.kind, step.location, step.value, step.place) for step in other.trace.steps] == [
        (step.thread, step.kind, step.location, step.value, step.place) for step in finding.trace.steps
    ]


def test_a_lock_does_not_take_the_name_of_a_deleted_one() -> None:
    """Waiting at a condition makes a lock, takes it, and takes it again on waking up, and does nothing else with it."""
    _, finding = found("bounded queue")
    assert finding.trace is not None
    taken = Counter(step.location for step in finding.trace.steps if step.kind is StepKind.LOCK)
    waits = {name: times for name, times in taken.items() if name is not None and name.startswith("lock ")}
    assert len(waits) > 2
    assert max(waits.values()) <= 2


def twin(name: str) -> pytest.ParameterSet:
    return pytest.param(name, marks=pytest.mark.long if INHABITANTS[name].slow else ())


@pytest.mark.parametrize("name", [twin(each) for each in INHABITANTS])
def test_the_correct_twin_passes(name: str) -> None:
    target = INHABITANTS[name]
    definition = definition_of(target.fixed)
    # A search that cannot finish would use the whole budget.
    budget = DEFAULT_BUDGET_S * (20 if target.slow else 1) if target.exhaustive else DEFAULT_BUDGET_S / 6
    result = run_definition(definition, budget=budget, scenarios=definition.scenarios)
    assert not result.findings, result.findings[0].message
    assert result.status is Status.LINEARIZABLE, result.why
    assert result.exhaustive == target.exhaustive
    assert result.models["gil"] is Status.LINEARIZABLE
