# SPDX-License-Identifier: Apache-2.0
"""A trace as text: a column for each thread, time downwards, source lines at the left.

Guarantee: no line is wider than asked for, however many threads there are and however long their names, values and
source lines; wide letters do not disturb the columns; the step of the failure is shown and marked. Where columns would be
too narrow, the trace is a list with the thread's name before each step. Cost: O(steps), and about ``MOST`` are shown.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from linpoint.explain.letters import ELLIPSIS, columns, fitted, harmless, padded, wrapped
from linpoint.explain.traces.rows import Row, Rule, StepRow, left_in_buffers, rows_of
from linpoint.explain.traces.words import Wording, sentence, wording_of
from linpoint.histories.operation import Process
from linpoint.histories.trace import StepKind, Trace
from linpoint.histories.values import counted

MOST: Final = 120
"""About so many steps are shown."""
NARROWEST: Final = 40

_GAP: Final = "  "
_LONGEST: Final = 48  # columns of one name or value
_WIDEST_PLACE: Final = 26
_NARROWEST_COLUMN: Final = 16
_GOOD_COLUMN: Final = 22  # narrower ones are too high a price for the text of source lines
_WIDEST_SOURCE: Final = 28
_NARROWEST_SOURCE: Final = 16
_WIDEST_NAME: Final = 16
_MOST_BARS: Final = 3
_MARKS: Final = {"failing": "=> ", "related": "-> ", "": "   "}
_MOST_LINES: Final = 4  # of a message or a schedule


@dataclass(frozen=True, slots=True)
class _Table:
    """The columns and what goes into them. ``cells`` gives the lines of a row for columns of these widths."""

    number: int
    place: int
    source: int
    columns: tuple[int, ...]
    header: tuple[str, ...]
    cells: Callable[[StepRow, Sequence[int]], list[list[str]]]


def trace_text(trace: Trace, *, width: int = 100) -> str:
    """The trace in words and columns, with no line wider than ``width``, which is at least 40."""
    if width < NARROWEST:
        raise ValueError(f"a trace needs at least {NARROWEST} columns, not {width}")
    wording = wording_of(trace, longest=_LONGEST)
    lines = wrapped(sentence(trace, wording), width)
    if trace.failure and trace.failure.message:
        lines += wrapped(harmless(trace.failure.message[: _MOST_LINES * width]), width, most=_MOST_LINES)
    rows = rows_of(trace, wording, most=MOST)
    if rows:
        lines += ["", *_drawn(_table(trace, wording, rows, width), rows, wording, width)]
    return "\n".join([*lines, *_ending(trace, wording, width)])


def _ending(trace: Trace, wording: Wording, width: int) -> list[str]:
    """What has not reached memory, and how to make it happen again."""
    lines = []
    left = left_in_buffers(trace)
    if left:
        told = "; ".join(f"{wording.thread(thread)} {wording.stores(stores)}" for thread, stores in left.items())
        lines += wrapped(f"Never reached memory: {told}", width)
    if trace.schedule is not None:
        told = f"Schedule: {harmless(trace.schedule)}"
        whole = wrapped(told, width, most=_MOST_LINES)
        # Half a schedule is of no use to anybody.
        lines += (
            whole
            if ELLIPSIS not in whole[-1]
            else [f"Schedule: of {counted(len(trace.schedule), 'letter')}, not shown"]
        )
    return ["", *lines] if lines else []


def _table(trace: Trace, wording: Wording, rows: Sequence[Row], width: int) -> _Table:
    """As many columns as threads if they are wide enough, else a column for their names and one for their steps."""
    steps = [row for row in rows if isinstance(row, StepRow)]
    number = max(len(f"{row.position:,}") for row in steps)
    places = [columns(wording.place(row.step.place)) for row in steps if row.step.place]
    place = min(max(places, default=0), _WIDEST_PLACE, width // 4)
    threads = [wording.thread(thread.id) for thread in trace.threads]
    index: dict[Process | None, int] = {thread.id: at for at, thread in enumerate(trace.threads)}

    def side_by_side(row: StepRow, widths: Sequence[int]) -> list[list[str]]:
        return [
            _cell(row, widths[at], depth, at == index.get(row.step.thread)) for at, depth in enumerate(row.open_calls)
        ]

    def listed(row: StepRow, widths: Sequence[int]) -> list[list[str]]:
        thread = row.step.thread
        name = "" if thread is None else wording.thread(thread)
        depth = 0 if thread is None else row.open_calls[index[thread]]
        return [[fitted(name, widths[0])], _cell(row, widths[1], depth, True)]

    room = width - number - len(_MARKS[""]) - len(_GAP) - (place + len(_GAP) if place else 0)
    source = min(max((columns(wording.source(row.step)) for row in steps), default=0), _WIDEST_SOURCE)
    fair = room // max(1, len(threads)) - len(_GAP)
    if fair < _NARROWEST_COLUMN:
        name = min(max(map(columns, threads)), _WIDEST_NAME)
        what = room - name - 2 * len(_GAP)
        needed = max(columns(line) for row in steps for line in listed(row, (name, what))[1])
        source = _source(source, what - max(needed, columns("what")))
        return _Table(
            number, place, source, (name, what - source - len(_GAP) * bool(source)), ("thread", "what"), listed
        )
    with_source = (room - source - len(_GAP)) // len(threads) - len(_GAP)
    most = with_source if with_source >= _GOOD_COLUMN else fair
    needs = [
        max(
            columns(line)
            for line in [threads[at], *(line for row in steps for line in side_by_side(row, [most] * len(threads))[at])]
        )
        for at in range(len(threads))
    ]
    needs = [min(need, most) for need in needs]
    source = _source(source, room - sum(needs) - len(_GAP) * len(needs))
    return _Table(number, place, source, tuple(needs), tuple(threads), side_by_side)


def _source(wanted: int, room: int) -> int:
    """How wide the text of source lines may be: not at all if that would be too little."""
    source = min(wanted, room - len(_GAP))
    return source if source >= min(wanted, _NARROWEST_SOURCE) else 0


def _cell(row: StepRow, width: int, depth: int, mine: bool) -> list[str]:
    """The lines of a step in the column of its thread; in the others only the bars of what is open there."""
    bars = "│ " * min(depth, _MOST_BARS)
    if not mine:
        return [bars.rstrip()]
    first, rest = {"begin": ("┌ ", "│ "), "end": ("└ ", "  "), "": ("", "  ")}[row.bracket]
    inside = {"begin": "│ ", "end": "", "": ""}[row.bracket]
    whole = columns(row.words) <= width - len(bars) - len(first)
    lines = [row.words] if whole else wrapped(row.words, width - len(bars) - 2)
    told = [f"{bars}{first if at == 0 else rest}{line}" for at, line in enumerate(lines)]
    for note in row.notes:
        told += [f"{bars}{inside}  {line}" for line in wrapped(note, width - len(bars) - len(inside) - 2)]
    return told


def _drawn(table: _Table, rows: Sequence[Row], wording: Wording, width: int) -> list[str]:
    margin = len(_MARKS[""]) + table.number
    titles = ["#".rjust(margin)]
    widths = [margin]
    if table.place:
        gutter = table.place + (len(_GAP) + table.source if table.source else 0)
        titles.append("where")
        widths.append(gutter)
    titles += (fitted(title, each) for title, each in zip(table.header, table.columns, strict=True))
    widths += table.columns
    lines = [_line(titles, widths), _line(["-" * each for each in widths], widths)]
    for row in rows:
        if not isinstance(row, StepRow):
            text = f"--- {row.words} ---" if isinstance(row, Rule) else f"... {row.words} ..."
            lines.append(fitted(f"{' ' * margin}{_GAP}{text}", width))
        elif row.step.thread is None:
            lines += _across(row, margin, width)
        else:
            lines += _step(table, row, wording, widths)
    return lines


def _across(row: StepRow, margin: int, width: int) -> list[str]:
    """What is of no thread goes across all columns."""
    texts = [f"=== {row.words} ===" if row.step.kind is StepKind.CRASH else row.words, *row.notes]
    lines = [line for text in texts for line in wrapped(text, width - margin - 2 * len(_GAP))]
    head = f"{_MARKS[row.role]}{f'{row.position:,}'.rjust(margin - len(_MARKS['']))}"
    return [
        f"{head if at == 0 else ' ' * margin}{_GAP}{'' if at == 0 else _GAP}{line}" for at, line in enumerate(lines)
    ]


def _step(table: _Table, row: StepRow, wording: Wording, widths: Sequence[int]) -> list[str]:
    step = row.step
    gutter = []
    if table.place:
        where = "" if step.place is None else fitted(wording.place(step.place), table.place)
        source = fitted(wording.source(step), table.source) if table.source else ""
        gutter = [f"{padded(where, table.place)}{_GAP}{source}" if source else where]
    cells = table.cells(row, table.columns)
    lines = [_line([_head(row, widths[0]), *gutter, *(cell[0] for cell in cells)], widths)]
    for at in range(1, max(map(len, cells))):
        rest = [cell[at] if at < len(cell) else _open(cell) for cell in cells]
        lines.append(_line(["", *("" for _ in gutter), *rest], widths))
    return lines


def _head(row: StepRow, margin: int) -> str:
    mark = _MARKS[row.role]
    return mark + f"{row.position:,}".rjust(margin - len(mark))


def _open(cell: list[str]) -> str:
    """The bars of a column go on beside the longer cell of another."""
    return cell[0] if cell[0].strip("│ ") == "" else ""


def _line(parts: Sequence[str], widths: Sequence[int]) -> str:
    return _GAP.join(padded(part, width) for part, width in zip(parts, widths, strict=True)).rstrip()
