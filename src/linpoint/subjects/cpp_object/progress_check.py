# SPDX-License-Identifier: Apache-2.0
"""Can an operation be kept from finishing by a thread that stops?

One thread at a time stops for ever after so many of its steps, for every number of them, and all schedules of the others
are explored. In a scenario whose operations end, a lock-free object lets all the others come to their end: infinitely
many steps would complete infinitely many operations. If just one other thread is left and cannot finish alone, the object
is not even obstruction-free. Guarantee: nothing is said of scenarios larger than these, and a pass only if every search
came to its end. Cost: an exploration for each step of each thread.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from linpoint.hosts.scenario_histories import scenario_run_of
from linpoint.hosts.search_messages import ScenarioHistory
from linpoint.hosts.test_host import Enough, Listening
from linpoint.judging.scenario_run import PerformedOperation, ScenarioRun
from linpoint.scenarios.cpp_test_description import scenario_text
from linpoint.scenarios.scenario import Call, Scenario
from linpoint.subjects.cpp_object.object_search import ObjectSearch
from linpoint.verdicts.schedule import Schedule

_STEPS_PER_BATCH: Final = 12
"""Numbers of steps that are tried in one go."""


@dataclass(frozen=True, slots=True)
class StoppedThread:
    """A thread of a scenario, from 1, that stops after so many steps."""

    thread: int
    steps: int

    @property
    def words(self) -> str:
        """As the host reads it, before the scenario."""
        return f"stop {self.thread}:{self.steps}\n"


@dataclass(frozen=True, slots=True)
class BlockedOperations:
    """Operations that cannot finish while a thread stands still."""

    scenario: Scenario
    stop: StoppedThread
    run: ScenarioRun
    schedule: Schedule
    preemptions: int
    waiting: tuple[Call, ...]

    @property
    def sentence(self) -> str:
        """What is wrong."""
        stopped = next((each.call for each in reversed(self.run.threads[self.stop.thread - 1])), None)
        inside = "" if stopped is None else f" in {stopped}"
        kept = " and ".join(map(str, self.waiting))
        name = "not obstruction-free" if len(self.run.threads) <= 2 else "not lock-free"
        return (
            f"{name}: if thread {self.stop.thread} stops{inside}, {kept} never finish{'es' * (len(self.waiting) == 1)}"
        )


@dataclass(slots=True)
class ProgressCoverage:
    """What was found out."""

    kept: BlockedOperations | None = None
    complete: bool = True
    schedules: int = 0
    scenarios: list[Scenario] = field(default_factory=list)


def check_progress(search: ObjectSearch, scenarios: list[Scenario]) -> ProgressCoverage:
    """Stop each thread of each scenario after each of its steps, until the time is up."""
    checked = ProgressCoverage()
    for scenario in scenarios:
        for thread in range(1, len(scenario.threads) + 1):
            if not _check_thread(search, scenario, thread, checked):
                return checked
        checked.scenarios.append(scenario)
    return checked


def _check_thread(search: ObjectSearch, scenario: Scenario, thread: int, checked: ProgressCoverage) -> bool:
    """Whether there is anything left to do."""
    first = 1
    while True:
        left = search.deadline - time.monotonic()
        if left <= 0 or search.interrupted:
            checked.complete = False
            return False
        stops = [StoppedThread(thread, steps) for steps in range(first, first + _STEPS_PER_BATCH)]
        reached: set[int] = set()
        text = scenario_text(search.test.definition.name, scenario)

        def history(said: ScenarioHistory, stops: list[StoppedThread] = stops, reached: set[int] = reached) -> None:
            done = scenario_run_of(scenario, said, said.orders[0]).threads[thread - 1]
            if _open(done, scenario.threads[thread - 1]):
                reached.add(said.scenario)
            checked.kept = kept_in(scenario, stops[said.scenario], [said])
            if checked.kept is not None:
                raise Enough

        heard = search.host.run(
            [f"{stop.words}{text}" for stop in stops],
            "dpor",
            seconds=left,
            listening=Listening(history),
            more=search.settings.more,
        )
        checked.schedules += sum(each.schedules for each in heard.results.values())
        search.interrupted = search.interrupted or heard.interrupted
        if checked.kept is not None:
            return False
        results = [heard.results.get(number) for number in range(len(stops))]
        if any(result is None or not result.exhaustive for result in results):
            checked.complete = False
            return not search.interrupted
        if len(reached) < len(stops):  # it comes to its end in fewer steps
            return True
        first += _STEPS_PER_BATCH


def kept_in(scenario: Scenario, stop: StoppedThread, histories: Sequence[ScenarioHistory]) -> BlockedOperations | None:
    """The operations that cannot finish in one of these runs."""
    for said in histories:
        run = scenario_run_of(scenario, said, said.orders[0])
        waiting = tuple(_waiting(run, stop.thread))
        if waiting:
            return BlockedOperations(scenario, stop, run, tuple(said.schedule), said.preemptions, waiting)
    return None


def _open(done: tuple[PerformedOperation, ...], calls: tuple[Call, ...]) -> bool:
    """Whether a thread has operations left."""
    return sum(each.returned is not None for each in done) < len(calls)


def _waiting(run: ScenarioRun, stopped: int) -> Iterator[Call]:
    """What other threads cannot finish."""
    for number, thread in enumerate(run.threads, 1):
        if number != stopped:
            yield from (each.call for each in thread if each.returned is None)
