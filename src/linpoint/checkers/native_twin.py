# SPDX-License-Identifier: Apache-2.0
"""The native twin of a built-in spec, made for one history: its values' numbers, and the first state of each object."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from linpoint.checkers._native_search import NativeMachine, native_machine
from linpoint.histories.columns import FALSE, NULL, TRUE
from linpoint.histories.values import Value, canonical

if TYPE_CHECKING:
    from linpoint.checkers.interpretation import Interpretation

_LARGEST = 2**60


class NativeTwin:
    """Native steps for the operations of one history."""

    def __init__(self, reading: Interpretation, machine: NativeMachine, fresh: Mapping[Hashable, int]) -> None:
        self.machine = machine
        self._kind = "" if reading.spec.twin is None else reading.spec.twin.kind
        self._first = reading.spec.initial
        self._history = reading.history
        self._spec = reading.spec
        self._fresh = fresh
        self._states: dict[tuple[int, ...], int] = {}
        self.divides = self._kind == "set"
        """Whether one object holds several states: the elements of a set have one each."""

    @classmethod
    def of(cls, reading: Interpretation) -> NativeTwin | None:
        """The twin for a history, or None where the native steps do not cover it."""
        spec, columns = reading.spec, reading.history.columns
        twin = spec.twin
        if twin is None:
            return None
        if twin.kind == "counter" and not _counts_in_integers(reading):
            return None
        capacity = None if twin.capacity is None else min(twin.capacity, _LARGEST)
        fresh = _numbers_of_first_values(twin.kind, spec.initial, columns.numbers)
        names = [spec.step_named(name).name for name in columns.names]
        values = [*columns.values, *fresh] if twin.kind == "map" else columns.values
        grows = twin.kind == "map" and "append" in names
        if grows and not all(_is_text(value) for value in values):
            return None
        machine = native_machine(
            columns.native,
            twin.kind,
            names,
            [NULL, TRUE, FALSE],
            spec.key_argument,
            capacity,
            [_as_integer(value) for value in columns.values] if twin.kind == "counter" else [],
            [value if isinstance(value, str) else None for value in values] if grows else [],
            reading.exact,
            reading.loose,
        )
        return None if machine is None else cls(reading, machine, fresh)

    def initial(self, positions: Sequence[int]) -> int:
        """The first state of the object that these operations are of."""
        content = tuple(self._content(positions))
        state = self._states.get(content)
        if state is None:
            state = self._states[content] = self.machine.state(list(content))
        return state

    def _content(self, positions: Sequence[int]) -> list[int]:
        first: Any = self._first
        match self._kind:
            case "register":
                return [self._number(first)]
            case "mutex" | "counter":
                return [int(first)]
            case "queue" | "stack":
                return [self._number(item) for item in first]
        if not positions or not first:
            return []
        part = canonical(self._spec.arguments(self._history.operations[positions[0]])[0])
        if part not in first:
            return []
        return [TRUE] if self._kind == "set" else [self._number(first[part])]

    def _number(self, value: Value) -> int:
        form = canonical(value)
        found = self._history.columns.numbers.get(form)
        return self._fresh[form] if found is None else found


def _numbers_of_first_values(kind: str, first: Any, known: Mapping[Hashable, int]) -> dict[Hashable, int]:
    """Numbers for the first values that do not occur in the history."""
    match kind:
        case "register":
            values = [first]
        case "queue" | "stack":
            values = [*first]
        case "map":
            values = [*first.values()]
        case _:
            values = []
    fresh: dict[Hashable, int] = {}
    for value in values:
        form = canonical(value)
        if form not in known and form not in fresh:
            fresh[form] = len(known) + len(fresh)
    return fresh


def _is_text(value: Any) -> bool:
    """Whether a value, if it is a string, can be written as UTF-8; half a surrogate pair cannot."""
    if not isinstance(value, str) or value.isascii():
        return True
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def _counts_in_integers(reading: Interpretation) -> bool:
    """Whether a counter stays within integers far from overflow; floats round where integers do not."""
    first = reading.spec.initial
    if type(first) is not int or not -_LARGEST < first < _LARGEST:
        return False
    return all(type(amount) is int for op in reading.history.operations for amount in op.args)


def _as_integer(value: Any) -> int | None:
    """The integer of 64 bits that a value is equal to, if it is one."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not -(2**63) <= value < 2**63:
        return None
    return int(value) if value == int(value) else None
