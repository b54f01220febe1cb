# SPDX-License-Identifier: Apache-2.0
"""Generation: deterministic, smallest first, without duplicates, and complete when it claims to be.

The oracle enumerates texts with nested loops and does not number calls.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linpoint.scenarios import Call, ConcurrentTestDefinition, Scenario, TestedOperation
from linpoint.scenarios.scenario_generation import scenarios
from tests.volume import volume


def definition(*operations: tuple[str, dict[str, Any]], **bounds: int) -> ConcurrentTestDefinition:
    made = {name: TestedOperation(name, print, tuple(sources), tuple(sources.values())) for name, sources in operations}
    return ConcurrentTestDefinition("object", object, made, **bounds)


def kind(scenario: Scenario) -> tuple[Any, ...]:
    """The same key for scenarios that differ only in the order of their threads."""
    return (
        tuple(sorted(tuple(map(str, thread)) for thread in scenario.threads)),
        tuple(map(str, scenario.before)),
        tuple(map(str, scenario.after)),
    )


def every(
    operations: list[tuple[str, dict[str, Any]]], threads: int, length: int, before: int, after: int
) -> set[tuple[Any, ...]]:
    """The keys of all scenarios within the bounds."""
    calls = [str(Call(name, args)) for name, sources in operations for args in itertools.product(*sources.values())]

    def sequences(least: int, most: int) -> list[tuple[str, ...]]:
        return [each for n in range(least, most + 1) for each in itertools.product(calls, repeat=n)]

    return {
        (tuple(sorted(chosen)), first, last)
        for number in range(min(2, threads), threads + 1)
        for chosen in itertools.product(sequences(1, length), repeat=number)
        for first in sequences(0, before)
        for last in sequences(0, after)
    }


OPERATIONS = {
    "one": [("increment", {})],
    "two": [("read", {}), ("write", {"value": [1, 2]})],
    "stack": [("push", {"value": [1]}), ("pop", {})],
    "map": [("get", {"key": "a"}), ("put", {"key": "a", "value": [1, 2]})],
}
BOUNDS = [(1, 2, 1, 0), (2, 1, 0, 0), (2, 2, 0, 0), (2, 1, 1, 1), (3, 1, 0, 1)]


@pytest.mark.parametrize("name", OPERATIONS)
@pytest.mark.parametrize("bounds", BOUNDS, ids=str)
@pytest.mark.parametrize("seed", [0, 1])
def test_every_scenario_within_the_bounds_is_generated_once(name: str, bounds: tuple[int, ...], seed: int) -> None:
    threads, length, before, after = bounds
    stream = scenarios(
        definition(*OPERATIONS[name]), seed=seed, threads=threads, operations=length, before=before, after=after
    )
    assert not stream.complete
    found = [kind(each) for each in stream]
    assert len(found) == len(set(found)) == stream.total == stream.given
    assert set(found) == every(OPERATIONS[name], *bounds)
    assert stream.complete
    assert next(stream, None) is None


@settings(max_examples=volume(25, least=5))
@given(
    st.integers(0, 2**64),
    st.lists(st.lists(st.integers(1, 3), max_size=2), min_size=1, max_size=3),
    st.tuples(st.integers(1, 3), st.integers(1, 3), st.integers(0, 2), st.integers(0, 2)),
)
def test_streams_are_deterministic_and_without_duplicates(
    seed: int, shapes: list[list[int]], bounds: tuple[int, int, int, int]
) -> None:
    threads, length, before, after = bounds
    tested = definition(
        *((f"f{n}", {f"p{k}": range(size) for k, size in enumerate(shape)}) for n, shape in enumerate(shapes)),
        threads=threads,
        operations_per_thread=length,
        before=before,
        after=after,
    )
    first = list(scenarios(tested, seed=seed, most=300))
    assert first == list(scenarios(tested, seed=seed, most=300))
    assert len(set(map(kind, first))) == len(first)
    for each in first:
        assert tested.accept(each) == each
        assert min(2, threads) <= len(each.threads) <= threads
        assert all(1 <= len(thread) <= length for thread in each.threads)
        assert len(each.before) <= before
        assert len(each.after) <= after


MAP = definition(
    ("get", {"key": "abcdef"}),
    ("put", {"key": "abcdef", "value": range(10)}),
    ("remove", {"key": "abcdef"}),
    threads=3,
    operations_per_thread=3,
    before=2,
    after=1,
)


def test_another_seed_gives_other_scenarios() -> None:
    assert list(scenarios(MAP, seed=1, most=100)) != list(scenarios(MAP, seed=2, most=100))


def names(scenario: Scenario) -> tuple[str, ...]:
    return tuple(sorted(call.operation for thread in scenario.threads for call in thread))


def test_every_pair_of_operations_comes_first() -> None:
    pairs = list(itertools.combinations_with_replacement(["get", "put", "remove"], 2))
    head = list(itertools.islice(scenarios(MAP, seed=3), 4 * len(pairs)))
    small = list(itertools.takewhile(lambda each: [len(thread) for thread in each.threads] == [1, 1], head))
    assert {names(each) for each in small} == set(pairs)
    assert len(small) >= 2 * len(pairs)
    assert str(small[0]) == 'get("a") | get("a")'


def test_scenarios_grow_to_full_size() -> None:
    given_ones = list(scenarios(MAP, seed=4, most=400))
    sizes = [sum(map(len, each.threads)) for each in given_ones]
    assert sizes == sorted(sizes)
    assert [len(thread) for thread in given_ones[-1].threads] == [3, 3, 3]
    assert sizes.count(9) > 100
    assert {len(each.before) for each in given_ones} == {0, 1, 2}
    assert {len(each.after) for each in given_ones} == {0, 1}


def keys(scenario: Scenario) -> Iterator[str]:
    return (call.args[0] for call in scenario.calls)


def test_operations_often_meet_and_often_on_simple_values() -> None:
    """Six keys drawn uniformly would be one key for nine operations once in ten million times."""
    given_ones = list(scenarios(MAP, seed=5, most=1000))
    full = [each for each in given_ones if sum(map(len, each.threads)) == 9]
    assert sum(len(set(keys(each))) == 1 for each in full) > len(full) / 5
    assert sum(set(keys(each)) <= {"a", "b"} for each in full) > len(full) / 4
    assert {key for each in full for key in keys(each)} == set("abcdef")
    assert len({call.args[1] for each in full for call in each.calls if call.operation == "put"}) == 10


def test_given_bounds_override_those_of_the_definition() -> None:
    stream = scenarios(MAP, seed=6, threads=2, operations=1, before=0, after=0)
    assert all(str(each).count(";") == 0 and len(each.threads) == 2 and each.size == 2 for each in stream)
    assert stream.complete
    assert stream.total == 72 * 73 // 2


def test_most_limits_the_number_of_scenarios() -> None:
    stream = scenarios(MAP, seed=7, most=5)
    assert len(list(stream)) == 5
    assert not stream.complete
    assert list(scenarios(MAP, seed=7, most=0)) == []


def test_a_huge_space_is_not_enumerated_in_advance() -> None:
    huge = definition(("f", {name: range(1000) for name in "abcd"}), threads=5, operations_per_thread=5)
    stream = scenarios(huge, seed=8, most=200)
    assert len(list(stream)) == 200
    assert stream.total > 10**200
