# SPDX-License-Identifier: Apache-2.0
"""A trace as a fragment of HTML: a table with a column for each thread, for a page to take in. No script, no ids.

Guarantee: everything from the trace is text; no element, attribute or control character comes from it. Cost: O(steps), and
about ``MOST`` are shown. The style sheet is ``assets/traces.css``. Its classes:

    trace                   the whole              trace-sentence, trace-message, trace-ending   around the table
    trace-scroll            lets the table scroll  trace-table, trace-caption, trace-thread      the table and its head
    trace-step              a row of a step        trace-failing, trace-related, trace-crash     rows that matter
    trace-number            its position           trace-place, trace-source                     its line of source
    trace-own               the thread's own cell  trace-what, trace-note                        what it did, what is left
    trace-depth-1, -2, -3   operations are open    trace-begin, trace-end                        where one begins or ends
    trace-rule              another thread runs    trace-preemption, trace-fold                  as rules; what is missing
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from typing import Final

from linpoint.explain.trace.step_wording import Wording, schedule_words, sentence, wording_of
from linpoint.explain.trace.trace_rows import Row, Rule, StepRow, left_in_buffers, rows_of, without_idle
from linpoint.text.terminal_text import fitted, harmless
from linpoint.traces.trace import SourcePlace, StepKind, Trace

MOST: Final = 300
"""About so many steps are shown."""

_MOST_OF_RUN: Final = 1_000
_LONGEST: Final = 160  # letters of one name or value
_LONGEST_TEXT: Final = 2_000
_MOST_BARS: Final = 3
_LABELS: Final = {"failing": "where it fails", "related": "takes part in the failure", "": ""}


def trace_fragment(trace: Trace) -> str:
    """The trace as a ``<section>``."""
    wording = wording_of(trace, longest=_LONGEST)
    parts = ['<section class="trace">', _element("p", "trace-sentence", sentence(trace, wording))]
    if trace.failure and trace.failure.message:
        parts.append(_element("p", "trace-message", _text(trace.failure.message)))
    rows = rows_of(trace, wording, most=MOST)
    if rows:
        parts += _table(trace, wording, rows)
    return "\n".join([*parts, *_ending(trace, wording), "</section>", ""])


def run_fragment(trace: Trace, numbers: Sequence[str]) -> str:
    """A run of a model, whole: ``numbers`` stand before its steps. Each row says its position, for scripts."""
    trace = without_idle(trace)
    wording = wording_of(trace, longest=_LONGEST, of_model=True)
    rows = rows_of(trace, wording, most=_MOST_OF_RUN, whole=len(trace.steps) <= _MOST_OF_RUN)
    table = _table(trace, wording, rows, numbers) if rows else []
    return "\n".join(['<section class="trace">', *table, *_ending(trace, wording), "</section>", ""])


def _ending(trace: Trace, wording: Wording) -> Iterator[str]:
    for thread, stores in left_in_buffers(trace).items():
        text = f"Never reached memory: {wording.thread(thread)} {wording.stores(stores)}"
        yield _element("p", "trace-ending", text)
    if trace.schedule is not None:
        yield _element("p", "trace-ending", f"Schedule: {schedule_words(trace.schedule, _LONGEST_TEXT)}")


def _table(trace: Trace, wording: Wording, rows: list[Row], numbers: Sequence[str] = ()) -> list[str]:
    where, who, all_of_them = ("line", "process", "processes") if wording.of_model else ("where", "thread", "threads")
    head = [_element("th", "trace-number", "#", scope="col"), _element("th", "trace-place", where, scope="col")]
    head += [_element("th", "trace-thread", wording.thread(thread.id), scope="col") for thread in trace.threads]
    return [
        f'<div class="trace-scroll" role="region" aria-label="Steps of the {all_of_them}" tabindex="0">',
        '<table class="trace-table">',
        _element("caption", "trace-caption", f"A column for each {who}, time runs downwards."),
        f"<thead><tr>{''.join(head)}</tr></thead>",
        "<tbody>",
        *(_row(trace, wording, row, numbers) for row in rows),
        "</tbody>",
        "</table>",
        "</div>",
    ]


def _row(trace: Trace, wording: Wording, row: Row, numbers: Sequence[str]) -> str:
    threads = len(trace.threads)
    if not isinstance(row, StepRow):
        preemption = isinstance(row, Rule) and row.preemption
        kind = "trace-rule trace-preemption" if preemption else "trace-rule" if isinstance(row, Rule) else "trace-fold"
        return f"{_tag('tr', kind)}{_element('td', '', row.words, colspan=str(threads + 2))}</tr>"
    label = _LABELS[row.role]
    told = {"aria-label": f"Step {row.position}, {label}: {row.words}"} if label else {}
    crash = "trace-crash" if row.step.kind is StepKind.CRASH else ""
    if numbers:
        told["data-at"] = str(row.position)
    number = numbers[row.position] if numbers else f"{row.position:,}"
    cells = [_element("th", "trace-number", number, scope="row"), _where(wording, row)]
    if row.step.thread is None:
        cells.append(f"{_tag('td', 'trace-own', colspan=str(max(1, threads)))}{_deed(row)}</td>")
    else:
        cells += [
            _cell(row, depth, mine=row.step.thread == thread.id)
            for thread, depth in zip(trace.threads, row.open_calls, strict=True)
        ]
    role = f"trace-{row.role}" if row.role else ""
    return f"{_tag('tr', f'trace-step {role} {crash}', **told)}{''.join(cells)}</tr>"


def _cell(row: StepRow, depth: int, *, mine: bool) -> str:
    bracket = row.bracket if mine else ""
    depth = min(depth + bool(bracket), _MOST_BARS)
    bars = f"trace-depth-{depth}" if depth else ""
    ends = f"trace-{bracket}" if bracket else ""
    return f"{_tag('td', f'trace-own {bars} {ends}')}{_deed(row)}</td>" if mine else f"{_tag('td', bars)}</td>"


def _deed(row: StepRow) -> str:
    notes = "".join(_element("small", "trace-note", note) for note in row.notes)
    return f"{_element('span', 'trace-what', row.words)}{notes}"


def _where(wording: Wording, row: StepRow) -> str:
    place = row.step.place
    if place is None:
        return _element("td", "trace-place", "")
    source = wording.source(row.step)
    code = _element("code", "trace-source", source) if source else ""
    return f"{_tag('td', 'trace-place', title=_whole(place))}{escape(wording.place(place))}{code}</td>"


def _whole(place: SourcePlace) -> str:
    return _text(f"{place} in {place.function}" if place.function else str(place))


def _element(tag: str, kinds: str, text: str, **attributes: str) -> str:
    return f"{_tag(tag, kinds, **attributes)}{escape(text)}</{tag}>"


def _tag(tag: str, kinds: str, **attributes: str) -> str:
    """The beginning of an element of these classes."""
    named = {"class": " ".join(kinds.split()), **attributes} if kinds.strip() else attributes
    told = [f' {name}="{escape(value)}"' for name, value in named.items()]
    return f"<{tag}{''.join(told)}>"


def _text(text: str) -> str:
    return fitted(harmless(text[: 2 * _LONGEST_TEXT]), _LONGEST_TEXT)
