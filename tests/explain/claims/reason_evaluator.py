# SPDX-License-Identifier: Apache-2.0
"""Whether the sentence of a pattern, read literally, describes the operations."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from linpoint.histories.operation import Outcome
from linpoint.histories.values import format_value
from linpoint.verdicts import Pattern
from tests.explain.claims.literal_values import TAKES

if TYPE_CHECKING:
    from tests.explain.claims.claim_evaluator import Evaluator


_FIFO = re.compile(r"FIFO violated: (.+) was (enqueued|in the queue) first, (.+) was dequeued first")


def named_values_are_true(at: Evaluator, pattern: Pattern) -> bool:
    """Whether the values named in the sentence about an inverted order are such a pair and were added as stated."""
    named = _FIFO.fullmatch(pattern.sentence)
    if pattern.reason != "order-inverted" or named is None or named[1] == "one value":
        return pattern.reason != "order-inverted"
    values = at.values
    touched = {v for p in pattern.operations for v in (values.saw(p), values.put(p)) if v is not None}
    one, other = ({v for v in touched if _texts(at, v) >= {named[group]}} for group in (1, 3))
    initial = named[2] == "in the queue"
    return any(_inverted_pair(at, a, b) and bool(values.first(a)) is initial for a in one for b in other)


def _texts(at: Evaluator, value: Any) -> set[str]:
    """The texts of a value in the operations of the history."""
    given = (each for op in at.ops for each in (*op.args, op.result))
    return {format_value(each) for each in (*given, *at.verdict.spec.initial) if at.values.form(each) == value}


def reason_is_true(at: Evaluator, reason: str, told: Sequence[int]) -> bool | None:
    values, ops = at.values, at.ops
    seen = [(p, values.saw(p)) for p in told if values.saw(p) is not None]
    pairs = list(itertools.permutations(told, 2))
    match reason:
        case "never-added":
            return any(values.times_put(v) == 0 for _, v in seen)
        case "seen-before-added":
            return any(
                values.first(v) == 0 and values.putters(v) and all(at.before(p, put) for put in values.putters(v))
                for p, v in seen
            )
        case "removed-twice":
            return any(len(values.takers(v)) > values.times_put(v) for _, v in seen)
        case "seen-after-removed":
            return any(
                values.times_put(v) == 1 and any(at.before(t, p) for t in values.takers(v) if t != p) for p, v in seen
            )
        case "order-inverted":
            return _inverted(at, told)
        case "fronts-overlap" | "front-inside":
            return _there_both_ways(at, told, values.seers)
        case "zones-overlap" | "zone-inside":
            return _there_both_ways(at, told, lambda v: [*values.seers(v), *values.putters(v)])
        case "empty-while-inside":
            empty = [p for p in told if ops[p].result is None and ops[p].name.replace("_", "-") in {*TAKES, "peek"}]
            touched = {v for p in told for v in (values.saw(p), values.put(p)) if v is not None}
            return any(_always_inside(at, touched, p) for p in empty)
        case "higher-inside":
            touched = {v for p in told for v in (values.saw(p), values.put(p)) if v is not None}
            return any(_always_inside(at, {w for w in touched if _rank(w) > _rank(v)}, p) for p, v in seen)
        case "not-nested":
            touched = {v for p in told for v in (values.saw(p), values.put(p)) if v is not None}
            found = at.order([p for p in at.everything if {values.saw(p), values.put(p)} & touched])
            return None if found is None else not found
        case "replaced-twice":
            return any(
                values.saw(a) == values.saw(b)
                and values.saw(a) is not None
                and values.times_put(values.saw(a)) <= 1
                and all(values.certainly_put(p) and values.put(p) != values.saw(p) for p in (a, b))
                for a, b in pairs
            )
        case "replaced-in-circle":
            return _circle(at, told)
        case "replaced-too-early":
            return any(at.before(a, b) and _comes_after(at, a, b) for a, b in pairs)
        case "overwritten":
            return any(_gone(at, p, v) for p, v in seen)
        case "survivors-differ":
            times = {crash.time for crash in at.history.crashes if crash.process is None}
            eras = {p: sum(time <= ops[p].call for time in times) for p in at.everything}
            left = {(eras[p], v) for p, v in seen if eras[p] and all(eras[put] < eras[p] for put in values.putters(v))}
            return any(a[0] == b[0] and a[1] != b[1] for a, b in itertools.combinations(left, 2))
        case "nobody-flips":
            refusals = [c for c in at.found.claims if c.kind.startswith(("refused", "no-place"))]
            return any(c.operations[0] in told for c in refusals)
        case "count-too-low" | "count-too-high" | "same-count" | "counts-inverted":
            return _counts(at, reason, told)
    return False


def _inverted(at: Evaluator, told: Sequence[int]) -> bool:
    values = at.values
    touched = {v for p in told for v in (values.saw(p), values.put(p)) if v is not None}
    return any(_inverted_pair(at, a, b) for a, b in itertools.permutations(touched, 2))


def _inverted_pair(at: Evaluator, a: Any, b: Any) -> bool:
    """Whether one value was inside before another was added, and still inside when the other had been removed."""
    values, ops = at.values, at.ops
    if values.times_put(a) != 1 or values.times_put(b) != 1 or not values.putters(b) or not values.takers(b):
        return False
    left = min(ops[p].end for p in values.takers(b))
    stayed = not values.takers(a) and not values.unknown_takers()
    later = any(left + at.skew < ops[p].call for p in values.seers(a))
    return values.there_by(a) + at.skew < ops[values.putters(b)[0]].call and (stayed or later)


def _there_both_ways(at: Evaluator, told: Sequence[int], members: Any) -> bool:
    """Of two values that were added once, each was inside before the other."""
    values, ops = at.values, at.ops
    touched = [v for p in told for v in (values.saw(p), values.put(p)) if v is not None]

    def came_first(a: Any, b: Any) -> bool:
        ends = [ops[p].end for p in members(a)]
        if values.first(a) and members is not values.seers:
            ends.append(-float("inf"))
        return any(end + at.skew < ops[p].call for end in ends for p in members(b))

    return any(
        values.times_put(a) <= 1 and values.times_put(b) <= 1 and came_first(a, b) and came_first(b, a)
        for a, b in itertools.combinations(dict.fromkeys(touched), 2)
    )


def _always_inside(at: Evaluator, touched: set[Any], position: int) -> bool:
    """Whether one of the values is certainly inside at each moment at which the operation can take effect."""
    values, ops = at.values, at.ops
    op = ops[position]
    stays = []
    for v in touched:
        if values.times_put(v) != 1:
            continue
        stayed = not values.takers(v) and not values.unknown_takers()
        until = float("inf") if stayed else max((ops[p].call for p in values.seers(v)), default=-float("inf"))
        stays.append((values.there_by(v), until))
    moments = sorted({op.call, op.end, *(t for stay in stays for t in stay if op.call <= t <= op.end)})
    moments += [(a + b) / 2 for a, b in itertools.pairwise(moments)]
    return not at.skew and all(any(start < moment < stop for start, stop in stays) for moment in moments)


def _rank(value: Any) -> Any:
    return isinstance(value[1], str), value[1]


def _next_values(at: Evaluator, positions: Sequence[int]) -> dict[Any, Any]:
    values = at.values
    return {
        values.saw(p): values.put(p)
        for p in positions
        if values.saw(p) is not None and values.certainly_put(p) and values.put(p) != values.saw(p)
    }


def _circle(at: Evaluator, told: Sequence[int]) -> bool:
    following = _next_values(at, told)
    if any(at.values.times_put(v) > 1 for v in following):
        return False
    for start in following:
        value, steps = following[start], 0
        while value in following and value != start and steps < len(following):
            value, steps = following[value], steps + 1
        if value == start:
            return True
    return False


def _comes_after(at: Evaluator, early: int, late: int) -> bool:
    """Whether the value of the first operation came after that of the second, in the order of replacement."""
    values = at.values
    following = _next_values(at, at.everything)
    value = values.put(late)
    if not values.certainly_put(late) or value == values.saw(late):
        if values.times_put(values.saw(late)) > 1:
            return False
        value = following.get(values.saw(late))
    mine = {values.saw(early), values.put(early)} - {None}
    for _ in range(len(following) + 1):
        if value is None or values.times_put(value) > 1 or values.first(value):
            return False
        if value in mine:
            return True
        value = following.get(value)
    return False


def _gone(at: Evaluator, observer: int, value: Any) -> bool:
    """Whether the value that the operation saw had certainly been replaced and was not written again in time."""
    values, ops = at.values, at.ops
    for newer in at.everything:
        put = values.put(newer)
        if newer == observer or put in (None, value) or not values.certainly_put(newer):
            continue
        known = values.there_by(put) if values.times_put(put) == 1 else ops[newer].end
        follows = values.saw(newer) == value or values.there_by(value) + at.skew < ops[newer].call
        apart = all(at.before(p, newer) or at.before(observer, p) for p in values.putters(value))
        if known + at.skew < ops[observer].call and (apart or (follows and values.times_put(value) == 1)):
            return True
    return False


def _counts(at: Evaluator, reason: str, told: Sequence[int]) -> bool:
    ops, spec = at.ops, at.verdict.spec
    amounts = {"increment": 1, "decrement": -1}
    moving = {
        p: amounts.get(ops[p].name, ops[p].args[0] if ops[p].args else 0)
        for p in at.everything
        if ops[p].name != "read"
    }
    known = [p for p in told if ops[p].outcome is Outcome.OK and ops[p].result is not None]
    if any(each <= 0 for each in moving.values()) and reason != "same-count":
        return False
    if reason == "same-count":
        return any(
            ops[a].result == ops[b].result and a in moving and b in moving for a, b in itertools.combinations(known, 2)
        )
    if reason == "counts-inverted":
        return any(ops[b].result < ops[a].result and at.before(a, b) for a, b in itertools.permutations(known, 2))
    for p in known:
        least = spec.initial + sum(
            n for m, n in moving.items() if m != p and ops[m].outcome is Outcome.OK and at.before(m, p)
        )
        most = spec.initial + sum(n for m, n in moving.items() if m != p and not at.before(p, m))
        if (ops[p].result < least) if reason == "count-too-low" else (ops[p].result > most):
            return True
    return False
