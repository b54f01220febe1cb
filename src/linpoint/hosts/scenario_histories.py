# SPDX-License-Identifier: Apache-2.0
"""Converts the host's histories to the runs that judges accept."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from msgspec import UNSET

from linpoint.histories.values import freeze
from linpoint.hosts.search_messages import ScenarioHistory
from linpoint.judging.scenario_run import PerformedOperation, RunEnding, ScenarioRun
from linpoint.scenarios.scenario import Scenario


def scenario_runs_of(scenario: Scenario, history: ScenarioHistory) -> Iterator[ScenarioRun]:
    """One run for each real-time order."""
    for order in history.orders:
        yield scenario_run_of(scenario, history, order)


def scenario_run_of(scenario: Scenario, history: ScenarioHistory, order: list[int]) -> ScenarioRun:
    """The run with this real-time order."""
    moments = {event: moment for moment, event in enumerate(order)}
    number = 0

    def performed(calls: tuple[Any, ...], *, alone: bool) -> tuple[PerformedOperation, ...]:
        nonlocal number
        found = []
        for call in calls:
            known = number < len(history.results)
            result = history.results[number] if known else []
            called = moments.get(2 * number) if known and history.called[number] else None
            if called is None and known and history.called[number]:
                called = len(order)  # it has not returned, so the order has no position for its call
            returned = moments.get(2 * number + 1)
            if alone and result:
                called = returned = number
            found.append(PerformedOperation(call, called, returned, freeze(result[0]) if result else None))
            number += 1
        return tuple(found)

    before = performed(scenario.before, alone=True)
    threads = tuple(performed(thread, alone=False) for thread in scenario.threads)
    after = performed(scenario.after, alone=True)
    ending = RunEnding.COMPLETE
    if history.stuck:
        ending = RunEnding.CUT if history.stuck == "livelock" else RunEnding.STUCK
    return ScenarioRun(
        scenario, ending, before, _cut(threads), after, UNSET, (), goes_round=history.stuck == "livelock"
    )


def _cut(threads: tuple[tuple[PerformedOperation, ...], ...]) -> tuple[tuple[PerformedOperation, ...], ...]:
    """Leave out operations that were never called, so that the last one of a blocked thread is where it waits."""
    return tuple(tuple(each for each in thread if each.called is not None) for thread in threads)
