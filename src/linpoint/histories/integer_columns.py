# SPDX-License-Identifier: Apache-2.0
"""A history as integers, for the native core: names, values, keys and processes are interned, times are comparable.

Guarantee: two values share a number if and only if they are equal for linpoint (``values.canonical``); null, true and
false are 0, 1 and 2. The order of times is preserved. Cost: O(n), about half a microsecond per operation, once for each
history; O(n log n) if not all times are 64-bit integers.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final

from linpoint.histories._native_columns import Columns as NativeColumns
from linpoint.histories._native_columns import Phase, rank
from linpoint.histories.operation import Crash, Operation, Outcome, Process, Time
from linpoint.histories.value_numbering import BuiltNumbering, Equated, ValueNumbering
from linpoint.histories.values import Value, canonical

NEVER_RANK: Final = 2**63 - 1
"""The return rank of an operation that never returns."""

NULL, TRUE, FALSE = range(3)
"""The numbers of the values that native steps refer to."""

_NO_HINT: Final = -(2**63)
_MAX_TIME: Final = 2**62  # so that no sum of two overflows
_EVERYTHING: Final = -1
_OBJECT: Final = -2
_NOT_BOOL: Final = frozenset({int, str, type(None)})

NO_INTEGER: Final = -(2**63)
"""Stands for a value that is not a 64-bit integer."""


class IntegerColumns:
    """The columns, with the meaning of their numbers. Thread-safe: columns are computed on demand under a lock.

    In a history that was read natively, only ``native``, ``values``, ``numbers`` and ``integers`` compare lists.
    """

    def __init__(self, numbering: ValueNumbering, *, skew: int = 0) -> None:
        self._numbering = numbering
        self._skew = skew

    @property
    def names(self) -> tuple[str, ...]:
        """The name for each number."""
        return self._numbering.names

    @cached_property
    def timed(self) -> NativeColumns:
        """Columns for readers that do not use arguments and results, whose numbers may be of either kind.

        Available immediately.
        """
        return self._skewed(self._numbering.timed)

    @cached_property
    def native(self) -> NativeColumns:
        """Columns with a number from 0 upwards for every value."""
        return self._skewed(self._numbering.equated.native)

    @cached_property
    def as_read(self) -> NativeColumns:
        """Columns in which each list and object among arguments and results is a run of tokens (``columns.hpp``).

        Equal lists may have different runs. Values within lists, and values that are not lists, have the numbers of
        ``native``.
        """
        return self._skewed(self._numbering.as_read.native)

    @property
    def values(self) -> Sequence[Value]:
        """One value for each number. For a history that was read natively, each value is constructed on demand."""
        return self._numbering.equated.values

    @property
    def numbers(self) -> Mapping[Hashable, int]:
        """The number of each canonical form."""
        return self._numbering.equated.numbers

    @cached_property
    def integers(self) -> array[int]:
        """The integer that each value equals, by number; -2**63 for a value that is not a 64-bit integer."""
        integers = getattr(self.values, "integers", None)
        return array("q", map(integer_of, self.values)) if integers is None else integers()

    @property
    def scalars(self) -> Sequence[Value]:
        """The values of the numbers in ``as_read``. Keys that are lists have numbers above them."""
        return self._numbering.as_read.values

    def scalar_number(self, value: Value) -> int:
        """The number in ``as_read`` of a value that is not a list or object; -1 if it has none."""
        return self._numbering.as_read.number(value)

    def number_of_form(self, form: Hashable) -> int:
        """The number in ``as_read`` of a canonical form; -1 if it has none."""
        return self._numbering.as_read.number_of_form(form)

    def _skewed(self, native: NativeColumns) -> NativeColumns:
        return native.with_skew(self._skew) if self._skew else native


def integer_of(value: Value) -> int:
    """The 64-bit integer that a value equals, such as ``2`` for ``2.0``, but none for a bool; else ``NO_INTEGER``."""
    kind = type(value)
    if (kind is int or kind is float) and -(2**63) < value < 2**63 and value == int(value):
        return int(value)
    return NO_INTEGER


def columns_of(operations: Sequence[Operation], crashes: Sequence[Crash], clock_skew: Time) -> IntegerColumns:
    """The columns of the operations and crashes of a history."""
    names = _Numbers(())
    processes = _Numbers(())
    values = _Numbers((None, True, False))
    times = _Times(operations, crashes, clock_skew)
    name = names.column([op.name for op in operations])
    process = processes.column([op.process for op in operations])
    result = values.column([op.result for op in operations])
    arguments = values.column([value for op in operations for value in op.args])
    keys = [op.key for op in operations]
    native = NativeColumns(
        process,
        times.call,
        times.return_,
        times.end,
        array("B", [_outcome(op.outcome) for op in operations]),
        _keys(keys, values),
        name,
        result,
        array("i", [len(op.args) for op in operations]),
        arguments,
        _hints([op.order for op in operations]),
        times.crash,
        times.crash_begin,
        times.crash_end,
        array("i", [crashed_process(crash, processes.number) for crash in crashes]),
        clock_skew > 0,
    )
    made = Equated(native, tuple(values.originals), values.numbers)
    return IntegerColumns(BuiltNumbering(made, tuple(names.originals)))


def crashed_process(crash: Crash, number: Callable[[Process], int]) -> int:
    """The number that columns use for a crash: of everything, of the object alone, or of a process."""
    if crash.process is not None:
        return number(crash.process)
    return _OBJECT if crash.of_object else _EVERYTHING


def _outcome(outcome: Outcome) -> int:
    return 0 if outcome is Outcome.OK else 1 if outcome is Outcome.FAILED else 2


class _Numbers:
    """Numbers for values, in order of appearance."""

    def __init__(self, first: Iterable[Value]) -> None:
        self.originals: list[Value] = list(first)
        self.numbers: dict[Hashable, int] = {canonical(value): number for number, value in enumerate(self.originals)}

    def number(self, value: Value) -> int:
        return self.column([value])[0]

    def column(self, values: list[Value]) -> array[int]:
        # Most columns hold plain integers and strings, which are their own canonical forms.
        forms: list[Hashable] = values if _NOT_BOOL.issuperset(map(type, values)) else list(map(canonical, values))
        fresh = dict.fromkeys(forms)
        if len(fresh) == len(values):
            originals: dict[Hashable, Value] = dict(zip(forms, values, strict=True))
        else:
            originals = dict(zip(reversed(forms), reversed(values), strict=True))
        for form in fresh:
            if form not in self.numbers:
                self.numbers[form] = len(self.originals)
                self.originals.append(originals[form])
        return array("i", map(self.numbers.__getitem__, forms))


def _keys(keys: list[Value], values: _Numbers) -> array[int]:
    if not any(key is not None for key in keys):
        return array("i", [-1]) * len(keys)
    column = values.column(keys)
    if None in keys:  # an operation without a key, which validation will reject
        return array("i", [-1 if key is None else number for key, number in zip(keys, column, strict=True)])
    return column


def _hints(orders: list[Time | None]) -> array[int]:
    given = {order for order in orders if order is not None}
    if not given:
        return array("q")
    ranks = {order: at for at, order in enumerate(sorted(given))}
    return array("q", [_NO_HINT if order is None else ranks[order] for order in orders])


class _Times:
    """Calls and returns as 64-bit integers: unchanged where they fit, otherwise by their ranks."""

    def __init__(self, operations: Sequence[Operation], crashes: Sequence[Crash], skew: Time) -> None:
        calls: list[Any] = [op.call for op in operations]
        returns: list[Any] = [_return(op) for op in operations]
        instants: list[Any] = [crash.time for crash in crashes]
        try:
            self.call: array[int] = array("q", calls)  # a float raises TypeError here
            self.return_: array[int] = array("q", [NEVER_RANK if end is None else end for end in returns])
            self.crash: array[int] = array("q", instants)
            fits = self._fits(skew, returns)
        except (TypeError, OverflowError):
            fits = False
        if fits:
            self.end = self.return_
            self.crash_begin = self.crash_end = self.crash
            if skew:
                assert isinstance(skew, int)
                self.end = array("q", [end if end == NEVER_RANK else end + skew for end in self.return_])
                self.crash_begin = array("q", [time - skew for time in self.crash])
                self.crash_end = array("q", [time + skew for time in self.crash])
            return
        ends = returns if not skew else [None if end is None else end + skew for end in returns]
        early, late = [time - skew for time in instants], [time + skew for time in instants]
        everything: set[Any] = {*calls, *returns, *ends, *instants, *early, *late} - {None}
        ranks: dict[Any, int] = {time: at for at, time in enumerate(sorted(everything))}
        ranks[None] = NEVER_RANK
        self.call, self.return_, self.end, self.crash, self.crash_begin, self.crash_end = (
            array("q", map(ranks.__getitem__, column)) for column in (calls, returns, ends, instants, early, late)
        )

    def _fits(self, skew: Time, returns: list[Any]) -> bool:
        if type(skew) is not int or skew >= _MAX_TIME:
            return False
        columns = [column for column in (self.call, self.crash) if column]
        if any(max(column) >= _MAX_TIME or min(column) <= -_MAX_TIME for column in columns):
            return False
        return all(end is None or end < _MAX_TIME for end in returns)


def _return(op: Operation) -> Time | None:
    if op.return_ is None and op.outcome is Outcome.FAILED:
        return op.call
    return op.return_


@dataclass(frozen=True, slots=True)
class Span:
    """The interval in which an operation may take effect: from its call to its return, or without end (None).

    ``call_phase`` and ``return_phase`` order events at the same instant.
    """

    process: Process | None
    call: Time
    return_: Time | None
    call_phase: Phase = Phase.CALL
    return_phase: Phase = Phase.RETURN


@dataclass(frozen=True, slots=True)
class RealTimeOrder:
    """Ranks of calls and returns, and the chains of operations whose order ranks cannot express."""

    calls: list[int]
    returns: list[int]
    chains: list[list[int]] = field(default_factory=list)


def real_time_order(spans: Sequence[Span]) -> RealTimeOrder:
    """Rank the calls and returns of ``spans``: a precedes b iff ``returns[a] < calls[b]`` or a chain orders them.

    Intervals are closed, so at one instant calls come before returns. But two operations of *one* process that touch
    are sequential.
    """
    times: set[Any] = {span.call for span in spans} | {span.return_ for span in spans}
    ranks: dict[Any, int] = {time: at for at, time in enumerate(sorted(times - {None}))}
    ranks[None] = NEVER_RANK
    processes: dict[Process | None, int] = {None: -1}
    for span in spans:
        processes.setdefault(span.process, len(processes) - 1)
    return RealTimeOrder(
        *rank(
            [
                (processes[span.process], ranks[span.call], ranks[span.return_], span.call_phase, span.return_phase)
                for span in spans
            ]
        )
    )
