# SPDX-License-Identifier: Apache-2.0
"""The possible states of a spec, and the results of probes in them.

``PossibleStates`` is a set of states, mostly of a single one. It caches expected results, since many crashes are judged
in the same states. Cost: a step of the spec for each new probe.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Hashable, Sequence
from itertools import permutations, product
from typing import Final

import msgspec

from linpoint.histories.operation import Operation
from linpoint.histories.values import Value, thaw
from linpoint.scenarios.cpp_test_description import OperationDescription
from linpoint.scenarios.scenario import Call
from linpoint.specs.integer_automaton import state_key, step_error
from linpoint.specs.spec import Outcomes, Returns, Spec, State

_MAX_CACHED_RESULTS: Final = 64
"""The cache size of each set of states."""


class SpecSteps:
    """The steps of a spec for a workload and its probes, by number."""

    def __init__(self, spec: Spec, calls: Sequence[Call], types: dict[str, OperationDescription]) -> None:
        self.spec = spec
        self._operations = [Operation(0, call.operation, call.args) for call in calls]
        first: dict[Call, int] = {}
        self.alike = [first.setdefault(call, number) for number, call in enumerate(calls)]
        """For each call, the number of the first equal call."""
        self._allows = [spec.step_named(call.operation).returns.allows for call in calls]
        self._writers = [_writer(spec, call, types) for call in calls]

    def outcomes(self, state: State, number: int) -> Outcomes:
        """The outcomes of the spec; its exceptions become coded errors."""
        try:
            return self.spec.outcomes(state, self._operations[number])
        except (Exception, SystemExit) as error:
            raise step_error(error, self._operations[number], self.spec.name) from error

    def after(self, states: Sequence[State], number: int, result: Value) -> list[State]:
        """The states after an operation that returned this result."""
        allows = self._allows[number]
        return self._distinct(
            [after for state in states for given, after in self.outcomes(state, number) if allows(result, given)]
        )

    def after_any_result(self, states: Sequence[State], number: int) -> list[State]:
        """The states after an operation with an unknown result."""
        return self._distinct([after for state in states for _, after in self.outcomes(state, number)])

    def explained(self, states: Sequence[State], probes: Sequence[tuple[int, Value]]) -> bool:
        """Whether the operations may return these results sequentially from some of the states."""
        now = list(states)
        for number, result in probes:
            now = self.after(now, number, result)
            if not now:
                return False
        return bool(now)

    def written(self, number: int, result: Value) -> bytes:
        """A result of the spec in the format of the host."""
        return self._writers[number](result)

    def _distinct(self, states: list[State]) -> list[State]:
        if len(states) < 2:
            return states
        return list({state_key(state, self.spec.name): state for state in states}.values())


def _writer(spec: Spec, call: Call, types: dict[str, OperationDescription]) -> Callable[[Value], bytes]:
    """A function that writes the results of a call; the return type may omit or add values that the spec ignores."""
    returns, described = spec.step_named(call.operation).returns, types.get(call.operation)
    kind = "" if described is None else described.result.kind
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
        return b"[]"  # matches no result, so the host asks


class PossibleStates:
    """A set of states of the spec, one of which is the actual one."""

    __slots__ = ("_known", "states")

    def __init__(self, states: Sequence[State]) -> None:
        self.states = states
        self._known: dict[tuple[int, ...], tuple[bytes, ...] | None] = {}

    def expected(self, steps: SpecSteps, probes: tuple[int, ...]) -> tuple[bytes, ...] | None:
        """The results of sequential probes in the format of the host; None if several are possible."""
        if probes in self._known:
            return self._known[probes]
        if len(self._known) >= _MAX_CACHED_RESULTS:
            self._known.clear()
        found = self._known[probes] = results_possible(steps, self.states, probes)
        return found


def results_possible(steps: SpecSteps, states: Sequence[State], probes: tuple[int, ...]) -> tuple[bytes, ...] | None:
    """The results of sequential probes in the format of the host; None with several states or possible results."""
    if len(states) != 1:
        return None
    state, written = states[0], list[bytes]()
    idle = -1  # the last call if it did not change the state: an empty queue stays empty for the rest of a drain
    for number in probes:
        if steps.alike[number] == idle:
            written.append(written[-1])
            continue
        outcomes = steps.outcomes(state, number)
        if len(outcomes) != 1:
            return None
        result, after = outcomes[0]
        idle = steps.alike[number] if after is state else -1
        state = after
        written.append(steps.written(number, result))
    return tuple(written)


def linearized(
    steps: SpecSteps, states: Sequence[State], opened: Sequence[int], done: Sequence[tuple[int, Value]]
) -> list[State]:
    """The states after all completed concurrent operations, with their results, and any interrupted ones."""
    found: list[State] = []
    for kept in product((False, True), repeat=len(opened)):
        chosen = [number for number, keep in zip(opened, kept, strict=True) if keep]
        for order in permutations(
            [*((number, None) for number in chosen), *((number, (result,)) for number, result in done)]
        ):
            now = list(states)
            for number, result in order:
                now = steps.after_any_result(now, number) if result is None else steps.after(now, number, result[0])
            found += now
    if len(found) < 2:
        return found
    return list({state_key(state, steps.spec.name): state for state in found}.values())


class PartStates:
    """The possible states of each part of an object after each operation of a workload."""

    def __init__(self, steps: SpecSteps, part_of: Sequence[Hashable], results: Sequence[Value]) -> None:
        """``part_of`` has the part that each operation acts on."""
        self.initial = PossibleStates([steps.spec.initial])
        self._moments: dict[Hashable, list[int]] = {}
        self._states: dict[Hashable, list[PossibleStates]] = {}
        for number, result in enumerate(results):
            part = part_of[number]
            before = self._states.setdefault(part, [self.initial])[-1]
            self._moments.setdefault(part, []).append(number)
            self._states[part].append(PossibleStates(steps.after(before.states, number, result)))

    def after(self, part: Hashable, count: int) -> PossibleStates:
        """The possible states of a part after this number of operations."""
        moments = self._moments.get(part)
        return self.initial if moments is None else self._states[part][bisect_right(moments, count - 1)]

    def first_refused(self) -> int | None:
        """The number of the first operation whose result the spec does not allow; None if all are allowed."""
        empty = (
            number
            for part, each in self._states.items()
            for number, possible in zip(self._moments[part], each[1:], strict=True)
            if not possible.states
        )
        return min(empty, default=None)
