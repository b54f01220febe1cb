# SPDX-License-Identifier: Apache-2.0
"""When the time of a search is up, scenarios that were not started have no other result; earlier findings are kept."""

from __future__ import annotations

import time

import pytest

from linpoint import Status
from linpoint.scenarios.cpp_test_description import scenario_text
from linpoint.scenarios.scenario import Call, Scenario
from linpoint.subjects.cpp_object.subject import CppObjectSession
from linpoint.subjects.interface import Failure
from tests.processor_time import ProcessorTime
from tests.subjects.cpp_object.test_histories import host
from tests.subjects.cpp_object.zoo.inhabitants import INHABITANTS

LONG = Scenario(((Call("run", ("s0l1" * 4,)),), (Call("run", ("s1l0" * 4,)),), (Call("run", ("l0l1" * 4,)),)))


def test_scenarios_that_were_not_started_are_not_crashes() -> None:
    heard = host("sc").search([scenario_text("ScriptTest", LONG)] * 40, "dpor", seconds=0.3).run()
    assert heard.died == ""
    assert len(heard.results) == 40
    assert any(result.ended == "budget" and not result.schedules for result in heard.results.values())


def test_a_failure_found_late_is_reported_within_the_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shrinking, the check under another memory model and the search for fences have no time of their own."""
    budget = 3.0

    def find_late(session: CppObjectSession, failures: list[Failure]) -> list[Failure]:
        time.sleep(max(0.0, session.deadline - time.monotonic()))
        return failures

    table = INHABITANTS["hash table"]
    table.test("tso", flaw=1, scenario=Scenario.parse("get(0)"))  # it is built outside the budget
    monkeypatch.setattr(CppObjectSession, "distinct", find_late)
    large = Scenario.parse("put(0, 1); put(1, 1); get(1); get(0) | put(1, 2); get(0); put(0, 2); get(1)")
    with ProcessorTime() as spent:
        result = table.test("tso", flaw=1, scenario=large, budget=budget)
    assert spent.seconds < budget + 1.5
    assert result.status is Status.VIOLATION
    (finding,) = result.findings
    assert not finding.minimal
    assert result.models["sc"] is Status.UNKNOWN
