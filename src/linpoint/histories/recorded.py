# SPDX-License-Identifier: Apache-2.0
"""Operations that a native reader has made columns of: each becomes an ``Operation`` when it is asked for.

Guarantee: they are equal to those that the reader in Python makes, one by one, with their types: ``1.0`` stays a
float although it shares the number of ``1``. Cost: nothing until they are asked for; a microsecond for one, and
whoever walks through all of them has all of them kept.
"""

from __future__ import annotations

from array import array
from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import Any, Final, overload

from linpoint.histories._native_columns import LineReader
from linpoint.histories.columns import NULL, Columns, columns_of, integer_of
from linpoint.histories.operation import Crash, Operation, Outcome, Process, Time
from linpoint.histories.values import Value, canonical

_OUTCOMES: Final = (Outcome.OK, Outcome.FAILED, Outcome.UNKNOWN)
_LARGEST_SKEW: Final = 2**62


class RecordedValues(Sequence[Value]):
    """What the numbers of a reader stand for. ``decoded`` has the values that it left as JSON text."""

    __slots__ = ("_all", "_decoded", "_reader")

    def __init__(self, reader: LineReader, decoded: Mapping[int, Value]) -> None:
        self._reader = reader
        self._decoded = decoded
        self._all: tuple[Value, ...] | None = None

    def __len__(self) -> int:
        return len(self._reader)

    @overload
    def __getitem__(self, number: int) -> Value: ...
    @overload
    def __getitem__(self, number: slice) -> tuple[Value, ...]: ...
    def __getitem__(self, number: int | slice) -> Value | tuple[Value, ...]:
        if self._all is not None:
            return self._all[number]
        if isinstance(number, slice):
            return tuple(map(self.__getitem__, range(len(self))[number]))
        value = self._reader.value(range(len(self))[number])
        return self._decoded[range(len(self))[number]] if type(value) is bytes else value

    def __iter__(self) -> Iterator[Value]:
        if self._all is None:
            values: list[Value] = self._reader.values()
            for number, value in self._decoded.items():
                values[number] = value
            self._all = tuple(values)
        return iter(self._all)

    def integers(self) -> array[int]:
        """As ``Columns.integers``."""
        integers = array("q", self._reader.integers())
        for number, value in self._decoded.items():
            integers[number] = integer_of(value)
        return integers


class RecordedNumbers(Mapping[Hashable, int]):
    """The number of each canonical form, looked up in the reader's own tables."""

    __slots__ = ("_odd", "_reader", "_values")

    def __init__(self, reader: LineReader, values: RecordedValues, odd: Mapping[Hashable, int]) -> None:
        self._reader = reader
        self._values = values
        self._odd = odd

    def __len__(self) -> int:
        return len(self._reader)

    def __getitem__(self, form: Hashable) -> int:
        found = self._odd.get(form)
        if found is None:
            found = self._reader.number(int(form) if type(form) is float and form.is_integer() else form)
        if found < 0:
            raise KeyError(form)
        return found

    def __iter__(self) -> Iterator[Hashable]:
        return map(canonical, self._values)


class RecordedOperations(Sequence[Operation]):
    """The operations of a file, read natively. Their times are integers, and they have no clock readings."""

    __slots__ = ("_all", "_columns", "_native", "_processes", "_reader", "_values", "crashes")

    def __init__(self, reader: LineReader, crashes: Sequence[Crash], decoded: Mapping[int, Value]) -> None:
        """``decoded`` has the frozen value of each number that ``reader.undecoded()`` names."""
        self.crashes = tuple(sorted(crashes, key=lambda crash: crash.time))
        self._reader = reader
        self._processes: list[Process] = reader.processes()
        self._values = RecordedValues(reader, decoded)
        self._native = reader.take_columns(
            array("q", [int(crash.time) for crash in self.crashes]),
            array("i", [self._crashed(at, crash.process) for at, crash in enumerate(self.crashes)]),
        )
        self._columns = self._equated(decoded)
        self._all: tuple[Operation, ...] | None = None

    def __len__(self) -> int:
        return len(self._native)

    @overload
    def __getitem__(self, position: int) -> Operation: ...
    @overload
    def __getitem__(self, position: slice) -> tuple[Operation, ...]: ...
    def __getitem__(self, position: int | slice) -> Operation | tuple[Operation, ...]:
        if self._all is not None:
            return self._all[position]
        if isinstance(position, slice):
            return tuple(map(self._operation, range(len(self))[position]))
        return self._operation(range(len(self))[position])

    def __iter__(self) -> Iterator[Operation]:
        if self._all is None:
            iter(self._values)  # all at once is faster than one by one
            self._all = tuple(map(self._operation, range(len(self))))
        return iter(self._all)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, (tuple, RecordedOperations)):
            return len(self) == len(other) and tuple(self) == tuple(other)
        return NotImplemented

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __reduce__(self) -> tuple[Any, ...]:
        return tuple, (tuple(self),)

    @property
    def processes(self) -> tuple[Process, ...]:
        """The processes in order of appearance."""
        return tuple(self._processes)

    def columns(self, clock_skew: Time) -> Columns:
        """The operations as integers, with clocks that may differ by so much."""
        columns = self._columns
        if not clock_skew:
            return columns
        if clock_skew >= _LARGEST_SKEW:  # sums with times would overflow
            return columns_of(tuple(self), self.crashes, clock_skew)
        skewed = columns.native.with_skew(int(clock_skew))
        return Columns(skewed, columns.names, columns.values, columns.numbers)

    def _operation(self, position: int) -> Operation:
        process, name, args, result, call, return_, outcome, key, order, line = self._reader.row(self._native, position)
        values = self._values
        return Operation(
            self._processes[process],
            self._columns.names[name],
            tuple([values[arg] for arg in args]),
            None if result == NULL else values[result],
            call,
            return_,
            _OUTCOMES[outcome],
            None if key < 0 else values[key],
            None,
            line,
            order,
        )

    def _crashed(self, at: int, process: Process | None) -> int:
        """The number of the process that a crash is of; one that has no operation gets a number of its own."""
        if process is None:
            return -1
        found = self._reader.process_number(process)
        return found if found >= 0 else len(self._processes) + at

    def _equated(self, decoded: Mapping[int, Value]) -> Columns:
        """The columns in which equal values share a number, however they were written."""
        names = tuple(self._reader.names())
        odd: dict[Hashable, int] = {canonical(value): number for number, value in enumerate((None, True, False))}
        known = RecordedNumbers(self._reader, self._values, odd)
        same: dict[int, int] = {}
        for number, value in decoded.items():
            form = canonical(value)
            if form in known:
                same[number] = known[form]
            else:
                odd[form] = number
        if not same:
            return Columns(self._native, names, self._values, known)
        kept = [number for number in range(len(self._values)) if number not in same]
        numbers = array("i", [0]) * len(self._values)
        for new, old in enumerate(kept):
            numbers[old] = new
        for number, other in same.items():
            numbers[number] = numbers[other]
        everything = tuple(self._values)
        values = tuple([everything[number] for number in kept])
        forms = {canonical(value): number for number, value in enumerate(values)}
        return Columns(self._native.with_values(numbers), names, values, forms)
