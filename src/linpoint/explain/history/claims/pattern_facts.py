# SPDX-License-Identifier: Apache-2.0
"""Evaluates whether the sentence of a monitor's pattern is literally true of all operations of the object.

A monitor may infer from other values when a value was present. Then its pattern proves a violation although the
sentence does not describe these operations. Each pattern has a predicate here over times and values only. If the
predicate does not hold, the sentence is not printed.
"""

from __future__ import annotations

import bisect
import itertools
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from linpoint.explain.history.claims.value_uses import REMOVALS, ValueUses
from linpoint.explain.history.claims.whole_object import WholeObject
from linpoint.explain.history.value_flow import initial_values
from linpoint.histories.operation import Operation, Outcome
from linpoint.histories.values import canonical, format_value
from linpoint.text.phrases import one_line
from linpoint.verdicts import Pattern

_Predicate = Callable[["PatternFacts", Sequence[int]], bool]


@dataclass(frozen=True, slots=True)
class FifoPattern(Pattern):
    """An inverted order of a queue, with the two values that show it."""

    first: str
    """The value that entered the queue first, as text."""
    second: str
    """The value that was dequeued first, as text."""
    entered: str = "enqueued"

    @property
    def sentence(self) -> str:
        """The reason as text, with the values."""
        return f"FIFO violated: {self.first} was {self.entered} first, {self.second} was dequeued first"


class PatternFacts:
    """Evaluates patterns over all operations of an object; ``refused`` is the operation that has no place."""

    def __init__(self, uses: ValueUses, whole: WholeObject, refused: int | None) -> None:
        self.uses = uses
        self.whole = whole
        self.positions = uses.positions
        self.spec = whole.spec
        self.refused = refused
        self.ops = uses.history.operations
        self.skew = uses.history.clock_skew

    def hold(self, pattern: Pattern) -> bool:
        """Whether the sentence of the pattern is true."""
        predicate = _PREDICATES.get(pattern.reason)
        return predicate is not None and predicate(self, pattern.operations)

    def established(self, pattern: Pattern) -> Pattern | None:
        """The pattern if its sentence is true, with the values of its sentence if they are known; else None."""
        if not self.hold(pattern):
            return None
        pair = _inverted_values(self, pattern.operations) if pattern.reason == "order-inverted" else None
        if pair is None:
            return pattern
        first, second = pair
        entered = "in the queue" if self.uses.first(first) else "enqueued"
        texts = one_line(format_value(self._value(first))), one_line(format_value(self._value(second)))
        return FifoPattern(pattern.reason, pattern.operations, pattern.scope, *texts, entered)

    def _value(self, form: Hashable) -> Any:
        """The value with a comparable form, from an operation or the initial state."""
        for position in (*self.uses.putters[form], *self.uses.seers[form]):
            op = self.ops[position]
            return op.args[-1] if self.uses.put.get(position) == form else op.result
        return next(value for value in initial_values(self.spec) if self.uses.form(value) == form)

    def before(self, first: int, second: int) -> bool:
        """Whether one operation had returned before the other was called."""
        return self.ops[first].end + self.skew < self.ops[second].call

    def once(self, value: Hashable) -> bool:
        """Whether the value was stored at most once."""
        return self.uses.times_put(value) <= 1

    def seen(self, positions: Sequence[int]) -> Iterator[tuple[int, Hashable]]:
        """The operations that observed a value, with its form."""
        return ((p, self.uses.saw[p]) for p in positions if p in self.uses.saw)


def _never_added(facts: PatternFacts, conclusive: Sequence[int]) -> bool:
    return any(facts.uses.times_put(value) == 0 for _, value in facts.seen(conclusive))


def _seen_before_added(facts: PatternFacts, conclusive: Sequence[int]) -> bool:
    uses = facts.uses
    return any(
        uses.putters[value] and not uses.first(value) and all(facts.before(p, put) for put in uses.putters[value])
        for p, value in facts.seen(conclusive)
    )


def _removed_twice(facts: PatternFacts, conclusive: Sequence[int]) -> bool:
    return any(len(facts.uses.removals[value]) > facts.uses.times_put(value) for _, value in facts.seen(conclusive))


def _seen_after_removed(facts: PatternFacts, conclusive: Sequence[int]) -> bool:
    return any(
        facts.once(value) and any(facts.before(removal, p) for removal in facts.uses.removals[value] if removal != p)
        for p, value in facts.seen(conclusive)
    )


def _order_inverted(facts: PatternFacts, conclusive: Sequence[int]) -> bool:
    return _inverted_values(facts, conclusive) is not None


def _inverted_values(facts: PatternFacts, conclusive: Sequence[int]) -> tuple[Hashable, Hashable] | None:
    """Two values of which the first was added earlier, and was observed or still present after the removal of the second."""
    uses, ops = facts.uses, facts.ops
    for first, second in itertools.permutations(uses.values_of(conclusive), 2):
        if not (facts.once(first) and facts.once(second)) or len(uses.putters[second]) != 1:
            continue
        added = uses.known(first) + facts.skew < ops[uses.putters[second][0]].call
        left = min((ops[p].end for p in uses.removals[second]), default=float("inf"))
        inside = not uses.removals[first] and not uses.unknown_removals
        if added and left < float("inf") and (inside or left + facts.skew < uses.last_seen(first)):
            return first, second
    return None


