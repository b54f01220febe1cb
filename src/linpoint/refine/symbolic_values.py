# SPDX-License-Identifier: Apache-2.0
"""The meaning of an expression of a model: a value, known or in registers, or an entity that exists only at compile
time.

A ``CompiledValue`` has one part for each value in it, and each part is a register or a ``Literal``. So a tuple costs
nothing until it needs consecutive registers, and constants are folded. Everything else is gone when the code runs:
cells, arrays, methods, classes of nodes, and the Python objects that names denote.
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
    """The number of values in a value, and their names."""

    width: int = 1
    names: tuple[str, ...] = ()
    is_tuple: bool = False

    @property
    def is_plain(self) -> bool:
        """Whether it is a single value outside a tuple or record."""
        return not self.is_tuple and not self.names

    def __str__(self) -> str:
        if self.names:
            return f"a record ({', '.join(self.names)})"
        return f"a tuple of {self.width}" if self.is_tuple else "a plain value"

    def labels(self, name: str) -> tuple[str, ...]:
        """The names of the registers of a variable of this shape."""
        if self.names:
            return tuple(f"{name}.{each}" for each in self.names)
        return tuple(f"{name}[{n}]" for n in range(self.width)) if self.is_tuple else (name,)


PLAIN: Final = ValueShape()


@dataclass(frozen=True, slots=True)
class Literal:
    """A part with a known value."""

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
        """The registers that hold its parts."""
        return frozenset(part for part in self.parts if isinstance(part, int))


def literal(value: Constant) -> CompiledValue:
    """A plain value that is known."""
    return CompiledValue(PLAIN, (Literal(value),))


def in_registers(shape: ValueShape, base: int) -> CompiledValue:
    """A value in consecutive registers."""
    return CompiledValue(shape, tuple(range(base, base + shape.width)))


@dataclass(frozen=True, slots=True)
class PlaceReference:
    """A place in shared memory. It has several ``targets`` if several classes of nodes have a field of that name."""

    where: PlaceKind
    targets: tuple[int, ...]
    shape: ValueShape
    shown: str
    register: int = -1
    is_lock: bool = False


@dataclass(frozen=True, slots=True)
class SymbolicArray:
    """An array of the model; ``cell`` is its number."""

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
    """A Python object: a tuple or range of constants, a module, a function, an enumeration."""

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
    """The value in the form that models use, in a 1-tuple; None if models cannot have it.

    A member of an enumeration becomes a text, unless it already is an integer or a text.
    """
    if isinstance(value, enum.Enum) and not isinstance(value, int | str):
        return (f"{type(value).__name__}.{value.name}",)
    if value is None or isinstance(value, bool):
        return (value,)
    if isinstance(value, int):
        return (int(value),)
    return (str(value),) if isinstance(value, str) else None


def length_of(values: tuple[Any, ...] | range) -> int:
    """The number of elements, even if ``len`` would overflow."""
    if isinstance(values, tuple):
        return len(values)
    return max(0, -((values.start - values.stop) // values.step))


def constant_value(value: Any) -> CompiledValue | None:
    """A Python constant as a value: plain, a tuple of plain ones, or a record of them."""
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
    """A constant of a class or a module, as expressions see it; None if it is not one."""
    plain = plain_constant(value)
    if plain is not None:
        return CompiledValue(PLAIN, (Literal(plain[0]),))
    if isinstance(value, range) or (isinstance(value, tuple) and all(map(symbolic_constant_of, value))):
        return SymbolicConstant(value)
    return None
