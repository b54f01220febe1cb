# SPDX-License-Identifier: Apache-2.0
"""Explanations in words, for a tired person at 2 a.m.: the sentence, the operations, the picture, the numbers."""

from __future__ import annotations

from typing import Final

from linpoint.explain.history.claims.legal_order import fits, held_back_by_order
from linpoint.explain.history.explanation import Culprit, Explanation
from linpoint.explain.history.precedence_text import contradictions, cycle_links
from linpoint.explain.history.reasons import CAUSES
from linpoint.explain.wording.operation_names import call_of, name_of, process_of, value_of, values_of, when
from linpoint.histories.operation import Operation
from linpoint.histories.values import format_value
from linpoint.text.phrases import count_noun, join_words, one_line
from linpoint.text.terminal_text import display_width, pad
from linpoint.verdicts import Blocked, KeyVerdict, Status, StuckFrontier, Verdict, Witness

MAX_LISTED: Final = 12
"""Operations that are listed one by one."""
_NAME_COLUMNS: Final = 32
"""Of most operations."""
_MAX_OPEN_OPERATIONS = 6
_EXACT_CHECKERS = ("monitor", "graph")


def explanation_text(explanation: Explanation) -> str:
    """The whole explanation as plain text."""
    verdict = explanation.verdict
    if verdict.status is Status.VIOLATION:
        return _violation(explanation)
    lines = [sentence(explanation)]
    if verdict.status is Status.LINEARIZABLE and verdict.statistics.operations <= MAX_LISTED and verdict.witness:
        order = _order(verdict, verdict.witness)
        lines += ["", f"One order that explains it: {order}."] if order else []
    if verdict.status is Status.UNKNOWN:
        lines += _where_it_stopped(verdict)
    return "\n".join([*lines, *_warnings(verdict), *_clocks(verdict), "", numbers(verdict)])


def _where_it_stopped(verdict: Verdict) -> list[str]:
    """What the search had to choose from when it was stopped, on the first key that it did not decide."""
    reached = next((key.reached for key in verdict.keys if key.reached is not None), None)
    if reached is None or reached.window is None:
        return []
    ops = verdict.history.operations
    start, end = reached.window
    until = "" if end is None else f" to {end}"
    which = "this operation" if len(reached.open) == 1 else f"one of these {len(reached.open):,} operations"
    lines = ["", f"Next, from {start}{until}, {which} had to take effect:"]
    for position in reached.open[:_MAX_OPEN_OPERATIONS]:
        op = ops[position]
        lines.append(f"  {name_of(verdict, op)} by process {process_of(op)}  {when(op)}")
    if len(reached.open) > _MAX_OPEN_OPERATIONS:
        lines.append(f"  ... and {len(reached.open) - _MAX_OPEN_OPERATIONS:,} others")
    return lines


def _order(verdict: Verdict, witness: Witness) -> str:
    """The order of a witness; what a crash loses is said where it is lost."""
    ops = verdict.history.operations
    if witness.survivors is None:
        return "; ".join(name_of(verdict, ops[p]) for p in witness.order)
    parts = []
    for era, members in enumerate(witness.by_era()):
        parts += [name_of(verdict, ops[p]) for p in members]
        if era < len(witness.survivors):
            lost = len(members) - witness.survivors[era]
            parts.append(f"CRASH ({f'the last {lost} of these are lost' if lost else 'nothing is lost'})")
    return "; ".join(parts)


def sentence(explanation: Explanation) -> str:
    """The verdict in one sentence."""
    verdict = explanation.verdict
    what = count_noun(verdict.statistics.operations, "operation")
    if verdict.status is Status.LINEARIZABLE:
        certified = "; the order is certified" if all(_is_certified(key) for key in verdict.keys) else ""
        return f"LINEARIZABLE: {what} fit the spec {verdict.spec.name}{_under(verdict)}{certified}."
    if verdict.status is Status.UNKNOWN:
        return f"UNKNOWN: {verdict.why}."
    return f"VIOLATION: {_accusation(explanation)}"


def _is_certified(key: KeyVerdict) -> bool:
    return key.witness is None or key.witness.certified


def _under(verdict: Verdict) -> str:
    return "" if verdict.condition == "linearizable" else f" under the condition {verdict.condition}"


