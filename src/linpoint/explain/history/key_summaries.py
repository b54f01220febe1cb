# SPDX-License-Identifier: Apache-2.0
"""Summaries of keys from the verdict alone: a sentence, the operations, and their lines.

An explanation covers one key. For the others the evidence of the verdict is shown, without a search: at most
O(operations of the key).
"""

from __future__ import annotations

from typing import Final

from linpoint.explain.history.claims.pattern_facts import PatternFacts
from linpoint.explain.history.claims.value_uses import uses_of
from linpoint.explain.history.claims.whole_object import WholeObject
from linpoint.explain.history.explanation import Explanation
from linpoint.explain.history.history_text import sentence
from linpoint.explain.wording.operation_names import by_process
from linpoint.histories.operation import Outcome
from linpoint.histories.values import Value, format_value
from linpoint.text.phrases import count_noun, one_line
from linpoint.verdicts import KeyVerdict, Pattern, Precedence, RefutedStart, Status, StuckFrontier, Verdict

_MAX_LISTED_OPERATIONS: Final = 12


def key_name(key: Value) -> str:
    """The name of a key in a list of keys; the whole history if there are no keys."""
    return "history" if key is None else f"key {one_line(format_value(key))}"


def in_violation(explanation: Explanation) -> list[KeyVerdict]:
    """The keys in violation, the explained one first."""
    others = {id(key) for key in explanation.others}
    bad = [key for key in explanation.verdict.keys if key.status is Status.VIOLATION]
    return sorted(bad, key=lambda key: id(key) in others)


def accusation(explanation: Explanation) -> str:
    """The sentence of a violation or an unknown verdict, without the name of the verdict."""
    return sentence(explanation).partition(": ")[2]


def reason(verdict: Verdict, key: KeyVerdict) -> str:
    """A sentence on why a key is not linearizable or not decided."""
    if key.status is Status.UNKNOWN:
        return f"{key.why}."
    found = key.refutation
    if isinstance(found, Precedence) or (isinstance(found, Pattern) and _holds(verdict, key, found)):
        return f"{found.sentence}."
    return f"no order of its {count_noun(len(key.positions), 'operation')} satisfies the spec {verdict.spec.name}."


def _holds(verdict: Verdict, key: KeyVerdict, pattern: Pattern) -> bool:
    """Whether the values and times show that the sentence of a pattern is true."""
    whole = WholeObject(verdict.history, key.positions, verdict.spec, verdict.condition, deadline=0.0)
    uses = uses_of(verdict.history, key.positions, verdict.spec, verdict.condition, pattern.operations)
    return PatternFacts(uses, whole, None).hold(pattern)


def key_operations(verdict: Verdict, key: KeyVerdict) -> tuple[int, ...]:
    """The operations that show a violation: those of its typed reason, or the first that the search could not place."""
    found = key.refutation
    if isinstance(found, Pattern | Precedence):
        return found.operations
    if isinstance(found, RefutedStart):
        return (found.last,)
    ops = verdict.history.operations
    placed = set(found.prefix) if isinstance(found, StuckFrontier) else set()
    left = [position for position in key.positions if position not in placed and ops[position].outcome is Outcome.OK]
    return (min(left, key=lambda position: ops[position].end),) if left else ()


def key_text(verdict: Verdict, key: KeyVerdict) -> str:
    """The reason of a violation and its operations, one a line."""
    ops = verdict.history.operations
    positions = key_operations(verdict, key)
    lines = [reason(verdict, key)]
    for position in positions[:_MAX_LISTED_OPERATIONS]:
        op = ops[position]
        line = "" if op.line is None else f", line {op.line}"
        lines.append(f"  {one_line(str(op))} {by_process(op)}{line}")
    if len(positions) > _MAX_LISTED_OPERATIONS:
        lines.append(f"  ... and {len(positions) - _MAX_LISTED_OPERATIONS:,} others")
    return "\n".join(lines)


def line_of(explanation: Explanation, *, key: KeyVerdict | None = None) -> int | None:
    """The line of the file to inspect: that of the rejected operation, or of the first operation of the core.

    ``key`` is by default the explained one.
    """
    positions = explanation.core if key is None else key_operations(explanation.verdict, key)
    if key is None and explanation.culprit is not None:
        positions = (explanation.culprit.position,)
    ops = explanation.verdict.history.operations
    return next((line for position in positions if (line := ops[position].line) is not None), None)