def _crossed(facts: PatternFacts, one: tuple[float, float], other: tuple[float, float]) -> bool:
    """Whether each of two values was present before the other, by the first return and the last call of each."""
    return one[0] + facts.skew < other[1] and other[0] + facts.skew < one[1]


def _periods_contradict(facts: PatternFacts, conclusive: Sequence[int]) -> bool:
    uses = facts.uses
    once = [value for value in uses.values_of(conclusive) if facts.once(value)]
    return any(_crossed(facts, uses.period(one), uses.period(other)) for one, other in itertools.combinations(once, 2))


def _fronts_contradict(facts: PatternFacts, conclusive: Sequence[int]) -> bool:
    uses = facts.uses
    once = [value for value in uses.values_of(conclusive) if facts.once(value) and uses.seers[value]]
    fronts = [uses.period(value, uses.seers[value]) for value in once]
    return any(_crossed(facts, one, other) for one, other in itertools.combinations(fronts, 2))


def _inside(facts: PatternFacts, values: Iterator[Hashable], position: int) -> bool:
    """Whether some of the values was certainly present at each moment of the operation."""
    uses, op = facts.uses, facts.ops[position]
    stays = []
    for value in values:
        if not facts.once(value):
            continue
        never_left = not uses.removals[value] and not uses.unknown_removals
        stays.append((uses.known(value), float("inf") if never_left else uses.last_seen(value)))
    reached = None
    for start, stop in sorted(stay for stay in stays if stay[0] < stay[1]):
        if start < op.call if reached is None else start < reached:
            reached = stop if reached is None else max(reached, stop)
    return not facts.skew and reached is not None and op.end < reached


def _empty_while_inside(facts: PatternFacts, conclusive: Sequence[int]) -> bool:
    empty = [p for p in conclusive if _found_nothing(facts.ops[p])]
    return any(_inside(facts, facts.uses.values_of(conclusive), p) for p in empty)


def _found_nothing(op: Operation) -> bool:
    return op.outcome is Outcome.OK and op.result is None and op.name.replace("_", "-") in (*REMOVALS, "peek")


def _higher_inside(facts: PatternFacts, conclusive: Sequence[int]) -> bool:
    def higher(position: int) -> Iterator[Hashable]:
        mine = _rank(facts.ops[position].result)
        added = (p for p in conclusive if p in facts.uses.put)
        others = (p for p in conclusive if p in facts.uses.saw and p != position)
        for p in (*added, *others):
            value = facts.ops[p].args[-1] if p in facts.uses.put else facts.ops[p].result
            if _rank(value) > mine:
                yield facts.uses.form(value)

    return any(_inside(facts, iter(dict.fromkeys(higher(p))), p) for p, _ in facts.seen(conclusive))


def _rank(value: Any) -> tuple[bool, Any]:
    return isinstance(value, str), value


def _not_nested(facts: PatternFacts, conclusive: Sequence[int]) -> bool:
    """Whether the operations that pushed, observed or popped the values have no order among themselves."""
    values = set(facts.uses.values_of(conclusive))
    uses = facts.uses
    concerned = [p for p in facts.positions if {uses.saw.get(p), uses.put.get(p)} & values]
    return facts.whole.has_order(concerned) is False


def _replaced_twice(facts: PatternFacts, conclusive: Sequence[int]) -> bool:
    replacing = [p for p in conclusive if p in facts.uses.saw and facts.uses.replaces(p)]
    return any(
        facts.uses.saw[one] == facts.uses.saw[other] and facts.once(facts.uses.saw[one])
        for one, other in itertools.combinations(replacing, 2)
    )


def _replaced_in_cycle(facts: PatternFacts, conclusive: Sequence[int]) -> bool:
    uses = facts.uses
    following = {uses.saw[p]: uses.put[p] for p in conclusive if p in uses.saw and uses.replaces(p)}
    if not all(facts.once(value) for value in following):
        return False
    return any(value in _reached(following, after) for value, after in following.items())


def _reached(following: dict[Hashable, Hashable], start: Hashable) -> set[Hashable]:
    found: set[Hashable] = set()
    value: Hashable | None = start
    while value is not None and value not in found:
        found.add(value)
        value = following.get(value)
    return found


def _replaced_too_early(facts: PatternFacts, conclusive: Sequence[int]) -> bool:
    uses = facts.uses
    following = {uses.saw[p]: uses.put[p] for p in facts.positions if p in uses.saw and uses.replaces(p)}
    for early, late in itertools.permutations(conclusive, 2):
        if not facts.before(early, late):
            continue
        seen = uses.saw.get(late)
        start = uses.put[late] if uses.replaces(late) else following.get(seen)
        if start is None or (not uses.replaces(late) and not facts.once(seen)):
            continue
        after = _reached(following, start)
        mine = {uses.saw.get(early), uses.put.get(early)} - {None, uses.saw.get(late)}
        if mine & after and all(facts.once(value) for value in after) and not any(map(uses.first, after)):
            return True
    return False


