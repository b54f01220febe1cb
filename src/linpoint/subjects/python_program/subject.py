# SPDX-License-Identifier: Apache-2.0
"""A whole Python program: the search runs few preemptions first, then all schedules up to reordering, then samples.

Guarantee: HOLDS is claimed only if every schedule was explored up to reordering, or every schedule with the number of
preemptions that the user requested, and no run hit the step limit, was given up or diverged. Otherwise the status is
UNKNOWN, with the extent of the search. The first failure of the bounded search has the fewest preemptions of all
failures.
"""

from __future__ import annotations

import os
import time
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from typing import Any, ClassVar, Final

from linpoint.executors.thread_executor import peak_memory
from linpoint.explore import _native_control as native
from linpoint.explore.python_control.control_session import STALL_TIMEOUT_S, ControlSession
from linpoint.explore.python_control.trace_recorder import TraceRecorder
from linpoint.explore.schedule_search import ScheduleSearch, begin_replay, explorer_of
from linpoint.limits.search_limits import SearchLimits
from linpoint.subjects.interface import (
    NONDETERMINISM,
    CampaignProgress,
    Claim,
    Failure,
    Phase,
    Progress,
    Reproduction,
    Search,
    SearchTask,
    Session,
)
from linpoint.subjects.python_program.finding_builder import build_finding
from linpoint.subjects.python_program.own_modules import OwnModules
from linpoint.subjects.python_program.program import PythonProgram, cannot_be_loaded
from linpoint.subjects.python_program.program_runner import ProgramRun, ProgramRunner
from linpoint.text.phrases import count_noun
from linpoint.verdicts import Status
from linpoint.verdicts.coverage import Coverage, coverage_of
from linpoint.verdicts.finding import Finding
from linpoint.verdicts.schedule import FEW_PREEMPTIONS, Schedule, another_run

MAX_RUN_STEPS: Final = 100_000
"""A run stops after this number of steps: its threads seem to run forever."""

_MIN_PATIENCE_S: Final = 1.0
_PATIENCE_SHARE: Final = 1 / 6
"""The fraction of the budget for which a run may hang."""
_SAMPLES: Final = 1_000
_TICK_S: Final = 0.1
_FEW: Final = f"bounded:{FEW_PREEMPTIONS}"


@dataclass(slots=True)
class PythonProgramCoverage:
    """The coverage of the searches."""

    bounded: int = 0
    unbounded: int = 0
    steps: int = 0
    completed: int = -1
    """Every schedule with up to this number of preemptions was run; -1 for none."""
    exhaustive: bool = False
    diverged: bool = False
    """Whether the program behaved differently after the same choices."""
    given_up: str = ""
    """The reason why a run was given up, which ended the search."""


@dataclass(frozen=True, slots=True)
class WithoutDeviation:
    """The schedule of a failure without one of its deviations from the default schedule."""

    schedule: Schedule
    failure: Failure


@dataclass(frozen=True, slots=True)
class PythonProgramSubject:
    """A loaded program and the options of its exploration."""

    program: PythonProgram
    granularity: str = "access"
    preemptions: int | None = None
    """Explore only the schedules with up to this number of preemptions."""
    backend: str = "auto"
    seed: int = 0
    token: Mapping[str, Any] = field(default_factory=dict)
    """The content of the replay token besides the schedule."""

    @contextmanager
    def open(self, seconds: float, progress: Progress) -> Iterator[PythonProgramSession]:
        """Open a session that controls the threads of the program."""
        modules = OwnModules()
        modules.files.add(self.program.path)
        control = ControlSession(
            instrument=(self.program.path,),
            granularity=self.granularity,
            backend=self.backend,
            program=modules.files,
            most_steps=MAX_RUN_STEPS,
            patience=min(STALL_TIMEOUT_S, max(_MIN_PATIENCE_S, seconds * _PATIENCE_SHARE)),
        )
        with control:
            yield PythonProgramSession(self, ProgramRunner(self.program, control, modules), seconds, progress)


