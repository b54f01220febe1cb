# SPDX-License-Identifier: Apache-2.0
"""A model and its spec: one search of all states, then another for the shortest run of a violation.

Guarantee: HOLDS is claimed only if every state within the bounds was reached and expanded. A search that the budget,
the memory limit or Ctrl-C stopped is UNKNOWN and reports its extent.
"""

from __future__ import annotations

import math
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import ClassVar, Final

from linpoint.executors.thread_executor import peak_memory
from linpoint.limits.budget import Budget
from linpoint.limits.search_limits import SearchLimits
from linpoint.refine.counterexample import NoSuchRunError
from linpoint.refine.progress_properties import EndlessRun, search_for_progress
from linpoint.refine.refinement_search import (
    ShortestRunSearch,
    search_by_points,
    search_refinement,
    search_shortest_run,
    shortest_run_search,
)
from linpoint.refine.refinement_task import RefinementTask
from linpoint.refine.state_search import SearchEnding, StateSearch, StateSearchLimits
from linpoint.subjects.interface import (
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
from linpoint.subjects.model.finding_builder import TokenRun, finding_of_endless_run, finding_of_run
from linpoint.subjects.model.search_coverage import (
    bounds_of,
    covered_text,
    measured_search,
    missed_state_odds,
    stopped_text,
    unreturned_operations,
)
from linpoint.verdicts import Status
from linpoint.verdicts.coverage import Coverage, coverage_of
from linpoint.verdicts.finding import Finding

_STATES: Final = "states"
_POINTS: Final = "points"
_PROGRESS: Final = "progress"
_SEARCH_AGAIN: Final = "Run it again, with a larger --budget if one was set."


@dataclass(frozen=True, slots=True)
class ModelSubject:
    """A model, its spec and the options of the check."""

    task: RefinementTask
    jobs: int | None = None
    """The number of threads; by default one per processor."""
    max_memory: int | None = None

    @contextmanager
    def open(self, seconds: float, progress: Progress) -> Iterator[ModelSession]:
        """Open a session; raises a coded error for invalid options."""
        yield ModelSession(self, seconds, progress)


class ModelSession(Session):
    """The searches of one model."""

    kind: ClassVar = "model"
    repetitions: ClassVar = (True,)
    shrinking_share: ClassVar = 1.0
    shrinking_least_s: ClassVar = 0.0
    keeps_kind: ClassVar = False
    searches_again: ClassVar = True
    changed_warning: ClassVar = "the model has changed and no longer has the run of the token; this is a new search"
    shows_it: ClassVar = "a run fails"
    replay_shows_it: ClassVar = "the run of the token fails again"

    def __init__(self, subject: ModelSubject, seconds: float, progress: Progress) -> None:
        super().__init__(seconds)
        self.subject = subject
        self.task = subject.task
        self.name, self.file = subject.task.program.name, subject.task.program.file
        self.spec_name = subject.task.spec.name if subject.task.spec else ""
        self.phases = _phases(subject.task)
        self.found: StateSearch | None = None
        """The search that found no violation."""
        self.explored: Coverage | None = None
        self._bounds = bounds_of(self.task.program, self.task.run_config(), self.task.options.without)
        self._notes: list[str] = []
        self._warnings: list[str] = []
        self._progress = progress

    @property
    def done(self) -> bool:
        """Whether a search ended without a violation or was interrupted."""
        return self.found is not None or self.interrupted

    def search(self, task: SearchTask) -> Iterator[Failure]:
        """Search all states; yields the first failure."""
        name, limits = task.search.name, self._limits(task.limits)
        endless = None
        if name == _PROGRESS:
            found, endless = search_for_progress(self.task, limits)
        else:
            found = (search_by_points if name == _POINTS else search_refinement)(self.task, limits)
        self.interrupted = self.interrupted or found.interrupted
        self.explored = measured_search(found)
        unseen = unreturned_operations(found) if found.ending is SearchEnding.HOLDS else []
        self._warnings = [f"{name} returned in no run, so the result does not cover it" for name in unseen]
        if endless is None and found.ending is not SearchEnding.VIOLATION:
            self.found = found
            self._notes += _pass_notes(self.task, found, name)
        elif name == _POINTS:  # a violation by points proves nothing
            self._notes.append("its marked linearization points do not prove it, so all possible points were tried")
        else:
            yield from self._shown(found, endless, limits)

    def smaller(self, failure: Failure, limits: SearchLimits) -> Generator[ShortestRunSearch, Failure | None, bool]:
        """One candidate: a search for the shortest run."""
        violation: _Violation = failure.run
        further = None if violation.endless else shortest_run_search(violation.found)
        return further is None or (yield further) is not None

    def retry(self, candidate: ShortestRunSearch, limits: SearchLimits) -> Failure | None:
        """The failure that the search for the shortest run finds."""
        found = search_shortest_run(self.task, candidate, self._limits(limits))
        self.interrupted = self.interrupted or found.interrupted
        return _failure(found, None) if found.ending is SearchEnding.VIOLATION else None

    def reproduce(self, failure: Failure, *, record: bool) -> Reproduction | None:
        """Follow a run and certify that the spec rejects it; None if the run of a token no longer exists."""
        if isinstance(failure.run, _Violation):
            finding = failure.run.finding(self.task)
            return Reproduction(finding, replace(failure, kind=finding.kind), trace=finding.trace)
        searched = failure.run.prepare(self.task) if isinstance(failure.run, TokenRun) else None
        if searched is None:
            return None
        try:
            finding = finding_of_run(searched, failure.schedule, self.task.replay)
        except NoSuchRunError:
            return None
        return Reproduction(finding, failure, trace=finding.trace) if finding.kind == failure.kind else None

    def is_same(self, failure: Failure, reproduction: Reproduction) -> bool:
        """Always True: the kind of a failure is known only from its run."""
        return True

    def build_finding(self, failure: Failure, reproduction: Reproduction | None, *, minimal: bool) -> Finding:
        """The finding of a followed run. Raises KeyboardInterrupt without one, since nothing is certified then."""
        if reproduction is None:
            raise KeyboardInterrupt
        finding: Finding = reproduction.run
        return replace(finding, minimal=minimal)

    def shown_by(self, findings: Sequence[Finding], *, replayed: bool) -> str:
        """The violated progress property, or the failing run with notes on the search."""
        if findings[0].kind == _PROGRESS:
            return findings[0].message
        return "; ".join([super().shown_by(findings, replayed=replayed), *self._notes])

    def claim(self) -> Claim:
        """The claim of a search without a failure, which covered all runs or stopped early."""
        if self.found is None:
            return Claim(Status.UNKNOWN, "the run was interrupted", remedy=_SEARCH_AGAIN)
        holds = self.found.ending is SearchEnding.HOLDS
        why = covered_text(self.found.assembly.manner) if holds else stopped_text(self.found)[0]
        status = Status.LINEARIZABLE if holds else Status.UNKNOWN
        remedy = "" if holds else stopped_text(self.found)[1]
        return Claim(status, "; ".join([why, *self._notes]), exhaustive=holds, remedy=remedy)

    def coverage(self, claim: Claim, findings: Sequence[Finding]) -> Coverage:
        """The figures of the search; for a replay, only the steps of its run."""
        depth = findings[0].length if findings else 0
        return self.explored or coverage_of(
            self.kind, peak_memory_bytes=peak_memory(), bounds=self._bounds, depth=depth
        )

    def warnings(self, claim: Claim) -> tuple[str, ...]:
        """Warnings about operations that returned in no run."""
        return (*self._warnings, *claim.warnings)

    def _shown(self, found: StateSearch, endless: EndlessRun | None, limits: StateSearchLimits) -> Iterator[Failure]:
        """The failure of a search. If it stored only hashes, a search that stores states must find the run."""
        further = shortest_run_search(found) if found.assembly.manner.compact else None
        if further is not None:
            found = search_shortest_run(self.task, further, limits)
            self.interrupted = self.interrupted or found.interrupted
        if endless is not None or found.ending is SearchEnding.VIOLATION:
            yield _failure(found, endless)
        else:
            self.found = found

    def _limits(self, limits: SearchLimits) -> StateSearchLimits:
        deadline = None if math.isinf(limits.deadline) else limits.deadline
        return StateSearchLimits(Budget(deadline, self.subject.max_memory), self.subject.jobs, self._report_progress)

    def _report_progress(self, states: int, depth: int) -> None:
        self._progress(CampaignProgress(executions=states, depth=depth))


@dataclass(frozen=True, slots=True)
class _Violation:
    """A violation that a search found. ``reproduce`` computes its run, which costs as much as the search."""

    found: StateSearch
    endless: EndlessRun | None

    def finding(self, task: RefinementTask) -> Finding:
        """Build the finding of its run."""
        if self.endless is not None:
            return finding_of_endless_run(self.found, self.endless, task)
        return finding_of_run(self.found, tuple(self.found.search.shortest_run()), task.replay)


def _phases(task: RefinementTask) -> tuple[Phase, ...]:
    if task.options.progress is not None:
        return (Phase((Search(_PROGRESS),)),)
    return (Phase((Search(_POINTS), Search(_STATES)) if task.options.points else (Search(_STATES),)),)


def _failure(found: StateSearch, endless: EndlessRun | None) -> Failure:
    """A failure whose kind is known only from its run."""
    kind = "linearizability" if endless is None else _PROGRESS
    return Failure(kind, None, (), 0, _Violation(found, endless))


def _pass_notes(task: RefinementTask, found: StateSearch, search: str) -> list[str]:
    """Notes on how a search reached its conclusion."""
    notes = []
    holds = found.ending is SearchEnding.HOLDS
    if search == _POINTS:
        notes.append("by its marked linearization points")
    elif search == _PROGRESS and holds:
        fair = f" in every {task.options.fairness}ly fair run" if task.options.fairness != "none" else ""
        notes.append(
            f"every call returns{fair}" if task.options.progress == "returns" else f"it is {task.options.progress}"
        )
    odds = missed_state_odds(found)
    if holds and odds is not None:
        notes.append(f"the probability that a state was missed is {odds:.1g}")
    return notes
