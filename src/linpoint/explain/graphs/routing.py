# SPDX-License-Identifier: Apache-2.0
"""The ways of edges in a picture: smooth curves from box to box, and a place for the label of each.

Edges leave and enter boxes at the top and the bottom, spread out so that no two share an end; they go behind boxes, and
labels avoid boxes and each other as far as they can. Cost: O(e (e + v)) for the labels.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from linpoint.explain.graphs.layout import LETTER, Box, Layout
from linpoint.explain.graphs.words import columns

if TYPE_CHECKING:
    from linpoint.explain.graphs.graph import PrecedenceGraph

Point = tuple[float, float]

_INSET: Final = 13.0
_APART: Final = 16.0
_FAR_APART: Final = 46.0
"""Between ends of edges that contradict each other, whose labels are long."""
_TIP: Final = 2.0
"""Between an arrow and its box."""
_LABEL: Final = 17.0
_PLACES: Final = (0.5, 0.42, 0.58, 0.34, 0.66, 0.26, 0.74, 0.2, 0.8)


@dataclass(frozen=True, slots=True)
class Curve:
    """A cubic curve: from, two points that it heads for, to."""

    points: tuple[Point, Point, Point, Point]

    def at(self, t: float) -> Point:
        """The point of the curve at ``t``, from 0 to 1."""
        weights = ((1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3)
        return (
            sum(weight * x for weight, (x, _) in zip(weights, self.points, strict=True)),
            sum(weight * y for weight, (_, y) in zip(weights, self.points, strict=True)),
        )


@dataclass(frozen=True, slots=True)
class Route:
    """The way of one edge, and where its label is."""

    curve: Curve
    label: str
    place: Box | None


@dataclass(slots=True)
class _End:
    """One end of an edge at a side of a box."""

    edge: int
    outgoing: bool
    wish: float
    apart: float


def route(graph: PrecedenceGraph, layout: Layout, labels: Sequence[str]) -> list[Route]:
    """A way for each edge, in their order."""
    ends = _ends(graph, layout)
    curves = [_curve(graph, layout, ends, index) for index in range(len(graph.edges))]
    taken: list[Box] = []
    places: dict[int, Box] = {}
    important = graph.contradicting
    for index in sorted(range(len(labels)), key=lambda index: (index not in important, index)):
        if labels[index]:
            places[index] = _place(curves[index], labels[index], [*layout.boxes.values()], taken)
            taken.append(places[index])
    return [Route(curve, labels[index], places.get(index)) for index, curve in enumerate(curves)]


def _sides(source: Box, target: Box) -> tuple[str, str]:
    """At which side an edge leaves its source and enters its target."""
    if source.row < 0:
        return "right", "left" if target.left - source.right < 120 else (
            "top" if target.top >= source.top else "bottom"
        )
    if source.row == target.row:
        return "top", "top"
    return ("bottom", "top") if source.row < target.row else ("top", "bottom")


def _straight(graph: PrecedenceGraph, layout: Layout, index: int) -> bool:
    """Whether an edge goes from one box to the next in its row, along the row: real time, which has no label."""
    edge = graph.edges[index]
    source, target = layout.boxes[edge.source], layout.boxes[edge.target]
    if edge.because != "real-time" or index in graph.contradicting:
        return False
    if source.row != target.row or target.left <= source.right:
        return False
    return not any(box.row == source.row and source.right <= box.left < target.left for box in layout.boxes.values())


def _ends(graph: PrecedenceGraph, layout: Layout) -> dict[tuple[int, bool], Point]:
    """Where each edge begins and ends: for (edge, whether it is its beginning)."""
    sides: dict[tuple[int | str, str], list[_End]] = defaultdict(list)
    found: dict[tuple[int, bool], Point] = {}
    for index, edge in enumerate(graph.edges):
        source, target = layout.boxes[edge.source], layout.boxes[edge.target]
        if _straight(graph, layout, index):
            y = source.middle[1]
            found[index, True], found[index, False] = (source.right, y), (target.left - _TIP, y)
            continue
        leaves, enters = _sides(source, target)
        apart = _FAR_APART if index in graph.contradicting else _APART
        # The sideways shift keeps two edges in opposite directions from crossing each other.
        wish = target.middle[0] if leaves != "right" else target.middle[1]
        sides[edge.source, leaves].append(_End(index, True, wish, apart))
        wish = source.middle[0] if enters != "left" else source.middle[1]
        sides[edge.target, enters].append(_End(index, False, wish, apart))
    for (name, side), ends in sides.items():
        box = layout.boxes[name]
        along = _spread(box, side, ends, graph)
        for end, x in zip(sorted(ends, key=lambda end: (end.wish, end.edge)), along, strict=True):
            tip = 0.0 if end.outgoing else _TIP
            found[end.edge, end.outgoing] = {
                "top": (x, box.top - tip),
                "bottom": (x, box.bottom + tip),
                "left": (box.left - tip, x),
                "right": (box.right, x),
            }[side]
    return found


def _spread(box: Box, side: str, ends: Sequence[_End], graph: PrecedenceGraph) -> list[float]:
    """Places along a side, as near as possible to where each end would like to be, and apart from each other."""
    low, high = (box.top, box.bottom) if side in ("left", "right") else (box.left, box.right)
    inset = min(_INSET, (high - low) / 4)
    low, high = low + inset, high - inset - (30 if box.open_end and side in ("top", "bottom") else 0)
    ordered = sorted(ends, key=lambda end: (end.wish, end.edge))
    gaps = [
        min(first.apart, second.apart) if first.apart != second.apart else first.apart
        for first, second in zip(ordered, ordered[1:], strict=False)
    ]
    room = sum(gaps)
    if room > high - low and room > 0:
        gaps = [gap * (high - low) / room for gap in gaps]
    places = [min(max(end.wish, low), high) for end in ordered]
    for index, gap in enumerate(gaps):
        places[index + 1] = max(places[index + 1], places[index] + gap)
    limit = high
    for index in range(len(places) - 1, -1, -1):
        places[index] = min(places[index], limit)
        limit = places[index] - (gaps[index - 1] if index else 0)
    return places


def _curve(graph: PrecedenceGraph, layout: Layout, ends: dict[tuple[int, bool], Point], index: int) -> Curve:
    edge = graph.edges[index]
    source, target = layout.boxes[edge.source], layout.boxes[edge.target]
    (x1, y1), (x2, y2) = ends[index, True], ends[index, False]
    if _straight(graph, layout, index):
        third = (x2 - x1) / 3
        return Curve(((x1, y1), (x1 + third, y1), (x2 - third, y2), (x2, y2)))
    leaves, enters = _sides(source, target)
    if source.row == target.row and source.row >= 0:
        up = min(30 + abs(x2 - x1) * 0.10, 62)
        return Curve(((x1, y1), (x1, y1 - up), (x2, y2 - up), (x2, y2)))
    pull = max(abs(y2 - y1) * 0.5, 30)
    heads = {"top": (0, -pull), "bottom": (0, pull)}
    across = max(abs(x2 - x1) * 0.45, 24)
    dx1, dy1 = heads.get(leaves, (across, 0))
    dx2, dy2 = heads.get(enters, (-across, 0))
    return Curve(((x1, y1), (x1 + dx1, y1 + dy1), (x2 + dx2, y2 + dy2), (x2, y2)))


def _place(curve: Curve, label: str, boxes: Sequence[Box], taken: Sequence[Box]) -> Box:
    """Where the label covers least: on the curve, or beside it."""
    width = columns(label) * LETTER * 0.92 + 10
    best: tuple[float, Box] | None = None
    for t in _PLACES:
        x, y = curve.at(t)
        for aside in (0.0, width / 2 + 4, -width / 2 - 4):
            box = Box(x + aside - width / 2, y - _LABEL / 2, x + aside + width / 2, y + _LABEL / 2)
            cost = 6 * sum(map(box.overlap, boxes)) + 4 * sum(map(box.overlap, taken))
            cost += 60 * abs(t - 0.5) + (25 if aside else 0)
            if best is None or cost < best[0]:
                best = cost, box
    assert best is not None
    return best[1]
