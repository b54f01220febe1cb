# SPDX-License-Identifier: Apache-2.0
"""Explanations as text: the verdict in one sentence, then the operations, the argument, likely causes and the numbers."""

from __future__ import annotations

from typing import Final

from linpoint.explain.history.claims.legal_order import fits, held_back_by_order
from linpoint.explain.history.explanation import Culprit, Explanation
from linpoint.explain.history.precedence_text import contradictions, cycle_links
from linpoint.explain.history.reasons import CAUSES
from linpoint.explain.wording.operation_names import (
    by_process,
    call_of,
    condition_name,
    name_of,
    process_of,
    value_of,
    values_of,
    when,
)
from linpoint.histories.operation import Operation
from linpoint.histories.values import format_value
from linpoint.text.phrases import count_noun, join_words, one_line
from linpoint.text.terminal_text import display_width, pad
from linpoint.verdicts import Blocked, KeyVerdict, Status, StuckFrontier, Verdict, Witness

MAX_LISTED: Final = 12
"""The maximum number of operations to list."""
_NAME_COLUMNS: Final = 32
"""The width of the names of most operations."""
_MAX_OPEN_OPERATIONS = 6
_EXACT_CHECKERS = ("monitor", "graph")
"""Checkers that explore no configurations."""


def explanation_text(explanation: Explanation) -> str:
    """The whole explanation as plain text."""
    verdict = explanation.verdict
    if verdict.status is Status.VIOLATION:
        return _violation(explanation)
    lines = [sentence(explanation)]
    if verdict.status is Status.LINEARIZABLE and verdict.statistics.operations <= MAX_LISTED and verdict.witness:
        order = _order(verdict, verdict.witness)
        lines += ["", f"Witness order: {order}."] if order else []
    if verdict.status is Status.UNKNOWN:
        lines += _where_it_stopped(verdict)
    return "\n".join([*lines, *_warnings(verdict), *_clocks(verdict), "", numbers(verdict)])


def _where_it_stopped(verdict: Verdict) -> list[str]:
    """The next choices of the search when it stopped, for the first key that it did not decide."""
    reached = next((key.reached for key in verdict.keys if key.reached is not None), None)
    if reached is None or reached.window is None:
        return []
    ops = verdict.history.operations
    start, end = reached.window
    interval = f"From {start}" if end is None else f"Between {start} and {end}"
    which = "this operation" if len(reached.open) == 1 else f"one of these {len(reached.open):,} operations"
    lines = ["", f"{interval}, {which} must take effect next:"]
    for position in reached.open[:_MAX_OPEN_OPERATIONS]:
        op = ops[position]
        lines.append(f"  {name_of(verdict, op)} {by_process(op)}  {when(op)}")
    if len(reached.open) > _MAX_OPEN_OPERATIONS:
        lines.append(f"  ... and {len(reached.open) - _MAX_OPEN_OPERATIONS:,} others")
    return lines


def _order(verdict: Verdict, witness: Witness) -> str:
    """The order of a witness, with the operations that each crash loses."""
    ops = verdict.history.operations
    if witness.survivors is None:
        return "; ".join(name_of(verdict, ops[p]) for p in witness.order)
    parts = []
    for era, members in enumerate(witness.by_era()):
        parts += [name_of(verdict, ops[p]) for p in members]
        if era < len(witness.survivors):
            lost = len(members) - witness.survivors[era]
            loss = f"the last {count_noun(lost, 'operation')}" if lost else "nothing"
            parts.append(f"CRASH (loses {loss})")
    return "; ".join(parts)


def sentence(explanation: Explanation) -> str:
    """The verdict in one sentence."""
    verdict = explanation.verdict
    what = count_noun(verdict.statistics.operations, "operation")
    if verdict.status is Status.LINEARIZABLE:
        orders = "witness orders" if len(verdict.keys) > 1 else "witness order"
        certified = f"; {orders} verified" if all(_is_certified(key) for key in verdict.keys) else ""
        return f"LINEARIZABLE: {what} fit the spec {verdict.spec.name}{_under(verdict)}{certified}."
    if verdict.status is Status.UNKNOWN:
        return f"UNKNOWN: {verdict.why}."
    return f"VIOLATION: {_accusation(explanation)}"


