# SPDX-License-Identifier: Apache-2.0
"""Refinement between two models: a spec is the special case in which each operation is one step."""

from __future__ import annotations

import dataclasses

import pytest

import linpoint
from linpoint.api.check_model import check_model
from linpoint.errors import ModelError, UsageError
from linpoint.executors.thread_executor import resident_memory
from linpoint.refine.refinement_search import search_shortest_run
from linpoint.subjects.model import subject
from linpoint.verdicts import Budget
from linpoint.verdicts.status import Answer


@linpoint.spec
class Bumps:
    """Returns the old count."""

    initial = 0

    def bump(count):  # noqa: N805 - a state, not an object
        return count, count + 1


class ByCas(linpoint.Model):
    """Correct: retries until no other process came in between."""

    count = linpoint.atomic(0)

    @linpoint.operation
    def bump(self):
        while True:
            old = self.count.load()
            if self.count.cas(old, old + 1):
                return old


class AtOnce(linpoint.Model):
    """The specification of an increment."""

    count = linpoint.atomic(0)

    @linpoint.operation
    def bump(self):
        return self.count.fetch_add(1)


class InTwoSteps(linpoint.Model):
    """Loses increments."""

    count = linpoint.atomic(0)

    @linpoint.operation
    def bump(self):
        old = self.count.load()
        self.count.store(old + 1)
        return old


class Locked(linpoint.Model):
    """Correct, and not lock-free."""

    count = linpoint.atomic(0)
    mutex = linpoint.lock()

    @linpoint.operation
    def bump(self):
        with self.mutex:
            old = self.count.load()
            self.count.store(old + 1)
            return old


class Listed(linpoint.Model):
    """Counts with the nodes of a list, so that the specification has a heap."""

    class Node:
        number: int
        next: "Node"  # noqa: F821, UP037 - a name within its class

    top = linpoint.atomic(Node)

    @linpoint.operation
    def bump(self):
        node = self.Node()
        while True:
            top = self.top.load()
            number = 0 if top is None else top.number + 1
            node.number = number
            node.next = top
            if self.top.cas(top, node):
                return number


class Decremented(linpoint.Model):
    """Has a different operation."""

    count = linpoint.atomic(0)

    @linpoint.operation
    def drop(self):
        return self.count.fetch_add(-1)


class Careless(linpoint.Model):
    """Fails by itself."""

    table = linpoint.array(0, size=1)
    count = linpoint.atomic(0)

    @linpoint.operation
    def bump(self):
        number = self.count.fetch_add(1)
        return self.table[number].load()


class Huge(linpoint.Model):
    """Has a number too large for a state."""

    count = linpoint.atomic(2**40)

    @linpoint.operation
    def bump(self):
        return self.count.fetch_add(1)


@pytest.mark.parametrize("without", [(), ("symmetry",), ("local", "fusion", "por", "symmetry", "heap")])
@pytest.mark.parametrize(
    ("implementation", "specification", "holds"),
    [
        (ByCas, AtOnce, True),
        (Locked, AtOnce, True),
        (Listed, AtOnce, True),
        (AtOnce, Listed, True),
        (AtOnce, InTwoSteps, True),
        (InTwoSteps, InTwoSteps, True),
        (InTwoSteps, AtOnce, False),
        (InTwoSteps, ByCas, False),
        (InTwoSteps, Listed, False),
    ],
)
def test_an_implementation_refines_its_specification(implementation, specification, holds, without) -> None:
    result = check_model(implementation, specification, processes=3, operations=2, without=without)
    assert result.answer is (Answer.HOLDS if holds else Answer.VIOLATION)
    if not holds:
        (finding,) = result.findings
        assert finding.kind == "linearizability"
        assert finding.length == 4
        assert "requires 1" in finding.refused


def test_a_model_can_be_named_as_the_specification() -> None:
    assert check_model(ByCas, f"{__name__}:AtOnce").answer is Answer.HOLDS


def test_both_must_have_the_same_operations() -> None:
    with pytest.raises(ModelError, match=r"lacks the operation bump\(\) of ByCas") as caught:
        check_model(ByCas, Decremented)
    assert caught.value.code == "LP-M021"


def test_a_specification_that_fails_by_itself_is_not_a_violation() -> None:
    with pytest.raises(ModelError, match="out of range") as caught:
        check_model(ByCas, Careless)
    assert caught.value.code == "LP-M022"


def test_points_need_a_sequential_spec() -> None:
    with pytest.raises(UsageError, match="requires a sequential spec"):
        check_model(ByCas, AtOnce, points=True)


def test_a_number_too_large_for_a_state_is_rejected() -> None:
    with pytest.raises(ModelError) as caught:
        check_model(Huge, Bumps)
    assert caught.value.code == "LP-M020"


@pytest.mark.parametrize(
    ("model", "progress", "holds"),
    [
        (ByCas, "deadlock-free", True),
        (ByCas, "lock-free", True),
        (ByCas, "obstruction-free", True),
        (Locked, "deadlock-free", True),
        (Locked, "lock-free", False),
        (Locked, "obstruction-free", False),
        (Locked, "returns", True),
    ],
)
def test_progress_properties_are_decided(model, progress, holds) -> None:
    result = check_model(model, progress=progress)
    assert result.answer is (Answer.HOLDS if holds else Answer.VIOLATION), result.why
    if not holds:
        assert result.findings[0].kind == "progress"
        assert result.findings[0].trace.steps


