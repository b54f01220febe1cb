# SPDX-License-Identifier: Apache-2.0
"""Turns any spec into a lazy automaton over integers, which is all that the native searches see.

States are interned; a symbol stands for identical operations. Guarantee: two states share a number if and only if they
are equal for linpoint (``values.canonical``). Not thread-safe: the native machine requests each step once, under a
lock, and stores the result.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any, Protocol

from linpoint.errors import LinpointError, SpecError
from linpoint.histories.operation import Operation
from linpoint.histories.values import canonical
from linpoint.specs.spec import Spec, State
from linpoint.specs.symbol_calls import SymbolCalls


class StateMachine(Protocol):
    """The part of a spec that the automaton needs. Conditions wrap specs in machines of their own."""

    @property
    def initial(self) -> State:
        """The initial state."""

    def successors(self, state: State, op: Operation) -> list[State]:
        """The states after an operation with its recorded result."""


class IntegerAutomaton:
    """Numbers for the states of a machine, created when a search requests them.

    A symbol is an index into ``symbols``.
    """

    def __init__(self, machine: StateMachine, symbols: Mapping[int, Operation]) -> None:
        self._machine = machine
        self._owner: str | None = getattr(machine, "name", None)
        self._states: list[State] = []
        self._state_numbers: dict[Any, int] = {}
        self._symbols = symbols
        self.error: LinpointError | None = None
        self.initial = self._number(machine.initial)

    def step(self, state: int, symbol: int) -> Sequence[int] | int:
        """The states after ``symbol`` in ``state``.

        Raises errors of the spec as a coded error, which ``error`` keeps.
        """
        op = self._symbols[symbol]
        try:
            cell = [self._number(after) for after in self._machine.successors(self._states[state], op)]
        except (Exception, SystemExit) as error:
            # KeyboardInterrupt and the executors' own exceptions, which end a thread, pass through.
            self.error = self.error or step_error(error, op, self._owner)
            raise self.error from error
        return cell if len(cell) <= 1 else list(dict.fromkeys(cell))

    def _number(self, state: State) -> int:
        kind = type(state)
        key = state if kind is int or kind is str else state_key(state, self._owner)
        number = self._state_numbers.get(key)
        if number is None:
            number = self._state_numbers[key] = len(self._states)
            self._states.append(state)
        return number


class CallAutomaton(IntegerAutomaton):
    """An automaton for a spec whose steps use only their arguments: no operation is constructed for a step."""

    def __init__(self, spec: Spec, symbols: Mapping[int, Operation], calls: SymbolCalls) -> None:
        super().__init__(spec, symbols)
        self._call_of = calls.call_of

    def step(self, state: int, symbol: int) -> Sequence[int] | int:
        """The states after ``symbol`` in ``state``, as in any automaton; a single state is returned without a list."""
        step, args, observed, result = self._call_of(symbol)
        try:
            found = step.apply(self._states[state], *args)
            if type(found) is list and len(found) == 1:
                found = found[0]
            if type(found) is tuple:
                given, after = found
                if observed and given is not result and not step.returns.allows(result, given):
                    return ()
                return self._number(after)
            allows = step.returns.allows
            cell = [self._number(after) for given, after in found if not observed or allows(result, given)]
        except (Exception, SystemExit) as error:
            op = self._symbols[symbol]
            self.error = self.error or step_error(error, op, self._owner)
            raise self.error from error
        return cell if len(cell) <= 1 else list(dict.fromkeys(cell))


def step_error(error: BaseException, op: Operation, owner: str | None) -> LinpointError:
    """The coded error for an exception in a step of a spec, with the operation as its place."""
    if isinstance(error, LinpointError):
        return error
    coded = SpecError(
        "LP-S006",
        f"{type(error).__name__}: {error} (in the step {op}).",
        place=f"{owner}.{op.name}" if owner else op.name,
        remedy="Handle every state; return an empty list where the operation is not legal.",
    )
    coded.__cause__ = error
    return coded


def state_key(state: State, owner: str | None) -> Hashable:
    """A key that equal states of a spec share; a coded error for a state that cannot be hashed."""
    try:
        key = canonical(state)
        hash(key)
    except Exception as error:
        raise SpecError(
            "LP-S007",
            f"the state {state!r} of type {type(state).__name__} cannot be hashed ({error}).",
            place=owner,
            remedy="Use tuples, frozensets and frozen dataclasses as states.",
        ) from error
    return key
