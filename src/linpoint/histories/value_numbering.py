# SPDX-License-Identifier: Apache-2.0
"""Numbers for the values of a history, in two ways: with lists as they were written, and with equal lists as one.

Guarantee: both ways are made when they are asked for, once, under a lock; whatever is no list has the same number in
both. Two values share a number iff they are equal for linpoint (``values.canonical``). Cost: O(size of all values).
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
"""The token that begins an empty list; one that has n items begins with n less. So does the number of the list i."""

OBJECT: Final = -(2**30)
"""The token that begins an empty object; one that has n entries begins with n less."""


class Equated(NamedTuple):
    """Columns whose values are all numbers, and what they stand for."""

    native: NativeColumns
    values: Sequence[Value]
    numbers: Mapping[Hashable, int]
    """The number of each canonical form."""


class AsRead(NamedTuple):
    """Columns in which every list and object among arguments and results is a run of tokens."""

    native: NativeColumns
    values: Sequence[Value]
    """What the numbers stand for; there are none above them but for keys that are lists."""
    numbers: Mapping[Hashable, int]
    fresh: Mapping[Hashable, int]
    """The numbers of what occurs within lists only, where they were made in Python."""

    def number(self, value: Value) -> int:
        """The number of a value that is no list, or -1."""
        return self.number_of_form(canonical(value))

    def number_of_form(self, form: Hashable) -> int:
        """The same of a value by its canonical form."""
        found = self.fresh.get(form)
        return self.numbers.get(form, -1) if found is None else found


class ValueNumbering(ABC):
    """The values of one history. Thread-safe: whoever comes first makes what is asked for, and others wait for it."""

    def __init__(self, timed: NativeColumns, names: tuple[str, ...]) -> None:
        self.timed = timed
        """Columns for those who look at no arguments and results."""
        self.names = names
        self._lock = threading.RLock()
        self._equated: Equated | None = None
        self._as_read: AsRead | None = None

    @property
    def equated(self) -> Equated:
        """With one number for equal lists."""
        with self._lock:
            if self._equated is None:
                self._equated = self._equate()
            return self._equated

    @property
    def as_read(self) -> AsRead:
        """With lists as tokens."""
        with self._lock:
            if self._as_read is None:
                self._as_read = self._read()
            return self._as_read

    @abstractmethod
    def _equate(self) -> Equated: ...

    @abstractmethod
    def _read(self) -> AsRead: ...


class BuiltNumbering(ValueNumbering):
    """The values of a history that was made in Python, with numbers from the beginning."""

    def __init__(self, made: Equated, names: tuple[str, ...]) -> None:
        super().__init__(made.native, names)
        self._made = made

    def _equate(self) -> Equated:
        return self._made

    def _read(self) -> AsRead:
        return listed(self._made)


def listed(equated: Equated) -> AsRead:
    """The same columns with tokens for their lists; what occurs within lists only gets numbers beyond the others."""
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
    """Whether a value has items: a list or an object."""
    return isinstance(value, (list, tuple, Mapping))


class _Tokens:
    def __init__(self, numbers: Mapping[Hashable, int], known: int) -> None:
        self.all = array("i")
        self.fresh: dict[Hashable, int] = {}
        self.originals: list[Value] = []
        """The values that have fresh numbers."""
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
