# SPDX-License-Identifier: Apache-2.0
"""Calls and scenarios: their text, their JSON, their equality, and rejected input."""

from __future__ import annotations

import dataclasses
import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import linpoint
from linpoint.histories.values import FrozenObject
from linpoint.scenarios.scenario import Call, Scenario

NAMES = st.from_regex(r"[a-zA-Z_][a-zA-Z0-9_-]{0,6}", fullmatch=True)
TEXT = st.text(st.characters(codec="utf-8"), max_size=6) | st.text("\"\\;|(),{}[] '", max_size=6)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=5,
)
CALLS = st.builds(Call, NAMES, st.lists(VALUES, max_size=3).map(tuple))
SEQUENCES = st.lists(CALLS, max_size=3).map(tuple)
SCENARIOS = st.builds(
    Scenario, st.lists(SEQUENCES.filter(bool), min_size=1, max_size=3).map(tuple), before=SEQUENCES, after=SEQUENCES
)


def parts(scenario: Scenario) -> tuple[str, str, str]:
    """The texts of a scenario, with the values printed by the standard library."""

    def text(calls: tuple[Call, ...]) -> str:
        return "; ".join(f"{call.operation}({json.dumps(call.args)[1:-1]})" for call in calls)

    return " | ".join(map(text, scenario.threads)), text(scenario.before), text(scenario.after)


# Text


def test_scenarios_have_the_text_of_the_design() -> None:
    scenario = Scenario.parse("push(1); pop() | push(2); pop()", before="push(0)", after="pop()")
    assert scenario.threads == ((Call("push", (1,)), Call("pop")), (Call("push", (2,)), Call("pop")))
    assert scenario.before == (Call("push", (0,)),)
    assert scenario.after == (Call("pop"),)
    assert str(scenario) == "push(1); pop() | push(2); pop()"
    assert [str(call) for call in scenario.calls] == ["push(0)", "push(1)", "pop()", "push(2)", "pop()", "pop()"]
    assert scenario.size == 6
    assert scenario.describe() == "2 threads: push(1); pop() | push(2); pop(), before: push(0), after: pop()"


@given(SCENARIOS)
def test_printed_scenarios_are_parsed_back(scenario: Scenario) -> None:
    assert Scenario.parse(str(scenario)).threads == scenario.threads
    assert Scenario.parse(*parts(scenario)) == scenario


@given(SCENARIOS, st.data())
def test_whitespace_is_ignored(scenario: Scenario, data: st.DataObject) -> None:
    spaces = st.sampled_from(["", " ", "\n\t "])

    def call(each: Call) -> str:
        pieces = [each.operation, "(", *", ".join(map(json.dumps, each.args)).split("\0"), ")"]
        return "".join(data.draw(spaces) + piece for piece in pieces)

    text = "|".join(";".join(map(call, thread)) + data.draw(spaces) for thread in scenario.threads)
    assert Scenario.parse(text).threads == scenario.threads


@pytest.mark.parametrize(
    ("argument", "value"),
    [
        ('"a;b"', "a;b"),
        ('"a|b"', "a|b"),
        ('"a)b("', "a)b("),
        (r'"say \"x, y\""', 'say "x, y"'),
        ('[1, {"k": [true, null]}]', (1, {"k": (True, None)})),
        ("-1.5e3", -1500.0),
        ('"é"', "é"),
    ],
)
def test_arguments_are_json_literals(argument: str, value: Any) -> None:
    (thread,) = Scenario.parse(f"f({argument}, 2)").threads
    assert thread == (Call("f", (value, 2)),)


@pytest.mark.parametrize(
    ("text", "column", "wanted"),
    [
        ("", 1, "the name of an operation"),
        ("push(1) |", 10, "the name of an operation"),
        ("push(1);", 9, "the name of an operation"),
        ("push(1);; pop()", 9, "the name of an operation"),
        ("push", 5, "( after push"),
        ("push 1", 6, "( after push"),
        ("push(1", 7, ", or )"),
        ("push(1 2)", 8, ", or )"),
        ("push(1,)", 8, "a JSON literal"),
        ("push(x)", 6, "a JSON literal"),
        ("push('x')", 6, "a JSON literal"),
        ('push("x)', 6, "a JSON literal"),
        ("push(NaN)", 6, "a JSON literal"),
        ("push(-Infinity)", 6, "a JSON literal"),
        ("push(1) pop()", 9, "; or | or the end"),
        ("push(1) & pop()", 9, "; or | or the end"),
        ("1()", 1, "the name of an operation"),
        ("f(" + "9" * 5000 + ")", 3, "a JSON literal"),
        ("f(" + "[" * 100_000, 3, "a JSON literal"),
    ],
)
def test_bad_text_is_rejected_with_the_column(text: str, column: int, wanted: str) -> None:
    with pytest.raises(linpoint.TestError) as caught:
        Scenario.parse(text)
    assert caught.value.code == "LP-T001"
    assert caught.value.place == f"scenario, column {column}"
    assert f"expected {wanted}" in caught.value.message
    assert caught.value.remedy


