# SPDX-License-Identifier: Apache-2.0
"""A C++ object tested against a spec, as a subject of the campaign.

Follow-ups of a violation under a weaker model: the verdict on its scenario under sequential consistency, and fences
that fix it if only the weaker model fails. Follow-up of a pass: whether a stopped thread can prevent others from
finishing.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from typing import Final

from linpoint.judging.spec_judge import Judge, SpecJudge
from linpoint.specs.spec import Spec
from linpoint.subjects.cpp_object.atomic_outcomes import AtomicOutcomesJudge
from linpoint.subjects.cpp_object.fence_advice import FenceAdvisor
from linpoint.subjects.cpp_object.object_session import FollowUp, ObjectSession
from linpoint.subjects.cpp_object.object_under_test import CppObject
from linpoint.subjects.cpp_object.progress_check import ProgressSession
from linpoint.subjects.interface import Claim, Failure, FurtherSearch, Progress
from linpoint.verdicts import Status

_MIN_FOLLOW_UP_S: Final = 0.1


@dataclass(frozen=True, slots=True)
class CppObjectSubject:
    """A built test and its spec; without a spec, a run fails if no run with atomic operations gives its outcome."""

    target: CppObject
    spec: Spec | None
    progress: bool = False
    """Whether to check also that a stopped thread cannot prevent operations from finishing."""

    @contextmanager
    def open(self, seconds: float, progress: Progress) -> Iterator[CppObjectSession]:
        """Open a session of the test; each search starts a host."""
        judge: Judge
        if self.spec is not None:
            judge = SpecJudge(self.spec)
        else:
            judge = AtomicOutcomesJudge(self.target, time.monotonic() + seconds)
        yield CppObjectSession(self.target, judge, seconds, progress, check_progress=self.progress)


class CppObjectSession(ObjectSession):
    """The searches of one object and their follow-ups."""

    def __init__(
        self, target: CppObject, judge: Judge, seconds: float, progress: Progress, *, check_progress: bool
    ) -> None:
        super().__init__(target, judge, seconds, progress)
        self._check_progress = check_progress

    def begin(self) -> None:
        """Reject a target whose code linpoint cannot observe."""
        self.refuse_unseen_code()

    def follow_up(self, claim: Claim, failures: list[Failure]) -> FollowUp[Claim]:
        """The claim extended by the verdict under SC, fences and progress."""
        model = self.target.model
        claim = replace(claim, models={model: claim.status})
        if claim.status is Status.VIOLATION and model != "sc" and not self.interrupted:
            under_sc = yield from self._status_under_sc(failures[0])
            claim = replace(claim, models=claim.models | {"sc": under_sc})
            if under_sc is Status.LINEARIZABLE:
                claim = replace(claim, advice=(yield from self._fences(failures[0])))
        if claim.status is Status.LINEARIZABLE and self._check_progress:
            scenarios = [each.scenario for each in self.explored.scenarios]
            search = ProgressSession(self.target, self.judge, self.left, scenarios)
            end = yield FurtherSearch(nullcontext(search), search.seconds, adds_findings=True)
            claim = search.added_to(claim, end.failures)
        return claim

    def _status_under_sc(self, failure: Failure) -> FollowUp[Status]:
        """The status of the failing scenario under SC; UNKNOWN if time is short."""
        if self.left < _MIN_FOLLOW_UP_S:
            return Status.UNKNOWN
        target = replace(self.target.under("sc"), scenarios=(failure.case,))
        search = ObjectSession(target, self.judge.again(), self.left)
        end = yield FurtherSearch(nullcontext(search), search.seconds)
        return Status.VIOLATION if end.failures else search.claim().status

    def _fences(self, failure: Failure) -> FollowUp[tuple[str, ...]]:
        """Sentences on fences that fix a violation which exists only because stores wait in buffers."""
        advice = None
        if self.left >= _MIN_FOLLOW_UP_S:
            advice = yield from FenceAdvisor(self).advise(failure)
        return ("The time did not suffice to find the fences that fix it",) if advice is None else advice.sentences()
