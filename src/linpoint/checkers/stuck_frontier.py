# SPDX-License-Identifier: Apache-2.0
"""Describes where a search got stuck: the operations that had to come next, and the results that the spec allows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from linpoint.checkers.certify import run_prefix
from linpoint.checkers.conditions import NOT_LOCAL
from linpoint.checkers.history_interpretation import HistoryInterpretation
from linpoint.histories.history import History
from linpoint.histories.integer_columns import NEVER_RANK
from linpoint.histories.operation import Operation
from linpoint.histories.values import Value, canonical
from linpoint.specs.spec import Spec, State
from linpoint.verdicts.partial_search import PartialSearch
from linpoint.verdicts.refutation import Blocked, StuckFrontier


def stuck_frontier(
    history: History,
    positions: Sequence[int],
    spec: Spec,
    condition: str,
    prefix: Sequence[int],
    *,
    reading: HistoryInterpretation | None = None,
) -> StuckFrontier:
    """The refutation from a longest legal prefix: the operations that can come next, and why each is rejected."""
    if condition == "buffered-durable":  # its prefix does not show which state a crash restored
        return StuckFrontier(tuple(prefix), ())

    def blocked() -> tuple[Blocked, ...]:
        known = reading or HistoryInterpretation(history, spec, condition)
        states = _states_after(known, prefix)
        return tuple(
            Blocked(place, allowed_results(spec, states, history.operations[place]))
            for place in _next_in_line(known, positions, prefix)
        )

    return StuckFrontier(tuple(prefix), blocked)


def extend_prefix(
    history: History, positions: Sequence[int], spec: Spec, condition: str, prefix: Sequence[int]
) -> tuple[int, ...]:
    """A legal prefix that no operation can extend. Searches backtrack earlier if they detect that they cannot succeed.

    Cost: O(n) for each operation that is added.
    """
    longer = list(prefix)
    if condition == "buffered-durable":
        return tuple(longer)
    reading = HistoryInterpretation(history, spec, condition)
    while True:
        states = _states_after(reading, longer)
        for place in _next_in_line(reading, positions, longer, strictly=True):
            op = history.operations[place]
            key = _object(spec, op)
            if any(spec.successors(state.get(key, spec.initial), op) for state in states):
                longer.append(place)
                break
        else:
            return tuple(longer)


def _states_after(reading: HistoryInterpretation, prefix: Sequence[int]) -> list[dict[Any, State]]:
    """The possible states after a prefix, by object."""
    spec, operations = reading.spec, reading.history.operations
    if reading.condition in NOT_LOCAL or not prefix:
        return run_prefix(spec, not spec.key_argument, (operations[place] for place in prefix))
    states = [spec.initial]  # with one object, following its state alone is faster
    for place in prefix:
        states = [after for state in states for after in spec.successors(state, operations[place])]
        if len(states) > 1:
            states = list({canonical(state): state for state in states}.values())
    key = _object(spec, operations[prefix[0]])
    return [{key: state} for state in states]


def _next_in_line(
    reading: HistoryInterpretation, positions: Sequence[int], prefix: Sequence[int], *, strictly: bool = False
) -> list[int]:
    """The operations that must take effect and may come next by times and processes (and hints if ``strictly``)."""
    operations = reading.history.operations
    done = set(prefix)
    problem = reading.problem(positions)
    places = problem.positions
    # An operation held back by its process needs no mention; one held back by a hint may be the only explanation.
    held_back = {
        places[b]
        for a, b in problem.before
        if places[a] not in done and places[b] >= 0 and (strictly or operations[places[b]].order is None)
    }
    waiting = [
        (place, call, ret)
        for place, call, ret, optional in zip(places, problem.calls, problem.returns, problem.optional, strict=True)
        if place >= 0 and place not in done and not optional
    ]
    first_return = min((ret for _, _, ret in waiting), default=NEVER_RANK)
    return [place for place, call, _ in waiting if call < first_return and place not in held_back]


def partial_search_of(reading: HistoryInterpretation, positions: Sequence[int], prefix: Sequence[int]) -> PartialSearch:
    """How far a search got that was stopped with this longest prefix."""
    following = _next_in_line(reading, positions, prefix)
    if not following:
        return PartialSearch(tuple(prefix), len(positions), None, ())
    ops = [reading.history.operations[position] for position in following]
    end = min((op.return_ for op in ops if op.return_ is not None), default=None)
    return PartialSearch(tuple(prefix), len(positions), (min(op.call for op in ops), end), tuple(following))


def allowed_results(spec: Spec, states: list[dict[Any, State]], op: Operation) -> tuple[Value, ...]:
    """The results that the spec allows for the operation in any of ``states``; empty if it is not legal there."""
    results: dict[Any, Value] = {}
    for state in states:
        for given, _ in spec.outcomes(state.get(_object(spec, op), spec.initial), op):
            results.setdefault(canonical(given), given)
    return tuple(results.values())


def _object(spec: Spec, op: Operation) -> Any:
    return None if spec.key_argument else canonical(op.key)
