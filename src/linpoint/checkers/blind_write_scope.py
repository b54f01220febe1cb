# SPDX-License-Identifier: Apache-2.0
"""Certifies that part of a history of a memory is a violation, where blind writes leave no order.

A separate search decides the part. Its violation is a violation of the whole history if the part contains every
operation that may have written a value observed in the part: in an order of the whole, the last operation that wrote
the word before such an observation then belongs to the part. So removing all other operations leaves an order of the
part. Failed operations have no effect, and the part contains none. This module shares nothing with the precedence
graph. Cost: O(n), and a search of the part.
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
    """Raise unless the operations of ``scope`` show that ``positions`` are a violation; False if time ran out."""
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
    """The versions that an operation observed, provided that it took effect."""
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
    """Whether an operation reports that it had no effect, but not the value that it observed."""
    return (
        name in ("cas", "mwcas") and op.outcome is Outcome.OK and (op.result is False or isinstance(op.result, Mapping))
    )


def _versions(pairs: Iterable[tuple[Any, Any]]) -> list[_Version]:
    return [(canonical(word), canonical(value)) for word, value in pairs]
