# SPDX-License-Identifier: Apache-2.0
"""A trace as a table with a column for each thread, as ``templates/trace.html`` shows it. No script, no ids.

Guarantee: everything from the trace is text; no element, attribute or control character comes from it. Cost: O(steps);
about ``MAX_STEPS`` are shown. The style sheet is ``assets/traces.css``. Its classes:

    trace                   the whole              trace-sentence, trace-message, trace-ending   around the table
    trace-scroll            lets the table scroll  trace-table, trace-caption, trace-thread      the table and its head
    trace-step              a row of a step        trace-failing, trace-related, trace-crash     rows that matter
    trace-number            its position           trace-place, trace-source                     its line of source
    trace-own               the thread's own cell  trace-what, trace-note                        its text and its notes
    trace-depth-1, -2, -3   operations are open    trace-begin, trace-end                        where one begins or ends
    trace-rule              another thread runs    trace-preemption, trace-fold                  as rules; omitted steps
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from linpoint.explain.trace.step_wording import StepWording, schedule_words, sentence, wording_of
from linpoint.explain.trace.trace_rows import (
    FoldedSteps,
    Row,
    StepRow,
    SwitchRule,
    left_in_buffers,
    rows_of,
    without_idle,
)
from linpoint.text.terminal_text import escape_controls, fit
from linpoint.traces.trace import SourcePlace, StepKind, Trace

MAX_STEPS: Final = 300
"""The approximate number of steps to show."""

_MAX_RUN_STEPS: Final = 1_000
_MAX_NAME_COLUMNS: Final = 160
_MAX_TEXT_COLUMNS: Final = 2_000
_MAX_DEPTH: Final = 3
_LABELS: Final = {"failing": "where it fails", "related": "takes part in the failure", "": ""}


@dataclass(frozen=True, slots=True)
class TraceCell:
    """The cell of a thread in the row of a step: its classes, and whether the step is the thread's own."""

    classes: str
    own: bool


@dataclass(frozen=True, slots=True)
class TraceLine:
    """A row of the table: a step, or a rule or a fold between steps, which has only text."""

    classes: str
    words: str
    number: str = ""
    position: int = -1
    """The position of a step, for scripts and labels."""
    label: str = ""
    """The role of the step in the failure."""
    notes: tuple[str, ...] = ()
    whole_place: str = ""
    place: str = ""
    source: str = ""
    cells: tuple[TraceCell, ...] = ()
    """The cells of a thread's step; empty for a step of the whole system."""


@dataclass(frozen=True, slots=True)
class TraceTable:
    """A trace as a table."""

    sentence: str
    message: str
    of_model: bool
    threads: tuple[str, ...]
    lines: tuple[TraceLine, ...]
    endings: tuple[str, ...]
    with_positions: bool = False
    """Whether rows have positions for scripts."""


def trace_table(trace: Trace) -> TraceTable:
    """The table of a trace, with its sentence."""
    wording = wording_of(trace, longest=_MAX_NAME_COLUMNS)
    rows = rows_of(trace, wording, most=MAX_STEPS)
    message = _text(trace.failure.message) if trace.failure and trace.failure.message else ""
    return _table(trace, wording, rows, sentence(trace, wording), message)


def run_table(trace: Trace, numbers: Sequence[str]) -> TraceTable:
    """The table of all steps of a model's run, with ``numbers`` in front of them."""
    trace = without_idle(trace)
    wording = wording_of(trace, longest=_MAX_NAME_COLUMNS, of_model=True)
    rows = rows_of(trace, wording, most=_MAX_RUN_STEPS, whole=len(trace.steps) <= _MAX_RUN_STEPS)
    return _table(trace, wording, rows, "", "", numbers)


def _table(
    trace: Trace, wording: StepWording, rows: Sequence[Row], opening: str, message: str, numbers: Sequence[str] = ()
) -> TraceTable:
    return TraceTable(
        opening,
        message,
        wording.of_model,
        tuple(wording.thread(thread.id) for thread in trace.threads),
        tuple(_line(trace, wording, row, numbers) for row in rows),
        tuple(_endings(trace, wording)),
        bool(numbers),
    )


def _endings(trace: Trace, wording: StepWording) -> Iterator[str]:
    for thread, stores in left_in_buffers(trace).items():
        yield f"Never reached memory: {wording.thread(thread)} {wording.stores(stores)}"
    if trace.schedule is not None:
        yield f"Schedule: {schedule_words(trace.schedule, _MAX_TEXT_COLUMNS)}"


def _line(trace: Trace, wording: StepWording, row: Row, numbers: Sequence[str]) -> TraceLine:
    if not isinstance(row, StepRow):
        return TraceLine(_between(row), row.words)
    step = row.step
    classes = ["trace-step", *([f"trace-{row.role}"] if row.role else [])]
    classes += ["trace-crash"] if step.kind is StepKind.CRASH else []
    cells = []
    if step.thread is not None:
        cells = [
            _cell(row, depth, own=step.thread == thread.id)
            for thread, depth in zip(trace.threads, row.open_calls, strict=True)
        ]
    return TraceLine(
        " ".join(classes),
        row.words,
        numbers[row.position] if numbers else f"{row.position:,}",
        row.position,
        _LABELS[row.role],
        row.notes,
        "" if step.place is None else _whole(step.place),
        "" if step.place is None else wording.place(step.place),
        wording.source(step),
        tuple(cells),
    )


def _between(row: SwitchRule | FoldedSteps) -> str:
    """The classes of a row between steps."""
    if isinstance(row, FoldedSteps):
        return "trace-fold"
    return "trace-rule trace-preemption" if row.preemption else "trace-rule"


def _cell(row: StepRow, depth: int, *, own: bool) -> TraceCell:
    bracket = row.bracket if own else ""
    depth = min(depth + bool(bracket), _MAX_DEPTH)
    classes = ["trace-own"] if own else []
    classes += [f"trace-depth-{depth}"] if depth else []
    classes += [f"trace-{bracket}"] if bracket else []
    return TraceCell(" ".join(classes), own)


def _whole(place: SourcePlace) -> str:
    return _text(f"{place} in {place.function}" if place.function else str(place))


def _text(text: str) -> str:
    return fit(escape_controls(text[: 2 * _MAX_TEXT_COLUMNS]), _MAX_TEXT_COLUMNS)
