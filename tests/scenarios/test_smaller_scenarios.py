# SPDX-License-Identifier: Apache-2.0
"""Shrinking: every step is smaller, and it ends at a failing scenario from which no smaller step fails."""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Callable, Generator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linpoint.scenarios import Call, ConcurrentTestDefinition, Scenario, TestedOperation
from linpoint.scenarios.smaller_scenarios import one_step_smaller, smaller_scenarios, weight
from tests.volume import volume

KEYS, VALUES = "abcd", range(6)
MAP = ConcurrentTestDefinition(
    "map",
    dict,
    {
        "get": TestedOperation("get", dict.get, ("key",), (KEYS,)),
        "put": TestedOperation("put", dict.setdefault, ("key", "value"), (KEYS, VALUES)),
        "clear": TestedOperation("clear", dict.clear),
    },
)
CALLS = (
    st.just(Call("clear"))
    | st.builds(lambda key: Call("get", (key,)), st.sampled_from(KEYS + "z"))
    | st.builds(lambda key, value: Call("put", (key, value)), st.sampled_from(KEYS), st.sampled_from(VALUES))
)
SEQUENCES = st.lists(CALLS, max_size=3).map(tuple)
SCENARIOS = st.builds(
    Scenario, st.lists(SEQUENCES.filter(bool), min_size=1, max_size=3).map(tuple), before=SEQUENCES, after=SEQUENCES
)


def scenario(threads: str, before: str = "", after: str = "") -> Scenario:
    return MAP.accept(Scenario.parse(threads, before, after))


def shrink(
    large: Scenario, definition: ConcurrentTestDefinition, fails: Callable[[Scenario], bool], *, most: int | None = None
) -> Scenario:
    """The smallest scenario that candidates lead to, trying at most ``most`` of them."""
    candidates: Generator[Scenario, Scenario | None, Scenario | None] = smaller_scenarios(large, definition)
    found, answer = large, None
    try:
        candidate = next(candidates)
        for _ in itertools.count() if most is None else range(most):
            answer = candidate if fails(candidate) else None
            found = answer or found
            candidate = candidates.send(answer)
    except StopIteration as end:
        assert (end.value or large) == found
    return found


# Steps


@given(SCENARIOS)
def test_every_step_is_strictly_smaller_and_unique(large: Scenario) -> None:
    steps = list(one_step_smaller(large, MAP))
    assert len(set(steps)) == len(steps)
    for step in steps:
        assert weight(step, MAP) < weight(large, MAP)
        assert MAP.accept(step) == step


@given(SCENARIOS)
def test_every_operation_can_be_left_out(large: Scenario) -> None:
    """Computed from the texts: one call is removed, and a thread left without calls is removed with it."""
    steps = {step.describe() for step in one_step_smaller(large, MAP)}
    parts = [list(large.before), *map(list, large.threads), list(large.after)]
    for part, calls in enumerate(parts):
        for at in range(len(calls)):
            left = [[*each[:at], *each[at + 1 :]] if n == part else each for n, each in enumerate(parts)]
            threads = [each for each in left[1:-1] if each]
            if threads:
                assert Scenario(tuple(map(tuple, threads)), tuple(left[0]), tuple(left[-1])).describe() in steps


@given(SCENARIOS)
def test_every_argument_can_be_the_simplest(large: Scenario) -> None:
    steps = {step.describe() for step in one_step_smaller(large, MAP)}
    text = large.describe()
    for key in "bcdz":
        if text.count(f'("{key}"') == 1:
            assert text.replace(f'("{key}"', '("a"') in steps


def test_the_steps_of_a_small_scenario_come_in_order() -> None:
    steps = [step.describe() for step in one_step_smaller(scenario('put("b", 1) | get("b"); clear()'), MAP)]
    assert steps == [
        '1 thread: get("b"); clear()',
        '1 thread: put("b", 1)',
        '2 threads: put("b", 1) | clear()',
        '2 threads: put("b", 1) | get("b")',
        '1 thread: get("b"); clear(), before: put("b", 1)',
        '1 thread: get("b"); clear(), after: put("b", 1)',
        '1 thread: put("b", 1), before: get("b"); clear()',
        '1 thread: put("b", 1), after: get("b"); clear()',
        '2 threads: put("b", 1) | clear(), before: get("b")',
        '2 threads: put("b", 1) | get("b"), after: clear()',
        '2 threads: put("a", 1) | get("a"); clear()',
        '2 threads: put("b", 0) | get("b"); clear()',
        '2 threads: put("a", 1) | get("b"); clear()',
        '2 threads: put("b", 1) | get("a"); clear()',
    ]


