# SPDX-License-Identifier: Apache-2.0
"""Random runs of a model, and histories that the product can check.

The only module here that knows the product: it compares the oracle's rejected returns with ``linpoint.check``.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator

import linpoint
from tests.refine.oracle.configuration_sets import SpecSets
from tests.refine.oracle.flat_instructions import decoded
from tests.refine.oracle.generation import RandomModel
from tests.refine.oracle.language import Model
from tests.refine.oracle.memory import Event
from tests.refine.oracle.rules import Local
from tests.refine.oracle.state_enumerator import Product, graph_of
from tests.refine.oracle.state_graph import NOWHERE


def random_runs(subject: RandomModel, *, runs: int, seed: int = 0) -> Iterator[tuple[tuple[Event, ...], bool]]:
    """Calls and returns of random runs of the plain semantics, and whether the last return was rejected."""
    graph = graph_of(subject, fusion=False, local=Local.FREE)
    sets = SpecSets(subject.model, processes=subject.processes, points=False)
    product = Product(graph, sets)
    rng = random.Random(seed)
    for _ in range(runs):
        pair, events = product.first, []
        refused = False
        for _ in range(200):
            ways = list(product.arcs(pair))
            if not ways or refused:
                break
            arc, after = rng.choice(ways)
            events += [event for event in arc.events if event[0] in {"call", "return"}]
            refused = after is None and arc.target != NOWHERE
            if after is not None:
                pair = (arc.target, after)
        yield tuple(events), refused


def history_of(events: Iterable[Event]) -> linpoint.History:
    """The history of calls and returns: each happens at its place in the order; open operations have an unknown
    outcome.
    """
    opened: dict[int, tuple[int, str, tuple[int, ...]]] = {}
    operations = []
    for time, (word, process, *rest) in enumerate(events):
        if word == "call":
            opened[process] = (time, *rest)
        else:
            called, name, args = opened.pop(process)
            result = decoded(rest[0])
            operations.append(linpoint.Operation(process, name, args, result, called, time))
    for process, (called, name, args) in opened.items():
        operations.append(linpoint.Operation(process, name, args, call=called, outcome=linpoint.Outcome.UNKNOWN))
    return linpoint.History(operations)


def spec_of(model: Model) -> linpoint.Spec:
    """The model's spec as the product reads it."""
    body: dict[str, object] = {}
    exec(model.spec, body)
    del body["__builtins__"]
    return linpoint.spec(type(f"{model.name}Spec", (), body))
