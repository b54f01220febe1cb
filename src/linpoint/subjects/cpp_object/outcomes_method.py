# SPDX-License-Identifier: Apache-2.0
"""Codex's method: compares the outcomes of a scenario with its outcomes under atomic operations.

Each scenario is run with atomic operations, and with its own operations under SC and TSO. The sets of outcomes are
compared in both directions. No spec is needed, but real-time order is ignored, so a spec finds more violations.
Source: the thesis on Codex, chapter 3.2.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from typing import Final

from linpoint.histories.values import format_value
from linpoint.subjects.cpp_object.atomic_outcomes import AtomicOutcomesJudge
from linpoint.subjects.cpp_object.object_session import FollowUp, ObjectSession
from linpoint.subjects.cpp_object.object_under_test import CppObject
from linpoint.subjects.interface import NONDETERMINISM, Claim, Failure, FurtherSearch, Progress
from linpoint.text.phrases import count_noun
from linpoint.verdicts import Status
from linpoint.verdicts.coverage import Coverage
from linpoint.verdicts.finding import Finding

WRONG_UNDER_SC: Final = "wrong under SC"
WRONG_UNDER_TSO: Final = "correct under SC, wrong under TSO"
NEVER_SHOWN: Final = "never shows an allowed outcome"

_MAX_SHOWN_OUTCOMES: Final = 5
_SC_OUTCOMES_SHARE: Final = 0.5
_MIN_SEARCH_S: Final = 0.2


@dataclass(frozen=True, slots=True)
class OutcomesSubject:
    """A built test whose outcomes are compared."""

    target: CppObject

    @contextmanager
    def open(self, seconds: float, progress: Progress) -> Iterator[OutcomesSession]:
        """Open a session of the test; each search starts a host."""
        yield OutcomesSession(self.target, seconds, progress)


class OutcomesSession(ObjectSession):
    """The search under SC; a search under TSO follows."""

    def __init__(self, target: CppObject, seconds: float, progress: Progress) -> None:
        self._until = time.monotonic() + seconds
        self._outcomes = AtomicOutcomesJudge(target, self._until)
        self._progress_listener = progress
        self._decisive: ObjectSession = self
        """The search whose coverage the result reports."""
        self._searches: list[ObjectSession] = [self]
        seconds = max(_MIN_SEARCH_S, _SC_OUTCOMES_SHARE * seconds)
        super().__init__(_under(target, "sc"), self._outcomes, seconds, progress)

    def begin(self) -> None:
        """Reject a target whose code linpoint cannot observe."""
        self.refuse_unseen_code()

    def follow_up(self, claim: Claim, failures: list[Failure]) -> FollowUp[Claim]:
        """The claim for both models, with the allowed outcomes that no schedule has shown."""
        claim = replace(claim, models={"sc": claim.status})
        if failures:
            return replace(claim, why=WRONG_UNDER_SC, warnings=(WRONG_UNDER_SC,))
        if not self.done:
            seconds = max(_MIN_SEARCH_S, self._until - time.monotonic())
            search = ObjectSession(_under(self.target, "tso"), self._outcomes, seconds, self._progress_listener)
            self._searches.append(search)
            end = yield FurtherSearch(nullcontext(search), seconds, adds_findings=True)
            if end.findings:
                self._decisive = search
                repeated = any(each.kind != NONDETERMINISM for each in end.findings)
                status = Status.VIOLATION if repeated else Status.UNKNOWN
                models = claim.models | {"tso": status}
                return Claim(status, WRONG_UNDER_TSO, models=models, warnings=(WRONG_UNDER_TSO,))
            claim = replace(claim, models=claim.models | {"tso": search.claim().status})
        return self._claim_of_all(claim)

    def coverage(self, claim: Claim, findings: Sequence[Finding]) -> Coverage:
        """The schedules of both searches; with findings, those of the search that failed."""
        coverage = ObjectSession.coverage(self._decisive, claim, findings)
        coverage = replace(coverage, seconds=time.monotonic() - self.started)
        if findings:
            return coverage
        explored = [each.explored for each in self._searches]
        schedules, steps = sum(each.unbounded for each in explored), sum(each.steps for each in explored)
        return coverage.with_counts(schedules=schedules, steps=steps)

    def _claim_of_all(self, claim: Claim) -> Claim:
        """The claim without a failure: that of the weaker search."""
        claims = [each.claim() for each in self._searches]
        self._decisive = self._searches[-1] if claims[0].status is Status.LINEARIZABLE else self
        passed = all(each.status is Status.LINEARIZABLE for each in claims)
        why = "atomic operations allow every observed outcome" if passed else self._decisive.claim().why
        return replace(
            claim,
            status=Status.LINEARIZABLE if passed else Status.UNKNOWN,
            why=why,
            exhaustive=all(each.exhaustive for each in claims),
            warnings=tuple(self._never_shown()),
        )

    def _never_shown(self) -> Iterator[str]:
        """Sentences on allowed outcomes that no schedule has shown, in fully explored scenarios."""
        explored = self._searches[-1].explored.scenarios
        scenarios = [each.scenario for each in explored if each.covered.exhaustive]
        missing = [(scenario, run) for scenario in scenarios for run in self._outcomes.never_shown(scenario)]
        for scenario, run in missing[:_MAX_SHOWN_OUTCOMES]:
            results = ", ".join(
                f"{each.call} -> {format_value(each.result)}"
                for part in run.threads
                for each in part
                if each.returned is not None
            )
            yield f"{NEVER_SHOWN}: {results} in {scenario.describe()}"
        if len(missing) > _MAX_SHOWN_OUTCOMES:
            yield f"{NEVER_SHOWN} in {count_noun(len(missing) - _MAX_SHOWN_OUTCOMES, 'more case')}"


def _under(target: CppObject, model: str) -> CppObject:
    """The test under a memory model; its findings replay under the same model."""
    return replace(target.under(model), token={**target.token, "memory_model": model, "method": "outcomes"})
