# SPDX-License-Identifier: Apache-2.0
"""The few operations that conspire: a sub-history that is still a violation and from which nothing more can go.

Operations are dropped while the violation stays. One rule keeps the rest meaningful: a value that a kept operation
observed and that somebody supplied must still be supplied. Without it every stale read would shrink to "read 2, and
nobody wrote 2", which is a violation too, but not this one. Cost: O(log n) decisions to find the end of the
violation and O(k log k) to O(k^2) to drop operations, all under a limit of time; when that runs out, the smallest
sub-history so far is given.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from linpoint.checkers.search.decider import Decider
from linpoint.histories.history import History
from linpoint.histories.operation import Operation, Outcome
from linpoint.histories.values import canonical, scalars
from linpoint.specs.protocol import Spec

_PASS_ON = ("register", "cas-register", "multi-register", "queue", "stack", "deque", "priority-queue", "log")
"""Specs that give back the very values that were put in."""

_ACQUIRE = frozenset({"acquire", "try-acquire", "acquire-read", "acquire-write"})
_RELEASE = frozenset({"release", "release-read", "release-write"})
_HELD = "held"
"""What acquiring a lock supplies and releasing it finds: without it every release would be wrong by itself."""

_ONE_TRY = 0.5
"""Seconds for one decision: a sub-history that takes longer is left alone, so Ctrl-C is never far."""


@dataclass(frozen=True, slots=True)
class Core:
    """The positions that remain, by call; ``minimal`` says that every single one is needed."""

    positions: tuple[int, ...]
    minimal: bool


def minimise(history: History, positions: Sequence[int], spec: Spec, condition: str, *, seconds: float) -> Core:
    """Shrink the violation at ``positions``."""
    return _Minimiser(history, positions, spec, condition, time.monotonic() + seconds).run()


class _Minimiser:
    def __init__(self, history: History, positions: Sequence[int], spec: Spec, condition: str, deadline: float) -> None:
        self._history = history
        self._decider = Decider(history, spec, condition)
        self._deadline = deadline
        self._all = sorted(positions, key=lambda position: history.operations[position].call)
        self._supplied = {p: supplies(history.operations[p], spec) for p in self._all}
        first = set(map(canonical, scalars(spec.initial)))
        known = set().union(*self._supplied.values()) if self._all else set()
        self._observed = {p: _sources(observes(history.operations[p]), known) for p in self._all}
        self._invented = {
            p for p in self._all if spec.name in _PASS_ON and observes(history.operations[p]) - known - first
        }
        self._cut_short = condition not in ("sequential", "buffered-durable")

    def run(self) -> Core:
        for position in self._unsupplied():
            if self._violated([position]):
                return Core((position,), minimal=True)
        kept = self._end_of_violation(self._all) if self._cut_short else self._all
        size = max(1, len(kept) // 2)
        while True:
            shrunk = self._drop_chunks(kept, size)
            if self._late():
                return Core(tuple(shrunk), minimal=False)
            if size == 1 and len(shrunk) == len(kept):
                return Core(tuple(shrunk), minimal=True)
            size = max(1, min(size // 2, len(shrunk) // 2)) if size > 1 else 1
            kept = shrunk

    def _unsupplied(self) -> list[int]:
        """Operations that observed what nobody ever supplied: nothing else is needed to see that they are wrong."""
        return sorted(self._invented, key=lambda position: self._history.operations[position].end)

    def _late(self) -> bool:
        return time.monotonic() >= self._deadline

    def _violated(self, positions: Sequence[int]) -> bool:
        """Whether these are surely a violation; in doubt, no."""
        left = self._deadline - time.monotonic()
        return left > 0 and self._decider.decide(positions, seconds=min(left, _ONE_TRY)).found is False

    def _end_of_violation(self, kept: list[int]) -> list[int]:
        """Leave out what was called after the violation was complete: the shortest prefix in time that has it."""
        ops = self._history.operations
        ends = sorted({ops[p].end for p in kept if ops[p].outcome is Outcome.OK})
        low, high = 0, len(ends) - 1
        best = kept
        while low < high and not self._late():
            middle = (low + high) // 2
            # What is still open then might have done anything; only what has returned speaks for certain.
            returned = [p for p in kept if ops[p].end <= ends[middle]]
            called = [p for p in kept if ops[p].call <= ends[middle]]
            if self._supplies_all(called, returned) and self._violated(called):
                best, high = called, middle
            else:
                low = middle + 1
        return best

    def _drop_chunks(self, kept: list[int], size: int) -> list[int]:
        at = 0
        while at < len(kept) and not self._late():
            rest = self._without(kept, kept[at : at + size])
            if len(rest) < len(kept) and self._violated(rest):
                kept = rest
            else:
                at += size
        return kept

    def _without(self, kept: list[int], dropped: Sequence[int]) -> list[int]:
        """``kept`` without ``dropped``, but for those whose values the rest observed."""
        gone = set(dropped)
        while True:
            rest = [p for p in kept if p not in gone]
            supplied = set().union(*(self._supplied[p] for p in rest)) if rest else set()
            missing = set().union(*(self._observed[p] for p in rest)) - supplied if rest else set()
            back = {p for p in gone if self._supplied[p] & missing}
            if not back:
                return rest
            gone -= back

    def _supplies_all(self, called: list[int], returned: list[int]) -> bool:
        supplied = set().union(*(self._supplied[p] for p in called)) if called else set()
        observed = set().union(*(self._observed[p] for p in returned)) if returned else set()
        return observed <= supplied


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


def _sources(observed: set[Any], known: set[Any]) -> set[Any]:
    """The supplied values that observed ones may come from: themselves, or the parts of a string made by appending."""
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
    """The expected (1) or new (2) values of a compare-and-set: cas(old, new), cas(k, old, new), mwcas([[m, old, new]])."""
    if op.name == "mwcas":
        return [cell[which] for cell in op.args[0] if isinstance(cell, tuple) and len(cell) > which]
    return [op.args[which - 3]] if len(op.args) > 1 else []
