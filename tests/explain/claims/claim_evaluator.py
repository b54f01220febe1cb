# SPDX-License-Identifier: Apache-2.0
"""Evaluates each claim, step and piece of evidence of an explanation by its definition. None: it took too long."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any

import linpoint
from linpoint.explain.history.claim import CLAIMS, Claim
from linpoint.explain.history.explanation import Explanation
from linpoint.explain.history.reasons import EVIDENCE, ArgumentStep
from linpoint.histories.operation import Outcome
from linpoint.histories.values import canonical
from tests.explain.claims.evidence_evaluator import evidence_is_true
from tests.explain.claims.link_evaluator import failed, link_is_true, no_operation_replaced
from tests.explain.claims.literal_values import LiteralValues
from tests.explain.claims.orders import Question, precedence
from tests.explain.claims.reason_evaluator import named_values_are_true, reason_is_true

Judged = tuple[str, str, bool | None]
"""The kind of a claim, its text, and whether it is true."""


def judge(found: Explanation) -> Iterator[Judged]:
    """Every claim of an explanation with its truth value."""
    evaluator = Evaluator(found)
    for claim in found.claims:
        assert claim.kind in CLAIMS, claim
        yield claim.kind, f"{claim}", evaluator.claim(claim)
    for step in found.steps:
        yield f"step {step.reason}", step.text, evaluator.step(step)
    if found.precedence is not None:
        for link in (*found.precedence.kept, *itertools.chain(*found.precedence.contradictions)):
            yield f"link {link.because}", f"{link}", link_is_true(evaluator, link)
        if found.precedence.reason == "disconnected-failure":
            alone = no_operation_replaced(evaluator, found.precedence.failed[0])
            yield "disconnected-failure", found.precedence.sentence, alone
        for position in found.precedence.failed:
            yield "failed", str(found.verdict.history[position]), failed(found.verdict.history[position])
    for cause in found.causes:
        for each in cause.evidence:
            assert each.kind in EVIDENCE, each
            yield f"evidence {each.kind}", f"{cause.cause}: {each}", evidence_is_true(evaluator, each)


class Evaluator:
    """Evaluates statements about the object of an explanation."""

    def __init__(self, found: Explanation) -> None:
        self.found = found
        self.verdict = found.verdict
        self.history = found.verdict.history
        self.ops = self.history.operations
        self.skew = self.history.clock_skew
        key = next(
            each
            for each in found.verdict.keys
            if each.status is linpoint.Status.VIOLATION and set(found.core) <= set(each.positions)
        )
        self.everything = list(key.positions)
        # A map's entries are separate objects, also where a condition orders the operations of all together.
        shown = found.core if found.pattern is None else found.pattern.operations
        keys = {self.key_of(self.ops[position]) for position in shown}
        of_object = (
            [p for p in self.everything if self.key_of(self.ops[p]) in keys] if len(keys) == 1 else self.everything
        )
        self.values = LiteralValues(self.history, of_object, self.verdict.spec)

    def order(self, positions: Sequence[int] | None = None, **assumed: Any) -> bool | None:
        """Whether these operations, or all of the object, have a valid order."""
        chosen = self.everything if positions is None else positions
        return Question(self.history, sorted(chosen), self.verdict.spec, self.verdict.condition, **assumed).answer()

    def before(self, first: int, second: int) -> bool:
        """Whether the first had returned before the second was called."""
        return self.ops[first].end + self.skew < self.ops[second].call

    def claim(self, claim: Claim) -> bool | None:
        match claim.kind:
            case "by-themselves":
                return _not(self.order(claim.operations))
            case "irreducible":
                rest = [self.order([p for p in claim.operations if p != each]) for each in claim.operations]
                return _all([*rest, _not(self.order(claim.operations))])
            case "needed":
                core = self.found.core
                return _all([self.order(core, unknown={each, *claim.among}) for each in claim.operations])
            case "impossible":
                return _not(self.order(unknown={*self.everything} - {*claim.operations}))
            case "no-place":
                (position,) = claim.operations
                called, still_open = self.until(position)
                whatever = self.order(called, unknown=still_open, free=(position, frozenset()))
                return _all([_not(whatever), self.order(called, unknown={*still_open, position})])
            case "reason":
                named = self.found.pattern is None or named_values_are_true(self, self.found.pattern)
                if set(claim.operations).isdisjoint(self.found.core):  # it would be about operations that are not shown
                    return False
                return named and reason_is_true(self, claim.values[0], claim.operations)
            case "legal-order":
                return self.legal(claim.operations, claim.among) is not None
            case "cannot-follow":
                return self.cannot_follow(claim)
        return self.refused(claim)

    def refused(self, claim: Claim) -> bool | None:
        (position,) = claim.operations
        positions, still_open = self.until(position) if "at-return" in claim.kind else (self.everything, set())
        if not claim.values:
            return False
        allowed = [
            self.order(
                positions, unknown=still_open, free=None, replaced={position: _with_result(self.ops[position], value)}
            )
            for value in claim.values
        ]
        recorded = _not(self.order(positions, unknown=still_open))
        if claim.kind.endswith("-for-example"):
            return _all([*allowed, recorded])
        forms = frozenset(map(canonical, claim.values))
        others = _not(self.order(positions, unknown=still_open, free=(position, forms)))
        return _all([*allowed, recorded, others])

    def until(self, position: int) -> tuple[list[int], set[int]]:
        """The operations called by the time an operation returned, and those still open then."""
        end = self.ops[position].end
        called = [p for p in self.everything if self.ops[p].call <= end + self.skew]
        return called, {p for p in called if self.ops[p].end > end}

    def legal(self, order: Sequence[int], among: Sequence[int]) -> list[dict[Any, Any]] | None:
        """The states after an order that respects precedence among the other operations; None if it is illegal."""
        spec = self.verdict.spec
        members = sorted({*order, *among})
        question = Question(self.history, members, spec, self.verdict.condition)
        _, required, before = precedence(question)
        place = {position: number for number, position in enumerate(members)}
        must = sum(1 << i for i, needed in enumerate(required) if needed)
        done = 0
        states: list[dict[Any, Any]] = [{}]
        for position in order:
            i, op = place[position], self.ops[position]
            if (
                done >> i & 1
                or before[i] & must & ~done
                or any(before[place[p]] >> i & 1 for p in order if done >> place[p] & 1)
            ):
                return None
            done |= 1 << i
            key = None if spec.key_argument else canonical(op.key)
            after = [
                {**state, key: each} for state in states for each in spec.successors(state.get(key, spec.initial), op)
            ]
            states = list({canonical(state): state for state in after}.values())
            if not states:
                return None
        return states

    def cannot_follow(self, claim: Claim) -> bool:
        (position,), spec = claim.operations, self.verdict.spec
        op = self.ops[position]
        states = self.legal(claim.among, ())
        if states is None or position in claim.among:
            return False
        key = None if spec.key_argument else canonical(op.key)
        given = {canonical(r): r for s in states for r, _ in spec.outcomes(s.get(key, spec.initial), op)}
        if set(given) != set(map(canonical, claim.values)):
            return False
        if not any(spec.allows(op, result) for result in given.values()):
            return True
        # It would be legal, so another operation has to come first.
        members = sorted({*self.found.core, *claim.among, position})
        _, required, before = precedence(Question(self.history, members, spec, self.verdict.condition))
        return any(
            before[members.index(position)] >> i & 1 and required[i] and p not in claim.among
            for i, p in enumerate(members)
        )

    def smaller_order_comes_first(self, position: int, placed: Sequence[int]) -> bool:
        """Whether an operation with a smaller order has yet to come."""
        op = self.ops[position]
        return any(
            other.outcome is Outcome.OK
            and p not in placed
            and None not in (other.order, op.order)
            and other.order < op.order
            and self.key_of(other) == self.key_of(op)
            for p in self.found.core
            for other in [self.ops[p]]
        )

    def key_of(self, op: Any) -> Any:
        """The object of an operation."""
        spec = self.verdict.spec
        return canonical(next(iter(spec.arguments(op)), None) if spec.key_argument else op.key)

    def step(self, step: ArgumentStep) -> bool | None:
        ops, values = self.ops, self.values
        first, second = step.before, step.after
        match step.reason:
            case "real-time":
                return self.before(first, second)
            case "order-hint" if first is not None:
                return ops[first].order < ops[second].order
            case "process-order":
                return ops[first].process == ops[second].process and ops[first].call <= ops[second].call
            case "crash":
                crashes = [crash.time for crash in self.history.crashes]
                return any(ops[first].call < time <= ops[second].call for time in crashes)
            case "reads-from" if self.found.precedence is None:
                saw = values.saw(second)
                unique = values.putters(saw) == [first] and not values.first(saw)
                return unique and ops[first].call <= ops[second].end + self.skew
            case "spec-order":
                return self.never(second, first, ())
            case "overwritten" if first is not None and self.found.precedence is None:
                source = step.operations[2]
                saw = values.saw(first)
                unique = values.putters(saw) == [source] and not values.first(saw)
                premises = {p for each in self.found.steps for p in each.operations} - {first, second, source}
                plain = self.never(second, first, ())
                # The value has one writer because these only replaced it by itself, as their results show.
                premises |= {p for p in values.positions if values.put(p) == saw == values.saw(p)}
                told = self.never(second, first, premises) if plain is False else plain
                return unique and told
            case "last-written":
                witness = step.operations[2]
                saw = values.saw(witness)
                unique = values.putters(saw) == [second] and not values.first(saw)
                return unique and self.before(first, witness) and self.never(second, first, {witness})
            case "spec-rejects" | "lost-after-crash" | "order-hint":
                return self._told(step)
            case "never-written" | "seen-too-early" | "removed-twice" | "seen-after-removed" | "out-of-order":
                return self._pattern_step(step)
            case "empty-while-inside" | "higher-inside" | "counted" | "replaced" | "overwritten":
                return self._pattern_step(step)
        return True if self.found.precedence is not None else None

    def never(self, first: int, second: int, beside: Any) -> bool | None:
        """Whether no order has ``first`` before ``second``, whatever the results of all operations except those in
        ``beside``.
        """
        known = {first, second, *beside}
        changing = [p for p in self.everything if p not in known and not self.verdict.spec.reads(self.ops[p])]
        return _not(self.order(sorted({*known, *changing}), relaxed=set(changing), in_order=(first, second)))

    def _told(self, step: ArgumentStep) -> bool | None:
        if step.text.startswith("No order of"):
            return _not(self.order(self.everything if "No order of the operations" in step.text else self.found.core))
        if step.text.startswith("No valid order lets"):
            return _not(self.order())
        if self.found.pattern is not None and self.found.pattern.sentence.lower() in step.text.lower():
            return self._pattern_step(step)
        *prefix, position = step.operations
        claims = [c for c in self.found.claims if c.kind == "cannot-follow" and c.operations == (position,)]
        if len(claims) != 1 or list(claims[0].among) != prefix:
            return False
        if step.reason == "lost-after-crash":
            times = [crash.time for crash in self.history.crashes if crash.process is None]
            call = self.ops[position].call
            return any(all(self.ops[p].end <= time for p in prefix) and time <= call for time in times)
        if step.reason == "order-hint" and not self.smaller_order_comes_first(position, prefix):
            return False
        return self.cannot_follow(claims[0])

    def _pattern_step(self, step: ArgumentStep) -> bool | None:
        if self.found.precedence is not None:
            return True
        pattern = self.found.pattern
        return pattern is not None and reason_is_true(self, pattern.reason, pattern.operations)


def _with_result(op: Any, value: Any) -> Any:
    return linpoint.Operation(
        op.process, op.name, op.args, value, op.call, op.return_, op.outcome, op.key, op.times, op.line, op.order
    )


def _not(found: bool | None) -> bool | None:
    return None if found is None else not found


def _all(found: Sequence[bool | None]) -> bool | None:
    if any(each is False for each in found):
        return False
    return None if any(each is None for each in found) else True
