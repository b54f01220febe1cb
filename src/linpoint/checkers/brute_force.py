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
from linpoint.specs.spec import Spec
from linpoint.verdicts.witness import Witness


def brute_force(
    history: History, positions: Sequence[int], spec: Spec, condition: str, *, tick: Callable[[], object] = bool
) -> tuple[bool, Witness]:
    """Decide the operations at ``positions``; the order found, or the longest. ``tick`` may raise to give up."""
    ops = [history.operations[position] for position in positions]
    required = [op.outcome is Outcome.OK for op in ops]
    objects = [canonical(spec.arguments(op)[0] if spec.key_argument else op.key) for op in ops]
    crashes = [crash for crash in history.crashes if condition != "linearizable"]
    bounds = sorted({c.time for c in crashes if c.process is None}) if condition == "buffered-durable" else []
    eras = [[i for i, op in enumerate(ops) if sum(t <= op.call for t in bounds) == e] for e in range(len(bounds) + 1)]

    def end(op: Operation) -> float:
        cut = [c.time for c in crashes if c.covers(op.process) and c.time > op.call] if condition == "strict" else []
        return op.return_ if op.outcome is Outcome.OK and op.return_ is not None else min(cut, default=float("inf"))

    def before(i: int, j: int) -> bool:
        """Whether operation i must take effect before operation j, if both do."""
        a, b = ops[i], ops[j]
        earlier = a.process == b.process and (a.call, end(a), i) < (b.call, end(b), j)
        hinted = a.order is not None and b.order is not None and a.order < b.order and objects[i] == objects[j]
        if condition == "sequential" or (condition == "recoverable" and earlier and not required[i]):
            return earlier or hinted
        # The clocks agree only if there is no skew: then what touches a crash is on its side of it.
        apart = not history.clock_skew and any(a.call < c.time and end(a) <= c.time <= b.call for c in crashes)
        return hinted or apart or end(a) + history.clock_skew < b.call or (earlier and end(a) <= b.call)

    orders = [[before(i, j) for j in range(len(ops))] for i in range(len(ops))]
    refuted: set[Any] = set()
    best: tuple[list[int], list[int]] = ([], [])

    def search(era: int, order: list[int], state: dict[Any, Any], saved: Any, survivors: list[int]) -> bool:
        """Extend ``order`` in this era; ``saved`` is (survivors, their state) once chosen for the crash that ends it."""
        nonlocal best
        tick()
        done = set(order).intersection(eras[era])
        complete = all(i in done for i in eras[era] if required[i])
        if (complete and era == len(bounds)) or sum(required[i] for i in order) > sum(required[i] for i in best[0]):
            best = (order, survivors)
        if complete and era == len(bounds):
            return True
        configuration = (era, frozenset(done), canonical(state), canonical(saved))
        if configuration in refuted:
            return False
        refuted.add(configuration)
        if complete and saved is not None and search(era + 1, order, saved[1], None, [*survivors, saved[0]]):
            return True
        if era < len(bounds) and saved is None and search(era, order, state, (len(done), state), survivors):
            return True
        for i in set(eras[era]) - done:
            waits = any(orders[j][i] and required[j] for j in eras[era] if j not in done)
            if waits or any(orders[i][j] for j in done):
                continue
            key = None if spec.key_argument else canonical(ops[i].key)
            for after in spec.successors(state.get(key, spec.initial), ops[i]):
                if search(era, [*order, i], {**state, key: after}, saved, survivors):
                    return True
        return False

    found = search(0, [], {}, None, [])
    return found, Witness(tuple(positions[i] for i in best[0]), tuple(best[1]) if bounds else None)
