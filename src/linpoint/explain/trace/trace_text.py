# SPDX-License-Identifier: Apache-2.0
"""A trace as text: a column for each thread, time downwards, source lines on the left.

Guarantee: no line exceeds the requested width, whatever the number of threads and the length of names, values and
source lines are. Wide characters do not disturb the columns. The step of the failure is shown and marked. If columns
would be too narrow, the trace is a list with the thread's name before each step. Cost: O(steps), of which about
``MAX_SHOWN_STEPS`` are shown.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from linpoint.explain.trace.step_wording import StepWording, schedule_words, sentence, wording_of
from linpoint.explain.trace.trace_rows import Row, StepRow, SwitchRule, left_in_buffers, rows_of, without_idle
from linpoint.text.terminal_text import display_width, escape_controls, fit, pad, wrap
from linpoint.traces.trace import StepKind, Trace

MAX_SHOWN_STEPS: Final = 80
"""The approximate number of steps to show."""
MIN_WIDTH_COLUMNS: Final = 40

_GAP: Final = "  "
_MAX_NAME_COLUMNS: Final = 48  # columns of one name or value
_MAX_PLACE_COLUMNS: Final = 26
_MIN_THREAD_COLUMNS: Final = 16
_COMFORTABLE_THREAD_COLUMNS: Final = 22  # source lines are dropped rather than columns made narrower than this
_MAX_SOURCE_COLUMNS: Final = 28
_MIN_SOURCE_COLUMNS: Final = 16
_MAX_THREAD_NAME_COLUMNS: Final = 16
_MAX_DEPTH_BARS: Final = 3
_MIN_TEXT_COLUMNS: Final = 8  # bars leave this width to the text
_MARKS: Final = {"failing": "=> ", "related": "-> ", "": "   "}
_MAX_MESSAGE_LINES: Final = 4  # of a message or a schedule


@dataclass(frozen=True, slots=True)
class _Gutter:
    """The widths left of the threads: numbers, places and source lines; and the room for the rest."""

    number: int
    place: int
    source: int
    room: int
    """The width for source lines and threads together."""

    def beside(self, threads: int) -> _Gutter:
        """The gutter next to threads of this width, without source lines if they would be too narrow."""
        source = min(self.source, self.room - threads - len(_GAP))
        return replace(self, source=source if source >= min(self.source, _MIN_SOURCE_COLUMNS) else 0)


@dataclass(frozen=True, slots=True)
class _Table:
    """The columns and their contents. ``cells`` gives the lines of a row for columns of these widths."""

    gutter: _Gutter
    columns: tuple[int, ...]
    header: tuple[str, ...]
    cells: Callable[[StepRow, Sequence[int]], list[list[str]]]
    where: str = "where"
    numbers: Sequence[str] = ()
    """The labels before the steps, if not their positions."""

    def number(self, row: StepRow) -> str:
        """The label before a step."""
        return self.numbers[row.position] if self.numbers else f"{row.position:,}"


def trace_text(trace: Trace, *, width: int = 100, most: int = MAX_SHOWN_STEPS) -> str:
    """The trace as text: no line is wider than ``width``, which is at least 40, and about ``most`` steps are shown."""
    if width < MIN_WIDTH_COLUMNS:
        raise ValueError(f"a trace needs at least {MIN_WIDTH_COLUMNS} columns, not {width}")
    wording = wording_of(trace, longest=_MAX_NAME_COLUMNS)
    lines = wrap(sentence(trace, wording), width)
    if trace.failure and trace.failure.message:
        lines += wrap(
            escape_controls(trace.failure.message[: _MAX_MESSAGE_LINES * width]), width, most=_MAX_MESSAGE_LINES
        )
    rows = rows_of(trace, wording, most=most)
    if rows:
        lines += ["", *_drawn(_table(trace, wording, rows, width), rows, wording, width)]
    return "\n".join([*lines, *_ending(trace, wording, width)])


def run_text(trace: Trace, numbers: Sequence[str], *, width: int = 100, most: int = MAX_SHOWN_STEPS) -> str:
    """The text of a model's run, without a sentence, and with ``numbers`` before its steps instead of positions."""
    trace = without_idle(trace)
    wording = wording_of(trace, longest=_MAX_NAME_COLUMNS, of_model=True)
    rows = rows_of(trace, wording, most=most)
    if not rows:
        return ""
    table = replace(_table(trace, wording, rows, width), where="line", numbers=numbers)
    return "\n".join([*_drawn(table, rows, wording, width), *_ending(trace, wording, width)])


