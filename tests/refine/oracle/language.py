# SPDX-License-Identifier: Apache-2.0
"""Models as data: the modelling primitives as trees that can be printed, changed and run.

An access of shared memory is an expression, so it may occur inside others; :mod:`flat_instructions` defines its
meaning. Every class is frozen and hashable.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

# -- expressions ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Const:
    """A literal. A mutation may change ``soft`` ones: only the answer depends on them."""

    value: Any
    soft: bool = False


@dataclass(frozen=True, slots=True)
class Local:
    """A local variable or a parameter."""

    name: str


@dataclass(frozen=True, slots=True)
class Binary:
    """Arithmetic or a comparison, written as in Python."""

    operator: str
    left: Expression
    right: Expression


@dataclass(frozen=True, slots=True)
class Not:
    """Negation of the truth of its operand."""

    operand: Expression


@dataclass(frozen=True, slots=True)
class Both:
    """``left and right`` as a condition: the right one is not evaluated if the left one fails."""

    left: Expression
    right: Expression


@dataclass(frozen=True, slots=True)
class Either:
    """``left or right`` as a condition."""

    left: Expression
    right: Expression


@dataclass(frozen=True, slots=True)
class Part:
    """A field of a record value."""

    of: Expression
    name: str


@dataclass(frozen=True, slots=True)
class Record:
    """A record value, ``linpoint.record(c=0, v=1)``."""

    fields: tuple[tuple[str, Expression], ...]


@dataclass(frozen=True, slots=True)
class Items:
    """A tuple value."""

    items: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class New:
    """A fresh node; unnamed fields are None."""

    node: str
    fields: tuple[tuple[str, Expression], ...]


@dataclass(frozen=True, slots=True)
class Cell:
    """A place: a cell (or a lock) of the model."""

    name: str


@dataclass(frozen=True, slots=True)
class Element:
    """A place: an element of an array."""

    array: str
    index: Expression


@dataclass(frozen=True, slots=True)
class Field:
    """A place: a field of a node of the class ``owner``."""

    owner: str
    node: Expression
    name: str


Place = Cell | Element | Field


@dataclass(frozen=True, slots=True)
class Access:
    """One access: load, store, cas, swap, fetch_add, ll or sc. ``plain`` is its notation and does not change its
    meaning.
    """

    kind: str
    place: Place
    operands: tuple[Expression, ...] = ()
    plain: bool = False


@dataclass(frozen=True, slots=True)
class Dcas:
    """Atomic compare and swap of two places: old, old, new, new."""

    first: Place
    second: Place
    operands: tuple[Expression, Expression, Expression, Expression]


Expression = Const | Local | Binary | Not | Both | Either | Part | Record | Items | New | Access | Dcas

# -- statements -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Let:
    """``name = value``."""

    name: str
    value: Expression


@dataclass(frozen=True, slots=True)
class Unpack:
    """``first, second = value``."""

    names: tuple[str, ...]
    value: Expression


@dataclass(frozen=True, slots=True)
class Do:
    """An expression evaluated for its effect."""

    value: Expression


@dataclass(frozen=True, slots=True)
class If:
    """A choice."""

    condition: Expression
    then: Body
    otherwise: Body = ()


@dataclass(frozen=True, slots=True)
class While:
    """A loop."""

    condition: Expression
    body: Body


@dataclass(frozen=True, slots=True)
class With:
    """``with self.lock:``; a return inside computes its value, then releases, then returns."""

    lock: str
    body: Body


@dataclass(frozen=True, slots=True)
class Acquire:
    """``self.lock.acquire()``."""

    lock: str


@dataclass(frozen=True, slots=True)
class Release:
    """``self.lock.release()``."""

    lock: str


@dataclass(frozen=True, slots=True)
class Return:
    """The end of an operation."""

    value: Expression


@dataclass(frozen=True, slots=True)
class Assert:
    """A condition that must hold."""

    condition: Expression


@dataclass(frozen=True, slots=True)
class Simple:
    """``break``, ``continue``, ``fence`` or ``point``."""

    word: str


Statement = Let | Unpack | Do | If | While | With | Acquire | Release | Return | Assert | Simple
Body = tuple[Statement, ...]

# -- models ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class CellDeclaration:
    """A cell. ``initial`` is a constant, or a record or tuple of them; ``of`` names the class of the nodes it holds."""

    name: str
    initial: Expression
    of: str | None = None


@dataclass(frozen=True, slots=True)
class ArrayDeclaration:
    """Numbered cells."""

    name: str
    initial: Const
    size: int


@dataclass(frozen=True, slots=True)
class LockDeclaration:
    """A lock, free at first."""

    name: str


Declaration = CellDeclaration | ArrayDeclaration | LockDeclaration


@dataclass(frozen=True, slots=True)
class FieldDeclaration:
    """A field of a node: ``kind`` is ``int`` or the name of a node class."""

    name: str
    kind: str
    atomic: bool = False


@dataclass(frozen=True, slots=True)
class NodeDeclaration:
    """A class of nodes."""

    name: str
    fields: tuple[FieldDeclaration, ...]


@dataclass(frozen=True, slots=True)
class Operation:
    """An operation that processes may call, with the domain of each parameter."""

    name: str
    parameters: tuple[tuple[str, tuple[int, ...]], ...]
    body: Body
    role: str | None = None
    pairs_with: str | None = None


@dataclass(frozen=True, slots=True)
class Model:
    """A concurrent object and the sequential one that it should implement.

    ``spec`` is the body of a class of pure functions: ``initial = ...`` and one function for each operation.
    """

    name: str
    declarations: tuple[Declaration, ...]
    operations: tuple[Operation, ...]
    spec: str
    nodes: tuple[NodeDeclaration, ...] = ()
    setup: Body = ()

    @property
    def roles(self) -> tuple[str, ...]:
        """The roles in the order in which operations name them first."""
        return tuple(dict.fromkeys(op.role for op in self.operations if op.role is not None))

    def role_of(self, process: int) -> str | None:
        """Roles are assigned round robin."""
        return self.roles[process % len(self.roles)] if self.roles else None

    def callable_by(self, process: int) -> tuple[int, ...]:
        """The numbers of the operations that a process may call: those of its role, and those without one."""
        role = self.role_of(process)
        return tuple(i for i, op in enumerate(self.operations) if op.role is None or op.role == role)
