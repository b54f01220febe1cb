# SPDX-License-Identifier: Apache-2.0
"""Certifying that part of a history of a memory is a violation, where blind writes leave no order.

The part is searched by itself. Its violation is one of the whole if it has every operation that may have written a
value that one of its own saw: in an order of the whole, the last to write the word before that one is then among them,
so the order without the others is one of the part. Operations that failed have no effect, and the part has none.
Nothing is shared with the graph. Cost: O(n) and a search of the part.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from linpoint.checkers.certify import broken_certificate
from linpoint.checkers.subhistory_decider import has_order
from linpoint.histories.history import History
from linpoint.histories.operation import Operation, Outcome
from linpoint.histories.values import canonical, equal_values
from linpoint.specs.spec import Spec

_Version = tuple[Any, Any]
"""A word and a value, in canonical form."""


def certify_blind_scope(
    history: History, spec: Spec, condition: str, positions: Sequence[int], scope: Sequence[int], *, seconds: float
) -> bool:
    """Raise unless the operations of ``scope`` are a violation of all at ``positions``; False if there was no time."""
    inside = set(scope)
    if not inside <= set(positions):
        raise broken_certificate("the scope names an operation that does not exist")
    seen = {version for position in scope for version in _seen(spec, history.operations[position])}
    for position in positions:
        if position not in inside and not seen.isdisjoint(_written(spec, history.operations[position])):
            raise broken_certificate(f"{history.operations[position]} may have written a value that the scope observed")
    found = has_order(history.select(scope), spec, condition, seconds=seconds)
    if found:
        raise broken_certificate("the operations of the scope have an order")
    return found is False


def _seen(spec: Spec, op: Operation) -> Collection[_Version]:
    """The versions that an operation saw, if it had its effect."""
    name, args, known = spec.step(op).name, spec.arguments(op), op.outcome is Outcome.OK
    if _failed(name, op):
        raise broken_certificate("the scope has an operation that failed")
    if name == "cas":
        return _versions([(None, args[0])])
    if name == "mwcas" and not isinstance(op.result, tuple):
        return _versions(cell[:2] for cell in args[0])
    if not known or name in ("write", "mwwrite"):
        return ()
    if name == "swap" or (name == "read" and not args):
        return _versions([(None, op.result)])
    words = args[0] if name == "read" else [cell[0] for cell in args[0]]
    return _versions(zip(words, op.result, strict=True))


def _written(spec: Spec, op: Operation) -> Collection[_Version]:
    """The versions that an operation may have written."""
    name, args = spec.step(op).name, spec.arguments(op)
    if name == "read" or _failed(name, op):
        return ()
    if name in ("write", "swap", "cas"):
        return _versions([(None, args[-1])])
    if name == "mwcas" and isinstance(op.result, tuple):
        saw_others = any(not equal_values(cell[1], v) for cell, v in zip(args[0], op.result, strict=True))
        if saw_others:
            return ()
    return _versions((cell[0], cell[-1]) for cell in args[0])


def _failed(name: str, op: Operation) -> bool:
    """Whether an operation says that it had no effect, and not what it saw."""
    return (
        name in ("cas", "mwcas") and op.outcome is Outcome.OK and (op.result is False or isinstance(op.result, Mapping))
    )


def _versions(pairs: Iterable[tuple[Any, Any]]) -> list[_Version]:
    return [(canonical(word), canonical(value)) for word, value in pairs]
