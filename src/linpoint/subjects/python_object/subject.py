# SPDX-License-Identifier: Apache-2.0
"""A Python object under every schedule of its scenarios, small scenarios first.

For each scenario the search explores all schedules with few preemptions, then others for a share of the time. The
remaining time goes to scenarios that are not exhausted. The verdict is that of the free-threaded model; its schedules
include those of an interpreter with a global lock, so a pass holds for both.

Guarantee: LINEARIZABLE is claimed only if all schedules with few preemptions of every started scenario were explored,
and ``exhaustive`` only if every scenario within the bounds was exhausted. A failing scenario is shrunk by leaving out
threads and operations, then by simpler arguments, then by fewer preemptions.
"""

from __future__ import annotations

import os
import time
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any, ClassVar, Final

from linpoint.executors.thread_executor import peak_memory
from linpoint.explore.python_control.control_session import ControlSession
from linpoint.explore.python_control.event_loop_session import EventLoopSession
from linpoint.judging.scenario_run import ScenarioRun
from linpoint.limits.search_limits import SearchLimits
from linpoint.scenarios.concurrent_test import ConcurrentTestDefinition
from linpoint.scenarios.scenario import Call, Scenario
from linpoint.scenarios.scenario_generation import ScenarioStream, scenarios
from linpoint.scenarios.smaller_scenarios import FewestPreemptions, smaller_scenarios
from linpoint.subjects.interface import (
    NONDETERMINISM,
    CampaignProgress,
    Claim,
    Failure,
    FurtherSearch,
    OtherSubjectError,
    Phase,
    Progress,
    Reproduction,
    Search,
    SearchEnd,
    SearchTask,
    Session,
    no_progress,
)
from linpoint.subjects.python_object.finding_builder import build_finding
from linpoint.subjects.python_object.object_coverage import ObjectCoverage
from linpoint.subjects.python_object.object_judge import ObjectJudge
from linpoint.subjects.python_object.scenario_runner import CoroutinesError, ScenarioRunner, result_value
from linpoint.subjects.python_object.scenario_search import ScenarioSearch
from linpoint.verdicts import Status
from linpoint.verdicts.coverage import Coverage, coverage_of
from linpoint.verdicts.finding import Finding
from linpoint.verdicts.schedule import FEW_PREEMPTIONS

MAX_SCENARIOS: Final = 100

_FREE_THREADED: Final = "free-threaded"
_FEW: Final = Search(f"bounded:{FEW_PREEMPTIONS}")
_MIN_SEARCH_S: Final = 0.05
_SAMPLES: Final = ("pos:333333", "random:333333", "pct:3:333333")
"""Three kinds of random search, which run one after another."""
_PHASES: Final = (
    Phase((_FEW, Search("dpor", 0.02, of_whole=True, least_s=_MIN_SEARCH_S))),
    Phase(
        (
            Search("dpor", 0.5, of_whole=True, least_s=_MIN_SEARCH_S),
            Search("sampled", 0.1, of_whole=True, least_s=_MIN_SEARCH_S),
        ),
        cases="open",
    ),
)
_GIL_SHARE: Final = 0.5
"""The fraction of the time that remains after shrinking."""
_MIN_GIL_S: Final = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class PythonObjectSubject:
    """The test of an object and the options of its exploration."""

    definition: ConcurrentTestDefinition
    seed: int = 0
    scenarios: tuple[Scenario, ...] = ()
    """The only scenarios to run; empty to generate them."""
    threads: int | None = None
    operations: int | None = None
    before: int | None = None
    after: int | None = None
    max_scenarios: int = MAX_SCENARIOS
    granularity: str = "access"
    backend: str = "auto"
    gil_verdict: bool = True
    """Whether to search the GIL model too if the free-threaded model shows a violation."""
    token: Mapping[str, Any] = field(default_factory=dict)
    """The content of the replay token besides the scenario and its schedule."""

    def open(self, seconds: float, progress: Progress) -> AbstractContextManager[PythonObjectSession]:
        """Open a session that controls the object's threads, or its event loop if the test is asynchronous."""
        return self._open(seconds, progress, _PHASES)

    def open_gil(self, first: Scenario, seconds: float) -> AbstractContextManager[PythonObjectSession]:
        """Open a session under the GIL model, which runs the scenario ``first`` before all others.

        It searches only the schedules with few preemptions, which suffice for a pass.
        """
        return self._open(seconds, no_progress, (Phase((_FEW,)),), gil=True, first=(first,))

    def control(self, *, gil: bool = False) -> ControlSession:
        """A control session for the threads or tasks of the test, not yet open."""
        if self.definition.is_async:
            return EventLoopSession(instrument=self.definition.instrument, result=result_value)
        return ControlSession(
            instrument=self.definition.instrument,
            granularity=self.granularity,
            gil=gil,
            result=result_value,
            backend=self.backend,
        )

    @contextmanager
    def _open(
        self,
        seconds: float,
        progress: Progress,
        phases: Sequence[Phase],
        *,
        gil: bool = False,
        first: tuple[Scenario, ...] = (),
    ) -> Iterator[PythonObjectSession]:
        try:
            with self.control(gil=gil) as control:
                yield PythonObjectSession(self, control, phases, seconds, progress, first)
        except CoroutinesError:  # methods of an object that a function constructs are unknown before
            raise OtherSubjectError(replace(self, definition=replace(self.definition, is_async=True))) from None


