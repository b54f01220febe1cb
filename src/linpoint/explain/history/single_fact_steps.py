# SPDX-License-Identifier: Apache-2.0
"""Steps for violations that consist of one fact: a monitor's pattern, or an operation that is impossible by itself."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from linpoint.explain.history.explanation import Explanation
from linpoint.explain.history.reasons import ArgumentStep
from linpoint.explain.wording.operation_names import condition_name, returns_nothing, value_of
from linpoint.histories.operation import Outcome
from linpoint.text.phrases import join_words, one_line
from linpoint.verdicts import Pattern

_MAX_NAMED_OPERATIONS: Final = 12

REASON_OF: Final = {
    "never-added": "never-written",
    "seen-before-added": "seen-too-early",
    "removed-twice": "removed-twice",
    "seen-after-removed": "seen-after-removed",
    "order-inverted": "out-of-order",
    "fronts-overlap": "out-of-order",
    "front-inside": "out-of-order",
    "empty-while-inside": "empty-while-inside",
    "higher-inside": "higher-inside",
    "not-nested": "out-of-order",
    "zones-overlap": "overwritten",
    "zone-inside": "overwritten",
    "replaced-twice": "replaced",
    "replaced-in-circle": "replaced",
    "replaced-too-early": "overwritten",
    "overwritten": "overwritten",
    "nobody-flips": "spec-rejects",
    "count-too-low": "counted",
    "count-too-high": "counted",
    "same-count": "counted",
    "counts-inverted": "counted",
    "survivors-differ": "survivors",
    "no-common-moment": "survivors",
}
"""The typed reason of a step for each pattern."""


def pattern_step(pattern: Pattern, names: Mapping[int, str]) -> ArgumentStep:
    """The sentence of a pattern, as a step about its conclusive operations."""
    named = [names[position] for position in pattern.operations if position in names]
    who = f" ({', '.join(named)})" if named else ""
    text = f"{pattern.sentence[0].upper()}{pattern.sentence[1:]}{who}"
    return ArgumentStep(REASON_OF[pattern.reason], tuple(pattern.operations), text)


def impossible_operation(explanation: Explanation) -> tuple[ArgumentStep, ...]:
    """The step why the only operation of an explanation is impossible."""
    (position,), (name,) = explanation.core, explanation.names
    verdict, pattern = explanation.verdict, explanation.pattern
    op = verdict.history.operations[position]
    returned = one_line(value_of(op, op.result))
    if pattern is not None and set(pattern.operations) == {position}:  # else it names other operations too
        reason = REASON_OF[pattern.reason]
        if reason == "never-written" and op.name in ("read", "get"):
            text = f"{name} returned {returned}, but no operation that took effect had written {returned}"
            return (ArgumentStep(reason, (position,), text),)
        return (ArgumentStep(reason, (position,), f"{name}: {pattern.sentence}"),)
    if not explanation.claims_of("impossible", "refused", "refused-for-example"):
        return (no_order(explanation),)
    quiet = op.outcome is not Outcome.OK or (op.result is None and returns_nothing(verdict, op))
    does = "take effect" if quiet else f"return {returned}"
    return (ArgumentStep("spec-rejects", (position,), f"No valid order lets {name} {does}"),)


def no_order(explanation: Explanation) -> ArgumentStep:
    """The step if neither a cycle nor a dead end was found."""
    names = explanation.names
    which = join_words(names, "and") if 1 < len(names) <= _MAX_NAMED_OPERATIONS else "these operations"
    if not explanation.claims_of("by-themselves"):
        which = "the operations"
    condition = condition_name(explanation.verdict.condition)
    return ArgumentStep("spec-rejects", explanation.core, f"No order of {which} satisfies the spec under {condition}")
