# SPDX-License-Identifier: Apache-2.0
"""Which runs of a stress test are right, counted; the same for objects in Python and in C++.

Guarantee: a violation was decided twice. A run counts only once it is decided.
"""

from __future__ import annotations

import time
from bisect import bisect_left
from collections import Counter
from dataclasses import dataclass, replace

from linpoint.checkers.check import check
from linpoint.histories.history import History
from linpoint.histories.operation import Outcome
from linpoint.histories.values import counted
from linpoint.judging.deadlock_policy import may_wait_forever, without_exceptions
from linpoint.specs.spec import Spec
from linpoint.verdicts import Budget, Status, Verdict
from linpoint.verdicts.hung_thread import HungThread


@dataclass(frozen=True, slots=True)
class StressOutcome:
    """What ended the stress, other than its budget."""

    status: Status
    why: str
    kind: str | None = None
    verdict: Verdict | None = None
    history: History | None = None
    stuck: tuple[HungThread, ...] = ()
    report: str = ""
    """What a sanitizer or a process that died had to say."""


class StressJudge:
    """Decides runs one after another, and knows how many there were."""

    def __init__(self, spec: Spec, budget: Budget, patience: float, *, jobs: int | None = None) -> None:
        self._spec, self._budget, self._patience, self._jobs = spec, budget, patience, jobs
        self._counts: Counter[str] = Counter()
        self._warnings: Counter[str] = Counter()
        self._checking = 0.0
        self.runs = 0
        self.operations = 0
        self.finding: StressOutcome | None = None
        """As soon as it is certain: Ctrl-C while more is found out about it must not make a pass of it."""

    def warnings(self) -> list[str]:
        """What is to be said of all runs."""
        warnings = [warning for warning, count in self._warnings.items() if count == self.runs]
        if self._counts["waiting"]:
            runs = counted(self._counts["waiting"], "run")
            warnings.append(f"{runs} ended with operations that wait for ever, as the spec allows")
        return warnings

    def statistics(self) -> dict[str, int | float]:
        """How many runs there were, and how much of them overlapped."""
        return {
            "operations": self.operations,
            "runs": self.runs,
            "overlapping_pairs": self._counts["pairs"],
            "overlapping_runs": self._counts["overlapping"],
            "checking_seconds": round(self._checking, 6),
        }

    def decide(
        self, history: History, run: int, stuck: tuple[HungThread, ...] = (), *, pairs: int | None = None
    ) -> StressOutcome | None:
        """What is wrong with a run, if anything; ``pairs`` of operations overlap, where that is known already."""
        began = time.monotonic()
        try:
            return self._decided(history, f"run {run + 1}", stuck, pairs)
        finally:
            self._checking += time.monotonic() - began

    def _decided(
        self, history: History, run: str, stuck: tuple[HungThread, ...], pairs: int | None
    ) -> StressOutcome | None:
        verdict = self._check(history)
        if verdict.status is Status.UNKNOWN:
            return StressOutcome(verdict.status, f"{run} was not decided: {verdict.why}", None, verdict, history, stuck)
        if verdict.status is Status.VIOLATION:
            if self._check(history).status is Status.LINEARIZABLE:
                why = f"two checks of {run} disagree, so the spec {self._spec.name} is not pure"
                return StressOutcome(Status.UNKNOWN, why, None, verdict, history, stuck)
            why = f"{run} does not fit the spec {self._spec.name}"
            self.finding = StressOutcome(verdict.status, why, "linearizability", verdict, history, stuck)
            excused = without_exceptions(history)
            if excused is not None and self._check(excused).status is Status.LINEARIZABLE:
                self.finding = replace(self.finding, kind="exception")
        elif stuck:
            self.finding = self._hanging(history, verdict, run, stuck)
        self._count(history, verdict, overlapping_pairs(history) if pairs is None else pairs)
        return self.finding

    def _hanging(
        self, history: History, verdict: Verdict, run: str, stuck: tuple[HungThread, ...]
    ) -> StressOutcome | None:
        """What is wrong with a run that hangs, though whatever returned is right."""
        if may_wait_forever(history, self._spec, self._check):
            self._counts["waiting"] += 1
            return None
        remaining = self._budget.remaining()
        if remaining is not None and remaining <= 0:
            return StressOutcome(Status.UNKNOWN, f"the budget ended inside of {run}", None, verdict, history, stuck)
        kind = "livelock" if all(each.running for each in stuck) else "deadlock"
        inside = counted(sum(op.outcome is Outcome.UNKNOWN for op in history), "operation")
        why = f"in {run} nothing moved for {self._patience:g} s, and {inside} had not returned"
        return StressOutcome(Status.VIOLATION, why, kind, verdict, history, stuck)

    def _count(self, history: History, verdict: Verdict, pairs: int) -> None:
        self.runs += 1
        self.operations += len(history)
        self._counts["pairs"] += pairs
        self._counts["overlapping"] += pairs > 0
        self._warnings.update(verdict.warnings)

    def _check(self, history: History) -> Verdict:
        remaining = self._budget.remaining()
        # A check that begins when the time is just over still decides a small history.
        return check(
            history,
            self._spec,
            budget=None if remaining is None else max(remaining, 0.1),
            max_memory=self._budget.max_memory,
            jobs=self._jobs,
        )


def overlapping_pairs(history: History) -> int:
    """How many pairs of operations were open at the same time, by the definition of closed intervals."""
    ops = [op for op in history if op.outcome is not Outcome.FAILED]
    ends = sorted(op.end for op in ops)
    ordered = sum(bisect_left(ends, op.call) for op in ops)
    return len(ops) * (len(ops) - 1) // 2 - ordered
