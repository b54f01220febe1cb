# SPDX-License-Identifier: Apache-2.0
"""Selects the operations and edges of a precedence graph to show.

For a violation that a graph found: the contradicting operations and links, the writers of the observed values, and
other known links among these. For any other history: all operations, or its most relevant part. Notes name the omitted
parts.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from linpoint.checkers.history_interpretation import HistoryInterpretation
from linpoint.checkers.precedence_decider import exclusion_reason
from linpoint.checkers.precedence_edges import has_graph, time_links, unlinked, value_links
from linpoint.errors import UsageError
from linpoint.explain.history.explanation import Explanation
from linpoint.explain.history.graph.memory_operation_text import memory_words_of
from linpoint.explain.history.graph.precedence_graph import GENESIS, NOBODY, Edge, PrecedenceGraph, Vertex
from linpoint.explain.history.graph.read_from_edges import MAX_READ_OPERATIONS, read_from
from linpoint.explain.history.history_text import sentence
from linpoint.histories.operation import Crash, Operation
from linpoint.histories.values import canonical
from linpoint.specs.spec import Spec
from linpoint.text.phrases import count_noun
from linpoint.verdicts import KeyVerdict, Pattern, Status, StuckFrontier, Verdict
from linpoint.verdicts.refutation import Link, Precedence

MAX_SHOWN_OPERATIONS: Final = 60
"""The maximum number of operations in a picture."""
_MAX_CYCLE_LINKS: Final = 200
"""The maximum number of links of contradictions, which is larger since a cycle should be complete."""
_MAX_NEIGHBOURS: Final = 6
"""The maximum number of operations around one that failed without a reason: those on its words at about that time."""
_NEIGHBOUR_DISTANCE: Final = 200
"""The distance in calls within which they are searched."""


def precedence_graph(verdict: Verdict) -> PrecedenceGraph:
    """The part of a history's precedence graph that is most relevant to its verdict.

    Raises LP-U008 for a spec whose histories have no precedence graph.
    """
    spec = verdict.spec
    if not has_graph(spec):
        raise no_graph(spec)
    reading = HistoryInterpretation(verdict.history, spec, verdict.condition)
    bad = [key for key in verdict.keys if key.status is Status.VIOLATION]
    refuted = [key for key in bad if isinstance(key.refutation, Precedence)]
    if refuted:
        return _Refuted(verdict, reading, _shortest(refuted)).graph()
    return _of_any(verdict, reading, [_shortest(bad)] if bad else list(verdict.keys))


def no_graph(spec: Spec) -> UsageError:
    """The error for a spec whose histories have no precedence graph."""
    return UsageError(
        "LP-U008",
        f"the spec {spec.name} has no precedence graph.",
        remedy="Only mwcas, cas-register and register have one. For other specs, use the timeline in the text output.",
    )


def _shortest(keys: Sequence[KeyVerdict]) -> KeyVerdict:
    return min(keys, key=lambda key: len(key.positions))  # the same choice as in explanations


# -- any history -----------------------------------------------------------------------------------------------------


def _of_any(verdict: Verdict, reading: HistoryInterpretation, keys: Sequence[KeyVerdict]) -> PrecedenceGraph:
    """The graph of all operations if they are few, else of those around the point where the check ended."""
    every = [position for key in keys for position in key.positions]
    notes: list[str] = []
    shown = sorted(every)
    conclusive = _conclusive_operations(keys)
    if len(every) > MAX_SHOWN_OPERATIONS:
        shown, which = _window(reading.timing(shown).positions, _places(keys))
        notes.append(f"Of {count_noun(len(every), 'operation')}, only {which} are shown.")
    visible = set(shown)
    edges: list[Edge] = []
    for key in keys:
        mine = [position for position in key.positions if position in visible] if len(keys) > 1 else shown
        if not mine:
            continue
        links = value_links(reading, key.positions, mine)
        if not links:
            found, note = _without_graph(reading, key)
            edges += [edge for edge in found if edge.target in visible and edge.source in {*visible, GENESIS}]
            notes += [note] if note and note not in notes else []
        order = key.witness.order if key.witness is not None else None
        edges += _as_it_was(_among(links, visible), order)
        edges += [_edge(link) for link in time_links(reading, mine)]
    return _made(verdict, shown, edges, conclusive=conclusive, notes=notes, key=keys[0] if len(keys) == 1 else None)


def _without_graph(reading: HistoryInterpretation, key: KeyVerdict) -> tuple[list[Edge], str]:
    """The known edges if the precedence graph does not apply, and a note with the reason."""
    why = unlinked(reading, key.positions)
    if why is None:
        return [], ""
    of_one = exclusion_reason(reading) is None  # else objects are mixed, or crashes lose written values
    if of_one and len(key.positions) <= MAX_READ_OPERATIONS:
        found = read_from(reading.history.operations, key.positions, reading.spec)
        return found, f"Only reads-from edges are shown: {why}."
    return [], f"No edges: {why}."


def _conclusive_operations(keys: Sequence[KeyVerdict]) -> set[int]:
    """The operations with which another checker shows that there is no order."""
    found = keys[0].refutation if len(keys) == 1 else None
    return set(found.operations) if isinstance(found, Pattern) else set()


def _places(keys: Sequence[KeyVerdict]) -> list[int]:
    """The operations at which the check ended: the conclusive ones, or those before which a search was stuck."""
    for key in keys:
        match key.refutation:
            case Pattern():
                return list(key.refutation.operations)
            case StuckFrontier() if key.refutation.prefix:
                return [key.refutation.prefix[-1]]
        if key.reached is not None and key.reached.open:
            return list(key.reached.open)
    return []


def _window(by_call: Sequence[int], places: Sequence[int]) -> tuple[list[int], str]:
    """As many operations as fit, with a note: the first ones, or ``places`` and those around the last of them."""
    if not places:
        return sorted(by_call[:MAX_SHOWN_OPERATIONS]), f"the first {MAX_SHOWN_OPERATIONS} by call"
    wanted = set(places[:MAX_SHOWN_OPERATIONS])
    at = max(index for index, position in enumerate(by_call) if position in wanted)
    near = sorted(range(len(by_call)), key=lambda index: (abs(index - at), index))
    for index in near:
        if len(wanted) >= MAX_SHOWN_OPERATIONS:
            break
        wanted.add(by_call[index])
    return sorted(wanted), f"the {MAX_SHOWN_OPERATIONS} around the relevant operation"


def _as_it_was(edges: Iterable[Edge], order: Sequence[int] | None) -> list[Edge]:
    """The edges that agree with an order, if there is one.

    The paper places a failed operation after the one that replaced its expected value. In the order that was found it
    may have come before that value was written, or another word may have caused the failure.
    """
    edges = list(edges)
    if order is None:
        return edges
    shown = {end for edge in edges for end in (edge.source, edge.target)}
    place = {position: index for index, position in enumerate(order) if position in shown}
    writers = {
        (canonical(edge.word), canonical(edge.value)): edge.source for edge in edges if edge.because == "reads-from"
    }
    kept = []
    for edge in edges:
        replacer = edge.source
        if edge.because != "failed-after" or not isinstance(replacer, int) or place[replacer] < place[edge.target]:
            kept.append(edge)
        else:
            writer = writers.get((canonical(edge.word), canonical(edge.value)))
            if isinstance(writer, int) and place[edge.target] < place[writer]:
                kept.append(Edge(edge.target, writer, "failed-before", edge.word, edge.value))
    return kept


# -- a violation that a graph found -----------------------------------------------------------------------------------


class _Refuted:
    """The contradictions and their context."""

    def __init__(self, verdict: Verdict, reading: HistoryInterpretation, key: KeyVerdict) -> None:
        assert isinstance(key.refutation, Precedence)
        self.verdict = verdict
        self.reading = reading
        self.key = key
        self.refutation: Precedence = key.refutation
        self.notes: list[str] = []

    def graph(self) -> PrecedenceGraph:
        circles = [[_edge(link, NOBODY) for link in each] for each in self._circles()]
        kept = [_edge(link) for link in self.refutation.kept]
        lonely = self.refutation.failed if not circles else ()
        conclusive = {end for each in circles for edge in each for end in (edge.source, edge.target)} | set(lonely)
        conclusive -= {NOBODY}
        visible = {end for end in conclusive if isinstance(end, int)}
        for edge in kept:  # shows why an operation with an unknown outcome took effect
            if edge.source in visible:
                visible.add(edge.target)
        around = value_links(self.reading, self.key.positions, sorted(visible))
        if self.refutation.reason == "fork":
            circles = [self._fork(circles[0], around)]
        contradicting = set(visible)
        for link in around:
            if link.because == "reads-from" and link.target in contradicting and link.source is not None:
                if len(visible) >= max(MAX_SHOWN_OPERATIONS, len(contradicting)):
                    self.notes.append("Not all writers of the observed values are shown.")
                    break
                visible.add(link.source)
        for failed in lonely:
            near = sorted(self._neighbours(failed))
            others = {
                link.source for link in value_links(self.reading, self.key.positions, near) if link.target in near
            }
            visible |= {*near, *sorted(other for other in others if other is not None)[:_MAX_NEIGHBOURS]}
        links = value_links(self.reading, self.key.positions, sorted(visible))
        # Edges from initial values are relevant to contradicting operations; to all, if one is disconnected.
        first = contradicting if circles else visible
        context = [
            edge
            for edge in _among(links, visible)
            if (edge.source != GENESIS or edge.target in first)
            and not (edge.because == "failed-after" and edge.target in self.refutation.failed)
            and not (self.refutation.reason == "fork" and edge.because == "replaced" and _both(edge, contradicting))
        ]
        context += [edge for edge in kept if {edge.source, edge.target} <= visible]
        context += [_edge(link) for link in time_links(self.reading, sorted(visible))]
        shown = sorted(visible)
        return _made(self.verdict, shown, context, circles, conclusive, self.notes, self.key, self.refutation)

    def _circles(self) -> list[Sequence[Link]]:
        """The contradictions that fit, short ones first; at least a part of one."""
        chosen: list[Sequence[Link]] = []
        operations: set[int | None] = set()
        short = sorted(self.refutation.contradictions, key=len)
        for each in short:
            more = operations | {link.target for link in each}
            if len(more) > _MAX_CYCLE_LINKS:
                break
            chosen.append(each)
            operations = more
        if len(chosen) < len(short):
            if chosen:
                self.notes.append(f"Of {len(short):,} contradictions, only {len(chosen):,} are shown.")
            else:
                chosen = [short[0][:_MAX_CYCLE_LINKS]]
                self.notes.append(f"Of the {len(short[0]):,} links of a cycle, only {_MAX_CYCLE_LINKS} are shown.")
        return chosen

    def _fork(self, circle: Sequence[Edge], around: Iterable[Link]) -> list[Edge]:
        """The edges of a fork, from the common source, which show it better than a cycle (figure 11)."""
        writer: int | str = NOBODY
        for link in around:
            same = canonical((link.word, link.value)) == canonical((circle[0].word, circle[0].value))
            if same and link.because == "reads-from":
                writer = GENESIS if link.source is None else link.source
        return [Edge(writer, edge.source, "reads-from", edge.word, edge.value) for edge in circle]  # type: ignore[arg-type]

    def _neighbours(self, failed: int) -> set[int]:
        """Operations on the words of a failed one at about the same time (figure 13)."""
        ops = self.verdict.history.operations
        by_call = self.reading.timing(self.key.positions).positions
        at = by_call.index(failed)
        words = memory_words_of(ops[failed])
        near = [
            index
            for index in range(max(0, at - _NEIGHBOUR_DISTANCE), min(len(by_call), at + _NEIGHBOUR_DISTANCE + 1))
            if index != at
        ]
        near.sort(key=lambda index: (abs(index - at), index))
        found = [by_call[index] for index in near if words & memory_words_of(ops[by_call[index]])]
        return set(found[:_MAX_NEIGHBOURS])


# -- building the graph -----------------------------------------------------------------------------------------------


def _edge(link: Link, unsourced: str = GENESIS) -> Edge:
    source = unsourced if link.source is None else link.source
    return Edge(source, link.target, link.because, link.word, link.value)


def _both(edge: Edge, positions: set[int]) -> bool:
    return {edge.source, edge.target} <= positions


def _among(links: Iterable[Link], visible: set[int]) -> list[Edge]:
    edges = map(_edge, links)
    return [edge for edge in edges if edge.target in visible and (edge.source == GENESIS or edge.source in visible)]


def _made(
    verdict: Verdict,
    shown: Sequence[int],
    edges: Iterable[Edge],
    circles: Sequence[Sequence[Edge]] = (),
    conclusive: Iterable[int | str] = (),
    notes: Sequence[str] = (),
    key: KeyVerdict | None = None,
    refutation: Precedence | None = None,
) -> PrecedenceGraph:
    ops = verdict.history.operations
    every = {edge.key: edge for edge in [*edges, *(edge for each in circles for edge in each)]}
    order = sorted(every)
    index = {each: number for number, each in enumerate(order)}
    highlighted = set(conclusive)
    text = sentence(Explanation(verdict, None if key is None else key.key))
    if refutation is not None:
        by = "" if refutation.certified else "by the paper's rules, not certified, "
        text = f"VIOLATION: {by}{refutation.sentence}."
    if verdict.history.clock_skew:
        notes = [*notes, f"Clocks of different processes may differ by up to {verdict.history.clock_skew:,}."]
    vertices = tuple(Vertex(position, ops[position], position in highlighted) for position in shown)
    return PrecedenceGraph(
        verdict.status.value,
        text,
        verdict.spec.name,
        verdict.condition,
        vertices,
        tuple(every[each] for each in order),
        tuple(tuple(index[edge.key] for edge in each) for each in circles),
        None if refutation is None else refutation.reason,
        None if key is None else key.key,
        sum(len(each.positions) for each in verdict.keys),
        _crashes(verdict.history.crashes, [vertex.operation for vertex in vertices]),
        tuple(notes),
    )


def _crashes(crashes: Iterable[Crash], ops: Sequence[Operation]) -> tuple[Crash, ...]:
    """The crashes of the system or of a shown process that interrupt or separate the operations."""
    if not ops:
        return ()
    first, last = min(op.call for op in ops), max(op.call if op.return_ is None else op.return_ for op in ops)
    processes = {op.process for op in ops}
    open_ended = {op.process for op in ops if op.return_ is None}
    found: list[Crash] = []
    for crash in crashes:
        if crash.process is not None and crash.process not in processes:
            continue
        cuts = any(crash.interrupts(process) for process in open_ended)
        if first <= crash.time and (crash.time <= last or (cuts and not found)):
            found.append(crash)
    return tuple(found)
