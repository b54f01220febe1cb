# SPDX-License-Identifier: Apache-2.0
"""Judges runs by comparison with runs in which the object's operations are atomic. No spec is needed.

Guarantee: a run is called wrong only if all schedules of its scenario with atomic operations were explored under SC.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from linpoint.histories.values import Value, canonical
from linpoint.hosts.scenario_histories import scenario_run_of
from linpoint.judging.scenario_run import RunEnding, ScenarioRun
from linpoint.judging.spec_judge import Judgement, blocked_calls
from linpoint.scenarios.scenario import Scenario
from linpoint.subjects.cpp_object.object_under_test import CppObject

_ATOMIC_RUNS_SHARE: Final = 0.5
"""The fraction of the remaining time for the atomic runs of many scenarios; each takes a few milliseconds."""


@dataclass(slots=True)
class _ScenarioOutcomes:
    allowed: dict[object, ScenarioRun] = field(default_factory=dict)
    shown: set[object] = field(default_factory=set)


class AtomicOutcomesJudge:
    """Judges runs by the atomic runs of the same scenario, which are executed before ``until``."""

    def __init__(self, target: CppObject, until: float) -> None:
        self._target = target.under("sc")
        self._known: dict[Scenario, _ScenarioOutcomes] = {}
        self._tried: set[Scenario] = set()
        self._until = until

    def again(self) -> AtomicOutcomesJudge:
        """The judge for another search: this one, since the outcomes of atomic operations stay the same."""
        return self

    def prepare(self, scenarios: Sequence[Scenario]) -> None:
        """Run these scenarios with atomic operations."""
        unknown = [scenario for scenario in scenarios if scenario not in self._tried]
        seconds = _ATOMIC_RUNS_SHARE * (self._until - time.monotonic())
        if not unknown or seconds <= 0:
            return
        self._tried.update(unknown)
        known = [_ScenarioOutcomes() for _ in unknown]
        texts = [self._target.text(scenario) for scenario in unknown]
        with self._target.host.search(texts, "dpor", seconds=seconds, more=("--atomic-operations",)) as messages:
            for message in messages:
                if (history := message.history) is not None:
                    run = scenario_run_of(unknown[history.scenario], history, history.orders[0])
                    known[history.scenario].allowed.setdefault(_results(run), run)
        if messages.interrupted:
            raise KeyboardInterrupt
        for number, scenario in enumerate(unknown):
            result = messages.results.get(number)
            if result is not None and result.exhaustive:
                self._known[scenario] = known[number]

    def judge(self, run: ScenarioRun) -> Judgement:
        """Wrong if no atomic run gives these results; undecided if the atomic outcomes are unknown."""
        known = self._known.get(run.scenario)
        if known is None:
            return Judgement(None, None, decided=False)
        results = _results(run)
        known.shown.add(results)
        return Judgement(None if results in known.allowed else _kind(run), None)

    def never_shown(self, scenario: Scenario) -> list[ScenarioRun]:
        """The allowed outcomes of a scenario that no run has shown."""
        known = self._known.get(scenario) or _ScenarioOutcomes()
        return [run for results, run in known.allowed.items() if results not in known.shown]

    def sequential_results(self, scenario: Scenario) -> Iterator[tuple[int | None, int, Value]]:
        """The results that atomic runs give, each with the thread and the number of its operation."""
        known = self._known.get(scenario) or _ScenarioOutcomes()
        for run in known.allowed.values():
            for part, performed in enumerate((run.before, *run.threads, run.after)):
                for number, each in enumerate(performed):
                    if each.returned is not None:
                        yield (part - 1 if part else None), number, each.result

    def sequential_outcomes(self, scenario: Scenario) -> tuple[tuple[Value, ...], ...]:
        """For each atomic outcome, the results of the operations of all threads and those after them."""
        known = self._known.get(scenario) or _ScenarioOutcomes()
        return tuple(
            tuple(each.result for part in (*run.threads, run.after) for each in part) for run in known.allowed.values()
        )


def _kind(run: ScenarioRun) -> str:
    """The kind of failure of a run that no atomic run explains."""
    if blocked_calls(run):
        return "livelock" if run.ending is RunEnding.CUT else "deadlock"
    return "linearizability"


def _results(run: ScenarioRun) -> object:
    return tuple(
        tuple(canonical(each.result) if each.returned is not None else ... for each in part)
        for part in (run.before, *run.threads, run.after)
    )
