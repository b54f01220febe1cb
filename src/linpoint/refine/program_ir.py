# SPDX-License-Identifier: Apache-2.0
"""The program of a model: what the front end makes of a class, and all that is known of it from there on.

Operations are code over *registers*, which belong to one call and to one process, and *locations*, which all processes
share: cells, elements of arrays, fields of nodes. A value is ``None``, a bool, an integer, a text, or a node. A record or
a tuple of n such values is a location of *width* n, or n registers in a row. Each instruction that touches a location is
one step of its process, and nothing else is; where such a step cannot be seen by others, ``analysis`` says so.

``code`` is one list for all operations, and ``target`` counts in it. A program is plain data: it says nothing of how many
processes there are, of how many nodes there is room for, or of how a state is laid out, which is for ``assembling``.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass, field
from typing import Final

Constant = None | bool | int | str
"""A value that is no node."""

MAX_REGISTERS: Final = 64
"""Of one operation; the front end refuses more."""


class OpCode(enum.IntEnum):
    """What an instruction does. ``a``, ``b`` and ``c`` are registers of the operation unless something else is said."""

    # Nobody else sees these. Truth is that of Python: None, False and 0 are false, and all else is true.
    CONSTANT = 0  # a := value
    MOVE = 1  # a := b
    ADD = 2  # a := b + c, of integers; anything else is an error of the model
    SUBTRACT = 3
    MULTIPLY = 4
    DIVIDE = 5  # rounds down, as // does
    MODULO = 6
    EQUAL = 7  # a := b is c: of any values; True is not 1
    DIFFERENT = 8
    LESS = 9  # of integers
    AT_MOST = 10
    NOT = 11  # a := not b
    IS_NODE = 12  # a := whether b is a node of class c (a number of Program.classes)
    JUMP = 13  # to target
    JUMP_IF = 14  # to target if a is true
    JUMP_UNLESS = 15
    CHOOSE = 16  # a := one of values, whichever
    ASSUME = 17  # if a is false there is no such run
    ASSERT = 18  # if a is false it is a finding
    POINT = 19  # the step before was the linearization point
    ALLOCATE = 20  # a := a new node of class c, its fields from registers b, b + 1, ... in their order
    RETURN = 21  # with c values from a on; c = 1 is a plain value

    # Each of these is one step. They are of location `where`, and of as many registers as it is wide.
    LOAD = 32  # a... := where
    STORE = 33  # where := a...
    CAS = 34  # a := whether where was b..., and became c...
    SWAP = 35  # a... := where, and where := b...
    FETCH_ADD = 36  # a := where, and where := where + b; width 1
    LOAD_LINKED = 37  # a... := where
    STORE_CONDITIONAL = 38  # a := whether nobody wrote where since this process loaded it linked, and it became b...
    DCAS = 39  # a := whether where was b... and other was the registers after it; they become the registers after those
    ACQUIRE = 40  # waits until where is False, makes it True
    RELEASE = 41  # makes where False; it is an error of the model if it was
    FENCE = 42  # waits until all stores of this process are seen by all

    @property
    def is_access(self) -> bool:
        """Whether it may be a step."""
        return self >= OpCode.LOAD


class PlaceKind(enum.IntEnum):
    """What a location is."""

    CELL = 0
    ELEMENT = 1
    """Of an array; ``register`` has the index. One that is out of range is an error of the model."""
    FIELD = 2
    """Of a node; ``register`` has the node. None, or a node of another class, is an error of the model."""


@dataclass(frozen=True, slots=True)
class Location:
    """A place in memory, as code names it. ``target`` is a number of ``CompiledModel.cells`` or of ``CompiledModel.fields``."""

    where: PlaceKind
    target: int
    register: int = -1


@dataclass(frozen=True, slots=True)
class Cell:
    """A shared variable, or an array of them."""

    name: str
    initial: tuple[Constant, ...]
    """Of all elements, each as wide as the cell."""
    size: int = 1
    width: int = 1
    parts: tuple[str, ...] = ()
    """The names of the fields of a record; none for a tuple or a plain value."""
    is_array: bool = False
    is_lock: bool = False


@dataclass(frozen=True, slots=True)
class Field:
    """A field of nodes of one class. A new node's fields are all given when it is allocated."""

    name: str
    node_class: int
    width: int = 1
    parts: tuple[str, ...] = ()
    is_lock: bool = False


@dataclass(frozen=True, slots=True)
class NodeClass:
    """A class of nodes; ``fields`` are numbers of ``CompiledModel.fields``, in the order of allocation."""

    name: str
    fields: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Instruction:
    """One instruction. ``line`` and ``column`` are where it comes from in the file, columns from 0."""

    code: OpCode
    a: int = -1
    b: int = -1
    c: int = -1
    where: int = -1
    """A number of ``CompiledModel.locations``."""
    other: int = -1
    """The second location of a DCAS."""
    target: int = -1
    value: Constant = None
    values: tuple[Constant, ...] = ()
    line: int = 0
    column: int = 0


@dataclass(frozen=True, slots=True)
class Parameter:
    """An argument of an operation and the values that it may have. Argument i arrives in register i."""

    name: str
    domain: tuple[Constant, ...]


@dataclass(frozen=True, slots=True)
class OperationCode:
    """An operation: where its code begins, who may call it and when."""

    name: str
    entry: int
    parameters: tuple[Parameter, ...] = ()
    registers: tuple[str, ...] = ()
    """What each register is called in the source; "" for one that has no name there. Also says how many there are."""
    role: str | None = None
    pairs_with: str | None = None
    """The operation that the same process must have called, once for each call of this one."""
    line: int = 0


@dataclass(frozen=True, slots=True)
class CompiledModel:
    """A model, compiled."""

    name: str
    file: str
    code: tuple[Instruction, ...]
    operations: tuple[OperationCode, ...]
    cells: tuple[Cell, ...] = ()
    classes: tuple[NodeClass, ...] = ()
    fields: tuple[Field, ...] = ()
    locations: tuple[Location, ...] = ()
    setup: OperationCode | None = None
    """Runs once, alone, before all else."""
    line: int = 0
    source: tuple[str, ...] = field(default=(), repr=False)
    """The lines of the file."""

    @property
    def roles(self) -> tuple[str | None, ...]:
        """The roles, in the order in which operations name them; just None where there are none."""
        return tuple(dict.fromkeys(each.role for each in self.operations))

    def width(self, location: int) -> int:
        """How many values a location holds."""
        place = self.locations[location]
        return self.fields[place.target].width if place.where is PlaceKind.FIELD else self.cells[place.target].width
