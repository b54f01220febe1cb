# SPDX-License-Identifier: Apache-2.0
"""The first screen of a page: the verdict, the operations that contradict each other, the argument, the likely causes.
``templates/summary.html`` shows it as plain HTML, which needs no script and can be printed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isinf
from typing import Any, Final

from linpoint.explain.history.contradiction_argument import short_names
from linpoint.explain.history.explanation import Explanation
from linpoint.explain.history.history_text import (
    MAX_LISTED,
    also_in_violation,
    core_claim_text,
    nearest,
    needed_text,
    numbers,
    sentence,
    why_blocked,
)
from linpoint.explain.history.operation_bars_svg import OperationBars, operation_bars
from linpoint.explain.history.precedence_text import contradictions
from linpoint.explain.history.reasons import CAUSES, LikelyCause
from linpoint.explain.wording.lane_names import lane_names
from linpoint.explain.wording.operation_names import name_of
from linpoint.histories.operation import Operation, Time
from linpoint.text.phrases import count_noun
from linpoint.verdicts import Status, Verdict

_MAX_CAUSES: Final = 4
_MAX_OPERATIONS_FOR_CAUSE: Final = 2
_MAX_TIME_LETTERS: Final = 9
"""Longer times are shown as distances from the first one."""


@dataclass(frozen=True, slots=True)
class OperationRow:
    """A row of the operations table."""

    place: int
    """Its index on the page; -1 if the page does not have it."""
    culprit: bool
    name: str
    process: str
    operation: str
    times: str
    line: str


@dataclass(frozen=True, slots=True)
class OperationTable:
    """A table of operations with its column headings."""

    times: str
    meaning_of_times: str
    with_lines: bool
    rows: tuple[OperationRow, ...]


@dataclass(frozen=True, slots=True)
class ShownEvidence:
    """The operations that a verdict rests on, as a table and as bars."""

    title: str
    table: OperationTable
    for_cause: OperationTable | None
    """The operations that only the likely cause mentions."""
    left_out: int
    bars: OperationBars | None


@dataclass(frozen=True, slots=True)
class ShownCause:
    """A likely cause as text."""

    phrase: str
    text: str
    evidence: tuple[str, ...]


def summary_context(
    explanation: Explanation, places: Mapping[int, int], *, command: str, replay: str
) -> dict[str, Any]:
    """The context of the template; ``places`` maps positions to indexes on the page."""
    verdict = explanation.verdict
    return {
        "status": verdict.status,
        "sentence": sentence(explanation).partition(": ")[2],
        "causes": [_shown_cause(cause) for cause in explanation.causes[:_MAX_CAUSES]],
        "notes": _notes(explanation),
        "evidence": _evidence(explanation, places),
        "reasons": reasons(explanation),
        "numbers": " ".join(filter(None, (also_in_violation(explanation), numbers(verdict)))),
        "command": command,
        "replay": replay,
    }


def names_of(explanation: Explanation) -> dict[int, str]:
    """The short names of the operations of the core."""
    if explanation.names:
        return dict(zip(explanation.core, explanation.names, strict=False))
    return short_names(explanation.verdict.history, explanation.core)


def _shown_cause(cause: LikelyCause) -> ShownCause:
    evidence = tuple(each.text for each in cause.evidence)
    return ShownCause(CAUSES.get(cause.cause, cause.cause), cause.text, evidence)


def _notes(explanation: Explanation) -> list[str]:
    verdict = explanation.verdict
    if verdict.status is Status.VIOLATION:
        needed = needed_text(explanation)
        return [needed] if needed else []
    return [f"Warning: {warning}." for warning in verdict.warnings]


def _evidence(explanation: Explanation, places: Mapping[int, int]) -> ShownEvidence | None:
    verdict = explanation.verdict
    listed, title = _listed(explanation)
    if not listed:
        return None
    names = names_of(explanation) if explanation.core else short_names(verdict.history, listed)
    culprit = None if explanation.culprit is None else explanation.culprit.position
    bars = None
    if len(listed) > 1:
        bars = operation_bars(verdict.history, listed, names=names, places=places, culprit=culprit)
    for_cause = _only_for_cause(explanation, listed)
    return ShownEvidence(
        title,
        _table(verdict, listed, names, places, culprit),
        _table(verdict, for_cause, {}, places, None) if for_cause else None,
        len(explanation.core) - len(listed),
        bars,
    )


def _listed(explanation: Explanation) -> tuple[list[int], str]:
    """The operations to show first, and their title."""
    verdict = explanation.verdict
    if explanation.core:
        last = "; none of them can be removed" if explanation.irreducible else ""
        return nearest(explanation), f"{core_claim_text(explanation)}{last}"
    reached = next((key.reached for key in verdict.keys if key.reached is not None), None)
    if reached is not None and reached.open:
        placed = f"after {len(reached.prefix):,} of {reached.operations:,} operations"
        return list(reached.open[:MAX_LISTED]), f"The search stopped {placed}; one of these must take effect next"
    if verdict.status is Status.LINEARIZABLE and len(verdict.history) <= MAX_LISTED and verdict.witness:
        return list(verdict.witness.order), "Witness order"
    return [], ""


def _only_for_cause(explanation: Explanation, listed: Sequence[int]) -> list[int]:
    """Operations that only the likely cause mentions, such as one that failed."""
    if not explanation.causes:
        return []
    mentioned = [position for each in explanation.causes[0].evidence for position in each.operations]
    few = list(dict.fromkeys(position for position in mentioned if position not in listed))
    return few if len(few) <= _MAX_OPERATIONS_FOR_CAUSE else []


def _table(
    verdict: Verdict, listed: Sequence[int], names: Mapping[int, str], places: Mapping[int, int], culprit: int | None
) -> OperationTable:
    ops = [verdict.history.operations[position] for position in listed]
    first = min(op.call for op in ops)
    far = isinf(max(op.call if op.return_ is None else op.return_ for op in ops) - first)
    long = not far and any(len(str(op.call)) > _MAX_TIME_LETTERS for op in ops)
    by_position = verdict.history.by_position
    return OperationTable(
        "events" if by_position else f"times from {first}" if long else "times",
        "event numbers of the call and the return in the log" if by_position else "of the call and the return",
        any(op.line is not None for op in ops),
        tuple(_rows(verdict, listed, names, places, culprit, first if long else None)),
    )


def _rows(
    verdict: Verdict,
    listed: Sequence[int],
    names: Mapping[int, str],
    places: Mapping[int, int],
    culprit: int | None,
    first: Time | None,
) -> Iterator[OperationRow]:
    called = lane_names(verdict.history)
    for position in listed:
        op = verdict.history.operations[position]
        yield OperationRow(
            places.get(position, -1),
            position == culprit,
            names.get(position, "·"),
            called[op.process],
            name_of(verdict, op),
            _times(op, first),
            "" if op.line is None else f"{op.line:,}",
        )


def _times(op: Operation, first: Time | None) -> str:
    """Its call and its return, as distances from ``first`` if given."""

    def shown(time: Time) -> str:
        return f"{time:,}" if first is None else f"+{time - first:,}"

    return f"{shown(op.call)} to {'…' if op.return_ is None else shown(op.return_)}"


def reasons(explanation: Explanation) -> list[str]:
    """The argument step by step; without one, the evidence as sentences."""
    if explanation.verdict.status is not Status.VIOLATION:
        return []
    if explanation.steps:
        return _argued(explanation)
    verdict, names, sentences = explanation.verdict, names_of(explanation), []
    if explanation.pattern is not None:
        sentences.append(f"{explanation.pattern.sentence[0].upper()}{explanation.pattern.sentence[1:]}.")
    if explanation.precedence is not None:
        sentences += contradictions(verdict.history, explanation.precedence, names, verdict.condition)
    stuck = explanation.stuck
    if stuck is not None and stuck.blocked:
        prefix = [names.get(position, "?") for position in stuck.prefix]
        shown = ", ".join(prefix) if len(prefix) <= MAX_LISTED else f"{count_noun(len(prefix), 'operation')}"
        sentences += [f"Valid prefix: {shown}."] if shown else []
        for each in stuck.blocked[:MAX_LISTED]:
            op = verdict.history.operations[each.position]
            name = names.get(each.position, name_of(verdict, op))
            sentences.append(f"{name} cannot come next: {why_blocked(explanation, stuck, each)}.")
    more = len(sentences) - MAX_LISTED
    return (
        sentences
        if more <= 0
        else [*sentences[:MAX_LISTED], f"... and {count_noun(more, 'more sentence')} like these."]
    )


def _argued(explanation: Explanation) -> list[str]:
    """The steps as sentences; if they close one cycle, the last sentence states it."""
    sentences = [f"{step.text.rstrip('.')}." for step in explanation.steps]
    found = explanation.precedence
    one = found is None or (len(found.contradictions) == 1 and not found.kept)
    if len(sentences) > 1 and one and all(step.before is not None for step in explanation.steps):
        sentences[-1] = f"However, {sentences[-1][:-1]}: a contradiction."
    return sentences
