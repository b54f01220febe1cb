# SPDX-License-Identifier: Apache-2.0
"""The number of states of the product of an implementation and its normalised spec, by plain counting.

A state is one of the implementation with a set of states of the spec, closed under unobservable steps (Liu et al., FM
2009, definition 4). Cost: a Python object for each state; a million take half a minute.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from typing import Any, Protocol

Event = Hashable
"""None is an unobservable step."""
Moves = Iterator[tuple[Event, Any]]
"""Possible events, and the states after them."""


class Modelled(Protocol):
    """An implementation and its spec, as two transition systems."""

    @property
    def first(self) -> Any:
        """The initial state of the implementation."""

    @property
    def spec_first(self) -> Any:
        """The initial state of the spec."""

    def moves(self, state: Any) -> Moves:
        """The moves of the implementation."""

    def spec_moves(self, state: Any) -> Moves:
        """The moves of the spec."""

    def chosen(self, state: Any) -> Iterable[tuple[Event, Any]]:
        """The moves of the implementation to explore: all, or fewer with a reduction."""


def replaced(row: tuple[Any, ...], at: int, value: Any) -> tuple[Any, ...]:
    """The row with one element changed."""
    return (*row[:at], value, *row[at + 1 :])


def count(model: Modelled) -> int:
    """The number of states. The spec must allow everything that the implementation does."""

    def closed(states: set[Any]) -> frozenset[Any]:
        waiting = [*states]
        while waiting:
            for event, after in model.spec_moves(waiting.pop()):
                if event is None and after not in states:
                    states.add(after)
                    waiting.append(after)
        return frozenset(states)

    numbers: dict[frozenset[Any], int] = {}
    sets: list[frozenset[Any]] = []

    def number(found: frozenset[Any]) -> int:
        if found not in numbers:
            numbers[found] = len(sets)
            sets.append(found)
        return numbers[found]

    def allowed_after(allowed: int, event: Event) -> int:
        found = {after for each in sets[allowed] for other, after in model.spec_moves(each) if other == event}
        assert found, f"the spec refuses {event}"
        return number(closed(found))

    known: dict[tuple[int, Event], int] = {}
    begin = (model.first, number(closed({model.spec_first})))
    seen, waiting = {begin}, [begin]
    while waiting:
        state, allowed = waiting.pop()
        for event, after in model.chosen(state):
            then = allowed
            if event is not None:
                if (allowed, event) not in known:
                    known[allowed, event] = allowed_after(allowed, event)
                then = known[allowed, event]
            if (after, then) not in seen:
                seen.add((after, then))
                waiting.append((after, then))
    return len(seen)
