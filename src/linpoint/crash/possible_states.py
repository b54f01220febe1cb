# SPDX-License-Identifier: Apache-2.0
"""Where a spec may stand, and what probes must show there.

A ``PossibleStates`` is a set of states, mostly one; it remembers what it has foretold, since many crashes are judged at the same
standing. Cost: a step of the spec for each probe that is new, none for others.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import permutations, product
from typing import Final

import msgspec

from linpoint.histories.operation import Operation
from linpoint.histories.values import Value, thaw
from linpoint.scenarios.cpp_test_description import OperationDescription
from linpoint.scenarios.scenario import Call
from linpoint.specs.integer_automaton import state_key, step_error
from linpoint.specs.spec import Outcomes, Returns, Spec, State

_MAX_CACHED_PREDICTIONS: Final = 64
"""Predictions of one standing."""


class SpecSteps:
    """The steps of a spec for the operations of a workload and its probes, by number."""

    def __init__(self, spec: Spec, calls: Sequence[Call], types: dict[str, OperationDescription]) -> None:
        self.spec = spec
        self._operations = [Operation(0, call.operation, call.args) for call in calls]
        self._applied = [(spec.step_named(each.name), spec.arguments(each)) for each in self._operations]
        first: dict[Call, int] = {}
        self.alike = [first.setdefault(call, number) for number, call in enumerate(calls)]
        """For each call the first one that is the same."""
        self._allows = [spec.step_named(call.operation).returns.allows for call in calls]
        self._writers = [_writer(spec, call, types) for call in calls]

    def outcomes(self, state: State, number: int) -> Outcomes:
        """What the spec gives; what it raises is a coded error."""
        step, args = self._applied[number]
        try:
            found = step.apply(state, *args, process=0) if step.takes_process else step.apply(state, *args)
        except (Exception, SystemExit) as error:
            raise step_error(error, self._operations[number], self.spec.name) from error
        return found if type(found) is list else [found]

    def after(self, states: Sequence[State], number: int, result: Value) -> list[State]:
        """The states after an operation that has returned this."""
        allows = self._allows[number]
        return self._distinct(
            [after for state in states for given, after in self.outcomes(state, number) if allows(result, given)]
        )

    def whatever(self, states: Sequence[State], number: int) -> list[State]:
        """The states after an operation whose result nobody knows."""
        return self._distinct([after for state in states for _, after in self.outcomes(state, number)])

    def explained(self, states: Sequence[State], probes: Sequence[tuple[int, Value]]) -> bool:
        """Whether operations may return this, one after the other, from some of the states."""
        now = list(states)
        for number, result in probes:
            now = self.after(now, number, result)
            if not now:
                return False
        return bool(now)

    def written(self, number: int, result: Value) -> bytes:
        """A result as the host writes it, if the operation returns what the spec says."""
        return self._writers[number](result)

    def _distinct(self, states: list[State]) -> list[State]:
        if len(states) < 2:
            return states
        return list({state_key(state, self.spec.name): state for state in states}.values())


def _writer(spec: Spec, call: Call, types: dict[str, OperationDescription]) -> Callable[[Value], bytes]:
    """How the result of a call is written, where its type leaves out or adds what the spec does not mind."""
    returns, said = spec.step_named(call.operation).returns, types.get(call.operation)
    kind = "" if said is None else said.result.kind
    unseen = kind == "nothing" and returns in (Returns.SUCCESS, Returns.NOTHING)
    if unseen or (kind == "boolean" and returns is Returns.NOTHING):
        fixed = b"[null]" if unseen else b"[true]"
        return lambda _: fixed
    known: dict[object, bytes] = {}

    def write(value: Value) -> bytes:
        plain = value is None or type(value) in (int, str)
        found = known.get(value) if plain else None
        if found is None:
            found = _as_json(value)
            if plain:
                known[value] = found
        return found

    return write


def _as_json(value: Value) -> bytes:
    try:
        return b"[" + msgspec.json.encode(thaw(value)) + b"]"
    except (TypeError, ValueError, OverflowError, msgspec.MsgspecError):
        return b"[]"  # no result is written so: it is then compared in the long way


class PossibleStates:
    """States of the spec, one of which it has."""

    __slots__ = ("_known", "states")

    def __init__(self, states: Sequence[State]) -> None:
        self.states = states
        self._known: dict[tuple[int, ...], tuple[bytes, ...] | None] = {}

    def foretold(self, steps: SpecSteps, probes: tuple[int, ...]) -> tuple[bytes, ...] | None:
        """What probes return, one after the other, as the host writes it; None where that is not one thing."""
        if probes in self._known:
            return self._known[probes]
        if len(self._known) >= _MAX_CACHED_PREDICTIONS:
            self._known.clear()
        found = self._known[probes] = results_possible(steps, self.states, probes)
        return found


def results_possible(steps: SpecSteps, states: Sequence[State], probes: tuple[int, ...]) -> tuple[bytes, ...] | None:
    """What probes return from the only state, as the host writes it; None where there are several, or several results."""
    if len(states) != 1:
        return None
    state, told = states[0], list[bytes]()
    idle = -1  # the call that has just left the state as it is: a queue that is empty stays so for the rest of a drain
    for number in probes:
        if steps.alike[number] == idle:
            told.append(told[-1])
            continue
        outcomes = steps.outcomes(state, number)
        if len(outcomes) != 1:
            return None
        result, after = outcomes[0]
        idle = steps.alike[number] if after is state else -1
        state = after
        told.append(steps.written(number, result))
    return tuple(told)


def linearized(
    steps: SpecSteps, states: Sequence[State], opened: Sequence[int], done: Sequence[tuple[int, Value]]
) -> list[State]:
    """The states after operations that overlap: all that are done, with their results, and any of those open."""
    found: list[State] = []
    for kept in product((False, True), repeat=len(opened)):
        chosen = [number for number, keep in zip(opened, kept, strict=True) if keep]
        for order in permutations(
            [*((number, None) for number in chosen), *((number, (result,)) for number, result in done)]
        ):
            now = list(states)
            for number, result in order:
                now = steps.whatever(now, number) if result is None else steps.after(now, number, result[0])
            found += now
    if len(found) < 2:
        return found
    return list({state_key(state, steps.spec.name): state for state in found}.values())
