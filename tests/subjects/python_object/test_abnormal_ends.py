# SPDX-License-Identifier: Apache-2.0
"""Operations that end abnormally: they never return, swallow exceptions, exit, fork, recurse, or print."""

from __future__ import annotations

import os
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pytest

from linpoint import ConcurrentTest, Scenario, Status, TestError, operation, specs
from linpoint.scenarios import Call, definition_of
from tests.subjects.python_object.run_object_test import State, finding, holds, run, run_definition

made_before = [threading.Lock()]


class Two(ConcurrentTest):
    __test__ = False
    operations = 1

    def setup(self) -> State:
        return State(left=threading.Lock(), right=threading.Lock(), lock=threading.RLock())


class BothLocks(Two):
    """Each operation takes two locks, in opposite orders."""

    __test__ = False

    @operation
    def go_left(self, state: State) -> None:
        self.both(state.left, state.right)

    @operation
    def go_right(self, state: State) -> None:
        self.both(state.right, state.left)

    def both(self, mine: Any, yours: Any) -> None:
        raise NotImplementedError


class TestBackingOff(BothLocks):
    """Each operation holds its own lock, finds the other taken, releases its own, and tries again."""

    def both(self, mine: Any, yours: Any) -> None:
        while True:
            with mine:
                if yours.acquire(blocking=False):
                    yours.release()
                    return


@pytest.mark.long
def test_a_livelock_is_found() -> None:
    # A run has to become too long first, and each run of the reduction is one round longer than the one before.
    found = finding(TestBackingOff, "go_left() | go_right()", budget=300.0)
    assert (found.kind, found.scenario) == ("livelock", "go_left() | go_right()")


class TestSwallowing(BothLocks):
    """It continues after every exception, even after the one that tells it to stop."""

    def both(self, mine: Any, yours: Any) -> None:
        while True:
            try:
                with mine, yours:
                    return
            except BaseException:  # noqa: BLE001 - that is what is tested
                pass


def test_swallowing_every_exception_does_not_hang_the_test() -> None:
    found = finding(TestSwallowing)
    assert (found.kind, found.scenario, found.preemptions) == ("deadlock", "go_left() | go_right()", 1)


def test_swallowing_every_exception_does_not_hang_a_test_off_the_main_thread() -> None:
    with ThreadPoolExecutor(1) as pool:
        (found,) = pool.submit(run, TestSwallowing).result().findings
    assert (found.kind, found.scenario, found.preemptions) == ("deadlock", "go_left() | go_right()", 1)


class TestTidying(Two):
    @operation
    def go_left(self, state: State) -> None:
        try:
            with state.left, state.right:
                pass
        finally:
            with state.lock:
                state.value += 1

    @operation
    def go_right(self, state: State) -> None:
        state.right.acquire()
        try:
            with state.left:
                pass
        finally:
            state.right.release()
            state.value += 1


def test_locks_in_a_finally_clause_work() -> None:
    found = finding(TestTidying)
    assert (found.kind, found.scenario, found.preemptions) == ("deadlock", "go_left() | go_right()", 1)


class TestRecursion(Two):
    @operation
    def bump(self, state: State) -> int:
        with state.lock:
            self.down(state, 3)
            return state.value

    def down(self, state: State, depth: int) -> None:
        with state.lock:
            if depth:
                self.down(state, depth - 1)
            state.value += 1


def test_recursion_with_a_reentrant_lock_works() -> None:
    holds(TestRecursion)


class TestLeaving(Two):
    @operation
    def leave(self, state: State) -> None:
        state.value += 1
        sys.exit(3)

    @operation
    def interrupt(self, state: State) -> None:
        state.value += 1
        raise KeyboardInterrupt

    @operation
    def write(self, state: State) -> None:
        state.value = 0


def test_exiting_the_interpreter_is_a_result() -> None:
    holds(TestLeaving)


class TestForking(Two):
    @operation
    def fork(self, state: State) -> None:
        state.value = 1
        if os.fork() == 0:
            os._exit(0)


def test_fork_is_rejected() -> None:
    with pytest.raises(TestError, match=r"LP-T026 .*test_abnormal_ends.py:\d+: os.fork\(\) creates a process"):
        run(TestForking)


class TestHiddenLock(Two):
    @operation
    def bump(self, state: State) -> None:
        with made_before[0]:
            state.value += 1


def test_a_real_lock_is_rejected_at_its_line() -> None:
    with pytest.raises(TestError, match=r"LP-T021 .*test_abnormal_ends.py:\d+: .* was created before control began"):
        run(TestHiddenLock)


class TestEndless(Two):
    @operation
    def compute(self, state: State) -> None:
        state.value = 1
        while True:
            pass


