# SPDX-License-Identifier: Apache-2.0
"""The program of a model: the result of the front end, and everything that later stages know of the model.

Operations are code over *registers*, which belong to one call of one process, and *locations*, which all processes
share: cells, elements of arrays, fields of nodes. A value is ``None``, a bool, an integer, a text, or a node. A record
or a tuple of n such values is a location of *width* n, or n consecutive registers. Each instruction that touches a
location is one step of its process; no other instruction is a step. ``program_analysis`` finds the steps that others
cannot observe.

``code`` is one list for all operations, and ``target`` is an index into it. A program is plain data. It does not
determine the number of processes, the room for nodes, or the layout of a state; ``state_layout`` does.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass, field
from typing import Final

Constant = None | bool | int | str
"""A value that is not a node."""

MAX_REGISTERS: Final = 64
"""Maximum number of registers of one operation; the front end rejects more."""


class OpCode(enum.IntEnum):
    """The effect of an instruction. ``a``, ``b`` and ``c`` are registers of the operation unless stated otherwise."""

    # Invisible to other processes. Truth is that of Python: None, False and 0 are false, and everything else is true.
    CONSTANT = 0  # a := value
    MOVE = 1  # a := b
    ADD = 2  # a := b + c, for integers; anything else is an error of the model
    SUBTRACT = 3
    MULTIPLY = 4
    DIVIDE = 5  # rounds down, as // does
    MODULO = 6
    EQUAL = 7  # a := b is c, for any values; True is not 1
    DIFFERENT = 8
    LESS = 9  # for integers
    AT_MOST = 10
    NOT = 11  # a := not b
    IS_NODE = 12  # a := whether b is a node of class c (a number of Program.classes)
    JUMP = 13  # to target
    JUMP_IF = 14  # to target if a is true
    JUMP_UNLESS = 15
    CHOOSE = 16  # a := one of values, whichever
    ASSUME = 17  # if a is false, the run is excluded
    ASSERT = 18  # if a is false, it is a finding
    POINT = 19  # the previous step was the linearization point
    ALLOCATE = 20  # a := a new node of class c, its fields from registers b, b + 1, ... in their order
    RETURN = 21  # with c values from a on; c = 1 is a plain value

    # Each of these is one step. It accesses location `where`, and as many registers as that is wide.
    LOAD = 32  # a... := where
    STORE = 33  # where := a...
    CAS = 34  # a := whether where was b..., and became c...
    SWAP = 35  # a... := where, and where := b...
    FETCH_ADD = 36  # a := where, and where := where + b; width 1
    LOAD_LINKED = 37  # a... := where
    STORE_CONDITIONAL = 38  # a := whether where is unwritten since this process loaded it linked; it becomes b...
    DCAS = 39  # a := whether where was b... and other the registers after it; if so, they become the next registers
    ACQUIRE = 40  # waits until where is False, makes it True
    RELEASE = 41  # makes where False; an error of the model if it already was
    FENCE = 42  # waits until all stores of this process are visible to all processes

    @property
    def is_access(self) -> bool:
        """Whether it may be a step."""
        return self >= OpCode.LOAD


class PlaceKind(enum.IntEnum):
    """The kind of a location."""

    CELL = 0
    ELEMENT = 1
    """An element of an array; ``register`` has the index. An index out of range is an error of the model."""
    FIELD = 2
    """A field of a node; ``register`` has the node. None, or a node of another class, is an error of the model."""


@dataclass(frozen=True, slots=True)
class Location:
    """A place in memory, as code names it. ``target`` is a number of ``CompiledModel.cells`` or of
    ``CompiledModel.fields``.
    """

    where: PlaceKind
    target: int
    register: int = -1


@dataclass(frozen=True, slots=True)
class Cell:
    """A shared variable, or an array of them."""

    name: str
    initial: tuple[Constant, ...]
    """The initial values of all elements, each as wide as the cell."""
    size: int = 1
    width: int = 1
    parts: tuple[str, ...] = ()
    """The names of the fields of a record; empty for a tuple or a plain value."""
    is_array: bool = False
    is_lock: bool = False


@dataclass(frozen=True, slots=True)
class Field:
    """A field of the nodes of one class. All fields of a new node are given when it is allocated."""

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
    """One instruction. ``line`` and ``column`` are its origin in the file; columns count from 0."""

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
    """An argument of an operation and its possible values. Argument i arrives in register i."""

    name: str
    domain: tuple[Constant, ...]


@dataclass(frozen=True, slots=True)
class OperationCode:
    """An operation: the start of its code, and the conditions for calling it."""

    name: str
    entry: int
    parameters: tuple[Parameter, ...] = ()
    registers: tuple[str, ...] = ()
    """The name of each register in the source, "" for one without a name. The length is the number of registers."""
    role: str | None = None
    pairs_with: str | None = None
    """The operation that the same process must have called once for each call of this one."""
    line: int = 0


@dataclass(frozen=True, slots=True)
class CompiledModel:
    """A compiled model."""

    name: str
    file: str
    code: tuple[Instruction, ...]
    operations: tuple[OperationCode, ...]
    cells: tuple[Cell, ...] = ()
    classes: tuple[NodeClass, ...] = ()
    fields: tuple[Field, ...] = ()
    locations: tuple[Location, ...] = ()
    setup: OperationCode | None = None
    """Runs once, before all processes."""
    line: int = 0
    source: tuple[str, ...] = field(default=(), repr=False)
    """The lines of the file."""

    @property
    def roles(self) -> tuple[str | None, ...]:
        """The roles, in the order in which operations name them; only None if there are no roles."""
        return tuple(dict.fromkeys(each.role for each in self.operations))

    def width(self, location: int) -> int:
        """The number of values that a location holds."""
        place = self.locations[location]
        return self.fields[place.target].width if place.where is PlaceKind.FIELD else self.cells[place.target].width
