# SPDX-License-Identifier: Apache-2.0
"""The phases of crash tests, and the time that each gets."""

from __future__ import annotations

import time

from linpoint.campaign.phases import PhaseClock
from linpoint.options.choices import CRASH_TEST_KINDS
from linpoint.options.commands.crash import DEFAULT_KINDS
from linpoint.subjects.persistent_object.crash_test_phases import crash_phases


def _shares(*kinds: str) -> list[tuple[str, float]]:
    return [(search.name, search.share) for phase in crash_phases(kinds) for search in phase.searches]


def test_kinds_that_run_together_are_one_search() -> None:
    assert [name for name, _ in _shares(*CRASH_TEST_KINDS)] == ["dl1,dl2,c2", "dl3", "recovery", "exhaustive"]
    assert [name for name, _ in _shares(*DEFAULT_KINDS)] == ["dl1,dl2,c2", "dl3", "recovery"]
    assert _shares("c2", "exhaustive") == [("c2", 4 / 8), ("exhaustive", 1.0)]


def test_each_phase_gets_its_share_of_the_remaining_time() -> None:
    assert [share for _, share in _shares(*DEFAULT_KINDS)] == [4 / 8, 3 / 4, 1.0]
    assert [share for _, share in _shares(*CRASH_TEST_KINDS)] == [4 / 12, 3 / 8, 1 / 5, 1.0]


def test_a_phase_gets_a_little_time_even_if_the_budget_is_spent() -> None:
    (phase,) = crash_phases(["dl3"])
    clock = PhaseClock(1.0, time.monotonic() - 5)
    assert 0.1 < clock.limits(phase.searches[0]).seconds() <= 0.2
