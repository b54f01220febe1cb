# SPDX-License-Identifier: Apache-2.0
"""When the time of a search is up, that is all that is said of the scenarios that were not begun."""

from __future__ import annotations

from linpoint.scenarios.described_objects import scenario_text
from linpoint.scenarios.scenario import Call, Scenario
from tests.explore.cpp.objects.test_histories import host

LONG = Scenario(((Call("run", ("s0l1" * 4,)),), (Call("run", ("s1l0" * 4,)),), (Call("run", ("l0l1" * 4,)),)))


def test_scenarios_that_are_not_begun_are_no_crash() -> None:
    heard = host("sc").run([scenario_text("ScriptTest", LONG)] * 40, "dpor", seconds=0.3)
    assert heard.died == ""
    assert len(heard.results) == 40
    assert any(result.ended == "budget" and not result.schedules for result in heard.results.values())
