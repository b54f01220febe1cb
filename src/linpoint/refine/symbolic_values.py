# SPDX-License-Identifier: Apache-2.0
"""What an expression of a model can be: a value in registers or known already, or something that only compiling sees.

A ``CompiledValue`` has one part for each value in it, and each part is a register or a ``Literal``: so a tuple costs nothing
until it has to stand in registers in a row, and constants fold by themselves. All else is gone when the code runs: cells,
arrays, methods, classes of nodes, and the objects of Python that names stand for.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass
from types import FunctionType
from typing import Any, Final

from linpoint.refine.program_ir import Constant, PlaceKind
from linpoint.refine.python_cells import Record


@dataclass(frozen=True, slots=True)
class ValueShape:
    """How many values a value has, and what they are called."""

    width: int = 1
    names: tuple[str, ...] = ()
    is_tuple: bool = False

    @property
    def is_plain(self) -> bool:
        """Whether it is one value, in no tuple or record."""
        return not self.is_tuple and not self.names

    def __str__(self) -> str:
        if self.names:
            return f"a record ({', '.join(self.names)})"
        return f"a tuple of {self.width}" if self.is_tuple else "a plain value"

    def labels(self, name: str) -> tuple[str, ...]:
        """What the registers of a variable of this shape are called."""
        if self.names:
            return tuple(f"{name}.{each}" for each in self.names)
        return tuple(f"{name}[{n}]" for n in range(self.width)) if self.is_tuple else (name,)


PLAIN: Final = ValueShape()


@dataclass(frozen=True, slots=True)
class Literal:
    """A part that is known."""

    value: Constant


Operand = int | Literal
"""A register, or a known value."""


@dataclass(frozen=True, slots=True)
class CompiledValue:
    """A value of a model."""

    shape: ValueShape
    parts: tuple[Operand, ...]

    @property
    def registers(self) -> frozenset[int]:
        """Those that it stands in."""
        return frozenset(part for part in self.parts if isinstance(part, int))


def literal(value: Constant) -> CompiledValue:
    """A plain value that is known."""
    return CompiledValue(PLAIN, (Literal(value),))


def in_registers(shape: ValueShape, base: int) -> CompiledValue:
    """A value that stands in registers in a row."""
    return CompiledValue(shape, tuple(range(base, base + shape.width)))


@dataclass(frozen=True, slots=True)
class PlaceReference:
    """A place in shared memory. There are several ``targets`` if several classes of nodes have a field of that name."""

    where: PlaceKind
    targets: tuple[int, ...]
    shape: ValueShape
    shown: str
    register: int = -1
    is_lock: bool = False


@dataclass(frozen=True, slots=True)
class SymbolicArray:
    """An array of the model, ``cell`` by its number."""

    cell: int
    name: str


@dataclass(frozen=True, slots=True)
class SymbolicCellMethod:
    """A method of a cell or lock, about to be called."""

    reference: PlaceReference
    name: str


@dataclass(frozen=True, slots=True)
class SymbolicMethod:
    """A method of the model, about to be called."""

    name: str
    function: FunctionType


@dataclass(frozen=True, slots=True)
class SymbolicNodeClass:
    """A class of nodes, by its number."""

    number: int
    name: str


@dataclass(frozen=True, slots=True)
class SymbolicConstant:
    """An object of Python: a tuple or range of constants, a module, a function, an enumeration."""

    value: Any


@dataclass(frozen=True, slots=True)
class SymbolicSelf:
    """The model itself."""


SymbolicValue = (
    CompiledValue
    | PlaceReference
    | SymbolicArray
    | SymbolicCellMethod
    | SymbolicMethod
    | SymbolicNodeClass
    | SymbolicConstant
    | SymbolicSelf
)


def plain_constant(value: Any) -> tuple[Constant] | None:
    """The value as models have it, in a tuple of its own; None if it is none that a model can have.

    A member of an enumeration becomes a text, unless it is an integer or a text already.
    """
    if isinstance(value, enum.Enum) and not isinstance(value, int | str):
        return (f"{type(value).__name__}.{value.name}",)
    if value is None or isinstance(value, bool):
        return (value,)
    if isinstance(value, int):
        return (int(value),)
    return (str(value),) if isinstance(value, str) else None


def length_of(values: tuple[Any, ...] | range) -> int:
    """How many there are, also where ``len`` would not count so far."""
    if isinstance(values, tuple):
        return len(values)
    return max(0, -((values.start - values.stop) // values.step))


def constant_value(value: Any) -> CompiledValue | None:
    """A constant of Python as a value: plain, a tuple of plain ones, or a record of them."""
    plain = plain_constant(value)
    if plain is not None:
        return literal(plain[0])
    if isinstance(value, Record):
        shape, inner = ValueShape(len(value.names()), value.names()), value.values()
    elif isinstance(value, tuple) and len(value) > 1:
        shape, inner = ValueShape(len(value), is_tuple=True), value
    else:
        return None
    parts = [plain_constant(each) for each in inner]
    return CompiledValue(shape, tuple(Literal(each[0]) for each in parts if each)) if all(parts) else None


def symbolic_constant_of(value: Any) -> SymbolicValue | None:
    """A constant of a class or a module, as expressions see it; None if it is none."""
    plain = plain_constant(value)
    if plain is not None:
        return CompiledValue(PLAIN, (Literal(plain[0]),))
    if isinstance(value, range) or (isinstance(value, tuple) and all(map(symbolic_constant_of, value))):
        return SymbolicConstant(value)
    return None
