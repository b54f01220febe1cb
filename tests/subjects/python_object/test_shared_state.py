# SPDX-License-Identifier: Apache-2.0
"""Every kind of shared state counts as an access; otherwise schedules that differ in it would be lost."""

from __future__ import annotations

import array
import collections
import functools
import operator
import os
import threading
from collections.abc import Callable, Iterator
from typing import Any, ClassVar

import pytest

from linpoint import ConcurrentTest, operation
from tests.explore.python_control import shared_objects
from tests.subjects.python_object.run_object_test import State, finding, holds

count = 0
lock = threading.Lock()
hidden = {"lock": threading.Lock(), "count": 0}


class Bumping(ConcurrentTest):
    """``bump`` reads, adds one, writes, and returns: two concurrent calls may return the same."""

    __test__ = False
    operations = 1


class TestGlobal(Bumping):
    def setup(self) -> None:
        global count  # noqa: PLW0603 - that is what is tested
        count = 0

    @operation
    def bump(self, _: None) -> int:
        global count  # noqa: PLW0603
        count += 1
        return count


class Numbers:
    last: ClassVar[int] = 0
    lock: ClassVar[Any] = threading.RLock()


class TestClassAttribute(Bumping):
    def setup(self) -> Numbers:
        Numbers.last = 0
        return Numbers()

    @operation
    def bump(self, numbers: Numbers) -> int:
        Numbers.last += 1
        return numbers.last


class TestNonlocal(Bumping):
    def setup(self) -> Callable[[], int]:
        number = 0

        def bump() -> int:
            nonlocal number
            number += 1
            return number

        return bump

    @operation
    def bump(self, function: Callable[[], int]) -> int:
        return function()


class Slotted:
    __slots__ = ("value",)

    def __init__(self) -> None:
        self.value = 0


class TestSlots(Bumping):
    def setup(self) -> Any:
        return Slotted()

    @operation
    def bump(self, subject: Any) -> int:
        subject.value += 1
        return subject.value


class Computed:
    def __init__(self) -> None:
        self._value = 0

    @property
    def value(self) -> int:
        return self._value

    @value.setter
    def value(self, value: int) -> None:
        self._value = value


class TestProperty(TestSlots):
    def setup(self) -> Any:
        return Computed()


class Delegating:
    def __init__(self) -> None:
        vars(self)["values"] = {"value": 0}

    def __getattr__(self, name: str) -> Any:
        return vars(self)["values"][name]

    def __setattr__(self, name: str, value: Any) -> None:
        vars(self)["values"][name] = value


class TestGetattr(TestSlots):
    def setup(self) -> Any:
        return Delegating()


class TestMatchOfClass(TestSlots):
    @operation
    def bump(self, subject: Any) -> int:
        match subject:
            case Slotted(value=value):
                subject.value = value + 1
        return subject.value


class TestDict(Bumping):
    def setup(self) -> Any:
        return {0: 0}

    @operation
    def bump(self, subject: Any) -> int:
        subject[0] += 1
        return subject[0]


class TestList(TestDict):
    def setup(self) -> Any:
        return [0]


class TestByteArray(TestDict):
    def setup(self) -> Any:
        return bytearray(1)


class TestArray(TestDict):
    def setup(self) -> Any:
        return array.array("i", [0])


class TestDefaultDict(TestDict):
    def setup(self) -> Any:
        return collections.defaultdict(int)


class TestMatchOfMapping(TestDict):
    @operation
    def bump(self, subject: Any) -> int:
        match subject:
            case {0: number}:
                subject[0] = number + 1
        return subject[0]


class TestPartial(Bumping):
    def setup(self) -> Any:
        def bump(values: list[int], amount: int) -> int:
            values[0] += amount
            return values[0]

        return functools.partial(bump, [0])

    @operation
    def bump(self, subject: Any) -> int:
        return subject(1)


EVERY_KIND = [*Bumping.__subclasses__(), *TestSlots.__subclasses__(), *TestDict.__subclasses__()]


