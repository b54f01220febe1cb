# SPDX-License-Identifier: Apache-2.0
"""Certification in plain Python, following its definition: the oracle for the native certifier and the native steps.

It shares only the history with them: times, hints and crashes are compared as recorded (no columns, no ranks, no
numbered values), and the order is run on the spec's Python steps. Every pair of operations is tested for every
reason to reject, so it costs O(n^2), and it names the pairs.
"""

from __future__ import annotations

import bisect
import dataclasses
import itertools
from collections.abc import Iterator, Sequence
from typing import Any

from linpoint.checkers.brute_force import brute_force
from linpoint.histories.history import History
from linpoint.histories.operation import Crash, Operation, Outcome, Time
from linpoint.histories.values import canonical
from linpoint.specs.spec import Spec
from linpoint.verdicts import Witness
from linpoint.verdicts.refutation import PATTERNS, Pattern, RefutedStart

NEVER = float("inf")


def refusals(
    history: History, positions: Sequence[int], spec: Spec, condition: str, witness: Witness, *, whole: bool = True
) -> list[str]:
    """Why ``witness`` does not show that the operations at ``positions`` satisfy ``condition``; empty if it does.

    Unless ``whole``, the witness may omit operations: it is a prefix of an order.
    """
    wrong = [*_members(history, positions, witness.order, whole=whole)]
    if wrong:
        return wrong
    wrong = [*times(history, spec, condition, witness.order)]
    if condition == "buffered-durable":
        return [*wrong, *_eras(history, spec, witness)] if whole else wrong
    return [*wrong, *_run(history, spec, witness.order)]


def _members(history: History, positions: Sequence[int], order: Sequence[int], *, whole: bool) -> Iterator[str]:
    if len(set(order)) < len(order):
        yield "an operation is there twice"
    if not set(order) <= set(positions):
        yield "an operation is not one of them"
        return
    for position in order:
        if history[position].outcome is Outcome.FAILED:
            yield f"{position} failed"
    for position in set(positions) - set(order):
        if whole and history[position].outcome is Outcome.OK:
            yield f"{position} is left out"


def times(history: History, spec: Spec, condition: str, order: Sequence[int]) -> Iterator[str]:
    """Operations that come after one that they had to precede."""
    judge = _Judge(history, spec, condition)
    for first, second in itertools.combinations(order, 2):
        reason = judge.why_before(second, first)
        if reason:
            yield f"{second} comes after {first}, but {reason}"


class _Judge:
    """Decides which operation has to precede which."""

    def __init__(self, history: History, spec: Spec, condition: str) -> None:
        self._history = history
        self._spec = spec
        self._condition = condition
        self._crashes = () if condition == "linearizable" else history.crashes
        self._system = sorted({crash.time for crash in self._crashes if crash.of_everything})

    def why_before(self, early: int, late: int) -> str | None:
        """Why the operation at ``early`` must take effect before the one at ``late``, if both do."""
        a, b = self._history[early], self._history[late]
        if self._hinted(a, b):
            return "its order is smaller"
        if a.process == b.process and self._keeps_its_place(a, b) and self._own(early) < self._own(late):
            return "it is earlier in their process"
        if self._condition == "sequential":
            return None
        end = self._end(a)
        if end + self._history.clock_skew < b.call:
            return "it had returned"
        crashed = any(end == crash.time and crash.covers(a.process) for crash in self._crashes)
        if not self._history.clock_skew and a.call < end <= b.call and crashed:
            return "it had ended at a crash"
        if self._condition == "buffered-durable" and self._era(a) < self._era(b):
            return "its era was over"
        return None

    def _hinted(self, a: Operation, b: Operation) -> bool:
        if a.order is None or b.order is None or not a.order < b.order:
            return False
        if self._condition == "buffered-durable":
            first, second = possible_eras(self._history, a), possible_eras(self._history, b)
            if len(first) > 1 or first != second:
                return False
        return canonical(self._object(a)) == canonical(self._object(b))

    def _object(self, op: Operation) -> Any:
        return self._spec.arguments(op)[0] if self._spec.key_argument else op.key

    def _keeps_its_place(self, op: Operation, later: Operation) -> bool:
        """Whether an operation keeps its place before a later one of its process.

        A completed operation does. An interrupted one does under recoverable and sequential, and under strict once a
        crash has ended it.
        """
        if self._condition == "strict" and op.outcome is not Outcome.OK:
            return self._end(op) <= later.call
        return op.outcome is Outcome.OK or self._condition in ("recoverable", "sequential")

    def _own(self, position: int) -> tuple[Time, Time, int]:
        op = self._history[position]
        return op.call, _returned(op), position

    def _end(self, op: Operation) -> Time:
        if op.outcome is Outcome.OK or self._condition != "strict":
            return _returned(op)
        skew = self._history.clock_skew
        cuts = [
            crash.time
            for crash in self._crashes
            if (crash.covers(op.process) and crash.time > op.call) or (crash.of_object and crash.time - skew > op.call)
        ]
        return min(cuts, default=NEVER)

    def _era(self, op: Operation) -> int:
        return bisect.bisect_right(self._system, op.call)


