# SPDX-License-Identifier: Apache-2.0
"""Several targets share the time of a command, and Ctrl-C ends them all."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, field

from linpoint.campaign.several_targets import CampaignTarget, PlannedEntry, run_targets
from linpoint.limits.budget import Budget


@dataclass
class Recorded(CampaignTarget[str]):
    """A target that records the time it is given."""

    name: str
    interrupts: bool = False
    seconds: list[float] = field(default_factory=list)

    def run(self, seconds: float) -> tuple[str, bool]:
        self.seconds.append(seconds)
        return f"{self.name} ran", self.interrupts

    def skipped(self) -> str:
        return f"{self.name} was skipped"


def test_entries_follow_the_order_of_the_plan() -> None:
    plan = [PlannedEntry("a could not be built"), Recorded("b"), PlannedEntry("c is no test"), Recorded("d")]
    assert run_targets(plan, Budget()) == (["a could not be built", "b ran", "c is no test", "d ran"], False)


def test_no_target_starts_after_ctrl_c() -> None:
    last = Recorded("c")
    plan = [Recorded("a"), Recorded("b", interrupts=True), PlannedEntry("no test"), last]
    assert run_targets(plan, Budget()) == (["a ran", "b ran", "no test", "c was skipped"], True)
    assert last.seconds == []


def test_unused_time_of_a_target_goes_to_the_others() -> None:
    first, second = Recorded("a"), Recorded("b")
    run_targets([first, PlannedEntry("no test"), second], Budget(time.monotonic() + 100))
    assert 45 < first.seconds[0] < 50
    assert 90 < second.seconds[0] < 100


def test_without_a_budget_time_is_unlimited() -> None:
    target = Recorded("a")
    run_targets([target], Budget())
    assert target.seconds == [math.inf]


def test_each_target_gets_some_time_after_the_budget_is_spent() -> None:
    targets = [Recorded("a"), Recorded("b")]
    run_targets(targets, Budget(time.monotonic() - 1))
    assert all(each.seconds[0] > 0 for each in targets)
