# SPDX-License-Identifier: Apache-2.0
"""Cells, arrays, records and locks of a model that runs in plain Python, as a single process, for a smoke test.

An object has two uses: in the class it declares a cell, and each instance of the model gets a fresh cell like it.
Guarantee: ``cas`` and ``sc`` compare and link as the engine does: nodes by identity, values by equality, and ``True``
is not ``1``. This module is not thread-safe, and does not need to be.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Generic, TypeVar

from linpoint.errors import ModelError

_Value = TypeVar("_Value")

CELL_METHODS = ("load", "store", "cas", "swap", "fetch_add", "ll", "sc")
"""Methods of a cell, an element of an array, and an atomic field."""
LOCK_METHODS = ("acquire", "release")


class ModelStuckError(Exception):
    """A model in plain Python cannot continue: ``assume(False)``, or a lock that no other process can release."""


def same(a: Any, b: Any) -> bool:
    """Whether two values are the same for a cell: True is not 1."""
    if isinstance(a, tuple) and isinstance(b, tuple):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, Record) and isinstance(b, Record):
        return a.names() == b.names() and all(map(same, a.values(), b.values()))
    return isinstance(a, bool) == isinstance(b, bool) and bool(a == b)


class Atomic(Generic[_Value]):
    """A shared cell, created by ``linpoint.atomic``. As the annotation of a node's field, it makes the field a cell."""

    __slots__ = ("_linked", "_value", "initial")

    def __init__(self, initial: Any) -> None:
        self.initial = initial
        self._value = _nothing(initial)
        self._linked = False

    def fresh(self) -> Atomic[_Value]:
        """A new cell with the same initial value."""
        return type(self)(self.initial)

    def load(self) -> _Value:
        """Return the value."""
        return self._value  # type: ignore[no-any-return]

    def store(self, value: Any, /) -> None:
        """Set the value."""
        self._value = value
        self._linked = False

    def cas(self, old: Any, new: Any, /) -> bool:
        """Set the value to ``new`` if it is ``old``; return whether it was."""
        if not same(self._value, old):
            return False
        self.store(new)
        return True

    def swap(self, value: Any, /) -> _Value:
        """Set the value; return the previous value."""
        was = self.load()
        self.store(value)
        return was

    def fetch_add(self, amount: Any, /) -> _Value:
        """Add ``amount``; return the previous value."""
        was = self.load()
        self.store(self._value + amount)
        return was

    def ll(self) -> _Value:
        """Return the value, and let the next ``sc`` detect writes from now on."""
        self._linked = True
        return self.load()

    def sc(self, value: Any, /) -> bool:
        """Set the value if no process has written since ``ll``; return whether it did."""
        if not self._linked:
            return False
        self.store(value)
        return True

    def __bool__(self) -> bool:
        raise ModelError("LP-M004", "a cell is neither true nor false.", remedy="Write .load().")

    def __repr__(self) -> str:
        return f"atomic({self._value!r})"


class Lock:
    """A lock, created by ``linpoint.lock``."""

    __slots__ = ("_held",)

    def __init__(self) -> None:
        self._held = False

    def fresh(self) -> Lock:
        """A new, free lock."""
        return Lock()

    def acquire(self) -> None:
        """Wait until the lock is free, and acquire it."""
        if self._held:
            raise ModelStuckError("the lock is held, and no other process can release it")
        self._held = True

    def release(self) -> None:
        """Release the lock."""
        if not self._held:
            raise RuntimeError("the lock is not held")
        self._held = False

    def load(self) -> bool:
        """Whether the lock is held."""
        return self._held

    def __enter__(self) -> None:
        self.acquire()

    def __exit__(self, *_: object) -> None:
        self.release()

    def __repr__(self) -> str:
        return f"lock({'held' if self._held else ''})"


class ArrayElements:
    """The cells of an array."""

    __slots__ = ("_all",)

    def __init__(self, cells: tuple[Any, ...]) -> None:
        self._all = cells

    def __len__(self) -> int:
        return len(self._all)

    def __getitem__(self, index: int) -> Any:
        if isinstance(index, bool) or not isinstance(index, int) or not 0 <= index < len(self._all):
            raise IndexError(f"{index!r} is out of range for an array of size {len(self._all)}")
        return self._all[index]


class Array:
    """Cells in an array, created by ``linpoint.array``: ``self.a[i]`` loads an element and ``self.a[i] = v`` stores to
    it.

    A model also writes ``self.a[i].cas(...)``; ``array_cell_rewriter`` explains how that finds the cell in ``cells``.
    """

    __slots__ = ("cells", "of")

    def __init__(self, of: Atomic[Any] | Lock, size: int) -> None:
        self.of = of
        self.cells = ArrayElements(tuple(of.fresh() for _ in range(size)))

    def fresh(self) -> Array:
        """A new array with the same initial values."""
        return Array(self.of, len(self.cells))

    def __len__(self) -> int:
        return len(self.cells)

    def __getitem__(self, index: int) -> Any:
        return self.cells[index].load()

    def __setitem__(self, index: int, value: Any) -> None:
        self.cells[index].store(value)

    def __iter__(self) -> Iterator[Any]:
        raise ModelError("LP-M008", "an array cannot be looped over.", remedy="Write for i in range(len(self.a)):")

    def __repr__(self) -> str:
        return f"array({', '.join(repr(self[n]) for n in range(len(self)))})"


class Record:
    """A small immutable value with named fields, created by ``linpoint.record``. It is compared as a whole."""

    __slots__ = ("_fields",)

    def __init__(self, **fields: Any) -> None:
        object.__setattr__(self, "_fields", fields)

    def names(self) -> tuple[str, ...]:
        """The names of its fields."""
        return tuple(self._fields)

    def values(self) -> tuple[Any, ...]:
        """The values of its fields."""
        return tuple(self._fields.values())

    def fresh(self) -> Atomic[Any]:
        """For a declaration: a new cell with this value."""
        return Atomic(self)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name not in self._fields:
            raise AttributeError(f"the record has no field {name!r}; it has {', '.join(self._fields)}")
        return self._fields[name]

    def __setattr__(self, name: str, value: Any) -> None:
        raise ModelError(
            "LP-M002",
            f'the field "{name}" of a record cannot be set.',
            remedy="Create another record: linpoint.record(...).",
        )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Record) and self._fields == other._fields

    def __hash__(self) -> int:
        return hash(tuple(self._fields.items()))

    def __repr__(self) -> str:
        return f"record({', '.join(f'{name}={value!r}' for name, value in self._fields.items())})"


def _nothing(initial: Any) -> Any:
    """None in place of a class of nodes: a cell declared with a class initially holds no node."""
    if isinstance(initial, tuple):
        return tuple(map(_nothing, initial))
    return None if isinstance(initial, type) else initial
