# SPDX-License-Identifier: Apache-2.0
"""Shorthands for writing models as data: strings stand for variables and cells, numbers for constants."""

from __future__ import annotations

from typing import Any

from tests.refine.oracle.language import (
    Access,
    Binary,
    Body,
    Both,
    Cell,
    CellDeclaration,
    Const,
    Dcas,
    Do,
    Either,
    Element,
    Expression,
    Field,
    If,
    Items,
    Let,
    Local,
    New,
    Not,
    Operation,
    Part,
    Place,
    Record,
    Return,
    Simple,
    Statement,
    While,
    With,
)

POINT, FENCE, CONTINUE, BREAK = Simple("point"), Simple("fence"), Simple("continue"), Simple("break")


def value(of: Any) -> Expression:
    """A string is a variable; any other value that is not an expression is a constant."""
    if isinstance(of, str):
        return Local(of)
    return Const(of) if of is None or isinstance(of, int | bool) else of


def place(of: str | Place) -> Place:
    """A string is a cell."""
    return Cell(of) if isinstance(of, str) else of


def soft(number: int) -> Const:
    """A constant that a mutation may change."""
    return Const(number, soft=True)


def element(array: str, index: Any) -> Element:
    """An element of an array."""
    return Element(array, value(index))


def field(node: str, name: str, *, owner: str = "Node") -> Field:
    """A field of the node in a variable."""
    return Field(owner, Local(node), name)


def load(where: str | Place) -> Access:
    """Read."""
    return Access("load", place(where))


def store(where: str | Place, what: Any) -> Do:
    """Write."""
    return Do(Access("store", place(where), (value(what),)))


def plain_load(where: Place) -> Access:
    """Read, written without a method."""
    return Access("load", where, plain=True)


def plain_store(where: Place, what: Any) -> Do:
    """Write, written without a method."""
    return Do(Access("store", where, (value(what),), plain=True))


def cas(where: str | Place, old: Any, new: Any) -> Access:
    """Compare and swap."""
    return Access("cas", place(where), (value(old), value(new)))


def swap(where: str | Place, new: Any) -> Access:
    """Exchange."""
    return Access("swap", place(where), (value(new),))


def fetch_add(where: str | Place, number: Any) -> Access:
    """Add, and return the old value."""
    return Access("fetch_add", place(where), (value(number),))


def load_linked(where: str | Place) -> Access:
    """Read, and reserve."""
    return Access("ll", place(where))


def store_conditional(where: str | Place, new: Any) -> Access:
    """Write unless the cell was written since."""
    return Access("sc", place(where), (value(new),))


def dcas(first: str, second: str, *operands: Any) -> Dcas:
    """Compare and swap of two cells."""
    old, other_old, new, other_new = map(value, operands)
    return Dcas(place(first), place(second), (old, other_old, new, other_new))


def do(what: Any) -> Do:
    """An access whose result is not used."""
    return Do(value(what))


def let(name: str, what: Any) -> Let:
    """Remember."""
    return Let(name, value(what))


def op(left: Any, operator: str, right: Any) -> Binary:
    """Arithmetic or a comparison."""
    return Binary(operator, value(left), value(right))


def both(left: Any, right: Any) -> Both:
    """And."""
    return Both(value(left), value(right))


def either(left: Any, right: Any) -> Either:
    """Or."""
    return Either(value(left), value(right))


def no(what: Any) -> Not:
    """Not."""
    return Not(value(what))


def when(condition: Any, *then: Statement, otherwise: Body = ()) -> If:
    """If."""
    return If(value(condition), then, otherwise)


def forever(*body: Statement) -> While:
    """While True."""
    return While(Const(value=True), body)


def during(condition: Any, *body: Statement) -> While:
    """While."""
    return While(value(condition), body)


def holding(lock: str, *body: Statement) -> With:
    """With."""
    return With(lock, body)


def give(what: Any = None) -> Return:
    """Return."""
    return Return(value(what))


def items(*of: Any) -> Items:
    """A tuple."""
    return Items(tuple(map(value, of)))


def record(**fields: Any) -> Record:
    """A record."""
    return Record(tuple((name, value(what)) for name, what in fields.items()))


def part(of: Any, name: str) -> Part:
    """A field of a record."""
    return Part(value(of), name)


def new(node: str = "Node", **fields: Any) -> New:
    """A node."""
    return New(node, tuple((name, value(what)) for name, what in fields.items()))


def cell(name: str, initial: Any = 0, *, of: str | None = None) -> CellDeclaration:
    """A cell of the model."""
    return CellDeclaration(name, value(initial), of)


def operation(
    name: str, *body: Statement, role: str | None = None, pairs_with: str | None = None, **domains: Any
) -> Operation:
    """An operation, with the domain of each parameter."""
    return Operation(name, tuple((each, tuple(domain)) for each, domain in domains.items()), body, role, pairs_with)
