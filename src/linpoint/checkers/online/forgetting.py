# SPDX-License-Identifier: Apache-2.0
"""Determines which operations of a decided window can be forgotten, whatever comes later.

A window contains the operations of one object since some moment. It has just been found linearizable. Its operations
are divided into *classes*, one per value: the operations that add, remove and look at the value, or that write and read
it. Let T0 be the least call of the operations that are open now. Let T1 be the least call of the operations that are
open or returned at T0 or later. Operations that returned before T0 overlap no future operation, and operations called
before T1 returned before T0.

**The cut.** A class is *settled* if no future operation can legally belong to it: its value was removed as often as it
was added, or was certainly overwritten. Let g <= T1 be a moment such that every class lies on one side of it: on the
left, settled and with all calls before g; or on the right, with all returns at g or later. Then the left can be
forgotten. Proof: take any order of all operations, including future ones. It is legal restricted to the left, and also
restricted to the right. For containers and registers stay legal when all operations of some values are removed (a
removal that found nothing still finds nothing). If a left operation takes effect after g, move its effect back to g; if
a right one takes effect before g, move it forward to g. Each effect stays within its interval, since left operations
were called before g and right ones return at g or later. Put the left before the right. The left ends empty, or its
last value is overwritten in the right before any read. So the whole has an order iff both sides have one, and the left
is known to have one. Operations that found the container empty belong to the left if they were called before g. It
suffices that nothing is certainly inside at g, so this works under constant load; for a register with distinct values
such a moment exists between any two values.

**Single values of a queue**, FIFO or priority, can be forgotten if values are distinct and no removal has an unknown
outcome. All operations of a value that was added and removed can be forgotten if all of them returned before T1. So can
operations that found the queue empty and returned before T1. Proof for FIFO: a violation is a pair of values in the
wrong order, or a removal that found nothing although values were certainly inside throughout. Consider a pair with a
forgotten value x. Either the operations of the other value were complete before T1, and the pair would have been found.
Or its removal comes later than that of x; then only its addition matters, which was complete too. An operation that
found nothing and returned at T0 or later was called at T1 or later, after x was removed. Proof for priorities: a
removal of z needs a moment without larger values. If x prevents the removal of z until after T1, then so does a larger
value that is retained. That value prevents every removal that x and z would prevent. Why no removal may have an unknown
outcome: such a removal may have removed y, which was added before x and has no recorded removal. A later removal of y,
one too many, is then detected only in the presence of x.

Guarantee: the remaining window with any continuation is linearizable iff the whole history with that continuation is.
The differential tests trim after every event and compare with the oracle. Cost: O(n log n).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

from linpoint.histories.operation import Operation, Time
from linpoint.histories.values import Value, canonical
from linpoint.specs.builtin import BUILT_IN
from linpoint.specs.spec import Spec, State


@dataclass(frozen=True, slots=True)
class RetainedState:
    """The remaining part of a window. ``emptied`` is whether its initial contents are forgotten too."""

    done: list[Operation]
    lost: list[Operation]
    emptied: bool = False


Rule = Callable[[Sequence[Operation], Sequence[Operation], Time, Sequence[Value]], RetainedState | None]
"""Takes complete operations, those of unknown outcome, T0 and the initial contents. None: nothing can be forgotten."""


@dataclass(frozen=True, slots=True)
class ForgettingRule:
    """A rule for trimming the windows of a spec: the supported operations, and the initial values of an object."""

    operations: frozenset[str]
    rule: Rule
    first: Callable[[State, Value], Sequence[Value]]
    """The values in the initial state of the object with a key."""


@dataclass(slots=True)
class _Class:
    """The operations on one value."""

    added: int = 0
    added_perhaps: int = 0
    removed: int = 0
    least_return: Time = math.inf
    greatest_call: Time = -math.inf
    greatest_return: Time = -math.inf
    ops: list[Operation] = field(default_factory=list)
    settled: bool = False
    first: bool = False
    last_write: Time = -math.inf
    """The latest return of a write; infinity if a write may still be running."""

    def take(self, op: Operation) -> None:
        self.ops.append(op)
        self.greatest_call = max(self.greatest_call, op.call)
        assert op.return_ is not None
        self.least_return = min(self.least_return, op.return_)
        self.greatest_return = max(self.greatest_return, op.return_)

    def take_lost(self, op: Operation) -> None:
        self.ops.append(op)
        self.added_perhaps += 1
        self.greatest_call = max(self.greatest_call, op.call)

    def begins_inside(self) -> None:
        self.added += 1
        self.first = True
        self.least_return = -math.inf


def forgetting_rule_for(spec: Spec) -> ForgettingRule | None:
    """The rule that trims windows of this spec, or None. Only the built-in specs themselves have rules."""
    built_in = BUILT_IN.get(spec.name)
    if built_in is None or spec.factory is None or spec.factory is not built_in.factory:
        return None
    return _TRIMMINGS.get(spec.name)


def horizon_before(done: Iterable[Operation], horizon: Time) -> Time:
    """T1: every operation called before it returned before ``horizon``, which is T0."""
    return min((op.call for op in done if op.return_ is not None and op.return_ >= horizon), default=horizon)


def _cut(classes: Iterable[_Class], limit: Time) -> Time | None:
    """The latest moment up to ``limit`` such that every class lies on one side of it."""
    found: Time | None = None
    furthest: Time = -math.inf  # the greatest call of the classes that begin before the moment
    for each in sorted(classes, key=lambda each: each.least_return):
        moment = min(each.least_return, limit)
        if furthest < moment:
            found = moment
        if each.least_return >= limit:
            return found
        if not each.settled:
            return found
        furthest = max(furthest, each.greatest_call)
    return limit if furthest < limit else found


@dataclass(slots=True)
class _Content:
    """The operations of a container by value."""

    classes: dict[Hashable, _Class] = field(default_factory=dict)
    empties: list[Operation] = field(default_factory=list)
    """The operations that found nothing."""
    taken_perhaps: bool = False
    """Whether a removal has an unknown outcome."""

    def of(self, value: Value) -> _Class:
        form = value if type(value) is int else canonical(value)
        found = self.classes.get(form)
        if found is None:
            found = self.classes[form] = _Class()
        return found


def _content_of(
    adds: frozenset[str],
    removes: frozenset[str],
    done: Sequence[Operation],
    lost: Sequence[Operation],
    first: Sequence[Value],
) -> _Content | None:
    """The contents, or None if null was added: a null result is then either that value or "empty"."""
    content = _Content()
    for value in first:
        content.of(value).begins_inside()
    for op in done:
        name = op.name.replace("_", "-")
        adding = name in adds
        value = op.args[0] if adding else op.result
        if value is None:
            if adding:
                return None
            content.empties.append(op)
            continue
        each = content.of(value)
        each.added += adding
        each.removed += name in removes
        each.take(op)
    for op in lost:
        if op.name.replace("_", "-") not in adds:
            content.taken_perhaps = True
        elif op.args[0] is None:
            return None
        else:
            content.of(op.args[0]).take_lost(op)
    for each in content.classes.values():
        each.settled = each.removed > 0 and each.added + each.added_perhaps == each.removed
    return None if None in first else content


def _containers(adds: frozenset[str], removes: frozenset[str], *, one_by_one: bool) -> Rule:
    def rule(
        done: Sequence[Operation], lost: Sequence[Operation], horizon: Time, first: Sequence[Value]
    ) -> RetainedState | None:
        content = _content_of(adds, removes, done, lost, first)
        if content is None:
            return None
        limit = horizon_before(done, horizon)
        lives = list(content.classes.values())
        moment = _cut(lives, limit)
        left_of = -math.inf if moment is None else moment
        single = one_by_one and not content.taken_perhaps
        if single and any(each.added + each.added_perhaps > 1 for each in lives):
            lives = [part for each in lives for part in _apart(each, adds, removes)]
            single = all(each.added + each.added_perhaps <= 1 for each in lives)
        gone: set[int] = set()
        for each in lives:
            over = single and not each.first and each.greatest_return < limit
            if each.settled and (each.greatest_call < left_of or over):
                gone.update(map(id, each.ops))
        for op in content.empties:
            assert op.return_ is not None
            if op.call < left_of or (single and op.return_ < limit):
                gone.add(id(op))
        # The initial contents lie left of every moment: with a cut all of them are forgotten, otherwise all are
        # retained.
        return _without(done, lost, gone, emptied=bool(first) and moment is not None) if gone else None

    return rule


def _apart(each: _Class, adds: frozenset[str], removes: frozenset[str]) -> list[_Class]:
    """The lives of a value that was added again after its earlier operations returned, as if values were distinct."""
    if each.added_perhaps or each.first:
        return [each]
    lives: list[_Class] = [_Class()]
    for op in sorted(each.ops, key=lambda op: op.call):
        life = lives[-1]
        if life.ops and life.added == life.removed and op.call > life.greatest_return:
            life = _Class()
            lives.append(life)
        name = op.name.replace("_", "-")
        life.added += name in adds
        life.removed += name in removes
        life.take(op)
    for life in lives:
        life.settled = life.added == life.removed
    return lives


def _register(writes: str, reads: str) -> Rule:
    del reads  # every other operation is a read

    def rule(
        done: Sequence[Operation], lost: Sequence[Operation], horizon: Time, first: Sequence[Value]
    ) -> RetainedState | None:
        classes: dict[Hashable, _Class] = {}
        for value in first:
            classes.setdefault(canonical(value), _Class()).begins_inside()
        for op in done:
            value = op.args[-1] if op.name == writes else op.result
            each = classes.get(value if type(value) is int else canonical(value))
            if each is None:
                each = classes[canonical(value)] = _Class()
            if op.name == writes:
                each.added += 1
                assert op.return_ is not None
                each.last_write = max(each.last_write, op.return_)
            each.take(op)
        for op in lost:
            each = classes.setdefault(canonical(op.args[-1]), _Class())
            each.take_lost(op)
            each.last_write = math.inf
        _settle_overwritten(classes, done, horizon, writes)
        moment = _cut(classes.values(), horizon_before(done, horizon))
        if moment is None:
            return None
        gone = {id(op) for each in classes.values() if each.settled and each.greatest_call < moment for op in each.ops}
        return _without(done, lost, gone, emptied=False) if gone else None

    return rule


def _settle_overwritten(classes: dict[Hashable, _Class], done: Sequence[Operation], horizon: Time, writes: str) -> None:
    """A value is settled once another value was certainly written after it, before any future call.

    The value whose write was called last is never settled by this rule, so one write is retained that prevents further
    reads of the initial value.
    """
    latest: tuple[Time, _Class] | None = None
    second: Time = -math.inf  # the latest call of a write of any other value
    for op in done:
        if op.name != writes or op.return_ is None or op.return_ >= horizon:
            continue
        each = classes[canonical(op.args[-1])]
        if latest is None or op.call > latest[0]:
            if latest is not None and latest[1] is not each:
                second = latest[0]
            latest = (op.call, each)
        elif each is not latest[1]:
            second = max(second, op.call)
    if latest is None:
        return
    for each in classes.values():
        overwritten = second if each is latest[1] else latest[0]
        # A value written once was there when the first of its operations returned, and has been overwritten since.
        written = each.least_return if each.added + each.added_perhaps == 1 else each.last_write
        each.settled = written < overwritten


def _without(done: Sequence[Operation], lost: Sequence[Operation], gone: set[int], *, emptied: bool) -> RetainedState:
    return RetainedState(
        [op for op in done if id(op) not in gone], [op for op in lost if id(op) not in gone], emptied=emptied
    )


def _content(state: State, _key: Value) -> Sequence[Value]:
    items: Sequence[Value] = state
    return items


def _value(state: State, _key: Value) -> Sequence[Value]:
    return (state,)


def _entry(state: State, key: Value) -> Sequence[Value]:
    return (state.get(canonical(key)),)


def _container(adds: str, removes: str, looks: str = "", *, one_by_one: bool = False) -> ForgettingRule:
    adding, removing = frozenset(adds.split()), frozenset(removes.split())
    rule = _containers(adding, removing, one_by_one=one_by_one)
    return ForgettingRule(adding | removing | frozenset(looks.split()), rule, _content)


_WRITE_AND_READ: Final = _register("write", "read")
_TRIMMINGS: Final = {
    "queue": _container("enqueue", "dequeue", "peek", one_by_one=True),
    "priority-queue": _container("insert", "delete-max", "peek", one_by_one=True),
    "stack": _container("push", "pop", "peek"),
    "deque": _container("push-front push-back", "pop-front pop-back"),
    "register": ForgettingRule(frozenset({"read", "write"}), _WRITE_AND_READ, _value),
    "cas-register": ForgettingRule(frozenset({"read", "write"}), _WRITE_AND_READ, _value),
    "map": ForgettingRule(frozenset({"get", "put"}), _register("put", "get"), _entry),
}
