# SPDX-License-Identifier: Apache-2.0
"""Searches over frontiers: what excludes a part of a history, why they decide it, and the search itself.

Guarantee and cost: see ``frontier_search.hpp``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from linpoint.checkers._native_search import (
    FrontierExclusion,
    Problem,
    Search,
    StopToken,
    frontier,
    frontier_exclusion,
)
from linpoint.checkers.history_interpretation import HistoryInterpretation

_WHY: Final = {
    "register": "the set of operations that took effect and the value decide a register whose values repeat",
    "map": "the set of operations that took effect and the value decide an entry whose values repeat",
    "queue": "the sets of enqueues and of dequeues that took effect decide a queue whose values repeat",
    "stack": "the set of operations that took effect and the top decide a stack whose values repeat",
    "priority-queue": "the set of operations that took effect determines what a priority queue holds",
    "set": "the set of operations that took effect and one bit decide an element",
    "mutex": "the set of operations that took effect and one bit decide a lock",
    "counter": "the set of operations that took effect determines a count",
    "fetch-add": "the set of operations that took effect determines a count",
    "semaphore": "the set of operations that took effect determines the permits",
    "multiset": "the set of operations that took effect determines how often an element is there",
}

_EXCLUDED: Final = {
    FrontierExclusion.KIND: "frontiers do not decide {spec}",
    FrontierExclusion.OPERATION: "frontiers do not decide one of the operations or its result",
    FrontierExclusion.CONSTRAINED: "more than times is to be respected (hints, clocks, touching operations)",
    FrontierExclusion.DEADLINE: "an operation was interrupted by a crash, and took effect before it or not at all",
    FrontierExclusion.NULL: "null is stored, which cannot be told from nothing",
    FrontierExclusion.CAPACITY: "the queue can be full",
    FrontierExclusion.WIDTH: "more than 64 operations are open at a time",
}


class FrontierDecider:
    """The search over frontiers for one part of a history."""

    def __init__(self, reading: HistoryInterpretation, positions: Sequence[int], problem: Problem) -> None:
        self._reading = reading
        self._positions = positions
        self._problem = problem

    def exclusion(self) -> str | None:
        """What excludes the part, in words; None if the search can be asked."""
        twin = self._reading.twin
        if twin is None:
            return _EXCLUDED[FrontierExclusion.KIND].format(spec=self._reading.spec.name)
        content = twin.content_of_part(self._positions)
        found = frontier_exclusion(self._reading.columns, self._problem, twin.blueprint, content)
        return None if found is FrontierExclusion.NONE else _EXCLUDED[found].format(spec=self._reading.spec.name)

    @property
    def why(self) -> str:
        """Why the search decides the object."""
        twin = self._reading.twin
        assert twin is not None
        return _WHY[twin.kind]

    def search(self, stop: StopToken) -> Search:
        """A new search, which nothing excludes."""
        twin = self._reading.twin
        assert twin is not None
        content = twin.content_of_part(self._positions)
        return frontier(self._reading.columns, self._problem, twin.blueprint, content, stop)
