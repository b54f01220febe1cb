# SPDX-License-Identifier: Apache-2.0
"""One search of the host over a batch of scenarios, with its failures and coverage.

Guarantee: if several scenarios fail, the first one in the order of the batch is reported, regardless of how the workers
of the host share them. The counts are those of the scenarios up to it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Final

from linpoint.hosts.scenario_histories import scenario_runs_of
from linpoint.hosts.search_messages import HostFinding, ScenarioHistory, SearchResult
from linpoint.judging.spec_judge import Judge
from linpoint.scenarios.scenario import Scenario
from linpoint.subjects.cpp_object.object_coverage import CppObjectCoverage, ExploredScenario
from linpoint.subjects.cpp_object.object_under_test import CppObject
from linpoint.subjects.interface import Failure

_JUDGING_GRACE_S: Final = 0.5
"""Extra time to judge the remaining histories after the time of a search is up."""

Tick = Callable[[Scenario, int], None]
"""Called with the running scenario and the number of its schedules that are not yet counted."""


def process_failure(scenario: Scenario, found: HostFinding) -> Failure:
    """The failure of a run that is wrong whatever its history is: a race, a crash, an assertion."""
    schedule = tuple(found.schedule)
    return Failure(found.kind, scenario, schedule, found.preemptions, found, message=found.message, lost=found.lost)


class BatchSearch:
    """One search over a batch, run once."""

    def __init__(
        self, batch: Sequence[ExploredScenario], search: str, judge: Judge, coverage: CppObjectCoverage
    ) -> None:
        self.batch = batch
        self.search = search
        self.interrupted = False
        self._judge = judge
        self._coverage = coverage
        self._judge_until = 0.0
        self._out_of_time = False
        self._failures: dict[int, Failure] = {}
        self._schedules_until_failure: dict[int, int] = {}
        self._ended: set[int] = set()

    def run(self, target: CppObject, seconds: float, seed: int, tick: Tick) -> Failure | None:
        """The failure of the first failing scenario. The coverage is recorded in the batch and in ``coverage``."""
        before = [(each.covered.unbounded, each.covered.bounded, each.covered.steps) for each in self.batch]
        self._judge_until = time.monotonic() + seconds + _JUDGING_GRACE_S
        texts = [target.text(each.scenario) for each in self.batch]
        with target.host.search(texts, self.search, seconds=seconds, seed=seed, more=target.host_options) as messages:
            for message in messages:
                if message.history is not None:
                    self._judge_history(message.history)
                elif message.result is not None:
                    self._learn(message.result)
                    tick(self.batch[message.result.scenario].scenario, 0)
                elif message.progress is not None:
                    tick(self.batch[message.progress.scenario].scenario, message.progress.schedules)
                if self._decided:
                    break
        self.interrupted = messages.interrupted
        self._coverage.peak_memory_bytes = max(self._coverage.peak_memory_bytes, messages.peak_memory_bytes)
        self._coverage.given_up = self._coverage.given_up or messages.died
        if not self._failures:
            return None
        first = min(self._failures)
        # The number of schedules that later scenarios ran depends on the speed of the workers.
        for each, counts in zip(self.batch[first + 1 :], before[first + 1 :], strict=True):
            each.covered.unbounded, each.covered.bounded, each.covered.steps = counts
        if first not in self._ended:
            self.batch[first].count(self.search, self._schedules_until_failure.get(first, 0))
        return self._failures[first]

    @property
    def _decided(self) -> bool:
        """Whether the search can stop: time is up, or all scenarios before the first failure have ended."""
        if not self._failures:
            return self._out_of_time
        return self._out_of_time or self._ended.issuperset(range(min(self._failures)))

    def _judge_history(self, history: ScenarioHistory) -> None:
        number = history.scenario
        if number in self._failures or (self._failures and number > min(self._failures)):
            return
        failure = self._failure_of(self.batch[number], history)
        if failure is not None:
            self._failures[number] = failure
            self._schedules_until_failure[number] = history.schedules

    def _failure_of(self, explored: ExploredScenario, history: ScenarioHistory) -> Failure | None:
        """The failure of one of its orders, among those that were judged in time."""
        covered = explored.covered
        for run in scenario_runs_of(explored.scenario, history):
            if time.monotonic() >= self._judge_until:
                self._out_of_time = True
                break
            judgement = self._judge.judge(run)
            covered.undecided += not judgement.decided
            covered.returned |= run.operations(returned=True)
            covered.stuck |= run.operations(returned=False)
            if judgement.kind is not None:
                schedule = tuple(history.schedule)
                return Failure(judgement.kind, explored.scenario, schedule, history.preemptions, run, judgement.verdict)
        return None

    def _learn(self, result: SearchResult) -> None:
        number = result.scenario
        self._ended.add(number)
        self._coverage.learn(result)
        found = self.batch[number].learn(self.search, result)
        if found is not None:
            self._failures.setdefault(number, process_failure(self.batch[number].scenario, found))
