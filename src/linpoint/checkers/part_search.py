# SPDX-License-Identifier: Apache-2.0
"""The search of one part of a history: a portfolio of native searches, or the brute-force oracle."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Sequence

from linpoint.checkers import checker_selection
from linpoint.checkers._native_search import StopToken
from linpoint.checkers.brute_force import brute_force
from linpoint.checkers.exact_deciders import EXACT_DECIDERS, KeyedObject
from linpoint.checkers.frontier_decider import FrontierDecider
from linpoint.checkers.frontier_refutation import certified_start
from linpoint.checkers.history_interpretation import HistoryInterpretation
from linpoint.checkers.portfolio import Portfolio, PortfolioAnswer
from linpoint.executors.thread_executor import Task
from linpoint.histories.values import Value
from linpoint.verdicts.refutation import RefutedStart
from linpoint.verdicts.witness import Witness


def search_parts(reading: HistoryInterpretation, objects: Sequence[KeyedObject], checker: str) -> list[HistoryPart]:
    """The parts that remain for searches after the exact deciders."""
    if checker in EXACT_DECIDERS:
        return []
    for each in objects:
        if each.decision is None:
            each.parts = [
                HistoryPart(reading, each.key, positions, checker) for positions in reading.parts(each.positions)
            ]
    return [part for each in objects for part in each.parts]


class HistoryPart:
    """Operations that are searched together: one object, or one independent part of it."""

    def __init__(self, reading: HistoryInterpretation, key: Value, positions: Sequence[int], checker: str) -> None:
        self.key = key
        self.positions = positions
        self._reading = reading
        self.checker = checker
        self._selection = checker_selection.CheckerSelection(checker, ())
        self._portfolio: Portfolio | None = None
        self._answer = PortfolioAnswer(None, Witness(()), 0)
        self.excluded: str | None = "the frontier search was not run"
        """The reason that excludes a search over frontiers."""

    def begin(self, stop: StopToken, threads: int) -> Iterable[Task]:
        """Start the search; the tasks returned continue it."""
        if stop.stopped:  # with thousands of parts, even beginning takes time
            self._answer = PortfolioAnswer(None, Witness(()), 0, reason=stop.reason)
            return ()
        if self.checker == "brute-force":
            self._answer = _run_oracle(self._reading, self.positions, stop)
            return ()
        problem = self._reading.problem(self.positions)
        frontier = FrontierDecider(self._reading, self.positions, problem)
        if self.checker in ("auto", "frontier"):
            self.excluded = frontier.exclusion()
        if self.checker == "frontier" and self.excluded is not None:
            return ()
        self._selection = checker_selection.select_checkers(
            self.checker, problem, threads=threads, why_frontier="" if self.excluded else frontier.why
        )
        self._portfolio = Portfolio(
            problem,
            self._reading.machine,
            stop,
            self._selection.searches,
            at_once=self._selection.at_once,
            frontier=frontier,
            certify_start=functools.partial(certified_start, self._reading, self.positions),
        )
        return self._portfolio.begin()

    @property
    def refuted_start(self) -> RefutedStart | None:
        """The certified refutation of a search over frontiers, if that search gave the answer."""
        return None if self._portfolio is None else self._portfolio.refuted_start

    @property
    def refuted(self) -> float | None:
        """The time at which the violation was found, on the clock of ``time.perf_counter``."""
        return None if self._portfolio is None else self._portfolio.refuted

    @property
    def answer(self) -> PortfolioAnswer:
        """The answer so far."""
        return self._answer if self._portfolio is None else self._portfolio.answer()

    def checker_and_reason(self) -> tuple[str, str]:
        """The checker that answered, and the reason why it did."""
        return self._selection.checker_and_reason(self.answer)


class _StoppedError(Exception):
    """Raised to stop the oracle."""


def _run_oracle(reading: HistoryInterpretation, positions: Sequence[int], stop: StopToken) -> PortfolioAnswer:
    steps = 0

    def tick() -> None:
        nonlocal steps
        steps += 1
        if stop.poll():
            raise _StoppedError

    try:
        found, witness = brute_force(reading.history, positions, reading.spec, reading.condition, tick=tick)
    except (_StoppedError, RecursionError):
        return PortfolioAnswer(None, Witness(()), steps, "brute-force", reason=stop.reason)
    return PortfolioAnswer(found, witness, steps, "brute-force")