@pytest.mark.parametrize("part", ["before", "after"])
@pytest.mark.parametrize(("text", "column"), [("push(1) | pop()", 9), (";", 1), ("push(1);", 9)])
def test_bad_text_of_calls_before_and_after_is_rejected(part: str, text: str, column: int) -> None:
    with pytest.raises(linpoint.TestError, match="LP-T001") as caught:
        Scenario.parse("pop()", **{part: text})
    assert caught.value.place == f"{part}, column {column}"


@pytest.mark.parametrize("argument", ["[" * 70 + "]" * 70, "9" * 400, "1e999", r'"\ud800"'])
def test_a_literal_beyond_the_limits_is_rejected(argument: str) -> None:
    with pytest.raises(linpoint.TestError) as caught:
        Scenario.parse(f"f({argument})")
    assert caught.value.code == "LP-T009"
    assert caught.value.place == "scenario, column 3"


@given(st.text("pf()|;,\"'[]{}1 \\:-\n", max_size=30))
def test_any_text_is_a_scenario_or_a_coded_error(text: str) -> None:
    try:
        found = Scenario.parse(text)
    except linpoint.TestError as error:
        column = int(re.fullmatch(r"scenario, column (\d+)", error.place or "")[1])
        assert 1 <= column <= len(text) + 1
    else:
        assert Scenario.parse(str(found)) == found


# Values


def test_true_differs_from_1_but_1_equals_1_0() -> None:
    assert Call("f", (True,)) != Call("f", (1,))
    assert Call("f", (1,)) == Call("f", (1.0,))
    assert hash(Call("f", (1,))) == hash(Call("f", (1.0,)))
    assert len({Call("f", (0,)), Call("f", (False,)), Call("f", (None,))}) == 3
    assert Call("f") != "f()"


def test_arguments_are_frozen() -> None:
    given_list = [1, {"a": [2]}]
    call = Call("f", [given_list])  # type: ignore[arg-type]
    given_list.append(3)
    assert call.args == ((1, {"a": (2,)}),)
    assert isinstance(call.args[0][1], FrozenObject)
    with pytest.raises(dataclasses.FrozenInstanceError):
        call.operation = "g"  # type: ignore[misc]


@pytest.mark.parametrize(
    "value", [{1, 2}, object(), b"x", 1j, float("nan"), float("inf"), {1: 2}, [{"a": {3}}], "\ud800"]
)
def test_arguments_that_are_not_json_are_rejected(value: Any) -> None:
    with pytest.raises(linpoint.TestError) as caught:
        Call("f", (value,))
    assert caught.value.code == "LP-T009"
    assert caught.value.remedy


@pytest.mark.parametrize("name", ["", "a b", "1", "a(", "-a", "a;b", 7])
def test_names_that_a_text_cannot_contain_are_rejected(name: Any) -> None:
    with pytest.raises(linpoint.TestError, match="LP-T001"):
        Call(name)


@pytest.mark.parametrize("threads", [(), ((),), ((Call("f"),), ())])
def test_an_empty_scenario_is_rejected(threads: Any) -> None:
    with pytest.raises(linpoint.TestError, match=r"LP-T001.*(no threads|has no operations)"):
        Scenario(threads)


# JSON


@given(SCENARIOS)
def test_a_scenario_survives_a_json_round_trip(scenario: Scenario) -> None:
    assert Scenario.from_dict(json.loads(json.dumps(scenario.as_dict()))) == scenario


def test_the_json_matches_operation_lines() -> None:
    scenario = Scenario.parse("push([1]) | pop()", after="pop()")
    assert scenario.as_dict() == {
        "threads": [[{"op": "push", "args": [[1]]}], [{"op": "pop"}]],
        "after": [{"op": "pop"}],
    }


@pytest.mark.parametrize(
    ("data", "place"),
    [
        ([], "threads"),
        ({}, "threads"),
        ({"threads": 1}, "threads"),
        ({"threads": [1]}, "threads[0]"),
        ({"threads": [["pop"]]}, "threads[0][0]"),
        ({"threads": [[{"op": 1}]]}, "threads[0][0]"),
        ({"threads": [[{"op": "pop", "args": 1}]]}, "threads[0][0].args"),
        ({"threads": [[{"op": "pop"}]], "before": 3}, "before"),
        ({"threads": [[{"op": "pop"}]], "after": [None]}, "after[0]"),
    ],
)
def test_bad_tokens_are_rejected(data: Any, place: str) -> None:
    with pytest.raises(linpoint.TestError) as caught:
        Scenario.from_dict(data)
    assert caught.value.code == "LP-T001"
    assert caught.value.place == place
