# SPDX-License-Identifier: Apache-2.0
"""The object under test as its own spec: what its operations give one after another.

A state is the sequence of operations so far, and a step runs that sequence on a fresh object. So objects need not be
copied, and an operation that would wait or go on for ever is not a legal step. Cost: O(n) operations for a step, each sequence
once; scenarios are small.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from contextlib import nullcontext

from linpoint.explore import _native_control as native
from linpoint.explore.python.session import Ending, Session
from linpoint.explore.testing.runs import observed_value, result_value
from linpoint.histories.values import FrozenObject, Value, thaw
from linpoint.scenarios.definition import Definition
from linpoint.scenarios.scenario import Call
from linpoint.specs.protocol import Outcomes, Spec, Step

Sequence = tuple[Call, ...]


class SequentialRuns:
    """What sequences of operations of a test give."""

    def __init__(self, definition: Definition, session: Session) -> None:
        self._definition = definition
        self._session = session
        self._known: dict[Sequence, tuple[Value, bool]] = {(): (None, True)}
        self._seen: dict[Sequence, Value] = {}

    def spec(self) -> Spec:
        """The object as a spec."""
        steps = {
            name: Step(name, self._apply(name), operation.parameters, len(operation.parameters))
            for name, operation in self._definition.operations.items()
        }
        return Spec(f"{self._definition.name}, one operation at a time", (), steps)

    def _apply(self, name: str) -> Callable[..., Outcomes]:
        def apply(state: Sequence, *args: Value) -> Outcomes:
            sequence = (*state, Call(name, args))
            result, legal = self.last(sequence)
            return [(result, sequence)] if legal else []

        return apply

    def last(self, sequence: Sequence) -> tuple[Value, bool]:
        """The result of the last operation of a sequence, and whether it came to its end."""
        if sequence not in self._known:
            self._run(sequence)
        return self._known[sequence]

    def observed(self, sequence: Sequence) -> Value:
        """What ``observe`` gives after a sequence."""
        if sequence not in self._seen:
            self._run(sequence)
        return self._seen[sequence]

    def _run(self, sequence: Sequence) -> None:
        # Who explains a verdict asks again when the session is over.
        with self._session if not self._session.is_open else nullcontext():
            self._run_under_control(sequence)

    def _run_under_control(self, sequence: Sequence) -> None:
        """All operations on one thread; the last that it comes to may wait or go on for ever."""
        session, operations = self._session, self._definition.operations
        session.prepare()
        with session.alone():
            subject = session.call(self._definition.setup)
        body = tuple((operations[each.operation].call, (subject, *map(thaw, each.args))) for each in sequence)
        explorer = native.explore_again([])
        explorer.begin()
        ending = session.run(explorer, [body])
        for number, done in enumerate(session.operations()[0], 1):
            result = FrozenObject(raises=type(done.value).__name__) if done.raised else result_value(done.value)
            self._known[sequence[:number]] = (result, True) if done.returned >= 0 else (None, False)
        if ending is not Ending.COMPLETE:
            self._known.setdefault(sequence, (None, False))
            self._seen.setdefault(sequence, None)
            return
        observe = self._definition.observe
        with session.alone():
            self._seen[sequence] = (
                None if observe is None else observed_value(functools.partial(session.call, observe), subject)
            )
