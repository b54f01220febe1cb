# SPDX-License-Identifier: Apache-2.0
"""The real-time order of operations as integers: distinct ranks for calls and returns.

Guarantee: a precedes b iff ``returns[a] < calls[b]`` or both are in one of ``chains``, a before b. Intervals are
closed, so at one instant calls come before returns; but two operations of *one* process that touch are sequential.
One process that touches itself at an instant can be ranked exactly. Two cannot: with A: a[1,5] b[5,9] and
B: c[1,5] d[5,9], a < b and c < d, yet neither a < d nor c < b, which no ranks express. Only then are there chains.
Cost: O(n log n).
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

from linpoint.histories.operation import Process, Time

NEVER: Final = 2**63 - 1
"""The return rank of an operation that never returns."""

# What happens at one instant, in this order. EARLY: returns at the very time of a crash.
EARLY_RETURN, CRASH, RECOVERY, CALL, RETURN = range(5)


@dataclass(frozen=True, slots=True)
class Span:
    """When an operation may take effect: from its call to its return (None: at any later time).

    ``call_phase`` and ``return_phase`` order what happens at one instant.
    """

    process: Process | None
    call: Time
    return_: Time | None
    call_phase: int = CALL
    return_phase: int = RETURN


@dataclass(frozen=True, slots=True)
class Order:
    """Ranks of calls and returns, and the chains of operations whose order ranks cannot express."""

    calls: array[int]
    returns: array[int]
    chains: list[list[int]] = field(default_factory=list)


def order(spans: Sequence[Span]) -> Order:
    """Rank the calls and returns of ``spans``."""
    events = [(span.call, span.call_phase, index) for index, span in enumerate(spans)]
    events += [
        (span.return_, span.return_phase, ~index) for index, span in enumerate(spans) if span.return_ is not None
    ]
    events.sort(key=lambda event: event[:2])  # stable: ties of one phase keep their order
    calls = array("q", bytes(8 * len(spans)))
    returns = array("q", [NEVER]) * len(spans)
    chains: list[list[int]] = []
    for time, found in _touching(spans).items():
        if len(found) > 1:
            chains += found.values()
        else:
            _separate(events, time, *found.values())
    for rank, (_, _, index) in enumerate(events):
        if index >= 0:
            calls[index] = rank
        else:
            returns[~index] = rank
    return Order(calls, returns, chains)


def _touching(spans: Sequence[Span]) -> dict[Time, dict[Process, list[int]]]:
    """By instant and process: a run of operations of which each returns when the next one calls."""
    last: dict[Process, int] = {}
    touching: dict[Time, dict[Process, list[int]]] = {}
    for index in _by_call(spans):
        span = spans[index]
        if span.process is None:
            continue
        before = last.get(span.process)
        last[span.process] = index
        if before is not None and spans[before].return_ == span.call and spans[before].return_phase == RETURN:
            touching.setdefault(span.call, {}).setdefault(span.process, [before]).append(index)
    return touching


def _by_call(spans: Sequence[Span]) -> Iterable[int]:
    return sorted(
        range(len(spans)),
        key=lambda index: (
            spans[index].call,
            float("inf") if (end := spans[index].return_) is None else end,
        ),
    )


def _separate(events: list[tuple[Time, int, int]], time: Time, chain: list[int]) -> None:
    """Put the events of the one process that touches itself at ``time`` in its own order.

    Everyone else's calls at that instant come before them and everyone else's returns after, so all still overlap.
    """
    first = _position(events, time)
    last = first
    while last < len(events) and events[last][0] == time:
        last += 1
    group = [event for event in events[first:last] if event[1] in (CALL, RETURN)]
    own = [~chain[0]]  # the first returns, those between call and return, the last one calls
    for index in chain[1:-1]:
        own += [index, ~index]
    own.append(chain[-1])
    mine = set(own)
    head = [event for event in events[first:last] if event[1] not in (CALL, RETURN)]
    others = [event for event in group if event[2] not in mine]
    ordered = [event for event in others if event[1] == CALL]
    ordered += [(time, CALL if index >= 0 else RETURN, index) for index in own]
    ordered += [event for event in others if event[1] == RETURN]
    events[first:last] = head + ordered


def _position(events: list[tuple[Time, int, int]], time: Time) -> int:
    low, high = 0, len(events)
    while low < high:
        middle = (low + high) // 2
        if events[middle][0] < time:
            low = middle + 1
        else:
            high = middle
    return low
