# SPDX-License-Identifier: Apache-2.0
"""The first screen of a page: what is wrong, which operations, why that is impossible, what may be behind it, and how
to see it again. It is plain HTML, so that it is there without a script and on paper.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import isinf
from typing import Final

from linpoint.explain.history.contradiction_argument import short_names
from linpoint.explain.history.explanation import Explanation
from linpoint.explain.history.history_text import (
    MOST_LISTED,
    also_in_violation,
    nearest,
    numbers,
    sentence,
    why_blocked,
)
from linpoint.explain.history.operation_bars_svg import drawing
from linpoint.explain.history.precedence_text import contradictions
from linpoint.explain.history.reasons import CAUSES, Cause
from linpoint.explain.pages.copying import copied
from linpoint.explain.pages.script_data import escaped
from linpoint.explain.wording.lane_names import lane_names
from linpoint.explain.wording.operation_names import name_of
from linpoint.histories.operation import Operation, Time
from linpoint.histories.values import counted
from linpoint.verdicts import Status, Verdict
from linpoint.verdicts.program import Answer

_MARKS: Final = {
    Status.LINEARIZABLE: "✓",
    Status.VIOLATION: "✕",
    Status.UNKNOWN: "?",
    Answer.HOLDS: "✓",
    Answer.VIOLATION: "✕",
    Answer.UNKNOWN: "?",
}
_MOST_CAUSES: Final = 4
_MOST_BESIDE: Final = 2
_LONG_TIME: Final = 9
"""Letters of a time, past which distances from the first one are shown."""
_SHORT: Final = 110
_SENTENCE: Final = 600
_LONG_SENTENCE: Final = 220


def names_of(explanation: Explanation) -> dict[int, str]:
    """The short names of the operations of the core."""
    if explanation.names:
        return dict(zip(explanation.core, explanation.names, strict=False))
    return short_names(explanation.verdict.history, explanation.core)


def summary(explanation: Explanation, places: Mapping[int, int], *, command: str, replay: str) -> str:
    """The section of the verdict."""
    verdict = explanation.verdict
    parts = [
        '<section id="verdict" aria-labelledby="sentence">',
        headline(verdict.status, sentence(explanation).partition(": ")[2]),
        _causes(explanation.causes[:_MOST_CAUSES]),
        *(f'<p class="note">{escaped(note)}</p>' for note in _notes(explanation)),
        _evidence(explanation, places),
        _below(explanation, _again(command, replay)),
        f'<p class="facts">{escaped(" ".join(filter(None, (also_in_violation(explanation), numbers(verdict)))))}</p>',
        "</section>",
    ]
    return "\n".join(filter(None, parts))


def headline(status: Status | Answer, said: str) -> str:
    """The verdict and its sentence."""
    long = " long" if len(said) > _LONG_SENTENCE else ""
    return (
        f'<div class="verdict-row"><span class="badge {status.value}">{_MARKS[status]} {status.name}</span>'
        f'<h1 class="sentence{long}" id="sentence">{escaped(_capital(said), _SENTENCE)}</h1></div>'
    )


def _capital(text: str) -> str:
    """As the beginning of a sentence; an operation's name stays as it is."""
    return text if "(" in text.partition(" ")[0] else f"{text[:1].upper()}{text[1:]}"


def _causes(causes: Sequence[Cause]) -> str:
    """The likeliest cause, and what else it may be for those who ask."""
    if not causes:
        return ""
    first, *rest = causes
    more = ""
    if rest:
        phrases = " or ".join(CAUSES.get(cause.cause, cause.cause) for cause in rest)
        told = "".join(_cause(cause, "It may be") for cause in rest)
        more = f"<details><summary>It may also be {escaped(phrases)}.</summary>{told}</details>"
    return f'<div class="cause">{_cause(first, "Likely cause:")}{more}</div>'


def _cause(cause: Cause, opening: str) -> str:
    phrase = CAUSES.get(cause.cause, cause.cause)
    evidence = "".join(f"<li>{escaped(each.text, _SENTENCE)}</li>" for each in cause.evidence)
    because = f" Because:</p><ul>{evidence}</ul>" if evidence else "</p>"
    return (
        f'<p><strong>{opening} {escaped(phrase)}</strong> <span class="guess">(a guess)</span>. '
        f"{escaped(cause.text, _SENTENCE)}{because}"
    )


