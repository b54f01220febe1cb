# SPDX-License-Identifier: Apache-2.0
"""The operations that stored and observed each value of one object of a built-in spec that returns stored values.

Guarantee: as in ``value_flow``; a missing entry of a map counts as a value, ``ABSENT``. Cost: O(n), once.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterator, Sequence
from typing import Final

from linpoint.checkers.conditions import NOT_LOCAL
from linpoint.explain.history.value_flow import CONTAINERS, REGISTERS, flow_of, initial_values, kind_of
from linpoint.explain.wording.operation_names import key_of
from linpoint.histories.history import History
from linpoint.histories.operation import Operation, Outcome
from linpoint.histories.values import canonical
from linpoint.specs.spec import Spec

ABSENT: Final[Hashable] = ("absent",)
REMOVALS: Final = ("dequeue", "pop", "pop-front", "pop-back", "delete-max")
_DELETES: Final = ("delete", "erase", "remove")


class ValueUses:
    """The values of the operations at ``positions``, which all belong to one object."""

    def __init__(self, history: History, positions: Sequence[int], spec: Spec) -> None:
        self.history = history
        self.kind = kind_of(spec)
        self.followed = bool(positions) and self.kind in REGISTERS + CONTAINERS
        self.putters: dict[Hashable, list[int]] = defaultdict(list)
        self.seers: dict[Hashable, list[int]] = defaultdict(list)
        self.saw: dict[int, Hashable] = {}
        self.put: dict[int, Hashable] = {}
        self.removals: dict[Hashable, list[int]] = defaultdict(list)
        self.unknown_removals: list[int] = []
        self._initial: dict[Hashable, int] = defaultdict(int)
        self.positions = positions
        if not self.followed:
            return
        for value in initial_values(spec):
            self._initial[self.form(value)] += 1
        if self.kind == "map":
            self._initial[ABSENT] += 1
        for position in positions:
            self._use(position, history.operations[position])

    def form(self, value: object) -> Hashable:
        """A value in comparable form."""
        return ABSENT if self.kind == "map" and value is None else (canonical(value),)

    def _use(self, position: int, op: Operation) -> None:
        flow = flow_of(op, self.kind)
        ok = op.outcome is Outcome.OK
        name = op.name.replace("_", "-")
        saw = None if flow.seen_value is None else self.form(flow.saw)
        put = None if flow.put_value is None else self.form(flow.put)
        if self.kind == "map":
            if name in _DELETES and not (ok and op.result is False):
                put = ABSENT
            nothing = (name in _DELETES or name == "contains") and op.result is False
            saw = ABSENT if ok and (nothing or (name == "insert" and op.result is True)) else saw
            if name == "append":
                self.followed = False  # the stored value depends on the previous one
        if saw is not None:
            self.saw[position] = saw
            self.seers[saw].append(position)
        if put is not None:
            self.put[position] = put
            if put != saw:  # replacing a value by itself changes nothing
                self.putters[put].append(position)
        if name in REMOVALS and self.kind in CONTAINERS:
            if saw is not None:
                self.removals[saw].append(position)
            elif op.outcome is Outcome.UNKNOWN:
                self.unknown_removals.append(position)

    def times_put(self, value: Hashable) -> int:
        """The maximum number of times that the value was stored, including initially."""
        return len(self.putters[value]) + self._initial[value]

    def first(self, value: Hashable) -> int:
        """The number of times that the value was present initially."""
        return self._initial[value]

    def replaces(self, position: int) -> bool:
        """Whether the operation certainly replaced the previous value by another one."""
        op = self.history.operations[position]
        put = self.put.get(position)
        if put is None or op.outcome is not Outcome.OK or put == self.saw.get(position):
            return False
        return put is ABSENT or flow_of(op, self.kind).certain

    def known(self, value: Hashable) -> float:
        """The time by which the value had certainly been stored: the first return of its stores and observers."""
        ops = self.history.operations
        if self.first(value):
            return -float("inf")
        ends = (ops[p].end for p in (*self.putters[value], *self.seers[value]))
        return min(ends, default=float("inf"))

    def last_seen(self, value: Hashable) -> float:
        """The latest call of an operation that observed the value."""
        ops = self.history.operations
        return max((ops[p].call for p in self.seers[value]), default=-float("inf"))

    def period(self, value: Hashable, members: Sequence[int] | None = None) -> tuple[float, float]:
        """The first return and the last call of the operations that stored or observed a value, or of ``members``."""
        ops = self.history.operations
        chosen = [*self.putters[value], *self.seers[value]] if members is None else members
        first = -float("inf") if members is None and self.first(value) else float("inf")
        return (
            min((ops[p].end for p in chosen), default=first) if first > 0 else first,
            max((ops[p].call for p in chosen), default=-float("inf")),
        )

    def values_of(self, positions: Sequence[int]) -> Iterator[Hashable]:
        """The values that these operations stored or observed, without repeats."""
        yield from dict.fromkeys(
            value for p in positions for value in (self.saw.get(p), self.put.get(p)) if value is not None
        )


def uses_of(history: History, positions: Sequence[int], spec: Spec, condition: str, shown: Sequence[int]) -> ValueUses:
    """The values of the object; if several objects are checked together, of the one that ``shown`` works on."""
    if condition in NOT_LOCAL and (history.keyed or spec.key_argument):
        keys = {canonical(key_of(spec, history.operations[position])) for position in shown}
        positions = [p for p in positions if canonical(key_of(spec, history.operations[p])) in keys]
        positions = positions if len(keys) == 1 else ()
    return ValueUses(history, positions, spec)
