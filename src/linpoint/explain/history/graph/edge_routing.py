# SPDX-License-Identifier: Apache-2.0
"""Routes the edges of a picture: smooth curves from box to box, and a place for each label.

Edges leave and enter boxes at the top and the bottom, spread out so that no two share an end. They run behind boxes,
and labels avoid boxes and each other if possible. Cost: O(e (e + v)).
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from linpoint.explain.history.graph.graph_layout import CHAR_WIDTH_PX, Box, GraphLayout
from linpoint.text.terminal_text import display_width

Point = tuple[float, float]

_INSET_PX: Final = 13.0
_EDGE_DISTANCE_PX: Final = 16.0
_RED_EDGE_DISTANCE_PX: Final = 46.0
"""The distance between ends of contradicting edges, whose labels are long."""
_ARROW_TIP_PX: Final = 2.0
"""The distance between an arrow and its box."""
_FADING_PX: Final = 30.0
"""The part of an open end where no edge begins."""
_LABEL_HEIGHT_PX: Final = 17.0
_CRASH_WIDTH_PX: Final = 24.0
"""Half the width of the label at the top of a crash's line."""
_PLACES: Final = (0.5, 0.42, 0.58, 0.34, 0.66, 0.26, 0.74, 0.2, 0.8)


@dataclass(frozen=True, slots=True)
class Curve:
    """A cubic curve: its start, two control points, its end."""

    points: tuple[Point, Point, Point, Point]

    def at(self, t: float) -> Point:
        """The point of the curve at ``t``, from 0 to 1."""
        weights = ((1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3)
        return (
            sum(weight * x for weight, (x, _) in zip(weights, self.points, strict=True)),
            sum(weight * y for weight, (_, y) in zip(weights, self.points, strict=True)),
        )


@dataclass(frozen=True, slots=True)
class Strand:
    """One line of the picture: an edge, or several edges of one kind between the same two operations."""

    source: int | str
    target: int
    because: str
    label: str
    words: str
    """Its meaning as a sentence."""
    red: bool = False
    """Whether it is part of a contradiction."""


@dataclass(frozen=True, slots=True)
class Route:
    """The curve of one strand and the place of its label."""

    strand: Strand
    curve: Curve
    place: Box | None


@dataclass(slots=True)
class _End:
    """One end of a strand at a side of a box."""

    strand: int
    outgoing: bool
    wish: float
    apart: float


def route(strands: Sequence[Strand], layout: GraphLayout) -> list[Route]:
    """Route each strand, in order; contradicting strands choose the places of their labels first."""
    ends = _ends(strands, layout)
    levels = _levels(strands, layout, ends)
    curves = [
        _curve(strand, layout, ends[index, True], ends[index, False], levels.get(index, 0))
        for index, strand in enumerate(strands)
    ]
    taken = [Box(x - _CRASH_WIDTH_PX, y - 3, x + _CRASH_WIDTH_PX, y + 15) for _, x, y, _ in layout.crashes]
    places: dict[int, Box] = {}
    for index in sorted(range(len(strands)), key=lambda index: (not strands[index].red, index)):
        if strands[index].label:
            places[index] = _place(curves[index], strands[index].label, [*layout.boxes.values()], taken)
            taken.append(places[index])
    return [Route(strand, curves[index], places.get(index)) for index, strand in enumerate(strands)]


def _sides(source: Box, target: Box, layout: GraphLayout) -> tuple[str, str]:
    """The sides at which an edge leaves its source and enters its target."""
    if source.row < 0:  # GENESIS or NOBODY, at the left of all rows
        if not any(box.row == target.row and box.left < target.left for box in layout.boxes.values()):
            return "right", "left"
        return "right", "top" if target.top >= source.top else "bottom"
    if source.row == target.row:
        return "top", "top"
    return ("bottom", "top") if source.row < target.row else ("top", "bottom")


def _straight(strand: Strand, layout: GraphLayout) -> bool:
    """Whether it is a real-time edge to the next box of the same row, which is straight and has no label."""
    source, target = layout.boxes[strand.source], layout.boxes[strand.target]
    if strand.label or source.row != target.row or target.left <= source.right:
        return False
    return not any(box.row == source.row and source.right <= box.left < target.left for box in layout.boxes.values())


def _ends(strands: Sequence[Strand], layout: GraphLayout) -> dict[tuple[int, bool], Point]:
    """The end points of strands, by index and whether it is the start."""
    sides: dict[tuple[int | str, str], list[_End]] = defaultdict(list)
    found: dict[tuple[int, bool], Point] = {}
    for index, strand in enumerate(strands):
        source, target = layout.boxes[strand.source], layout.boxes[strand.target]
        if _straight(strand, layout):
            y = source.middle[1]
            found[index, True], found[index, False] = (source.right, y), (target.left - _ARROW_TIP_PX, y)
            continue
        leaves, enters = _sides(source, target, layout)
        apart = _RED_EDGE_DISTANCE_PX if strand.red else _EDGE_DISTANCE_PX
        wish = target.middle[0] if leaves != "right" else target.middle[1]
        sides[strand.source, leaves].append(_End(index, True, wish, apart))
        wish = source.middle[0] if enters != "left" else source.middle[1]
        sides[strand.target, enters].append(_End(index, False, wish, apart))
    for (name, side), ends in sides.items():
        box = layout.boxes[name]
        ends.sort(key=lambda end: (end.wish, end.strand))
        for end, x in zip(ends, _spread(box, side, ends), strict=True):
            tip = 0.0 if end.outgoing else _ARROW_TIP_PX
            found[end.strand, end.outgoing] = {
                "top": (x, box.top - tip),
                "bottom": (x, box.bottom + tip),
                "left": (box.left - tip, x),
                "right": (box.right, x),
            }[side]
    return found


def _spread(box: Box, side: str, ends: Sequence[_End]) -> list[float]:
    """Places along a side, as near as possible to the preferred place of each end, with distances between them."""
    low, high = (box.top, box.bottom) if side in ("left", "right") else (box.left, box.right)
    inset = min(_INSET_PX, (high - low) / 4)
    low, high = low + inset, high - inset - (_FADING_PX if box.open_end and side in ("top", "bottom") else 0)
    gaps = [min(first.apart, second.apart) for first, second in itertools.pairwise(ends)]
    room = sum(gaps)
    if room > high - low:
        gaps = [gap * (high - low) / room for gap in gaps]
    places = [min(max(end.wish, low), high) for end in ends]
    for index, gap in enumerate(gaps):
        places[index + 1] = max(places[index + 1], places[index] + gap)
    limit = high
    for index in range(len(places) - 1, -1, -1):
        places[index] = min(places[index], limit)
        limit = places[index] - (gaps[index - 1] if index else 0)
    return places


def _levels(strands: Sequence[Strand], layout: GraphLayout, ends: dict[tuple[int, bool], Point]) -> dict[int, int]:
    """For each arc along a row, the number of narrower arcs that it must pass over."""
    arcs: list[tuple[float, int, int, float, float]] = []
    for index, strand in enumerate(strands):
        row = layout.boxes[strand.source].row
        if row >= 0 and row == layout.boxes[strand.target].row and not _straight(strand, layout):
            left, right = sorted((ends[index, True][0], ends[index, False][0]))
            arcs.append((right - left, index, row, left, right))
    levels: dict[int, int] = {}
    for at, (_, index, row, left, right) in enumerate(sorted(arcs)):
        below = [
            levels[other]
            for _, other, its_row, begin, end in sorted(arcs)[:at]
            if its_row == row and begin < right and left < end
        ]
        levels[index] = max(below, default=-1) + 1
    return levels


def _curve(strand: Strand, layout: GraphLayout, begin: Point, end: Point, level: int) -> Curve:
    source, target = layout.boxes[strand.source], layout.boxes[strand.target]
    (x1, y1), (x2, y2) = begin, end
    if _straight(strand, layout):
        third = (x2 - x1) / 3
        return Curve(((x1, y1), (x1 + third, y1), (x2 - third, y2), (x2, y2)))
    leaves, enters = _sides(source, target, layout)
    if source.row == target.row and source.row >= 0:
        up = min(40 + level * 28, layout.gap * 1.2)  # the curve reaches three quarters of this height
        return Curve(((x1, y1), (x1, y1 - up), (x2, y2 - up), (x2, y2)))
    pull = max(abs(y2 - y1) * 0.5, 30)
    heads = {"top": (0, -pull), "bottom": (0, pull)}
    across = max(abs(x2 - x1) * 0.45, 24)
    dx1, dy1 = heads.get(leaves, (across, 0))
    dx2, dy2 = heads.get(enters, (-across, 0))
    return Curve(((x1, y1), (x1 + dx1, y1 + dy1), (x2 + dx2, y2 + dy2), (x2, y2)))


def _place(curve: Curve, label: str, boxes: Sequence[Box], taken: Sequence[Box]) -> Box:
    """The place on or next to the curve where the label covers least."""
    width = display_width(label) * CHAR_WIDTH_PX * 0.92 + 10
    reach = Box(
        min(x for x, _ in curve.points) - width,
        min(y for _, y in curve.points) - _LABEL_HEIGHT_PX,
        max(x for x, _ in curve.points) + width,
        max(y for _, y in curve.points) + _LABEL_HEIGHT_PX,
    )
    boxes, taken = [each for each in boxes if reach.overlap(each)], [each for each in taken if reach.overlap(each)]
    best: tuple[float, Box] | None = None
    for t in _PLACES:
        x, y = curve.at(t)
        for aside in (0.0, width / 2 + 4, -width / 2 - 4):
            box = Box(x + aside - width / 2, y - _LABEL_HEIGHT_PX / 2, x + aside + width / 2, y + _LABEL_HEIGHT_PX / 2)
            cost = 6 * sum(map(box.overlap, boxes)) + 4 * sum(map(box.overlap, taken))
            cost += 60 * abs(t - 0.5) + (25 if aside else 0)
            if best is None or cost < best[0]:
                best = cost, box
    assert best is not None
    return best[1]