class PythonProgramSession(Session):
    """The searches of one program."""

    kind: ClassVar = "program"
    shrinking_least_s: ClassVar = 0.5
    changed_warning: ClassVar = "the program has changed since the finding, so the schedule may not apply"

    def __init__(
        self, subject: PythonProgramSubject, runner: ProgramRunner, seconds: float, progress: Progress
    ) -> None:
        super().__init__(seconds)
        self.subject = subject
        self.name = self.file = subject.program.file
        self.runner = runner
        self.explored = PythonProgramCoverage()
        self.phases = _phases(subject.preemptions)
        self._progress = progress
        self._reported_at = 0.0

    @property
    def done(self) -> bool:
        """Whether the search was exhaustive or given up, or the program is nondeterministic."""
        return self.explored.exhaustive or self.explored.diverged or bool(self.explored.given_up)

    def begin(self) -> None:
        """Make one uncounted run, after which the lazily initialised state of the standard library exists."""
        run = self.runner.run(begin_replay(()))
        if run is None or run.problem is None:
            return
        if run.problem.unloaded is not None:
            raise cannot_be_loaded(self.subject.program, run.problem.unloaded)
        self.explored.given_up = run.given_up

    def search(self, task: SearchTask) -> Iterator[Failure]:
        """The first failure of one search."""
        explorer = explorer_of(task.search.name, seed=self.subject.seed + task.repetition)
        failure = self._first(explorer, task.limits)
        if failure is not None:
            yield failure

    def smaller(self, failure: Failure, limits: SearchLimits) -> Generator[Any, Failure | None, bool]:
        """The schedule without each of its deviations from the default, then a search with fewer preemptions."""
        best, at = failure, 0
        if failure.kind == NONDETERMINISM:
            return False
        if self._may_be_fewer(best):
            while at < len(best.schedule) and not limits.over():
                found = yield WithoutDeviation(best.schedule[:at] + best.schedule[at + 1 :], best)
                best, at = (best, at + 1) if found is None else (found, at)
        if self._may_be_fewer(best):
            best = (yield best.preemptions - 1) or best
        return not self._may_be_fewer(best)

    def retry(self, candidate: WithoutDeviation | int, limits: SearchLimits) -> Failure | None:
        """The failure of a schedule, if it is simpler; or the failure of a search with fewer preemptions."""
        if isinstance(candidate, int):
            return self._first(native.explore_bounded(candidate), limits)
        explorer = begin_replay(candidate.schedule)
        found, before = _failure(self.runner.run(explorer), explorer), candidate.failure
        if found is None or len(found.schedule) >= len(before.schedule) or found.preemptions > before.preemptions:
            return None
        return found

    def reproduce(self, failure: Failure, *, record: bool) -> Reproduction | None:
        """Rerun one schedule."""
        recorder = TraceRecorder(failure.run.names[:1], (), os.getcwd()) if record else None  # noqa: PTH109 - to make paths relative
        explorer = begin_replay(failure.schedule)
        with nullcontext() if recorder is None else recorder.listening():
            run = self.runner.run(explorer, recorder)
        found = _failure(run, explorer)
        if recorder is None or run is None or found is None:
            return Reproduction(run, found, explorer.diverged_at)
        for each in run.waiting:
            recorder.block(each.process, None if each.owner == each.process else each.owner, each.place)
        return Reproduction(run, found, explorer.diverged_at, recorder.trace())

    def is_same(self, failure: Failure, reproduction: Reproduction) -> bool:
        """Whether the same threads had the same problem after the same number of steps."""
        run: ProgramRun | None = reproduction.run
        return run is not None and reproduction.diverged_at is None and run.key() == failure.run.key()

    def build_finding(self, failure: Failure, reproduction: Reproduction | None, *, minimal: bool) -> Finding:
        """Build the finding, with its steps if they are known."""
        trace = None if reproduction is None else reproduction.trace
        content = dict(self.subject.token)
        content |= {"schedule": [list(each) for each in failure.schedule], "finding": failure.kind}
        content |= {"granularity": self.subject.granularity, "backend": self.subject.backend}
        return build_finding(failure, trace, minimal=minimal, replay=content)

    def claim(self) -> Claim:
        """The claim that a search without a failure supports."""
        covered, only = self.explored, self.subject.preemptions
        if covered.given_up:
            return Claim(Status.UNKNOWN, covered.given_up)
        if covered.exhaustive:
            return Claim(Status.LINEARIZABLE, "no schedule fails", exhaustive=True)
        if only is not None and covered.completed >= only:
            why = f"no schedule with up to {count_noun(only, 'preemption')} fails"
            return Claim(Status.LINEARIZABLE, why)
        end = "the run was interrupted" if self.interrupted else "the budget ended"
        if covered.completed >= 0:
            far = f"after all schedules with up to {count_noun(covered.completed, 'preemption')}"
        else:
            far = "before all schedules without preemptions were run"
        return Claim(Status.UNKNOWN, f"{end} {far}; no schedule that was run fails")

    def replay_searches(self, failure: Failure, *, elsewhere: bool) -> Iterator[SearchTask]:
        """With ``elsewhere``, a search with few preemptions."""
        if elsewhere:
            yield SearchTask(None, Search(_FEW), SearchLimits(self.deadline))

    def replay_claim(self, reproduction: Reproduction | None) -> Claim:
        """The claim that the failure is gone; UNKNOWN if the run was given up."""
        run: ProgramRun | None = None if reproduction is None else reproduction.run
        given_up = self.explored.given_up if run is None else run.given_up
        return Claim(Status.UNKNOWN, given_up) if given_up else Claim(Status.LINEARIZABLE, self.gone)

    def coverage(self, claim: Claim, findings: Sequence[Finding]) -> Coverage:
        """The number of schedules; the bound on preemptions, unless all schedules were run."""
        explored = self.explored
        return coverage_of(
            self.kind,
            seconds=time.monotonic() - self.started,
            peak_memory_bytes=peak_memory(),
            bounds={} if explored.exhaustive or explored.completed < 0 else {"preemptions": explored.completed},
            bounded_schedules=explored.bounded,
            schedules=explored.unbounded,
            steps=explored.steps,
        )

    def _may_be_fewer(self, failure: Failure) -> bool:
        return failure.preemptions > self.explored.completed + 1

    def _first(self, explorer: native.Explorer, limits: SearchLimits) -> Failure | None:
        """The first failure of one search. The coverage is in ``explored``."""
        covered, search, failure = self.explored, ScheduleSearch(explorer, limits), None
        try:
            for begun in search:
                run = self.runner.run(begun)
                self._tick(begun)
                if begun.diverged_at is not None:
                    covered.diverged = True
                    failure = _diverged(begun, begun.diverged_at)
                elif run is not None and run.given_up:
                    covered.given_up = run.given_up
                else:
                    failure = _failure(run, begun)
                if failure is not None or covered.given_up:
                    break
        finally:
            self._count(explorer)
        covered.exhaustive = covered.exhaustive or (search.ended and explorer.exhaustive)
        return failure

    def _count(self, explorer: native.Explorer) -> None:
        if isinstance(explorer, native.BoundedExplorer):
            self.explored.bounded += explorer.runs
            self.explored.completed = max(self.explored.completed, explorer.completed)
        else:
            self.explored.unbounded += explorer.runs
        self.explored.steps += explorer.steps

    def _tick(self, explorer: native.Explorer) -> None:
        now = time.monotonic()
        if now - self._reported_at >= _TICK_S:
            self._reported_at = now
            done = self.explored.bounded + self.explored.unbounded + explorer.runs
            self._progress(CampaignProgress(executions=done))


def _phases(only: int | None) -> tuple[Phase, ...]:
    if only is not None:
        return (Phase((Search(f"bounded:{only}"),)),)
    samples = tuple(Search(f"{name}:{_SAMPLES}") for name in ("pos", "random", "pct:3"))
    return Phase((Search(_FEW, 0.4),)), Phase((Search("dpor", 0.75),)), Phase(samples, repeat=True)


def _failure(run: ProgramRun | None, explorer: native.Explorer) -> Failure | None:
    if run is None or run.problem is None or run.given_up:
        return None
    problem, schedule = run.problem, tuple(explorer.deviations)
    return Failure(problem.kind, None, schedule, explorer.preemptions, run, message=problem.message)


def _diverged(explorer: native.Explorer, step: int) -> Failure:
    return Failure(NONDETERMINISM, None, tuple(explorer.deviations), 0, None, message=another_run(step))
