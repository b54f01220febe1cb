# SPDX-License-Identifier: Apache-2.0
"""The object under test as its own spec: what its operations give one after another.

A state is the sequence of operations so far, and a step runs that sequence on a fresh object. So objects need not be
copied, and an operation that would wait for ever is not a legal step. Cost: O(n) operations for a step, each sequence
once; scenarios are small.
"""

from __future__ import annotations

from asyncio import CancelledError
from collections.abc import Callable
from typing import Any

from linpoint.errors import TestError
from linpoint.explore.python.session import Session
from linpoint.explore.python.stopping import BlockedForever
from linpoint.explore.testing.runs import result_value
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
        self._session.prepare()
        with self._session.alone():
            subject = self._session.call(self._definition.setup)
            result, legal = None, True
            for number, call in enumerate(sequence, 1):
                result, legal = self._call(subject, call)
                self._known[sequence[:number]] = result, legal
                if not legal:
                    return
            observe = self._definition.observe
            self._seen[sequence] = None if observe is None else self._call_observe(observe, subject)

    def _call(self, subject: Any, call: Call) -> tuple[Value, bool]:
        function = self._definition.operations[call.operation].call
        try:
            return result_value(self._session.call(function, subject, *map(thaw, call.args))), True
        except BlockedForever:
            return None, False
        except TestError:
            raise
        except (Exception, CancelledError) as error:  # noqa: BLE001 - raising is a result like any other
            return FrozenObject(raises=type(error).__name__), True

    def _call_observe(self, observe: Callable[[Any], Any], subject: Any) -> Value:
        try:
            return result_value(self._session.call(observe, subject))
        except TestError:
            raise
        except (Exception, CancelledError) as error:  # noqa: BLE001 - as above
            return FrozenObject(raises=type(error).__name__)
