# SPDX-License-Identifier: Apache-2.0
"""The campaign of an object through its session: cases, shrinking candidates, replays, Ctrl-C."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

import linpoint
from linpoint import Scenario, Status
from linpoint.campaign.driver import run_campaign
from linpoint.campaign.shrinking import shrink_failure
from linpoint.scenarios import ConcurrentTestDefinition, definition_of, definition_of_object
from linpoint.scenarios.smaller_scenarios import FewestPreemptions
from linpoint.subjects.interface import Failure, no_progress
from linpoint.subjects.python_object.subject import (
    PythonObjectSession,
    PythonObjectSubject,
)

BUDGET_S = 20.0


class LostUpdate(linpoint.ConcurrentTest):
    """Its increment is not atomic."""

    def setup(self) -> list[int]:
        return [0]

    @linpoint.operation
    def increment(self, cell: list[int]) -> int:
        value = cell[0]
        cell[0] = value + 1
        return value


class Loader:
    """A cache that loads a value twice."""

    def __init__(self) -> None:
        self.value: int | None = None
        self.loads = 0

    async def get(self) -> int:
        if self.value is None:
            self.loads += 1
            await asyncio.sleep(0)
            self.value = self.loads
        return self.value


def subject_of(*scenarios: str, **options: Any) -> PythonObjectSubject:
    given = tuple(map(Scenario.parse, scenarios))
    return PythonObjectSubject(definition=definition_of(LostUpdate), scenarios=given, **options)


def hidden_coroutines() -> ConcurrentTestDefinition:
    return definition_of_object(lambda: Loader(), ["get"])  # noqa: PLW0108 - a class would show its methods


def test_shrinking_proposes_smaller_scenarios_and_then_fewer_preemptions(monkeypatch: pytest.MonkeyPatch) -> None:
    proposed: list[Any] = []
    retry = PythonObjectSession.retry

    def record(self: PythonObjectSession, candidate: Any, *args: Any) -> Failure | None:
        proposed.append(candidate)
        return retry(self, candidate, *args)

    monkeypatch.setattr(PythonObjectSession, "retry", record)
    result = run_campaign(subject_of("increment(); increment() | increment()"), BUDGET_S)
    (finding,) = result.findings
    assert (finding.scenario, finding.preemptions, finding.minimal) == ("increment() | increment()", 1, True)
    *candidates, last = proposed
    assert last == FewestPreemptions(Scenario.parse("increment() | increment()"), 1)
    assert all(isinstance(each, Scenario) for each in candidates)
    assert len(set(candidates)) == len(candidates)


def test_with_unexplored_candidates_a_failure_is_not_called_minimal() -> None:
    with subject_of("increment(); increment() | increment()").open(BUDGET_S, no_progress) as session:
        (case,) = session.cases(session.phases[0])
        failure = case.first_failure("bounded:2", session.shrinking_limits(0, 1))
        assert failure is not None
        session.shrinking_runs = 0  # type: ignore[misc]
        best, minimal = shrink_failure(session, failure, session.shrinking_limits(0, 1))
    assert best is failure
    assert not minimal


@pytest.mark.parametrize("method", ["retry", "reproduce"])
def test_ctrl_c_after_the_search_leaves_the_finding(method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(PythonObjectSession, method, interrupt)
    result = run_campaign(subject_of("increment(); increment() | increment()"), BUDGET_S)
    assert result.interrupted
    assert result.status is Status.VIOLATION
    assert result.models == {"free-threaded": Status.VIOLATION, "gil": Status.UNKNOWN}
    (finding,) = result.findings
    assert (finding.trace is None) == (method == "reproduce")
    assert finding.minimal == (method == "reproduce")
    assert finding.message in result.explain().text


def test_methods_that_return_coroutines_are_replayed_on_an_event_loop() -> None:
    definition = hidden_coroutines()
    assert not definition.is_async
    result = linpoint.test(definition)
    (finding,) = result.findings
    again = linpoint.test(hidden_coroutines(), replay=finding.token)
    assert [each.message for each in again.findings] == [finding.message]
    assert again.tested.schedules == 1


def test_a_replay_counts_one_schedule_and_has_no_bounds() -> None:
    (finding,) = linpoint.test(LostUpdate).findings
    again = linpoint.test(LostUpdate, replay=finding.token)
    assert (again.tested.scenarios, again.tested.schedules, again.tested.bounded_schedules) == (1, 1, 0)
    assert (again.status, again.exhaustive, again.bounds) == (Status.VIOLATION, False, {})
    assert again.models == {"free-threaded": Status.VIOLATION}
    assert again.findings[0].token == finding.token
