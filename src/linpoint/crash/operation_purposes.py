# SPDX-License-Identifier: Apache-2.0
"""Derives the purpose of each operation of a test from its spec: it only reads, adds, takes or changes.

The operations are tried on states of the spec, which works for users' specs as well as for built-in ones.
Guarantee: an operation that reads did not change any tried state; a total one was legal in all of them.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from linpoint.errors import LinpointError
from linpoint.histories.operation import Operation
from linpoint.histories.values import Value, equal_values
from linpoint.scenarios.cpp_test_description import CppObjectTest, TypeDescription
from linpoint.scenarios.scenario import Call
from linpoint.specs.spec import Outcomes, Spec, State

_LETTERS: Final = "abcdefghijklmnopqrstuvwxyz"
_TRIED_VALUES: Final = 6
"""The number of values to try for each parameter."""
_MAX_STATES: Final = 24
MEMORIES: Final = frozenset({"mwcas", "multi-register"})
"""Specs of multi-word memories, whose operations take lists of words."""
_DEFAULT_WORDS: Final = 4
"""The words of a memory if the test does not name any."""


def nth_value(kind: TypeDescription, number: int) -> Value:
    """The value of a type with this number: simple ones first, distinct until the type is exhausted."""
    match kind.kind:
        case "integer":
            least = max(1, kind.least)
            return least + number % (kind.most - least + 1) if kind.most >= least else kind.least
        case "boolean":
            return bool(number % 2)
        case "number":
            return float(number + 1)
        case "letter":
            return _LETTERS[number % len(_LETTERS)]
        case "string":
            return _word(number)
        case "optional":
            return nth_value(kind.parts[0], number)
        case "list":
            return tuple(nth_value(kind.parts[0], number + more) for more in range(1 + number % 2))
        case _:
            return tuple(nth_value(part, number) for part in kind.parts)


def zero_value(kind: TypeDescription) -> Value:
    """The value whose memory is all zeros; None if the type is not known to have it."""
    match kind.kind:
        case "integer" if kind.least <= 0 <= kind.most:
            return 0
        case "number":
            return 0.0
        case "string":
            return ""
        case _:
            return None


def _word(number: int) -> str:
    text = ""
    while True:
        text = _LETTERS[number % len(_LETTERS)] + text
        number = number // len(_LETTERS) - 1
        if number < 0:
            return text


@dataclass(frozen=True, slots=True)
class Purpose:
    """An operation and its purpose."""

    name: str
    parameters: tuple[TypeDescription, ...]
    given: tuple[tuple[Value, ...], ...] | None
    """The values that the test gives for each parameter, if any."""
    named: tuple[str, ...]
    """The parameter names in the spec."""
    reads: bool
    adds: bool
    """Whether it changes the initial state, whatever its arguments."""
    takes: bool
    """Whether it has no arguments, removes something from the state and returns it."""
    total: bool
    """Whether it was legal in every tried state."""


@dataclass(frozen=True, slots=True)
class OperationPurposes:
    """The purposes of all operations of a test."""

    spec: Spec
    by_name: dict[str, Purpose]
    words: tuple[Value, ...] = field(default=())
    """The words of a memory, for specs of multi-word memories."""

    @property
    def keyed(self) -> bool:
        """Whether the first argument of an operation is the key of the part that it acts on."""
        return self.spec.partition is not None

    @property
    def keys(self) -> tuple[Value, ...]:
        """The keys that the test gives for some operations, used for all operations; empty if it gives none."""
        given = [each.given[0] for each in self.by_name.values() if self.keyed and each.given]
        return tuple(dict.fromkeys(key for keys in given for key in keys))

    def outcomes(self, state: State, call: Call) -> Outcomes:
        """The outcomes of the spec; empty for arguments that it rejects."""
        operation = Operation(0, call.operation, call.args)
        if self.spec.complaint(operation) is not None:
            return []
        return self.spec.outcomes(state, operation)


def find_purposes(
    spec: Spec, test: CppObjectTest, given: dict[str, tuple[tuple[Value, ...], ...]]
) -> OperationPurposes:
    """Find the purposes of a test's operations; ``given`` are the values of ``LINPOINT_VALUES``."""
    words: tuple[Value, ...] = ()
    if spec.name in MEMORIES:
        words = tuple(
            dict.fromkeys(word for values in given.values() for cells in values[0] for word in named_words(cells))
        )
    trying = _Trying(spec, test, given, words or tuple(range(_DEFAULT_WORDS)))
    purposes = {name: trying.purpose(name) for name in test.definition.operations}
    return OperationPurposes(spec, purposes, words or tuple(range(_DEFAULT_WORDS)))


