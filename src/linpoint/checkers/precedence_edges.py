# SPDX-License-Identifier: Apache-2.0
"""The edges of the precedence graph around a few operations: for pictures, not for verdicts.

They are those of the paper (Cepeda et al., OPODIS 2019, sections 4 and 5): a failed operation comes after the one that
replaced what it expected. That it may have come before the value was written is for those to say who know the verdict.
Cost: O(kn) for k words an operation, whatever the number of operations asked for.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from linpoint.checkers._native_search import StopToken, TimeEdges, graph_edges
from linpoint.checkers.history_interpretation import HistoryInterpretation
from linpoint.checkers.precedence_decider import (
    MEMORIES,
    MemoryWords,
    blind_write,
    decide_by_precedence,
    exclusion_reason,
)
from linpoint.specs.spec import Spec
from linpoint.verdicts.refutation import Link

_EXCLUSION_CHECK_S: Final = 1.0
"""To find out why there are no edges; a history that is excluded is so at once."""


def has_graph(spec: Spec) -> bool:
    """Whether histories of a spec have precedence graphs at all."""
    return spec.twin is not None and spec.twin.kind in MEMORIES


def value_links(reading: HistoryInterpretation, positions: Sequence[int], around: Sequence[int]) -> list[Link]:
    """The links of one object that are not of time and begin or end at one of ``around``.

    ``source`` is None for the first state. Operations with an unknown outcome that nobody saw have no links.
    """
    return list(_links(reading, positions, TimeEdges.NONE, around))


def time_links(reading: HistoryInterpretation, among: Sequence[int]) -> list[Link]:
    """The fewest links whose paths say which of these operations of one object precede which (figure 3)."""
    return [link for link in _links(reading, among, TimeEdges.MINIMAL, among) if link.because == "real-time"]


def _links(
    reading: HistoryInterpretation, positions: Sequence[int], times: TimeEdges, around: Sequence[int]
) -> Iterator[Link]:
    if not around or exclusion_reason(reading) is not None:
        return
    memory = MemoryWords(reading)
    content = memory.twin.content(positions)
    condition = reading.native_condition
    native = graph_edges(memory.columns, positions, content, memory.twin.blueprint, condition, times, around)
    yield from map(memory.link, native)


def unlinked(reading: HistoryInterpretation, positions: Sequence[int]) -> str | None:
    """Why one object has no edges, in words; None if nothing excludes its graph, or it was not found out in time."""
    why = exclusion_reason(reading)
    if why is not None or not positions:
        return why
    stop = StopToken()
    stop.set_time_limit(_EXCLUSION_CHECK_S)
    blind = blind_write(reading, positions, stop)
    if blind is not None:
        return blind
    told = decide_by_precedence(reading, positions, stop)
    return None if told is None or told.decided else told.why
