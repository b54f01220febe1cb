# SPDX-License-Identifier: Apache-2.0
"""The searches of one C++ object under one memory model.

First, every scenario is explored up to reordering within its share of the time. Where the share was too short, all
schedules with few preemptions follow; the remaining time goes to the scenarios that are still open. Failures shrink by
threads and operations, then arguments, then preemptions. Guarantee: LINEARIZABLE is claimed only if all schedules with
up to ``FEW_PREEMPTIONS`` preemptions of every started scenario were explored and all code that runs is instrumented. It
is exhaustive only if all schedules of every scenario within the bounds were explored. The first failing scenario
counts.
"""

from __future__ import annotations

import time
from collections.abc import Generator, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, ClassVar, Final, TypeVar

from linpoint.hosts.search_messages import HostFinding
from linpoint.judging.spec_judge import Judge
from linpoint.limits.search_limits import SearchLimits
from linpoint.scenarios.scenario import Scenario
from linpoint.scenarios.scenario_generation import ScenarioStream
from linpoint.scenarios.smaller_scenarios import FewestPreemptions, smaller_scenarios
from linpoint.subjects.cpp_object.blocked_operations import PROGRESS
from linpoint.subjects.cpp_object.finding_builder import build_finding
from linpoint.subjects.cpp_object.object_coverage import CppObjectCoverage, ExploredScenario
from linpoint.subjects.cpp_object.object_under_test import CppObject
from linpoint.subjects.cpp_object.scenario_batches import BatchSearch
from linpoint.subjects.cpp_object.schedule_rerun import (
    ScheduleRerun,
    failure_shown,
    rerun_schedule,
    scenario_of,
    shows_same_results,
)
from linpoint.subjects.interface import (
    CampaignProgress,
    Claim,
    Failure,
    FurtherSearch,
    Phase,
    Progress,
    Reproduction,
    Search,
    SearchEnd,
    SearchTask,
    Session,
    no_progress,
)
from linpoint.verdicts import Status
from linpoint.verdicts.coverage import Coverage, coverage_of
from linpoint.verdicts.finding import Finding
from linpoint.verdicts.schedule import FEW_PREEMPTIONS

_SCENARIOS_PER_BATCH: Final = 2_000
_SAMPLES: Final = 20_000
_MIN_SEARCH_S: Final = 0.2
_RESERVED_SHARE: Final = 0.1
"""The fraction of the time, at most one second, that is reserved for shrinking and rerunning a failure."""
_MIN_CONFIRMING_S: Final = 0.3
"""The minimum time to find the schedule to report, even after the deadline: a finding needs one."""
_MAX_CANDIDATE_S: Final = 2.0
"""The time limit for one candidate of shrinking."""
_FURTHER_PREEMPTIONS: Final = 3
"""How many more preemptions than the failure the schedule to report may have."""
_FEW: Final = f"bounded:{FEW_PREEMPTIONS}"
_PHASES: Final = (
    Phase((Search("dpor", 0.6, least_s=_MIN_SEARCH_S),)),
    Phase((Search(_FEW, 0.5, least_s=_MIN_SEARCH_S),), cases="open"),
    Phase(
        (Search("dpor", 0.5, least_s=_MIN_SEARCH_S), Search(f"pos:{_SAMPLES}", 0.5, least_s=_MIN_SEARCH_S)),
        cases="open",
        repeat=True,
    ),
)


ReturnT = TypeVar("ReturnT")
FollowUp = Generator[FurtherSearch, SearchEnd, ReturnT]
"""A generator of searches that the campaign runs; it returns their conclusion."""


