# SPDX-License-Identifier: Apache-2.0
"""The scenarios of a C++ test under one memory model, until a failure is found or the time is up.

Every scenario gets all schedules up to reordering, as far as its share of the time goes; then all with few preemptions
where that was not enough; then what is left of the time. Guarantee: LINEARIZABLE is said only if every scenario that was
begun had all its schedules with up to ``FEW_PREEMPTIONS`` preemptions, and nothing that runs is out of sight; ``exhaustive`` only if
every scenario within the bounds had all of them. Of several scenarios that fail the first one counts, whoever is quicker.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Final

from linpoint.histories.values import counted
from linpoint.hosts.scenario_histories import scenario_runs_of
from linpoint.hosts.search_messages import HostFinding, ScenarioHistory, SearchResult
from linpoint.hosts.test_host import Enough, HostReply, Listening, TestHost
from linpoint.judging.spec_judge import Judge
from linpoint.scenarios.cpp_test_description import CppObjectTest, scenario_text
from linpoint.scenarios.scenario import Scenario
from linpoint.scenarios.scenario_generation import ScenarioStream, scenarios
from linpoint.subjects.interface import Failure
from linpoint.verdicts.schedule import FEW_PREEMPTIONS, Schedule

BATCH: Final = 2_000
"""Scenarios that the host is given at once."""
_FOR_FIRST: Final = 0.6
"""Of the time, for the first search of all scenarios of a batch."""
_FOR_FEW: Final = 0.5
_LEAST: Final = 0.2
_SAMPLES: Final = 20_000
_TO_TELL: Final = 0.1
"""Of the time, but not more than a second: what looks for failures leaves it for making one small and telling it."""
_TO_JUDGE: Final = 0.5
"""Seconds for histories that are still to be judged when the time of a search is up."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What is tested, and for how long."""

    budget: float = 30.0
    seed: int = 0
    scenarios: tuple[Scenario, ...] = ()
    """If there are any, just these are run."""
    threads: int | None = None
    operations: int | None = None
    progress: bool = False
    """Whether an operation can be kept from finishing is asked, too."""
    more: tuple[str, ...] = ()
    """Further words for the host."""


@dataclass(slots=True)
class Coverage:
    """What was explored of one scenario."""

    scenario: Scenario
    schedules: int = 0
    bounded: int = 0
    steps: int = 0
    few: bool = False
    exhaustive: bool = False
    undecided: int = 0
    cut: int = 0
    """Runs that were ended for their length."""
    histories: int = 0
    waits: set[str] = field(default_factory=set)
    returns: set[str] = field(default_factory=set)


@dataclass(frozen=True, slots=True)
class Broken:
    """A run that went wrong by itself, whatever its history: a race, a crash, an assertion."""

    scenario: Scenario
    found: HostFinding


@dataclass(slots=True)
class Progress:
    """How far a test is, for whoever watches."""

    scenario: Scenario
    scenarios: int
    total: int | None
    schedules: int


Wrong = Failure | Broken
Watcher = Callable[[Progress], None]


def kind_of(wrong: Wrong) -> str:
    """The kind of finding that a failure is."""
    return wrong.found.kind if isinstance(wrong, Broken) else wrong.kind


def scenario_of(wrong: Wrong) -> Scenario:
    """The scenario that fails."""
    return wrong.scenario if isinstance(wrong, Broken) else wrong.run.scenario


def schedule_of(wrong: Wrong) -> Schedule:
    """The schedule that shows it."""
    return tuple(wrong.found.schedule) if isinstance(wrong, Broken) else wrong.schedule


def preemptions_of(wrong: Wrong) -> int:
    """How often that takes the turn from somebody."""
    return wrong.found.preemptions if isinstance(wrong, Broken) else wrong.preemptions