def _overwritten(facts: PatternFacts, conclusive: Sequence[int]) -> bool:
    return any(_replaced_before(facts, p, value) for p, value in facts.seen(conclusive))


def _replaced_before(facts: PatternFacts, observer: int, value: Hashable) -> bool:
    """Whether another value had certainly replaced this one, and it was not stored again in time."""
    uses = facts.uses
    for newer in facts.positions:
        if newer == observer or uses.put.get(newer) in (None, value) or not uses.replaces(newer):
            continue
        put = uses.put[newer]
        known = uses.known(put) if facts.once(put) else facts.ops[newer].end
        if known + facts.skew >= facts.ops[observer].call:
            continue
        if all(facts.before(p, newer) or facts.before(observer, p) for p in uses.putters[value]):
            return True
        later = uses.saw.get(newer) == value or uses.known(value) + facts.skew < facts.ops[newer].call
        if later and facts.once(value):
            return True
    return False


def _survivors_differ(facts: PatternFacts, conclusive: Sequence[int]) -> bool:
    """Whether two different values were observed in one era that were stored only in earlier eras."""
    uses, ops = facts.uses, facts.ops
    crashes = sorted({crash.time for crash in uses.history.crashes if crash.ends_era})

    def era(position: int) -> int:
        return bisect.bisect_right(crashes, ops[position].call)

    left = [
        (era(p), value) for p, value in facts.seen(conclusive) if all(era(put) < era(p) for put in uses.putters[value])
    ]
    return any(one[0] == other[0] > 0 and one[1] != other[1] for one, other in itertools.combinations(left, 2))


def _rejected_flip(facts: PatternFacts, conclusive: Sequence[int]) -> bool:
    return facts.refused is not None and facts.refused in conclusive


def _steps(facts: PatternFacts) -> tuple[list[int], Any]:
    """The operations that change a counter, and the amount by which each does; 0 if the amounts differ."""
    moving = [p for p in facts.positions if facts.spec.step(facts.ops[p]).name != "read"]
    sizes = {"increment": 1, "decrement": -1}
    found = {sizes.get(facts.spec.step(facts.ops[p]).name) or facts.ops[p].args[0] for p in moving}
    return moving, found.pop() if len(found) == 1 else 0


def _count_is_off(facts: PatternFacts, conclusive: Sequence[int], *, low: bool) -> bool:
    moving, size = _steps(facts)
    if size <= 0:
        return False
    for p in conclusive:
        op = facts.ops[p]
        if op.outcome is not Outcome.OK or type(op.result) not in (int, float):
            continue
        certain = sum(facts.ops[m].outcome is Outcome.OK and facts.before(m, p) for m in moving if m != p)
        possible = sum(not facts.before(p, m) for m in moving if m != p)
        if (
            (op.result < facts.spec.initial + size * certain)
            if low
            else (op.result > facts.spec.initial + size * possible)
        ):
            return True
    return False


def _same_count(facts: PatternFacts, conclusive: Sequence[int]) -> bool:
    moving, size = _steps(facts)
    counts = [canonical(facts.ops[p].result) for p in conclusive if p in moving and facts.ops[p].outcome is Outcome.OK]
    return bool(size) and len(set(counts)) < len(counts)


def _counts_inverted(facts: PatternFacts, conclusive: Sequence[int]) -> bool:
    _, size = _steps(facts)
    if size <= 0:
        return False
    numbers = [
        p for p in conclusive if type(facts.ops[p].result) in (int, float) and facts.ops[p].outcome is Outcome.OK
    ]
    return any(
        facts.ops[later].result < facts.ops[earlier].result and facts.before(earlier, later)
        for earlier, later in itertools.permutations(numbers, 2)
    )


_PREDICATES: Final[dict[str, _Predicate]] = {
    "never-added": _never_added,
    "seen-before-added": _seen_before_added,
    "removed-twice": _removed_twice,
    "seen-after-removed": _seen_after_removed,
    "order-inverted": _order_inverted,
    "fronts-overlap": _fronts_contradict,
    "front-inside": _fronts_contradict,
    "empty-while-inside": _empty_while_inside,
    "higher-inside": _higher_inside,
    "not-nested": _not_nested,
    "zones-overlap": _periods_contradict,
    "zone-inside": _periods_contradict,
    "replaced-twice": _replaced_twice,
    "replaced-in-circle": _replaced_in_cycle,
    "replaced-too-early": _replaced_too_early,
    "overwritten": _overwritten,
    "survivors-differ": _survivors_differ,
    "nobody-flips": _rejected_flip,
    "count-too-low": lambda facts, conclusive: _count_is_off(facts, conclusive, low=True),
    "count-too-high": lambda facts, conclusive: _count_is_off(facts, conclusive, low=False),
    "same-count": _same_count,
    "counts-inverted": _counts_inverted,
}
