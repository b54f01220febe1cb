# SPDX-License-Identifier: Apache-2.0
"""The finding of a stress test, replayed: the operations of its token are checked again, and nothing is built or run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, ClassVar

from linpoint.checkers.check import check
from linpoint.judging.stress_judge import StressOutcome
from linpoint.record.result import StressResult
from linpoint.specs.spec import Spec
from linpoint.subjects.interface import Claim, Failure, Progress, Reproduction, SearchTask, Session
from linpoint.verdicts import Status, Verdict


@dataclass(frozen=True, slots=True)
class RecordedHistory:
    """The operations of a finding, and the spec that they are checked against. ``name`` is that of the test."""

    name: str
    spec: Spec
    operations: Sequence[Mapping[str, Any]]

    @contextmanager
    def open(self, seconds: float, _progress: Progress) -> Iterator[HistoryReplaySession]:
        """A session that checks the operations."""
        yield HistoryReplaySession(self, seconds)

    def failure(self, kind: str) -> Failure:
        """The failure of the finding."""
        return Failure(kind, self.operations, (), 0, None)


class HistoryReplaySession(Session[StressOutcome, StressResult]):
    """One check of a history."""

    phases = ()
    repetitions: ClassVar = (False,)
    replay_shows_it: ClassVar = "the operations of the finding are still a violation"

    def __init__(self, subject: RecordedHistory, seconds: float) -> None:
        super().__init__(seconds)
        self.subject = subject
        self.verdict: Verdict | None = None

    def search(self, task: SearchTask) -> Iterator[Failure]:
        """There is nothing to search."""
        yield from ()

    def reproduce(self, failure: Failure, *, record: bool) -> Reproduction | None:
        """Check the operations."""
        verdict = self.verdict = check(failure.case, self.subject.spec, budget=self.seconds)
        return Reproduction(verdict, failure if verdict.status is Status.VIOLATION else None)

    def build_finding(self, failure: Failure, reproduction: Reproduction | None, *, minimal: bool) -> StressOutcome:
        """The kind stays that of the token."""
        return StressOutcome(Status.VIOLATION, self.replay_shows_it, failure.kind)

    def claim(self) -> Claim:
        """The verdict of the check."""
        assert self.verdict is not None
        return Claim(self.verdict.status, self.verdict.why)

    def replay_claim(self, reproduction: Reproduction | None) -> Claim:
        """The same."""
        return self.claim()

    def result(self, claim: Claim, findings: list[StressOutcome]) -> StressResult:
        """The result with the verdict, whose explanation is all that is printed."""
        verdict = self.verdict
        assert verdict is not None
        count = len(self.subject.operations)
        return StressResult(
            claim.status,
            self.subject.name,
            verdict.spec.name,
            0,
            count,
            verdict.statistics.seconds,
            claim.why,
            findings[0].kind if findings else None,
            verdict,
            statistics={"operations": count, "gil": True},
        )
