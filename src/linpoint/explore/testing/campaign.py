# SPDX-License-Identifier: Apache-2.0
"""A whole test: scenarios one after another, small ones first, each under many schedules, until the budget ends.

Every scenario gets all schedules with up to two preemptions, then a share of the time for all the others; what is left of
the budget goes to those that were not exhausted. A failure is made small before it is told: threads and operations go,
then arguments become simpler, then preemptions go. Guarantee: LINEARIZABLE is said only if every scenario that was begun
had all its schedules with up to two preemptions; ``exhaustive`` only if every scenario within the bounds was exhausted.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, Final

from linpoint.executors.threads import peak_memory
from linpoint.explore.python.loop_session import LoopSession
from linpoint.explore.python.session import Session
from linpoint.explore.testing.exploring import FEW, Exploration, Failure, Limits
from linpoint.explore.testing.judging import Judge
from linpoint.explore.testing.runs import CoroutinesError, Runner
from linpoint.explore.testing.telling import told
from linpoint.scenarios.definition import Definition
from linpoint.scenarios.generation import Scenarios, scenarios
from linpoint.scenarios.scenario import Scenario
from linpoint.scenarios.shrinking import shrink
from linpoint.verdicts import Status
from linpoint.verdicts.finding import Finding, Tested, TestResult

MOST_SCENARIOS: Final = 100
DEFAULT_BUDGET: Final = 30.0

_FIRST_SHARE: Final = 0.02
"""Of the budget, for the schedules of one scenario beyond those with few preemptions, the first time round."""
_SHRINKING: Final = 0.5
"""Of what is left of the budget, for making a failure small."""
_AT_LEAST: Final = 2.0
_RUNS_TO_SHRINK: Final = 3_000
_FOR_GIL: Final = 0.25


@dataclass(frozen=True, slots=True)
class Settings:
    """How a test is run."""

    budget: float = DEFAULT_BUDGET
    seed: int = 0
    scenarios: tuple[Scenario, ...] = ()
    """If there are any, just these are run."""
    threads: int | None = None
    operations: int | None = None
    before: int | None = None
    after: int | None = None
    most_scenarios: int = MOST_SCENARIOS
    granularity: str = "access"
    backend: str = "auto"
    gil: bool = True
    """Give the verdict for the gil model too."""
    replay: dict[str, Any] = field(default_factory=dict)
    """What a replay token holds beside the scenario and its schedule."""


@dataclass(slots=True)
class Progress:
    """How far a test is, for whoever watches."""

    scenario: str = ""
    scenarios: int = 0
    schedules: int = 0
    share: float = 0.0


Watcher = Callable[[Progress], None]


class Campaign:
    """One test, run once."""

    def __init__(self, definition: Definition, settings: Settings, watch: Watcher | None = None) -> None:
        self._definition = definition
        self._settings = settings
        self._watch = watch
        self._started = time.monotonic()
        self._deadline = self._started + settings.budget
        self._explored: list[Exploration] = []
        self._interrupted = False
        self._generated: Scenarios | None = None

    def run(self) -> TestResult:
        """The result; Ctrl-C ends it early with what is known."""
        with self._session(gil=False) as session:
            judge = Judge(self._definition, session)
            failure = None
            try:
                failure = self._explore(session, judge)
            except KeyboardInterrupt:
                self._interrupted = True
            finding = None if failure is None else self._tell(failure, session, judge)
        return self._result(finding, self._gil(finding))

    def _session(self, *, gil: bool) -> Session:
        if self._definition.is_async:
            return LoopSession(instrument=self._definition.instrument)
        return Session(instrument=self._definition.instrument, granularity=self._settings.granularity, gil=gil)

    # --- searching

    def _scenarios(self) -> Iterator[Scenario]:
        settings = self._settings
        if settings.scenarios:
            yield from map(self._definition.accept, settings.scenarios)
            return
        yield from self._definition.scenarios
        self._generated = scenarios(
            self._definition,
            seed=settings.seed,
            threads=settings.threads,
            operations=settings.operations,
            before=settings.before,
            after=settings.after,
            most=settings.most_scenarios,
        )
        yield from self._generated

    def _explore(self, session: Session, judge: Judge) -> Failure | None:
        limits = Limits(self._deadline)
        for scenario in self._scenarios():
            if limits.over():
                break
            self._tick(scenario)
            exploration = Exploration(Runner(self._definition, scenario, session), judge)
            self._explored.append(exploration)
            failure = exploration.bounded(limits)
            if failure is None and not exploration.coverage.exhaustive:
                failure = exploration.reduced(self._share(_FIRST_SHARE))
            if failure is not None:
                return failure
        for exploration in sorted(self._explored, key=lambda each: each.runner.scenario.size):
            if limits.over():
                break
            if not exploration.coverage.exhaustive:
                self._tick(exploration.runner.scenario)
                failure = exploration.reduced(self._share(0.5))
                if failure is None and not exploration.coverage.exhaustive:
                    failure = exploration.sampled(self._share(0.1), self._settings.seed)
                if failure is not None:
                    return failure
        return None

    def _share(self, part: float) -> Limits:
        now = time.monotonic()
        return Limits(min(self._deadline, now + max(part * self._settings.budget, 0.05)))

    def _tick(self, scenario: Scenario) -> None:
        if self._watch is None:
            return
        runs = sum(each.coverage.bounded + each.coverage.unbounded for each in self._explored)
        share = min(1.0, (time.monotonic() - self._started) / self._settings.budget)
        self._watch(Progress(str(scenario), len(self._explored), runs, share))

    # --- making it small

    def _tell(self, failure: Failure, session: Session, judge: Judge) -> Finding:
        left = max(_AT_LEAST, _SHRINKING * (self._deadline - time.monotonic()))
        limits = Limits(time.monotonic() + left, _RUNS_TO_SHRINK)
        best, exploration, minimal = self._smallest(failure, session, judge, limits)
        replay = self._settings.replay | {
            "scenario": best.run.scenario.as_dict(),
            "schedule": [list(each) for each in best.schedule],
            "finding": best.kind,
            "granularity": self._settings.granularity,
        }
        return told(best, exploration, minimal=minimal, replay=replay)

    def _smallest(
        self, failure: Failure, session: Session, judge: Judge, limits: Limits
    ) -> tuple[Failure, Exploration, bool]:
        best = failure
        most = max(FEW, failure.preemptions)

        def fails(candidate: Scenario) -> bool:
            nonlocal best
            if limits.over():
                return False
            exploration = Exploration(Runner(self._definition, candidate, session), judge)
            found = exploration.bounded(limits, most)
            if found is None and not exploration.coverage.exhaustive and most > FEW:
                found = exploration.reduced(limits)
            if found is None or found.kind != failure.kind:
                return False
            best = found
            return True

        try:
            smallest = shrink(failure.run.scenario, self._definition, fails)
        except KeyboardInterrupt:
            self._interrupted = True
            smallest = best.run.scenario
        exploration = Exploration(Runner(self._definition, smallest, session), judge)
        if best.run.scenario != smallest or best is failure:
            best = failure if smallest == failure.run.scenario else best
        # The bounded search begins without preemptions, so what it finds first has as few as can be.
        fewest = exploration.bounded(limits, best.preemptions)
        if fewest is not None and fewest.kind == best.kind and fewest.preemptions <= best.preemptions:
            best = fewest
        return best, exploration, not limits.over() and not self._interrupted

    # --- the gil model, and the answer

    def _gil(self, finding: Finding | None) -> Status:
        """Schedules of an interpreter with a global lock are among the free-threaded ones."""
        if finding is None or self._definition.is_async:
            return self._status(finding)  # coroutines never run at the same time
        if finding.kind == "nondeterminism" or not self._settings.gil or self._interrupted:
            return Status.UNKNOWN
        with self._session(gil=True) as session:
            judge = Judge(self._definition, session)
            left = max(_AT_LEAST, _FOR_GIL * (self._deadline - time.monotonic()))
            limits = Limits(time.monotonic() + left)
            everything = True
            candidates = [Scenario.from_dict(finding.replay["scenario"]), *(e.runner.scenario for e in self._explored)]
            try:
                for scenario in candidates:
                    exploration = Exploration(Runner(self._definition, scenario, session), judge, reduces=False)
                    found = exploration.bounded(limits)
                    if found is None and not exploration.coverage.exhaustive:
                        found = exploration.reduced(limits)
                    if found is not None:
                        return Status.VIOLATION
                    everything = everything and exploration.coverage.exhaustive
                    if limits.over():
                        break
            except KeyboardInterrupt:
                self._interrupted = True
            complete = everything and not limits.over() and self._complete()
        return Status.LINEARIZABLE if complete else Status.UNKNOWN

    def _complete(self) -> bool:
        """Whether every scenario that there is was begun."""
        return bool(self._settings.scenarios) or (self._generated is not None and self._generated.complete)

    def _status(self, finding: Finding | None) -> Status:
        if finding is not None:
            return Status.UNKNOWN if finding.kind == "nondeterminism" else Status.VIOLATION
        covered = [each.coverage for each in self._explored]
        enough = bool(covered) and all((each.few or each.exhaustive) and not each.undecided for each in covered)
        diverged = any(each.diverged is not None for each in covered)
        return Status.LINEARIZABLE if enough and not diverged and not self._interrupted else Status.UNKNOWN

    def _why(self, status: Status) -> str:
        covered = [each.coverage for each in self._explored]
        if self._interrupted:
            return "it was interrupted"
        if any(each.diverged is not None for each in covered):
            return "the code does not do the same when it is run again with the same schedule"
        if any(each.undecided for each in covered):
            return "some histories could not be decided in time"
        if status is Status.UNKNOWN:
            return f"the budget ended before all schedules with up to {FEW} preemptions were explored"
        return "no schedule shows a violation" if status is Status.LINEARIZABLE else "a schedule shows a violation"

    def _result(self, finding: Finding | None, gil: Status) -> TestResult:
        status = self._status(finding)
        covered = [each.coverage for each in self._explored]
        exhaustive = (
            finding is None
            and status is Status.LINEARIZABLE
            and self._complete()
            and all(each.exhaustive for each in covered)
        )
        tested = Tested(
            len(covered),
            sum(each.bounded for each in covered),
            sum(each.unbounded for each in covered),
            sum(each.steps for each in covered),
            0,
            time.monotonic() - self._started,
            peak_memory(),
        )
        bounds = {"preemptions": FEW} if not exhaustive else {}
        if self._generated is not None:
            bounds |= {"threads": self._generated.bounds.threads, "operations": self._generated.bounds.operations}
        return TestResult(
            self._definition.name,
            status,
            exhaustive,
            self._why(status),
            () if finding is None else (finding,),
            {"free-threaded": status, "gil": gil},
            tested,
            bounds,
            file=self._definition.file,
        )


def run_test(definition: Definition, settings: Settings | None = None, *, watch: Watcher | None = None) -> TestResult:
    """Test an object under many schedules; on an event loop if anything of it is, or turns out to be, a coroutine."""
    settings = settings or Settings()
    try:
        return Campaign(definition, settings, watch).run()
    except CoroutinesError:  # methods of an object that a function makes cannot be seen before
        return Campaign(replace(definition, is_async=True), settings, watch).run()
