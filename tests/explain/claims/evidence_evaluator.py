# SPDX-License-Identifier: Apache-2.0
"""Whether a piece of evidence for a likely cause is true for the history."""

from __future__ import annotations

import dataclasses
import re
from typing import TYPE_CHECKING

import linpoint
from linpoint.explain.history.reasons import CauseEvidence
from linpoint.histories.operation import Outcome
from linpoint.histories.values import canonical
from linpoint.specs.spec_lookup import with_initial
from linpoint.text.phrases import one_line
from tests.explain.claims.literal_values import LiteralValues
from tests.explain.claims.orders import Question
from tests.explain.claims.reason_evaluator import reason_is_true

if TYPE_CHECKING:
    from tests.explain.claims.claim_evaluator import Evaluator


def evidence_is_true(at: Evaluator, evidence: CauseEvidence) -> bool | None:
    values, ops, told = at.values, at.ops, evidence.operations
    match evidence.kind:
        case "other-first-value":
            spec = with_initial(at.verdict.spec, evidence.values[0])
            return dataclasses.replace(at_question(at), spec=spec).answer()
        case "seen-although-failed":
            failed, witness = told
            none = ops[failed].outcome is Outcome.FAILED or ops[failed].result is False
            tried = canonical(ops[failed].args[-1]) == values.saw(witness)[1]
            return none and tried and not values.times_put(values.saw(witness)) and ops[failed].call <= ops[witness].end
        case "never-put":
            return values.saw(told[0]) is not None and values.times_put(values.saw(told[0])) == 0
        case "handed-out-too-often":
            (value,) = {values.saw(p) for p in told}
            return set(told) <= set(values.takers(value)) and values.times_put(value) == evidence.values[0] < len(told)
        case "pattern":
            if at.found.precedence is not None:
                return at.found.precedence.reason == evidence.values[0]
            return reason_is_true(at, evidence.values[0], told)
        case "replaced-the-same":
            a, b = told
            same = values.saw(a) == values.saw(b) is not None and values.times_put(values.saw(a)) == 1
            overlap = ops[a].call <= ops[b].end and ops[b].call <= ops[a].end
            return same and overlap and all(values.certainly_put(p) and values.put(p) != values.saw(p) for p in told)
        case "both-succeeded":
            return all(ops[p].outcome is Outcome.OK and ops[p].result is not False for p in told)
        case "less-than-allowed":
            culprit = at.found.culprit
            complete = culprit is not None and culprit.complete and culprit.position == told[0]
            return complete and all(ops[told[0]].result < each for each in culprit.allowed)
        case "returned-before":
            return values.put(told[0]) is not None and at.before(*told)
        case "crash-between":
            return _crashed(at, *evidence.values)
        case "seen-later":
            last, again, missing = told
            value = values.put(missing)
            return values.saw(again) == value and ops[again].call > ops[last].end and values.times_put(value) == 1
        case "not-seen-later":
            value, last = values.put(told[0]), told[-1]
            return not any(ops[p].end >= ops[last].call for p in values.seers(value))
        case "saw-replaced-value":
            return _replaced_before(at, *told)
        case "saw-replaced-values":
            return all(any(_replaced_before(at, newer, p) for newer in at.everything) for p in told)
        case "seen-again":
            observer, again = told
            old, new = values.saw(observer), values.saw(again)
            putters = values.putters(new)
            newer = bool(putters) and (
                ops[putters[0]].call > values.there_by(old) + at.skew or values.saw(putters[0]) == old
            )
            return newer and ops[again].call > ops[observer].end + at.skew and values.times_put(new) <= 1
        case "went-on-from-old":
            builder, newer = told[0], told[1:]
            return values.certainly_put(builder) and all(
                values.there_by(values.put(each)) + at.skew < ops[builder].call
                and values.saw(builder) != values.put(each)
                for each in newer
            )
        case "annotation-before":
            text, time = evidence.values
            call = ops[told[0]].call
            before = [each for each in at.history.annotations if each.time <= call]
            return any(each.text == text and each.time == time for each in before) and time == max(
                e.time for e in before
            )
        case "apart":
            return _apart(at, *evidence.values)
        case "back-and-forth":
            return _back_and_forth(at, evidence)
        case "sides":
            groups = [set(group) for group in evidence.values]
            return all(any(one_line(str(ops[p].process)) in group for group in groups) for p in told) or len(told) > 2
        case "seen-just-after":
            return all(any(_replaced_before(at, newer, p) for newer in _of_key(at, p)) for p in told)
        case "skew-explains":
            history = at.history.with_clock_skew(evidence.values[0])
            verdict = linpoint.check(
                history, at.verdict.spec, condition=at.verdict.condition, checker="linear", budget="20s"
            )
            return {linpoint.Status.LINEARIZABLE: True, linpoint.Status.VIOLATION: False}.get(verdict.status)
        case "fits-word-by-word":
            return _word_by_word(at, told[0])
        case "changed-several":
            other, mine = (ops[p] for p in told)
            return other.call <= mine.end and mine.call <= other.end and other.result is not False
    return False


