# SPDX-License-Identifier: Apache-2.0
"""Progress of a model: deadlock, lock-freedom, obstruction-freedom, and responses under fairness.

All properties are decided on the graph of the plain semantics: calls and returns are transitions of their own and so is
every access; no states are fused, compressed or identified. Each property is derived from cycles, by its definition:

- *deadlock*: a state without successors, with an operation open. (A process that may call nothing has ended.)
- *lock-free*: no cycle without a return.
- *obstruction-free*: no cycle of transitions of one process (and its buffer) without a return.
- *responds*: each call is followed by its return, on every maximal run that is fair. A run that ends in a deadlock with
  the operation open does not respond. Weakly fair: an actor that is enabled forever from some point on acts again and
  again. Strongly fair: an actor that is enabled again and again does so. The actors are the processes, calls included,
  and the buffers.

Waiting for a lock is not a step here, so a lock by itself makes no cycle. ``waits`` says whether an operation may wait
for a lock; if waiting counts as spinning, it means "neither lock-free nor obstruction-free".
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass

from tests.refine.oracle.flat_instructions import FALSE
from tests.refine.oracle.generation import RandomModel
from tests.refine.oracle.memory import IDLE, RETURNING
from tests.refine.oracle.rules import Local, Rules
from tests.refine.oracle.state_enumerator import LIMIT, graph_of
from tests.refine.oracle.state_graph import NOWHERE, Arc, Graph, components


@dataclass(frozen=True, slots=True)
class ProgressAnswer:
    """The answers. ``responds`` has an entry for no (``none``), ``weak`` and ``strong`` fairness."""

    states: int
    deadlock: bool
    deadlock_length: int | None
    waits: bool
    lock_free: bool
    obstruction_free: bool
    responds: dict[str, bool]


def progress_of(
    subject: RandomModel,
    *,
    processes: int | None = None,
    operations: int | None = None,
    memory_model: str | None = None,
    rules: Rules | None = None,
    limit: int = LIMIT,
) -> ProgressAnswer:
    """Decide all properties; parameters that are not given are taken from the model. With operations=0 calls never
    end.
    """
    graph = graph_of(
        subject,
        processes=processes,
        operations=operations,
        memory_model=memory_model,
        fusion=False,
        local=Local.STEPS,
        rules=rules,
        limit=limit,
    )
    everywhere = range(len(graph.states))
    actors = range(graph.machine.processes)
    stuck = [state for state in everywhere if not graph.arcs[state] and any(_open(graph, state, p) for p in actors)]
    return ProgressAnswer(
        states=len(graph.states),
        deadlock=bool(stuck),
        deadlock_length=_distance(graph, stuck),
        waits=any(_waits(graph, state, p) for state in everywhere for p in actors),
        lock_free=not _cycles(graph, everywhere, _by(None)),
        obstruction_free=not any(_cycles(graph, everywhere, _by({p, p + len(actors)})) for p in actors),
        responds={
            fairness: not any(_may_not_return(graph, p, stuck, fairness) for p in actors)
            for fairness in ("none", "weak", "strong")
        },
    )


def _open(graph: Graph, state: int, p: int) -> bool:
    return bool(graph.states[state][2][p][0] != IDLE)


def _waits(graph: Graph, state: int, p: int) -> bool:
    shared, _, blocks = graph.states[state]
    if blocks[p][0] in {IDLE, RETURNING}:
        return False
    instruction = graph.machine.layout.code[blocks[p][0]]
    return instruction.kind == "acquire" and bool(
        shared[graph.machine.layout.first[instruction.places[0].name]] != FALSE
    )


def _by(actors: Collection[int] | None) -> Callable[[Arc], bool]:
    return lambda arc: actors is None or arc.actor in actors


def _returns(arc: Arc) -> bool:
    return any(event[0] == "return" for event in arc.events)


def _cycles(graph: Graph, members: Iterable[int], counts: Callable[[Arc], bool]) -> list[list[int]]:
    """Components of the relevant arcs that are not returns."""
    return components(
        list(members),
        lambda state: [
            arc.target for arc in graph.arcs[state] if arc.target != NOWHERE and not _returns(arc) and counts(arc)
        ],
    )


def _distance(graph: Graph, goals: Collection[int]) -> int | None:
    """The least cost of a path to one of the states."""
    wanted = set(goals)
    reached = {0}
    level, cost = [0], 0
    while level and wanted:
        for state in level:  # arcs without cost extend it
            for arc in graph.arcs[state]:
                if not arc.cost and arc.target not in reached and arc.target != NOWHERE:
                    reached.add(arc.target)
                    level.append(arc.target)
        if wanted & reached:
            return cost
        following = {arc.target for state in level for arc in graph.arcs[state] if arc.cost} - reached - {NOWHERE}
        reached |= following
        level, cost = list(following), cost + 1
    return None


def _may_not_return(graph: Graph, p: int, stuck: Iterable[int], fairness: str) -> bool:
    """Whether some fair run leaves an operation of a process open forever."""
    if any(_open(graph, state, p) for state in stuck):
        return True
    pending = [state for state in range(len(graph.states)) if _open(graph, state, p)]
    return _fair_cycle(graph, p, pending, fairness)


def _fair_cycle(graph: Graph, p: int, members: list[int], fairness: str) -> bool:
    def stays(arc: Arc) -> bool:
        return arc.target != NOWHERE and not (arc.actor == p and _returns(arc))

    found = components(members, lambda state: [arc.target for arc in graph.arcs[state] if stays(arc)])
    for component in found:
        inside = set(component)
        moving = {arc.actor for s in component for arc in graph.arcs[s] if stays(arc) and arc.target in inside}
        able = [{arc.actor for arc in graph.arcs[state]} for state in component]
        if fairness == "none":
            return True
        if fairness == "weak":
            if set.intersection(*able) <= moving:
                return True
            continue
        starved = set.union(*able) - moving
        if not starved:
            return True
        # From some point on, a strongly fair run inside must avoid every state that enables a starved actor.
        rest = [state for state, who in zip(component, able, strict=True) if not who & starved]
        if rest and _fair_cycle(graph, p, rest, fairness):
            return True
    return False