class ObjectSession(Session):
    """The searches. A case is a batch of scenarios that the workers of the host share."""

    kind: ClassVar = "test"
    repetitions: ClassVar = (True,)
    shrinking_least_s: ClassVar = 0.0
    changed_warning: ClassVar = "the code has changed since the finding, so the schedule may not apply"
    gone: ClassVar = "this schedule does not show a violation"
    phases: Sequence[Phase] = _PHASES

    def __init__(self, target: CppObject, judge: Judge, seconds: float, progress: Progress = no_progress) -> None:
        super().__init__(seconds)
        self.target = target
        self.name, self.file = target.name, target.program.file
        self.default_model = target.model
        self.judge = judge
        self.explored = CppObjectCoverage()
        self.generated: ScenarioStream | None = None
        self._progress = progress
        self._surely_minimal = True
        """Whether every smaller candidate was explored to its end."""
        self._rerun: ScheduleRerun | None = None

    @property
    def search_until(self) -> float:
        """A short time before the deadline."""
        return self.deadline - min(1.0, _RESERVED_SHARE * self.seconds)

    @property
    def done(self) -> bool:
        """Whether the search was given up or interrupted."""
        return bool(self.explored.given_up) or self.interrupted

    def refuse_unseen_code(self) -> None:
        """Give up a target with code that linpoint cannot observe, and record libraries without instrumentation."""
        contents = self.target.program.target.contents
        if contents.unseen:
            self.explored.given_up = (
                f"inline assembly cannot be instrumented, so no schedule is reliable: {contents.unseen[0]}"
            )
        for path in contents.unhooked:
            sentence = f"{Path(path).name} is not instrumented: compile its sources together with the test"
            self.explored.qualified[sentence] = None

    def cases(self, phase: Phase) -> Iterator[Any]:
        """Batches of scenarios as they are generated, or all open ones together; none once the time is up."""
        if phase.cases == "open":
            if not self._late and (left := self.explored.open):
                self.judge.prepare([each.scenario for each in left])
                yield left
            return
        if self.done or self._late:
            return
        self.generated = self.target.generated()
        stream = self.target.cast(self.generated)
        while not (self.done or self._late):
            batch = [ExploredScenario(scenario) for scenario in islice(stream, _SCENARIOS_PER_BATCH)]
            if not batch:
                self.explored.complete = True
                return
            self.explored.scenarios += batch
            self.judge.prepare([each.scenario for each in batch])
            yield batch

    def search(self, task: SearchTask) -> Iterator[Failure]:
        """The failure of the first failing scenario of a batch."""
        name = task.search.name
        if self._late and not self.replaying:
            return
        seed = self.target.seed + task.repetition if name.startswith("pos") else 0
        failure = self._explore(task.case, name, task.limits.seconds(), seed)
        if failure is not None:
            yield failure

    def smaller(
        self, failure: Failure, limits: SearchLimits
    ) -> Generator[Scenario | FewestPreemptions, Failure | None, bool]:
        """Smaller scenarios, then the smallest one with as few preemptions as possible.

        A history that the bounded search finds is wrong in the order in which it ran, not only in an equivalent order.
        """
        self._surely_minimal = True
        candidates: Generator[Scenario, Failure | None, Failure | None]
        candidates = smaller_scenarios(failure.case, self.target.test.definition)
        best = (yield from candidates) or failure
        further = 0 if isinstance(best.run, HostFinding) else _FURTHER_PREEMPTIONS
        fewest = yield FewestPreemptions(best.case, best.preemptions + further)
        return self._surely_minimal and fewest is not None

    def retry(self, candidate: Scenario | FewestPreemptions, limits: SearchLimits) -> Failure | None:
        """The failure of a smaller scenario, or of one with few preemptions."""
        if isinstance(candidate, FewestPreemptions):
            seconds = max(_MIN_CONFIRMING_S, self.shrinking_share * self.left)
            bounded = f"bounded:{candidate.preemptions}"
            return self._explore([ExploredScenario(candidate.scenario)], bounded, seconds)
        cast = self.target.test.cast(candidate)
        if cast is None:
            return None
        if limits.over() or self.interrupted:
            self._surely_minimal = False
            return None
        explored = ExploredScenario(cast)
        failure = self._explore([explored], "dpor", min(_MAX_CANDIDATE_S, limits.seconds()))
        if failure is None and not explored.covered.exhaustive:
            self._surely_minimal = False
        return failure

    def reproduce(self, failure: Failure, *, record: bool) -> Reproduction:
        """Rerun one schedule; a replay also judges the run."""
        rerun = rerun_schedule(self.target, failure.case, failure.schedule, trace=record)
        if self.replaying:
            self._rerun = rerun
            self.judge.prepare([scenario_of(failure.case)])
            shown = failure_shown(rerun, failure.case, failure.schedule, self.judge)
            return Reproduction(rerun, shown, rerun.diverged_at)
        same = (
            isinstance(failure.run, HostFinding)  # the message is known, even if the process no longer fails
            or failure.kind == PROGRESS
            or shows_same_results(rerun, failure.run)
        )
        return Reproduction(rerun, failure if same else None, rerun.diverged_at)

    def is_same(self, failure: Failure, reproduction: Reproduction) -> bool:
        """Whether the rerun gave the same results; its steps may differ."""
        return reproduction.failure is not None

    def build_finding(self, failure: Failure, reproduction: Reproduction | None, *, minimal: bool) -> Finding:
        """Build the finding, with its steps if they are known."""
        rerun = None if reproduction is None else reproduction.run
        return build_finding(failure, rerun, self.target, self.judge, minimal=minimal)

    def claim(self) -> Claim:
        """The claim that a search without a failure supports."""
        covered, interrupted = self.explored, self.interrupted
        enough, why = covered.enough(interrupted=interrupted), covered.why(interrupted=interrupted)
        status = Status.LINEARIZABLE if enough else Status.UNKNOWN
        return Claim(status, why, covered.exhaustive(interrupted=interrupted))

    def replay_searches(self, failure: Failure, *, elsewhere: bool) -> Iterator[SearchTask]:
        """All schedules if the process died without a known schedule; with ``elsewhere`` those with few preemptions."""
        scenario = scenario_of(failure.case)
        names = ["dpor"] * (failure.kind == "crash" and not failure.schedule) + [_FEW] * elsewhere
        for name in names:
            limits = SearchLimits(time.monotonic() + max(_MIN_CONFIRMING_S, self.left))
            yield SearchTask([ExploredScenario(scenario)], Search(name), limits)

    def replay_claim(self, reproduction: Reproduction | None) -> Claim:
        """The claim that the failure is gone; UNKNOWN if the schedule could not be run."""
        if self.explored.given_up or self._rerun is None or self._rerun.result is None:
            return Claim(Status.UNKNOWN, self.explored.given_up or "the schedule could not be run")
        return Claim(Status.LINEARIZABLE, self.gone)

    def coverage(self, claim: Claim, findings: Sequence[Finding]) -> Coverage:
        """The started scenarios and their schedules; for a replay, its single run."""
        explored, seconds = self.explored, time.monotonic() - self.started
        if self.replaying:
            result = None if self._rerun is None else self._rerun.result
            counts = {"schedules": 1, "steps": 0 if result is None else result.steps, "scenarios": 1}
        else:
            counts = {
                "bounded_schedules": explored.bounded,
                "schedules": explored.unbounded,
                "steps": explored.steps,
                "scenarios": explored.begun,
            }
        bounds = {} if self.replaying else self._bounds(findings)
        memory = explored.peak_memory_bytes
        return coverage_of(self.kind, seconds=seconds, peak_memory_bytes=memory, bounds=bounds, **counts)

    @property
    def _late(self) -> bool:
        return time.monotonic() >= self.search_until

    def _bounds(self, findings: Sequence[Finding]) -> dict[str, int]:
        failed = any(each.kind != PROGRESS for each in findings)
        bounds = {"preemptions": FEW_PREEMPTIONS}
        if self.explored.exhaustive(interrupted=self.interrupted) and not failed:
            bounds = {}
        if self.generated is not None:
            bounds |= {"threads": self.generated.bounds.threads, "operations": self.generated.bounds.operations}
        return bounds

    def _explore(self, batch: Sequence[ExploredScenario], search: str, seconds: float, seed: int = 0) -> Failure | None:
        """The failure of the first failing scenario. Raises KeyboardInterrupt if interrupted before any failure."""
        self.judge.prepare([each.scenario for each in batch])
        exploration = BatchSearch(batch, search, self.judge, self.explored)
        failure = exploration.run(self.target, seconds, seed, self._show)
        if exploration.interrupted:
            self.interrupted = True
            if failure is None:
                raise KeyboardInterrupt
        return failure

    def _show(self, scenario: Scenario, schedules: int) -> None:
        covered = self.explored
        done = covered.bounded + covered.unbounded + schedules
        begun = sum(bool(each.covered.unbounded) for each in covered.scenarios)
        total = None if self.generated is None else self.generated.total
        self._progress(CampaignProgress(scenario, begun, total, done))


class OneSearchSession(ObjectSession):
    """One search over all schedules of the given scenarios, which uses all the time."""

    phases: Sequence[Phase] = (Phase((Search("dpor"),)),)

    @property
    def search_until(self) -> float:
        """The deadline: this session does not shrink or confirm."""
        return self.deadline

    @property
    def exhausted(self) -> bool:
        """Whether the search explored every scenario exhaustively."""
        return bool(self.explored.scenarios) and not self.explored.open
