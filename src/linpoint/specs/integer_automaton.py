# SPDX-License-Identifier: Apache-2.0
"""Any spec as a lazy automaton over integers, which is all that the native searches see.

States are interned; each pair of a state and a symbol is computed once, a symbol being operations that are alike. Guarantee: two states share a
number iff they are equal for linpoint (``values.canonical``). Thread-safe under the interpreter lock plus one lock
of its own, so that partitions searched in parallel share what they learn.
"""

from __future__ import annotations

import threading
from collections.abc import Hashable, Mapping
from typing import Any, Protocol

from linpoint.errors import LinpointError, SpecError
from linpoint.histories.operation import Operation
from linpoint.histories.values import canonical
from linpoint.specs.spec import State


class StateMachine(Protocol):
    """What the automaton needs of a spec; conditions wrap specs in machines of their own."""

    @property
    def initial(self) -> State:
        """The first state."""

    def successors(self, state: State, op: Operation) -> list[State]:
        """The states after an operation with its recorded result."""


class IntegerAutomaton:
    """Numbers for the states of a machine, filled as a search asks for them. A symbol is a place in ``symbols``."""

    def __init__(self, machine: StateMachine, symbols: Mapping[int, Operation]) -> None:
        self._machine = machine
        self._lock = threading.Lock()
        self._states: list[State] = []
        self._state_numbers: dict[Any, int] = {}
        self._symbols = symbols
        self._cells: dict[tuple[int, int], list[int]] = {}
        self.error: LinpointError | None = None
        self.initial = self._number(machine.initial)

    def step(self, state: int, symbol: int) -> list[int]:
        """The states after ``symbol`` in ``state``. Raises what the spec raised, as a coded error kept in ``error``."""
        cell = self._cells.get((state, symbol))
        if cell is not None:
            return cell
        with self._lock:
            try:
                after = self._machine.successors(self._states[state], self._symbols[symbol])
                cell = [self._number(each) for each in after]
            except (Exception, SystemExit) as error:
                # What ends a thread (KeyboardInterrupt, the executors' own) is neither, and passes.
                owner = getattr(self._machine, "name", None)
                self.error = self.error or step_error(error, self._symbols[symbol], owner)
                raise self.error from error
            if len(cell) > 1:
                cell = list(dict.fromkeys(cell))
            self._cells[state, symbol] = cell
            return cell

    def _number(self, state: State) -> int:
        key = state_key(state, getattr(self._machine, "name", None))
        number = self._state_numbers.get(key)
        if number is None:
            number = self._state_numbers[key] = len(self._states)
            self._states.append(state)
        return number


def step_error(error: BaseException, op: Operation, owner: str | None) -> LinpointError:
    """The coded error for what a step of a spec raised, with the operation as its place."""
    if isinstance(error, LinpointError):
        return error
    coded = SpecError(
        "LP-S006",
        f"{type(error).__name__}: {error} (in the step {op}).",
        place=f"{owner}.{op.name}" if owner else op.name,
        remedy="A step must handle every state; return an empty list where the operation is not legal.",
    )
    coded.__cause__ = error
    return coded


def state_key(state: State, owner: str | None) -> Hashable:
    """What equal states of a spec have in common; a coded error for a state that cannot be hashed."""
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