class Spin(linpoint.Model):
    """A flag that one process raises and another waits for."""

    flag = linpoint.atomic(False)

    @linpoint.operation(role="setter")
    def raise_it(self):
        self.flag.store(True)

    @linpoint.operation(role="waiter")
    def wait(self):
        while not self.flag.load():
            pass


def test_fairness_decides_whether_a_waiter_returns() -> None:
    """No process has to call: the setter may never begin, and then the waiter waits forever, also in fair runs."""
    assert check_model(Spin, progress="returns", operations=1).answer is Answer.VIOLATION
    assert check_model(Spin, progress="returns", fairness="strong", operations=1).answer is Answer.VIOLATION


def test_limits_never_end_as_holds() -> None:
    room = resident_memory() + 100 * 2**20  # this process may already use much memory
    small = check_model(ByCas, AtOnce, processes=4, operations=100, max_memory=room)
    assert small.answer is Answer.UNKNOWN
    assert "memory" in small.why
    assert small.remedy
    assert small.explored.states > 0
    short = check_model(ByCas, Bumps, operations=0, budget=0.3)
    assert short.answer is Answer.UNKNOWN
    assert "budget" in short.why
    assert short.explored.depth > 0


def test_a_pass_with_hashes_only_states_the_probability() -> None:
    whole = check_model(ByCas, Bumps, processes=3, operations=3)
    few = check_model(ByCas, Bumps, processes=3, operations=3, compact=True)
    assert (whole.answer, whole.explored.states) == (few.answer, few.explored.states)
    assert "probability" in few.why
    assert check_model(InTwoSteps, Bumps, compact=True).findings[0].length == 4


def test_a_violation_without_a_run_is_not_reported_as_a_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    def too_late(task, further, limits):
        return search_shortest_run(task, further, dataclasses.replace(limits, budget=Budget(0.0)))

    monkeypatch.setattr(subject, "search_shortest_run", too_late)
    hashes = check_model(InTwoSteps, Bumps, compact=True)
    assert (hashes.answer, hashes.findings) == (Answer.UNKNOWN, ())
    assert "budget" in hashes.why
    states = check_model(InTwoSteps, Bumps)
    assert states.answer is Answer.VIOLATION
    assert not states.findings[0].shortest


class Leaky(linpoint.Model):
    """One of its paths does not release the lock."""

    mutex = linpoint.lock()
    full = linpoint.atomic(False)

    @linpoint.operation
    def take(self):
        self.mutex.acquire()
        if not self.full.load():
            return False
        self.mutex.release()
        return True

    @linpoint.operation
    def put(self):
        self.full.store(True)


class Mutex(linpoint.Model):
    """A lock that a user may acquire twice, which the spec never allows to take effect."""

    spec = linpoint.specs.mutex
    mutex = linpoint.lock()

    @linpoint.operation
    def acquire(self):
        self.mutex.acquire()

    @linpoint.operation(pairs_with="acquire")
    def release(self):
        self.mutex.release()


class Never(linpoint.Model):
    """Its assumption is always false."""

    flag = linpoint.atomic(False)

    @linpoint.operation
    def go(self):
        linpoint.assume(self.flag.load())


@pytest.mark.parametrize("without", [(), ("fusion",), ("local", "fusion", "por", "symmetry", "heap")])
def test_a_lock_that_is_never_released_is_a_deadlock_with_every_reduction(without) -> None:
    """With fusion a call that waits immediately is not made, and other processes could still call: this was once
    missed.
    """
    result = check_model(Leaky, progress="deadlock-free", without=without)
    assert result.answer is Answer.VIOLATION
    assert result.findings[0].kind == "deadlock"
    assert check_model(Mutex, progress="deadlock-free", without=without).answer is Answer.VIOLATION


@pytest.mark.parametrize("without", [(), ("fusion",)])
def test_waiting_that_the_spec_requires_is_not_a_deadlock(without) -> None:
    assert check_model(Mutex, without=without).answer is Answer.HOLDS


def test_operations_that_never_return_are_named() -> None:
    result = check_model(Never, progress="deadlock-free")
    assert result.answer is Answer.HOLDS
    assert result.warnings == ("go returned in no run, so the result does not cover it",)
    assert not check_model(Mutex).warnings


class Pushy(linpoint.Model):
    """Stores repeatedly while it waits: with store buffers it has infinitely many states."""

    flag = linpoint.atomic(False)
    noise = linpoint.atomic(0)

    @linpoint.operation
    def wait(self):
        while not self.flag.load():
            self.noise.store(1)

    @linpoint.operation
    def stop(self):
        self.flag.store(True)


def test_a_reached_bound_is_not_a_pass() -> None:
    result = check_model(Pushy, progress="deadlock-free", memory_model="tso", operations=1)
    assert result.answer is Answer.UNKNOWN
    assert result.why == "a bound was reached: 32 buffered stores of one process"
    assert result.remedy
    assert not result.exhaustive


class SpinLock(linpoint.Model):
    """Releases its lock by a store, which may stay buffered during the next call."""

    taken = linpoint.atomic(False)

    @linpoint.operation
    def enter_and_leave(self):
        while not self.taken.cas(False, True):
            pass
        self.taken.store(False)


@pytest.mark.parametrize("without", [(), ("fusion",), ("por", "symmetry")])
def test_waiting_for_ones_own_stores_is_not_a_deadlock(without) -> None:
    result = check_model(SpinLock, progress="deadlock-free", memory_model="tso", without=without)
    assert result.answer is Answer.HOLDS
