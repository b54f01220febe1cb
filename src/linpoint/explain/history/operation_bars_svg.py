# SPDX-License-Identifier: Apache-2.0
"""A few operations drawn as bars: a lane for each process, time to the right; only the order counts, not distances.

The bars carry the place of their operation on the page, so that a script can point at them. Labels are as long as the
width allows; what is cut off is in the ``<title>`` of its bar.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Final

from linpoint.explain.history.graph.graph_layout import CALL, CRASH, END, LETTER, PADDING, Room, places_of
from linpoint.explain.history.graph.memory_operation_text import clean, full
from linpoint.explain.pages.script_data import escaped
from linpoint.explain.wording.ascii_timeline import label
from linpoint.explain.wording.lane_names import lane_names
from linpoint.histories.history import History
from linpoint.histories.operation import Annotation, Crash, Operation, Outcome, Time
from linpoint.histories.values import canonical, show
from linpoint.text.terminal_text import columns

MOST: Final = 40
_ROOM: Final = Room(10, 12, 12)
_BAR: Final = 26.0
_LANE: Final = 38.0
_TOP: Final = 8.0
_LONGEST_PROCESS: Final = 14
_LONGEST_FAULT: Final = 18
_MOST_FAULTS: Final = 6
"""Of more faults between the operations none is drawn: the timeline has them all."""
_TAIL: Final = 46.0
"""Of an operation whose outcome is unknown, past everything else."""
_GAP: Final = 7.0
_LONGEST_BESIDE: Final = 30
_LEAST_BESIDE: Final = 6
_SPARE: Final = 150.0
"""To the right of everything, for texts beside bars."""


def drawing(
    history: History,
    positions: Sequence[int],
    *,
    names: Mapping[int, str],
    places: Mapping[int, int],
    culprit: int | None = None,
    width: float = 700,
    nulls: Collection[str] = frozenset(),
) -> str:
    """The operations as an SVG, about ``width`` wide if their labels can be cut so short.

    ``nulls`` are operations whose result is said even where it is null.
    """
    if not positions or len(positions) > MOST:
        return ""
    ops = [history.operations[position] for position in positions]
    first, last = min(op.call for op in ops), max(op.call if op.return_ is None else op.return_ for op in ops)
    processes = [*dict.fromkeys(op.process for op in ops)]
    crashes = tuple(
        crash
        for crash in history.crashes
        if first <= crash.time <= last and (crash.process is None or crash.process in processes)
    )
    faults = _faults(history, first, last)
    marks = (*crashes, *(Crash(fault.time) for fault in faults))
    rows = {process: number for number, process in enumerate(processes)}
    called = {process: clean(name, _LONGEST_PROCESS) for process, name in lane_names(history).items()}
    margin = 12 + LETTER * max(columns(called[process]) for process in processes)
    with_keys = len({canonical(op.key) for op in ops}) > 1
    for longest in (40, 28, 20, 14, 0):
        told = [_label(op, longest, with_key=with_keys, nulls=nulls) if longest else "" for op in ops]
        labels = [f"{names.get(at, '')} {text}".strip() or "·" for at, text in zip(positions, told, strict=True)]
        found = places_of(ops, marks, [columns(text) for text in labels], _ROOM)
        right = max(_ends(ops, labels, found)) + 8
        if margin + right <= width:
            break
    height = _TOP + len(rows) * _LANE + (18 if marks else 4)
    full_width = margin + right + (4 if longest else _SPARE)
    parts = [
        (
            f'<svg class="drawing" viewBox="0 0 {full_width:.0f} {height:.0f}" width="{full_width:.0f}" '
            f'height="{height:.0f}" role="img" aria-label="The operations, a lane for each process, time to the right">'
        ),
    ]
    for process, row in rows.items():
        y = _TOP + row * _LANE + _LANE / 2
        parts.append(
            f'<line class="lane" x1="{margin:.0f}" x2="{full_width:.0f}" y1="{y:.1f}" y2="{y:.1f}"/>'
            f'<text class="process" x="{margin - 8:.0f}" y="{y + 4:.1f}" text-anchor="end">'
            f"{escaped(called[process])}</text>"
        )
    parts += [_crash(crash, margin + found[at, CRASH], height, rows) for at, crash in enumerate(crashes)]
    for at, fault in enumerate(faults, len(crashes)):
        # Their texts lean against each other's lines where they are close: the first to the left, the last to the right.
        anchor = "end" if at == len(crashes) and len(faults) > 1 else "start" if len(faults) > 1 else "middle"
        parts.append(_fault(fault, margin + found[at, CRASH], height, anchor))
    bars = [(found[at, CALL], _end(at, op, labels[at], found, right)) for at, op in enumerate(ops)]
    for at, (position, op) in enumerate(zip(positions, ops, strict=True)):
        start, end = bars[at]
        text = _label(op, _LONGEST_BESIDE, with_key=with_keys, nulls=nulls)
        beside = "" if longest else _beside(at, text, ops, bars, (margin, right))
        kind = _kind(op) + (" culprit" if position == culprit else "")
        y = _TOP + rows[op.process] * _LANE + (_LANE - _BAR) / 2
        parts.append(
            f'<g class="op {kind}" data-op="{places.get(position, -1)}"><title>{escaped(full(op))}</title>'
            f"{_shape(op, margin + start, margin + end, y)}"
            f'<text x="{margin + start + PADDING:.1f}" y="{y + 17.5:.1f}">{escaped(labels[at])}</text>'
            f"{beside.format(y=y + 17.5)}</g>"
        )
    return "".join([*parts, "</svg>"])


def _label(op: Operation, longest: int, *, with_key: bool, nulls: Collection[str]) -> str:
    """What an operation did; on which object, where the drawing has several."""
    key = f"[{show(op.key)}] " if with_key and op.key is not None else ""
    return clean(f"{key}{label(op, longest, null=op.name in nulls)}", longest)


def _beside(
    at: int,
    text: str,
    ops: Sequence[Operation],
    bars: Sequence[tuple[float, float]],
    sides: tuple[float, float],
) -> str:
    """The text of an operation beside its bar, where its lane is free: ``{y}`` is still to be said."""
    margin, right = sides
    start, end = bars[at]
    lane = [bars[other] for other, op in enumerate(ops) if op.process == ops[at].process and other != at]
    free_right = min([begin for begin, _ in lane if begin >= end], default=right + _SPARE) - end - 2 * _GAP
    free_left = start - max([until for _, until in lane if until <= start], default=0.0) - 2 * _GAP
    room = max(free_right, free_left)
    fits = int(room / LETTER)
    if fits < _LEAST_BESIDE:
        return ""
    text = clean(text, min(_LONGEST_BESIDE, fits))
    to_the_right = free_right >= columns(text) * LETTER or free_right >= free_left
    x, anchor = (end + _GAP, "start") if to_the_right else (start - _GAP, "end")
    said = escaped(text).replace("{", "{{").replace("}", "}}")
    return f'<text class="beside" x="{margin + x:.1f}" y="{{y:.1f}}" text-anchor="{anchor}">{said}</text>'


def _kind(op: Operation) -> str:
    return "" if op.outcome is Outcome.OK else op.outcome.value


def _ends(ops: Sequence[Operation], labels: Sequence[str], found: dict[tuple[int, int], float]) -> list[float]:
    known = list(found.values())
    tails = [
        found[at, CALL] + columns(labels[at]) * LETTER + 2 * PADDING + _TAIL
        for at, op in enumerate(ops)
        if op.outcome is Outcome.UNKNOWN
    ]
    return known + tails


def _end(at: int, op: Operation, text: str, found: dict[tuple[int, int], float], right: float) -> float:
    if (at, END) in found:
        return found[at, END]
    return (
        max(right, found[at, CALL] + columns(text) * LETTER + 2 * PADDING) if op.outcome is Outcome.UNKNOWN else right
    )


def _shape(op: Operation, left: float, right: float, y: float) -> str:
    """A bar with a tick at its call and, where it has one, at its return; an open one fades into dots."""
    size = f'x="{left:.1f}" y="{y:.1f}" height="{_BAR:.0f}"'
    tick = f'<path class="tick" d="M{left:.1f} {y - 3:.1f}v{_BAR + 6:.0f}"/>'
    if op.outcome is Outcome.UNKNOWN:
        dots = f'<path class="dots" d="M{max(left, right - 34):.1f} {y + _BAR / 2:.1f}H{right:.1f}"/>'
        return f'<rect class="bar" {size} width="{max(right - left - 26, 20):.1f}" rx="4"/>{dots}{tick}'
    end = f'<path class="tick" d="M{right:.1f} {y - 3:.1f}v{_BAR + 6:.0f}"/>'
    return f'<rect class="bar" {size} width="{right - left:.1f}" rx="4"/>{tick}{end}'


def _faults(history: History, first: Time, last: Time) -> list[Annotation]:
    """What the history says happened between the operations, where it is little: at most two, the first and the last."""
    between = [each for each in history.annotations if first < each.time < last]
    if not between or len(between) > _MOST_FAULTS:
        return []
    between.sort(key=lambda each: each.time)
    return between if len(between) <= 2 else [between[0], between[-1]]


def _fault(fault: Annotation, x: float, height: float, anchor: str) -> str:
    shift = {"end": -3, "start": 3, "middle": 0}[anchor]
    return (
        f'<g class="crash fault"><title>{escaped(f"{fault.text} at {fault.time}", 300)}</title>'
        f'<path d="M{x:.1f} 2V{height - 16:.1f}"/>'
        f'<text x="{x + shift:.1f}" y="{height - 4:.1f}" text-anchor="{anchor}">'
        f"{escaped(clean(fault.text, _LONGEST_FAULT))}</text></g>"
    )


def _crash(crash: Crash, x: float, height: float, rows: Mapping[int | str, int]) -> str:
    who = "everything" if crash.process is None else f"process {crash.process}"
    top, bottom, place, said = 2.0, height - 16, height - 4, "crash"
    if crash.process is not None:
        top = _TOP + rows[crash.process] * _LANE
        bottom, place, said = top + _LANE, top + _LANE / 2 + 4, "✕"
    return (
        f'<g class="crash"><title>{escaped(f"crash of {who} at {crash.time}")}</title>'
        f'<path d="M{x:.1f} {top:.1f}V{bottom:.1f}"/>'
        f'<text x="{x:.1f}" y="{place:.1f}" text-anchor="middle">{said}</text></g>'
    )
