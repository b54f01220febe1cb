# SPDX-License-Identifier: Apache-2.0
"""The meaning of the symbols of a history when Python code runs the steps: operations, or calls of steps.

Guarantee: nothing is stored, since each symbol is used once or twice and there may be a million. Cost: a microsecond
for a call, a few for an operation.
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
    """An operation for each symbol: with its result, with any result, and lastly those outside the history."""

    def __init__(
        self,
        operations: Sequence[Operation],
        exact: Sequence[int],
        loose: Sequence[int],
        others: Sequence[Operation],
    ) -> None:
        """``exact`` and ``loose`` hold the first operation of each symbol, with its result and with any result."""
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
    """The step that a symbol runs, and the result that it must have if that is known."""

    step: Step
    args: tuple[Value, ...]
    observed: bool
    result: Value


class SymbolCalls:
    """A call for each symbol that is not a pseudo-operation."""

    def __init__(self, history: History, spec: Spec, exact: Sequence[int], loose: Sequence[int]) -> None:
        """Create the calls; the arguments are those of ``SymbolOperations``."""
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
