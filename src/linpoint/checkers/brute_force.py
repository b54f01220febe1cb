# SPDX-License-Identifier: Apache-2.0
"""The oracle: decides every condition from its definition, in plain Python, to validate the fast checkers.

It tries the orders of the operations one by one and remembers only refuted configurations. It shares nothing with the
other checkers except the history and the spec. The rules of a condition about times are in ``condition_definition``,
which only the oracle uses. Cost: exponential; meant for about a dozen operations.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from linpoint.checkers.condition_definition import ConditionDefinition
from linpoint.histories.history import History
from linpoint.histories.operation import Outcome
from linpoint.histories.values import canonical
from linpoint.specs.spec import Spec
from linpoint.verdicts.witness import Witness


def brute_force(
    history: History, positions: Sequence[int], spec: Spec, condition: str, *, tick: Callable[[], object] = bool
) -> tuple[bool, Witness]:
    """Decide the operations at ``positions``. Returns the order found or the longest prefix. ``tick`` may raise."""
    ops = [history.operations[position] for position in positions]
    required = [op.outcome is Outcome.OK for op in ops]
    definition = ConditionDefinition(history, ops, spec, condition)
    eras, crashes = definition.eras, len(definition.bounds)
    orders = [[definition.before(i, j) for j in range(len(ops))] for i in range(len(ops))]
    refuted: set[Any] = set()
    best: tuple[list[int], list[tuple[int, int]]] = ([], [])

    def search(order: list[int], state: dict[Any, Any], saved: Any, ended: list[tuple[int, int]]) -> bool:
        """Extend ``order`` in the current era.

        ``ended`` contains, for each earlier era, the number of its operations and how many of them survived. ``saved``
        contains the number of survivors of this era and the state that survives, once they are chosen.
        """
        nonlocal best
        tick()
        era, done = len(ended), set(order)
        here = len(order) - sum(count for count, _ in ended)
        complete = all(i in done for i in range(len(ops)) if required[i] and eras[i][-1] <= era)
        if (complete and era == crashes) or sum(required[i] for i in order) > sum(required[i] for i in best[0]):
            best = (order, ended)
        if complete and era == crashes:
            return True
        configuration = (era, frozenset(done), canonical(state), canonical(saved))
        if configuration in refuted:
            return False
        refuted.add(configuration)
        if complete and saved is not None and search(order, saved[1], None, [*ended, (here, saved[0])]):
            return True
        if era < crashes and saved is None and search(order, state, (here, state), ended):
            return True
        for i in range(len(ops)):
            waits = any(orders[j][i] and required[j] for j in range(len(ops)) if j not in done)
            if i in done or era not in eras[i] or waits or any(orders[i][j] for j in done):
                continue
            key = None if spec.key_argument else canonical(ops[i].key)
            for after in spec.successors(state.get(key, spec.initial), ops[i]):
                if search([*order, i], {**state, key: after}, saved, ended):
                    return True
        return False

    found = search([], {}, None, [])
    order, ended = tuple(positions[i] for i in best[0]), best[1]
    if not crashes:
        return found, Witness(order)
    return found, Witness(order, tuple(kept for _, kept in ended), tuple(count for count, _ in ended))
