# SPDX-License-Identifier: Apache-2.0
"""When values of a register were current, and who saw one that was certainly gone.

Only values that one operation put there are looked at, so that who saw a value saw what that operation wrote; this is
what suggests causes, not what proves violations. Cost: O(n log n) for a key.
"""

from __future__ import annotations

import bisect
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from linpoint.histories.history import History
from linpoint.histories.operation import Operation, Outcome
from linpoint.histories.values import canonical
from linpoint.specs.protocol import Spec

_SPECS: Final = ("register", "cas-register", "map")
_READS: Final = ("read", "get")
_NOTHING: Final = object()
_ABSENCE: Final = object()
"""What a delete puts there: who finds nothing cannot tell whose it is."""


@dataclass(slots=True)
class Life:
    """A value: who put it there, when it certainly was there, and who saw it, by call."""

    installer: int | None
    """None for the first value."""
    call: float
    """When it may have been put there at the earliest."""
    known: float = math.inf
    """When it had certainly been put there."""
    sightings: list[int] = field(default_factory=list)
    replaced_by: list[int] = field(default_factory=list)
    """Operations that saw it and put another in its place."""
    last_seen: float = -math.inf


@dataclass(frozen=True, slots=True)
class Inversion:
    """``observer`` saw ``old`` after ``new`` had certainly taken its place; ``gap`` is by how much."""

    observer: int
    old: Life
    new: Life
    gap: float


def seen_and_put(op: Operation) -> tuple[Any, Any]:
    """The value that an operation saw in a register and the one it put there; ``_NOTHING`` where there is none."""
    if op.name in _READS:
        return (op.result if op.outcome is Outcome.OK else _NOTHING), _NOTHING
    done = op.outcome is Outcome.OK
    match op.name:
        case "write" | "put":
            return _NOTHING, op.args[-1]
        case "insert":
            return _NOTHING, _NOTHING if done and op.result is False else op.args[-1]
        case "delete" | "erase" | "remove":
            return _NOTHING, _NOTHING if done and op.result is False else _ABSENCE
        case "swap":
            return (op.result if done else _NOTHING), op.args[-1]
        case "cas":
            if done and op.result is False:
                return _NOTHING, _NOTHING
            return (op.args[-2] if done else _NOTHING), op.args[-1]
    return _NOTHING, _NOTHING


def lives(history: History, positions: Sequence[int], spec: Spec) -> list[Life]:
    """The values of one register, by the earliest time at which they may have been put there; none for other specs."""
    if spec.name.partition("(")[0] not in _SPECS or spec.twin is None:
        return []
    made = [history.operations[position] for position in positions]  # each is made when it is asked for
    found: dict[Any, Life] = {canonical(_first(spec)): Life(None, -math.inf, -math.inf)}
    twice: set[Any] = set()
    for position, op in zip(positions, made, strict=True):
        if op.name == "append":
            return []
        put = seen_and_put(op)[1]
        if put is _NOTHING:
            continue
        value = canonical(put) if put is not _ABSENCE else (_ABSENCE, position)
        if value in found:
            twice.add(value)
        if put is _ABSENCE:
            twice.add(canonical(_first(spec)))
        found[value] = Life(position, op.call, op.end)
    for position, op in zip(positions, made, strict=True):
        saw, put = seen_and_put(op)
        if saw is _NOTHING or canonical(saw) not in found or canonical(saw) in twice:
            continue
        life = found[canonical(saw)]
        life.sightings.append(position)
        life.known = min(life.known, op.end)
        life.last_seen = max(life.last_seen, op.call)
        if put is not _NOTHING:
            life.replaced_by.append(position)
    return sorted((life for value, life in found.items() if value not in twice), key=lambda life: life.call)


def _first(spec: Spec) -> Any:
    """The first value of a register; every key of a map starts absent, or as the spec says, which is looked at by nobody."""
    return None if spec.name.partition("(")[0] == "map" else spec.initial


def inversions(history: History, values: Sequence[Life]) -> Iterator[Inversion]:
    """Who saw a value after another had certainly taken its place."""
    ops, skew = history.operations, history.clock_skew
    calls = [life.call for life in values]
    # The value, of all that may have been put there from this one on, that is the first to be known.
    earliest: list[Life] = list(values)
    for index in range(len(values) - 2, -1, -1):
        if earliest[index + 1].known < values[index].known:
            earliest[index] = earliest[index + 1]
    by_installer = {life.installer: life for life in values}
    for old in values:
        candidates = [by_installer[position] for position in old.replaced_by if position in by_installer]
        after = bisect.bisect_right(calls, old.known + skew)
        if after < len(values):
            candidates.append(earliest[after])
        for observer in old.sightings:
            new = min(
                (life for life in candidates if life.installer != observer), key=lambda life: life.known, default=None
            )
            if new is not None and ops[observer].call > new.known + skew:
                yield Inversion(observer, old, new, ops[observer].call - new.known)