@pytest.mark.parametrize("test", EVERY_KIND)
def test_a_lost_update_is_found(test: type[ConcurrentTest]) -> None:
    found = finding(test)
    assert (found.kind, found.scenario, found.preemptions) == ("linearizability", "bump() | bump()", 1)
    assert {each.result for each in found.operations} == {1}


class TestGenerator(ConcurrentTest):
    operations = 1

    def setup(self) -> State:
        state = State()

        def numbers() -> Iterator[int]:
            while True:
                state.value += 1
                yield state.value

        state.numbers = numbers()
        state.lock = threading.Lock()
        return state

    @operation
    def take(self, state: State) -> int:
        return next(state.numbers)


class TestLockedGenerator(TestGenerator):
    @operation
    def take(self, state: State) -> int:
        with state.lock:
            return next(state.numbers)


class TestQuietGenerator(ConcurrentTest):
    operations = 1

    def setup(self) -> Iterator[int]:
        def numbers() -> Iterator[int]:
            number = 0
            while True:
                number += 1
                yield number

        return numbers()

    @operation
    def take(self, numbers: Iterator[int]) -> int:
        return next(numbers)


def test_concurrent_use_of_generators_is_found() -> None:
    """Entering a running generator raises, even if it accesses no other shared state."""
    for test in (TestGenerator, TestQuietGenerator):
        found = finding(test)
        assert (found.kind, found.scenario, found.preemptions) == ("exception", "take() | take()", 1)
    holds(TestLockedGenerator)


class TestLockOfModule(TestGlobal):
    @operation
    def bump(self, _: None) -> int:
        global count  # noqa: PLW0603
        with lock:
            count += 1
            return count


class TestLockOfClass(TestClassAttribute):
    @operation
    def bump(self, numbers: Numbers) -> int:
        with Numbers.lock, numbers.lock:
            Numbers.last += 1
            return numbers.last


def test_locks_made_before_control_are_replaced_and_restored() -> None:
    real = lock, Numbers.lock
    holds(TestLockOfModule)
    holds(TestLockOfClass)
    assert (lock, Numbers.lock) == real
    assert type(real[0]) is type(threading.Lock())


class TestReadFirst(ConcurrentTest):
    """Reading is the first step of ``read`` and comes after its call, whichever code does it."""

    __test__ = False
    operations = 1

    def setup(self) -> State:
        os.environ["LINPOINT_VALUE"] = "0"
        return State(lock=threading.Lock())

    @operation
    def add(self, state: State) -> None:
        with state.lock:
            state.value += 1
            os.environ["LINPOINT_VALUE"] = str(state.value)

    @operation
    def read(self, state: State) -> Any:
        value = operator.attrgetter("value")(state)
        with state.lock:
            return value


class TestReadFirstOfEnvironment(TestReadFirst):
    @operation
    def read(self, state: State) -> Any:
        value = os.getenv("LINPOINT_VALUE")
        with state.lock:
            return value


@pytest.mark.parametrize("test", [TestReadFirst, TestReadFirstOfEnvironment])
def test_the_first_read_comes_after_the_call(test: type[ConcurrentTest]) -> None:
    holds(test, "add() | read()")
    holds(test, "add(); add() | read()")


def replacement() -> int:
    return 2


class TestReplaced(ConcurrentTest):
    operations = 1

    def setup(self) -> State:
        shared_objects.replaced = lambda: 1  # type: ignore[attr-defined]
        return State()

    @operation
    def replace(self, state: State) -> None:
        shared_objects.replaced = replacement  # type: ignore[attr-defined]

    @operation
    def call(self, state: State) -> int:
        return shared_objects.replaced()  # type: ignore[attr-defined, no-any-return]


def test_exploration_of_replaced_code_is_not_exhaustive() -> None:
    """Functions of other files may have called it, which is not an access."""
    holds(TestReplaced, exhaustive=False)