def _is_certified(key: KeyVerdict) -> bool:
    return key.witness is None or key.witness.certified


def _under(verdict: Verdict) -> str:
    return "" if verdict.condition == "linearizable" else f" under {condition_name(verdict.condition)}"


def _accusation(explanation: Explanation) -> str:
    verdict = explanation.verdict
    where = "" if explanation.key is None else f"on key {one_line(format_value(explanation.key))}, "
    if explanation.culprit is not None:
        op = verdict.history.operations[explanation.culprit.position]
        given = value_of(op, op.result)
        under = f"{_under(verdict)[1:]}, " if _under(verdict) else ""
        required = _required(op, explanation.culprit)
        return f"{where}{call_of(op)} {by_process(op)} returned {given}; {under}{required}."
    if explanation.precedence is not None:
        by = "" if explanation.precedence.certified else "by the paper's rules, "
        under = _under(verdict)
        return f"{where}{by}{f'{under[1:]}, ' if under else ''}{_cycle(explanation)}."
    for claim in explanation.claims_of("impossible"):
        op = verdict.history.operations[claim.operations[0]]
        name = f"{name_of(verdict, op)} {by_process(op)}"
        return f"{where}{name} fits no valid order{_under(verdict)}, whatever the other operations returned."
    for claim in explanation.claims_of("no-place"):
        op = verdict.history.operations[claim.operations[0]]
        name = f"{name_of(verdict, op)} {by_process(op)}"
        return f"{where}{name} fits no valid order of the operations called by then{_under(verdict)}."
    return f"{where}no order of the operations satisfies the spec {verdict.spec.name}{_under(verdict)}."


def _cycle(explanation: Explanation) -> str:
    """The sentence of a precedence graph; a single failed operation is named."""
    assert explanation.precedence is not None
    found, ops = explanation.precedence, explanation.verdict.history.operations
    if len(found.failed) != 1:
        return found.sentence
    op = ops[found.failed[0]]
    disconnected = found.reason == "disconnected-failure"
    why = (
        ", but no operation can have replaced the value it expected" if disconnected else "; no valid order explains it"
    )
    return f"{name_of(explanation.verdict, op)} {by_process(op)} failed{why}"


def _required(op: Operation, culprit: Culprit) -> str:
    """The results with which the operations have an order."""
    orders = "valid order of the operations called by then" if culprit.at_return else "valid order"
    values = values_of(op, culprit.allowed)
    if culprit.complete:
        return f"every {orders} requires {values}"
    return f"no {orders} allows this result, but {values} would be allowed"


def _violation(explanation: Explanation) -> str:
    verdict = explanation.verdict
    history = verdict.history
    lines = [sentence(explanation)]
    circular = bool(explanation.steps) and all(step.before is not None for step in explanation.steps)
    is_complete = circular and all(step.reason != "spec-order" for step in explanation.steps)
    if explanation.pattern is not None and not is_complete:
        lines.append(f"Reason: {explanation.pattern.sentence}.")
    if explanation.precedence is not None:
        found = explanation.precedence
        said = explanation.culprit is None and (len(found.failed) != 1 or found.reason == "disconnected-failure")
        lines.append(f"Reason: {found.reason}{'' if said else f' ({found.sentence})'}.")
    lines += ["", _heading(explanation)]
    listed = nearest(explanation)
    width = max((display_width(process_of(history.operations[p])) for p in listed), default=1)
    named = len(explanation.core) > 1 or explanation.precedence is not None
    names = dict(zip(explanation.core, explanation.names, strict=False)) if named else {}
    longest = max((len(names[position]) for position in listed if position in names), default=0)
    for position in listed:
        op = history.operations[position]
        letter = f"{names[position]}: ".ljust(longest + 2) if names else ""
        process = process_of(op)
        indent = " " * (width - display_width(process))
        name = pad(name_of(explanation.verdict, op), _NAME_COLUMNS)
        lines.append(f"  {letter}{indent}{process}  {name} {when(op)}")
    if len(listed) < len(explanation.core):
        lines.append(f"  ... and {len(explanation.core) - len(listed):,} others")
    if explanation.picture:
        lines += ["", *(f"  {row}" for row in explanation.picture.splitlines())]
    if explanation.precedence is not None:
        lines += ["", *_contradictions(explanation, names)]
    needed = needed_text(explanation)
    if needed:
        lines += ["", needed]
    if circular and explanation.precedence is None:
        lines += ["", cycle_links(explanation.steps)]
    if len({op.order for op in map(history.operations.__getitem__, explanation.core) if op.order is not None}) > 1:
        lines += ["", "Operations with a smaller order value take effect first."]
    if not circular:
        lines += _frontier(explanation)
    lines += _likely_causes(explanation)
    if explanation.others:
        lines += ["", also_in_violation(explanation)]
    return "\n".join([*lines, *_warnings(verdict), *_clocks(verdict), "", numbers(verdict)])