def _ending(trace: Trace, wording: StepWording, width: int) -> list[str]:
    """The stores that never reached memory, and the schedule."""
    lines = []
    left = left_in_buffers(trace)
    if left:
        told = "; ".join(f"{wording.thread(thread)} {wording.stores(stores)}" for thread, stores in left.items())
        lines += wrap(f"Never reached memory: {told}", width)
    if trace.schedule is not None:
        told = f"Schedule: {schedule_words(trace.schedule, (_MAX_MESSAGE_LINES // 2) * width)}"
        lines += wrap(told, width, most=_MAX_MESSAGE_LINES)
    return ["", *lines] if lines else []


def _table(trace: Trace, wording: StepWording, rows: Sequence[Row], width: int) -> _Table:
    """A column for each thread if they are wide enough, else one column for names and one for steps."""
    steps = [row for row in rows if isinstance(row, StepRow)]
    number = max(len(f"{row.position:,}") for row in steps)
    places = [display_width(wording.place(row.step.place)) for row in steps if row.step.place]
    place = max(min(max(places, default=0), _MAX_PLACE_COLUMNS, width // 4), len("line") if wording.of_model else 0)
    source = min(max(display_width(wording.source(row.step)) for row in steps), _MAX_SOURCE_COLUMNS)
    room = width - number - len(_MARKS[""]) - len(_GAP) * (2 if place else 1) - place
    threads = max(1, len(trace.threads))
    widest = room // threads - len(_GAP)
    if widest < _MIN_THREAD_COLUMNS:
        return _listed(trace, wording, steps, _Gutter(number, place, source, room))
    with_source = (room - source - len(_GAP)) // threads - len(_GAP)
    widest = with_source if with_source >= _COMFORTABLE_THREAD_COLUMNS else widest
    return _side_by_side(trace, wording, steps, _Gutter(number, place, source, room), widest)


def _side_by_side(trace: Trace, wording: StepWording, steps: Sequence[StepRow], gutter: _Gutter, widest: int) -> _Table:
    """A column for each thread, each as narrow as possible."""
    ids = [thread.id for thread in trace.threads]

    def cells(row: StepRow, widths: Sequence[int]) -> list[list[str]]:
        return [
            _cell(row, width, depth, mine=row.step.thread == who)
            for who, width, depth in zip(ids, widths, row.open_calls, strict=True)
        ]

    names = tuple(map(wording.thread, ids))
    needs = [min(display_width(name), widest) for name in names]
    for row in steps:
        lines = cells(row, [widest] * len(ids))
        needs = [max(need, *map(display_width, each)) for need, each in zip(needs, lines, strict=True)]
    return _Table(gutter.beside(sum(needs) + len(_GAP) * len(needs)), tuple(needs), names, cells)


def _listed(trace: Trace, wording: StepWording, steps: Sequence[StepRow], gutter: _Gutter) -> _Table:
    """One column with the names of the threads, and one with their steps."""
    index = {thread.id: at for at, thread in enumerate(trace.threads)}

    def cells(row: StepRow, widths: Sequence[int]) -> list[list[str]]:
        thread = row.step.thread
        if thread is None:
            return [[""], _cell(row, widths[1], 0, mine=True)]
        return [
            [fit(wording.thread(thread), widths[0])],
            _cell(row, widths[1], row.open_calls[index[thread]], mine=True),
        ]

    titles = ("process" if wording.of_model else "thread", "what")
    name = min(
        max(display_width(wording.thread(thread)) for thread in index), _MAX_THREAD_NAME_COLUMNS, gutter.room // 4
    )
    name = max(name, display_width(titles[0]))
    what = gutter.room - name - 2 * len(_GAP)
    needed = max(display_width(line) for row in steps for line in cells(row, (name, what))[1])
    needed = max(needed, display_width(titles[1]))
    return _Table(gutter.beside(name + needed + 2 * len(_GAP)), (name, needed), titles, cells)


def _cell(row: StepRow, width: int, depth: int, *, mine: bool) -> list[str]:
    """The lines of a step in the column of its thread; in other columns only the bars of open operations."""
    bars = "│ " * min(depth, _MAX_DEPTH_BARS, max(0, width - _MIN_TEXT_COLUMNS) // 2)
    if not mine:
        return [bars.rstrip()]
    first, rest = {"begin": ("┌ ", "│ "), "end": ("└ ", "  "), "": ("", "  ")}[row.bracket]
    inside = {"begin": "│ ", "end": "", "": ""}[row.bracket]
    whole = display_width(row.words) <= width - len(bars) - len(first)
    lines = [row.words] if whole else wrap(row.words, width - len(bars) - 2)
    told = [f"{bars}{first if at == 0 else rest}{line}" for at, line in enumerate(lines)]
    for note in row.notes:
        told += [f"{bars}{inside}  {line}" for line in wrap(note, width - len(bars) - len(inside) - 2)]
    return told


def _drawn(table: _Table, rows: Sequence[Row], wording: StepWording, width: int) -> list[str]:
    gutter = table.gutter
    margin = len(_MARKS[""]) + gutter.number
    titles = ["#".rjust(margin)]
    widths = [margin]
    if gutter.place:
        titles.append(fit(table.where, gutter.place + gutter.source))
        widths.append(gutter.place + (len(_GAP) + gutter.source if gutter.source else 0))
    titles += (fit(title, each) for title, each in zip(table.header, table.columns, strict=True))
    widths += table.columns
    lines = [_line(titles, widths), _line(["-" * each for each in widths], widths)]
    for row in rows:
        if not isinstance(row, StepRow):
            text = f"--- {row.words} ---" if isinstance(row, SwitchRule) else f"... {row.words} ..."
            lines.append(fit(f"{' ' * margin}{_GAP}{text}", width))
        elif row.step.thread is None:
            lines += _across(table, row, margin, width)
        else:
            lines += _step(table, row, wording, widths)
    return lines


def _across(table: _Table, row: StepRow, margin: int, width: int) -> list[str]:
    """A step without a thread spans all columns."""
    texts = [f"=== {row.words} ===" if row.step.kind is StepKind.CRASH else row.words, *row.notes]
    lines = [line for text in texts for line in wrap(text, width - margin - 2 * len(_GAP))]
    head = _head(table, row, margin)
    return [
        f"{head if at == 0 else ' ' * margin}{_GAP}{'' if at == 0 else _GAP}{line}" for at, line in enumerate(lines)
    ]


def _step(table: _Table, row: StepRow, wording: StepWording, widths: Sequence[int]) -> list[str]:
    step = row.step
    left = []
    gutter = table.gutter
    if gutter.place:
        where = "" if step.place is None else fit(wording.place(step.place), gutter.place)
        source = fit(wording.source(step), gutter.source) if gutter.source else ""
        left = [f"{pad(where, gutter.place)}{_GAP}{source}" if source else where]
    cells = table.cells(row, table.columns)
    lines = [_line([_head(table, row, widths[0]), *left, *(cell[0] for cell in cells)], widths)]
    for at in range(1, max(map(len, cells))):
        rest = [cell[at] if at < len(cell) else _open(cell) for cell in cells]
        lines.append(_line(["", *("" for _ in left), *rest], widths))
    return lines


def _head(table: _Table, row: StepRow, margin: int) -> str:
    mark = _MARKS[row.role]
    return mark + table.number(row).rjust(margin - len(mark))


def _open(cell: list[str]) -> str:
    """The bars that continue a column next to a longer cell of another column."""
    return cell[0] if cell[0].strip("│ ") == "" else ""


def _line(parts: Sequence[str], widths: Sequence[int]) -> str:
    return _GAP.join(pad(part, width) for part, width in zip(parts, widths, strict=True)).rstrip()