def _accusation(explanation: Explanation) -> str:
    verdict = explanation.verdict
    where = "" if explanation.key is None else f"on key {one_line(format_value(explanation.key))}, "
    if explanation.culprit is not None:
        op = verdict.history.operations[explanation.culprit.position]
        given = value_of(op, op.result)
        which = "the operations called by then" if explanation.culprit.at_return else "the operations"
        return (
            f"{where}{call_of(op)} by process {process_of(op)} returned {given}, but no order of {which} allows "
            f"that{_under(verdict)}{_fitting(op, explanation.culprit)}."
        )
    if explanation.precedence is not None:
        by = "" if explanation.precedence.certified else "by the rules of the paper, "
        under = _under(verdict)
        return f"{where}{by}{f'{under[1:]}, ' if under else ''}{_circle(explanation)}."
    for claim in explanation.claims_of("impossible"):
        op = verdict.history.operations[claim.operations[0]]
        return f"{where}{name_of(explanation.verdict, op)} by process {process_of(op)} cannot be explained by anything in the history{_under(verdict)}."
    for claim in explanation.claims_of("no-place"):
        op = verdict.history.operations[claim.operations[0]]
        return f"{where}{name_of(explanation.verdict, op)} by process {process_of(op)} has no place in any order of the operations called by then{_under(verdict)}."
    return f"{where}no order of the operations fits the spec {verdict.spec.name}{_under(verdict)}."


def _circle(explanation: Explanation) -> str:
    """What a precedence graph found; if it is one operation that failed, it is named."""
    assert explanation.precedence is not None
    found, ops = explanation.precedence, explanation.verdict.history.operations
    if len(found.failed) != 1:
        return found.sentence
    op = ops[found.failed[0]]
    disconnected = found.reason == "disconnected-failure"
    why = " although nobody can have replaced the value it expected" if disconnected else ", and nothing explains that"
    return f"{name_of(explanation.verdict, op)} by process {process_of(op)} failed{why}"


def _fitting(op: Operation, culprit: Culprit) -> str:
    if not culprit.allowed:
        return ""
    values, given = values_of(op, culprit.allowed), value_of(op, op.result)
    allowed = f"allowed: {values}" if culprit.complete else f"allowed would be {values} for example"
    return f" ({allowed}; returned {given})"


def _violation(explanation: Explanation) -> str:
    verdict = explanation.verdict
    history = verdict.history
    lines = [sentence(explanation)]
    circular = bool(explanation.steps) and all(step.before is not None for step in explanation.steps)
    telling = circular and all(step.reason != "spec-order" for step in explanation.steps)
    if explanation.pattern is not None and not telling:
        lines.append(f"The reason: {explanation.pattern.sentence}.")
    if explanation.precedence is not None:
        found = explanation.precedence
        said = explanation.culprit is None and (len(found.failed) != 1 or found.reason == "disconnected-failure")
        lines.append(f"The reason: {found.reason}{'' if said else f' ({found.sentence})'}.")
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
        lines += ["", "Operations with a smaller order take effect first."]
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


def conspiracy(explanation: Explanation) -> str:
    """What is certain of the operations that are shown, without a full stop."""
    count = len(explanation.core)
    kinds = {claim.kind for claim in explanation.claims}
    if count == 1:
        if "impossible" in kinds:
            return "This operation alone is impossible"
        alone = "by-themselves" in kinds
        return "This operation is a violation by itself" if alone else "This operation is part of the violation"
    if explanation.precedence is not None:
        alone = "by-themselves" in kinds
        return f"These {count:,} operations {'contradict each other' if alone else 'are part of the contradiction'}"
    if "by-themselves" not in kinds:
        return f"These {count:,} operations are part of the violation"
    return f"These {count:,} operations are a violation by themselves"


def _heading(explanation: Explanation) -> str:
    if explanation.irreducible:
        return f"{conspiracy(explanation)}, and none of them can be left out:"
    if len(explanation.core) == 1 or explanation.minimal or explanation.precedence is not None:
        return f"{conspiracy(explanation)}:"
    if not explanation.verified:
        return f"{conspiracy(explanation)} (there was no time to compare them with all the others):"
    return f"{conspiracy(explanation)} (there may be fewer):"


