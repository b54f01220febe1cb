# SPDX-License-Identifier: Apache-2.0
"""Broken objects are found with small, replayable findings; their fixed twins pass."""

from __future__ import annotations

import asyncio
import sys
from typing import ClassVar

import pytest

import linpoint
from linpoint.explore.python_control.event_loop_session import EventLoopSession
from linpoint.explore.python_control.task_trace_recorder import TaskTraceRecorder
from linpoint.scenarios.concurrent_test import definition_of, definition_of_object
from linpoint.scenarios.scenario import Scenario
from linpoint.subjects.python_object.object_judge import ObjectJudge
from linpoint.subjects.python_object.scenario_runner import ScenarioRunner
from linpoint.subjects.python_object.scenario_search import ScenarioSearch
from linpoint.traces.trace import StepKind
from linpoint.verdicts import Status
from tests.explore.event_loop import zoo
from tests.subjects.python_object.run_object_test import run_definition

GET, WITHDRAW = {"get": {"key": "ab"}}, {"withdraw": {"amount": [60, 30]}}
PUT_AND_GET = {"put": {"item": [1, 2]}, "get": {}}
SEND_AND_RECEIVE = {"send": {"message": [1, 2]}, "receive": {}}


def loads(cache):
    return cache.loads


async def balance(account):
    return account.balance


def available(pool):
    return pool.available()


BROKEN = [
    # object, operations, final state, kind, scenario, preemptions
    (zoo.CheckThenAwait, GET, loads, "linearizability", 'get("a") | get("a")', 0),
    (zoo.Account, WITHDRAW, balance, "linearizability", "withdraw(60) | withdraw(60)", 0),
    (zoo.LeakyPool, ["use"], available, "linearizability", "use() | use()", 1),
    (zoo.RateLimiter, ["take"], None, "linearizability", "take() | take()", 0),
    (zoo.Connections, ["connect"], None, "linearizability", "connect() | connect()", 0),
    (zoo.TwoLocks, ["forth", "back"], None, "deadlock", "forth() | back()", 0),
    (zoo.Mailbox, SEND_AND_RECEIVE, None, "deadlock", "send(1) | receive()", 1),
    (zoo.Leases, ["give_back"], None, "exception", "give_back() | give_back()", 0),
    (zoo.LossyQueue, PUT_AND_GET, None, "linearizability", None, None),
]
FIXED = [
    (zoo.CheckThenAwaitFixed, GET, loads),
    (zoo.AccountFixed, WITHDRAW, balance),
    (zoo.LeakyPoolFixed, ["use"], available),
    (zoo.RateLimiterFixed, ["take"], None),
    (zoo.ConnectionsFixed, ["connect"], None),
    (zoo.TwoLocksFixed, ["forth", "back"], None),
    (zoo.MailboxFixed, SEND_AND_RECEIVE, None),
    (zoo.LeasesFixed, ["give_back"], None),
    (zoo.BoundedQueue, PUT_AND_GET, None),
]


def name(value):
    return value.__name__ if isinstance(value, type) else ""


@pytest.mark.parametrize(("made", "operations", "observe", "kind", "scenario", "preemptions"), BROKEN, ids=name)
def test_broken_objects_are_found(made, operations, observe, kind, scenario, preemptions):
    definition = definition_of_object(made, operations, observe=observe)
    assert definition.is_async
    result = run_definition(definition)
    assert result.status is Status.VIOLATION
    assert result.models == {"free-threaded": Status.VIOLATION, "gil": Status.VIOLATION}
    (finding,) = result.findings
    assert finding.kind == kind
    assert finding.minimal
    if scenario is not None:
        assert (finding.scenario, finding.preemptions) == (scenario, preemptions)
    assert replayed(definition, finding) == kind


def replayed(definition, finding) -> str | None:
    """The kind of failure of the finding's schedule in another session."""
    with EventLoopSession() as session:
        scenario = Scenario.from_dict(finding.replay["scenario"])
        exploration = ScenarioSearch(ScenarioRunner(definition, scenario, session), ObjectJudge(definition, session))
        shown = exploration.rerun(finding.schedule)
    assert shown.run is not None
    assert shown.diverged_at is None
    return shown.failure and shown.failure.kind


@pytest.mark.parametrize(("made", "operations", "observe"), FIXED, ids=name)
def test_fixed_objects_pass(made, operations, observe):
    result = run_definition(definition_of_object(made, operations, observe=observe))
    assert result.status is Status.LINEARIZABLE, result.findings
    assert result.models["gil"] is Status.LINEARIZABLE


def test_a_fixed_object_is_explored_exhaustively():
    result = run_definition(definition_of_object(zoo.ConnectionsFixed, ["connect"]), budget=60)
    assert result.exhaustive


def test_methods_that_return_coroutines_are_awaited():
    definition = definition_of_object(lambda: zoo.CheckThenAwait(), {"get": {"key": "ab"}})  # noqa: PLW0108
    assert not definition.is_async
    (finding,) = run_definition(definition).findings
    assert finding.scenario == 'get("a") | get("a")'
    alone = definition_of_object(lambda: zoo.ConnectionsFixed(), ["connect"], before=1)  # noqa: PLW0108
    assert run_definition(alone).status is Status.LINEARIZABLE


