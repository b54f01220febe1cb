# SPDX-License-Identifier: Apache-2.0
"""Hypothesis strategies of scenarios: within their bounds, with the values of the test, and shrinking well."""

from __future__ import annotations

import random
import subprocess
import sys
from typing import Any

import hypothesis
import pytest
from hypothesis import find, given, settings
from hypothesis import strategies as st

import linpoint
from linpoint.scenarios import Scenario, definition_of


class MapTest(linpoint.ConcurrentTest):
    threads = 3
    operations = 3
    before = 2
    after = 1

    def setup(self) -> dict[str, int]:
        return {}

    @linpoint.operation(key="abc")
    def get(self, items: dict[str, int], key: str) -> Any:
        return items.get(key)

    @linpoint.operation(key="abc", value=st.integers())
    def put(self, items: dict[str, int], key: str, value: int) -> None:
        items[key] = value


DEFINITION = definition_of(MapTest)
QUIET = settings(
    database=None, max_examples=1000, derandomize=True, phases=[hypothesis.Phase.generate, hypothesis.Phase.shrink]
)


@given(linpoint.strategies.scenarios(MapTest))
def test_examples_are_scenarios_of_the_test(scenario: Scenario) -> None:
    assert DEFINITION.accept(scenario) == scenario
    assert 1 <= len(scenario.threads) <= 3
    assert all(1 <= len(thread) <= 3 for thread in scenario.threads)
    assert len(scenario.before) <= 2
    assert len(scenario.after) <= 1


@given(linpoint.strategies.scenarios(DEFINITION, threads=1, operations=1, before=0, after=0))
def test_given_bounds_override_those_of_the_test(scenario: Scenario) -> None:
    assert scenario.size == 1


def values(scenario: Scenario) -> list[Any]:
    return [call.args[1] for thread in scenario.threads for call in thread if call.operation == "put"]


def test_arguments_are_drawn_from_the_whole_strategy() -> None:
    pool = DEFINITION.operations["put"].sources[1]
    found = find(
        linpoint.strategies.scenarios(DEFINITION), lambda each: any(v not in pool for v in values(each)), settings=QUIET
    )
    assert found.describe() == f'1 thread: put("a", {found.calls[0].args[1]})'


@pytest.mark.parametrize(
    ("fails", "smallest"),
    [
        (lambda each: True, '1 thread: get("a")'),
        (lambda each: len(each.threads) == 3, '3 threads: get("a") | get("a") | get("a")'),
        (lambda each: bool(each.after), '1 thread: get("a"), after: get("a")'),
        (lambda each: any(v > 10 for v in values(each)), '1 thread: put("a", 11)'),
        (
            lambda each: len(each.threads) > 1 and each.threads[1][-1].args[0] == "c",
            '2 threads: get("a") | get("c")',
        ),
    ],
)
def test_examples_shrink_to_few_threads_operations_and_simple_values(fails: Any, smallest: str) -> None:
    found = find(linpoint.strategies.scenarios(MapTest), fails, settings=QUIET)
    assert found.describe() == smallest


@pytest.mark.parametrize("seed", range(3))
def test_examples_shrink_to_the_operation_with_the_fewest_arguments(seed: int) -> None:
    class Longest(MapTest):
        @linpoint.operation
        def clear(self, items: dict[str, int]) -> None: ...

    found = find(
        linpoint.strategies.scenarios(Longest), lambda each: len(each.threads) == 2, random=random.Random(seed)
    )
    assert found.describe() == "2 threads: clear() | clear()"


def test_values_that_are_not_json_are_reported() -> None:
    class Odd(MapTest):
        @linpoint.operation(value=st.integers().map(lambda n: n if n < 1000 else {n}))
        def odd(self, items: Any, value: Any) -> None: ...

    @settings(QUIET, phases=[hypothesis.Phase.generate])
    @given(linpoint.strategies.scenarios(Odd))
    def run(scenario: Scenario) -> None: ...

    with pytest.raises(linpoint.TestError, match=r'LP-T009.*"value" of odd'):
        run()


def test_importing_linpoint_does_not_import_hypothesis() -> None:
    code = "import sys, linpoint; linpoint.strategies.scenarios; print('hypothesis' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
