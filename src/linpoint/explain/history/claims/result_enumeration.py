# SPDX-License-Identifier: Apache-2.0
"""Enumerates all results of one operation with which the other operations have an order.

The operation is replaced by a step that allows every result except those found so far. Each order that a search finds
shows another result; when there is no order, the list is complete. If the search does not end in time, a monitor may
decide separately each result that the values of the history suggest. Cost: one decision per result, and one more.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Hashable, Iterator, Sequence
from typing import Any, Final

from linpoint.checkers.subhistory_decider import SubhistoryDecider
from linpoint.explain.history.claims.whole_object import WholeObject
from linpoint.explain.history.value_flow import CONTAINERS, REGISTERS, flow_of, initial_values, kind_of
from linpoint.histories.history import History
from linpoint.histories.operation import Outcome
from linpoint.histories.values import Value, canonical
from linpoint.specs.free_result import FREE_RESULT, with_free_result
from linpoint.specs.spec import Spec, State
from linpoint.verdicts import Witness

MAX_RESULTS: Final = 24
"""The maximum number of results to enumerate: more are not helpful."""
_MAX_CANDIDATES: Final = 200
_SEARCH_S: Final = 1.0


@dataclasses.dataclass(frozen=True, slots=True)
class PossibleResults:
    """Results with which there is an order; ``complete``: whether there are no others."""

    values: tuple[Value, ...]
    complete: bool


def possible_results(
    whole: WholeObject, positions: Sequence[int], unknown: Sequence[int], position: int
) -> PossibleResults:
    """The results of the operation at ``position`` with which those at ``positions`` have an order."""
    step = whole.spec.step(whole.history.operations[position])
    if whole.spec.any_operation:
        return PossibleResults((), complete=False)
    if step.result.startswith("bool"):
        return _of_candidates(whole, positions, unknown, position, [False, True])
    found = _by_search(whole, positions, unknown, position)
    if found.complete or len(found.values) >= MAX_RESULTS:
        return found
    candidates = _suggested(whole, positions, position)
    if candidates is None:
        return found
    other = _of_candidates(whole, positions, unknown, position, candidates)
    return other if other.complete or len(other.values) > len(found.values) else found


def _of_candidates(
    whole: WholeObject, positions: Sequence[int], unknown: Sequence[int], position: int, candidates: Sequence[Value]
) -> PossibleResults:
    op = whole.history.operations[position]
    values, complete = [], True
    for value in candidates:
        other = dataclasses.replace(op, result=value)
        if canonical(value) == canonical(op.result) or (value is None and op.result is None):
            continue
        found = whole.has_order(positions, unknown=unknown, replaced={position: other})
        if found:
            values.append(value)
        complete = complete and found is not None
    return PossibleResults(tuple(values), complete)


def _by_search(whole: WholeObject, positions: Sequence[int], unknown: Sequence[int], position: int) -> PossibleResults:
    op = whole.history.operations[position]
    here = sorted(positions).index(position)
    free = dataclasses.replace(op, name=FREE_RESULT, result=True)
    variant = whole.variant(positions, unknown, {position: free})
    effective = [p for p, each in enumerate(variant.operations) if each.outcome is not Outcome.FAILED]
    found: dict[Hashable, Value] = {}
    while len(found) < MAX_RESULTS:
        left = whole.seconds_left(_SEARCH_S)
        if left <= 0:
            return PossibleResults(tuple(found.values()), complete=False)
        spec = with_free_result(whole.spec, whole.spec.step(op), frozenset(found))
        answer = SubhistoryDecider(variant, spec, whole.condition).decide(effective, seconds=left)
        if answer.found is None:
            return PossibleResults(tuple(found.values()), complete=False)
        if not answer.found:
            return PossibleResults(tuple(found.values()), complete=True)
        given = _results_in(variant.replace(here, op), spec, answer.witness, here)
        new = {form: value for form, value in given.items() if form not in found}
        for form, value in new.items():
            other = dataclasses.replace(op, result=value)
            # The state after a crash depends on more than the order, so each result is decided separately.
            if (len(new) == 1 and whole.condition != "buffered-durable") or whole.has_order(
                positions, unknown=unknown, replaced={position: other}
            ):
                found[form] = value
                break
        else:
            return PossibleResults(tuple(found.values()), complete=False)
    return PossibleResults(tuple(found.values()), complete=False)


def _results_in(history: History, spec: Spec, witness: Witness, here: int) -> dict[Hashable, Value]:
    """The results that the spec gives for the operation at its place in an order."""
    survivors = witness.survivors or ()
    states: list[dict[Any, State]] = [{}]
    for era, ops in enumerate(witness.by_era()):
        kept = survivors[era] if era < len(survivors) else len(ops)
        saved = states
        for number, place in enumerate(ops):
            op = history.operations[place]
            key = None if spec.key_argument else canonical(op.key)
            if place == here:
                outcomes = [pair for state in states for pair in spec.outcomes(state.get(key, spec.initial), op)]
                return {canonical(result): result for result, _ in outcomes}
            after = [
                {**state, key: each} for state in states for each in spec.successors(state.get(key, spec.initial), op)
            ]
            states = list({canonical(state): state for state in after}.values())
            saved = states if number < kept else saved
        states = saved
    return {}


def _suggested(whole: WholeObject, positions: Sequence[int], position: int) -> list[Value] | None:
    """All values that the operation could have returned; None if the history does not determine them."""
    kind = kind_of(whole.spec)
    ops = whole.history.operations
    op = ops[position]
    name = op.name.replace("_", "-")
    if kind in ("counter", "fetch-add"):
        return _counts(whole, positions, position)
    if kind in REGISTERS and name in ("read", "get", "swap") and not any(ops[p].name == "append" for p in positions):
        values = dict(_put(whole, positions))
        for form in _overwritten(whole, positions, position):
            values.pop(form, None)
    elif kind in CONTAINERS and flow_of(op, kind).put_value is None and not name.startswith(("push", "enq", "ins")):
        values = dict(_put(whole, positions))
    else:
        return None
    values[canonical(None)] = None
    return list(values.values()) if len(values) <= _MAX_CANDIDATES else None


def _put(whole: WholeObject, positions: Sequence[int]) -> Iterator[tuple[Hashable, Value]]:
    kind = kind_of(whole.spec)
    for value in initial_values(whole.spec):
        yield canonical(value), value
    for position in positions:
        flow = flow_of(whole.history.operations[position], kind)
        if flow.put_value is not None:
            yield canonical(flow.put), flow.put


def _overwritten(whole: WholeObject, positions: Sequence[int], position: int) -> Iterator[Hashable]:
    """Values of a register that had certainly been replaced when the operation was called."""
    kind, ops, skew = kind_of(whole.spec), whole.history.operations, whole.history.clock_skew
    if not whole.timely or whole.condition == "buffered-durable":
        return
    call = ops[position].call
    flows = [(ops[p], flow_of(ops[p], kind)) for p in positions if p != position]
    ends: dict[Hashable, float] = {canonical(value): -float("inf") for value in initial_values(whole.spec)}
    ends.setdefault(canonical(None), -float("inf"))
    latest: list[tuple[float, Hashable]] = []
    for op, flow in flows:
        if flow.put_value is not None:
            form = canonical(flow.put)
            ends[form] = max(ends.get(form, -float("inf")), op.end)
            if flow.certain and op.end + skew < call:
                latest.append((op.call, form))
        elif op.name in ("delete", "erase", "remove"):
            ends[canonical(None)] = float("inf")
    latest.sort(key=lambda each: -each[0])
    for form, end in ends.items():
        if any(end + skew < start for start, other in latest[:2] if other != form):
            yield form


def _counts(whole: WholeObject, positions: Sequence[int], position: int) -> list[Value] | None:
    """The counts that steps of equal size can produce."""
    ops, op = whole.history.operations, whole.history.operations[position]
    steps = [p for p in positions if p != position and whole.spec.step(ops[p]).name != "read"]
    sizes = {_amount(whole, p) for p in steps}
    size = sizes.pop() if len(sizes) == 1 else None
    if size is None or type(whole.spec.initial) is not int:
        return None
    skew = whole.history.clock_skew
    least = sum(ops[p].outcome is Outcome.OK and ops[p].end + skew < op.call for p in steps)
    most = sum(ops[p].call <= op.end + skew for p in steps)
    if not whole.timely or whole.condition == "buffered-durable" or most - least > _MAX_CANDIDATES:
        return None
    return [whole.spec.initial + size * count for count in range(least, most + 1)]


def _amount(whole: WholeObject, position: int) -> int | None:
    op = whole.history.operations[position]
    if op.outcome is Outcome.FAILED:
        return None
    match whole.spec.step(op).name:
        case "increment":
            return 1
        case "decrement":
            return -1
    return op.args[0] if len(op.args) == 1 and type(op.args[0]) is int else None
