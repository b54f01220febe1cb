# SPDX-License-Identifier: Apache-2.0
"""Results of operations: the value at the return, equal in every run, for any kind of value."""

from __future__ import annotations

import math
from typing import Any

import pytest

from linpoint import ConcurrentTest, operation
from linpoint.subjects.python_object.scenario_runner import result_value
from tests.subjects.python_object.run_object_test import State, finding, holds


class TestGrowing(ConcurrentTest):
    def setup(self) -> list[int]:
        return []

    @operation
    def add(self, values: list[int]) -> list[int]:
        values.append(1)
        return values


def test_a_container_that_changes_later_is_recorded_as_returned() -> None:
    holds(TestGrowing)


class Plain:
    """Without ``__eq__``."""


class Unspeakable:
    def __repr__(self) -> str:
        raise ValueError


def cycle() -> list[Any]:
    found: list[Any] = []
    found.append(found)
    return found


ODD = {
    "NaN": lambda: math.nan,
    "infinity": lambda: [math.inf, -0.0],
    "a set": lambda: {"b", "a", "c"},
    "a set in a tuple": lambda: (frozenset({1, 2}), b"bytes", 1 + 2j, {4: {5}}),
    "a large integer": lambda: 7**9000,
    "an object": Plain,
    "objects": lambda: [Plain(), {"inside": Plain()}],
    "a function": lambda: lambda: None,
    "a list in itself": cycle,
    "no repr": Unspeakable,
}


class Returning(ConcurrentTest):
    __test__ = False
    operations = 1

    def setup(self) -> State:
        return State()


@pytest.mark.parametrize("name", ODD)
def test_unusual_results_are_recorded(name: str) -> None:
    class TestOdd(Returning):
        @operation
        def make(self, state: State) -> Any:
            state.value += 1
            return ODD[name]()

    holds(TestOdd)


class TestLargeAndLost(Returning):
    @operation
    def grow(self, state: State) -> int:
        state.value = (state.value or 1) * 10**5000
        return state.value


def test_a_large_integer_is_reported() -> None:
    assert finding(TestLargeAndLost).kind == "linearizability"


class TestNaNAndLost(Returning):
    @operation
    def grow(self, state: State) -> float:
        value = state.value
        state.value = math.nan if value else 1.0
        return state.value


def test_a_trace_may_contain_nan() -> None:
    assert finding(TestNaNAndLost).kind == "linearizability"


@pytest.mark.parametrize("make", ODD.values())
def test_equal_results_are_recorded_equally(make: Any) -> None:
    first, second = result_value(make()), result_value(make())
    assert repr(first) == repr(second) if not isinstance(first, int) else first == second
