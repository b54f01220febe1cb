# SPDX-License-Identifier: Apache-2.0
"""Whether operations have an order, by the definitions of the conditions: the evaluator's own search.

It shares only histories, specs and the oracle's interpretation of a condition with linpoint's searches. It walks
configurations (the operations in effect and the state) depth first and remembers those that it has left. A checker that
explanations do not use decides histories that are too large for it.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Collection, Hashable, Iterator, Mapping, Sequence
from typing import Any

import linpoint
from linpoint.checkers.condition_definition import ConditionDefinition
from linpoint.histories.history import History
from linpoint.histories.operation import Crash, Operation, Outcome
from linpoint.histories.values import Value, canonical
from linpoint.specs.spec import Returns, Spec

MAX_SEARCHED_OPERATIONS = 12
"""For more operations a checker runs first."""
MAX_CONFIGURATIONS = 10_000
BUDGET = "2s"
_FREE = "free"
_FOUND = {linpoint.Status.LINEARIZABLE: True, linpoint.Status.VIOLATION: False}


@dataclasses.dataclass(frozen=True)
class Question:
    """Operations of a history, with assumptions about some of them."""

    history: History
    positions: Sequence[int]
    spec: Spec
    condition: str
    unknown: Collection[int] = ()
    """Operations with an unknown outcome."""
    relaxed: Collection[int] = ()
    """Operations that may have taken effect or not, with any result, but within their times."""
    replaced: Mapping[int, Operation] = dataclasses.field(default_factory=dict)
    free: tuple[int, frozenset[Hashable]] | None = None
    """An operation with any result except these."""
    in_order: tuple[int, int] | None = None
    """Two operations; the first takes effect before the second, if both do."""

    def operation(self, position: int) -> Operation:
        op = self.replaced.get(position) or self.history.operations[position]
        if position in self.unknown:
            return dataclasses.replace(op, outcome=Outcome.UNKNOWN, result=None, return_=None)
        return op

    def answer(self) -> bool | None:
        """Whether there is an order; None if neither search could decide."""
        if len(self.positions) <= MAX_SEARCHED_OPERATIONS:
            found = _Search(self).run()
            return self._by_checker() if found is None else found
        found = self._by_checker()
        return _Search(self).run() if found is None else found

    def _by_checker(self) -> bool | None:
        """By searches that explanations do not use."""
        simple = (
            self.condition in ("linearizable", "durable") and not self.history.crashes and not self.history.clock_skew
        )
        if (self.relaxed or self.unknown) and not simple:
            return None
        spec, ops, crashes = self.spec, [], list(self.history.crashes)
        moments = {time for op in self.history for time in (op.call, op.return_) if time is not None}
        ranks = {time: 2 * rank for rank, time in enumerate(sorted(moments))} if self.relaxed else {}
        ends = {(op.process, op.end) for op in self.history}
        for position in self.positions:
            op = self.operation(position)
            if self.free is not None and position == self.free[0]:
                spec = _with_free_step(spec, op, self.free[1])
                op = dataclasses.replace(op, name=_FREE, result=True)
            if self.in_order is not None:
                order = self.in_order.index(position) if position in self.in_order else None
                op = dataclasses.replace(op, order=order)
            if self.relaxed:
                op = dataclasses.replace(
                    op, call=ranks[op.call], return_=None if op.return_ is None else ranks[op.return_]
                )
            if position in self.relaxed:
                # It took effect before its process crashed just after its return, or not at all.
                process = f"relaxed {position}"
                if op.outcome is Outcome.OK and op.return_ is not None:
                    crashes.append(Crash(op.return_ + 1, process))
                op = dataclasses.replace(op, process=process, outcome=Outcome.UNKNOWN, result=None, return_=None)
            if position in self.unknown:
                if (op.process, op.call) in ends:  # only their process orders them
                    return None
                op = dataclasses.replace(op, process=f"unknown {position}")
            ops.append(op)
        condition = "strict" if self.relaxed else self.condition
        history = linpoint.History(ops, crashes=crashes) if self.relaxed else self.history.with_operations(ops)
        for checker in ("linear", "auto"):
            verdict = linpoint.check(history, spec, condition=condition, checker=checker, budget=BUDGET, jobs=1)
            found = _FOUND.get(verdict.status)
            if found is not None:
                return found
        return None


def _with_free_step(spec: Spec, op: Operation, excluded: frozenset[Hashable]) -> Spec:
    step = spec.step(op)

    def apply(state: Any, *args: Value, **rest: Any) -> list[tuple[bool, Any]]:
        given = step.apply(state, *args, **rest)
        pairs = given if isinstance(given, list) else [given]
        return [(True, after) for result, after in pairs if canonical(result) not in excluded]

    free = dataclasses.replace(step, name=_FREE, apply=apply, returns=Returns.VALUE, complaint=None, reads=False)
    return dataclasses.replace(spec, steps={**spec.steps, _FREE: free}, twin=None)


def precedence(question: Question) -> tuple[list[Operation], list[bool], list[int]]:
    """The operations, which of them must take effect, and a bit set of predecessors for each."""
    ops = [question.operation(position) for position in question.positions]
    required = [
        op.outcome is Outcome.OK and position not in question.relaxed
        for op, position in zip(ops, question.positions, strict=True)
    ]
    definition = ConditionDefinition(question.history, ops, question.spec, question.condition)
    before = [0] * len(ops)
    for j, i in itertools.permutations(range(len(ops)), 2):
        pair = (question.positions[i], question.positions[j])
        before[j] |= (definition.before(i, j) or pair == question.in_order) << i
    return ops, required, before


class _Search:
    def __init__(self, question: Question) -> None:
        self.question = question
        self.spec = question.spec
        self.ops, self.required, self.before = precedence(question)
        self.after = [0] * len(self.ops)
        for j, bits in enumerate(self.before):
            for i in range(len(self.ops)):
                self.after[i] |= (bits >> i & 1) << j
        self.must = sum(1 << i for i, needed in enumerate(self.required) if needed)
        definition = ConditionDefinition(question.history, self.ops, question.spec, question.condition)
        self.crashes = len(definition.bounds)
        self.eras = definition.eras

    def run(self) -> bool | None:
        """Depth first, with a stack; None if it takes too long."""
        if len(self.ops) > 400:
            return None
        start = (0, 0, {}, None)
        stack, seen = [start], set()
        numbers = range(self.crashes + 1)
        members = [sum(1 << i for i, eras in enumerate(self.eras) if e in eras) for e in numbers]
        due = [sum(1 << i for i, eras in enumerate(self.eras) if eras[-1] <= e) for e in numbers]
        while stack:
            done, era, state, saved = stack.pop()
            configuration = (done, era, canonical(state), None if saved is None else canonical(saved[0]))
            if configuration in seen:
                continue
            seen.add(configuration)
            if len(seen) > MAX_CONFIGURATIONS:
                return None
            complete = self.must & due[era] & ~done == 0
            if complete and era == self.crashes:
                return True
            if era < self.crashes:
                if saved is None:
                    stack.append((done, era, state, (state,)))
                elif complete:
                    stack.append((done, era + 1, saved[0], None))
            for i in self._candidates(done, members[era]):
                key = None if self.spec.key_argument else canonical(self.ops[i].key)
                stack.extend(
                    (done | 1 << i, era, {**state, key: following}, saved)
                    for following in self._successors(i, state.get(key, self.spec.initial))
                )
        return False

    def _candidates(self, done: int, members: int) -> Iterator[int]:
        waiting = self.must & ~done
        for i in range(len(self.ops)):
            if members >> i & 1 and not done >> i & 1 and not self.before[i] & waiting and not self.after[i] & done:
                yield i

    def _successors(self, i: int, state: Any) -> Iterator[Any]:
        op, position = self.ops[i], self.question.positions[i]
        free = self.question.free
        for given, following in self.spec.outcomes(state, op):
            if free is not None and position == free[0]:
                fits = canonical(given) not in free[1]
            else:
                fits = not self.required[i] or self.spec.allows(op, given)
            if fits:
                yield following
