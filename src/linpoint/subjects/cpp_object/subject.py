# SPDX-License-Identifier: Apache-2.0
"""A C++ object against a spec, as a subject of the campaign.

Follow-ups: the verdict under sequential consistency on the scenario that fails under a weaker model; fences that fix a
violation which only that model has; and after a pass, whether a thread that stops can keep others from finishing.
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
    """A test that was built, and its spec; without one, failures are runs that atomic operations do not give."""

    target: CppObject
    spec: Spec | None
    progress: bool = False
    """Check also whether operations can be kept from finishing."""

    @contextmanager
    def open(self, seconds: float, progress: Progress) -> Iterator[CppObjectSession]:
        """A session of the test; a host is started for each search."""
        judge: Judge
        if self.spec is not None:
            judge = SpecJudge(self.spec)
        else:
            judge = AtomicOutcomesJudge(self.target, time.monotonic() + seconds)
        yield CppObjectSession(self.target, judge, seconds, progress, check_progress=self.progress)


class CppObjectSession(ObjectSession):
    """The searches of one object, and those that follow."""

    def __init__(
        self, target: CppObject, judge: Judge, seconds: float, progress: Progress, *, check_progress: bool
    ) -> None:
        super().__init__(target, judge, seconds, progress)
        self._check_progress = check_progress

    def begin(self) -> None:
        """Refuse a target of which nothing could be trusted."""
        self.refuse_unseen_code()

    def follow_up(self, claim: Claim, failures: list[Failure]) -> FollowUp[Claim]:
        """The claim with the verdict under SC, fences and progress."""
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
        """The status of the scenario that fails if stores do not wait; unknown if there is no time to find out."""
        if self.left < _MIN_FOLLOW_UP_S:
            return Status.UNKNOWN
        target = replace(self.target.under("sc"), scenarios=(failure.case,))
        search = ObjectSession(target, self.judge.again(), self.left)
        end = yield FurtherSearch(nullcontext(search), search.seconds)
        return Status.VIOLATION if end.failures else search.claim().status

    def _fences(self, failure: Failure) -> FollowUp[tuple[str, ...]]:
        """The fences that fix a violation which exists only because stores wait, in words."""
        advice = None
        if self.left >= _MIN_FOLLOW_UP_S:
            advice = yield from FenceAdvisor(self).advise(failure)
        return ("There was no time to find out which fences mend it",) if advice is None else advice.sentences()