def also_in_violation(explanation: Explanation) -> str:
    """The other keys in violation, if there are any."""
    if not explanation.others:
        return ""
    keys = ", ".join(one_line(format_value(key.key)) for key in explanation.others[:MAX_LISTED])
    more = "" if len(explanation.others) <= MAX_LISTED else ", ..."
    return f"Also in violation: key{'s' * (len(explanation.others) > 1)} {keys}{more}."


def _contradictions(explanation: Explanation, names: dict[int, str]) -> list[str]:
    assert explanation.precedence is not None
    said = contradictions(explanation.verdict.history, explanation.precedence, names, explanation.verdict.condition)
    more = len(said) - MAX_LISTED
    return said if more <= 0 else [*said[:MAX_LISTED], f"... and {count_noun(more, 'more sentence')} like these."]


def core_claim_text(explanation: Explanation) -> str:
    """The claim about the shown operations, without the full stop."""
    count = len(explanation.core)
    kinds = {claim.kind for claim in explanation.claims}
    if count == 1:
        if "impossible" in kinds:
            return "This operation alone is impossible"
        alone = "by-themselves" in kinds
        return "This operation alone is a violation" if alone else "This operation is part of the violation"
    if explanation.precedence is not None:
        alone = "by-themselves" in kinds
        return f"These {count:,} operations {'contradict each other' if alone else 'are part of the contradiction'}"
    if "by-themselves" not in kinds:
        return f"These {count:,} operations are part of the violation"
    return f"These {count:,} operations alone are a violation"


def _heading(explanation: Explanation) -> str:
    if explanation.irreducible:
        return f"{core_claim_text(explanation)}, and none of them can be removed:"
    if len(explanation.core) == 1 or explanation.minimal or explanation.precedence is not None:
        return f"{core_claim_text(explanation)}:"
    if not explanation.verified:
        return f"{core_claim_text(explanation)} (the time did not suffice to compare them with all others):"
    return f"{core_claim_text(explanation)} (a smaller set may exist):"


def needed_text(explanation: Explanation) -> str:
    """The claim in which sense the operations are needed, if their removal does not show it."""
    if explanation.irreducible or len(explanation.core) == 1:
        return ""
    names = dict(zip(explanation.core, explanation.names, strict=False))
    for claim in explanation.claims_of("needed"):
        which = join_words([names[position] for position in claim.operations], "and")
        who = f"{which} is needed" if len(claim.operations) == 1 else f"Each of {which} is needed"
        also = join_words([names[position] for position in claim.among], "and")
        if not also:
            return f"{who}: if its outcome were unknown, these operations would have a valid order."
        others = f"{'that' if len(claim.among) == 1 else 'those'} of {also}"
        return f"{who}: if its outcome and {others} were unknown, these operations would have a valid order."
    return ""


def nearest(explanation: Explanation) -> list[int]:
    """The operations to list: all if they are few, else those called last before the blocked ones returned."""
    core = list(explanation.core)
    if len(core) <= MAX_LISTED:
        return core
    ops = explanation.verdict.history.operations
    blocked = [each.position for each in explanation.stuck.blocked] if explanation.stuck else []
    end = min((ops[position].end for position in blocked), default=float("inf"))
    end += explanation.verdict.history.clock_skew
    return [position for position in core if ops[position].call <= end][-MAX_LISTED:]


