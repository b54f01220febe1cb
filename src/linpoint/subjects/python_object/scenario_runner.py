# SPDX-License-Identifier: Apache-2.0
"""Runs a scenario of a test under the schedules of an explorer.

Guarantee: each run has a fresh object, which is constructed and used under control. Results are immutable values that
later steps cannot change.
"""

from __future__ import annotations

import functools
import inspect
import re
from asyncio import CancelledError
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any, Final

from msgspec import UNSET

from linpoint.errors import TestError
from linpoint.explore import _native_control as native
from linpoint.explore.python_control.control_session import Body, CompletedCall, ControlSession
from linpoint.explore.python_control.run_abort import BlockedForever, is_ctrl_c
from linpoint.histories.values import FrozenObject, Value, canonical, freeze, thaw
from linpoint.judging.scenario_run import PerformedOperation, RunEnding, ScenarioRun, WaitingThread
from linpoint.scenarios.concurrent_test import ConcurrentTestDefinition
from linpoint.scenarios.scenario import Call, Scenario

_ADDRESS: Final = re.compile(r" at 0x[0-9a-fA-F]+")


def result_value(value: Any) -> Value:
    """A result as an immutable value, equal for equal results of two runs; never raises.

    A value without a JSON form is represented by its ``repr`` without addresses, sets in a fixed order.
    """
    if inspect.iscoroutine(value):
        return value  # it must be awaited: the caller raises CoroutinesError
    try:
        frozen = freeze(value)
        if _is_plain(frozen):
            hash(canonical(frozen))
            return frozen
        return _repr_value(value)
    except Exception:  # noqa: BLE001 - a repr may raise anything, and a value may contain itself
        return f"<{type(value).__name__}>"


def _repr_value(value: Any) -> str:
    if isinstance(value, (set, frozenset)):
        inside = ", ".join(sorted(map(_repr_value, value)))
        return f"{{{inside}}}" if type(value) is set and inside else f"{type(value).__name__}({inside})"
    return _ADDRESS.sub("", repr(value))


def _is_plain(value: Value) -> bool:
    if isinstance(value, tuple):
        return all(map(_is_plain, value))
    if isinstance(value, FrozenObject):
        return all(isinstance(key, str) and _is_plain(item) for key, item in value.items())
    return value is None or isinstance(value, (bool, int, float, str))


class CoroutinesError(Exception):
    """Operations returned coroutines although none was declared ``async``: the test needs an event loop."""


_RESULTS: Final = (Exception, CancelledError, SystemExit, KeyboardInterrupt)
"""Exceptions that count as the result of an operation, unless they are Ctrl-C."""


def raised_value(error: BaseException) -> Value:
    """The result of an operation that raised; an error that is not a result is raised again."""
    if isinstance(error, (TestError, CoroutinesError)) or is_ctrl_c(error):
        raise error
    return FrozenObject(raises=type(error).__name__)


def observed_value(observe: Callable[[Any], Any], subject: Any) -> Value:
    """The value of ``observe`` for an object."""
    try:
        return result_value(observe(subject))
    except (*_RESULTS, BlockedForever) as error:
        return raised_value(error)


_MAX_ALONE_INSTRUCTIONS: Final = 1_000_000
"""Operations before or after the threads count as blocked forever if they need more instructions."""

Plan = Sequence[tuple[Any, tuple[Any, ...]]]
"""Functions with the arguments that follow the object."""


def plan_of(definition: ConcurrentTestDefinition, calls: Sequence[Call]) -> Plan:
    """The functions and arguments of calls."""
    return [(definition.operations[each.operation].call, each.args) for each in calls]


def body_of(subject: Any, plan: Plan) -> Body:
    """The body of a thread that calls operations one after another."""
    return tuple((function, (subject, *map(thaw, args))) for function, args in plan)


