# SPDX-License-Identifier: Apache-2.0
"""The adapter to the native searches: columns in, positions out."""

from __future__ import annotations

from array import array
from collections.abc import Callable
from dataclasses import dataclass
from itertools import chain
from typing import Final

from linpoint._native import Result, SearchStatus, StopReason, StopToken, depth_first, wing_gong
from linpoint.checkers.conditions import CRASH_OPERATION, PERSIST, Problem
from linpoint.histories.operation import Operation
from linpoint.specs.automaton import Automaton
from linpoint.verdicts.witness import Witness

__all__ = ["Answer", "Prepared", "StopReason", "StopToken"]

ALGORITHMS: Final[dict[str, Callable[..., Result]]] = {"wing-gong": wing_gong, "dfs": depth_first}
_FOUND: Final = {SearchStatus.LINEARIZABLE: True, SearchStatus.VIOLATION: False, SearchStatus.STOPPED: None}


@dataclass(frozen=True, slots=True)
class Answer:
    """What a search found. ``found`` is None when it was stopped; ``witness`` holds the order, or the longest prefix."""

    found: bool | None
    witness: Witness
    configurations: int


class Prepared:
    """A problem with its symbols numbered: cheap to search, and safe to search on any thread."""

    def __init__(self, problem: Problem, automaton: Automaton) -> None:
        self._problem = problem
        self._automaton = automaton
        self._symbols = array("i", map(automaton.symbol, problem.operations))
        self._reads = bytes(map(problem.machine.reads, problem.operations))
        self._before = array("i", chain.from_iterable(problem.before))
        self._excluded = array("i", chain.from_iterable(problem.excluded))

    def run(self, algorithm: str, stop: StopToken) -> Answer:
        """Search until an answer is found or ``stop`` says to stop."""
        automaton = self._automaton

        def step(state: int, symbol: int) -> list[int]:
            cell = automaton.step(state, symbol)
            if automaton.error is not None:
                stop.stop(StopReason.REQUEST)
            return cell

        result = ALGORITHMS[algorithm](
            self._symbols,
            self._problem.calls,
            self._problem.returns,
            self._problem.optional,
            self._reads,
            self._before,
            self._excluded,
            automaton.initial,
            step,
            stop,
        )
        return Answer(_FOUND[result.status], self._witness(result.order), result.configurations)

    def _witness(self, order: list[int]) -> Witness:
        positions = self._problem.positions
        places = tuple(place for index in order if (place := positions[index]) is not None)
        if None not in positions:
            return Witness(places)
        return Witness(places, tuple(_survivors([self._problem.operations[index] for index in order])))


def _survivors(order: list[Operation]) -> list[int]:
    """How many operations of each era come before its *persist*."""
    survivors, count = [], 0
    for op in order:
        if op is PERSIST:
            survivors.append(count)
        count = 0 if op is CRASH_OPERATION else count + (op is not PERSIST)
    return survivors
