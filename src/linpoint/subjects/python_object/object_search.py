# SPDX-License-Identifier: Apache-2.0
"""The scenarios of a test under one model, one after another, until a failure is found or the time is up.

Every scenario gets all schedules with up to two preemptions, then a share of the time for all the others; what is left
goes to those that were not exhausted. Guarantee: LINEARIZABLE is said only if every scenario that was begun had all its
schedules with up to two preemptions; ``exhaustive`` only if every scenario within the bounds was exhausted.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from linpoint.explore.python_control.control_session import MAX_RUN_STEPS, ControlSession
from linpoint.judging.scenario_coverage import ScenarioCoverage
from linpoint.limits.search_limits import SearchLimits
from linpoint.scenarios.concurrent_test import ConcurrentTestDefinition
from linpoint.scenarios.scenario import Call, Scenario
from linpoint.scenarios.scenario_generation import ScenarioStream, scenarios
from linpoint.subjects.interface import Failure
from linpoint.subjects.python_object.object_judge import ObjectJudge
from linpoint.subjects.python_object.scenario_runner import ScenarioRunner
from linpoint.subjects.python_object.scenario_search import ScenarioSearch
from linpoint.subjects.python_object.settings import Settings
from linpoint.verdicts import Status
from linpoint.verdicts.schedule import FEW_PREEMPTIONS

_FIRST_SHARE: Final = 0.02
"""Of the time, for the schedules of one scenario beyond those with few preemptions, the first time round."""
_SECOND_SHARE: Final = 0.5
_SAMPLES: Final = 0.1
_LEAST: Final = 0.05


@dataclass(slots=True)
class Progress:
    """How far a test is, for whoever watches."""

    scenario: Scenario
    scenarios: int = 0
    schedules: int = 0
    share: float = 0.0
    """Of the time."""


Watcher = Callable[[Progress], None]


class Search:
    """The search under one model, run once."""

    def __init__(
        self,
        definition: ConcurrentTestDefinition,
        settings: Settings,
        session: ControlSession,
        *,
        seconds: float,
        reduces: bool = True,
        watch: Watcher | None = None,
    ) -> None:
        self.definition = definition
        self.settings = settings
        self.session = session
        self.judge = ObjectJudge(definition, session)
        self.explored: list[ScenarioSearch] = []
        self.generated: ScenarioStream | None = None
        self.interrupted = False
        self._called: set[Call] = set()
        """Calls that some run has made."""
        self._reduces = reduces
        self._watch = watch
        self._started = time.monotonic()
        self._seconds = seconds
        self._all_begun = False

    @property
    def deadline(self) -> float:
        """When the time is up, on the monotonic clock."""
        return self._started + self._seconds

    def exploration(self, scenario: Scenario) -> ScenarioSearch:
        """A new exploration of a scenario."""
        return ScenarioSearch(
            ScenarioRunner(self.definition, scenario, self.session), self.judge, reduces=self._reduces
        )

    def run(self, first: tuple[Scenario, ...] = (), *, few: bool = False) -> Failure | None:
        """The first failure; scenarios of ``first`` come first. Ctrl-C ends it with None, and ``interrupted`` says so.

        With ``few``, only schedules with few preemptions are run.
        """
        try:
            failure = self._first_round(first, few=few)
            return failure if few or failure is not None else self._second_round()
        except KeyboardInterrupt:
            self.interrupted = True
            return None

    def _first_round(self, first: tuple[Scenario, ...], *, few: bool) -> Failure | None:
        limits = SearchLimits(self.deadline)
        for scenario in (*first, *self._scenarios()) if first else self._scenarios():
            if limits.over():
                return None
            self._tick(scenario)
            exploration = self.exploration(scenario)
            self.explored.append(exploration)
            if not self._called.issuperset(scenario.calls):
                self._called.update(scenario.calls)
                exploration.warm_up()
            failure = exploration.bounded(limits)
            if failure is None and not few and not exploration.coverage.exhaustive:
                failure = exploration.reduced(self._share(_FIRST_SHARE))
            if failure is not None:
                return failure
        self._all_begun = True
        return None

    def _second_round(self) -> Failure | None:
        for exploration in sorted(self.explored, key=lambda each: each.runner.scenario.size):
            if time.monotonic() >= self.deadline:
                return None
            if exploration.coverage.exhaustive:
                continue
            self._tick(exploration.runner.scenario)
            failure = exploration.reduced(self._share(_SECOND_SHARE))
            if failure is None and not exploration.coverage.exhaustive:
                failure = exploration.sampled(self._share(_SAMPLES), self.settings.seed)
            if failure is not None:
                return failure
        return None

    def _scenarios(self) -> Iterator[Scenario]:
        settings = self.settings
        if settings.scenarios:
            yield from map(self.definition.accept, settings.scenarios)
            return
        yield from self.definition.scenarios
        self.generated = scenarios(
            self.definition,
            seed=settings.seed,
            threads=settings.threads,
            operations=settings.operations,
            before=settings.before,
            after=settings.after,
            most=settings.most_scenarios,
        )
        yield from self.generated

    def _share(self, part: float) -> SearchLimits:
        return SearchLimits(min(self.deadline, time.monotonic() + max(part * self._seconds, _LEAST)))

    def _tick(self, scenario: Scenario) -> None:
        if self._watch is not None:
            runs = sum(each.bounded + each.unbounded for each in self.coverage)
            share = min(1.0, (time.monotonic() - self._started) / self._seconds)
            self._watch(Progress(scenario, len(self.explored), runs, share))

    # --- what can be said when no failure was found

    @property
    def coverage(self) -> list[ScenarioCoverage]:
        """What was explored of each scenario."""
        return [each.coverage for each in self.explored]

    @property
    def status(self) -> Status:
        """LINEARIZABLE if enough was explored, else UNKNOWN."""
        enough = bool(self.explored) and all(each.few or each.exhaustive for each in self.coverage)
        return Status.LINEARIZABLE if enough and not self._doubt() else Status.UNKNOWN

    @property
    def exhaustive(self) -> bool:
        """Whether every schedule of every scenario within the bounds was explored."""
        complete = bool(self.settings.scenarios) or (self.generated is not None and self.generated.complete)
        return (
            complete
            and self._all_begun
            and self.status is Status.LINEARIZABLE
            and all(each.exhaustive for each in self.coverage)
        )

    @property
    def why(self) -> str:
        """The reason for the status."""
        if self.status is Status.LINEARIZABLE:
            return "no schedule shows a violation"
        return (
            self._doubt()
            or f"the budget ended before all schedules with up to {FEW_PREEMPTIONS} preemptions were explored"
        )

    def _doubt(self) -> str:
        """What keeps a search without a failure from being a pass."""
        if self.interrupted:
            return "it was interrupted"
        if any(each.diverged is not None for each in self.coverage):
            return "the code does not do the same when it is run again with the same schedule"
        if any(each.undecided and each.cut for each in self.coverage):
            return f"operations had not come to an end after {MAX_RUN_STEPS:,} steps: they have much to do, or no end"
        if any(each.undecided for each in self.coverage):
            return "some histories could not be decided in time"
        stuck = self._never_returned()
        if stuck:
            return f"{stuck} waits for ever in every schedule; if it is meant to wait for others, mark it blocking=True"
        return ""

    def _never_returned(self) -> str:
        """An operation that waited for ever wherever it was called: such a test shows nothing of it."""
        returned = {name for each in self.coverage for name in each.returned}
        stuck = sorted({name for each in self.coverage for name in each.stuck} - returned)
        return next((name for name in stuck if not self.definition.operations[name].blocking), "")
