# SPDX-License-Identifier: Apache-2.0
"""What the symbols of a history stand for when Python code takes the steps: operations, or just the calls of steps.

Guarantee: nothing is kept, since a symbol is asked for once or twice and there may be a million of them. Cost: a
microsecond for a call, some more for an operation.
"""

from __future__ import annotations

import dataclasses
from array import array
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from linpoint.histories.history import History
from linpoint.histories.lazy_values import LazyValues
from linpoint.histories.operation import Operation, Outcome
from linpoint.histories.values import Value
from linpoint.specs.spec import Spec, Step


class SymbolOperations(Mapping[int, Operation]):
    """An operation for each symbol: with its result, whatever it returned, and at last those that are in no history."""

    def __init__(
        self,
        operations: Sequence[Operation],
        exact: Sequence[int],
        loose: Sequence[int],
        others: Sequence[Operation],
    ) -> None:
        """``exact`` and ``loose`` have the first operation of each symbol with its result, and whatever it returned."""
        self._operations = operations
        self._exact = array("i", exact)
        self._loose = array("i", loose)
        self._others = others

    def __getitem__(self, symbol: int) -> Operation:
        number = symbol - len(self._exact)
        if number < 0:
            return self._operations[self._exact[symbol]]
        if number < len(self._loose):
            return dataclasses.replace(self._operations[self._loose[number]], outcome=Outcome.UNKNOWN)
        return self._others[number - len(self._loose)]

    def __len__(self) -> int:
        return len(self._exact) + len(self._loose) + len(self._others)

    def __iter__(self) -> Iterator[int]:
        return iter(range(len(self)))


class Call(NamedTuple):
    """What a symbol does to a spec: the step that it takes, and the result that it must have if that is known."""

    step: Step
    args: tuple[Value, ...]
    observed: bool
    result: Value


class SymbolCalls:
    """A call for each symbol that is not one of the pseudo-operations."""

    def __init__(self, history: History, spec: Spec, exact: Sequence[int], loose: Sequence[int]) -> None:
        """As for the operations."""
        columns = history.columns
        values = columns.values
        self._values: Sequence[Value] = values.all() if isinstance(values, LazyValues) else values
        self._call_at = columns.native.call_at
        self._steps = [spec.step_named(name) for name in columns.names]
        self._key_argument = spec.key_argument
        self._exact = array("i", exact)
        self._loose = array("i", loose)

    def call_of(self, symbol: int) -> Call:
        """The call of a symbol."""
        observed = symbol < len(self._exact)
        position = self._exact[symbol] if observed else self._loose[symbol - len(self._exact)]
        name, key, result, numbers = self._call_at(position)
        values = self._values
        if self._key_argument and key >= 0:
            numbers = [key, *numbers]
        return Call(self._steps[name], tuple([values[number] for number in numbers]), observed, values[result])
