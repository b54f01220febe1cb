# SPDX-License-Identifier: Apache-2.0
"""An eighth subject: transfers between two accounts, with every interleaving of their steps, in plain Python.

It shows what a further subject needs: one adapter, without a loop over phases, shrinking or confirmation.
"""

from __future__ import annotations

import time
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import ClassVar

from linpoint.limits.search_limits import SearchLimits
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
from linpoint.verdicts.coverage import Coverage, coverage_of
from linpoint.verdicts.evidence import ScenarioEvidence, ShownOperation
from linpoint.verdicts.finding import Finding
from linpoint.verdicts.replay_token import ReplayToken
from linpoint.verdicts.schedule import Schedule
from linpoint.verdicts.status import Status

Case = tuple[int, ...]
"""The amount that each thread transfers."""

_START = 100
_STEPS = 3
"""Read, withdraw and deposit; a transfer with a lock makes them one step."""


@dataclass(frozen=True, slots=True)
class TransferSubject:
    """Threads that each move an amount from one account to the other."""

    amounts: Case
    locked: bool

    @contextmanager
    def open(self, seconds: float, progress: Progress) -> Iterator[TransferSession]:
        """Open a session; it holds no resources."""
        yield TransferSession(self, seconds, progress)


class TransferSession(Session):
    """The interleavings of the transfers."""

    kind: ClassVar = "test"
    name = "Transfers"
    file = None
    default_model = "sc"
    phases = (Phase((Search("all"),)),)

    def __init__(self, subject: TransferSubject, seconds: float, progress: Progress) -> None:
        super().__init__(seconds)
        self._subject, self._progress = subject, progress
        self._runs = 0
        self._exhausted = False

    def search(self, task: SearchTask) -> Iterator[Failure]:
        """Run every interleaving until the time is up."""
        for order in _orders([1 if self._subject.locked else _STEPS] * len(self._subject.amounts)):
            if task.limits.over():
                return
            self._runs += 1
            self._progress(CampaignProgress(executions=self._runs))
            if (failure := self._run(self._subject.amounts, order)) is not None:
                yield failure
        self._exhausted = True

    def smaller(self, failure: Failure, limits: SearchLimits) -> Generator[Case, Failure | None, bool]:
        """Leave out each transfer in turn."""
        case: Case = failure.case
        for at in reversed(range(len(case))):
            if limits.over():
                return False
            fewer = case[:at] + case[at + 1 :]
            if (yield fewer) is not None:
                case = fewer
        return True

    def retry(self, candidate: Case, limits: SearchLimits) -> Failure | None:
        """The first interleaving of fewer transfers that fails."""
        found = (self._run(candidate, order) for order in _orders([_STEPS] * len(candidate)))
        return next((each for each in found if each is not None), None)

    def reproduce(self, failure: Failure, *, record: bool) -> Reproduction | None:
        """Run the schedule of a failure again."""
        return Reproduction(None, self._run(failure.case, tuple(thread for _, thread in failure.schedule)))

    def build_finding(self, failure: Failure, reproduction: Reproduction | None, *, minimal: bool) -> Finding:
        """Report the transfers and the final sum."""
        calls = [f"transfer({amount})" for amount in failure.case]
        shown = tuple(ShownOperation(thread, call, returned=True) for thread, call in enumerate(calls))
        return Finding(
            kind=failure.kind,
            message=failure.message,
            evidence=ScenarioEvidence(" | ".join(calls), shown),
            schedule=failure.schedule,
            minimal=minimal,
            replay_token=ReplayToken("test", failure.kind, reproduction={"schedule": failure.schedule}),
        )

    def claim(self) -> Claim:
        """Pass if all interleavings were run."""
        if self._exhausted:
            return Claim(Status.LINEARIZABLE, "no order of the steps loses money", exhaustive=True)
        return Claim(Status.UNKNOWN, "the run was interrupted" if self.interrupted else "the budget ended")

    def coverage(self, claim: Claim, findings: Sequence[Finding]) -> Coverage:
        """The number of runs."""
        return coverage_of("test", seconds=time.monotonic() - self.started, schedules=self._runs, scenarios=1)

    def _run(self, case: Case, order: Sequence[int]) -> Failure | None:
        accounts, read, at = [_START, 0], [0] * len(case), [0] * len(case)
        for thread in order:
            for _ in range(_STEPS if self._subject.locked else 1):
                if at[thread] == 0:
                    read[thread] = accounts[0]
                elif at[thread] == 1:
                    accounts[0] = read[thread] - case[thread]
                else:
                    accounts[1] += case[thread]
                at[thread] += 1
        if sum(accounts) == _START:
            return None
        schedule: Schedule = tuple(enumerate(order))
        message = f"the accounts hold {sum(accounts)}, but {_START} were paid in"
        return Failure("linearizability", case, schedule, 0, None, message=message)


def _orders(left: list[int]) -> Iterator[tuple[int, ...]]:
    """Every order of the threads' steps."""
    if not any(left):
        yield ()
    for thread, count in enumerate(left):
        if count:
            rest = [each - (other == thread) for other, each in enumerate(left)]
            yield from ((thread, *order) for order in _orders(rest))