def _returned(op: Operation) -> Time:
    return op.return_ if op.outcome is Outcome.OK and op.return_ is not None else NEVER


State = dict[Any, Any]
"""The state of each object."""


def _step(spec: Spec, state: State, op: Operation) -> list[State]:
    key = None if spec.key_argument else canonical(op.key)
    return [{**state, key: after} for after in spec.successors(state.get(key, spec.initial), op)]


def _run(history: History, spec: Spec, order: Sequence[int]) -> Iterator[str]:
    states: list[State] = [{}]
    for position in order:
        after = [found for state in states for found in _step(spec, state, history[position])]
        states = [*{canonical(state): state for state in after}.values()]
        if not states:
            yield f"the spec rejects {position}"
            return


def era_ends(history: History) -> list[Crash]:
    """The crashes that end eras, one for each time: a crash of everything if one is among them."""
    ends: dict[Time, Crash] = {}
    for crash in history.crashes:
        if crash.process is None and (crash.time not in ends or not crash.of_object):
            ends[crash.time] = crash
    return [ends[time] for time in sorted(ends)]


def possible_eras(history: History, op: Operation) -> list[int]:
    """The eras that an operation may take effect in."""
    ends, skew = era_ends(history), history.clock_skew
    found = []
    for era in range(len(ends) + 1):
        too_early = any(_returned(op) + skew < end.time if end.of_object else op.call < end.time for end in ends[:era])
        too_late = any(op.call > end.time + skew if end.of_object else op.call >= end.time for end in ends[era:])
        if not too_early and not too_late:
            found.append(era)
    return found


def _eras(history: History, spec: Spec, witness: Witness) -> Iterator[str]:
    """Run each era from the state after the surviving prefix of the era before."""
    count = len(era_ends(history))
    eras, survivors = witness.eras or (), witness.survivors or ()
    if not len(eras) == len(survivors) == count:
        yield "it does not say what survives each crash"
        return
    rest = list(witness.order)
    states: list[State] = [{}]
    for era in range(count + 1):
        length = eras[era] if era < count else len(rest)
        members, rest = rest[: max(0, length)], rest[max(0, length) :]
        kept = survivors[era] if era < count else len(members)
        if len(members) != length or not 0 <= kept <= len(members):
            yield f"{kept} of {length} operations survive"
            return
        # The survivors and the whole era must belong to one run, so both are followed.
        runs = [(state, state) for state in states]
        for number, position in enumerate(members):
            if era not in possible_eras(history, history[position]):
                yield f"{position} cannot lie in era {era}"
                return
            runs = [
                (current, current if number < kept else saved)
                for before, saved in runs
                for current in _step(spec, before, history[position])
            ]
        if not runs:
            yield f"the spec rejects an operation of era {era}"
            return
        states = [*{canonical(saved): saved for _, saved in runs}.values()]


# Patterns: the scope by itself must be a violation for the oracle


DELETES = ("delete", "erase", "remove")
CONTAINERS = ("queue", "stack", "priority-queue")
LONGEST_SCOPE = 16


def pattern_refusals(
    history: History, positions: Sequence[int], spec: Spec, condition: str, pattern: Pattern
) -> list[str]:
    """Why ``pattern`` does not show that the operations at ``positions`` violate ``condition``; empty if it does.

    The oracle decides the operations of its scope as if there were no others. Whether omitted operations could explain
    the scope is not asked: the verdict for all operations answers that. Of a scope that is too long for the oracle,
    only the named operations are checked.
    """
    wrong = [*_misplaced(positions, pattern)]
    if wrong or len(pattern.scope) > LONGEST_SCOPE:
        return wrong
    alone, first = _alone(history, positions, spec, pattern.scope)
    if brute_force(alone, pattern.scope, first, condition)[0]:
        return ["the operations of its scope have an order"]
    return []