class _Trying:
    """Tries each operation on states of a spec that few operations reach."""

    def __init__(
        self, spec: Spec, test: CppObjectTest, given: dict[str, tuple[tuple[Value, ...], ...]], words: tuple[Value, ...]
    ) -> None:
        self._spec, self._test, self._given, self._words = spec, test, given, words
        self._calls = {name: list(self._samples(name)) for name in test.definition.operations}
        self._states = list(self._reached())

    def purpose(self, name: str) -> Purpose:
        step = self._spec.step_named(name)
        calls = self._calls[name]
        total = bool(calls) and all(self._outcomes(state, call) for state in self._states for call in calls)
        changes = [
            not equal_values(after, state)
            for state in self._states
            for call in calls
            for _, after in self._outcomes(state, call)
        ]
        fresh = [
            not equal_values(after, self._spec.initial)
            for call in calls
            for _, after in self._outcomes(self._spec.initial, call)
        ]
        parameters = self._test.types[name].parameters
        reads = step.reads is True or (bool(changes) and not any(changes))
        return Purpose(
            name,
            parameters,
            self._given.get(name),
            step.parameters,
            reads,
            adds=bool(fresh) and all(fresh),
            takes=not parameters and not reads and any(changes) and self._has_result(name),
            total=total,
        )

    def _has_result(self, name: str) -> bool:
        return self._test.types[name].result.kind != "nothing"

    def _samples(self, name: str) -> Iterator[Call]:
        kinds = self._test.types[name].parameters
        for number in range(_TRIED_VALUES if kinds else 1):
            args = tuple(nth_value(kind, number) for kind in kinds)
            if name in self._given:
                args = tuple(values[number % len(values)] for values in self._given[name])
            elif self._spec.name in MEMORIES:
                args = (memory_cells(name, self._words, number, number + 1),)
            call = Call(name, args)
            if self._spec.complaint(Operation(0, name, call.args)) is None:
                yield call

    def _outcomes(self, state: State, call: Call) -> Outcomes:
        try:
            return self._spec.outcomes(state, Operation(0, call.operation, call.args))
        except LinpointError:
            return []

    def _reached(self) -> Iterator[State]:
        """The initial state, and a few more from a random walk of calls."""
        state, draw = self._spec.initial, random.Random(0)  # noqa: S311 - not a secret
        yield state
        calls = [call for each in self._calls.values() for call in each]
        for _ in range(_MAX_STATES if calls else 0):
            outcomes = self._outcomes(state, draw.choice(calls))
            if outcomes and not equal_values(outcomes[0][1], state):
                state = outcomes[0][1]
                yield state


def named_words(cells: Value) -> list[Value]:
    """The words in an argument: ``[m, ...]``, ``[[m, ...], ...]`` or ``[["read", m, null], ...]``."""
    if not isinstance(cells, tuple):
        return []
    plain = [cell for cell in cells if not isinstance(cell, tuple)]
    listed = [cell for cell in cells if isinstance(cell, tuple) and cell]
    return plain + [cell[1] if isinstance(cell[0], str) and len(cell) > 1 else cell[0] for cell in listed]


def memory_cells(
    name: str, words: Sequence[Value], number: int, new: Value, old: Callable[[Value], Value] | None = None
) -> Value:
    """The argument of an operation on several words, starting with the word with this number."""
    chosen = [words[(number + more) % len(words)] for more in range(1 + number % min(2, len(words)))]
    match name.replace("_", "-"):
        case "read":
            return tuple(chosen)
        case "txn":
            return tuple(("read", word, None) if number % 3 == 0 else ("write", word, new) for word in chosen)
        case "mwcas":
            return tuple((word, 0 if old is None else old(word), new) for word in chosen)
        case _:
            return tuple((word, new) for word in chosen)
