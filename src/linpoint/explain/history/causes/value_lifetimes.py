# SPDX-License-Identifier: Apache-2.0
"""The times at which values of a register were current, and observations of values that were certainly replaced.

Only values that a single operation stored are considered, so that each observation has a unique source. The results
suggest causes; they do not prove violations. Cost: O(n log n) for a key.
"""

from __future__ import annotations

import bisect
import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from linpoint.checkers.conditions import NOT_LOCAL
from linpoint.explain.history.value_flow import ABSENCE, NOTHING, REGISTERS, flow_of, kind_of
from linpoint.histories.history import History
from linpoint.histories.values import canonical
from linpoint.specs.spec import Spec


@dataclass(slots=True)
class ValueLifetime:
    """A value: the operation that stored it, the times of storing, and its observers, ordered by call."""

    installer: int | None
    """The operation that stored it; None for the initial value."""
    call: float
    """The earliest time at which it may have been stored."""
    known: float = math.inf
    """The time by which it had certainly been stored."""
    sightings: list[int] = field(default_factory=list)
    replaced_by: list[int] = field(default_factory=list)
    """Operations that observed it and replaced it."""
    last_seen: float = -math.inf


@dataclass(frozen=True, slots=True)
class LifetimeInversion:
    """``observer`` observed ``old`` after ``new`` had certainly replaced it; ``gap`` is the time between."""

    observer: int
    old: ValueLifetime
    new: ValueLifetime
    gap: float


def lives(
    history: History, positions: Sequence[int], spec: Spec, condition: str, *, everything: Sequence[int]
) -> list[ValueLifetime]:
    """The values of one register, ordered by the earliest time at which they may have been stored.

    Empty for other specs, if times do not count, or if several objects are checked together. ``positions`` are
    examined; a value counts only if exactly one operation of ``everything``, which has all operations of the register,
    stored it.
    """
    kind = kind_of(spec)
    if kind not in REGISTERS or condition in NOT_LOCAL:
        return []
    made = [history.operations[position] for position in positions]  # operations are created on access
    flows = [flow_of(op, kind) for op in made]
    found: dict[Any, ValueLifetime] = {}
    twice: set[Any] = set()
    if len(positions) < len(everything):
        puts = Counter(flow_of(history.operations[position], kind).put_value for position in everything)
        twice.update(value for value, times in puts.items() if times > 1 and value is not None)
        if kind == "map":
            twice.add((None,))
    if kind != "map" or not spec.initial:  # a map with initial entries is not split by key
        found[None if kind == "map" else canonical(spec.initial),] = ValueLifetime(None, -math.inf, -math.inf)
    for position, op, flow in zip(positions, made, flows, strict=True):
        if op.name == "append":
            return []
        if flow.put is NOTHING:
            continue
        value = flow.put_value or (ABSENCE, position)
        if value in found:
            twice.add(value)
        if flow.put is ABSENCE:
            twice.add((None,))
        found[value] = ValueLifetime(position, op.call, op.end if flow.certain else math.inf)
    for position, op, flow in zip(positions, made, flows, strict=True):
        life = found.get(flow.seen_value) if flow.saw is not NOTHING else None
        if life is None or flow.seen_value in twice or op.end < life.call:
            continue  # it observed the value before it was stored, which is a different violation
        life.sightings.append(position)
        life.known = min(life.known, op.end)
        life.last_seen = max(life.last_seen, op.call)
        if flow.certain:
            life.replaced_by.append(position)
    return sorted((life for value, life in found.items() if value not in twice), key=lambda life: life.call)


def inversions(history: History, values: Sequence[ValueLifetime]) -> Iterator[LifetimeInversion]:
    """The observations of values that had certainly been replaced."""
    ops, skew = history.operations, history.clock_skew
    calls = [life.call for life in values]
    # For each value, the one that is known first among those that may have been stored from it on.
    earliest: list[ValueLifetime] = list(values)
    for index in range(len(values) - 2, -1, -1):
        if earliest[index + 1].known < values[index].known:
            earliest[index] = earliest[index + 1]
    by_installer = {life.installer: life for life in values}
    for old in values:
        replacing = (by_installer.get(position) for position in old.replaced_by)
        candidates = [life for life in replacing if life is not None and life is not old]  # not cas(1, 1)
        after = bisect.bisect_right(calls, old.known + skew)
        if after < len(values):
            candidates.append(earliest[after])
        for observer in old.sightings:
            new = min(
                (life for life in candidates if life.installer != observer), key=lambda life: life.known, default=None
            )
            if new is not None and ops[observer].call > new.known + skew:
                yield LifetimeInversion(observer, old, new, ops[observer].call - new.known)
