# SPDX-License-Identifier: Apache-2.0
"""The layout of a picture: a row for each process, time to the right.

Only the order of calls, returns and crashes counts, not their distances, so that every label fits into its box and idle
time takes no room. Cost: O(n log n).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from linpoint.explain.history.graph.memory_operation_text import clean, detail, heading
from linpoint.explain.wording.ascii_timeline import spans
from linpoint.histories.integer_columns import real_time_order
from linpoint.histories.operation import Crash, Operation, Outcome, Process
from linpoint.text.terminal_text import display_width

if TYPE_CHECKING:
    from linpoint.explain.history.graph.precedence_graph import PrecedenceGraph

CHAR_WIDTH_PX: Final = 7.3
"""The width of a character of labels."""
BOX_HEIGHT_PX: Final = 44.0
"""The height of a box."""
BOX_PADDING_PX: Final = 11.0
_MAX_ROOMY_OPERATIONS: Final = 14
"""Up to this number, operations get more room."""
_MIN_LABEL_COLUMNS: Final = 17
"""The minimum width of the box of a contradicting operation, so that its edges can leave next to each other."""
_OPEN_END_PX: Final = 34.0
"""The extra width of a box without an end, which fades."""
_MARGIN_PX: Final = 24.0
CALL, END, CRASH = 0, 1, 2
"""The kinds of events."""


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle; without an end if the time at which the operation took effect is unknown."""

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
        """The common area of two boxes."""
        width = min(self.right, other.right) - max(self.left, other.left)
        height = min(self.bottom, other.bottom) - max(self.top, other.top)
        return max(width, 0.0) * max(height, 0.0)


@dataclass(frozen=True, slots=True)
class LabelSpace:
    """The distances that leave room for edges."""

    step: float
    """The distance between two events."""
    rest: float
    """The distance between two operations of one process."""
    gap: float
    """The distance between two rows."""


_TIGHT: Final = LabelSpace(16, 42, 72)
_AMPLE: Final = LabelSpace(34, 120, 92)


@dataclass(frozen=True, slots=True)
class GraphLayout:
    """The boxes of operations and sources, the rows of processes, and the lines of crashes, all below ``top``."""

    boxes: dict[int | str, Box]
    rows: tuple[tuple[str, float], ...]
    """The name of each process and the y of its row's middle."""
    crashes: tuple[tuple[Crash, float, float, float], ...]
    """Each crash with its x, and the start and end of its line."""
    left: float
    """The x at which the rows begin."""
    top: float
    gap: float
    """The distance between two rows."""
    width: float
    height: float


def arrange(graph: PrecedenceGraph, top: float, longest: int) -> GraphLayout:
    """Lay out a graph below ``top``; ``longest`` is the length of the longest label of an edge from a source."""
    ops = [vertex.operation for vertex in graph.vertices]
    few = len(ops) <= _MAX_ROOMY_OPERATIONS
    labels = [
        max(
            display_width(heading(vertex.position, vertex.operation, name=vertex.name)),
            display_width(detail(vertex.operation)),
            _MIN_LABEL_COLUMNS if few and vertex.contradicts else 0,
        )
        for vertex in graph.vertices
    ]
    processes = list(dict.fromkeys(op.process for op in sorted(ops, key=lambda op: op.call)))
    rows = {process: number for number, process in enumerate(processes)}
    names = [clean(str(process), 16) for process in processes]
    left = _MARGIN_PX + max((display_width(name) for name in names), default=0) * CHAR_WIDTH_PX + 18
    sources = [source for source in ("genesis", "nobody") if graph.has(source)]
    first = left + (74 + 44 + longest * CHAR_WIDTH_PX if sources else 0)
    room = _AMPLE if few else _TIGHT
    places = places_of(ops, graph.crashes, labels, room)
    pitch, begin = BOX_HEIGHT_PX + room.gap, top + room.gap
    height = begin + len(rows) * pitch - room.gap + _MARGIN_PX
    last = max((x for x in places.values()), default=0.0)
    boxes: dict[int | str, Box] = {}
    for index, vertex in enumerate(graph.vertices):
        row = rows[vertex.operation.process]
        start, unknown = places[index, CALL], vertex.operation.outcome is Outcome.UNKNOWN
        least = start + labels[index] * CHAR_WIDTH_PX + 2 * BOX_PADDING_PX + (_OPEN_END_PX if unknown else 0)
        end = max(places.get((index, END), last + room.rest), least)
        y = begin + row * pitch
        boxes[vertex.position] = Box(first + start, y, first + end, y + BOX_HEIGHT_PX, row, unknown)
    middle = begin + (len(rows) * pitch - room.gap) / 2
    for number, source in enumerate(sources):
        y = middle - 17 + (number - (len(sources) - 1) / 2) * (BOX_HEIGHT_PX + 24)
        boxes[source] = Box(left, y, left + 74, y + 34)
    lines = []
    for number, crash in enumerate(graph.crashes):
        x = first + places[number, CRASH]
        y = top if crash.process is None else begin + rows[crash.process] * pitch - 18
        until = height - _MARGIN_PX + 12 if crash.process is None else y + BOX_HEIGHT_PX + 36
        lines.append((crash, x, y, until))
    width = max([box.right for box in boxes.values()] + [x for _, x, _, _ in lines] + [first]) + _MARGIN_PX
    named = tuple((name, begin + row * pitch + BOX_HEIGHT_PX / 2) for row, name in enumerate(names))
    return GraphLayout(boxes, named, tuple(lines), left, top, room.gap, width, height)


def places_of(
    ops: list[Operation], crashes: tuple[Crash, ...], labels: list[int], room: LabelSpace
) -> dict[tuple[int, int], float]:
    """The x of each call, end and crash: as far left as order and labels allow.

    An operation without an end fades where its process calls again, after the crash that interrupted it, or at the
    right.
    """
    ranks = real_time_order(spans(ops, crashes, crashes))
    events: list[tuple[float, int, int]] = []
    for index, op in enumerate(ops):
        events.append((ranks.calls[index], index, CALL))
        if op.outcome is not Outcome.UNKNOWN:
            events.append((ranks.returns[index], index, END))
            continue
        again = [
            ranks.calls[other] - 0.5
            for other, later in enumerate(ops)
            if later.process == op.process and ranks.calls[other] > ranks.calls[index]
        ]
        again += [
            ranks.calls[len(ops) + number] + 0.25
            for number, crash in enumerate(crashes)
            if crash.interrupts(op.process) and ranks.calls[len(ops) + number] > ranks.calls[index]
        ]
        if again:
            events.append((min(again), index, END))
    events += [(ranks.calls[len(ops) + number], number, CRASH) for number in range(len(crashes))]
    free: dict[Process, float] = {}
    places: dict[tuple[int, int], float] = {}
    at = -room.step
    for _, index, kind in sorted(events):
        at += room.step
        if kind == CALL:
            at = max(at, free.get(ops[index].process, 0.0) + (room.rest if ops[index].process in free else 0))
        elif kind == END:
            unknown = ops[index].outcome is Outcome.UNKNOWN
            least = labels[index] * CHAR_WIDTH_PX + 2 * BOX_PADDING_PX + (_OPEN_END_PX if unknown else 0)
            at = max(at, places[index, CALL] + least)
            free[ops[index].process] = at
        else:
            at += room.step / 2  # keep a distance from crashes
        places[index, kind] = at
    return places
