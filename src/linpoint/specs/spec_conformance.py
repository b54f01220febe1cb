# SPDX-License-Identifier: Apache-2.0
"""The conformance kit: checks that a spec is pure, hashable and total, and that its partition is correct.

Checkers trust the spec. A spec that changes its arguments, omits a case or claims a false independence gives wrong
verdicts. The kit tries sample operations in every state that it reaches, up to a limit.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from linpoint.errors import LinpointError, SpecError
from linpoint.histories.history_builder import history
from linpoint.histories.operation import Operation
from linpoint.histories.values import canonical, format_value
from linpoint.specs.spec import Spec, State
from linpoint.specs.spec_lookup import find

_UNCHANGED: Final = object()


@dataclass(frozen=True, slots=True)
class Conformance:
    """The findings of the conformance kit. No problems means none in the states that were tried."""

    problems: tuple[str, ...]
    """The broken promises, in sentences."""
    states: int
    """The number of states that were tried."""
    exhaustive: bool
    """Whether all states reachable by the sample operations were tried."""

    def raise_for_problems(self) -> None:
        """Raise a coded error that lists the problems, if there are any."""
        if self.problems:
            raise SpecError(
                "LP-S007",
                "; ".join(self.problems) + ".",
                remedy="Write steps as pure functions of hashable states.",
            )


def conformance(
    spec: Spec | str | Any, operations: Iterable[Operation | Mapping[str, Any]], *, max_states: int = 200
) -> Conformance:
    """Check that a spec is pure, hashable and total and keeps its promises, in up to ``max_states`` states.

    ``operations`` are samples, which are tried in the states that they lead to: operations, or dicts with ``op`` and
    ``args``.
    """
    machine = find(spec)
    samples = [_operation(each, number) for number, each in enumerate(operations)]
    problems: dict[str, None] = {}
    states: dict[Any, State] = {}
    todo: list[State] = [machine.initial]
    while todo and len(states) < max_states:
        state = todo.pop(0)
        try:
            name = canonical(state)
            if name in states:
                continue
            states[name] = state
        except TypeError:
            problems[f"the state {format_value(state)} cannot be hashed"] = None
            continue
        for op in samples:
            todo += _try(machine, state, op, problems)
        _independence(machine, state, samples, problems)
    exhausted = all(canonical(state) in states for state in todo) if not problems else False
    return Conformance(tuple(problems), len(states), exhausted)


def _operation(sample: Operation | Mapping[str, Any], number: int) -> Operation:
    if isinstance(sample, Operation):
        return sample
    return history([{"process": 0, "result": None, "call": number, "return": number, **sample}])[0]


def _try(spec: Spec, state: State, op: Operation, problems: dict[str, None]) -> list[State]:
    """The states after ``op``. Tries the step twice and checks that it leaves its inputs unchanged."""
    error = spec.complaint(op)
    if error is not None:
        problems[error.message.rstrip(".")] = None
        return []
    try:
        before, args = canonical(state), canonical(spec.arguments(op))
        first = spec.outcomes(state, op)
        once = canonical(first)
        line = (spec.changes or {}).get(spec.step(op).name if not spec.any_operation else op.name, _UNCHANGED)
        if line is not _UNCHANGED:
            problems[f"{op.name} changes the state it is given" + (f" ({line})" if line else "")] = None
        if canonical(spec.arguments(op)) != args:
            problems[f"{op.name} changes its arguments"] = None
        if canonical(spec.outcomes(state, op)) != once:
            problems[f"{op.name} gives different results for the same state and arguments"] = None
        hash(once)
        if spec.reads(op) and any(canonical(after) != before for after in spec.successors(state, op)):
            problems[f"{op.name} is declared to read, but changes the state"] = None
    except LinpointError as error:
        problems[str(error)] = None
        return []
    except TypeError as error:
        problems[f"{op.name} gives a state or result that cannot be hashed: {error}"] = None
        return []
    return [after for _, after in first]


def _independence(spec: Spec, state: State, samples: list[Operation], problems: dict[str, None]) -> None:
    """Check that operations on different parts do not observe each other and commute."""
    if spec.partition is None or problems:
        return
    for a in samples:
        for b in samples:
            try:
                parts = [canonical(spec.partition(spec.arguments(op))) for op in (a, b)]
            except LinpointError as error:
                problems[str(error)] = None
                return
            if parts[0] == parts[1]:
                continue
            alone = canonical([given for given, _ in spec.outcomes(state, b)])
            for _, between in spec.outcomes(state, a):
                if canonical([given for given, _ in spec.outcomes(between, b)]) != alone:
                    problems[f"{b.name} observes {a.name} of another partition"] = None
            if _both(spec, state, a, b) != _both(spec, state, b, a):
                problems[f"{a.name} and {b.name} of different partitions do not commute"] = None


def _both(spec: Spec, state: State, a: Operation, b: Operation) -> set[Any]:
    return {canonical(end) for _, middle in spec.outcomes(state, a) for _, end in spec.outcomes(middle, b)}
