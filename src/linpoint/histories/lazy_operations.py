# SPDX-License-Identifier: Apache-2.0
"""Operations in the columns of a native reader: each becomes an ``Operation`` on demand.

Guarantee: they equal the operations that the Python reader constructs, one by one and including types: ``1.0`` stays a
float although it shares the number of ``1``. Cost: none until an operation is requested; a microsecond for each.
Iterating over all of them keeps all of them in memory.
"""

from __future__ import annotations

import functools
from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final, overload

from linpoint.histories._native_columns import OperationTable, TableWriter
from linpoint.histories.integer_columns import NULL, IntegerColumns, columns_of, crashed_process
from linpoint.histories.lazy_values import RecordedNumbering
from linpoint.histories.operation import Crash, Operation, Outcome, Process, Time
from linpoint.histories.value_numbering import LIST
from linpoint.histories.values import Value

_OUTCOMES: Final = (Outcome.OK, Outcome.FAILED, Outcome.UNKNOWN)
_MAX_INTEGER_SKEW: Final = 2**62


class LazyOperations(Sequence[Operation]):
    """The operations of a file that was read natively."""

    __slots__ = ("_all", "_columns", "_numbering", "_processes", "_table", "crashes")

    def __init__(
        self, table: OperationTable, crashes: Sequence[tuple[Crash, int]], decoded: Mapping[int, Value]
    ) -> None:
        """``crashes`` come with ``table.instant`` of their times.

        ``decoded`` holds the frozen value of each number in ``table.undecoded()``.
        """
        in_time = sorted(crashes, key=lambda crash: crash[1])
        self.crashes = tuple(crash for crash, _ in in_time)
        self._table = table
        self._processes: list[Process] = table.processes()
        native = table.take_columns(
            array("q", [instant for _, instant in in_time]),
            array(
                "i",
                [
                    crashed_process(crash, functools.partial(self._process_number, at))
                    for at, crash in enumerate(self.crashes)
                ],
            ),
        )
        self._numbering = RecordedNumbering(table, native, decoded)
        self._columns = IntegerColumns(self._numbering)
        self._all: tuple[Operation, ...] | None = None

    def __len__(self) -> int:
        return len(self._numbering.timed)

    @overload
    def __getitem__(self, position: int) -> Operation: ...
    @overload
    def __getitem__(self, position: slice) -> tuple[Operation, ...]: ...
    def __getitem__(self, position: int | slice) -> Operation | tuple[Operation, ...]:
        if self._all is not None:
            return self._all[position]
        if isinstance(position, slice):
            return tuple([self._operation(each, self._numbering.recorded) for each in range(len(self))[position]])
        return self._operation(range(len(self))[position], self._numbering.recorded)

    def __iter__(self) -> Iterator[Operation]:
        if self._all is None:
            values = self._numbering.recorded.all()
            self._all = tuple([self._operation(position, values) for position in range(len(self))])
        return iter(self._all)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, (tuple, LazyOperations)):
            return len(self) == len(other) and tuple(self) == tuple(other)
        return NotImplemented

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __reduce__(self) -> tuple[Any, ...]:
        return tuple, (tuple(self),)

    @property
    def whole_times(self) -> bool:
        """Whether all times of operations and crashes are integers."""
        return not self._table.fractional

    @property
    def clocked(self) -> bool:
        """Whether any operation has clock readings in addition to its times."""
        return self._table.clocked

    @property
    def processes(self) -> tuple[Process, ...]:
        """The processes in order of appearance."""
        return tuple(self._processes)

    def columns(self, clock_skew: Time) -> IntegerColumns:
        """The operations as integers, with clocks that may differ by ``clock_skew``."""
        if not clock_skew:
            return self._columns
        if not self.whole_times or clock_skew >= _MAX_INTEGER_SKEW:  # sums with times would round, or overflow
            return columns_of(tuple(self), self.crashes, clock_skew)
        return IntegerColumns(self._numbering, skew=int(clock_skew))

    def writer(self, encode: Callable[[Value], str]) -> TableWriter:
        """The writer of the operations as text. ``encode`` writes values that the table does not know."""
        return TableWriter(self._table, self._numbering.timed, self._numbering.recorded.written(encode))

    def _operation(self, position: int, values: Sequence[Value]) -> Operation:
        row = self._table.row(self._numbering.timed, position)
        process, name, args, result, call, return_, outcome, key, order, clocks, line = row
        list_value = self._numbering.recorded.list_value
        returned = None
        if result != NULL:
            returned = values[result] if result >= 0 else list_value(LIST - result)
        return Operation(
            self._processes[process],
            self._numbering.names[name],
            tuple([values[arg] if arg >= 0 else list_value(LIST - arg) for arg in args]) if args else (),
            returned,
            call,
            return_,
            _OUTCOMES[outcome],
            None if key < 0 else values[key],
            clocks,
            line,
            order,
        )

    def _process_number(self, at: int, process: Process) -> int:
        """The number of the process that crashed. A process without operations gets a number of its own."""
        found = self._table.process_number(process)
        return found if found >= 0 else len(self._processes) + at
