# SPDX-License-Identifier: Apache-2.0
"""Lays out a few operations as bars: a lane for each process, time to the right; only the order counts, not distances.

``templates/operation_bars.html`` draws them. Each bar has the index of its operation on the page, so that a script can
find it. Labels are as long as the width allows; the title of a bar has the complete operation.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from linpoint.explain.history.graph.graph_layout import (
    BOX_PADDING_PX,
    CALL,
    CHAR_WIDTH_PX,
    CRASH,
    END,
    LabelSpace,
    places_of,
)
from linpoint.explain.history.graph.memory_operation_text import clean, full
from linpoint.explain.wording.ascii_timeline import label
from linpoint.explain.wording.lane_names import lane_names
from linpoint.histories.history import History
from linpoint.histories.operation import Annotation, Crash, Operation, Outcome, Process, Time
from linpoint.histories.values import canonical, format_value
from linpoint.text.terminal_text import display_width

MAX_BARS: Final = 40
_LABEL_SPACE: Final = LabelSpace(10, 12, 12)
_BAR_HEIGHT_PX: Final = 26.0
_LANE_HEIGHT_PX: Final = 38.0
_TOP_PX: Final = 8.0
_MAX_PROCESS_COLUMNS: Final = 14
_MAX_FAULT_COLUMNS: Final = 18
_MAX_FAULTS: Final = 6
"""With more faults between the operations, none is drawn; the timeline has them all."""
_TAIL_PX: Final = 46.0
"""The length by which an operation with an unknown outcome extends past everything else."""
_GAP_PX: Final = 7.0
_MAX_BESIDE_COLUMNS: Final = 30
_MIN_BESIDE_COLUMNS: Final = 6
_SPARE_PX: Final = 150.0
"""Extra width on the right, for labels next to bars."""


@dataclass(frozen=True, slots=True)
class BarLane:
    """The lane of a process: its name and the y of its middle."""

    name: str
    y: float


@dataclass(frozen=True, slots=True)
class BarMark:
    """A crash or a fault: a vertical line with a text."""

    fault: bool
    title: str
    x: float
    top: str
    bottom: float
    text: str
    text_x: float
    text_y: float
    anchor: str


@dataclass(frozen=True, slots=True)
class BesideLabel:
    """A label next to a bar that has no room for it."""

    x: float
    anchor: str
    text: str


@dataclass(frozen=True, slots=True)
class OperationBar:
    """The bar of an operation."""

    place: int
    kind: str
    culprit: bool
    title: str
    left: float
    right: float
    top: float
    text_x: float
    label: str
    open_end: bool
    """Whether its outcome is unknown."""
    beside: BesideLabel | None


@dataclass(frozen=True, slots=True)
class OperationBars:
    """The complete drawing."""

    width: float
    height: float
    margin: float
    lanes: tuple[BarLane, ...]
    marks: tuple[BarMark, ...]
    bars: tuple[OperationBar, ...]
    bar_height: float = _BAR_HEIGHT_PX


def operation_bars(
    history: History,
    positions: Sequence[int],
    *,
    names: Mapping[int, str],
    places: Mapping[int, int],
    culprit: int | None = None,
    width: float = 700,
    nulls: Collection[str] = frozenset(),
) -> OperationBars | None:
    """Lay out operations as bars, about ``width`` wide if labels can be shortened; None for no or too many operations.

    ``nulls`` are operations whose result is shown even if it is null.
    """
    if not positions or len(positions) > MAX_BARS:
        return None
    ops = [history.operations[position] for position in positions]
    first, last = min(op.call for op in ops), max(op.call if op.return_ is None else op.return_ for op in ops)
    processes = [*dict.fromkeys(op.process for op in ops)]
    crashes = tuple(
        crash
        for crash in history.crashes
        if first <= crash.time <= last and (crash.process is None or crash.process in processes)
    )
    faults = _faults(history, first, last)
    marks = (*crashes, *(Crash(fault.time, of_object=True) for fault in faults))
    rows = {process: number for number, process in enumerate(processes)}
    called = {process: clean(name, _MAX_PROCESS_COLUMNS) for process, name in lane_names(history).items()}
    margin = 12 + CHAR_WIDTH_PX * max(display_width(called[process]) for process in processes)
    with_keys = len({canonical(op.key) for op in ops}) > 1
    for longest in (40, 28, 20, 14, 0):
        texts = [_label(op, longest, with_key=with_keys, nulls=nulls) if longest else "" for op in ops]
        labels = [f"{names.get(at, '')} {text}".strip() or "·" for at, text in zip(positions, texts, strict=True)]
        found = places_of(ops, marks, [display_width(text) for text in labels], _LABEL_SPACE)
        right = max(_ends(ops, labels, found)) + 8
        if margin + right <= width:
            break
    height = _TOP_PX + len(rows) * _LANE_HEIGHT_PX + (18 if marks else 4)
    spans = [(found[at, CALL], _end(at, op, labels[at], found, right)) for at, op in enumerate(ops)]
    bars = []
    for at, (position, op) in enumerate(zip(positions, ops, strict=True)):
        start, end = spans[at]
        text = _label(op, _MAX_BESIDE_COLUMNS, with_key=with_keys, nulls=nulls)
        bars.append(
            OperationBar(
                places.get(position, -1),
                "" if op.outcome is Outcome.OK else op.outcome.value,
                position == culprit,
                full(op),
                margin + start,
                margin + end,
                _TOP_PX + rows[op.process] * _LANE_HEIGHT_PX + (_LANE_HEIGHT_PX - _BAR_HEIGHT_PX) / 2,
                margin + start + BOX_PADDING_PX,
                labels[at],
                op.outcome is Outcome.UNKNOWN,
                None if longest else _beside(at, text, ops, spans, margin, right),
            )
        )
    return OperationBars(
        margin + right + (4 if longest else _SPARE_PX),
        height,
        margin,
        tuple(
            BarLane(called[each], _TOP_PX + row * _LANE_HEIGHT_PX + _LANE_HEIGHT_PX / 2) for each, row in rows.items()
        ),
        (
            *(_crash(crash, margin + found[at, CRASH], height, rows) for at, crash in enumerate(crashes)),
            *_fault_marks(faults, [margin + found[len(crashes) + at, CRASH] for at in range(len(faults))], height),
        ),
        tuple(bars),
    )


def _label(op: Operation, longest: int, *, with_key: bool, nulls: Collection[str]) -> str:
    """The text of an operation, with its key if the drawing has several keys."""
    key = f"[{format_value(op.key)}] " if with_key and op.key is not None else ""
    return clean(f"{key}{label(op, longest, null=op.name in nulls)}", longest)


def _beside(
    at: int,
    text: str,
    ops: Sequence[Operation],
    spans: Sequence[tuple[float, float]],
    margin: float,
    right: float,
) -> BesideLabel | None:
    """The text of an operation next to its bar, if its lane is free there."""
    start, end = spans[at]
    lane = [spans[other] for other, op in enumerate(ops) if op.process == ops[at].process and other != at]
    free_right = min([begin for begin, _ in lane if begin >= end], default=right + _SPARE_PX) - end - 2 * _GAP_PX
    free_left = start - max([until for _, until in lane if until <= start], default=0.0) - 2 * _GAP_PX
    fits = int(max(free_right, free_left) / CHAR_WIDTH_PX)
    if fits < _MIN_BESIDE_COLUMNS:
        return None
    text = clean(text, min(_MAX_BESIDE_COLUMNS, fits))
    to_the_right = free_right >= display_width(text) * CHAR_WIDTH_PX or free_right >= free_left
    x, anchor = (end + _GAP_PX, "start") if to_the_right else (start - _GAP_PX, "end")
    return BesideLabel(margin + x, anchor, text)


def _ends(ops: Sequence[Operation], labels: Sequence[str], found: dict[tuple[int, int], float]) -> list[float]:
    known = list(found.values())
    tails = [
        found[at, CALL] + display_width(labels[at]) * CHAR_WIDTH_PX + 2 * BOX_PADDING_PX + _TAIL_PX
        for at, op in enumerate(ops)
        if op.outcome is Outcome.UNKNOWN
    ]
    return known + tails


def _end(at: int, op: Operation, text: str, found: dict[tuple[int, int], float], right: float) -> float:
    if (at, END) in found:
        return found[at, END]
    return (
        max(right, found[at, CALL] + display_width(text) * CHAR_WIDTH_PX + 2 * BOX_PADDING_PX)
        if op.outcome is Outcome.UNKNOWN
        else right
    )


def _faults(history: History, first: Time, last: Time) -> list[Annotation]:
    """The faults between the operations, if there are few of them: at most two, the first and the last."""
    between = [each for each in history.annotations if first < each.time < last]
    if not between or len(between) > _MAX_FAULTS:
        return []
    between.sort(key=lambda each: each.time)
    return between if len(between) <= 2 else [between[0], between[-1]]


def _fault_marks(faults: Sequence[Annotation], places: Sequence[float], height: float) -> Iterator[BarMark]:
    """The marks of faults. The text of the first is left of its line, that of the last right, without overlap."""
    anchors = ("end", "start") if len(faults) > 1 else ("middle",)
    for fault, x, anchor in zip(faults, places, anchors, strict=False):
        text_x = x + {"end": -3, "start": 3, "middle": 0}[anchor]
        text = clean(fault.text, _MAX_FAULT_COLUMNS)
        yield BarMark(True, f"{fault.text} at {fault.time}", x, "2", height - 16, text, text_x, height - 4, anchor)


def _crash(crash: Crash, x: float, height: float, rows: Mapping[Process, int]) -> BarMark:
    top, bottom, text_y, text = 2.0, height - 16, height - 4, "object crash" if crash.of_object else "crash"
    if crash.process is not None:
        top = _TOP_PX + rows[crash.process] * _LANE_HEIGHT_PX
        bottom, text_y, text = top + _LANE_HEIGHT_PX, top + _LANE_HEIGHT_PX / 2 + 4, "✕"
    return BarMark(
        False, f"crash of {crash.whose()} at {crash.time}", x, f"{top:.1f}", bottom, text, x, text_y, "middle"
    )
