# SPDX-License-Identifier: Apache-2.0
"""The values that operations saw and wrote, from their names and results: the evaluator's own interpretation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from linpoint.histories.history import History
from linpoint.histories.operation import Outcome
from linpoint.histories.values import canonical
from linpoint.specs.spec import Spec

ABSENT = "no entry"
TAKES = {"dequeue", "pop", "pop-front", "pop-back", "delete-max"}
_ADDS = {"enqueue", "push", "push-front", "push-back", "insert"}
_ENTRIES = {"delete", "erase", "remove"}


class LiteralValues:
    """Values as ``("value", form)``; an absent entry of a map is ``ABSENT``."""

    def __init__(self, history: History, positions: Sequence[int], spec: Spec) -> None:
        self.history = history
        self.positions = positions
        self.spec = spec
        self.kind = spec.name.partition("(")[0]

    def form(self, value: Any) -> Any:
        return ABSENT if self.kind == "map" and value is None else ("value", canonical(value))

    def saw(self, position: int) -> Any:
        """The value that an operation certainly found, or None."""
        op = self.history.operations[position]
        name = op.name.replace("_", "-")
        if op.outcome is not Outcome.OK:
            return None
        if self.kind in ("queue", "stack", "deque", "priority-queue"):
            return None if name in _ADDS or op.result is None else self.form(op.result)
        if name in ("read", "get", "swap"):
            return self.form(op.result)
        if name == "cas" and op.result is True:
            return self.form(op.args[-2])
        if self.kind == "map":
            missing = (name in _ENTRIES or name == "contains") and op.result is False
            return ABSENT if missing or (name == "insert" and op.result is True) else None
        return None

    def put(self, position: int) -> Any:
        """The value that an operation wrote if it took effect, or None."""
        op = self.history.operations[position]
        name = op.name.replace("_", "-")
        refused = op.outcome is Outcome.FAILED or (op.outcome is Outcome.OK and op.result is False)
        if refused:
            return None
        if self.kind in ("queue", "stack", "deque", "priority-queue"):
            return self.form(op.args[-1]) if name in _ADDS else None
        if name in ("write", "put", "swap", "insert", "cas"):
            return self.form(op.args[-1])
        return ABSENT if self.kind == "map" and name in _ENTRIES else None

    def certainly_put(self, position: int) -> bool:
        op = self.history.operations[position]
        if op.outcome is not Outcome.OK or self.put(position) is None:
            return False
        return op.name not in ("cas", "insert") or op.result is True or self.kind == "priority-queue"

    def putters(self, value: Any) -> list[int]:
        # An operation that replaces a value by itself leaves it unchanged.
        return [p for p in self.positions if value is not None and self.put(p) == value != self.saw(p)]

    def seers(self, value: Any) -> list[int]:
        return [p for p in self.positions if value is not None and self.saw(p) == value]

    def takers(self, value: Any) -> list[int]:
        ops = self.history.operations
        return [p for p in self.seers(value) if ops[p].name.replace("_", "-") in TAKES]

    def first(self, value: Any) -> int:
        """How often the value was present initially."""
        if self.kind == "map":
            there = [self.form(each) for each in self.spec.initial.values()]
            return there.count(value) + (value == ABSENT)
        if self.kind in ("register", "cas-register"):
            return int(self.form(self.spec.initial) == value)
        if self.kind in ("queue", "stack", "deque", "priority-queue"):
            return [self.form(each) for each in self.spec.initial].count(value)
        return 0

    def times_put(self, value: Any) -> int:
        return len(self.putters(value)) + self.first(value)

    def unknown_takers(self) -> bool:
        ops = self.history.operations
        return any(ops[p].outcome is Outcome.UNKNOWN and ops[p].name.replace("_", "-") in TAKES for p in self.positions)

    def there_by(self, value: Any, without: int | None = None) -> float:
        """The time by which the value had certainly been written."""
        if self.first(value):
            return -float("inf")
        ends = [self.history.operations[p].end for p in {*self.putters(value), *self.seers(value)} - {without}]
        return min(ends, default=float("inf"))
