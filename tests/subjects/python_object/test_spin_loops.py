# SPDX-License-Identifier: Apache-2.0
"""Threads that spin are suspended until another thread writes what they read, and no outcome is lost by that.

The oracle is a twin whose loops count, so that no iteration repeats, under random schedules.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Hashable
from typing import Any

import pytest

from linpoint import ConcurrentTest, Scenario, Status, operation
from linpoint.explore import _native_control as native
from linpoint.explore.python_control.control_session import ControlSession
from linpoint.judging.scenario_run import RunEnding
from linpoint.scenarios import definition_of
from linpoint.subjects.python_object.scenario_runner import ScenarioRunner
from tests.subjects.python_object.run_object_test import State, finding, holds, run


class Waiting(ConcurrentTest):
    __test__ = False
    operations = 1

    def setup(self) -> State:
        return State(done=False, turn=0, left=False, right=False, items=[])


class TestFlag(Waiting):
    @operation(blocking=True)
    def wait(self, state: State) -> int:
        while not state.done:
            pass
        return state.value

    @operation
    def go(self, state: State) -> None:
        state.value = 1
        state.done = True


class TestEarlyFlag(TestFlag):
    @operation
    def go(self, state: State) -> None:
        state.done = True
        state.value = 1


@pytest.mark.parametrize(
    "scenario", ["wait() | go()", "wait() | wait() | go()", "wait(); wait() | go()", "wait() | wait()"]
)
def test_every_schedule_of_a_spin_wait_is_explored(scenario: str) -> None:
    holds(TestFlag, scenario)


def test_a_flag_that_is_set_too_early_is_found() -> None:
    found = finding(TestEarlyFlag, "wait() | go()")
    assert (found.kind, found.scenario, found.preemptions) == ("linearizability", "wait() | go()", 1)


class TestLength(Waiting):
    @operation(blocking=True)
    def take(self, state: State) -> int:
        while len(state.items) == 0 or state.items[0] is None:
            pass
        return state.items[0]

    @operation
    def put(self, state: State) -> None:
        state.items.append(None)
        state.items[0] = 3


def test_spinning_on_the_contents_of_a_container_works() -> None:
    holds(TestLength, "take() | put()")
    holds(TestLength, "take() | take() | put()")


class TestPolite(Waiting):
    """Each announces that it wants to go, and lets the other go first."""

    @operation
    def go_left(self, state: State) -> None:
        state.left = True
        while state.right:
            pass
        state.left = False

    @operation
    def go_right(self, state: State) -> None:
        state.right = True
        while state.left:
            pass
        state.right = False


def test_two_threads_that_spin_for_each_other_are_a_livelock() -> None:
    found = finding(TestPolite)
    assert (found.kind, found.scenario, found.preemptions) == ("livelock", "go_left() | go_right()", 1)


class TestPatience(Waiting):
    @operation
    def wait(self, state: State) -> str:
        tries = 0
        while not state.done:
            tries += 1
            if tries == 60:
                return "gave up"
        return "seen"

    @operation
    def go(self, state: State) -> None:
        state.done = True


def test_a_loop_that_counts_is_not_suspended() -> None:
    holds(TestPatience, "wait() | go()")
    holds(TestPatience, "wait() | wait()")


class TestSleeping(Waiting):
    @operation(blocking=True)
    def wait(self, state: State) -> str:
        while not state.done:
            time.sleep(0.1)
        return "seen"

    @operation
    def go(self, state: State) -> None:
        state.done = True


def test_a_loop_that_sleeps_is_suspended_without_claiming_exhaustiveness() -> None:
    result = run(TestSleeping, "wait() | go()")
    assert not result.findings, result.findings[0].message
    assert result.status is Status.LINEARIZABLE
    assert not result.exhaustive
    assert result.tested.bounded_schedules < 100


class Handing:
    """Three threads take turns by spinning; ``count`` prevents loops from repeating an iteration."""

    def __init__(self, *, count: bool) -> None:
        self.count = count
        self.turn = self.value = 0
        self.seen: list[int] = []

    def wait(self, turn: int) -> None:
        rounds = 0
        while self.turn != turn:
            if self.count:
                rounds += 1

    def hand(self, mine: int, next_one: int) -> int:
        self.wait(mine)
        self.value = self.value + 1
        self.turn = next_one
        return self.value

    def race(self, turn: int) -> int:
        before = self.value
        self.turn = turn
        return 10 * before + self.value


class TestHanding(Waiting):
    count = False

    def setup(self) -> Any:
        return Handing(count=self.count)

    @operation(mine=[0], next_one=[1], blocking=True)
    def hand(self, subject: Handing, mine: int, next_one: int) -> int:
        return subject.hand(mine, next_one)

    @operation(turn=[0])
    def race(self, subject: Handing, turn: int) -> int:
        return subject.race(turn)


class TestCountingHanding(TestHanding):
    count = True


def shown(test: type[ConcurrentTest], scenario: str, explorer: native.Explorer, most: int) -> set[Hashable]:
    """Results of the completed runs, and their precedence in real time."""
    definition = definition_of(test)
    found = set()
    with ControlSession(most_steps=400) as session:
        runner = ScenarioRunner(definition, definition.accept(Scenario.parse(scenario)), session)
        while explorer.runs < most and explorer.begin():
            run = runner.run(explorer)
            if run is not None and run.ending is RunEnding.COMPLETE:
                found.add(run.key())
    return found


@pytest.mark.parametrize(
    "scenario",
    [
        "hand(0, 1) | hand(1, 2)",
        "hand(0, 1) | hand(1, 0) | race(1)",
        "hand(1, 0) | hand(0, 1) | race(0)",
        "hand(1, 0); race(1) | hand(0, 1)",
        "hand(2, 0) | race(1); race(2)",
    ],
)
def test_random_schedules_of_counting_loops_show_no_other_outcomes(scenario: str) -> None:
    explorer = native.explore_dpor()
    everything = shown(TestHanding, scenario, explorer, 20_000)
    assert explorer.exhaustive
    for other in (native.explore_random(7, 1_500), native.explore_pct(7, 1_500, 3), native.explore_pos(7, 1_500)):
        assert shown(TestCountingHanding, scenario, other, 1_500) <= everything != set()


class TestPolling(Waiting):
    """Uninstrumented code reads the value it waits for, so the read is not seen."""

    def setup(self) -> State:
        return State(space=argparse.Namespace())

    @operation
    def wait(self, state: State) -> int:
        while "done" not in state.space:
            pass
        return state.value

    @operation
    def go(self, state: State) -> None:
        state.space.done = True
        state.value = 1


def rounds_take(test: type[ConcurrentTest]) -> int:
    """The number of steps of the usual schedule, in which the waiting thread goes first."""
    definition = definition_of(test)
    explorer = native.explore_again([])
    with ControlSession() as session:
        runner = ScenarioRunner(definition, definition.accept(Scenario.parse("wait() | go()")), session)
        assert explorer.begin()
        run = runner.run(explorer)
        assert run is not None
        assert run.ending is RunEnding.COMPLETE
        return native.control_steps()


def test_a_loop_that_calls_uninstrumented_code_is_not_suspended() -> None:
    assert rounds_take(TestFlag) < 50
    assert rounds_take(TestSleeping) < 50
    assert rounds_take(TestPolling) > 300