def needed_text(explanation: Explanation) -> str:
    """Which operations are needed, and in what sense, where plain removal would not show it."""
    if explanation.irreducible or len(explanation.core) == 1:
        return ""
    names = dict(zip(explanation.core, explanation.names, strict=False))
    for claim in explanation.claims_of("needed"):
        which = join_words([names[position] for position in claim.operations], "and")
        who = f"{which} is needed" if len(claim.operations) == 1 else f"Each of {which} is needed"
        also = join_words([names[position] for position in claim.among], "and")
        if not also:
            return f"{who}: if its outcome was unknown, these operations would have an order."
        others = f"{'that' if len(claim.among) == 1 else 'those'} of {also}"
        return f"{who}: if its outcome and {others} were unknown, these operations would have an order."
    return ""


def nearest(explanation: Explanation) -> list[int]:
    """The operations to list: all if they are few, else those called last before the ones that are stuck returned."""
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
    start = "; ".join(name_of(explanation.verdict, ops[p]) for p in stuck.prefix[-MAX_LISTED:]) or "nothing"
    more = len(stuck.prefix) - MAX_LISTED
    head = f"{more:,} operations; " if more > 0 else ""
    lines = ["", f"One legal order gets as far as: {head}{start}.", "Then none of these can come next:"]
    for each in stuck.blocked:
        op = ops[each.position]
        reason = why_blocked(explanation, stuck, each)
        lines.append(f"  {name_of(explanation.verdict, op)} by process {process_of(op)}: {reason}")
    return lines


def why_blocked(explanation: Explanation, stuck: StuckFrontier, blocked: Blocked) -> str:
    """Why an operation cannot come next after a legal order."""
    verdict = explanation.verdict
    op = verdict.history.operations[blocked.position]
    if held_back_by_order(verdict.history, verdict.spec, stuck, explanation.core, blocked):
        return "an operation with a smaller order must come first"
    if fits(verdict.history, verdict.spec, blocked):
        return "another operation must come first"
    return f"the spec allows {values_of(op, blocked.allowed)}" if blocked.allowed else "it is not a legal step there"


def _likely_causes(explanation: Explanation) -> list[str]:
    """The likeliest cause with its evidence, and what else it may be."""
    if not explanation.causes:
        return []
    first, *rest = explanation.causes
    lines = ["", f"Likely cause: {CAUSES[first.cause]} (a guess). {first.text}"]
    lines += [f"  - {evidence.text}" for evidence in first.evidence]
    if rest:
        lines.append(f"It may also be {' or '.join(CAUSES[cause.cause] for cause in rest)}.")
        lines += [f"  - {cause.evidence[0].text}" for cause in rest if cause.cause == "wrong-initial-value"]
    return lines


def _warnings(verdict: Verdict) -> list[str]:
    # A violation is one whatever else was tested.
    warnings = () if verdict.status is Status.VIOLATION else verdict.warnings
    return ["", *(f"Warning: {warning}." for warning in warnings)] if warnings else []


def _clocks(verdict: Verdict) -> list[str]:
    skew = verdict.history.clock_skew
    return ["", f"The clocks of different processes may differ by up to {skew:,}."] if skew else []


def numbers(verdict: Verdict) -> str:
    """What was done, in a line."""
    statistics = verdict.statistics
    keys = len(verdict.keys)
    parts = [count_noun(statistics.operations, "operation")]
    if keys > 1:
        parts.append(count_noun(keys, "key"))
    if verdict.checker not in _EXACT_CHECKERS:  # which look at none
        parts.append(count_noun(statistics.configurations, "configuration"))
    parts.append(f"{statistics.seconds:.3f} s")
    if verdict.status is Status.UNKNOWN:
        return f"{', '.join(parts)}{_remedy(verdict)}."
    return f"{', '.join(parts)}; decided by {verdict.checker} ({verdict.why})."


def _remedy(verdict: Verdict) -> str:
    if "interrupted" in verdict.why:
        return ""
    if verdict.checker in (*_EXACT_CHECKERS, "frontier") and "ran out" not in verdict.why:
        return "; --checker auto searches where this checker does not apply"
    return "; a larger --budget or --max-memory may help"
