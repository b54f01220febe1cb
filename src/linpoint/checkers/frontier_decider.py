# SPDX-License-Identifier: Apache-2.0
"""Searches over frontiers: the reasons that exclude a part of a history, the reasons why they apply, and the search.

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
    "register": "values repeat; the applied operations and the current value suffice as configurations",
    "map": "values repeat; the applied operations and the current value suffice as configurations of an entry",
    "queue": "values repeat; the applied enqueues and dequeues suffice as configurations",
    "stack": "values repeat; the applied operations and the top suffice as configurations",
    "priority-queue": "the applied operations determine the contents of the priority queue",
    "set": "the applied operations and one bit suffice as configurations of an element",
    "mutex": "the applied operations and one bit suffice as configurations",
    "counter": "the applied operations determine the count",
    "fetch-add": "the applied operations determine the count",
    "semaphore": "the applied operations determine the number of permits",
    "multiset": "the applied operations determine the multiplicity of an element",
}

_EXCLUDED: Final = {
    FrontierExclusion.KIND: "frontier searches do not support {spec}",
    FrontierExclusion.OPERATION: "frontier searches do not support one of the operations or its result",
    FrontierExclusion.CONSTRAINED: "constraints other than times apply (order values, clock skew, touching operations)",
    FrontierExclusion.DEADLINE: "an operation was interrupted by a crash and took effect before it or not at all",
    FrontierExclusion.NULL: "null is stored, which cannot be distinguished from absence",
    FrontierExclusion.CAPACITY: "the queue has a capacity and can be full",
    FrontierExclusion.WIDTH: "more than 64 operations are open at a time",
}


class FrontierDecider:
    """The search over frontiers for one part of a history."""

    def __init__(self, reading: HistoryInterpretation, positions: Sequence[int], problem: Problem) -> None:
        self._reading = reading
        self._positions = positions
        self._problem = problem

    def exclusion(self) -> str | None:
        """The reason that excludes the part; None if the search can be run."""
        twin = self._reading.twin
        if twin is None:
            return _EXCLUDED[FrontierExclusion.KIND].format(spec=self._reading.spec.name)
        content = twin.content_of_part(self._positions)
        found = frontier_exclusion(self._reading.columns, self._problem, twin.blueprint, content)
        return None if found is FrontierExclusion.NONE else _EXCLUDED[found].format(spec=self._reading.spec.name)

    @property
    def why(self) -> str:
        """The reason why the search applies to the object."""
        twin = self._reading.twin
        assert twin is not None
        return _WHY[twin.kind]

    def search(self, stop: StopToken) -> Search:
        """A new search. The caller has checked that nothing excludes it."""
        twin = self._reading.twin
        assert twin is not None
        content = twin.content_of_part(self._positions)
        return frontier(self._reading.columns, self._problem, twin.blueprint, content, stop)
