# SPDX-License-Identifier: Apache-2.0
"""Correctness conditions: their names, and the machines around a spec that two of them need.

The rules of each condition about times and optional operations are in the native core (``conditions.hpp``), which turns
every condition into a problem for the same search.
"""

from __future__ import annotations

from typing import Final

from linpoint.errors import UsageError
from linpoint.histories.history import History
from linpoint.histories.operation import Operation
from linpoint.histories.values import canonical
from linpoint.options.choices import CONDITIONS
from linpoint.specs.integer_automaton import StateMachine
from linpoint.specs.spec import Spec, State

BUFFERED: Final = "buffered-durable"
NOT_LOCAL: Final = (BUFFERED, "sequential")
"""Conditions under which objects cannot be checked separately."""


def choose(condition: str | None, history: History) -> str:
    """The requested condition, or the default: ``durable`` for a history with crashes, else ``linearizable``."""
    if condition is None:
        return "durable" if history.crashes else "linearizable"
    validate(condition)
    return condition


def validate(condition: str | None) -> None:
    """Raise a coded error unless a condition of that name exists; None stands for the default."""
    if condition is not None and condition not in CONDITIONS:
        raise UsageError("LP-U003", f'unknown condition "{condition}".', remedy=f"Use {', '.join(CONDITIONS)}.")


def condition_machine(spec: Spec, condition: str, *, keyed: bool) -> StateMachine:
    """The machine for a search of a whole history: the spec itself, or a wrapper where objects are not independent."""
    machine: StateMachine = spec
    if condition in NOT_LOCAL and keyed and not spec.key_argument:
        machine = KeyedMachine(spec)
    return BufferedMachine(machine) if condition == BUFFERED else machine


PERSIST: Final = Operation("persist", "persist")
CRASH_OPERATION: Final = Operation("crash", "crash")


class KeyedMachine:
    """Many objects of one spec as one object, with one state per key."""

    def __init__(self, spec: Spec) -> None:
        self._spec = spec
        self.initial: State = {}

    def successors(self, state: State, op: Operation) -> list[State]:
        """Step the object that the key of the operation names."""
        key = canonical(op.key)
        return [{**state, key: after} for after in self._spec.successors(state.get(key, self._spec.initial), op)]


class BufferedMachine:
    """A machine with a saved state: *persist* saves the current state, *crash* returns to the saved one."""

    def __init__(self, inner: StateMachine) -> None:
        self._inner = inner
        self.initial: State = (inner.initial, None)

    def successors(self, state: State, op: Operation) -> list[State]:
        """Step the inner machine, or persist (at most once per era), or crash (only after a persist)."""
        current, saved = state
        if op is PERSIST:
            return [(current, (current,))]
        if op is CRASH_OPERATION:
            return [(saved[0], None)]
        return [(after, saved) for after in self._inner.successors(current, op)]
