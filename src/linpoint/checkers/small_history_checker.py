# SPDX-License-Identifier: Apache-2.0
"""A plain search for the thousands of small histories that the schedules of a test produce.

Guarantee: it returns an order only if the spec accepted each of its steps, and ``SpecJudge`` certifies a sample of
these orders. Without an order the history is only suspicious, and ``check`` decides it. It decides ``linearizable`` for
one object; histories with keys of several objects or with order hints are left to ``check``. Cost: tens of microseconds
for a handful of operations, since steps are cached across histories; exponential in the number of concurrent
operations.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

from linpoint.histories.operation import Operation, Outcome
from linpoint.histories.values import Value, canonical
from linpoint.specs.spec import Spec

_Configuration = tuple[int, int]
"""The operations that have taken effect, as bits, and the number of the resulting state."""


class SmallHistoryChecker:
    """Searches against one spec. States are numbered, and the spec computes each step once."""

    def __init__(self, spec: Spec) -> None:
        self._spec = spec
        self._uses_process = spec.uses_process
        self._numbers: dict[Hashable, int] = {}
        self._states: list[Any] = []
        self._steps: dict[tuple[int, Hashable], list[tuple[Value, int]]] = {}
        self._initial = self._number(spec.initial)

    def find_order(self, operations: Sequence[Operation]) -> list[int] | None:
        """The positions of the operations in an order that respects real time and gives every operation its result.

        Failed operations are omitted; those of unknown outcome may be. None if no order exists or the history is left
        to ``check``.
        """
        for each in operations:
            if each.order is not None or (each.key is not None and not self._spec.key_argument):
                return None
        calls = [self._call(each) for each in operations]
        ends = [(at, each.end, each) for at, each in enumerate(operations) if each.outcome is Outcome.OK]
        required = sum(1 << at for at, _, _ in ends)
        # For each operation, the bits of those that must take effect before it.
        before = [
            sum(
                1 << at
                for at, end, other in ends
                if end < each.call or (end == each.call and _leads(other, at, each, i))
            )
            for i, each in enumerate(operations)
        ]
        candidates = [i for i, each in enumerate(operations) if each.outcome is not Outcome.FAILED]
        start = (0, self._initial)
        reached: dict[_Configuration, tuple[_Configuration, int]] = {start: (start, -1)}
        todo = [start]
        while todo:
            configuration = todo.pop()
            done, state = configuration
            if done & required == required:
                return _path(reached, configuration)
            for i in candidates:
                if done >> i & 1 or before[i] & ~done:
                    continue
                operation = operations[i]
                for result, after in self._outcomes(state, calls[i], operation):
                    key = (done | 1 << i, after)
                    if key not in reached and self._spec.allows(operation, result):
                        reached[key] = configuration, i
                        todo.append(key)
        return None

    def _call(self, operation: Operation) -> Hashable:
        """A value that is equal for operations to which the spec gives the same outcomes in every state."""
        call: tuple[Hashable, ...] = (operation.name, canonical(operation.args))
        if operation.key is not None:
            call = (*call, canonical(operation.key))
        if self._uses_process:
            call = (*call, operation.process)
        if self._spec.any_operation:  # its step receives the whole operation
            call = (*call, operation.outcome, canonical(operation.result))
        return call

    def _outcomes(self, state: int, call: Hashable, operation: Operation) -> list[tuple[Value, int]]:
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


def _leads(one: Operation, at: int, other: Operation, other_at: int) -> bool:
    """Whether ``one`` comes first in its process, of two operations that touch in time."""
    return one.process == other.process and (one.call, one.end, at) < (other.call, other.end, other_at)


def _path(reached: dict[_Configuration, tuple[_Configuration, int]], last: _Configuration) -> list[int]:
    order = []
    previous, position = reached[last]
    while position >= 0:
        order.append(position)
        previous, position = reached[previous]
    return order[::-1]
