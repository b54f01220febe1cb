# SPDX-License-Identifier: Apache-2.0
"""Typical mistakes: every way to change a model in one place.

A re-check is dropped, an atomic step is split, two stores are exchanged, a lock or a fence is omitted, a constant is
off by one, ``1`` is returned for ``True``. Some changes have no observable effect.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any

from tests.refine.oracle.language import (
    Access,
    Binary,
    Body,
    Const,
    Dcas,
    Do,
    Expression,
    If,
    Let,
    Local,
    Model,
    Operation,
    Return,
    Simple,
    Statement,
    While,
    With,
)
from tests.refine.oracle.model_builder import CONTINUE, FENCE, POINT, let, load, op, store, when

Mutant = tuple[str, Model]


def mutants(model: Model) -> list[Mutant]:
    """All models with one mistake, each with its name."""
    return [
        (name, with_body(model, number, body))
        for number, operation in enumerate(model.operations)
        for name, body in _variants(operation.body)
    ]


def with_body(model: Model, number: int, body: Body) -> Model:
    """The model with another body of an operation."""
    changed = dataclasses.replace(model.operations[number], body=body)
    return dataclasses.replace(model, operations=(*model.operations[:number], changed, *model.operations[number + 1 :]))


def without_points(model: Model) -> Model:
    """The model with no linearization point marked."""
    for number, operation in enumerate(model.operations):
        model = with_body(model, number, _without(operation.body, POINT))
    return model


def fenced(model: Model) -> Model:
    """The model with a fence after each sequence of stores: most objects need that if stores are buffered."""
    for number, operation in enumerate(model.operations):
        model = with_body(model, number, _fenced(operation.body))
    return model


def _fenced(body: Body) -> Body:
    written: list[Statement] = []
    for i, statement in enumerate(body):
        written.append(_inside(statement, _fenced))
        ahead = body[i + 1 : i + 2]
        stored = _is_store(statement) or (statement == POINT and i > 0 and _is_store(body[i - 1]))
        if stored and not any(_is_store(each) or each in {POINT, FENCE} for each in ahead):
            written.append(FENCE)
    return tuple(written)


def misplaced_point(model: Model, number: int) -> Model:
    """The model in which the point of an operation is at its first access that is a statement of its own."""
    body = _without(model.operations[number].body, POINT)
    return with_body(model, number, _after_first_access(body) or body)


def is_marked(operation: Operation) -> bool:
    """Whether an operation has a point."""
    return _without(operation.body, POINT) != operation.body


def _without(body: Body, gone: Statement) -> Body:
    return tuple(_inside(each, lambda inner: _without(inner, gone)) for each in body if each != gone)


def _after_first_access(body: Body) -> Body | None:
    for i, statement in enumerate(body):
        if isinstance(statement, Let | Do) and isinstance(statement.value, Access | Dcas):
            return (*body[: i + 1], POINT, *body[i + 1 :])
        if isinstance(statement, While | With):
            inner = _after_first_access(statement.body)
            if inner is not None:
                return (*body[:i], dataclasses.replace(statement, body=inner), *body[i + 1 :])
    return None


def _inside(statement: Statement, change: Any) -> Statement:
    match statement:
        case If(condition, then, otherwise):
            return If(condition, change(then), change(otherwise))
        case While(condition, body):
            return While(condition, change(body))
        case With(lock, body):
            return With(lock, change(body))
    return statement


def _variants(body: Body) -> Iterator[tuple[str, Body]]:
    for i, statement in enumerate(body):
        before, behind = body[:i], body[i + 1 :]
        for name, instead in _instead(statement):
            yield name, (*before, *instead, *behind)
        if behind and _is_store(statement) and _is_store(behind[0]):
            yield "stores reordered", (*before, behind[0], statement, *behind[1:])
        for name, changed in _deeper(statement):
            yield name, (*before, changed, *behind)


def _deeper(statement: Statement) -> Iterator[tuple[str, Statement]]:
    match statement:
        case If(condition, then, otherwise):
            yield from ((name, If(condition, inner, otherwise)) for name, inner in _variants(then))
            yield from ((name, If(condition, then, inner)) for name, inner in _variants(otherwise))
        case While(condition, body):
            yield from ((name, While(condition, inner)) for name, inner in _variants(body))
        case With(lock, body):
            yield from ((name, With(lock, inner)) for name, inner in _variants(body))
        case _:
            yield from (("off by one", changed) for changed in _softer(statement))
            return
    if isinstance(statement, If | While):
        for condition in _softer(statement.condition):
            yield "off by one", dataclasses.replace(statement, condition=condition)


def _instead(statement: Statement) -> Iterator[tuple[str, Body]]:
    """Alternatives for this statement."""
    match statement:
        case If(_, (only,), ()) if only == CONTINUE:
            yield "re-check dropped", ()
        case With(_, body):
            yield "lock removed", body
        case Simple() if statement == FENCE:
            yield "fence dropped", ()
        case Return(Const(value)) if value is True:
            yield "1 for True", (Return(Const(1)),)
    match statement:
        case If(Access("cas", place, (old, new)), then, otherwise):
            check = when(_equals("seen", old), store(place, new), *then, otherwise=otherwise)
            yield "cas split", (let("seen", load(place)), check)
        case Return(Access("cas", place, (old, new))):
            done = (store(place, new), Return(Const(value=True)))
            check = when(_equals("seen", old), *done, otherwise=(Return(Const(value=False)),))
            yield "cas split", (let("seen", load(place)), check)
        case If(Dcas(first, second, (old, old_second, new, new_second)), then, otherwise):
            inner = when(_equals("other", old_second), store(first, new), store(second, new_second), *then)
            check = when(_equals("seen", old), let("other", load(second)), inner, otherwise=otherwise)
            yield "dcas split", (let("seen", load(first)), check)
        case If(Access("sc", place, (new,)), then, _):
            yield "sc without condition", (store(place, new), *then)
        case Let(name, Access("swap", place, (new,))):
            yield "swap split", (let(name, load(place)), store(place, new))
        case Return(Access("swap", place, (new,))):
            yield "swap split", (let("seen", load(place)), store(place, new), Return(Local("seen")))
        case Let(name, Access("fetch_add", place, (number,))):
            yield "fetch_add split", (let(name, load(place)), store(place, op(name, "+", number)))
        case Return(Access("fetch_add", place, (number,))):
            split = (let("seen", load(place)), store(place, op("seen", "+", number)))
            yield "fetch_add split", (*split, Return(Local("seen")))
        case Do(Access("fetch_add", place, (number,))):
            yield "fetch_add split", (store(place, op(load(place), "+", number)),)


def _equals(name: str, old: Expression) -> Binary:
    return op(name, "is" if old == Const(None) else "==", old)


def _is_store(statement: Statement) -> bool:
    return isinstance(statement, Do) and isinstance(statement.value, Access) and statement.value.kind == "store"


def _softer(thing: Any) -> Iterator[Any]:
    """The same statement with one soft constant off by one."""
    if isinstance(thing, Const):
        if thing.soft:
            yield Const(thing.value + 1)
        return
    if isinstance(thing, tuple):
        for i, each in enumerate(thing):
            yield from ((*thing[:i], changed, *thing[i + 1 :]) for changed in _softer(each))
    elif dataclasses.is_dataclass(thing) and not isinstance(thing, type):
        for each in dataclasses.fields(thing):
            for changed in _softer(getattr(thing, each.name)):
                yield dataclasses.replace(thing, **{each.name: changed})
