# SPDX-License-Identifier: Apache-2.0
"""A whole C++ program: the search runs few preemptions first, then all schedules up to reordering, then samples.

Guarantee: HOLDS is claimed only if every schedule was explored up to reordering, or every schedule with the number of
preemptions that the user requested, and all code that runs is instrumented. Otherwise the status is UNKNOWN, with the
reason. The first failure of the bounded search has the fewest preemptions of all failures.
"""

from __future__ import annotations

import re
import time
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Final

from linpoint.hosts.host_config import HostConfig
from linpoint.hosts.host_process import GRACE
from linpoint.hosts.program_host import ProgramHost, SearchOutcome
from linpoint.hosts.search_messages import HostFinding, SearchProgress, SearchResult
from linpoint.limits.search_limits import SearchLimits
from linpoint.processes.command_runner import run
from linpoint.subjects.cpp_program.finding_builder import finding_without_steps, program_finding
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
from linpoint.targets.build_error import BuildError
from linpoint.targets.target_builder import Target
from linpoint.text.phrases import count_noun
from linpoint.verdicts import Status
from linpoint.verdicts.coverage import Coverage, coverage_of
from linpoint.verdicts.finding import Finding
from linpoint.verdicts.schedule import FEW_PREEMPTIONS, another_run

_MIN_SEARCH_S: Final = 0.05
_SAMPLES: Final = 20_000
_MIN_RUN_S: Final = 1.0
"""The minimum time for a rerun, which a busy machine may need."""
_MAX_RUN_S: Final = 60.0
"""The time limit for a rerun: more than any run within the step limit needs, even on a busy machine."""
_MAX_RACES: Final = 10
"""The maximum number of data races that are reported in addition to the first failure."""
_UNDEFINED: Final = re.compile(r"undefined symbol: (\S+)")
_WHAT_TO_DO: Final = "use std::atomic or std::atomic_thread_fence there, or remove that part from the explored program"
_FEW: Final = f"bounded:{FEW_PREEMPTIONS}"
_SAMPLING: Final = tuple(Search(f"{name}:{_SAMPLES}", least_s=_MIN_SEARCH_S) for name in ("pos", "random", "pct:3"))


@dataclass(slots=True)
class ProgramCoverage:
    """The coverage of the searches."""

    bounded: int = 0
    unbounded: int = 0
    steps: int = 0
    completed: int = -1
    """Every schedule with up to this number of preemptions was run; -1 for none."""
    exhaustive: bool = False
    """Whether the unbounded search completed; ``qualified`` may still weaken the claim."""
    qualified: dict[str, None] = field(default_factory=dict)
    """The reasons why an end without a failure proves less, as sentences."""
    outcomes: dict[str, int] | None = None
    races: dict[object, HostFinding] = field(default_factory=dict)
    """Data races to report in addition to other failures, without repeats."""
    given_up: str = ""
    """The reason why the search was given up, if it was."""
    peak_memory_bytes: int = 0


@dataclass(frozen=True, slots=True)
class CppProgramSubject:
    """A built program. ``file`` is the path as the user wrote it."""

    file: str
    host: Path
    target: Target
    manner: HostConfig
    preemptions: int | None = None
    """Explore only the schedules with up to this number of preemptions."""
    outcomes: bool = False
    """Whether to collect the output of complete runs."""
    seed: int = 0
    token: Mapping[str, Any] = field(default_factory=dict)
    """The content of the replay token besides the schedule."""

    @contextmanager
    def open(self, seconds: float, progress: Progress) -> Iterator[CppProgramSession]:
        """Open a session of the program; each search starts hosts."""
        yield CppProgramSession(self, seconds, progress)


