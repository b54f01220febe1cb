# SPDX-License-Identifier: Apache-2.0
"""The zoo of C++ objects: every flaw is found with a shrunk scenario, and the correct twins pass.

A twin counts as correct if every schedule passes in every scenario of two threads, two operations each and two values.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from linpoint import Scenario, Status
from tests.subjects.cpp_object.zoo.inhabitant import MODELS, Inhabitant, Twin
from tests.subjects.cpp_object.zoo.inhabitants import INHABITANTS

models = pytest.mark.parametrize("model", MODELS)


def _lane(*, every_day: bool) -> tuple[pytest.MarkDecorator, ...]:
    return () if every_day else (pytest.mark.long,)


def _correct(*, frees: bool = False) -> list[pytest.ParameterSet]:
    return [
        pytest.param(each, id=name, marks=_lane(every_day=each.every_day))
        for name, each in INHABITANTS.items()
        if each.frees or not frees
    ]


def _broken(*, given: bool = False) -> list[pytest.ParameterSet]:
    return [
        pytest.param(
            each, twin, model, id=f"{name}-{twin.flaw}-{twin.races}-{model}", marks=_lane(every_day=twin.every_day)
        )
        for name, each in INHABITANTS.items()
        for twin in each.twins
        if twin.given is not None or not given
        for model in MODELS
    ]


@models
@pytest.mark.parametrize("inhabitant", _correct())
def test_every_schedule_of_the_correct_twin_is_linearizable(inhabitant: Inhabitant, model: str) -> None:
    result = inhabitant.test(model)
    assert result.status is Status.LINEARIZABLE, result.findings or result.why
    assert result.exhaustive, result.why
    assert not result.warnings
    assert (result.tested.scenarios, result.tested.schedules) == inhabitant.counts[model]


@models
@pytest.mark.parametrize("inhabitant", _correct(frees=True))
def test_immediate_reuse_of_memory_does_no_harm(inhabitant: Inhabitant, model: str) -> None:
    result = inhabitant.test(model, reuse=True)
    assert result.status is Status.LINEARIZABLE, result.findings or result.why
    assert result.exhaustive, result.why


@pytest.mark.parametrize(("inhabitant", "twin", "model"), _broken())
def test_the_flaw_is_found_under_the_models_that_show_it(inhabitant: Inhabitant, twin: Twin, model: str) -> None:
    result = inhabitant.test(model, flaw=twin.flaw, scenario=twin.given, races=twin.races)
    if model not in twin.found:
        assert result.status is Status.LINEARIZABLE, result.findings or result.why
        assert result.exhaustive, result.why
        return
    assert result.status is Status.VIOLATION, result.why
    (finding,) = result.findings
    assert finding.kind == twin.found[model].kind, finding.message
    assert Scenario.from_dict(finding.replay["scenario"]) == twin.found[model].scenario


@pytest.mark.parametrize(("inhabitant", "twin", "model"), _broken(given=True))
def test_the_given_scenario_passes_without_the_flaw(inhabitant: Inhabitant, twin: Twin, model: str) -> None:
    result = inhabitant.test(model, scenario=twin.given)
    assert result.status is Status.LINEARIZABLE, result.findings or result.why
    assert result.exhaustive, result.why


def test_scenarios_without_time_are_not_a_failure_of_the_host() -> None:
    """All schedules of all scenarios would take minutes; scenarios that were not started do not affect the others."""
    larger = replace(INHABITANTS["seqlock"], operations=3)
    result = larger.test("tso", budget=2.0)
    assert not result.findings
    assert not result.exhaustive
    assert "process" not in result.why
