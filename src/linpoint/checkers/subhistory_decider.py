# SPDX-License-Identifier: Apache-2.0
"""Decides many parts of one history: for minimising, which tries thousands of sub-histories.

All parts share one interpretation, so each step of the spec is computed once for all of them.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final

from linpoint.checkers._native_search import SearchStatus, StopToken, depth_first
from linpoint.checkers.frontier_decider import FrontierDecider
from linpoint.checkers.history_interpretation import HistoryInterpretation
from linpoint.checkers.portfolio import FIRST_TURN_CONFIGURATIONS, PortfolioAnswer, witness_from_order
from linpoint.histories.history import History
from linpoint.specs.spec import Spec

_FOUND: Final = {SearchStatus.LINEARIZABLE: True, SearchStatus.VIOLATION: False}
_UNLIMITED_CONFIGURATIONS: Final = 2**62


class SubhistoryDecider:
    """Decides sub-histories of ``history``, given by positions."""

    def __init__(self, history: History, spec: Spec, condition: str) -> None:
        self._reading = HistoryInterpretation(history, spec, condition, divided=False)

    def decide(self, positions: Sequence[int], *, seconds: float, relaxed: Collection[int] = ()) -> PortfolioAnswer:
        """Search only these operations, with those in ``relaxed`` as optional; ``found`` is None if time runs out."""
        stop = StopToken()
        stop.set_time_limit(seconds)
        problem = self._reading.problem(positions, relaxed)
        search = depth_first(problem, self._reading.machine, stop)
        status = search.run(FIRST_TURN_CONFIGURATIONS)
        if status is SearchStatus.PAUSED:
            frontier = FrontierDecider(self._reading, positions, problem)
            if frontier.exclusion() is None:
                search = frontier.search(stop)
            status = search.run(_UNLIMITED_CONFIGURATIONS)
        if self._reading.error is not None:
            raise self._reading.error
        return PortfolioAnswer(_FOUND.get(status), witness_from_order(search.order), search.configurations)


def has_order(history: History, spec: Spec, condition: str, *, seconds: float) -> bool | None:
    """Whether a whole history has an order, decided part by part; None if time runs out."""
    reading = HistoryInterpretation(history, spec, condition)
    stop = StopToken()
    stop.set_time_limit(seconds)
    for _, members in reading.objects():
        for positions in reading.parts(members):
            status = depth_first(reading.problem(positions), reading.machine, stop).run(_UNLIMITED_CONFIGURATIONS)
            if reading.error is not None:
                raise reading.error
            if status is not SearchStatus.LINEARIZABLE:
                return _FOUND.get(status)
    return True
