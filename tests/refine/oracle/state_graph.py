# SPDX-License-Identifier: Apache-2.0
"""All states of a machine, numbered, with their transitions; and strongly connected components."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from tests.refine.oracle.machine import Machine
from tests.refine.oracle.memory import Event, State
from tests.refine.oracle.rules import TooLargeError

NOWHERE = -1
"""The target of a failed assertion."""


class Arc(NamedTuple):
    """An edge between numbers of states."""

    actor: int
    cost: int
    events: tuple[Event, ...]
    target: int


class Graph:
    """The reachable states of a machine, the first one first, and the arcs that leave each."""

    def __init__(self, machine: Machine, *, limit: int) -> None:
        self.machine = machine
        first = machine.initial()
        self.states: list[State] = [first]
        self.numbers: dict[State, int] = {first: 0}
        self.arcs: list[list[Arc]] = []
        for state in self.states:  # it grows during the loop
            self.arcs.append([])
            for edge in machine.successors(state):
                target = NOWHERE
                if not any(event[0] == "fail" for event in edge.events):
                    target = self.numbers.setdefault(edge.target, len(self.states))
                    if target == len(self.states):
                        self.states.append(edge.target)
                        if target >= limit:
                            raise TooLargeError(f"more than {limit} states")
                self.arcs[-1].append(Arc(edge.actor, edge.cost, edge.events, target))


def orbits(count: int, images: Callable[[int], Iterable[int]]) -> int:
    """The number of classes of the numbers below ``count``; ``images`` of a number are the members of its class."""
    seen = bytearray(count)
    found = 0
    for number in range(count):
        if not seen[number]:
            found += 1
            for image in images(number):
                seen[image] = 1
    return found


def components(members: Sequence[int], followers: Callable[[int], Iterable[int]]) -> list[list[int]]:
    """Strongly connected components with a cycle in them, after Tarjan: several states, or one that leads to itself.

    Arcs that leave ``members`` are not followed.
    """
    inside = set(members)
    index: dict[int, int] = {}
    low: dict[int, int] = {}
    stack: list[int] = []
    on_stack: set[int] = set()
    found: list[list[int]] = []
    for root in members:
        if root in index:
            continue
        index[root] = low[root] = len(index)
        stack.append(root)
        on_stack.add(root)
        work = [(root, iter([f for f in followers(root) if f in inside]))]
        while work:
            node, ahead = work[-1]
            advanced = False
            for follower in ahead:
                if follower not in index:
                    index[follower] = low[follower] = len(index)
                    stack.append(follower)
                    on_stack.add(follower)
                    work.append((follower, iter([f for f in followers(follower) if f in inside])))
                    advanced = True
                    break
                if follower in on_stack:
                    low[node] = min(low[node], index[follower])
            if advanced:
                continue
            work.pop()
            if work:
                low[work[-1][0]] = min(low[work[-1][0]], low[node])
            if low[node] == index[node]:
                component: list[int] = []
                while not component or component[-1] != node:
                    component.append(stack.pop())
                    on_stack.discard(component[-1])
                if len(component) > 1 or node in followers(node):
                    found.append(component)
    return found
