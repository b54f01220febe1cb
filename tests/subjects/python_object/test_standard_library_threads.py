# SPDX-License-Identifier: Apache-2.0
"""Objects that use threading facilities of the standard library, and operations that start threads of their own."""

from __future__ import annotations

import contextvars
import queue
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

import linpoint
from linpoint import ConcurrentTest, operation
from tests.subjects.python_object.run_object_test import State, finding, holds, run


class TestAnnouncement(ConcurrentTest):
    def setup(self) -> State:
        return State(event=threading.Event(), value=None)

    @operation
    def publish(self, state: State) -> None:
        state.value = 1
        state.event.set()

    @operation(blocking=True)
    def take(self, state: State) -> int:
        state.event.wait()
        return state.value


class TestEarlyAnnouncement(TestAnnouncement):
    @operation
    def publish(self, state: State) -> None:
        state.event.set()
        state.value = 1


def test_an_early_event_is_found() -> None:
    holds(TestAnnouncement)
    assert finding(TestEarlyAnnouncement).scenario == "publish() | take()"


class TestMeeting(ConcurrentTest):
    operations = 1

    def setup(self) -> threading.Barrier:
        return threading.Barrier(2)

    @operation(blocking=True)
    def meet(self, barrier: threading.Barrier) -> str:
        barrier.wait()
        return "met"


def test_a_barrier_is_not_linearizable() -> None:
    """Each of the two operations needs the other to be concurrent."""
    found = finding(TestMeeting)
    assert (found.kind, found.preemptions) == ("linearizability", 0)
    assert all(each.result == "met" for each in found.operations)


class TestPermits(ConcurrentTest):
    spec = linpoint.specs.semaphore(1)
    operations = 1
    threads = 3

    def setup(self) -> threading.Semaphore:
        return threading.Semaphore(1)

    @operation(blocking=True)
    def acquire(self, semaphore: threading.Semaphore) -> None:
        semaphore.acquire()

    @operation
    def release(self, semaphore: threading.Semaphore) -> None:
        semaphore.release()

    @operation
    def try_acquire(self, semaphore: threading.Semaphore) -> bool:
        return semaphore.acquire(blocking=False)


def test_semaphores_are_correct() -> None:
    holds(TestPermits)


class TestLater(ConcurrentTest):
    operations = 1

    def setup(self) -> State:
        return State()

    @operation
    def later(self, state: State) -> None:
        def add() -> None:
            state.value += 1

        timer = threading.Timer(5.0, add)
        timer.start()
        timer.join()

    def observe(self, state: State) -> tuple[int, bool]:
        return state.value, time.monotonic() - 1000.0 >= 5.0  # virtual time begins at 1000


def test_timers_are_explored() -> None:
    found = finding(TestLater, "later() | later()")
    assert (found.kind, found.scenario, found.preemptions) == ("linearizability", "later() | later()", 1)


class TestOneTimer(TestLater):
    pass


def test_a_single_timer_is_explored() -> None:
    holds(TestOneTimer, "later()")


class TestPool(ConcurrentTest):
    def setup(self) -> State:
        return State()

    @operation
    def squares(self, _state: State) -> list[int]:
        with ThreadPoolExecutor(6) as pool:
            return list(pool.map(lambda number: number * number, range(6)))

    @operation
    def both(self, state: State) -> int:
        def add() -> None:
            state.value += 1

        with ThreadPoolExecutor(2) as pool:
            for each in [pool.submit(add), pool.submit(add)]:
                each.result()
        return state.value


def test_runs_with_an_executor_are_deterministic() -> None:
    """All schedules take too long, but none may be nondeterministic, or need more threads than exist."""
    result = run(TestPool, "squares() | squares()", budget=4.0)
    assert not result.findings, result.findings[0].message
    assert "not do the same" not in result.why
    assert result.tested.bounded_schedules > 10


def test_a_joined_executor_has_no_violation() -> None:
    """The spec allows the outcomes of its threads alone, including lost updates, but the search is not exhaustive."""
    result = run(TestPool, "both()", budget=2.0)
    assert not result.findings, result.findings[0].message