def _frontier(explanation: Explanation) -> list[str]:
    stuck = explanation.stuck
    if stuck is None or not stuck.blocked or len(explanation.core) == 1:
        return []
    ops = explanation.verdict.history.operations
    start = "; ".join(name_of(explanation.verdict, ops[p]) for p in stuck.prefix[-MAX_LISTED:])
    more = len(stuck.prefix) - MAX_LISTED
    head = f"{more:,} operations; " if more > 0 else ""
    lines = ["", f"Valid prefix: {head}{start}.", "None of these operations can come next:"]
    if not stuck.prefix:
        lines = ["", "None of these operations can come first:"]
    for each in stuck.blocked:
        op = ops[each.position]
        reason = why_blocked(explanation, stuck, each)
        lines.append(f"  {name_of(explanation.verdict, op)} {by_process(op)}: {reason}")
    return lines


def why_blocked(explanation: Explanation, stuck: StuckFrontier, blocked: Blocked) -> str:
    """Why an operation cannot come next after a legal order."""
    verdict = explanation.verdict
    op = verdict.history.operations[blocked.position]
    if held_back_by_order(verdict.history, verdict.spec, stuck, explanation.core, blocked):
        return "an operation with a smaller order value must come first"
    if fits(verdict.history, verdict.spec, blocked):
        return "another operation must come first"
    return (
        f"the spec requires {values_of(op, blocked.allowed)}" if blocked.allowed else "the spec does not allow it here"
    )


def _likely_causes(explanation: Explanation) -> list[str]:
    """The likeliest cause with its evidence, and the other candidates."""
    if not explanation.causes:
        return []
    first, *rest = explanation.causes
    lines = ["", f"Likely cause (a guess): {CAUSES[first.cause]}. {first.text}"]
    lines += [f"  - {evidence.text}" for evidence in first.evidence]
    if rest:
        lines.append(f"Other possible causes: {join_words([CAUSES[cause.cause] for cause in rest], 'or')}.")
        lines += [f"  - {cause.evidence[0].text}" for cause in rest if cause.cause == "wrong-initial-value"]
    return lines


def _warnings(verdict: Verdict) -> list[str]:
    # A violation is certain whatever else was tested.
    warnings = () if verdict.status is Status.VIOLATION else verdict.warnings
    return ["", *(f"Warning: {warning}." for warning in warnings)] if warnings else []


def _clocks(verdict: Verdict) -> list[str]:
    skew = verdict.history.clock_skew
    return ["", f"Clocks of different processes may differ by up to {skew:,}."] if skew else []


def numbers(verdict: Verdict) -> str:
    """The size of the check and the checker, in a line."""
    statistics = verdict.statistics
    keys = len(verdict.keys)
    parts = [count_noun(statistics.operations, "operation")]
    if keys > 1:
        parts.append(count_noun(keys, "key"))
    if verdict.checker not in _EXACT_CHECKERS:
        parts.append(count_noun(statistics.configurations, "configuration"))
    parts.append(f"{statistics.seconds:.3f} s")
    if verdict.status is Status.UNKNOWN:
        return f"{', '.join(parts)}{_remedy(verdict)}."
    return f"{', '.join(parts)}; checked by {_checker_name(verdict)} ({verdict.why})."


def _checker_name(verdict: Verdict) -> str:
    """The checker as a noun: ``the queue monitor``."""
    if verdict.checker == "monitor":
        return f"the {verdict.spec.name.partition('(')[0]} monitor"
    return "the precedence graph" if verdict.checker == "graph" else verdict.checker


def _remedy(verdict: Verdict) -> str:
    if "interrupted" in verdict.why:
        return ""
    if verdict.checker in (*_EXACT_CHECKERS, "frontier") and "ran out" not in verdict.why:
        return "; --checker auto searches where this checker does not apply"
    return "; a larger --budget or --max-memory may help"
