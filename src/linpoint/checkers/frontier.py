# SPDX-License-Identifier: Apache-2.0
"""Where a search got stuck, in words a person can use: who had to come next, and what the spec would have allowed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from linpoint.checkers import conditions
from linpoint.checkers.certify import run
from linpoint.histories.columns import NEVER
from linpoint.histories.history import History
from linpoint.histories.operation import Operation
from linpoint.histories.values import Value, canonical
from linpoint.specs.protocol import Spec, State
from linpoint.verdicts.refutation import Blocked, StuckFrontier


def stuck_frontier(
    history: History, positions: Sequence[int], spec: Spec, condition: str, prefix: Sequence[int]
) -> StuckFrontier:
    """The refutation that a longest legal prefix makes: which operations come next and why each is rejected."""
    if condition == "buffered-durable":  # its prefix does not show where the state went back at a crash
        return StuckFrontier(tuple(prefix), ())
    states = run(spec, not spec.key_argument, (history.operations[place] for place in prefix))
    done = set(prefix)
    problem = conditions.build(history, positions, spec, condition)
    held_back = {problem.positions[b] for a, b in problem.before if problem.positions[a] not in done}
    waiting = [
        (place, call, ret)
        for place, call, ret, optional in zip(
            problem.positions, problem.calls, problem.returns, problem.optional, strict=True
        )
        if place is not None and place not in done and not optional
    ]
    first_return = min((ret for _, _, ret in waiting), default=NEVER)
    blocked = [
        Blocked(place, allowed_results(spec, states, history.operations[place]))
        for place, call, _ in waiting
        if call < first_return and place not in held_back
    ]
    return StuckFrontier(tuple(prefix), tuple(blocked))


def allowed_results(spec: Spec, states: list[dict[Any, State]], op: Operation) -> tuple[Value, ...]:
    """What the spec would have let the operation return in any of ``states``; empty if it is no legal step there."""
    results: dict[Any, Value] = {}
    for state in states:
        for given, _ in spec.outcomes(state.get(_object(spec, op), spec.initial), op):
            results.setdefault(canonical(given), given)
    return tuple(results.values())


def _object(spec: Spec, op: Operation) -> Any:
    return None if spec.key_argument else canonical(op.key)