def _notes(explanation: Explanation) -> Iterable[str]:
    verdict = explanation.verdict
    if verdict.status is not Status.VIOLATION:
        yield from (f"Warning: {warning}." for warning in verdict.warnings)


def _evidence(explanation: Explanation, places: Mapping[int, int]) -> str:
    """The operations as a table beside their drawing."""
    verdict = explanation.verdict
    listed, title = _listed(explanation)
    if not listed:
        return ""
    names = names_of(explanation) if explanation.core else short_names(verdict.history, listed)
    culprit = None if explanation.culprit is None else explanation.culprit.position
    drawn = drawing(verdict.history, listed, names=names, places=places, culprit=culprit) if len(listed) > 1 else ""
    rows = _rows(verdict, listed, names, places, culprit)
    beside = _beside(explanation, listed)
    if beside:
        rows += _rows(verdict, beside, {}, places, None, head="Evidence for the likely cause")
    box = f'<div class="draw-box">{drawn}</div>' if drawn else ""
    title_of_box = 'In time, by process <span class="count">(order only, not to scale)</span>'
    beside_it = f"<div><h2>{title_of_box}</h2>{box}</div>" if box else ""
    return (
        f'<div class="evidence{"" if box else " one"}"><div><h2>{escaped(title)}</h2>'
        f'<table class="core">{rows}</table>{_left_out(explanation, listed)}</div>{beside_it}</div>'
    )


def _listed(explanation: Explanation) -> tuple[list[int], str]:
    """Which operations are shown first, and what they are."""
    verdict = explanation.verdict
    if explanation.core:
        count = len(explanation.core)
        if explanation.minimal and count > 1:
            return nearest(explanation), f"These {count:,} operations contradict each other; none can be left out"
        which = "This operation is impossible" if count == 1 else f"These {count:,} operations contradict each other"
        return nearest(explanation), which
    reached = next((key.reached for key in verdict.keys if key.reached is not None), None)
    if reached is not None and reached.open:
        placed = f"{len(reached.prefix):,} of {reached.operations:,} operations had their place"
        return list(reached.open[:MOST_LISTED]), f"Where it stopped: {placed}; next, one of these had to take effect"
    if verdict.status is Status.LINEARIZABLE and len(verdict.history) <= MOST_LISTED and verdict.witness:
        return list(verdict.witness.order), "One order that explains it"
    return [], ""


def _beside(explanation: Explanation, listed: Sequence[int]) -> list[int]:
    """Operations that only the likely cause speaks of, such as one that is said to have failed."""
    if not explanation.causes:
        return []
    told = [position for each in explanation.causes[0].evidence for position in each.operations]
    few = list(dict.fromkeys(position for position in told if position not in listed))
    return few if len(few) <= _MOST_BESIDE else []


def _left_out(explanation: Explanation, listed: Sequence[int]) -> str:
    missing = len(explanation.core) - len(listed)
    return f'<p class="hint">... and {missing:,} others, in the table of operations.</p>' if missing > 0 else ""