class PythonObjectSession(Session):
    """The searches of one test under one model."""

    kind: ClassVar = "test"
    shrinking_runs: ClassVar = 3_000
    code_name: ClassVar = "the code"
    changed_warning: ClassVar = "the code has changed since the finding, so the schedule may not apply"
    gone: ClassVar = "this schedule does not show a violation"

    def __init__(
        self,
        subject: PythonObjectSubject,
        control: ControlSession,
        phases: Sequence[Phase],
        seconds: float,
        progress: Progress,
        first: tuple[Scenario, ...] = (),
    ) -> None:
        super().__init__(seconds)
        self.subject = subject
        self.name, self.file = subject.definition.name, subject.definition.file
        self.default_model = _FREE_THREADED
        self.phases = phases
        self.control = control
        self.judge = ObjectJudge(subject.definition, control)
        self.tested = ObjectCoverage(subject.definition)
        self.explored: list[ScenarioSearch] = []
        """The started scenarios; their searches count for the coverage."""
        self.generated: ScenarioStream | None = None
        self._first = first
        self._progress = progress
        self._called: set[Call] = set()
        """The calls of the started scenarios."""
        self._max_preemptions = FEW_PREEMPTIONS
        """The bound on preemptions for the candidates of shrinking."""
        self._surely_minimal = True
        """Whether every candidate without the failure was explored exhaustively."""

    # --- search

    def cases(self, phase: Phase) -> Iterator[ScenarioSearch]:
        """The scenarios as they are generated; in later phases those that are not exhausted, the smallest first."""
        if phase.cases == "all":
            yield from self._new_cases()
            return
        for case in sorted(self.explored, key=lambda each: each.scenario.size):
            if self.left <= 0:
                return
            if not case.coverage.exhaustive:
                self._report(case.scenario)
                yield case

    def search(self, task: SearchTask) -> Iterator[Failure]:
        """The first failure of one search of a scenario."""
        case: ScenarioSearch = task.case
        for name in _SAMPLES if task.search.name == "sampled" else (task.search.name,):
            if case.coverage.exhaustive:
                return
            failure = case.first_failure(name, task.limits, seed=self.subject.seed)
            if failure is not None:
                yield failure
            if failure is not None or task.limits.over():
                return

    def _new_cases(self) -> Iterator[ScenarioSearch]:
        for scenario in chain(self._first, self._scenarios()):
            if self.left <= 0:
                return
            self._report(scenario)
            yield self._begin_case(scenario)
        self.tested.complete = bool(self.subject.scenarios) or (self.generated is not None and self.generated.complete)

    def _scenarios(self) -> Iterator[Scenario]:
        subject = self.subject
        if subject.scenarios:
            yield from map(subject.definition.accept, subject.scenarios)
            return
        yield from subject.definition.scenarios
        self.generated = scenarios(
            subject.definition,
            seed=subject.seed,
            threads=subject.threads,
            operations=subject.operations,
            before=subject.before,
            after=subject.after,
            most=subject.max_scenarios,
        )
        yield from self.generated

    def _begin_case(self, scenario: Scenario) -> ScenarioSearch:
        case = self._case(scenario)
        self.explored.append(case)
        self.tested.scenarios.append(case.coverage)
        if not self._called.issuperset(scenario.calls):
            self._called.update(scenario.calls)
            case.warm_up()
        return case

    def _case(self, scenario: Scenario) -> ScenarioSearch:
        """A scenario with empty coverage."""
        runner = ScenarioRunner(self.subject.definition, scenario, self.control)
        # The accesses of a step with more than one access are known only after it: sleep sets do not apply.
        return ScenarioSearch(runner, self.judge, sleep_sets=self.subject.granularity == "access")

    def _report(self, scenario: Scenario) -> None:
        executions = self.tested.bounded + self.tested.unbounded
        share = min(1.0, (time.monotonic() - self.started) / self.seconds)
        self._progress(CampaignProgress(scenario, len(self.explored), executions=executions, share=share))

    # --- a failure

    def smaller(self, failure: Failure, limits: SearchLimits) -> Generator[Any, Failure | None, bool]:
        """Smaller scenarios, then the smallest one with the fewest preemptions."""
        self._surely_minimal = True
        self._max_preemptions = max(FEW_PREEMPTIONS, failure.preemptions)
        candidates: Generator[Scenario, Failure | None, Failure | None] = smaller_scenarios(
            failure.case, self.subject.definition
        )
        smallest = (yield from candidates) or failure
        yield FewestPreemptions(smallest.case, smallest.preemptions)
        return self._surely_minimal

    def retry(self, candidate: Scenario | FewestPreemptions, limits: SearchLimits) -> Failure | None:
        """The failure that a scenario shows."""
        if isinstance(candidate, FewestPreemptions):
            # The bounded search starts without preemptions, so its first failure has the fewest.
            found = self._case(candidate.scenario).first_failure(f"bounded:{candidate.preemptions}", limits)
            self._surely_minimal = self._surely_minimal and found is not None
            return found
        case = self._case(candidate)
        found = case.first_failure(f"bounded:{self._max_preemptions}", limits)
        if found is None and not case.coverage.exhaustive:
            found = case.first_failure("dpor", limits)
        if found is None and not case.coverage.exhaustive:
            self._surely_minimal = False
        return found

    def reproduce(self, failure: Failure, *, record: bool) -> Reproduction:
        """Rerun one schedule of a scenario."""
        if self.replaying and not self.explored:
            case = self._begin_case(self.subject.definition.accept(failure.case))
            case.coverage.unbounded += 1
            return case.rerun(failure.schedule)
        case = self._case(failure.case)
        if not record:
            return case.rerun(failure.schedule)
        calls = [[(call.operation, call.args) for call in thread] for thread in failure.case.threads]
        recorder = self.control.narrator(calls, os.getcwd())  # noqa: PTH109 - to make paths relative
        with recorder.listening():
            shown = case.rerun(failure.schedule)
        if shown.run is None or shown.diverged_at is not None:
            return shown
        for each in shown.run.waiting:
            recorder.block(each.thread, each.owner, each.place)
        return replace(shown, trace=recorder.trace())

    def is_same(self, failure: Failure, reproduction: Reproduction) -> bool:
        """Whether the rerun has the same results in the same order."""
        run: ScenarioRun | None = reproduction.run
        return run is not None and reproduction.diverged_at is None and run.key() == failure.run.key()

    def build_finding(self, failure: Failure, reproduction: Reproduction | None, *, minimal: bool) -> Finding:
        """Build the finding, with its steps if they are known."""
        run, trace = (failure.run, None) if reproduction is None else (reproduction.run, reproduction.trace)
        # The token of a nondeterministic failure holds the kind that was found first.
        kind = self.judge.judge(failure.run).kind if failure.kind == NONDETERMINISM else failure.kind
        content = dict(self.subject.token)
        content |= {"scenario": failure.case.as_dict(), "schedule": [list(each) for each in failure.schedule]}
        content |= {"finding": kind, "granularity": self.subject.granularity, "backend": self.subject.backend}
        return build_finding(failure, run, trace, self.judge.by_spec, minimal=minimal, replay=content)

    # --- the result

    def claim(self) -> Claim:
        """A pass if all schedules with few preemptions were explored and nothing casts doubt on them; else UNKNOWN."""
        doubt = "the run was interrupted" if self.interrupted else self.tested.doubt
        if self.tested.few and not doubt:
            return Claim(Status.LINEARIZABLE, "no schedule shows a violation", self.tested.exhaustive)
        ended = f"the budget ended before all schedules with up to {FEW_PREEMPTIONS} preemptions were explored"
        return Claim(Status.UNKNOWN, doubt or ended)

    def follow_up(self, claim: Claim, failures: list[Failure]) -> Generator[FurtherSearch, SearchEnd, Claim]:
        """The claim with the verdict under the GIL model, whose search starts with the failing scenario."""
        gil = claim.status
        if gil is Status.VIOLATION and not self.subject.definition.is_async:  # on an event loop the models are the same
            gil = Status.UNKNOWN
            if self.subject.gil_verdict and not self.interrupted:
                seconds = max(_MIN_GIL_S, _GIL_SHARE * self.left)
                end = yield FurtherSearch(self.subject.open_gil(failures[0].case, seconds), seconds)
                gil = Status.VIOLATION if end.failures else end.session.claim().status
        return replace(claim, models={_FREE_THREADED: claim.status, "gil": gil})

    def replay_searches(self, failure: Failure, *, elsewhere: bool) -> Iterator[SearchTask]:
        """With ``elsewhere``, a search with few preemptions."""
        if elsewhere:
            yield SearchTask(self.explored[0], _FEW, SearchLimits(self.deadline))

    def coverage(self, claim: Claim, findings: Sequence[Finding]) -> Coverage:
        """The started scenarios and their schedules."""
        tested = self.tested
        bounds = {} if self.replaying or claim.exhaustive else {"preemptions": FEW_PREEMPTIONS}
        if self.generated is not None:
            bounds |= {"threads": self.generated.bounds.threads, "operations": self.generated.bounds.operations}
        return coverage_of(
            self.kind,
            seconds=time.monotonic() - self.started,
            peak_memory_bytes=peak_memory(),
            bounds=bounds,
            bounded_schedules=tested.bounded,
            schedules=tested.unbounded,
            steps=tested.steps,
            scenarios=len(tested.scenarios),
        )
