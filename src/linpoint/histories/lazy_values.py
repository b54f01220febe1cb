# SPDX-License-Identifier: Apache-2.0
"""The values in the columns of a native reader: they have numbers, and each value is constructed on demand.

Guarantee: equal values share a number, whatever their notation: ``1.0`` that of ``1``, ``{"a": 1, "b": 2}`` that of
``{"b": 2, "a": 1}``. Cost: none for values that the reader numbered itself, except lists: equal lists are found
natively on demand. Each different value that the reader left as JSON text costs a microsecond. If one of those is a
list, all different lists are constructed.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from typing import TypeVar, overload

from linpoint.histories._native_columns import Columns as NativeColumns
from linpoint.histories._native_columns import OperationTable
from linpoint.histories.integer_columns import NO_INTEGER, integer_of
from linpoint.histories.value_numbering import AsRead, Equated, ValueNumbering, is_list, listed
from linpoint.histories.values import FrozenObject, Value, canonical

_Many = TypeVar("_Many", "array[int]", "list[Value]")


class LazyValues(Sequence[Value]):
    """The values of the numbers of a table, and of the numbers after them, which are lists.

    ``decoded`` holds the values that the reader left as JSON text, ``lists`` the numbered lists of ``columns``. The
    numbers in ``removed``, in ascending order, no longer have a value: each lowers the numbers above it by one.
    """

    __slots__ = ("_all", "_columns", "_decoded", "_gaps", "_lists", "_removed", "_table")

    def __init__(
        self,
        table: OperationTable,
        decoded: Mapping[int, Value],
        columns: NativeColumns,
        lists: Sequence[int] = (),
        removed: Sequence[int] = (),
    ) -> None:
        self._table = table
        self._decoded = decoded
        self._columns = columns
        self._lists = lists
        self._removed = removed
        self._gaps = [number - at for at, number in enumerate(removed)]
        self._all: tuple[Value, ...] | None = None

    def __len__(self) -> int:
        return len(self._table) + len(self._lists) - len(self._removed)

    @overload
    def __getitem__(self, number: int) -> Value: ...
    @overload
    def __getitem__(self, number: slice) -> tuple[Value, ...]: ...
    def __getitem__(self, number: int | slice) -> Value | tuple[Value, ...]:
        if self._all is not None:
            return self._all[number]
        if isinstance(number, slice):
            return tuple(map(self.__getitem__, range(len(self))[number]))
        number = range(len(self))[number]
        number += bisect_right(self._gaps, number)
        if number >= len(self._table):
            return self.list_value(self._lists[number - len(self._table)])
        value = self._table.value(number)
        return self._decoded[number] if type(value) is bytes else value

    def __iter__(self) -> Iterator[Value]:
        return iter(self.all())

    def list_value(self, at: int) -> Value:
        """The list or object at the position ``at`` of the columns."""
        return self._table.list_value(self._columns, at, FrozenObject)

    def all(self) -> tuple[Value, ...]:
        """All values, constructed together, which is faster than one by one. They are kept."""
        if self._all is None:
            values: list[Value] = self._table.values()
            for number, value in self._decoded.items():
                values[number] = value
            values += map(self.list_value, self._lists)
            self._all = tuple(_without(values, self._removed))
        return self._all

    def written(self, encode: Callable[[Value], str]) -> list[tuple[int, str]]:
        """The values that the reader left as JSON text, written by ``encode``, by number in ascending order."""
        return [(number, encode(self._decoded[number])) for number in sorted(self._decoded)]

    def integers(self) -> array[int]:
        """As ``IntegerColumns.integers``."""
        integers = array("q", self._table.integers())
        for number, value in self._decoded.items():
            integers[number] = integer_of(value)
        integers += array("q", [NO_INTEGER]) * len(self._lists)
        return _without(integers, self._removed)

    def lists(self) -> Iterator[tuple[Value, int]]:
        """The lists that the reader has read itself, with their numbers."""
        first = len(self) - len(self._lists)
        return ((self[number], number) for number in range(first, len(self)))


class LazyNumbers(Mapping[Hashable, int]):
    """The number of each canonical form, looked up in the reader's own tables.

    ``odd`` holds the numbers of values that the reader does not look up.
    """

    __slots__ = ("_list_forms", "_odd", "_removed", "_table", "_values")

    def __init__(
        self,
        table: OperationTable,
        values: LazyValues,
        odd: Mapping[Hashable, int],
        removed: Sequence[int] = (),
    ) -> None:
        self._table = table
        self._values = values
        self._odd = odd
        self._removed = removed
        self._list_forms: dict[Hashable, int] | None = None

    def __len__(self) -> int:
        return len(self._values)

    def __getitem__(self, form: Hashable) -> int:
        found = self._odd.get(form)
        if found is None and type(form) is tuple:
            return self._lists[form]
        if found is None:
            found = self._table.number(int(form) if type(form) is float and form.is_integer() else form)
        if found < 0:
            raise KeyError(form)
        return found - bisect_left(self._removed, found)

    def __iter__(self) -> Iterator[Hashable]:
        return map(canonical, self._values)

    @property
    def _lists(self) -> Mapping[Hashable, int]:
        if self._list_forms is None:
            self._list_forms = {canonical(value): number for value, number in self._values.lists()}
        return self._list_forms


class RecordedNumbering(ValueNumbering):
    """The values of a table.

    Equal lists are found natively, and equal values among those left as JSON text in Python.
    """

    def __init__(self, table: OperationTable, columns: NativeColumns, decoded: Mapping[int, Value]) -> None:
        """``decoded`` holds the frozen value of each number in ``table.undecoded()``."""
        super().__init__(columns, tuple(table.names()))
        self.recorded = LazyValues(table, decoded, columns)
        """The values by their numbers in ``timed``."""
        self._table = table
        self._decoded = decoded

    def _equate(self) -> Equated:
        if not self.timed.lists:
            return self._shared(self.timed, ())
        native, lists = self.timed.equated(len(self._table))
        return self._shared(native, array("i", lists))

    def _read(self) -> AsRead:
        if any(map(is_list, self._decoded.values())):
            return listed(self.equated)
        found = self._shared(self.timed, ()) if self.timed.lists else self.equated
        return AsRead(found.native, found.values, found.numbers, {})

    def _shared(self, native: NativeColumns, lists: Sequence[int]) -> Equated:
        """The columns in which values that were left as JSON text share the numbers of values that they equal."""
        odd: dict[Hashable, int] = {canonical(value): number for number, value in enumerate((None, True, False))}
        values = LazyValues(self._table, self._decoded, self.timed, lists)
        known = LazyNumbers(self._table, values, odd)
        same: dict[int, int] = {}
        for number, value in self._decoded.items():
            form = canonical(value)
            if form in known:
                same[number] = known[form]
            else:
                odd[form] = number
        if not same:
            return Equated(native, values, known)
        removed = array("i", sorted(same))
        numbers = array("i")
        for at, number in enumerate([*removed, len(values)]):
            numbers.extend(range(len(numbers) - at, number - at))
            numbers.append(-1)  # a value that has the number of another one
        numbers.pop()
        for number, other in same.items():
            numbers[number] = other - bisect_left(removed, other)
        fewer = LazyValues(self._table, self._decoded, self.timed, lists, removed)
        return Equated(native.with_values(numbers), fewer, LazyNumbers(self._table, fewer, odd, removed))


def _without(many: _Many, removed: Sequence[int]) -> _Many:
    """The items except those at some positions, which are in ascending order."""
    if not removed:
        return many
    kept = many[:0]
    start = 0
    for end in [*removed, len(many)]:
        kept += many[start:end]
        start = end + 1
    return kept