def _rows(
    verdict: Verdict,
    listed: Sequence[int],
    names: Mapping[int, str],
    places: Mapping[int, int],
    culprit: int | None,
    *,
    head: str = "",
) -> str:
    """Rows of the table of operations; with a head of their own where they are not what it is about."""
    ops = [verdict.history.operations[position] for position in listed]
    called = lane_names(verdict.history)
    first = min(op.call for op in ops)
    far = isinf(max(op.call if op.return_ is None else op.return_ for op in ops) - first)
    long = not far and any(len(str(op.call)) > _LONG_TIME for op in ops)
    when = "events" if verdict.history.by_position else f"times from {first}" if long else "times"
    what = (
        "numbers of its call and its return in the log" if verdict.history.by_position else "of its call and its return"
    )
    with_lines = any(op.line is not None for op in ops)
    line_head = '<th scope="col" class="num">line</th>' if with_lines else ""
    head_row = (
        '<thead><tr><th scope="col"><span class="unseen">name</span></th><th scope="col">process</th>'
        f'<th scope="col">operation</th><th scope="col" class="num" title="{what}">{escaped(when)}</th>'
        f"{line_head}</tr></thead><tbody>"
    )
    if head:
        head_row = f'<tbody><tr><th scope="rowgroup" colspan="{5 if with_lines else 4}">{escaped(head)}</th></tr>'
    rows = [head_row]
    for position, op in zip(listed, ops, strict=True):
        place = places.get(position, -1)
        mark = ' class="culprit"' if position == culprit else ""
        line = f'<td class="num">{"" if op.line is None else f"{op.line:,}"}</td>' if with_lines else ""
        rows.append(
            f'<tr data-op="{place}"{mark}><td><button type="button" data-op="{place}" '
            f'title="Show it on the timeline">{escaped(names.get(position, "·"))}</button></td>'
            f"<td>{escaped(called[op.process], 40)}</td>"
            f'<td class="op">{escaped(name_of(verdict, op), _SHORT)}</td>'
            f'<td class="num">{escaped(_when(op, first if long else 0, long))}</td>{line}</tr>'
        )
    return "".join([*rows, "</tbody>"])


def _when(op: Operation, first: Time, long: bool) -> str:
    def said(time: Time) -> str:
        return f"+{time - first:,}" if long else f"{time:,}"

    return f"{said(op.call)} to {'…' if op.return_ is None else said(op.return_)}"


def _below(explanation: Explanation, again: str) -> str:
    """Why it is impossible, beside how to see it again."""
    steps = why(explanation)
    if not steps:
        return f'<div class="evidence one">{again}</div>' if again else ""
    items = "".join(f"<li>{escaped(step)}</li>" for step in steps)
    argued = f'<div><h2>Why it is impossible</h2><ol class="why">{items}</ol></div>'
    return f'<div class="evidence{"" if again else " one"}">{argued}{again}</div>'


def why(explanation: Explanation) -> list[str]:
    """The argument step by step; where nobody has made one, what the evidence says."""
    if explanation.verdict.status is not Status.VIOLATION:
        return []
    if explanation.steps:
        return _argued(explanation)
    verdict, names, said = explanation.verdict, names_of(explanation), []
    if explanation.pattern is not None:
        said.append(f"{explanation.pattern.sentence[0].upper()}{explanation.pattern.sentence[1:]}.")
    if explanation.precedence is not None:
        said += contradictions(verdict.history, explanation.precedence, names, verdict.condition)
    stuck = explanation.stuck
    if stuck is not None and stuck.blocked:
        prefix = [names.get(position, "?") for position in stuck.prefix]
        shown = ", ".join(prefix) if len(prefix) <= MOST_LISTED else f"{counted(len(prefix), 'operation')}"
        said.append(f"The longest legal order is {shown or 'empty'}.")
        for each in stuck.blocked[:MOST_LISTED]:
            op = verdict.history.operations[each.position]
            name = names.get(each.position, name_of(verdict, op))
            said.append(f"Then {name} cannot come next: {why_blocked(verdict, each)}.")
    more = len(said) - MOST_LISTED
    return said if more <= 0 else [*said[:MOST_LISTED], f"... and {counted(more, 'more sentence')} like these."]


def _argued(explanation: Explanation) -> list[str]:
    """The steps as sentences; where they close one circle, the last one says so."""
    said = [f"{step.text.rstrip('.')}." for step in explanation.steps]
    found = explanation.precedence
    one = found is None or (len(found.contradictions) == 1 and not found.kept)
    if len(said) > 1 and one and all(step.before is not None for step in explanation.steps):
        said[-1] = f"However, {said[-1][:-1]}: a contradiction."
    return said


def _again(command: str, replay: str) -> str:
    """The commands, each in a box with a button that copies it."""
    boxes = [
        copied(name, what, text)
        for name, what, text in (
            ("replay", "This finding alone, from anywhere (checks the recorded operations again):", replay),
            ("command", "The whole history (from the folder it was checked in):", command),
        )
        if text
    ]
    return (
        f'<div class="again"><h2>{"Show" if replay else "Check"} it again</h2>{"".join(boxes)}</div>' if boxes else ""
    )
