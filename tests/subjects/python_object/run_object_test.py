# SPDX-License-Identifier: Apache-2.0
"""Shorthands for running tests of objects."""

from __future__ import annotations

from typing import Any

import linpoint
from linpoint.campaign.driver import run_campaign
from linpoint.limits.budget import DEFAULT_BUDGET_S
from linpoint.scenarios import ConcurrentTestDefinition, definition_of
from linpoint.subjects.python_object.subject import PythonObjectSubject
from linpoint.verdicts.finding import Finding
from linpoint.verdicts.result import Result

BUDGET = 20.0


class State:
    """An attribute container for shared state."""

    def __init__(self, **values: Any) -> None:
        self.value: Any = 0
        vars(self).update(values)


def run_definition(definition: ConcurrentTestDefinition, *, budget: float = DEFAULT_BUDGET_S, **options: Any) -> Result:
    """The result of a test; ``options`` are options of its subject."""
    return run_campaign(PythonObjectSubject(definition=definition, **options), budget)


def run(test: type[linpoint.ConcurrentTest], *scenarios: str, budget: float = BUDGET) -> Result:
    """The result of a test, of the given scenarios if there are any."""
    given = tuple(map(linpoint.Scenario.parse, scenarios))
    return run_definition(definition_of(test), budget=budget, scenarios=given, gil_verdict=False)


def holds(test: type[linpoint.ConcurrentTest], *scenarios: str, exhaustive: bool = True) -> None:
    """No schedule of the test fails."""
    result = run(test, *scenarios)
    assert not result.findings, result.findings[0].message
    assert result.status is linpoint.Status.LINEARIZABLE, result.why
    assert result.exhaustive == exhaustive


def reported(found: Finding) -> tuple[object, ...]:
    """The parts of a result that must be equal in two runs of a test."""
    return found.kind, found.scenario, found.schedule, found.message


def finding(test: type[linpoint.ConcurrentTest], *scenarios: str, budget: float = BUDGET) -> Finding:
    """The finding; a second run must have the same."""
    first, again = run(test, *scenarios, budget=budget), run(test, *scenarios, budget=budget)
    assert first.status is linpoint.Status.VIOLATION, first.why
    (found,) = first.findings
    (other,) = again.findings
    assert reported(found) == reported(other)
    assert found.trace is not None
    return found
