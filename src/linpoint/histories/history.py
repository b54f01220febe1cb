# SPDX-License-Identifier: Apache-2.0
"""Histories: operations with their real-time order, crashes and annotations. They are validated and immutable.

Guarantee: a ``History`` that exists is well formed. Every process is sequential, no operation returns before its call,
no complete operation spans a crash of its process, and either all operations have keys or none has. Cost: O(n log n) in
the number of operations.
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, overload

from linpoint.errors import HistoryError, UsageError
from linpoint.histories.integer_columns import IntegerColumns, columns_of
from linpoint.histories.lazy_operations import LazyOperations
from linpoint.histories.operation import Annotation, Crash, Operation, Outcome, Process, Time
from linpoint.histories.values import format_value

_MAX_SKEW: Final = 10**300
"""The largest clock skew, as for times in files: no sum of two overflows a float."""


@dataclass(frozen=True, init=False, eq=False, repr=False, slots=True)
class History(Sequence[Operation]):
    """A sequence of operations in the order of their source, with crashes and annotations.

    ``history[i]`` is the operation at position ``i``; witnesses and refutations refer to positions. A history is
    validated when it is constructed. It is immutable and therefore thread-safe.
    """

    operations: Sequence[Operation]
    """The operations: a tuple, or a sequence that constructs each operation on demand."""
    crashes: tuple[Crash, ...]
    """The crashes, by time."""
    annotations: tuple[Annotation, ...]
    """Events outside the operations."""
    source: str
    """The name of the source in messages."""
    clock_skew: Time
    """The maximum difference between the clocks of different processes.

    An operation precedes one of another process only if it returned more than this before the other's call.
    """
    by_position: bool
    """Whether times are positions in a log of events, which have no clock skew."""
    _columns: IntegerColumns | None

    def __init__(
        self,
        operations: Iterable[Operation],
        *,
        crashes: Iterable[Crash] = (),
        annotations: Iterable[Annotation] = (),
        source: str = "history",
        clock_skew: Time = 0,
        by_position: bool = False,
    ) -> None:
        in_time = tuple(sorted(crashes, key=lambda crash: crash.time))
        all_of_them = tuple(operations)
        skew = _exact(clock_skew, all_of_them, in_time)
        self._fill(all_of_them, in_time, tuple(annotations), source, skew, by_position)
        if not self.columns.timed.well_formed():
            _validate(self)
        _validate_clocks(self)

    def _fill(
        self,
        operations: Sequence[Operation],
        crashes: tuple[Crash, ...],
        annotations: tuple[Annotation, ...],
        source: str,
        clock_skew: Time,
        by_position: bool,
    ) -> None:
        object.__setattr__(self, "operations", operations)
        object.__setattr__(self, "crashes", crashes)
        object.__setattr__(self, "annotations", annotations)
        object.__setattr__(self, "source", source)
        object.__setattr__(self, "clock_skew", clock_skew)
        object.__setattr__(self, "by_position", by_position)
        object.__setattr__(self, "_columns", None)

    def __len__(self) -> int:
        return len(self.operations)

    @overload
    def __getitem__(self, position: int) -> Operation: ...
    @overload
    def __getitem__(self, position: slice) -> Sequence[Operation]: ...
    def __getitem__(self, position: int | slice) -> Operation | Sequence[Operation]:
        return self.operations[position]

    def __iter__(self) -> Iterator[Operation]:
        return iter(self.operations)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, History):
            return NotImplemented
        return (self.operations, self.crashes, self.annotations, self.clock_skew) == (
            other.operations,
            other.crashes,
            other.annotations,
            other.clock_skew,
        )

    def __hash__(self) -> int:
        return hash((tuple(self.operations), self.crashes))

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (
            tuple(self.operations),
            self.crashes,
            self.annotations,
            self.source,
            self.clock_skew,
            self.by_position,
        )

    def __repr__(self) -> str:
        return f"<History {self.source}: {len(self)} operations, {len(self.processes)} processes>"

    @property
    def processes(self) -> tuple[Process, ...]:
        """The processes in order of appearance."""
        if isinstance(self.operations, LazyOperations):
            return self.operations.processes
        return tuple(dict.fromkeys(op.process for op in self.operations))

    @property
    def columns(self) -> IntegerColumns:
        """The history as integers, for the checkers; computed once."""
        if self._columns is None:
            made = (
                self.operations.columns(self.clock_skew)
                if isinstance(self.operations, LazyOperations)
                else columns_of(self.operations, self.crashes, self.clock_skew)
            )
            object.__setattr__(self, "_columns", made)
        assert self._columns is not None
        return self._columns

    @property
    def keyed(self) -> bool:
        """Whether the operations name their object."""
        if self._columns is not None or isinstance(self.operations, LazyOperations):
            return self.columns.timed.keyed
        return any(op.key is not None for op in self.operations)

    def select(self, positions: Iterable[int]) -> History:
        """The history of only these operations, in the given order, with all crashes and annotations.

        A history stays well formed when operations are omitted, so the result is not validated again.
        """
        return self._with(tuple(self.operations[position] for position in positions))

    def replace(self, position: int, op: Operation) -> History:
        """The history with another operation at ``position``, at the same times. It is not validated again."""
        return self._with((*self.operations[:position], op, *self.operations[position + 1 :]))

    def with_operations(self, operations: Iterable[Operation], *, crashes: Iterable[Crash] = ()) -> History:
        """The history with other operations, and with ``crashes`` in addition to its own. It is not validated again."""
        other = self._with(tuple(operations))
        object.__setattr__(other, "crashes", tuple(sorted((*self.crashes, *crashes), key=lambda crash: crash.time)))
        return other

    def with_clock_skew(self, skew: Time) -> History:
        """The same history with clocks of different processes that may differ by up to ``skew``, in its unit of time.

        Raises LP-U001 for an invalid number, and LP-U006 for a history whose order does not come from clocks.
        """
        other = self._with(self.operations)
        object.__setattr__(other, "clock_skew", _exact(skew, self.operations, self.crashes))
        if other.clock_skew == self.clock_skew:
            object.__setattr__(other, "_columns", self._columns)
        _validate_clocks(other)
        return other

    def _with(self, operations: Sequence[Operation]) -> History:
        other = object.__new__(History)
        other._fill(operations, self.crashes, self.annotations, self.source, self.clock_skew, self.by_position)
        return other

    def place(self, op: Operation) -> str:
        """The place of an operation in its source, for messages."""
        return f"{self.source}:{op.line}" if op.line is not None else self.source


def recorded_history(
    operations: LazyOperations, *, annotations: Iterable[Annotation], source: str, by_position: bool = False
) -> History:
    """The history of operations that a native reader has stored in columns. It is validated like any other."""
    history = _restored(operations, operations.crashes, tuple(annotations), source, 0, by_position)
    if not history.columns.timed.well_formed():
        _validate(history)
    return history


def _restored(*fields: Any) -> History:
    """Restore a history from its pickle. Its columns are computed again on demand."""
    history = object.__new__(History)
    history._fill(*fields)
    return history


def _validate(history: History) -> None:
    """Raise a coded error for a history that is not well formed."""
    by_process: dict[Process, list[Operation]] = defaultdict(list)
    with_key = without_key = None
    for op in history.operations:
        by_process[op.process].append(op)
        if op.key is None:
            without_key = without_key or op
        else:
            with_key = with_key or op
        if op.return_ is not None and op.return_ < op.call:
            raise HistoryError(
                "LP-H005",
                f'process {op.process} returned from "{op.name}" at {op.return_}, before its call at {op.call}.',
                place=history.place(op),
                remedy="Check the clock of the recorder: a call must come first.",
            )
        if op.outcome is Outcome.OK and op.return_ is None:
            raise HistoryError(
                "LP-H006",
                f'process {op.process} has a result for "{op.name}", called at {op.call}, but no return.',
                place=history.place(op),
                remedy='Add a "return", or record the outcome as unknown.',
            )
    if with_key is not None and without_key is not None:
        raise HistoryError(
            "LP-H014",
            f'"{without_key.name}" has no key, but "{with_key.name}" has key {format_value(with_key.key)} ({history.place(with_key)}).',
            place=history.place(without_key),
            remedy="Give every operation a key, or none.",
        )
    for ops in by_process.values():
        _validate_process(history, ops)


def _exact(skew: Time, operations: Sequence[Operation], crashes: Iterable[Crash]) -> Time:
    """The skew, as an integer wherever that is equivalent: 1.7e18 nanoseconds plus 0.5 is not exact in floats.

    Between integers a fraction of the skew makes no difference: 3.5 is less than a gap if and only if 3 is.
    """
    if type(skew) not in (int, float) or not 0 <= skew < _MAX_SKEW:
        raise UsageError(
            "LP-U001",
            f"{skew!r} is not a clock skew.",
            remedy="Use a number of at least 0, in the unit of the history's times.",
        )
    if skew == int(skew):
        return int(skew)
    if isinstance(operations, LazyOperations):
        return int(skew) if operations.whole_times else skew
    times = (time for op in operations for time in (op.call, op.return_) if time is not None)
    whole = all(type(time) is int for time in itertools.chain(times, (crash.time for crash in crashes)))
    return int(skew) if whole else skew


def _validate_clocks(history: History) -> None:
    if not history.clock_skew:
        return
    operations = history.operations
    if isinstance(operations, LazyOperations):
        clocked = operations.clocked
    else:
        clocked = any(op.times is not None for op in operations)
    if history.by_position or clocked:
        raise UsageError(
            "LP-U006",
            "the history is ordered by event position, not by clocks.",
            place=history.source,
            remedy="Omit the clock skew, or record operation lines with the times of each process's own clock.",
        )


def _validate_process(history: History, ops: list[Operation]) -> None:
    """Validate one process: its operations are sequential, and a crash follows each operation that never returned."""
    crashes = [crash for crash in history.crashes if crash.interrupts(ops[0].process)]
    ordered = sorted(ops, key=lambda op: (op.call, op.end))
    for before, after in itertools.pairwise(ordered):
        if before.outcome is Outcome.UNKNOWN:
            if not any(before.call < crash.time <= after.call for crash in crashes):
                raise HistoryError(
                    "LP-H004",
                    f'process {after.process} called "{after.name}" after "{before.name}" '
                    f"({_where(before)}) whose outcome is unknown.",
                    place=history.place(after),
                    remedy="Give the operations after an unknown outcome a new process id, or record the crash between them.",
                )
        elif before.end > after.call:
            raise HistoryError(
                "LP-H004",
                f'process {after.process} called "{after.name}" at {after.call} while its "{before.name}" '
                f"({_where(before)}) was open until {before.return_}.",
                place=history.place(after),
                remedy="Give overlapping operations different process ids.",
            )
    for op in ops:
        if op.outcome is not Outcome.OK or op.return_ is None:
            continue
        for crash in crashes:
            if crash.covers(op.process) and op.call < crash.time < op.return_:
                raise HistoryError(
                    "LP-H013",
                    f'process {op.process} was inside "{op.name}" from {op.call} to {op.return_}, across the crash at {crash.time}.',
                    place=history.place(op),
                    remedy='Omit "return" for an operation that a crash interrupted. '
                    'If only the servers crashed and the clients kept running, record {"crash": "object"}.',
                )


def _where(op: Operation) -> str:
    return f"line {op.line}" if op.line is not None else f"called at {op.call}"
