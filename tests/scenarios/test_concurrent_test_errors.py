# SPDX-License-Identifier: Apache-2.0
"""Every mistake in a definition is a coded error, at the line of the method if a method is to blame."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import strategies as st

import linpoint
from linpoint.scenarios import Call, Scenario, definition_of, definition_of_object
from linpoint.scenarios.concurrent_test import ConcurrentTestDefinition
from linpoint.scenarios.scenario_generation import scenarios

HERE = Path(__file__).name


class Stack(linpoint.ConcurrentTest):
    """A correct test, for mistakes to be put into."""

    def setup(self) -> list[int]:
        return []

    @linpoint.operation(value=[1, 2])
    def push(self, stack: list[int], value: int) -> None:
        stack.append(value)

    @linpoint.operation
    def pop(self, stack: list[int]) -> Any:
        return stack.pop() if stack else None


def spoilt(**attributes: Any) -> Callable[[], ConcurrentTestDefinition]:
    return lambda: definition_of(type("Spoilt", (Stack,), attributes))


def marked(function: Callable[..., Any], **keywords: Any) -> Callable[[], ConcurrentTestDefinition]:
    return lambda: definition_of(type("Spoilt", (Stack,), {"bad": linpoint.operation(**keywords)(function)}))


def of(operations: Any, setup: Any = list, **settings: Any) -> Callable[[], ConcurrentTestDefinition]:
    return lambda: definition_of_object(setup, operations, **settings)


def needs_an_argument(self: Any, stack: Any, value: Any) -> None: ...


def takes_nothing(self: Any) -> None: ...


class NoOperations(linpoint.ConcurrentTest):
    def setup(self) -> Any: ...


class NoSetup(linpoint.ConcurrentTest):
    @linpoint.operation
    def pop(self, stack: Any) -> None: ...


class Demanding(Stack):
    __test__ = False  # pytest also complains about its __init__

    def __init__(self, argument: int) -> None: ...


CASES: dict[str, tuple[str, str, Callable[[], Any]]] = {
    "no operations": ("LP-T002", "NoOperations has no operations", lambda: definition_of(NoOperations)),
    "no operations of an object": ("LP-T002", "list has no operations", of({})),
    "no setup": ("LP-T003", "def setup(self)", lambda: definition_of(NoSetup)),
    "the base class": ("LP-T003", "ConcurrentTest has no setup", lambda: definition_of(linpoint.ConcurrentTest)),
    "no setup of an object": ("LP-T003", "7 cannot be called", of(["pop"], 7)),
    "calling the missing setup": ("LP-T003", "NoSetup has no setup", lambda: NoSetup().setup()),
    "no values": ("LP-T004", '"value" of bad(value)', marked(needs_an_argument)),
    "no values for a method": ("LP-T004", "has no values", of({"insert": {"index": [0]}})),
    "an empty source": ("LP-T005", '"value" of needs_an_argument gets no values', marked(needs_an_argument, value=[])),
    "an endless source": ("LP-T005", "has too many values", marked(needs_an_argument, value=itertools.count())),
    "an empty strategy": ("LP-T005", "st.nothing()", marked(needs_an_argument, value=st.nothing())),
    "a number as source": ("LP-T005", "5, which is not a source of values", of({"append": {"value": 5}})),
    "no such parameter": ("LP-T006", "Did you mean value?", marked(needs_an_argument, valu=[1], value=[1])),
    "no such parameter of a method": ("LP-T006", '"more"', of({"append": {"value": [1], "more": [2]}})),
    "unknown operation": ("LP-T007", "Did you mean push?", spoilt(scenarios=["pusj(1) | pop()"])),
    "unknown operation before": (
        "LP-T007",
        "Use one of: push, pop.",
        spoilt(scenarios=[Scenario.parse("pop()", "f()")]),
    ),
    "unknown method": ("LP-T007", 'list has no method "appendd"', of({"appendd": None})),
    "too few arguments": ("LP-T008", "takes 1 argument, not 0", spoilt(scenarios=["push()"])),
    "too many arguments": (
        "LP-T008",
        "takes 0 arguments, not 1",
        spoilt(scenarios=[Scenario(((Call("pop", (1,)),),))]),
    ),
    "not JSON": ("LP-T009", "set, which is not JSON", marked(needs_an_argument, value=[{1}])),
    "not JSON, of a strategy": ("LP-T009", "bytes", marked(needs_an_argument, value=st.binary())),
    "no threads": ("LP-T010", "threads of Spoilt is 0", spoilt(threads=0)),
    "threads in words": ("LP-T010", "'two'", spoilt(threads="two")),
    "threads as truth": ("LP-T010", "True", spoilt(threads=True)),
    "no operations per thread": ("LP-T010", "operations per thread of list is 0", of(["pop"], operations_per_thread=0)),
    "less than nothing before": ("LP-T010", "before of Spoilt is -1", spoilt(before=-1)),
    "less than nothing after": ("LP-T010", "after of Spoilt is -1", spoilt(after=-1)),
    "a number as scenario": ("LP-T010", "scenarios of Spoilt is 3", spoilt(scenarios=[3])),
    "an operation that is a setting": (
        "LP-T010",
        '@linpoint.operation(name="after", ...)',
        spoilt(after=linpoint.operation(lambda self, stack: None)),
    ),
    "an operation called observe": (
        "LP-T010",
        '@linpoint.operation(name="observe", ...)',
        spoilt(observe=linpoint.operation(value=[1])(lambda self, stack, value: None)),
    ),
    "a number as operations": ("LP-T010", "an operation of list is 5", of(5)),
    "a number as operation": ("LP-T010", "an operation of list is 5", of(["pop", 5])),
    "a number as name": ("LP-T012", '"5"', of({5: len})),
    "setup with parameters": ("LP-T010", "missing a required argument", spoilt(setup=lambda self, size: [])),
    "a class with parameters": ("LP-T010", "lambda: Cache(capacity=2)", of(["setup"], Demanding)),
    "observe without the object": ("LP-T010", "too many positional", spoilt(observe=takes_nothing)),
    "observe of an object": ("LP-T010", "called with the object", of(["pop"], observe=lambda: 1)),
    "no object": ("LP-T010", '"bad" has no parameter for the object', marked(takes_nothing)),
    "no function": ("LP-T010", "requires a function", lambda: linpoint.operation(3)),
    "a class": ("LP-T010", "requires a function", lambda: linpoint.operation(value=[1])(int)),
    "values that are not a dict": ("LP-T010", 'operations["append"]', of({"append": "ab"})),
    "generation without threads": ("LP-T010", "is 0", lambda: scenarios(definition_of(Stack), seed=1, threads=0)),
    "a strategy without threads": ("LP-T010", "is 0", lambda: linpoint.strategies.scenarios(Stack, threads=0)),
    "an invalid name": ("LP-T012", '"a b"', marked(lambda self, stack: None, name="a b")),
    "two of one name": ("LP-T012", '"push"', marked(lambda self, stack: None, name="push")),
    "two spellings of one name": ("LP-T012", "the same name", of({"a-b": len, "a_b": len})),
    "no test": ("LP-T013", "not a subclass", lambda: definition_of(list)),  # type: ignore[arg-type]
    "an instance": ("LP-T013", "not a subclass", lambda: definition_of(Stack())),  # type: ignore[arg-type]
    "a test with arguments": ("LP-T013", "Demanding() raised TypeError", lambda: definition_of(Demanding)),
}


@pytest.mark.parametrize("case", CASES)
def test_mistakes_are_reported(case: str) -> None:
    code, said, make = CASES[case]
    with pytest.raises(linpoint.TestError) as caught:
        make()
    assert caught.value.code == code
    assert said in str(caught.value)
    assert caught.value.remedy


@pytest.mark.parametrize(
    "case", ["no values", "an empty source", "no such parameter", "not JSON", "not JSON, of a strategy"]
)
def test_the_place_is_the_line_of_the_method(case: str) -> None:
    with pytest.raises(linpoint.TestError) as caught:
        CASES[case][2]()
    assert caught.value.place is not None
    assert caught.value.place.endswith(f"{HERE}:{needs_an_argument.__code__.co_firstlineno}")


def test_a_strategy_of_scenarios_without_hypothesis_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "hypothesis", None)
    with pytest.raises(linpoint.TestError, match=r"LP-T011: linpoint\.strategies needs Hypothesis"):
        linpoint.strategies.scenarios(Stack)


def test_making_a_definition_runs_no_code_of_the_test() -> None:
    def refuse(*_: Any) -> Any:
        raise AssertionError

    definition_of_object(refuse, {"push": {"value": [1]}, "pop": refuse}, observe=refuse)
