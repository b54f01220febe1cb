# SPDX-License-Identifier: Apache-2.0
"""The reduction loses no outcome: the remaining schedules show everything that all schedules show.

The oracle is the search without reduction and without a bound, which does not use accesses.
"""

from __future__ import annotations

from collections.abc import Hashable

import pytest

from linpoint import ConcurrentTest, Scenario
from linpoint.explore import _native_control as native
from linpoint.explore.python_control.control_session import ControlSession
from linpoint.scenarios import definition_of
from linpoint.subjects.python_object.scenario_runner import ScenarioRunner
from tests.subjects.python_object import test_shared_state
from tests.subjects.python_object.zoo.inhabitants import INHABITANTS

_MOST_RUNS = 4_000
_ANY = 1_000

_SMALL = [name for name, target in INHABITANTS.items() if not target.slow and not name.startswith("weak")]
"""No access shows when the object of a weak reference dies; results that depend on it are not exhaustive."""


def shown(test: type[ConcurrentTest], scenario: Scenario, explorer: native.Explorer) -> tuple[set[Hashable], bool]:
    """The outcomes of the explorer's schedules, and whether they are exhaustive."""
    definition = definition_of(test)
    found: set[Hashable] = set()
    with ControlSession() as session:
        runner = ScenarioRunner(definition, definition.accept(scenario), session)
        while explorer.runs < _MOST_RUNS and explorer.begin():
            run = runner.run(explorer)
            if run is not None:
                found.add(run.key())
    assert explorer.diverged_at is None
    return found, explorer.exhaustive


@pytest.mark.parametrize("which", ["broken", "fixed"])
@pytest.mark.parametrize("name", _SMALL)
def test_the_reduction_finds_every_outcome(name: str, which: str) -> None:
    target = INHABITANTS[name]
    compare(target.broken if which == "broken" else target.fixed, Scenario.parse(target.scenario, after=target.after))


@pytest.mark.parametrize("test", test_shared_state.EVERY_KIND)
def test_no_kind_of_state_is_overlooked(test: type[ConcurrentTest]) -> None:
    compare(test, Scenario.parse("bump() | bump()"))


def compare(test: type[ConcurrentTest], scenario: Scenario) -> None:
    reduced, whole = shown(test, scenario, native.explore_dpor())
    assert whole
    everything, _ = shown(test, scenario, native.explore_bounded(_ANY))
    assert everything <= reduced
    unreduced, whole = shown(test, scenario, native.explore_dpor(sleep_sets=False))
    assert unreduced == reduced or not whole
