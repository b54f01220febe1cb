# SPDX-License-Identifier: Apache-2.0
"""Finds loops in a trace, of one thread or of several threads that alternate regularly.

Two steps are alike if the same thread does the same at the same line to the same location; values may differ. A
preemption is not like any other step.
Guarantee: each repeated step is like the step one round before it, and the first and last rounds of a loop do not count
as repeated. Cost: O(n) in the number of steps, times the maximum length of a round.
"""

from __future__ import annotations

from typing import Final

from linpoint.traces.trace import Trace, TraceStep

_MAX_PERIOD_STEPS: Final = 48
_MIN_ROUNDS: Final = 4


def repeated_steps(trace: Trace) -> frozenset[int]:
    """Positions of steps that only repeat earlier ones, except the last round of each loop."""
    likes = _numbered(trace.steps)
    found: set[int] = set()
    position = 0
    while position < len(likes):
        period = _period(likes, position)
        if period == 0:
            position += 1
            continue
        end = position + period
        while end < len(likes) and likes[end] == likes[end - period]:
            end += 1
        found.update(range(position + period, end - period))
        position = end
    return frozenset(found)


def _numbered(steps: tuple[TraceStep, ...]) -> list[int]:
    """A number for each step; steps that are alike have the same number."""
    numbers: dict[object, int] = {}
    return [
        numbers.setdefault(
            (step.thread, step.kind, step.location, step.operation, step.place, step.preempts and position),
            len(numbers),
        )
        for position, step in enumerate(steps)
    ]


def _period(likes: list[int], position: int) -> int:
    """The length of the shortest round that begins here and repeats often enough; 0 if there is none."""
    for period in range(1, _MAX_PERIOD_STEPS + 1):
        last = position + period * (_MIN_ROUNDS - 1)
        if last + period > len(likes):
            return 0
        if (
            likes[position] == likes[position + period]
            and likes[position:last] == likes[position + period : last + period]
        ):
            return period
    return 0
