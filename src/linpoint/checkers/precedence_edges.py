# SPDX-License-Identifier: Apache-2.0
"""The edges of the precedence graph around a few operations: for pictures, not for verdicts.

The edges are those of the paper (Cepeda et al., OPODIS 2019, sections 4 and 5): a failed operation comes after the
operation that replaced the value it expected. Instead it may have come before that value was written; only the caller,
who knows the verdict, can report that. Cost: O(kn) for k words per operation, whatever the number of requested
operations.
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
"""Maximum seconds for finding out why there are no edges; an exclusion is found immediately."""


def has_graph(spec: Spec) -> bool:
    """Whether histories of a spec have precedence graphs at all."""
    return spec.twin is not None and spec.twin.kind in MEMORIES


def value_links(reading: HistoryInterpretation, positions: Sequence[int], around: Sequence[int]) -> list[Link]:
    """The links of one object that are not real-time links and begin or end at one of ``around``.

    ``source`` is None for the initial state. An operation with an unknown outcome has no links if no other operation
    observed its value.
    """
    return list(_links(reading, positions, TimeEdges.NONE, around))


def time_links(reading: HistoryInterpretation, among: Sequence[int]) -> list[Link]:
    """The fewest links whose paths determine which of these operations of one object precede which (figure 3)."""
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
    """The reason why one object has no edges, as text. None if nothing excludes its graph, or if time ran out."""
    why = exclusion_reason(reading)
    if why is not None or not positions:
        return why
    stop = StopToken()
    stop.set_time_limit(_EXCLUSION_CHECK_S)
    blind = blind_write(reading, positions, stop)
    if blind is not None:
        return blind
    decision = decide_by_precedence(reading, positions, stop)
    return None if decision is None or decision.decided else decision.why