class TestNotJoined(ConcurrentTest):
    operations = 1

    def setup(self) -> State:
        return State()

    @operation
    def later(self, state: State) -> None:
        def set_it() -> None:
            state.value = 1

        threading.Thread(target=set_it).start()

    @operation
    def read(self, state: State) -> int:
        return state.value


def test_a_thread_that_is_not_joined_is_explored() -> None:
    holds(TestNotJoined)


class TestManyThreads(TestNotJoined):
    @operation
    def later(self, state: State) -> None:
        threads = [threading.Thread(target=lambda: None) for _ in range(12)]
        for each in threads:
            each.start()
        for each in threads:
            each.join()
        state.value = 1


def test_more_threads_than_are_kept_ready_can_run() -> None:
    result = run(TestManyThreads, "later() | read()", budget=1.0)
    assert not result.findings, result.findings[0].message
    assert "not do the same" not in result.why


class TestRaisingThread(TestNotJoined):
    @operation
    def later(self, _state: State) -> str:
        def fail() -> None:
            raise ValueError

        thread = threading.Thread(target=fail)
        thread.start()
        thread.join()
        return "joined"


def test_a_thread_that_raises_ends() -> None:
    holds(TestRaisingThread)


class TestWorker(ConcurrentTest):
    operations = 1

    def setup(self) -> State:
        state = State(jobs=queue.Queue())
        threading.Thread(target=self.work, args=(state,), daemon=True).start()
        return state

    def work(self, state: State) -> None:
        while True:
            number, answers = state.jobs.get()
            answers.append(number * 2)

    @operation(number=[1, 2])
    def ask(self, state: State, number: int) -> int:
        state.jobs.put((number, []))
        return number


def test_a_thread_started_by_setup_is_not_a_thread_of_the_scenario() -> None:
    """It was once taken for the first thread, and results were attributed to the wrong threads."""
    result = run(TestWorker, "ask(1) | ask(2)", budget=2.0)
    assert not result.findings, result.findings[0].message
    assert "not do the same" not in result.why


class TestLocal(ConcurrentTest):
    def setup(self) -> threading.local:
        return threading.local()

    @operation
    def add(self, local: threading.local) -> int:
        local.number = getattr(local, "number", 0) + 1
        return local.number


def test_each_thread_and_each_run_has_its_own_thread_locals() -> None:
    found = finding(TestLocal, "add(); add() | add()")
    assert all(each.result in (1, 2) for each in found.operations)


made: contextvars.ContextVar[int] = contextvars.ContextVar("made", default=0)
greeted: contextvars.ContextVar[int] = contextvars.ContextVar("greeted", default=0)


class TestContext(ConcurrentTest):
    def setup(self) -> State:
        made.set(made.get() + 1)
        return State(made=made.get())

    @operation
    def greet(self, state: State) -> int:
        assert (state.made, made.get()) == (1, 0)
        greeted.set(greeted.get() + 1)
        return greeted.get()

    @operation
    def write(self, state: State) -> None:
        state.value += 1


@pytest.mark.parametrize("scenario", ["greet(); greet() | greet()", "write(); greet() | greet(); write(); greet()"])
def test_each_thread_and_each_run_has_its_own_context(scenario: str) -> None:
    """A second thread once saw the first thread's value, and a second run that of the first run."""
    found = finding(TestContext, scenario)
    assert found.kind == "linearizability"
    assert all(each.result in (1, 2, None) for each in found.operations)


class TestQueue(ConcurrentTest):
    operations = 1
    threads = 3

    def setup(self) -> queue.Queue[int]:
        return queue.Queue(1)

    @operation(item=[1], blocking=True)
    def put(self, subject: queue.Queue[int], item: int) -> None:
        subject.put(item)

    @operation(blocking=True)
    def get(self, subject: queue.Queue[int]) -> int:
        return subject.get()


def test_queues_are_explored() -> None:
    holds(TestQueue)
