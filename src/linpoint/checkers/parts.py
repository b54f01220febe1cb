# SPDX-License-Identifier: Apache-2.0
"""The objects of a history, each decided exactly, or by its parts, with a contest of searches or the oracle."""

from __future__ import annotations

import functools
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

from linpoint.checkers import checker_selection, monitor_decider, precedence_decider
from linpoint.checkers._native_search import StopToken
from linpoint.checkers.brute_force import brute_force
from linpoint.checkers.exact_decision import ExactDecision
from linpoint.checkers.history_interpretation import HistoryInterpretation
from linpoint.checkers.portfolio import Portfolio, PortfolioAnswer
from linpoint.executors.thread_executor import Task, resident_memory
from linpoint.histories.values import Value
from linpoint.limits.budget import Budget
from linpoint.verdicts.witness import Witness

_OBJECTS_PER_TASK: Final = 64
"""Up to so many objects are one task for exact decisions; a single one takes microseconds."""
_BYTES: Final = {"monitor": 250, "graph": 300}
"""Memory that an exact decision takes for an operation, at most."""
_EXACT: Final = tuple(_BYTES)


@dataclass(eq=False, slots=True)
class Object:
    """One independent object: what exact decisions say of it, and else the parts of it that are searched."""

    key: Value
    positions: Sequence[int]
    asked: list[ExactDecision] = field(default_factory=list)
    """What was asked, in this order; at most the last is an answer."""
    asking: str = "monitor"
    """Who was asked last, with or without saying anything."""
    parts: list[Part] = field(default_factory=list)

    @property
    def told(self) -> ExactDecision | None:
        """The exact decision, where there is one."""
        return self.asked[-1] if self.asked and self.asked[-1].decided else None


class ExactDecisions:
    """Asks precedence graphs and monitors for all objects, where the checker has a use for them."""

    def __init__(
        self,
        reading: HistoryInterpretation,
        objects: Sequence[Object],
        checker: str,
        stop: StopToken,
        budget: Budget,
        *,
        threads: int = 1,
        paper: bool = False,
    ) -> None:
        self._reading = reading
        self._objects = objects
        self._checker = checker
        self._stop = stop
        self._budget = budget
        self._threads = max(1, threads // max(1, len(objects)))  # that each object may have to itself
        self._paper = paper
        self.refuted: float | None = None
        """When one found a violation first, on the clock of ``time.perf_counter``."""

    def tasks(self) -> list[Task]:
        """The tasks that ask them."""
        if self._checker in _EXACT:
            return self._tasks([self._checker], tell=True)
        if self._checker != "auto":
            return []
        if precedence_decider.select_memory(self._reading):
            return self._tasks(["graph", "monitor"], tell=self._reading.spec.name == "mwcas")
        return self._tasks(["monitor"], tell=False)

    def _tasks(self, names: list[str], *, tell: bool) -> list[Task]:
        """``tell``: what excludes the whole history is worth saying."""
        usable = []
        for name in names:
            why = (
                precedence_decider.exclusion_reason(self._reading)
                if name == "graph"
                else monitor_decider.exclusion_reason(self._reading)
            )
            if why is None:
                usable.append(name)
            elif tell and name == names[0]:
                for each in self._objects:
                    each.asked.append(ExactDecision(name, why))
        if not usable:
            return []
        chunks = range(0, len(self._objects), _OBJECTS_PER_TASK)
        return [functools.partial(self._ask, usable, self._objects[at : at + _OBJECTS_PER_TASK]) for at in chunks]

    def _ask(self, names: Sequence[str], some: Sequence[Object]) -> Iterable[Task]:
        for each in some:
            for name in names:
                each.asking = name
                said = self._answer(name, each)
                if said is None:  # it was stopped
                    return ()
                each.asked.append(said)
                if said.decided:
                    break
            if each.told is not None and each.told.refutation is not None and self.refuted is None:
                self.refuted = time.perf_counter()
        return ()

    def _answer(self, name: str, asked: Object) -> ExactDecision | None:
        most = self._budget.max_memory
        if most is not None and resident_memory() + _BYTES[name] * len(asked.positions) > most:
            return ExactDecision(name, "there is not enough memory for it")
        if name == "graph":
            ask = precedence_decider.by_the_paper if self._paper else precedence_decider.decide_by_precedence
            return ask(self._reading, asked.positions, self._stop, threads=self._threads)
        return monitor_decider.decide_by_monitor(self._reading, asked.positions, self._stop, self._budget.remaining())


def searched(reading: HistoryInterpretation, objects: Sequence[Object], checker: str) -> list[Part]:
    """The parts that are left for searches, once exact decisions were asked."""
    if checker in _EXACT:
        return []
    for each in objects:
        if each.told is None:
            each.parts = [Part(reading, each.key, positions, checker) for positions in reading.parts(each.positions)]
    return [part for each in objects for part in each.parts]


class Part:
    """Operations that are searched together: one object, or one independent part of it."""

    def __init__(self, reading: HistoryInterpretation, key: Value, positions: Sequence[int], checker: str) -> None:
        self.key = key
        self.positions = positions
        self._reading = reading
        self._checker = checker
        self._selection = checker_selection.CheckerSelection(checker, ())
        self._contest: Portfolio | None = None
        self._answer = PortfolioAnswer(None, Witness(()), 0)

    def begin(self, stop: StopToken, threads: int) -> Iterable[Task]:
        """Begin to decide it; the tasks that are given back go on with it."""
        if stop.stopped:  # with thousands of parts even to begin takes time
            self._answer = PortfolioAnswer(None, Witness(()), 0, reason=stop.reason)
            return ()
        if self._checker == "brute-force":
            self._answer = _ask_oracle(self._reading, self.positions, stop)
            return ()
        problem = self._reading.problem(self.positions)
        self._selection = checker_selection.select_checkers(self._checker, problem, threads=threads)
        self._contest = Portfolio(
            problem, self._reading.machine, stop, self._selection.searches, at_once=self._selection.at_once
        )
        return self._contest.begin()

    @property
    def refuted(self) -> float | None:
        """When it was found in violation, on the clock of ``time.perf_counter``."""
        return None if self._contest is None else self._contest.refuted

    @property
    def answer(self) -> PortfolioAnswer:
        """What was found by now."""
        return self._answer if self._contest is None else self._contest.answer()

    def told(self) -> tuple[str, str]:
        """The checker that answered, and why it was that one."""
        return self._selection.told(self.answer)


class _StoppedError(Exception):
    """The oracle was told to stop."""


def _ask_oracle(reading: HistoryInterpretation, positions: Sequence[int], stop: StopToken) -> PortfolioAnswer:
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
