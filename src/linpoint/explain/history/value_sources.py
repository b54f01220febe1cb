# SPDX-License-Identifier: Apache-2.0
"""The sources of observed values: the rule under which operations may be dropped from a long history.

If a kept operation observed a value that some operation supplied, an operation that supplies it must stay. Otherwise
every stale read would be reduced to "read 2, but no operation wrote 2". This is a heuristic; its result is verified
afterwards.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

from linpoint.histories.history import History
from linpoint.histories.operation import Operation, Outcome
from linpoint.histories.values import canonical, scalars
from linpoint.specs.spec import Spec

PASS_ON: Final = ("register", "cas-register", "queue", "stack", "deque", "priority-queue")
"""Specs that return exactly the stored or initial values."""

_TAKEN_OUT: Final = ("queue", "stack", "deque", "priority-queue")
"""The specs among them that remove values: a stored value affects later results until an operation removes it."""

_ACQUIRE: Final = frozenset({"acquire", "try-acquire", "acquire-read", "acquire-write"})
_RELEASE: Final = frozenset({"release", "release-read", "release-write"})
_HELD: Final = "held"
"""The value that acquiring a lock supplies and releasing it observes."""


class ValueSources:
    """The supplied and observed values of the operations at ``positions``."""

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
        """Operations that observed a value without a source; each is wrong by itself."""
        certain = [p for p in self._invented if self._ops[p].outcome is Outcome.OK]
        return sorted(certain, key=lambda position: self._ops[position].end)

    def without(self, kept: list[int], dropped: Sequence[int]) -> list[int]:
        """``kept`` without ``dropped``, except sources of values that the rest observed, and removals of values that it
        stored.
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
        """For each value of a container, the operations that stored or removed it, to drop them together."""
        if not self._taken_out:
            return []
        by_value: dict[Any, list[int]] = {}
        for position in kept:
            for value in self._supplied[position] | self._observed[position]:
                by_value.setdefault(value, []).append(position)
        return [positions for positions in by_value.values() if len(positions) > 1]


def supplies(op: Operation, spec: Spec) -> set[Any]:
    """The values that an operation may store."""
    if spec.reads(op):
        return set()
    if op.name.replace("_", "-") in _ACQUIRE:
        return {_HELD}
    return set(map(canonical, scalars(_cells(op, 2) if _compares(op) else op.args)))


def observes(op: Operation) -> set[Any]:
    """The values that an operation observed, such as the old value for a compare-and-set that may have succeeded."""
    if op.name.replace("_", "-") in _RELEASE:
        return {_HELD}
    known = op.outcome is Outcome.OK
    found = set(map(canonical, scalars(op.result))) if known else set()
    if _compares(op) and (not known or op.result is None or op.result is True):
        found |= set(map(canonical, scalars(_cells(op, 1))))
    return found


def _sources(observed: set[Any], known: set[Any], *, appends: bool) -> set[Any]:
    """The supplied values that are possible sources: equal ones, or parts of a string that was built by appending."""
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
