# SPDX-License-Identifier: Apache-2.0
"""When the time of a search is up, that is all that is said of the scenarios that were not begun; and of what was found."""

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


def test_scenarios_that_are_not_begun_are_no_crash() -> None:
    heard = host("sc").search([scenario_text("ScriptTest", LONG)] * 40, "dpor", seconds=0.3).run()
    assert heard.died == ""
    assert len(heard.results) == 40
    assert any(result.ended == "budget" and not result.schedules for result in heard.results.values())


def test_a_failure_that_is_found_late_is_told_within_the_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    """To make it small, to ask what another memory model says of it and which fences mend it has no time of its own."""
    budget = 3.0

    def find_late(session: CppObjectSession, failures: list[Failure]) -> list[Failure]:
        time.sleep(max(0.0, session.deadline - time.monotonic()))
        return failures

    table = INHABITANTS["hash table"]
    table.test("tso", flaw=1, scenario=Scenario.parse("get(0)"))  # it is built outside of the time
    monkeypatch.setattr(CppObjectSession, "distinct", find_late)
    large = Scenario.parse("put(0, 1); put(1, 1); get(1); get(0) | put(1, 2); get(0); put(0, 2); get(1)")
    with ProcessorTime() as spent:
        result = table.test("tso", flaw=1, scenario=large, budget=budget)
    assert spent.seconds < budget + 1.5
    assert result.status is Status.VIOLATION
    (finding,) = result.findings
    assert not finding.minimal
    assert result.models["sc"] is Status.UNKNOWN
