# SPDX-License-Identifier: Apache-2.0
"""Replays the finding of a stress test: checks the operations of its token again, without building or running code."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, ClassVar

from linpoint.checkers.check import check
from linpoint.executors.thread_executor import peak_memory
from linpoint.specs.spec import Spec
from linpoint.subjects.interface import Claim, Failure, Progress, Reproduction, SearchTask, Session
from linpoint.verdicts import Status, Verdict
from linpoint.verdicts.coverage import Coverage, coverage_of
from linpoint.verdicts.evidence import HistoryEvidence
from linpoint.verdicts.finding import Finding


@dataclass(frozen=True, slots=True)
class RecordedHistory:
    """The operations of a finding and the spec to check them against. ``name`` is the name of the test."""

    name: str
    spec: Spec
    operations: Sequence[Mapping[str, Any]]

    @contextmanager
    def open(self, seconds: float, _progress: Progress) -> Iterator[HistoryReplaySession]:
        """Open a session that checks the operations."""
        yield HistoryReplaySession(self, seconds)

    def failure(self, kind: str) -> Failure:
        """The failure that the finding describes."""
        return Failure(kind, self.operations, (), 0, None)


class HistoryReplaySession(Session):
    """One check of a history."""

    kind: ClassVar = "stress"
    phases = ()
    repetitions: ClassVar = (False,)
    replay_shows_it: ClassVar = "the operations of the finding are still a violation"

    def __init__(self, subject: RecordedHistory, seconds: float) -> None:
        super().__init__(seconds)
        self.subject = subject
        self.name, self.file, self.spec_name = subject.name, None, subject.spec.name
        self.verdict: Verdict | None = None

    def search(self, task: SearchTask) -> Iterator[Failure]:
        """No search: yields nothing."""
        yield from ()

    def reproduce(self, failure: Failure, *, record: bool) -> Reproduction | None:
        """Check the operations."""
        verdict = self.verdict = check(failure.case, self.subject.spec, budget=self.seconds)
        return Reproduction(verdict, failure if verdict.status is Status.VIOLATION else None)

    def build_finding(self, failure: Failure, reproduction: Reproduction | None, *, minimal: bool) -> Finding:
        """Build the finding with the kind that the token names."""
        evidence = HistoryEvidence(self.verdict)
        return Finding(kind=failure.kind, message=self.replay_shows_it, evidence=evidence, verdict=self.verdict)

    def claim(self) -> Claim:
        """The verdict of the check."""
        assert self.verdict is not None
        return Claim(self.verdict.status, self.verdict.why)

    def replay_claim(self, reproduction: Reproduction | None) -> Claim:
        """The verdict of the check, which is the claim of the replay."""
        return self.claim()

    def undecided_run(self) -> HistoryEvidence | None:
        """The history with its verdict."""
        return HistoryEvidence(self.verdict)

    def coverage(self, claim: Claim, findings: Sequence[Finding]) -> Coverage:
        """The number of operations; there was no run."""
        seconds = 0.0 if self.verdict is None else self.verdict.statistics.seconds
        return coverage_of(
            self.kind,
            seconds=seconds,
            peak_memory_bytes=peak_memory(),
            operations=len(self.subject.operations),
            gil=True,
        )