class ObjectSearch:
    """The search under one model, run once."""

    def __init__(
        self, test: CppObjectTest, host: TestHost, judge: Judge, settings: Settings, watch: Watcher | None = None
    ) -> None:
        self.test = test
        self.host = host
        self.judge = judge
        self.settings = settings
        self.covered: list[Coverage] = []
        self.qualified: dict[str, None] = {}
        self.given_up = ""
        self.interrupted = False
        self.generated: ScenarioStream | None = None
        self.peak_memory_bytes = 0
        self._watch = watch
        self._complete = False
        self._started = time.monotonic()

    @property
    def deadline(self) -> float:
        """When the time is up, on the monotonic clock."""
        return self._started + self.settings.budget

    @property
    def left(self) -> float:
        """Seconds until then; 0 if that has been."""
        return max(0.0, self.deadline - time.monotonic())

    @property
    def _searched(self) -> float:
        """When no more is looked for."""
        return self.deadline - min(1.0, _TO_TELL * self.settings.budget)

    def run(self) -> Wrong | None:
        """The first scenario that fails. Ctrl-C ends it with None, and ``interrupted`` says so."""
        try:
            return self._rounds()
        except KeyboardInterrupt:
            self.interrupted = True
            return None

    def _rounds(self) -> Wrong | None:
        stream = self._stream()
        wrong = None
        while not self._over(wrong):
            batch = list(islice(stream, BATCH))
            if not batch:
                self._complete = True
                break
            self.covered += (fresh := [Coverage(scenario) for scenario in batch])
            wrong = self._explore(fresh, "dpor", _FOR_FIRST)
        if not self._over(wrong):
            wrong = self._again()
        return wrong

    def _again(self) -> Wrong | None:
        """More time for those that were not explored to their end."""
        open_ = [each for each in self.covered if not each.exhaustive]
        wrong = self._explore(open_, f"bounded:{FEW_PREEMPTIONS}", _FOR_FEW) if open_ else None
        seed = self.settings.seed
        while not self._over(wrong) and (open_ := [each for each in open_ if not each.exhaustive]):
            wrong = self._explore(open_, "dpor", _FOR_FEW)
            if not self._over(wrong):
                wrong = self._explore(open_, f"pos:{_SAMPLES}", _FOR_FEW, seed)
            seed += 1
        return wrong

    def _over(self, wrong: Wrong | None) -> bool:
        ended = wrong is not None or self.interrupted or bool(self.given_up)
        return ended or time.monotonic() >= self._searched

    def fails(self, scenario: Scenario, search: str, seconds: float) -> tuple[Wrong | None, Coverage]:
        """What is wrong with one scenario, by one search."""
        covered = Coverage(scenario)
        return self.explore([covered], search, seconds), covered

    def _explore(self, covered: Sequence[Coverage], search: str, share: float, seed: int = 0) -> Wrong | None:
        self.judge.prepare([each.scenario for each in covered])
        left = self._searched - time.monotonic()
        return self.explore(covered, search, max(_LEAST, share * left), seed) if left > 0 else None

    def explore(self, covered: Sequence[Coverage], search: str, seconds: float, seed: int = 0) -> Wrong | None:
        """Explore scenarios by one search; the first one that fails, in their order."""
        wrong: dict[int, Wrong] = {}
        told = [0]
        counts = [(each.schedules, each.bounded, each.steps) for each in covered]
        at: dict[int, int] = {}

        def enough() -> None:
            """When one fails, those before it are waited for."""
            first = min(wrong)
            if all(number in done for number in range(first)):
                raise Enough

        done: set[int] = set()

        def history(said: ScenarioHistory) -> None:
            if said.scenario in wrong or (wrong and said.scenario > min(wrong)):
                return
            failure = self._judged(covered[said.scenario], said, until)
            if failure is not None:
                wrong[said.scenario] = failure
                at[said.scenario] = said.schedules
                enough()

        def result(number: int, said: SearchResult) -> None:
            done.add(number)
            broken = self._learn(covered[number], search, said)
            if broken is not None:
                wrong.setdefault(number, broken)
            told[0] += said.schedules
            self._tell(covered[number].scenario, told[0] if search != "dpor" else 0)
            if wrong:
                enough()

        self.judge.prepare([each.scenario for each in covered])
        until = time.monotonic() + seconds + _TO_JUDGE
        texts = [scenario_text(self.test.definition.name, each.scenario) for each in covered]
        listening = Listening(history, result, lambda number, runs: self._tell(covered[number].scenario, runs))
        heard = self.host.run(texts, search, seconds=seconds, listening=listening, seed=seed, more=self.settings.more)
        self._note(heard)
        if not wrong:
            return None
        first = min(wrong)
        # What was run of those behind it depends on who was quicker.
        for each, (schedules, bounded, steps) in zip(covered[first + 1 :], counts[first + 1 :], strict=True):
            each.schedules, each.bounded, each.steps = schedules, bounded, steps
        if first not in done:  # it was ended in the middle
            reached = at.get(first, 0)
            if search.startswith("bounded"):
                covered[first].bounded += reached
            else:
                covered[first].schedules += reached
        return wrong[first]

    def _judged(self, covered: Coverage, said: ScenarioHistory, until: float) -> Failure | None:
        """What is wrong with one of its orders. Raises Enough when it is too late, and so for those that are waiting."""
        covered.histories += len(said.orders)
        for run in scenario_runs_of(covered.scenario, said):
            if time.monotonic() >= until:
                raise Enough
            judgement = self.judge.judge(run)
            covered.undecided += not judgement.decided
            covered.returns |= run.operations(returned=True)
            covered.waits |= run.operations(returned=False)
            if judgement.kind is not None:
                schedule = tuple(said.schedule)
                return Failure(judgement.kind, covered.scenario, schedule, said.preemptions, run, judgement.verdict)
        return None

    def _learn(self, covered: Coverage, search: str, said: SearchResult) -> Broken | None:
        self.qualified |= dict.fromkeys(each.rstrip(".") for each in said.qualified)
        covered.steps += said.steps
        covered.cut += said.cut
        if search.startswith("bounded"):
            covered.bounded += said.schedules
            covered.few = covered.few or said.completed >= FEW_PREEMPTIONS
        else:
            covered.schedules += said.schedules
            covered.exhaustive = covered.exhaustive or (said.ended == "exhausted" and said.exhaustive)
        if said.ended in ("refused", "error"):
            self.given_up = said.reason or "the host gives no reason"
        if said.ended == "lost":
            message = f"the test took its process with it: {said.reason}"
            return Broken(covered.scenario, HostFinding("crash", message, lost=True))
        return None if said.finding is None else Broken(covered.scenario, said.finding)

    def _note(self, heard: HostReply) -> None:
        self.peak_memory_bytes = max(self.peak_memory_bytes, heard.peak_memory_bytes)
        self.interrupted = self.interrupted or heard.interrupted
        self.given_up = self.given_up or heard.died

    def _tell(self, scenario: Scenario, more: int) -> None:
        if self._watch is not None:
            done = sum(each.schedules + each.bounded for each in self.covered)
            total = None if self.generated is None else self.generated.total
            self._watch(Progress(scenario, sum(bool(each.schedules) for each in self.covered), total, done + more))

    def _stream(self) -> Iterator[Scenario]:
        settings = self.settings
        if settings.scenarios:
            yield from map(self.test.accept, settings.scenarios)
            return
        self.generated = scenarios(
            self.test.definition, seed=settings.seed, threads=settings.threads, operations=settings.operations
        )
        seen = set()
        for scenario in self.generated:
            cast = self.test.cast(scenario)
            if cast is not None and cast not in seen:
                seen.add(cast)
                yield cast

    # --- what can be said when no failure was found

    @property
    def exhaustive(self) -> bool:
        """Whether every schedule of every scenario within the bounds was explored, and judged."""
        return self._complete and bool(self.covered) and not self.doubt and all(e.exhaustive for e in self.covered)

    @property
    def enough(self) -> bool:
        """Whether every scenario that was begun had all its schedules with few preemptions."""
        begun = [each for each in self.covered if each.schedules or each.bounded]
        return bool(begun) and all(each.few or each.exhaustive for each in begun) and not self.doubt

    @property
    def why(self) -> str:
        """What a search without a failure says."""
        if self.enough:
            return "no schedule shows a violation"
        return (
            self.doubt
            or f"the budget ended before all schedules with up to {FEW_PREEMPTIONS} preemptions were explored"
        )

    @property
    def doubt(self) -> str:
        """What keeps a search without a failure from being a pass."""
        if self.given_up:
            return self.given_up
        if self.interrupted:
            return "it was interrupted"
        if any(each.undecided for each in self.covered):
            return "some histories could not be decided in time"
        cut = sum(each.cut for each in self.covered)
        if cut:
            return f"{counted(cut, 'run')} had no end after very many steps"
        if self.qualified:
            return f"no schedule shows a violation, but that proves less: {'; '.join(self.qualified)}"
        returned = {name for each in self.covered for name in each.returns}
        stuck = sorted({name for each in self.covered for name in each.waits} - returned)
        return f"{stuck[0]} waits for ever in every schedule" if stuck else ""
