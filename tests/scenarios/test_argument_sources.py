# SPDX-License-Identifier: Apache-2.0
"""Values of parameters: each distinct value of an iterable once, and the simplest values of a strategy."""

from __future__ import annotations

import itertools
import subprocess
import sys
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import linpoint
from linpoint.histories.values import canonical
from linpoint.scenarios.argument_sources import (
    MAX_ITERABLE_VALUES,
    STRATEGY_SAMPLE_SIZE,
    ArgumentSource,
    is_strategy,
    source_of,
)

# Iterables


@pytest.mark.parametrize(
    ("given_values", "values"),
    [
        ("ab", ("a", "b")),
        ([3, 1, 2], (3, 1, 2)),
        (range(2), (0, 1)),
        ((n * n for n in range(3)), (0, 1, 4)),
        ({"x": 1, "y": 2}, ("x", "y")),
        ([1, 1.0, True, 1], (1, True)),
        ([[1], (1,)], ((1,),)),
        ([None], (None,)),
    ],
)
def test_values_keep_their_order_without_duplicates(given_values: Any, values: tuple[Any, ...]) -> None:
    source = source_of(given_values)
    assert list(map(canonical, source)) == list(map(canonical, values))
    assert len(source) == len(values)
    assert source.strategy is None


def test_a_set_has_the_same_order_in_every_run() -> None:
    code = "from linpoint.scenarios.argument_sources import source_of; print(source_of({'b', 'a', 'ccc', 'dd'}).values)"
    runs = {
        subprocess.run(
            [sys.executable, "-c", code], env={"PYTHONHASHSEED": seed}, capture_output=True, text=True, check=True
        ).stdout
        for seed in ("1", "2", "3")
    }
    assert runs == {"('a', 'b', 'dd', 'ccc')\n"}


@pytest.mark.parametrize(
    ("given_values", "said"),
    [
        ([], "no values"),
        ("", "no values"),
        (iter(()), "no values"),
        (itertools.count(), "has too many values"),
        (range(MAX_ITERABLE_VALUES + 1), "has too many values"),
        (5, "5, which is not a source of values"),
        (None, "None, which is not a source of values"),
        (st.integers, "st.integers()"),
        ((1 // n for n in (1, 0)), "ZeroDivisionError"),
        (st.nothing(), "produces no values"),
        (st.integers().filter(lambda _: False), "produces no values"),
    ],
)
def test_empty_and_endless_sources_are_rejected(given_values: Any, said: str) -> None:
    with pytest.raises(linpoint.TestError) as caught:
        source_of(given_values, place="test.py:3", what='"key" of get')
    assert caught.value.code == "LP-T005"
    assert caught.value.place == "test.py:3"
    assert said in str(caught.value)
    assert '"key" of get' in caught.value.message


@pytest.mark.parametrize("given_values", [[object()], [{1}], [float("nan")], st.just(b"x"), st.sampled_from([1, 2j])])
def test_values_that_are_not_json_are_rejected(given_values: Any) -> None:
    with pytest.raises(linpoint.TestError) as caught:
        source_of(given_values, place="test.py:3", what='"key" of get')
    assert caught.value.code == "LP-T009"
    assert caught.value.place == "test.py:3"
    assert '"key" of get' in caught.value.message


def test_values_are_ranked_by_position() -> None:
    source = source_of([1, True, "x", [2]])
    assert [source.rank(value) for value in (1.0, True, "x", (2,), "elsewhere")] == [0, 1, 2, 3, 4]
    assert source[-1] == (2,)
    assert source[:2] == (1, True)
    assert source_of(source) is source


# Strategies

STRATEGIES = {
    "integers": (st.integers(), (0, 1, -1)),
    "bounded": (st.integers(3, 5), (3, 4, 5)),
    "sampled": (st.sampled_from(["zebra", "ape"]), ("zebra", "ape")),
    "booleans": (st.booleans(), (False, True)),
    "either": (st.none() | st.integers(7, 8), (None, 7, 8)),
    "tuples": (st.tuples(st.booleans(), st.just("x")), ((False, "x"), (True, "x"))),
    "text": (st.text("ab", max_size=1), ("", "a", "b")),
}


@pytest.mark.parametrize("name", STRATEGIES)
def test_the_simplest_values_come_first(name: str) -> None:
    strategy, first = STRATEGIES[name]
    assert source_of(strategy).values[: len(first)] == first


@pytest.mark.parametrize("name", STRATEGIES)
def test_a_pool_is_deterministic_small_and_without_duplicates(name: str) -> None:
    strategy, _ = STRATEGIES[name]
    source = source_of(strategy)
    assert source == source_of(strategy)
    assert len(set(map(canonical, source))) == len(source) <= STRATEGY_SAMPLE_SIZE
    assert source.strategy is strategy


def test_a_strategy_with_many_values_fills_the_pool() -> None:
    assert len(source_of(st.integers())) == STRATEGY_SAMPLE_SIZE


@settings(max_examples=3, deadline=None)
@given(st.integers(0, 100))
def test_a_strategy_can_be_sampled_inside_another_test(most: int) -> None:
    assert source_of(st.integers(0, most)).values[0] == 0


class SearchStrategy:
    """A class of that name that is not Hypothesis's."""


def test_strategies_are_distinguished_from_other_objects() -> None:
    assert is_strategy(st.integers())
    assert is_strategy(st.sampled_from([1]).map(str))
    assert not any(map(is_strategy, ["ab", [1], st, st.integers, SearchStrategy(), None]))


def test_a_strategy_without_hypothesis_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "hypothesis", None)
    with pytest.raises(linpoint.TestError) as caught:
        source_of(st.integers(), place="test.py:3", what='"key" of get')
    assert caught.value.code == "LP-T011"
    assert caught.value.place == "test.py:3"
    assert "linpoint[hypothesis]" in caught.value.remedy


def test_a_source_is_immutable() -> None:
    with pytest.raises(AttributeError):
        ArgumentSource((1,)).values = ()  # type: ignore[misc]
