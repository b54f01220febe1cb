# SPDX-License-Identifier: Apache-2.0
"""Judges and counts the runs of a stress test, of objects in Python and in C++.

Guarantee: a violation that is confirmed was decided twice. A run counts only once it is decided.
"""

from __future__ import annotations

import time
from bisect import bisect_left
from collections import Counter
from dataclasses import dataclass, replace
from typing import Final

from linpoint.checkers.check import check
from linpoint.histories.history import History
from linpoint.histories.operation import Outcome
from linpoint.judging.deadlock_policy import may_wait_forever, without_exceptions
from linpoint.specs.spec import Spec
from linpoint.text.phrases import count_noun
from linpoint.verdicts import Budget, Status, Verdict
from linpoint.verdicts.evidence import HungThread

_NOT_LINEARIZABLE: Final = "linearizability"


@dataclass(frozen=True, slots=True)
class StressOutcome:
    """A run that fails, or that could not be decided."""

    status: Status
    why: str
    kind: str = ""
    """For a violation, a key of ``FAILURES``."""
    verdict: Verdict | None = None
    history: History | None = None
    stuck: tuple[HungThread, ...] = ()
    report: str = ""
    """The report of a sanitizer, or of the process that died."""
    run: int = 0
    """The number of the run, from 1."""
    pairs: int = 0
    """The number of pairs of overlapping operations."""


class StressJudge:
    """Decides runs one after another, and counts them."""

    def __init__(self, spec: Spec, budget: Budget, patience: float, *, jobs: int | None = None) -> None:
        self._spec, self._budget, self._patience, self._jobs = spec, budget, patience, jobs
        self._counts: Counter[str] = Counter()
        self._warnings: Counter[str] = Counter()
        self._checking = 0.0
        self.runs = 0
        self.operations = 0

    def warnings(self) -> list[str]:
        """Warnings that hold for all runs."""
        warnings = [warning for warning, count in self._warnings.items() if count == self.runs]
        if self._counts["waiting"]:
            runs = count_noun(self._counts["waiting"], "run")
            warnings.append(f"{runs} ended with operations that block forever, as the spec allows")
        return warnings

    def statistics(self) -> dict[str, int | float]:
        """The counts of the runs that were decided."""
        return {
            "operations": self.operations,
            "runs": self.runs,
            "overlapping_pairs": self._counts["pairs"],
            "overlapping_runs": self._counts["overlapping"],
            "checking_seconds": round(self._checking, 6),
        }

    def decide(
        self, history: History, stuck: tuple[HungThread, ...] = (), *, pairs: int | None = None
    ) -> StressOutcome | None:
        """Decide the next run; None if it passes. ``pairs`` is known where operations overlap.

        A history that violates the spec must be confirmed before its run counts.
        """
        began = time.monotonic()
        try:
            return self._decided(history, stuck, pairs)
        finally:
            self._checking += time.monotonic() - began

    def confirm(self, outcome: StressOutcome) -> StressOutcome | None:
        """Decide a failing run again, and whether exceptions explain it; None if it passes now."""
        if outcome.history is None or outcome.kind != _NOT_LINEARIZABLE:
            return outcome
        began = time.monotonic()
        try:
            return self._confirmed(outcome, outcome.history)
        finally:
            self._checking += time.monotonic() - began

    def _decided(self, history: History, stuck: tuple[HungThread, ...], pairs: int | None) -> StressOutcome | None:
        verdict, number, run = self._check(history), self.runs + 1, f"run {self.runs + 1}"
        pairs = overlapping_pairs(history) if pairs is None else pairs
        if verdict.status is Status.UNKNOWN:
            return StressOutcome(verdict.status, f"{run} was not decided: {verdict.why}", "", verdict, history, stuck)
        if verdict.status is Status.VIOLATION:
            why = f"{run} violates the spec {self._spec.name}"
            return StressOutcome(
                verdict.status, why, _NOT_LINEARIZABLE, verdict, history, stuck, run=number, pairs=pairs
            )
        outcome = self._hanging(history, verdict, run, stuck) if stuck else None
        self._count(history, verdict, pairs)
        return outcome

    def _confirmed(self, outcome: StressOutcome, history: History) -> StressOutcome | None:
        if self._check(history).status is Status.LINEARIZABLE:
            return None
        excused = without_exceptions(history)
        if excused is not None and self._check(excused).status is Status.LINEARIZABLE:
            outcome = replace(outcome, kind="exception")
        assert outcome.verdict is not None
        self._count(history, outcome.verdict, outcome.pairs)
        return outcome

    def _hanging(
        self, history: History, verdict: Verdict, run: str, stuck: tuple[HungThread, ...]
    ) -> StressOutcome | None:
        """The outcome of a run that hangs, although each operation that returned is correct."""
        if may_wait_forever(history, self._spec, self._check):
            self._counts["waiting"] += 1
            return None
        remaining = self._budget.remaining()
        if remaining is not None and remaining <= 0:
            return StressOutcome(Status.UNKNOWN, f"the budget ended during {run}", "", verdict, history, stuck)
        kind = "livelock" if all(each.running for each in stuck) else "deadlock"
        inside = count_noun(sum(op.outcome is Outcome.UNKNOWN for op in history), "operation")
        why = f"{run} made no progress for {self._patience:g} s, and {inside} did not return"
        return StressOutcome(Status.VIOLATION, why, kind, verdict, history, stuck)

    def _count(self, history: History, verdict: Verdict, pairs: int) -> None:
        self.runs += 1
        self.operations += len(history)
        self._counts["pairs"] += pairs
        self._counts["overlapping"] += pairs > 0
        self._warnings.update(verdict.warnings)

    def _check(self, history: History) -> Verdict:
        remaining = self._budget.remaining()
        # A check that starts just after the deadline still decides a small history.
        return check(
            history,
            self._spec,
            budget=None if remaining is None else max(remaining, 0.1),
            max_memory=self._budget.max_memory,
            jobs=self._jobs,
        )


def overlapping_pairs(history: History) -> int:
    """The number of pairs of operations that were open at the same time, by the definition of closed intervals."""
    ops = [op for op in history if op.outcome is not Outcome.FAILED]
    ends = sorted(op.end for op in ops)
    ordered = sum(bisect_left(ends, op.call) for op in ops)
    return len(ops) * (len(ops) - 1) // 2 - ordered