class TestPool(linpoint.ConcurrentTest):
    """``setup`` and operations may be coroutines, including operations that run alone."""

    scenarios = (Scenario.parse("acquire() | acquire()", before="acquire()", after="release(); acquire()"),)
    pool: ClassVar[type] = asyncio.Semaphore

    async def setup(self):
        await asyncio.sleep(1)
        return self.pool(2)

    @linpoint.operation
    async def acquire(self, pool):
        async with asyncio.timeout(None):
            await pool.acquire()

    @linpoint.operation
    def release(self, pool):
        pool.release()

    async def observe(self, pool):
        await asyncio.sleep(1)
        return pool.locked()


class Forgetful(asyncio.Semaphore):
    def release(self):
        """It wakes no waiter."""


class TestForgetful(TestPool):
    pool = Forgetful
    scenarios = ("acquire(); acquire() | acquire(); release()",)

    spec = linpoint.specs.semaphore(2)
    observe = None


def test_a_class_of_coroutines_is_tested():
    assert definition_of(TestPool).is_async
    assert run_definition(definition_of(TestPool), budget=5).status is Status.LINEARIZABLE
    (finding,) = run_definition(definition_of(TestForgetful)).findings
    assert finding.kind == "deadlock"
    assert "acquire" in finding.scenario


class Beating:
    """A queue with an endless background task."""

    def __init__(self):
        self.items = asyncio.Queue()
        self.beats = 0

    async def begin(self):
        self.heart = asyncio.create_task(self.beat())
        return self

    async def beat(self):
        while True:
            await asyncio.sleep(1)
            self.beats += 1


@pytest.mark.parametrize(
    ("scenario", "kind"), [("get() | put()", None), ("get() | get(); put()", None), ("lose() | put()", "deadlock")]
)
def test_waiting_only_for_an_endless_background_task_is_a_deadlock(scenario, kind):
    async def setup():
        return await Beating().begin()

    async def get(beating):
        return await beating.items.get()

    async def put(beating):
        await beating.items.put(1)

    async def lose(beating):
        if beating.items.empty():
            await asyncio.sleep(0)
            await asyncio.Event().wait()

    operations = {"get": get, "put": put, "lose": lose}
    definition = definition_of_object(setup, operations, spec=NothingWaits if kind else None)
    result = run_definition(definition, budget=2, scenarios=(Scenario.parse(scenario),))
    assert [finding.kind for finding in result.findings] == ([kind] if kind else [])


@linpoint.spec
class NothingWaits:
    initial = ()

    def get(state):  # noqa: N805
        return None, state

    def put(state):  # noqa: N805
        return None, state

    def lose(state):  # noqa: N805
        return None, state


# Content of a finding


def lines_of(finding, thread):
    return [
        step.place.text
        if step.kind is StepKind.LOCAL
        else step.kind.value + (f" {step.location}" if step.location else "")
        for step in finding.trace.steps
        if step.thread == thread
    ]


def test_the_trace_has_the_lines_and_what_each_await_waits_for():
    definition = definition_of_object(zoo.CheckThenAwait, GET, scenarios=['get("a") | get("a")'])
    (finding,) = run_definition(definition).findings
    assert [thread.name for thread in finding.trace.threads] == ["task 1", "task 2", "time"]
    assert lines_of(finding, 0) == [
        "call",
        "if key not in self.values:",
        "value = await self.load(key)",
        "self.loads += 1",
        "await asyncio.sleep(0.1)",
        "wait asyncio.sleep(0.1)",
        'return f"{key}{self.loads}"',
        "self.values[key] = value",
        "return self.values[key]",
        "return",
    ]
    waits = next(step for step in finding.trace.steps if step.kind is StepKind.WAIT)
    assert waits.place.text == "await asyncio.sleep(0.1)"
    assert waits.place.function == "load"


def test_a_deadlock_names_the_resource_of_each_waiting_coroutine():
    (finding,) = run_definition(definition_of_object(zoo.TwoLocks, ["forth", "back"])).findings
    blocked = [step for step in finding.trace.steps if step.kind is StepKind.BLOCK]
    assert [(step.thread, step.location) for step in blocked] == [
        (0, "TwoLocks.right.acquire()"),
        (1, "TwoLocks.left.acquire()"),
    ]
    assert blocked[0].place.text == "async with self.right:"


def test_the_trace_shows_time_and_departures_from_the_usual_order():
    (finding,) = run_definition(definition_of_object(zoo.LeakyPool, ["use"], observe=available)).findings
    told = [(step.thread, step.message) for step in finding.trace.steps if step.kind is StepKind.NOTE]
    assert told == [
        (2, "1 s have passed"),
        (1, "has its turn"),
        (2, "1 s have passed, calls Timeout._on_timeout"),
    ]
    assert finding.trace.preemptions == finding.preemptions == 1


def test_an_exception_is_reported_where_it_was_raised():
    (finding,) = run_definition(definition_of_object(zoo.Leases, ["give_back"])).findings
    assert finding.message == "give_back() raised KeyError, which no valid order gives"
    raised = finding.trace.steps[finding.trace.failure.step]
    assert raised.kind is StepKind.EXCEPTION
    assert raised.message == "KeyError: 'a'"
    assert raised.place.text == 'self.held.remove("a")'
    assert sys.gettrace() is None or not isinstance(getattr(sys.gettrace(), "__self__", None), TaskTraceRecorder)
