# SPDX-License-Identifier: Apache-2.0
"""A campaign of rounds on real threads, in any language.

Guarantee: a violation occurred in an actual run, and its history was checked twice. A pass only states that no executed
run was wrong. Real threads cannot repeat a schedule, so a replay checks the recorded history again.
"""

from __future__ import annotations

import math
import time
from abc import abstractmethod
from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

from linpoint.executors.thread_executor import peak_memory
from linpoint.judging.stress_judge import StressJudge, StressOutcome
from linpoint.limits.budget import Budget
from linpoint.specs.spec import Spec
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
from linpoint.verdicts import Status
from linpoint.verdicts.coverage import Coverage, coverage_of
from linpoint.verdicts.evidence import HistoryEvidence
from linpoint.verdicts.finding import Finding


class StressSession(Session):
    """The rounds of one stress test. Subclasses execute the rounds for each language."""

    kind: ClassVar = "stress"
    phases = (Phase((Search("rounds"),)),)
    repetitions: ClassVar = (False,)

    def __init__(
        self,
        name: str,
        spec: Spec,
        seconds: float,
        progress: Progress,
        *,
        max_memory: int | None,
        patience: float,
        jobs: int | None = None,
    ) -> None:
        super().__init__(seconds)
        self.name, self.file = name, None
        self.spec, self.spec_name = spec, spec.name
        self.budget = Budget(None if math.isinf(seconds) else self.deadline, max_memory)
        self.judge = StressJudge(spec, self.budget, patience, jobs=jobs)
        self.undecided: StressOutcome | None = None
        """The run that ended the campaign because it could not be decided."""
        self.stopped = ""
        """The reason why no further round started."""
        self._progress = progress

    @abstractmethod
    def outcomes(self) -> Iterator[StressOutcome]:
        """Execute rounds and judge them; yields the wrong or undecided runs."""

    @abstractmethod
    def statistics(self, elapsed_s: float) -> dict[str, Any]:
        """The counts and settings of the campaign, in the order of the JSON contract."""

    def search_warnings(self) -> list[str]:
        """The reasons why a pass proves less, as the rounds show them."""
        return self.judge.warnings()

    def search(self, task: SearchTask) -> Iterator[Failure]:
        """The wrong runs, until one cannot be decided."""
        for outcome in self.outcomes():
            if outcome.status is not Status.VIOLATION:
                self.undecided = outcome
                return
            yield _failure(outcome)

    def reproduce(self, failure: Failure, *, record: bool) -> Reproduction | None:
        """Check the history of the run again."""
        outcome = self.judge.confirm(failure.run)
        return Reproduction(outcome, None if outcome is None else _failure(outcome))

    def is_same(self, failure: Failure, reproduction: Reproduction) -> bool:
        """Whether the history is still wrong; an exception or a report may now explain it."""
        return reproduction.failure is not None

    def build_finding(self, failure: Failure, reproduction: Reproduction | None, *, minimal: bool) -> Finding:
        """Build the finding of a run with its explanation."""
        outcome: StressOutcome = failure.run
        message, kind = outcome.why, outcome.kind
        if failure.kind == NONDETERMINISM:
            message = f"two checks of run {outcome.run} disagree, so the spec {self.spec.name} is not deterministic"
            kind = NONDETERMINISM
        elif reproduction is not None:
            outcome = reproduction.run
            message, kind = outcome.why, outcome.kind
        return Finding(kind=kind, message=message, evidence=_evidence(outcome), verdict=outcome.verdict, minimal=False)

    def shown_by(self, findings: Sequence[Finding], *, replayed: bool) -> str:
        """The reason of the first finding."""
        return findings[0].message

    def claim(self) -> Claim:
        """The claim that no run was wrong; UNKNOWN without runs."""
        if self.undecided is not None:
            return Claim(Status.UNKNOWN, self.undecided.why)
        why = "the run was interrupted" if self.interrupted else self.stopped or "the budget ended"
        return Claim(Status.LINEARIZABLE if self.judge.runs else Status.UNKNOWN, why)

    def coverage(self, claim: Claim, findings: Sequence[Finding]) -> Coverage:
        """The decided runs and the settings of the campaign."""
        elapsed = time.monotonic() - self.started
        statistics = self.statistics(elapsed)
        return coverage_of(self.kind, seconds=elapsed, peak_memory_bytes=peak_memory(), **statistics)

    def undecided_run(self) -> HistoryEvidence | None:
        """The run that could not be decided."""
        return None if self.undecided is None else _evidence(self.undecided)

    def warnings(self, claim: Claim) -> tuple[str, ...]:
        """The reasons why a pass proves less."""
        return (*self.search_warnings(), *claim.warnings)

    def report_progress(self) -> None:
        """Report the runs so far."""
        self._progress(CampaignProgress(executions=self.judge.runs, operations=self.judge.operations))


def _failure(outcome: StressOutcome) -> Failure:
    return Failure(outcome.kind, None, (), 0, outcome, outcome.verdict, outcome.why)


def _evidence(outcome: StressOutcome) -> HistoryEvidence:
    return HistoryEvidence(outcome.verdict, outcome.history, outcome.stuck, outcome.report)
