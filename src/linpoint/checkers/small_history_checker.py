# SPDX-License-Identifier: Apache-2.0
"""Does some order explain a small history? A plain search, for the thousands of histories that tests of objects give.

It says yes only with an order in hand, each step of which the spec has taken. A no is only a suspicion: whoever gets it
asks ``check``, which certifies. Cost: tens of microseconds for a handful of operations, since steps are remembered from
history to history; exponential in the number of operations that overlap, so it is for few of them.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

from linpoint.histories.operation import Operation
from linpoint.histories.values import Value, canonical
from linpoint.specs.spec import Spec

_Call = tuple[str, Hashable]


class SmallHistoryChecker:
    """Searches against one spec; states are numbered, and each step is asked for once."""

    def __init__(self, spec: Spec) -> None:
        self._spec = spec
        self._numbers: dict[Hashable, int] = {}
        self._states: list[Any] = []
        self._steps: dict[tuple[int, _Call], list[tuple[Value, int]]] = {}
        self._initial = self._number(spec.initial)

    def explains(self, operations: Sequence[Operation]) -> bool:
        """Whether some order that keeps the times gives every operation its result."""
        calls = [(each.name, canonical(each.args)) for each in operations]
        # For each operation the bits of those that returned before it was called.
        before = [
            sum(1 << j for j, other in enumerate(operations) if other.end < each.call or _follows(other, each))
            for each in operations
        ]
        everything = (1 << len(operations)) - 1
        seen = {(0, self._initial)}
        todo = [(0, self._initial)]
        while todo:
            done, state = todo.pop()
            if done == everything:
                return True
            for i, operation in enumerate(operations):
                if done >> i & 1 or before[i] & ~done:
                    continue
                for result, after in self._outcomes(state, calls[i], operation):
                    key = (done | 1 << i, after)
                    if key not in seen and self._spec.allows(operation, result):
                        seen.add(key)
                        todo.append(key)
        return False

    def _outcomes(self, state: int, call: _Call, operation: Operation) -> list[tuple[Value, int]]:
        known = self._steps.get((state, call))
        if known is None:
            outcomes = self._spec.outcomes(self._states[state], operation)
            known = self._steps[state, call] = [(result, self._number(after)) for result, after in outcomes]
        return known

    def _number(self, state: Any) -> int:
        key = canonical(state)
        number = self._numbers.get(key)
        if number is None:
            number = self._numbers[key] = len(self._states)
            self._states.append(state)
        return number


def _follows(one: Operation, other: Operation) -> bool:
    """Whether two operations of a process that touch in time come in this order."""
    return one.process == other.process and one is not other and one.end <= other.call and one.call < other.call
