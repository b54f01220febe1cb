# SPDX-License-Identifier: Apache-2.0
"""The object under test as its own spec: the results of its operations in sequential runs.

A state is the sequence of operations so far with their results. A step runs that sequence on a fresh object, in one
controlled thread, so objects need not be copied. An operation that blocks forever or does not terminate is not a legal
step. Operations may start threads, whose schedules count as nondeterminism: all of them are run up to reordering, and
each outcome is legal; ``guessed`` is set if there are too many. On an event loop only the default schedule is run.
Cost: O(n) operations for a step, each sequence once; scenarios are small.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Final

from msgspec import UNSET

from linpoint.explore import _native_control as native
from linpoint.explore.python_control.control_session import ControlSession
from linpoint.histories.values import Value, canonical
from linpoint.judging.scenario_run import RunEnding
from linpoint.scenarios.concurrent_test import ConcurrentTestDefinition
from linpoint.scenarios.scenario import Call
from linpoint.specs.spec import Outcomes, Spec, Step
from linpoint.subjects.python_object.scenario_runner import body_of, observed_value, performed, plan_of

Calls = tuple[Call, ...]
State = tuple[tuple[Call, Value], ...]
"""The operations so far with their results."""

_MAX_SEQUENTIAL_RUNS: Final = 200
"""The maximum number of runs of one sequence whose operations start threads."""


@dataclass(frozen=True, slots=True)
class _Ended:
    """A run of a sequence: the results of the operations that returned, and the observation after them."""

    results: tuple[Value, ...]
    observed: Value


class SequentialObjectSpec:
    """Computes the results of sequences of a test's operations."""

    def __init__(self, definition: ConcurrentTestDefinition, session: ControlSession) -> None:
        self._definition = definition
        self._session = session
        self._known: dict[Calls, tuple[_Ended, ...]] = {}
        self.guessed = False
        """Whether some sequence may have further results."""

    def spec(self) -> Spec:
        """The object as a spec."""
        steps = {
            name: Step(name, self._apply(name), operation.parameters, len(operation.parameters))
            for name, operation in self._definition.operations.items()
        }
        return Spec(f"{self._definition.name}, one operation at a time", (), steps)

    def _apply(self, name: str) -> Callable[..., Outcomes]:
        def apply(state: State, *args: Value) -> Outcomes:
            call = Call(name, args)
            calls = (*(each for each, _ in state), call)
            found = _distinct(
                ended.results[-1]
                for ended in self._runs(calls)
                if len(ended.results) == len(calls) and _begins_as(ended, state)
            )
            return [(result, (*state, (call, result))) for result in found]

        return apply

    def observed(self, calls: Calls) -> list[Value]:
        """The possible values of ``observe`` after these operations."""
        return _distinct(ended.observed for ended in self._runs(calls) if ended.observed is not UNSET)

    def observed_after(self, state: State) -> list[Value]:
        """The possible values of ``observe`` after these operations with these results."""
        runs = self._runs(tuple(call for call, _ in state))
        return _distinct(each.observed for each in runs if each.observed is not UNSET and _begins_as(each, state))

    def _runs(self, calls: Calls) -> tuple[_Ended, ...]:
        found = self._known.get(calls)
        if found is None:
            # A verdict may be explained after the session has closed.
            with self._session if not self._session.is_open else nullcontext():
                found = self._known[calls] = tuple(self._explore(calls))
        return found

    def _explore(self, calls: Calls) -> Iterator[_Ended]:
        # The accesses of a step may be known only after it, so sleep sets do not apply.
        explorer = native.explore_again([]) if self._definition.is_async else native.explore_dpor(sleep_sets=False)
        while explorer.begin():
            if explorer.runs >= (1 if self.guessed else _MAX_SEQUENTIAL_RUNS):
                self.guessed = True
                return
            ended = self._run(calls, explorer)
            if ended is not None:
                yield ended

    def _run(self, calls: Calls, explorer: native.Explorer) -> _Ended | None:
        session, observe = self._session, self._definition.observe
        session.prepare(1)
        with session.alone():
            subject = session.call(self._definition.setup)
        ending = session.run(explorer, [body_of(subject, plan_of(self._definition, calls))])
        if ending is RunEnding.REDUNDANT:
            return None
        results = tuple(each.result for each in performed(calls, session.operations()[0]) if each.returned is not None)
        if ending is not RunEnding.COMPLETE or observe is None:
            return _Ended(results, UNSET)
        with session.alone():
            return _Ended(results, observed_value(functools.partial(session.call, observe), subject))


def _distinct(values: Iterable[Value]) -> list[Value]:
    return list({canonical(value): value for value in values}.values())


def _begins_as(ended: _Ended, state: State) -> bool:
    return all(
        canonical(result) == canonical(wanted) for result, (_, wanted) in zip(ended.results, state, strict=False)
    )