class CppProgramSession(Session):
    """The searches of one program."""

    kind: ClassVar = "program"
    repetitions: ClassVar = (True,)
    changed_warning: ClassVar = "the program has changed since the finding, so the schedule may not apply"
    replay_shows_it: ClassVar = "a schedule fails"

    def __init__(self, subject: CppProgramSubject, seconds: float, progress: Progress) -> None:
        super().__init__(seconds)
        self.subject = subject
        self.name = self.file = subject.file
        self.explored = ProgramCoverage()
        self.phases = _phases(subject)

        def listen(reached: SearchProgress) -> None:
            executions, depth = reached.schedules, reached.depth
            progress(CampaignProgress(executions=executions, depth=depth, estimate=reached.estimate))

        self.host = ProgramHost(subject.host, subject.target.library, subject.manner, listen)

    @property
    def done(self) -> bool:
        """Whether the search was exhaustive or given up."""
        return self.explored.exhaustive or bool(self.explored.given_up)

    def begin(self) -> None:
        """Give up a program with code that linpoint cannot observe."""
        unseen = self.subject.target.contents.unseen
        if unseen:
            more = f" and {count_noun(len(unseen) - 1, 'more instruction')}" if len(unseen) > 1 else ""
            self.explored.given_up = (
                f"inline assembly cannot be instrumented, so no schedule is reliable: {unseen[0]}{more}; {_WHAT_TO_DO}"
            )

    def search(self, task: SearchTask) -> Iterator[Failure]:
        """The first failure of one search of the host."""
        name = task.search.name
        if name == _FEW and self.explored.completed >= FEW_PREEMPTIONS:
            return
        until = time.monotonic() + task.limits.seconds()
        seed = self.subject.seed + task.repetition
        found, alone = self._run(name, task.limits.seconds(), seed, shared=name == "dpor")
        if alone:  # workers cannot share the search
            found, _ = self._run(name, max(_MIN_SEARCH_S, until - time.monotonic()), seed)
        if found is not None:
            yield _failure(found)

    def distinct(self, failures: list[Failure]) -> list[Failure]:
        """The first failure, and the data races that the host reported in addition."""
        self._refuse_undefined()
        return failures[:1] + [_failure(race) for race in list(self.explored.races.values())[:_MAX_RACES]]

    def smaller(self, failure: Failure, limits: SearchLimits) -> Generator[int, Failure | None, bool]:
        """One candidate: the number of preemptions less one."""
        found: HostFinding = failure.run
        if self.explored.races.get(found.key) is found:
            return not failure.preemptions
        best = failure
        if failure.kind != NONDETERMINISM and failure.schedule and self._may_be_fewer(failure):
            best = (yield failure.preemptions - 1) or best
        return not self._may_be_fewer(best)

    def retry(self, candidate: int, limits: SearchLimits) -> Failure | None:
        """The failure of a search with up to this number of preemptions."""
        found, _ = self._run(f"bounded:{candidate}", limits.seconds())
        return None if found is None else _failure(found)

    def reproduce(self, failure: Failure, *, record: bool) -> Reproduction | None:
        """Rerun one schedule, with a time limit."""
        text = ",".join(f"{step}.{process}" for step, process in failure.schedule)
        seconds = max(_MIN_RUN_S, min(_MAX_RUN_S, self.left))
        outcome = self._noted(self.host.run(f"replay:{text}", seconds=seconds, patience=seconds, trace=record))
        if outcome.interrupted:
            raise KeyboardInterrupt
        result = outcome.result
        if result is None:
            self.explored.given_up = outcome.died
            if not outcome.by_itself:
                return None
            return Reproduction(None, _failure(_lost(outcome, list(failure.schedule))))
        if result.ended in ("refused", "error"):
            self.explored.given_up = result.reason
        again = result.finding
        if failure.run is None:
            again = again or next(iter(result.races), None)
        else:  # the program continues after a race that is reported in addition
            again = next((race for race in result.races if race.key == failure.run.key), again)
        return Reproduction(result, None if again is None else _failure(again), result.diverged_at)

    def is_same(self, failure: Failure, reproduction: Reproduction) -> bool:
        """Whether the rerun shows a failure of the same kind, or the process died and the kind is unknown."""
        shown = reproduction.failure
        return shown is not None and (shown.lost or shown.kind == failure.kind)

    def build_finding(self, failure: Failure, reproduction: Reproduction | None, *, minimal: bool) -> Finding:
        """Build the finding, with its steps if they are known."""
        subject = self.subject
        if failure.kind == NONDETERMINISM:
            found = HostFinding(NONDETERMINISM, failure.message, schedule=list(failure.schedule))
            return finding_without_steps(found, subject.token, minimal=False)
        result: SearchResult | None = None if reproduction is None else reproduction.run
        if reproduction is None or reproduction.failure is None or result is None or result.trace is None:
            return finding_without_steps(failure.run, subject.token, minimal=minimal and not failure.lost)
        found = reproduction.failure.run
        return program_finding(
            found,
            result,
            subject.token,
            subject.target.library,
            subject.manner.memory_model,
            minimal=minimal,
            preemptions=failure.preemptions,
        )

    def claim(self) -> Claim:
        """The claim that a search without a failure supports."""
        covered, only = self.explored, self.subject.preemptions
        if covered.given_up:
            return Claim(Status.UNKNOWN, covered.given_up)
        but = self._qualified()
        far = ""
        if covered.exhaustive:
            far = "no schedule fails"
        elif only is not None and covered.completed >= only:
            far = f"no schedule with up to {count_noun(only, 'preemption')} fails"
        if far and but:
            return Claim(Status.UNKNOWN, f"{far}, but the result is weaker: {'; '.join(but)}")
        if far:
            return Claim(Status.LINEARIZABLE, far, covered.exhaustive)
        end = "the run was interrupted" if self.interrupted else "the budget ended"
        if covered.completed >= 0:
            far = f"after all schedules with up to {count_noun(covered.completed, 'preemption')}"
        else:
            far = "before all schedules without preemptions were run"
        return Claim(Status.UNKNOWN, f"{end} {far}; no schedule that was run fails")

    def replay_searches(self, failure: Failure, *, elsewhere: bool) -> Iterator[SearchTask]:
        """With ``elsewhere``, a search with few preemptions."""
        if elsewhere:
            yield SearchTask(None, Search(_FEW), SearchLimits(time.monotonic() + max(_MIN_RUN_S, self.left)))

    def replay_claim(self, reproduction: Reproduction | None) -> Claim:
        """The claim that the failure is gone; UNKNOWN if the schedule could not be run."""
        if self.explored.given_up:
            return Claim(Status.UNKNOWN, self.explored.given_up)
        return Claim(Status.LINEARIZABLE, self.gone)

    def coverage(self, claim: Claim, findings: Sequence[Finding]) -> Coverage:
        """The number of schedules; the bound on preemptions, unless all schedules were run."""
        explored = self.explored
        return coverage_of(
            self.kind,
            seconds=time.monotonic() - self.started,
            peak_memory_bytes=explored.peak_memory_bytes,
            bounds={} if claim.exhaustive or explored.completed < 0 else {"preemptions": explored.completed},
            bounded_schedules=explored.bounded,
            schedules=explored.unbounded,
            steps=explored.steps,
        )

    def output_counts(self) -> Mapping[str, int] | None:
        """The outputs of complete runs."""
        return self.explored.outcomes

    def _may_be_fewer(self, failure: Failure) -> bool:
        return failure.preemptions > self.explored.completed + 1

    def _qualified(self) -> list[str]:
        """The reasons why a pass is weaker."""
        names = dict.fromkeys(Path(path).name for path in self.subject.target.contents.unhooked)
        told = [f"{name} is not instrumented: compile its sources together with the program" for name in names]
        return [*told, *(each for each in self.explored.qualified if not any(name in each for name in names))]

    def _refuse_undefined(self) -> None:
        """Raise LP-T033 if the loader found an undefined symbol: the program lacks a source or a library."""
        missing = _UNDEFINED.search(self.explored.given_up)
        if missing:
            told = run(["c++filt", missing[1]])
            name = missing[1] if told.code else told.text.strip()
            raise BuildError(
                "LP-T033",
                f"{name} is undefined.",
                place=self.subject.file,
                remedy="Pass all sources of the program, and its libraries after --.",
            )

    def _run(
        self, search: str, seconds: float, seed: int = 0, *, shared: bool = False
    ) -> tuple[HostFinding | None, bool]:
        """The first failure of one search, and whether workers could not share it. The coverage is in ``explored``."""
        patience = max(seconds + GRACE, self.deadline - time.monotonic())
        outcomes = self.subject.outcomes
        outcome = self._noted(
            self.host.run(search, seconds=seconds, patience=patience, seed=seed, outcomes=outcomes, shared=shared)
        )
        result = outcome.result
        if result is None:
            self._count(search, outcome.reached.schedules, outcome.reached.steps)
            if outcome.interrupted:
                raise KeyboardInterrupt
            if outcome.by_itself:
                return _lost(outcome, []), False
            self.explored.given_up = outcome.died
            return None, False
        self._count(search, result.schedules, result.steps)
        self._learn(search, result)
        if result.diverged_at is not None and result.finding is None:
            return HostFinding(NONDETERMINISM, another_run(result.diverged_at)), False
        return result.finding, result.ended == "alone"

    def _noted(self, outcome: SearchOutcome) -> SearchOutcome:
        covered = self.explored
        covered.peak_memory_bytes = max(covered.peak_memory_bytes, outcome.peak_memory_bytes)
        return outcome

    def _count(self, search: str, schedules: int, steps: int) -> None:
        if search.startswith("bounded"):
            self.explored.bounded += schedules
        else:
            self.explored.unbounded += schedules
        self.explored.steps += steps

    def _learn(self, search: str, result: SearchResult) -> None:
        covered = self.explored
        covered.qualified |= dict.fromkeys(each.rstrip(".") for each in result.qualified)
        for race in result.races:
            covered.races.setdefault(race.key, race)
        if result.ended in ("refused", "error"):
            covered.given_up = result.reason or "the host gave no reason"
        if search.startswith("bounded"):
            covered.completed = max(covered.completed, result.completed)
        elif search == "dpor":
            covered.exhaustive = result.ended == "exhausted" and result.exhaustive
            covered.outcomes = result.outcomes


def _phases(subject: CppProgramSubject) -> tuple[Phase, ...]:
    """The phases: few preemptions first, since most bugs need few. Outcomes need the search over all schedules."""
    if subject.preemptions is not None:
        return (Phase((Search(f"bounded:{subject.preemptions}", least_s=_MIN_SEARCH_S),)),)
    few = () if subject.outcomes else (Phase((Search(_FEW, 0.15, least_s=_MIN_SEARCH_S),)),)
    return (
        *few,
        Phase((Search("dpor", 1.0 if subject.outcomes else 0.6, least_s=_MIN_SEARCH_S),)),
        Phase((Search(_FEW, 0.5, least_s=_MIN_SEARCH_S),)),
        Phase(_SAMPLING, repeat=True),
    )


def _failure(found: HostFinding) -> Failure:
    schedule = tuple(found.schedule)
    return Failure(found.kind, None, schedule, found.preemptions, found, message=found.message, lost=found.lost)


def _lost(outcome: SearchOutcome, schedule: list[tuple[int, int]]) -> HostFinding:
    message = f"the program crashed: {outcome.died}"
    return HostFinding("crash", message, schedule=schedule, lost=True)
