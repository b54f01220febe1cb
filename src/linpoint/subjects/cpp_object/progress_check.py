# SPDX-License-Identifier: Apache-2.0
"""Checks whether a stopped thread can prevent operations of other threads from finishing.

One thread at a time stops forever after a number of its steps, for every such number, and all schedules of the other
threads are explored. In a finite scenario, a lock-free object lets all other operations finish, since infinitely many
steps would complete infinitely many operations. If the only other thread cannot finish alone, the object is not even
obstruction-free. Guarantee: the claim covers only these scenarios, and a pass needs every search to be exhaustive.
Cost: an exploration for each step of each thread.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from linpoint.hosts.scenario_histories import scenario_run_of
from linpoint.hosts.search_messages import ScenarioHistory
from linpoint.judging.spec_judge import Judge
from linpoint.limits.search_limits import SearchLimits
from linpoint.scenarios.scenario import Scenario
from linpoint.subjects.cpp_object.blocked_operations import StoppedScenario, StoppedThread, blocked_failure
from linpoint.subjects.cpp_object.object_session import ObjectSession
from linpoint.subjects.cpp_object.object_under_test import CppObject
from linpoint.subjects.interface import Claim, Failure, Phase, Search, SearchTask
from linpoint.verdicts import Status

_STOPS_PER_BATCH: Final = 12
"""How many stopping points of a thread one search of the host covers."""


@dataclass(frozen=True, slots=True)
class ThreadStops:
    """A scenario and a thread, with a range of stopping points that starts after ``first`` steps."""

    scenario: Scenario
    thread: int
    first: int

    @property
    def stops(self) -> list[StoppedThread]:
        """The stopped thread for each number of steps."""
        return [StoppedThread(self.thread, self.first + number) for number in range(_STOPS_PER_BATCH)]


class ProgressSession(ObjectSession):
    """Stops each thread of each scenario after each of its steps, until the time is up."""

    phases: Sequence[Phase] = (Phase((Search("dpor"),)),)

    def __init__(self, target: CppObject, judge: Judge, seconds: float, scenarios: Sequence[Scenario]) -> None:
        super().__init__(target, judge, seconds)
        self.scenarios = scenarios
        self.complete = True
        """Whether every search was exhaustive."""
        self.schedules = 0
        self._may_go_further = False

    @property
    def search_until(self) -> float:
        """The deadline: no work of this session follows."""
        return self.deadline

    def cases(self, phase: Phase) -> Iterator[ThreadStops]:
        """The threads of all scenarios, each with increasing stopping points until it finishes before one of them."""
        for scenario in self.scenarios:
            for thread in range(1, len(scenario.threads) + 1):
                case = ThreadStops(scenario, thread, 1)
                self._may_go_further = True
                while self._may_go_further:
                    if self._late:
                        self.complete = False
                        return
                    self._may_go_further = False
                    yield case
                    case = replace(case, first=case.first + _STOPS_PER_BATCH)

    def search(self, task: SearchTask) -> Iterator[Failure]:
        """The failure of the first run in which operations of other threads cannot finish."""
        case: ThreadStops = task.case
        stops = case.stops
        text = self.target.text(case.scenario)
        unfinished: set[int] = set()
        """The numbers of the stops after which the thread has unfinished operations."""
        failure: Failure | None = None
        with self.target.host.search(
            [f"{stop.words}{text}" for stop in stops],
            task.search.name,
            seconds=task.limits.seconds(),
            more=self.target.host_options,
        ) as messages:
            for message in messages:
                history = message.history
                if history is None:
                    continue
                if _leaves_operations(case, history):
                    unfinished.add(history.scenario)
                failure = blocked_failure(StoppedScenario(case.scenario, stops[history.scenario]), [history])
                if failure is not None:
                    break
        self.schedules += sum(each.schedules for each in messages.results.values())
        if messages.interrupted:
            self.complete = False
            raise KeyboardInterrupt
        if failure is not None:
            yield failure
            return
        results = [messages.results.get(number) for number in range(len(stops))]
        if any(result is None or not result.exhaustive for result in results):
            self.complete = False
        else:
            self._may_go_further = len(unfinished) == len(stops)

    def smaller(self, failure: Failure, limits: SearchLimits) -> Generator[Any, Failure | None, bool]:
        """No candidates: scenarios are tried in order of size, and stopping points from the first step on."""
        yield from ()
        return True

    def added_to(self, claim: Claim, failures: Sequence[Failure]) -> Claim:
        """The claim of a pass, extended by the result of this search."""
        claim = replace(claim, counts={"schedules": self.schedules})
        if failures:
            models = dict.fromkeys(claim.models, Status.VIOLATION)
            return replace(claim, status=Status.VIOLATION, why=self.shows_it, exhaustive=False, models=models)
        if not self.complete:
            why = "the budget ended before the progress check was complete"
            return replace(claim, status=Status.UNKNOWN, why=why, exhaustive=False)
        return replace(claim, why=f"{claim.why}, and a thread that stops never prevents others from finishing")


def _leaves_operations(case: ThreadStops, history: ScenarioHistory) -> bool:
    done = scenario_run_of(case.scenario, history, history.orders[0]).threads[case.thread - 1]
    return sum(each.returned is not None for each in done) < len(case.scenario.threads[case.thread - 1])
