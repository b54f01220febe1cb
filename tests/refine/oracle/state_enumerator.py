# SPDX-License-Identifier: Apache-2.0
"""The verdict on a model, from all of its states, without any reduction.

The product of the states of the model (:mod:`machine`) and the sets of the spec (:mod:`configuration_sets`) is searched
in the order of cost: a step costs 1, calls and returns nothing (a deque suffices: zero costs are put in front). A
return that no configuration allows is a violation, and so is a failed assertion; the search does not continue after
either.

The counts mean:

- ``implementation_states``: reachable states of the model alone, including the first; :mod:`machine` defines a state.
  *Fused*, a process is idle or before an access, never between call and first step or after its last step.
  Not fused, it is also before its first access, or before its return with the result known.
- ``states``: reachable pairs of such a state and a closed set of configurations; None after a violation, where it would
  depend on the order of the search.
- ``orbits`` and ``implementation_orbits``: the same up to a permutation of processes with the same role (of blocks,
  nodes renumbered, and of the statuses in the configurations).
- ``length``: the least cost of a violation. ``switches``: among those runs, the least number of times that the next
  transition belongs to another process (only under SC; where calls and local accesses have transitions of their own,
  it counts steps only).

Cost: a few microseconds for each arc of the product, some tens for each transition of the model.
"""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, lru_cache

from tests.refine.oracle.configuration_sets import SpecSets
from tests.refine.oracle.generation import RandomModel
from tests.refine.oracle.machine import Machine
from tests.refine.oracle.memory import Event
from tests.refine.oracle.rules import Local, Rules
from tests.refine.oracle.state_graph import NOWHERE, Arc, Graph, orbits

LIMIT = 200_000


@dataclass(frozen=True, slots=True)
class OracleAnswer:
    """The answer of the oracle; the module describes each number.

    ``verdict`` is ``linearizable``, ``violation`` or ``assertion``; with points ``inconclusive`` replaces a violation.
    ``events`` are the calls and returns of a shortest violation, the rejected one last. ``stepless`` says that some
    operation may return without a step; fusion of such an operation is a matter of definition.
    """

    verdict: str
    length: int | None
    switches: int | None
    events: tuple[Event, ...]
    states: int | None
    orbits: int | None
    implementation_states: int
    implementation_orbits: int
    stepless: bool


def explore(
    subject: RandomModel,
    *,
    processes: int | None = None,
    operations: int | None = None,
    memory_model: str | None = None,
    fusion: bool = True,
    local: Local = Local.COMPRESSED,
    points: bool = False,
    rules: Rules | None = None,
    limit: int = LIMIT,
) -> OracleAnswer:
    """Decide a model; parameters that are not given are taken from it.

    ``fusion=False, local=Local.FREE`` is the plain semantics; ``fusion=True, local=Local.STEPS`` is what an engine with
    all other reductions off should count.
    """
    graph = graph_of(
        subject,
        processes=processes,
        operations=operations,
        memory_model=memory_model,
        fusion=fusion,
        local=local,
        rules=rules,
        limit=limit,
    )
    machine = graph.machine
    sets = SpecSets(machine.model, processes=machine.processes, points=points)
    product = Product(graph, sets)
    found = product.search()
    verdict = "linearizable"
    if found is not None:
        verdict = "assertion" if found.events[-1][0] == "fail" else "inconclusive" if points else "violation"
    symmetries = machine.symmetries()

    @cache  # an orbit is marked from its first member, so few states are permuted
    def moved(number: int, order: tuple[int, ...]) -> int:
        return graph.numbers[machine.permuted(graph.states[number], order)]

    return OracleAnswer(
        verdict=verdict,
        length=found.length if found else None,
        switches=product.fewest_switches(found.length) if found and not machine.layout.tso else None,
        events=found.events if found else (),
        states=None if found else len(product.distance),
        orbits=None if found else product.orbits(symmetries, moved),
        implementation_states=len(graph.states),
        implementation_orbits=orbits(len(graph.states), lambda n: [moved(n, order) for order in symmetries]),
        stepless=any(_stepless(graph, arc) for arcs in graph.arcs for arc in arcs),
    )


def graph_of(
    subject: RandomModel,
    *,
    processes: int | None = None,
    operations: int | None = None,
    memory_model: str | None = None,
    fusion: bool = True,
    local: Local = Local.COMPRESSED,
    rules: Rules | None = None,
    limit: int = LIMIT,
) -> Graph:
    """All states of a model; the last few graphs are kept."""
    return _graph(
        subject,
        subject.processes if processes is None else processes,
        subject.operations if operations is None else operations,
        memory_model or subject.memory_model,
        fusion,
        local,
        rules or Rules(),
        limit,
    )


