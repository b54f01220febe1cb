# SPDX-License-Identifier: Apache-2.0
"""The oracle: every condition decided from its definition, in plain Python, to hold the fast checkers to account.

Tries the orders of the operations one by one and remembers only what it has refuted. It shares nothing with the
other checkers but the history and the spec. Cost: exponential; meant for about a dozen operations.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from linpoint.histories.history import History
from linpoint.histories.operation import Operation, Outcome
from linpoint.histories.values import canonical
from linpoint.specs.protocol import Spec
from linpoint.verdicts.witness import Witness


def brute_force(
    history: History, positions: Sequence[int], spec: Spec, condition: str, *, tick: Callable[[], object] = bool
) -> tuple[bool, Witness]:
    """Decide the operations at ``positions``; the order found, or the longest. ``tick`` may raise to give up."""
    ops = [history.operations[position] for position in positions]
    everything = range(len(ops))
    required = [op.outcome is Outcome.OK for op in ops]
    objects = [canonical(spec.arguments(op)[0] if spec.key_argument else op.key) for op in ops]
    keys = [None if spec.key_argument else canonical(op.key) for op in ops]
    crashes = [crash for crash in history.crashes if condition != "linearizable"]
    bounds = sorted({c.time for c in crashes if c.process is None}) if condition == "buffered-durable" else []

    def end(op: Operation) -> float:
        cut = [c.time for c in crashes if c.covers(op.process) and c.time > op.call] if condition == "strict" else []
        return op.return_ if op.outcome is Outcome.OK and op.return_ is not None else min(cut, default=float("inf"))

    ends = [end(op) for op in ops]

    def before(i: int, j: int) -> bool:
        """Whether operation i must take effect before operation j, if both do."""
        a, b = ops[i], ops[j]
        earlier = a.process == b.process and (a.call, ends[i], i) < (b.call, ends[j], j)
        hinted = a.order is not None and b.order is not None and a.order < b.order and objects[i] == objects[j]
        if condition == "sequential" or (condition == "recoverable" and earlier and not required[i]):
            return earlier or hinted
        # The clocks agree only if there is no skew: then what touches a crash is on its side of it.
        apart = not history.clock_skew and any(a.call < c.time and ends[i] <= c.time <= b.call for c in crashes)
        return hinted or apart or ends[i] + history.clock_skew < b.call or (earlier and ends[i] <= b.call)

    # Sets of operations are numbers from here on, one bit for each.
    orders = [[before(i, j) for j in everything] for i in everything]
    awaited = [sum(1 << j for j in everything if orders[j][i] and required[j]) for i in everything]
    barring = [sum(1 << j for j in everything if orders[i][j]) for i in everything]
    must = sum(1 << i for i in everything if required[i])
    begun = [sum(t <= op.call for t in bounds) for op in ops]
    eras = [sum(1 << i for i in everything if begun[i] == era) for era in range(len(bounds) + 1)]
    refuted: set[Any] = set()
    best: tuple[list[int], list[int]] = ([], [])
    most = 0

    def search(era: int, order: list[int], done: int, state: dict[Any, Any], saved: Any, survivors: list[int]) -> bool:
        """Extend ``order`` in this era; ``saved`` is (survivors, their state) once chosen for the crash that ends it."""
        nonlocal best, most
        tick()
        missing = eras[era] & ~done
        complete = not missing & must
        finished = complete and era == len(bounds)
        if finished or (done & must).bit_count() > most:
            best, most = (order, survivors), (done & must).bit_count()
        if finished:
            return True
        configuration = (era, done & eras[era], canonical(state), canonical(saved))
        if configuration in refuted:
            return False
        refuted.add(configuration)
        if complete and saved is not None and search(era + 1, order, done, saved[1], None, [*survivors, saved[0]]):
            return True
        if era < len(bounds) and saved is None:
            survive = (done & eras[era]).bit_count()
            if search(era, order, done, state, (survive, state), survivors):
                return True
        for i in everything:
            if not missing >> i & 1 or awaited[i] & missing or barring[i] & done & eras[era]:
                continue
            for after in spec.successors(state.get(keys[i], spec.initial), ops[i]):
                if search(era, [*order, i], done | 1 << i, {**state, keys[i]: after}, saved, survivors):
                    return True
        return False

    found = search(0, [], 0, {}, None, [])
    return found, Witness(tuple(positions[i] for i in best[0]), tuple(best[1]) if bounds else None)
