# SPDX-License-Identifier: Apache-2.0
"""A drawing of a few operations: a row per process, time to the right, in the notation of ``linpoint.history``.

The drawing keeps the order of calls and returns, but not distances, so that labels fit. ``linpoint.history`` can read a
drawing that is complete.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from linpoint.histories._native_columns import Phase
from linpoint.histories.history import History
from linpoint.histories.integer_columns import Span, real_time_order
from linpoint.histories.operation import Crash, Operation, Outcome, Process, Time
from linpoint.histories.values import format_value
from linpoint.text.phrases import one_line

_CALL, _RETURN = 1, 2
_MAX_OPERATIONS = 40
_CRASH_ROWS = {False: "crash", True: "object crash"}
_BAR, _DOTS = 5, 7  # columns from the call to the end of an operation besides its label


def ascii_timeline(
    history: History, positions: Sequence[int], *, width: int = 100, nulls: Collection[str] = frozenset()
) -> str:
    """The operations at ``positions`` in aligned process rows at most ``width`` columns wide.

    ``nulls`` are operations whose result is shown even if it is null.
    """
    ops = [history.operations[position] for position in positions]
    if not ops:
        return ""
    first = min(op.call for op in ops)
    last = max(max(op.call, op.call if op.return_ is None else op.return_) for op in ops)
    crashes = [crash for crash in history.crashes if crash.ends_era and first <= crash.time <= last]
    if len(ops) > _MAX_OPERATIONS:
        return f"({len(ops)} operations: too many to draw)"
    for longest in (60, 40, 30, 24, 18, 14, 10, 7, 5):
        labels = [label(op, longest, null=op.name in nulls) for op in ops]
        drawn = _draw(ops, crashes, history.crashes, labels)
        if max(map(len, drawn)) <= width:
            return "\n".join(drawn)
    return f"({len(ops)} operations: too many to draw in {width} columns)"


def label(op: Operation, longest: int = 60, *, null: bool = False) -> str:
    """An operation as drawings write it: ``name(args)->result``."""
    text = f"{op.name}({', '.join(map(format_value, op.args))})"
    if op.outcome is Outcome.FAILED:
        text += "->failed"
    elif op.outcome is Outcome.OK and (null or op.result is not None):
        text += f"->{format_value(op.result)}"
    text = one_line(text)
    return text if len(text) <= longest else text[: longest - 1] + "…"


def _draw(
    ops: Sequence[Operation], crashes: Sequence[Crash], every: Sequence[Crash], labels: Sequence[str]
) -> list[str]:
    columns = _columns(ops, crashes, every, labels)
    right = max(
        [column + 2 for column in columns.values()]
        + [
            columns[index, _CALL] + len(text) + _DOTS
            for index, text in enumerate(labels)
            if (index, _RETURN) not in columns
        ]
    )
    processes = list(dict.fromkeys(op.process for op in sorted(ops, key=lambda op: op.call)))
    kinds = [kind for kind in _CRASH_ROWS if any(crash.of_object is kind for crash in crashes)]
    names = [*map(_name, processes), *(_CRASH_ROWS[kind] for kind in kinds)]
    margin = max(map(len, names)) + 2
    rows = []
    for process in processes:
        row = f"{_name(process)}:".ljust(margin)
        mine = [index for index, op in enumerate(ops) if op.process == process]
        for index in sorted(mine, key=lambda index: columns[index, _CALL]):
            start = columns[index, _CALL]
            end = "..." if ops[index].outcome is Outcome.UNKNOWN else "|"
            row = row.ljust(margin + start) + _bar(labels[index], columns.get((index, _RETURN), right) - start + 1, end)
        rows.append(row)
    for kind in kinds:
        row = f"{_CRASH_ROWS[kind]}:".ljust(margin)
        for number, crash in enumerate(crashes):
            if crash.of_object is kind:
                row = row.ljust(margin + columns[~number, _CALL]) + "X"
        rows.append(row)
    return rows


def _name(process: Process) -> str:
    """The name at the head of a row, in quotes if a drawing would parse it as something else."""
    plain = isinstance(process, int) or re.fullmatch(
        r"(?!(object )?crash$|-?[0-9]+$)[^\s:|\"][^:|\"\x00-\x1f]*(?<!\s)", process
    )
    return one_line(str(process) if plain else format_value(process))


def _bar(text: str, width: int, end: str) -> str:
    return f"|--{text}--{'-' * (width - len(text) - len(end) - 5)}{end}"


def _columns(
    ops: Sequence[Operation], crashes: Sequence[Crash], every: Sequence[Crash], labels: Sequence[str]
) -> dict[tuple[int, int], int]:
    """A column for each call, return and crash: as far left as order and labels allow.

    An operation with an unknown outcome ends only if its process calls again; the others extend to the right edge.
    """
    ends: dict[int, Time] = {}
    for index, op in enumerate(ops):
        if op.outcome is not Outcome.UNKNOWN:
            ends[index] = op.call if op.return_ is None else op.return_
    ranks = real_time_order(spans(ops, crashes, every))
    events: list[tuple[float, int, int]] = [(rank, index, _CALL) for index, rank in enumerate(ranks.calls[: len(ops)])]
    events += [(ranks.returns[index], index, _RETURN) for index in ends]
    events += [(rank, ~number, _CALL) for number, rank in enumerate(ranks.calls[len(ops) :])]
    for index, op in enumerate(ops):
        again = [
            ranks.calls[other]
            for other, later in enumerate(ops)
            if later.process == op.process and ranks.calls[other] > ranks.calls[index]
        ]
        if index not in ends and again:
            events.append((min(again) - 0.5, index, _RETURN))
    columns: dict[tuple[int, int], int] = {}
    at = -2
    for _, index, kind in sorted(events):
        at += 2
        if kind == _RETURN:
            at = max(at, columns[index, _CALL] + len(labels[index]) + (_BAR if index in ends else _DOTS))
        columns[index, kind] = at
    return columns


def spans(ops: Sequence[Operation], crashes: Sequence[Crash], every: Sequence[Crash]) -> list[Span]:
    """The time spans of the operations, then of ``crashes``; ``every`` has all crashes of the history.

    An operation at the same time as a crash of its process stays on its side of it. One at the same time as a crash of
    the object spans it.
    """
    found = []
    for op in ops:
        end = None if op.outcome is Outcome.UNKNOWN else op.call if op.return_ is None else op.return_
        early = end != op.call and any(crash.time == end and crash.covers(op.process) for crash in every)
        found.append(Span(op.process, op.call, end, return_phase=Phase.EARLY_RETURN if early else Phase.RETURN))
    return found + [
        Span(None, crash.time, None, Phase.OBJECT_CRASH if crash.of_object else Phase.CRASH) for crash in crashes
    ]