class ScenarioRunner:
    """Runs a scenario of a test repeatedly."""

    def __init__(self, definition: ConcurrentTestDefinition, scenario: Scenario, session: ControlSession) -> None:
        self.scenario = scenario
        self._definition = definition
        self.session = session
        self._threads = [plan_of(definition, thread) for thread in scenario.threads]
        self._before = plan_of(definition, scenario.before)
        self._after = plan_of(definition, scenario.after)
        self._seen: dict[object, ScenarioRun] = {}
        self._given_up = False

    def run(self, explorer: native.Explorer) -> ScenarioRun | None:
        """The next run; None if it is redundant for the explorer. Call ``explorer.begin()`` first."""
        session = self.session
        self._given_up = False
        session.prepare(len(self._threads))
        with session.alone():
            subject = self._setup()
        before = self._alone(subject, self.scenario.before, self._before) if self._before else ()
        # No thread begins if an operation before them blocks forever.
        reached = not before or before[-1].returned is not None
        ending = session.run(explorer, [body_of(subject, plan) for plan in (self._threads if reached else ())])
        if ending is RunEnding.REDUNDANT:
            return None
        if ending is not RunEnding.COMPLETE or not reached:
            return self._ended(ending, before)
        outcome = session.outcome()
        ended = self._ended(ending, before) if outcome is None else None
        after = self._alone(subject, self.scenario.after, self._after) if self._after else ()
        observed = self._observed(subject)
        if ended is not None:
            return replace(ended, after=after, observed=observed, given_up=self._given_up)
        # Most schedules of a scenario repeat the outcome of an earlier one, whose run is returned again.
        results = tuple([(each.returned, canonical(each.result)) for each in (*before, *after)])
        key = outcome, results, canonical(observed)
        found = self._seen.get(key)
        if found is None:
            found = self._seen[key] = replace(
                self._ended(ending, before), after=after, observed=observed, given_up=self._given_up
            )
        return found

    def _ended(self, ending: RunEnding, before: tuple[PerformedOperation, ...]) -> ScenarioRun:
        """The run that just ended, without the operations after its threads."""
        operations = self.session.operations()
        self._refuse_coroutines(each.value for done in operations for each in done)
        threads = tuple(
            tuple(performed(calls, done)) for calls, done in zip(self.scenario.threads, operations, strict=False)
        )
        waiting = tuple(WaitingThread(each.process, each.owner, each.place) for each in self.session.waiting())
        goes_round = ending is RunEnding.CUT and self.session.goes_round()
        return ScenarioRun(self.scenario, ending, before, threads, (), UNSET, waiting, goes_round, self._given_up)

    def _observed(self, subject: Any) -> Value:
        if self._definition.observe is None:
            return UNSET
        with self.session.alone():
            return observed_value(functools.partial(self._called, self._definition.observe), subject)

    def _called(self, function: Callable[..., Any], *args: Any) -> Any:
        value = self.session.call(function, *args)
        self._refuse_coroutines((value,))
        return value

    def _refuse_coroutines(self, values: Iterable[Any]) -> None:
        """Close coroutines that will not be awaited, and raise ``CoroutinesError`` if there are any."""
        found = [] if self._definition.is_async else [value for value in values if inspect.iscoroutine(value)]
        for each in found:
            each.close()
        if found:
            raise CoroutinesError

    def _setup(self) -> Any:
        try:
            return self._called(self._definition.setup)
        except (TestError, CoroutinesError):
            raise
        except (Exception, BlockedForever, CancelledError) as error:
            raise TestError(
                "LP-T014",
                f"setup raised {type(error).__name__}: {error}.",
                place=self._definition.name,
                remedy="Let setup create a fresh object, without other threads.",
            ) from error

    def _alone(self, subject: Any, calls: Sequence[Call], plan: Plan) -> tuple[PerformedOperation, ...]:
        """Execute operations sequentially until one of them blocks forever."""
        done = []
        with self.session.alone(most=_MAX_ALONE_INSTRUCTIONS):
            for call, (function, args) in zip(calls, plan, strict=True):
                try:
                    result = result_value(self._called(function, subject, *map(thaw, args)))
                except BlockedForever:
                    self._given_up = native.control_limit_alone(0)
                    done.append(PerformedOperation(call, 0, None))
                    break
                except _RESULTS as error:
                    result = raised_value(error)
                done.append(PerformedOperation(call, 0, 0, result))
        return tuple(done)


def performed(calls: Sequence[Call], done: Sequence[CompletedCall]) -> Iterable[PerformedOperation]:
    """The operations that a thread has called."""
    for call, each in zip(calls, done, strict=False):
        result = FrozenObject(raises=type(each.value).__name__) if each.raised else result_value(each.value)
        ended = each.returned >= 0
        called = each.called if each.called >= 0 else None
        yield PerformedOperation(call, called, each.returned if ended else None, result if ended else None)
