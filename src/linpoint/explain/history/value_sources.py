# SPDX-License-Identifier: Apache-2.0
"""Who supplied the values that others observed: the rule under which operations may be left out of a long history.

A value that a kept operation observed and that somebody supplied must still be supplied. Without it every stale read
would shrink to "read 2, and nobody wrote 2". A rule of thumb: what it leaves is verified afterwards.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

from linpoint.histories.history import History
from linpoint.histories.operation import Operation, Outcome
from linpoint.histories.values import canonical, scalars
from linpoint.specs.spec import Spec

PASS_ON: Final = ("register", "cas-register", "queue", "stack", "deque", "priority-queue")
"""Specs that give back the very values that were put in, or the first ones."""

_TAKEN_OUT: Final = ("queue", "stack", "deque", "priority-queue")
"""Those of them from which values are taken: what was put in stays in the way until somebody takes it out."""

_ACQUIRE: Final = frozenset({"acquire", "try-acquire", "acquire-read", "acquire-write"})
_RELEASE: Final = frozenset({"release", "release-read", "release-write"})
_HELD: Final = "held"
"""What acquiring a lock supplies and releasing it finds."""


class ValueSources:
    """Who supplies and who observes what, among the operations at ``positions``."""

    def __init__(self, history: History, positions: Sequence[int], spec: Spec) -> None:
        ops = history.operations
        self._ops = ops
        self._supplied = {p: supplies(ops[p], spec) for p in positions}
        known = set().union(*self._supplied.values()) if positions else set()
        first = set(map(canonical, scalars(spec.initial)))
        found = {p: observes(ops[p]) for p in positions}
        appends = any(ops[p].name == "append" for p in positions)
        self._observed = {p: _sources(values, known, appends=appends) for p, values in found.items()}
        kind = spec.name.partition("(")[0]
        passes_on = kind in PASS_ON
        self._taken_out = kind in _TAKEN_OUT
        self._invented = [p for p, values in found.items() if passes_on and values - known - first]

    def invented(self) -> list[int]:
        """Operations that observed what nobody ever supplied: nothing else is needed to see that they are wrong."""
        certain = [p for p in self._invented if self._ops[p].outcome is Outcome.OK]
        return sorted(certain, key=lambda position: self._ops[position].end)

    def without(self, kept: list[int], dropped: Sequence[int]) -> list[int]:
        """``kept`` without ``dropped``, but for those whose values the rest observed, and who took out what the rest put
        in.
        """
        gone = set(dropped)
        while True:
            rest = [p for p in kept if p not in gone]
            supplied = set().union(*(self._supplied[p] for p in rest)) if rest else set()
            missing = set().union(*(self._observed[p] for p in rest)) - supplied if rest else set()
            back = {p for p in gone if self._supplied[p] & missing}
            if self._taken_out:
                back |= {p for p in gone if self._observed[p] & supplied}
            if not back:
                return rest
            gone -= back

    def stays(self, kept: Sequence[int]) -> list[list[int]]:
        """Who put each value in and who took it out, of a container: they can only be left out together."""
        if not self._taken_out:
            return []
        by_value: dict[Any, list[int]] = {}
        for position in kept:
            for value in self._supplied[position] | self._observed[position]:
                by_value.setdefault(value, []).append(position)
        return [positions for positions in by_value.values() if len(positions) > 1]


def supplies(op: Operation, spec: Spec) -> set[Any]:
    """The values that an operation may put into the object."""
    if spec.reads(op):
        return set()
    if op.name.replace("_", "-") in _ACQUIRE:
        return {_HELD}
    return set(map(canonical, scalars(_cells(op, 2) if _compares(op) else op.args)))


def observes(op: Operation) -> set[Any]:
    """The values that an operation found in the object; a compare-and-set that may have succeeded found the old one."""
    if op.name.replace("_", "-") in _RELEASE:
        return {_HELD}
    known = op.outcome is Outcome.OK
    found = set(map(canonical, scalars(op.result))) if known else set()
    if _compares(op) and (not known or op.result is None or op.result is True):
        found |= set(map(canonical, scalars(_cells(op, 1))))
    return found


def _sources(observed: set[Any], known: set[Any], *, appends: bool) -> set[Any]:
    """The supplied values that observed ones may come from: themselves, or the parts of a string made by appending."""
    if not appends:
        return observed & known
    parts = {
        part
        for value in observed - known
        if isinstance(value, str)
        for part in known
        if isinstance(part, str) and part and part in value
    }
    return (observed & known) | parts


def _compares(op: Operation) -> bool:
    return op.name in ("cas", "mwcas")


def _cells(op: Operation, which: int) -> Iterable[Any]:
    """The expected (1) or new (2) values: cas(old, new), cas(k, old, new), mwcas([[m, old, new]])."""
    if op.name == "mwcas":
        cells = op.args[0] if op.args and isinstance(op.args[0], tuple) else ()
        return [cell[which] for cell in cells if isinstance(cell, tuple) and len(cell) > which]
    return [op.args[which - 3]] if len(op.args) > 1 else []