def test_a_value_outside_the_source_is_the_least_simple() -> None:
    steps = [str(step) for step in one_step_smaller(scenario('get("z")'), MAP)]
    assert steps == ['get("a")', 'get("c")', 'get("d")']


def test_the_smallest_has_no_step() -> None:
    assert list(one_step_smaller(scenario('get("a")'), MAP)) == []
    assert list(one_step_smaller(scenario("clear()"), MAP)) == []


# The fixpoint


def monotone(wanted: Scenario) -> Callable[[Scenario], bool]:
    """Fails if it has at least the calls of ``wanted``, anywhere."""

    def fails(found: Scenario) -> bool:
        rest = list(found.calls)
        for call in wanted.calls:
            if call not in rest:
                return False
            rest.remove(call)
        return True

    return fails


def erratic(salt: str) -> Callable[[Scenario], bool]:
    """Fails for an arbitrary half of all scenarios."""

    def fails(found: Scenario) -> bool:
        return hashlib.sha256(f"{salt}{found.describe()}".encode()).digest()[0] < 128

    return fails


def counting(fails: Callable[[Scenario], bool], asked: list[Scenario]) -> Callable[[Scenario], bool]:
    def count(found: Scenario) -> bool:
        asked.append(found)
        return fails(found)

    return count


def assert_minimal(large: Scenario, fails: Callable[[Scenario], bool]) -> Scenario:
    asked: list[Scenario] = []
    found = shrink(large, MAP, counting(fails, asked))
    assert found == large or fails(found)
    assert not any(map(fails, one_step_smaller(found, MAP)))
    assert len(set(asked)) == len(asked)
    return found


@given(SCENARIOS, st.data())
def test_a_monotone_predicate_leads_to_exactly_the_needed_calls(large: Scenario, data: st.DataObject) -> None:
    wanted = data.draw(st.lists(st.sampled_from(large.calls), min_size=1, unique_by=id))
    fails = monotone(Scenario((tuple(wanted),)))
    if fails(large):
        found = assert_minimal(large, fails)
        assert sorted(map(str, found.calls)) == sorted(map(str, wanted))
        assert len(found.threads) == 1
        assert not found.before
        assert not found.after


@settings(max_examples=volume(200))
@given(SCENARIOS, st.text(max_size=3))
def test_any_predicate_leads_to_a_minimum(large: Scenario, salt: str) -> None:
    assert_minimal(large, erratic(salt))


def test_calls_that_must_be_concurrent_stay_concurrent() -> None:
    large = scenario(
        'get("d"); put("c", 4); clear() | clear(); get("c"); put("a", 2) | get("b")', 'put("b", 1)', 'get("c")'
    )

    def fails(found: Scenario) -> bool:
        puts = {(n, c.args[0]) for n, thread in enumerate(found.threads) for c in thread if c.operation == "put"}
        gets = {(n, c.args[0]) for n, thread in enumerate(found.threads) for c in thread if c.operation == "get"}
        return any(key == other and n != m for n, key in puts for m, other in gets)

    assert str(assert_minimal(large, fails)) == 'put("a", 0) | get("a")'


def test_arguments_shrink_together() -> None:
    def fails(found: Scenario) -> bool:
        return len(found.calls) == 2 and len({call.args[0] for call in found.calls}) == 1

    found = assert_minimal(scenario('put("d", 5) | get("d")'), fails)
    assert found.describe() == '1 thread: put("a", 0); get("a")'


@pytest.mark.parametrize("most", [0, 1, 5])
def test_the_number_of_tries_can_be_bounded(most: int) -> None:
    asked: list[Scenario] = []
    large = scenario('put("d", 5); clear(); clear() | get("d"); clear()')
    found = shrink(large, MAP, counting(lambda _: True, asked), most=most)
    assert len(asked) <= most
    assert found == large if most == 0 else weight(found, MAP) < weight(large, MAP)


def test_the_given_scenario_is_not_tried_again() -> None:
    def fails(found: Scenario) -> bool:
        assert found != large
        return False

    large: Any = scenario('put("d", 5) | get("d")')
    assert shrink(large, MAP, fails) == large
