# SPDX-License-Identifier: Apache-2.0
"""Numbers for the values of a history, in two forms: with lists as written, and with one number for equal lists.

Guarantee: each form is computed on demand, once, under a lock. A value that is not a list has the same number in both.
Two values share a number if and only if they are equal for linpoint (``values.canonical``). Cost: O(size of all
values).
"""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from array import array
from collections.abc import Hashable, Mapping, Sequence
from typing import Final, NamedTuple

from linpoint.histories._native_columns import Columns as NativeColumns
from linpoint.histories.values import Value, canonical

LIST: Final = -2
"""The token that begins an empty list. A list of n items begins with this token minus n.

List number i is likewise written as this token minus i.
"""

OBJECT: Final = -(2**30)
"""The token that begins an empty object. An object with n entries begins with this token minus n."""


class Equated(NamedTuple):
    """Columns whose values are all numbers, and the meaning of the numbers."""

    native: NativeColumns
    values: Sequence[Value]
    numbers: Mapping[Hashable, int]
    """The number of each canonical form."""


class AsRead(NamedTuple):
    """Columns in which every list and object among arguments and results is a run of tokens."""

    native: NativeColumns
    values: Sequence[Value]
    """The values of the numbers. Keys that are lists have numbers above them."""
    numbers: Mapping[Hashable, int]
    fresh: Mapping[Hashable, int]
    """The numbers of values that occur only within lists, if they were assigned in Python."""

    def number(self, value: Value) -> int:
        """The number of a value that is not a list; -1 if it has none."""
        return self.number_of_form(canonical(value))

    def number_of_form(self, form: Hashable) -> int:
        """The number of a value by its canonical form; -1 if it has none."""
        found = self.fresh.get(form)
        return self.numbers.get(form, -1) if found is None else found


class ValueNumbering(ABC):
    """The values of one history. Thread-safe: the first thread computes what is requested, and others wait for it."""

    def __init__(self, timed: NativeColumns, names: tuple[str, ...]) -> None:
        self.timed = timed
        """Columns for readers that do not use arguments and results."""
        self.names = names
        self._lock = threading.RLock()
        self._equated: Equated | None = None
        self._as_read: AsRead | None = None

    @property
    def equated(self) -> Equated:
        """Columns with one number for equal lists."""
        with self._lock:
            if self._equated is None:
                self._equated = self._equate()
            return self._equated

    @property
    def as_read(self) -> AsRead:
        """Columns with lists as tokens."""
        with self._lock:
            if self._as_read is None:
                self._as_read = self._read()
            return self._as_read

    @abstractmethod
    def _equate(self) -> Equated: ...

    @abstractmethod
    def _read(self) -> AsRead: ...


class BuiltNumbering(ValueNumbering):
    """The values of a history that was constructed in Python, which are numbered from the beginning."""

    def __init__(self, made: Equated, names: tuple[str, ...]) -> None:
        super().__init__(made.native, names)
        self._made = made

    def _equate(self) -> Equated:
        return self._made

    def _read(self) -> AsRead:
        return listed(self._made)


def listed(equated: Equated) -> AsRead:
    """The same columns with tokens for their lists.

    Values that occur only within lists get numbers beyond the others.
    """
    tokens = _Tokens(equated.numbers, len(equated.values))
    slots = array("i", [-1]) * len(equated.values)
    first = array("q", [0])
    for number, value in enumerate(equated.values):
        if is_list(value):
            slots[number] = len(first) - 1
            tokens.add(value)
            first.append(len(tokens.all))
    if not tokens.all:
        return AsRead(equated.native, equated.values, equated.numbers, {})
    native = equated.native.with_lists(slots, first, tokens.all)
    return AsRead(native, [*equated.values, *tokens.originals], equated.numbers, tokens.fresh)


def is_list(value: Value) -> bool:
    """Whether a value has items, that is, is a list or an object."""
    return isinstance(value, (list, tuple, Mapping))


class _Tokens:
    def __init__(self, numbers: Mapping[Hashable, int], known: int) -> None:
        self.all = array("i")
        self.fresh: dict[Hashable, int] = {}
        self.originals: list[Value] = []
        """The values with fresh numbers."""
        self._numbers = numbers
        self._known = known

    def add(self, value: Value) -> None:
        if isinstance(value, Mapping):
            self.all.append(OBJECT - len(value))
            for name, item in value.items():
                self._add_scalar(name)
                self.add(item)
        elif isinstance(value, (list, tuple)):
            self.all.append(LIST - len(value))
            for item in value:
                self.add(item)
        else:
            self._add_scalar(value)

    def _add_scalar(self, value: Value) -> None:
        form = canonical(value)
        found = self._numbers.get(form)
        if found is None:
            found = self.fresh.setdefault(form, self._known + len(self.originals))
            if found == self._known + len(self.originals):
                self.originals.append(value)
        self.all.append(found)