def _misplaced(positions: Sequence[int], pattern: Pattern) -> Iterator[str]:
    if pattern.reason not in PATTERNS:
        yield f"nobody knows the reason {pattern.reason}"
    if not pattern.operations:
        yield "no operation tells"
    if len(set(pattern.operations)) < len(pattern.operations) or len(set(pattern.scope)) < len(pattern.scope):
        yield "an operation is there twice"
    if not set(pattern.operations) <= set(pattern.scope):
        yield "an operation of the pattern is not in the scope"
    if not set(pattern.scope) <= set(positions):
        yield "the scope has an operation that is not one of them"


def _alone(history: History, positions: Sequence[int], spec: Spec, scope: Sequence[int]) -> tuple[History, Spec]:
    """The history and the first state for judging the scope.

    Whether there was a value to delete may depend on omitted operations. A first value of a container goes with its
    operations: it stays if some of them are in the scope, or if it has none.
    """
    if spec.name == "map":
        return _without_results_of_deletes(history), spec
    if spec.name in CONTAINERS and spec.initial:
        inside = _values(history, scope)
        outside = _values(history, positions) - inside
        first = tuple(value for value in spec.initial if canonical(value) not in outside)
        return history, dataclasses.replace(spec, initial=first)
    return history, spec


def _without_results_of_deletes(history: History) -> History:
    for position, op in enumerate(history):
        if op.name in DELETES and op.result is True:
            history = history.replace(position, dataclasses.replace(op, result=None))
    return history


def _values(history: History, positions: Sequence[int]) -> set[Any]:
    return {canonical(value) for p in positions for value in (*history[p].args, history[p].result)}


# Refuted starts: whichever of the open operations took effect, the oracle must find no order


def start_refusals(
    history: History, positions: Sequence[int], spec: Spec, condition: str, start: RefutedStart
) -> list[str]:
    """Why ``start`` does not show that the operations at ``positions`` violate ``condition``; empty if it does.

    The oracle decides each choice among the open operations, with their results, returning after all others. Of a start
    that is too long for the oracle, only the named operations are checked.
    """
    scope, still_open = [*start.scope], {*start.still_open}
    if not {start.last} <= set(scope) <= set(positions) or not still_open <= set(scope) or start.last in still_open:
        return ["it names operations that are not there"]
    end = history[start.last].end
    wrong = [
        f"{position} is left out, but was called before the end"
        for position in set(positions) - set(scope)
        if history[position].call < end and _may_matter(history, spec, scope, position)
    ]
    returning = [position for position in still_open if history[position].outcome is Outcome.OK]
    if wrong or len(scope) > LONGEST_SCOPE or len(returning) > MOST_OPEN:
        return wrong
    last = max(op.end for op in history if op.outcome is Outcome.OK) + 1
    for count in range(len(returning) + 1):
        for chosen in itertools.combinations(returning, count):
            kept = [position for position in scope if position not in set(returning) - set(chosen)]
            late = history
            for position in chosen:
                late = late.replace(position, dataclasses.replace(history[position], return_=last))
            if brute_force(late, kept, spec, condition)[0]:
                return [f"its operations have an order with {chosen} of those that were open"]
    return []


MOST_OPEN = 5


def _may_matter(history: History, spec: Spec, scope: Sequence[int], position: int) -> bool:
    """Whether an omitted operation may be needed: not if it is a read, or if its value or part is entirely outside."""
    op = history[position]
    if spec.reads(op) or (op.outcome is Outcome.OK and op.result is None and not op.args):
        return False
    if spec.partition is not None:  # decided separately
        part, other = (canonical(spec.partition(spec.arguments(each))) for each in (op, history[scope[0]]))
        if part != other:
            return False
    if spec.twin is None or spec.twin.kind not in (*CONTAINERS, "deque"):
        return True
    own = _stored_values(op)
    return not own or any(own & _stored_values(history[each]) for each in scope)


def _stored_values(op: Operation) -> set[Any]:
    """The values that an operation adds, or removes or observes; the result of an operation that adds is not stored."""
    return {canonical(value) for value in op.args or (op.result,) if value is not None}
