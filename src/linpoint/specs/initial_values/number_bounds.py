# SPDX-License-Identifier: Apache-2.0
"""Derives the initial value of a number from its changes and readings, by interval arithmetic.

A reading is the initial number plus all changes before it. Changes that had returned certainly count, and those that
overlap the reading may count. Each reading thus admits a few numbers, and the initial one is admitted by all of them.
"""

from __future__ import annotations

import bisect
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from linpoint.histories.operation import Operation, Outcome
from linpoint.histories.values import Value
from linpoint.specs.builtin.spec_declaration import is_number

_MAX_READINGS: Final = 8
_MAX_SUMS: Final = 64
"""The maximum number of sums that a reading may admit; more are not informative."""


@dataclass(frozen=True, slots=True)
class CounterMove:
    """An operation that changes the number. It is not certain if it may have had no effect."""

    op: Operation
    amount: Value
    certain: bool = True


def first_numbers(
    readings: Sequence[tuple[Operation, Value]], moves: Sequence[CounterMove], core: Sequence[Operation], *, near: Value
) -> list[Value]:
    """The numbers that fit the readings of ``core`` and the earliest other readings, nearest to ``near`` first."""
    conspiring = {id(op) for op in core}
    numbers = sorted((pair for pair in readings if is_number(pair[1])), key=lambda pair: pair[0].end)
    evidence = numbers[:_MAX_READINGS]
    evidence += [pair for pair in numbers[_MAX_READINGS:] if id(pair[0]) in conspiring][:_MAX_READINGS]
    fit: set[Value] | None = None
    for op, value in evidence:
        before = _sums_before(op, moves)
        if before is not None:
            these = {value - each for each in before}
            fit = these if fit is None else fit & these
    return sorted(fit or (), key=lambda number: (abs(number - near), number))


def _sums_before(op: Operation, moves: Sequence[CounterMove]) -> set[Value] | None:
    """The possible sums of the changes before ``op``; None if there are too many."""
    total: Value = 0
    sums: set[Value] = {0}
    for move in moves:
        if move.op is op or move.op.call > op.end:
            continue
        if move.certain and move.op.outcome is Outcome.OK and move.op.end < op.call:
            total += move.amount
        else:
            sums |= {each + move.amount for each in sums}
            if len(sums) > _MAX_SUMS:
                return None
    return {total + each for each in sums}


def shortage(taken: Sequence[float], given: Sequence[float]) -> int:
    """The minimum number that must have been there from the start.

    ``taken`` holds the ends of removals, ``given`` the calls of insertions. By the end of the i-th removal, i items
    were removed, and at most as many were inserted as insertions had been called.
    """
    calls = sorted(given)
    return max([0, *(i - bisect.bisect_right(calls, end) for i, end in enumerate(sorted(taken), 1))])
