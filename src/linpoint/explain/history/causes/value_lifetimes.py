# SPDX-License-Identifier: Apache-2.0
"""When values of a register were current, and who saw one that was certainly gone.

Only values that one operation put there are looked at, so that who saw a value saw what that operation wrote; this is
what suggests causes, not what proves violations. Cost: O(n log n) for a key.
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
class LifetimeInversion:
    """``observer`` saw ``old`` after ``new`` had certainly taken its place; ``gap`` is by how much."""

    observer: int
    old: ValueLifetime
    new: ValueLifetime
    gap: float


def lives(
    history: History, positions: Sequence[int], spec: Spec, condition: str, *, everything: Sequence[int]
) -> list[ValueLifetime]:
    """The values of one register, by the earliest time at which they may have been put there; none for other specs, and
    where times do not count or several objects are checked together.

    ``positions`` are looked at; a value counts only if one of ``everything``, all operations of the register, put it there.
    """
    kind = kind_of(spec)
    if kind not in REGISTERS or condition in NOT_LOCAL:
        return []
    made = [history.operations[position] for position in positions]  # each is made when it is asked for
    flows = [flow_of(op, kind) for op in made]
    found: dict[Any, ValueLifetime] = {}
    twice: set[Any] = set()
    if len(positions) < len(everything):
        puts = Counter(flow_of(history.operations[position], kind).put_value for position in everything)
        twice.update(value for value, times in puts.items() if times > 1 and value is not None)
        if kind == "map":
            twice.add((None,))
    if kind != "map" or not spec.initial:  # of a map that starts with something, nobody asks which key has what
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
            continue  # it saw the value before it was put there, which is another story
        life.sightings.append(position)
        life.known = min(life.known, op.end)
        life.last_seen = max(life.last_seen, op.call)
        if flow.certain:
            life.replaced_by.append(position)
    return sorted((life for value, life in found.items() if value not in twice), key=lambda life: life.call)


def inversions(history: History, values: Sequence[ValueLifetime]) -> Iterator[LifetimeInversion]:
    """Who saw a value after another had certainly taken its place."""
    ops, skew = history.operations, history.clock_skew
    calls = [life.call for life in values]
    # The value, of all that may have been put there from this one on, that is the first to be known.
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
