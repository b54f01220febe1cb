# SPDX-License-Identifier: Apache-2.0
"""Deciding many parts of one history: for minimising, where thousands of sub-histories are tried.

All parts share one automaton, so a step of the spec is computed once over all of them.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from linpoint.checkers import conditions
from linpoint.checkers.search._native_search import Answer, Prepared, StopToken
from linpoint.histories.history import History
from linpoint.specs.automaton import Automaton, Machine
from linpoint.specs.protocol import Spec


class Decider:
    """Decides sub-histories of ``history``, given by positions."""

    def __init__(self, history: History, spec: Spec, condition: str) -> None:
        self._history = history
        self._spec = spec
        self._condition = condition
        self._automaton: tuple[Machine, Automaton] | None = None

    def decide(self, positions: Sequence[int], *, seconds: float, relaxed: Collection[int] = ()) -> Answer:
        """Search these operations only, those ``relaxed`` as optional ones; ``found`` is None when time runs out."""
        problem = conditions.build(self._history, positions, self._spec, self._condition, relaxed=relaxed)
        if self._automaton is None or self._automaton[0] is not problem.machine:
            self._automaton = (problem.machine, Automaton(problem.machine))
        stop = StopToken()
        stop.set_time_limit(seconds)
        answer = Prepared(problem, self._automaton[1]).run("dfs", stop)
        if self._automaton[1].error is not None:
            raise self._automaton[1].error
        return answer