@lru_cache(maxsize=8)
def _graph(
    subject: RandomModel,
    processes: int,
    operations: int,
    memory_model: str,
    fusion: bool,
    local: Local,
    rules: Rules,
    limit: int,
) -> Graph:
    machine = Machine(
        subject.model,
        processes=processes,
        operations=operations,
        memory_model=memory_model,
        fused=fusion,
        local=local,
        rules=rules,
    )
    return Graph(machine, limit=limit)


@dataclass(frozen=True, slots=True)
class Found:
    """A shortest violation: its cost and its events."""

    length: int
    events: tuple[Event, ...]


Pair = tuple[int, int]
Moved = Callable[[int, tuple[int, ...]], int]


class Product:
    """Pairs of a state and a set."""

    def __init__(self, graph: Graph, sets: SpecSets) -> None:
        self._graph, self._sets = graph, sets
        self.distance: dict[Pair, int] = {}
        self._parents: dict[Pair, tuple[Pair, Arc]] = {}
        self.first: Pair = (0, sets.first)

    def arcs(self, pair: Pair) -> Iterator[tuple[Arc, int | None]]:
        """The arcs that leave a pair, and the set after each; None if it is rejected."""
        state, number = pair
        for arc in self._graph.arcs[state]:
            after: int | None = number
            for event in arc.events:
                if after is not None:
                    after = self._sets.after(after, event)
            yield arc, None if arc.target == NOWHERE else after

    def search(self) -> Found | None:
        """All pairs in the order of cost, up to the first violation."""
        ahead = deque([(0, self.first)])
        best: tuple[int, Pair, Arc] | None = None
        self.distance = {self.first: 0}
        done: set[Pair] = set()
        while ahead:
            distance, pair = ahead.popleft()
            if best is not None and distance >= best[0]:
                break
            if pair in done:
                continue
            done.add(pair)
            for arc, after in self.arcs(pair):
                cost = distance + arc.cost
                if after is None:
                    if best is None or cost < best[0]:
                        best = (cost, pair, arc)
                    continue
                target = (arc.target, after)
                if target not in self.distance or cost < self.distance[target]:
                    self.distance[target] = cost
                    self._parents[target] = (pair, arc)
                    if arc.cost:
                        ahead.append((cost, target))
                    else:
                        ahead.appendleft((cost, target))
        if best is None:
            return None
        cost, pair, arc = best
        return Found(cost, self._events(pair, arc))

    def _events(self, pair: Pair, arc: Arc) -> tuple[Event, ...]:
        """The events on the way to a rejected arc, up to the rejected event."""
        arcs = []
        state = pair
        while state != self.first:
            state, before = self._parents[state]
            arcs.append(before)
        events = [event for each in reversed(arcs) for event in each.events]
        after: int | None = pair[1]
        for event in arc.events:
            events.append(event)
            after = self._sets.after(after, event) if after is not None else None
            if after is None or event[0] == "fail":
                break
        return tuple(event for event in events if event[0] != "point" or event == events[-1])

    def fewest_switches(self, length: int) -> int:
        """The least number of switches in a violation of this cost. Transitions without cost do not count as
        switches.
        """
        best: dict[tuple[Pair, int], tuple[int, int]] = {}
        ahead = [(0, 0, -1, self.first)]
        while ahead:
            cost, switches, last, pair = heapq.heappop(ahead)
            if best.get((pair, last), (cost, switches)) < (cost, switches):
                continue
            if pair == (NOWHERE, NOWHERE):
                return switches
            for arc, after in self.arcs(pair):
                actor = arc.actor if arc.cost else last
                now = (cost + arc.cost, switches + (last not in {-1, actor}))
                target = (NOWHERE, NOWHERE) if after is None else (arc.target, after)
                if now[0] <= length and now < best.get((target, actor), (length + 1, 0)):
                    best[target, actor] = now
                    heapq.heappush(ahead, (*now, actor, target))
        raise AssertionError("there is a violation of this length")

    def orbits(self, symmetries: list[tuple[int, ...]], moved: Moved) -> int:
        """The number of classes of pairs; ``moved`` gives the image of a state under a permutation."""
        pairs = list(self.distance)
        numbers = {pair: number for number, pair in enumerate(pairs)}

        def images(number: int) -> Iterator[int]:
            state, held = pairs[number]
            for order in symmetries:
                yield numbers[moved(state, order), self._sets.permuted(held, order)]

        return orbits(len(pairs), images)


def _stepless(graph: Graph, arc: Arc) -> bool:
    """A call that returns within a transition of no cost."""
    words = {event[0] for event in arc.events}
    if arc.cost or arc.actor >= graph.machine.processes:
        return False
    return {"call", "return"} <= words
