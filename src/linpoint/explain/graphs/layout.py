# SPDX-License-Identifier: Apache-2.0
"""Where things are in a picture: a row for each process, time to the right.

Only the order of calls, returns and crashes counts, not the distances between them, so that every label fits into its
box and an idle hour takes no room. Cost: O(n log n).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from linpoint.explain.graphs.words import clean, columns, detail, heading
from linpoint.explain.picture import spans
from linpoint.histories.columns import order
from linpoint.histories.operation import Crash, Operation, Outcome, Process

if TYPE_CHECKING:
    from linpoint.explain.graphs.graph import PrecedenceGraph

LETTER: Final = 7.3
"""Width of a letter of the labels, in the units of the picture."""
HEIGHT: Final = 44.0
"""Of a box."""
_PADDING: Final = 11.0
_STEP: Final = 16.0
"""Between two events."""
_REST: Final = 42.0
"""Between two operations of one process."""
_OPEN: Final = 34.0
"""More for a box without an end, which fades."""
_GAP: Final = 70.0
"""Between two rows, for edges."""
_MARGIN: Final = 24.0
_CALL, _END, _CRASH = 0, 1, 2


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle; without an end where nobody knows when the operation took effect."""

    left: float
    top: float
    right: float
    bottom: float
    row: int = -1
    open_end: bool = False

    @property
    def middle(self) -> tuple[float, float]:
        """Its centre."""
        return (self.left + self.right) / 2, (self.top + self.bottom) / 2

    def overlap(self, other: Box) -> float:
        """The area that two have in common."""
        width = min(self.right, other.right) - max(self.left, other.left)
        height = min(self.bottom, other.bottom) - max(self.top, other.top)
        return max(width, 0.0) * max(height, 0.0)


@dataclass(frozen=True, slots=True)
class Layout:
    """Boxes of operations and sources, rows of processes, lines of crashes; all below ``top``."""

    boxes: dict[int | str, Box]
    rows: tuple[tuple[str, float], ...]
    """The name of each process and the middle of its row."""
    crashes: tuple[tuple[Crash, float, float, float], ...]
    """Each with its x, and from where to where."""
    left: float
    """Where the first operation may begin."""
    width: float
    height: float


def arrange(graph: PrecedenceGraph, top: float) -> Layout:
    """Put everything in its place."""
    ops = [vertex.operation for vertex in graph.vertices]
    labels = [max(columns(heading(v.position, v.operation)), columns(detail(v.operation))) for v in graph.vertices]
    processes = list(dict.fromkeys(op.process for op in sorted(ops, key=lambda op: op.call)))
    rows = {process: number for number, process in enumerate(processes)}
    names = [clean(str(process), 16) for process in processes]
    left = _MARGIN + max((columns(name) for name in names), default=0) * LETTER + 18
    sources = [source for source in ("genesis", "nobody") if graph.has(source)]
    first = left + (104 if sources else 0)
    places = _places(ops, graph.crashes, labels)
    height = top + _GAP + len(rows) * (HEIGHT + _GAP)
    last = max((x for x in places.values()), default=0.0)
    boxes: dict[int | str, Box] = {}
    for index, vertex in enumerate(graph.vertices):
        op, row = vertex.operation, rows[vertex.operation.process]
        start, unknown = places[index, _CALL], vertex.operation.outcome is Outcome.UNKNOWN
        least = start + labels[index] * LETTER + 2 * _PADDING + (_OPEN if unknown else 0)
        end = max(places.get((index, _END), last + _REST), least)
        y = top + _GAP + row * (HEIGHT + _GAP)
        boxes[vertex.position] = Box(first + start, y, first + end, y + HEIGHT, row, unknown)
    middle = top + _GAP / 2 + len(rows) * (HEIGHT + _GAP) / 2
    for number, source in enumerate(sources):
        y = middle - HEIGHT / 2 + (number - (len(sources) - 1) / 2) * (HEIGHT + 24)
        boxes[source] = Box(left, y, left + 74, y + 34)
    lines = []
    for number, crash in enumerate(graph.crashes):
        x = first + places[number, _CRASH]
        y = top + _GAP + rows.get(crash.process, 0) * (HEIGHT + _GAP) if crash.process is not None else top + _GAP
        until = y + HEIGHT if crash.process is not None else height - _GAP
        lines.append((crash, x, y - 16, until + 16))
    width = max([box.right for box in boxes.values()] + [x for _, x, _, _ in lines] + [first]) + _MARGIN
    named = tuple((name, top + _GAP + row * (HEIGHT + _GAP) + HEIGHT / 2) for row, name in enumerate(names))
    return Layout(boxes, named, tuple(lines), left, width, height)


def _places(ops: list[Operation], crashes: tuple[Crash, ...], labels: list[int]) -> dict[tuple[int, int], float]:
    """An x for each call, end and crash: as far left as order and labels allow.

    What has no end fades away where its process calls again or behind the crash that cut it off, else at the right.
    """
    ranks = order(spans(ops, crashes, {crash.time for crash in crashes}))
    events: list[tuple[float, int, int]] = []
    for index, op in enumerate(ops):
        events.append((ranks.calls[index], index, _CALL))
        if op.outcome is not Outcome.UNKNOWN:
            events.append((ranks.returns[index], index, _END))
            continue
        again = [
            ranks.calls[other] - 0.5
            for other, later in enumerate(ops)
            if later.process == op.process and ranks.calls[other] > ranks.calls[index]
        ]
        again += [
            ranks.calls[len(ops) + number] + 0.25
            for number, crash in enumerate(crashes)
            if crash.covers(op.process) and ranks.calls[len(ops) + number] > ranks.calls[index]
        ]
        if again:
            events.append((min(again), index, _END))
    events += [(ranks.calls[len(ops) + number], number, _CRASH) for number in range(len(crashes))]
    free: dict[Process, float] = {}
    places: dict[tuple[int, int], float] = {}
    at = -_STEP
    for _, index, kind in sorted(events):
        at += _STEP
        if kind == _CALL:
            at = max(at, free.get(ops[index].process, 0.0) + (_REST if ops[index].process in free else 0))
        elif kind == _END:
            unknown = ops[index].outcome is Outcome.UNKNOWN
            least = labels[index] * LETTER + 2 * _PADDING + (_OPEN if unknown else 0)
            at = max(at, places[index, _CALL] + least)
            free[ops[index].process] = at
        else:
            at += _STEP / 2  # a crash stands alone
        places[index, kind] = at
    return places