def at_question(at: Evaluator) -> Question:
    """Whether all operations of the object have an order."""
    return Question(at.history, at.everything, at.verdict.spec, at.verdict.condition)


def _of_key(at: Evaluator, position: int) -> list[int]:
    return at.everything if position in at.everything else []


def _crashed(at: Evaluator, start: float, end: float) -> bool:
    """A crash of the system, or an annotation that mentions one."""
    crash = any(each.process is None and start <= each.time <= end for each in at.history.crashes)
    words = re.compile("kill|crash|reboot|oom|power")
    noted = any(
        start <= each.time <= end and words.search(each.text.lower()) and not re.search(r"\bno\b", each.text)
        for each in at.history.annotations
    )
    return crash or noted


def _replaced_before(at: Evaluator, newer: int, observer: int) -> bool:
    """Whether an operation saw a value that had certainly been replaced before it was called."""
    values, ops = at.values, at.ops
    old, new = values.saw(observer), values.put(newer)
    if old is None or new is None or old == new or newer == observer or values.times_put(old) > 1:
        return False
    known = values.there_by(new) if values.times_put(new) == 1 else ops[newer].end
    if not values.certainly_put(newer) and not values.seers(new):
        return False
    follows = values.saw(newer) == old or values.there_by(old) + at.skew < ops[newer].call
    return follows and known + at.skew < ops[observer].call


def _apart(at: Evaluator, start: float, end: float, *groups: tuple[str, ...]) -> bool:
    for key in at.verdict.keys:
        values = LiteralValues(at.history, list(key.positions), at.verdict.spec)
        for position in key.positions:
            op, saw = at.ops[position], values.saw(position)
            mine = [g for g in groups if one_line(str(op.process)) in g]
            if saw is None or not mine or op.call < start or op.end > end:
                continue
            for put in values.putters(saw):
                other = [g for g in groups if one_line(str(at.ops[put].process)) in g]
                if put != position and start <= at.ops[put].call <= end and other and other != mine:
                    return False
    return True


def _back_and_forth(at: Evaluator, evidence: CauseEvidence) -> bool:
    times, *groups = evidence.values
    pairs = [evidence.operations[i : i + 2] for i in range(0, len(evidence.operations), 2)]
    counts = [0, 0]
    for observer, newer in pairs:
        side = [number for number, g in enumerate(groups) if one_line(str(at.ops[observer].process)) in g]
        other = [number for number, g in enumerate(groups) if one_line(str(at.ops[newer].process)) in g]
        if not side or not other or side == other:
            return False
        if observer in at.everything and not _replaced_before(at, newer, observer):
            return False
        counts[side[0]] += 1
    return min(counts) >= times


def _word_by_word(at: Evaluator, position: int) -> bool | None:
    op = at.ops[position]
    found = []
    for number, word in enumerate(op.args[0]):
        result = op.result if op.result is True else (op.result[number],)
        alone = dataclasses.replace(op, args=((word,),), result=result)
        found.append(at.order(replaced={position: alone}))
    if any(each is False for each in found):
        return False
    return None if None in found else True