@pytest.mark.long
def test_an_endless_computation_is_abandoned() -> None:
    with pytest.raises(TestError, match=r"LP-T022 .*test_abnormal_ends.py:\d+: thread 0 has not come back"):
        run(TestEndless)
    holds(TestRecursion)  # the next test is unaffected


class TestSpinning(Two):
    @operation(blocking=True)
    def wait(self, state: State) -> str:
        while not state.value:
            pass
        return "seen"

    @operation
    def go(self, state: State) -> None:
        state.value = 1


def test_spinning_without_a_thread_to_wake_it_is_not_a_livelock() -> None:
    result = run(TestSpinning, "wait() | wait()", budget=1.0)
    assert not result.findings, result.findings[0].message


class TestMuchToDo(Two):
    """It terminates, but late."""

    spec = specs.counter

    @operation
    def increment(self, state: State) -> None:
        state.value += 1
        for number in range(400_000 if state.value == 10 else 12_000):
            state.last = number


def test_a_long_run_is_not_a_livelock() -> None:
    result = run(TestMuchToDo, "increment() | increment()", budget=4.0)
    assert (result.status, result.findings) == (Status.UNKNOWN, ())
    assert "they are long or do not terminate" in result.why


@pytest.mark.parametrize("place", ["before", "after"])
def test_a_long_operation_outside_the_threads_is_not_a_deadlock(place: str) -> None:
    scenario = replace(Scenario.parse("increment()"), **{place: (Call("increment", ()),) * 10})
    result = run_definition(definition_of(TestMuchToDo), scenarios=(scenario,), gil_verdict=False, budget=10.0)
    assert (result.status, result.findings) == (Status.UNKNOWN, ())


class TestWithoutObject(Two):
    def setup(self) -> State:
        raise LookupError("nothing to test")

    @operation
    def read(self, state: State) -> int:
        return state.value


def test_a_setup_that_raises_is_reported() -> None:
    with pytest.raises(TestError, match="LP-T014 TestWithoutObject: setup raised LookupError: nothing to test"):
        run(TestWithoutObject)


class TestWaiting(Two):
    def setup(self) -> threading.Event:
        return threading.Event()

    @operation(blocking=True)
    def wait(self, event: threading.Event) -> None:
        event.wait()

    @operation
    def go(self, event: threading.Event) -> None:
        event.set()


@pytest.mark.parametrize("test", [TestSpinning, TestWaiting])
@pytest.mark.parametrize("place", ["before", "after"])
def test_an_endless_operation_before_the_threads_keeps_them_from_starting(
    test: type[ConcurrentTest], place: str
) -> None:
    """The threads cannot wake an operation before them; this was once called a deadlock, or waited for."""
    scenario = replace(Scenario.parse("go() | go()"), **{place: (Call("wait", ()),)})
    result = run_definition(definition_of(test), scenarios=(scenario,), gil_verdict=False)
    assert result.status is Status.LINEARIZABLE, result.why
    assert result.tested.bounded_schedules == (1 if place == "before" else 2)


def test_nothing_is_left_behind() -> None:
    before = vars(threading.Thread).copy(), sys.unraisablehook, threading.Lock, os.fork, threading._dangling  # type: ignore[attr-defined]
    holds(TestRecursion)
    assert before == (vars(threading.Thread), sys.unraisablehook, threading.Lock, os.fork, threading._dangling)  # type: ignore[attr-defined]


class TestPrinting(Two):
    @operation
    def say(self, state: State) -> int:
        print("said")
        return state.value


def test_printing_operations_pass(capsys: pytest.CaptureFixture[str]) -> None:
    holds(TestPrinting)
    assert set(capsys.readouterr().out.split()) == {"said"}


class TestImporting(Two):
    @operation
    def use(self, state: State) -> str:
        import colorsys

        state.value += 1
        return colorsys.__name__


def test_an_import_in_the_first_run_is_not_nondeterminism() -> None:
    sys.modules.pop("colorsys", None)
    holds(TestImporting)


class TestWaitsForItself(ConcurrentTest):
    def setup(self) -> threading.Lock:
        return threading.Lock()

    @operation
    def go(self, lock: threading.Lock) -> None:
        with lock, lock:
            pass


class TestMeantToWait(TestWaitsForItself):
    @operation(blocking=True)
    def go(self, lock: threading.Lock) -> None:
        with lock, lock:
            pass


def test_an_operation_that_always_waits_is_not_a_pass() -> None:
    """Alone it is as stuck as with others, so nothing contradicts it; but a pass would claim that it was tested."""
    result = run(TestWaitsForItself)
    assert result.status is Status.UNKNOWN
    assert result.why.startswith("go blocks forever in every schedule")
    assert not result.exhaustive
    assert run(TestMeantToWait).status is Status.LINEARIZABLE
