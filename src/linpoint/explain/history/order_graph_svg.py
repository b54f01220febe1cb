# SPDX-License-Identifier: Apache-2.0
"""The required order of operations as a picture: the precedence graph of a memory, else the argument as a graph.

Guarantee: the picture is safe in a page; there is none if no required order is known.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence

from linpoint.checkers.precedence_edges import has_graph
from linpoint.errors import LinpointError
from linpoint.explain.history.explanation import Explanation
from linpoint.explain.history.graph import Edge, PrecedenceGraph, Vertex
from linpoint.explain.history.graph.edge_style import STROKES
from linpoint.explain.history.history_text import sentence
from linpoint.verdicts import Status


def graph_svg(explanation: Explanation, names: Mapping[int, str]) -> str:
    """The picture as SVG, or an empty string; ``names`` are short names, shown in addition."""
    graph = _of_memory(explanation) or _of_steps(explanation)
    if graph is None:
        return ""
    vertices = tuple(dataclasses.replace(vertex, name=names.get(vertex.position, "")) for vertex in graph.vertices)
    return dataclasses.replace(graph, vertices=vertices).as_svg()


def _of_memory(explanation: Explanation) -> PrecedenceGraph | None:
    verdict = explanation.verdict
    if not has_graph(verdict.spec) or not len(verdict.history):
        return None
    try:
        graph = verdict.precedence_graph()
    except LinpointError:  # the history has no precedence graph
        return None
    relevant = graph.contradictions if verdict.status is Status.VIOLATION else graph.edges
    return graph if relevant else None


def _of_steps(explanation: Explanation) -> PrecedenceGraph | None:
    """The steps that order two operations, with the cycle that they close."""
    verdict = explanation.verdict
    edges = [
        Edge(step.before, step.after, step.reason)
        for step in explanation.steps
        if step.before is not None and step.after is not None and step.reason in STROKES
    ]
    if not edges:
        return None
    cycle = _cycle(edges)
    ends = {end for at in cycle for end in (edges[at].source, edges[at].target)}
    shown = sorted({*explanation.core} | {end for edge in edges for end in (edge.source, edge.target)}, key=_place)
    ops = verdict.history.operations
    return PrecedenceGraph(
        verdict.status.value,
        sentence(explanation),
        verdict.spec.name,
        verdict.condition,
        tuple(Vertex(at, ops[at], at in ends) for at in shown if isinstance(at, int)),
        tuple(edges),
        (tuple(cycle),) if cycle else (),
        key=explanation.key,
        operations=len(verdict.history),
    )


def _place(end: int | str) -> int:
    assert isinstance(end, int)
    return end


def _cycle(edges: Sequence[Edge]) -> list[int]:
    """The edges of a cycle in order, by index; empty if there is none."""
    for start in range(len(edges)):
        found = next(_ways_back(edges, [start]), None)
        if found is not None:
            return found
    return []


def _ways_back(edges: Sequence[Edge], way: list[int]) -> Iterator[list[int]]:
    """The paths that return to their start without visiting an operation twice."""
    here = edges[way[-1]].target
    if here == edges[way[0]].source:
        yield way
        return
    passed = {edges[at].target for at in way[:-1]}
    if here not in passed:
        for at, edge in enumerate(edges):
            if edge.source == here:
                yield from _ways_back(edges, [*way, at])
