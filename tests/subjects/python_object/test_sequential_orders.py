# SPDX-License-Identifier: Apache-2.0
"""The results of a scenario's sequential orders, against all of its interleavings, one by one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import linpoint
from linpoint.judging.failure_text import results_allowed
from linpoint.scenarios import definition_of
from linpoint.scenarios.scenario import Scenario
from linpoint.subjects.python_object.object_judge import ObjectJudge
from linpoint.subjects.python_object.subject import PythonObjectSubject

SCENARIOS = [
    ("push(1); pop() | push(2)", "", ""),
    ("push(1) | push(2)", "", "pop(); pop()"),
    ("pop() | pop() | push(3)", "push(1); push(2)", "pop()"),
    ("push(1)", "", "pop(); pop()"),
    ("pop() | pop(); push(2)", "push(1)", ""),
]


class Stack(linpoint.ConcurrentTest):
    spec = linpoint.specs.stack

    def setup(self) -> list[int]:
        return []

    @linpoint.operation(value=[1, 2, 3])
    def push(self, items: list[int], value: int) -> None:
        items.append(value)

    @linpoint.operation
    def pop(self, items: list[int]) -> int | None:
        return items.pop() if items else None


def interleavings(threads: list[tuple[int, int]]) -> Iterator[list[tuple[int, int]]]:
    """All orders of operations that respect each thread's order: from ``(thread, operations left)`` to places."""

    def go(done: list[int]) -> Iterator[list[tuple[int, int]]]:
        if done == [count for _, count in threads]:
            yield []
        for thread, count in threads:
            if done[thread] < count:
                grown = [number + (each == thread) for each, number in enumerate(done)]
                yield from ([(thread, done[thread]), *rest] for rest in go(grown))

    yield from go([0] * len(threads))


def run(items: list[int], call: Any) -> int | None:
    if call.operation == "push":
        items.append(call.args[0])
        return None
    return items.pop() if items else None


def everything(scenario: Scenario) -> Iterator[dict[tuple[int | None, int], int | None]]:
    """The results of each interleaving, by thread and number; operations after have the number past the last thread."""
    sizes = [(number, len(thread)) for number, thread in enumerate(scenario.threads)]
    for order in interleavings(sizes):
        items: list[int] = []
        results: dict[tuple[int | None, int], int | None] = {}
        for number, call in enumerate(scenario.before):
            results[None, number] = run(items, call)
        for thread, number in order:
            results[thread, number] = run(items, scenario.threads[thread][number])
        for number, call in enumerate(scenario.after):
            results[len(scenario.threads), number] = run(items, call)
        yield results


@pytest.mark.parametrize("texts", SCENARIOS)
def test_sequential_outcomes_match_all_interleavings(texts: tuple[str, str, str]) -> None:
    scenario = Scenario.parse(*texts)
    definition = definition_of(Stack)
    judge = ObjectJudge(definition, PythonObjectSubject(definition=definition).control()).by_spec
    wanted = list(everything(scenario))
    places = [(thread, number) for thread, calls in enumerate(scenario.threads) for number in range(len(calls))]
    places += [(len(scenario.threads), number) for number in range(len(scenario.after))]
    assert set(judge.sequential_outcomes(scenario)) == {tuple(each[place] for place in places) for each in wanted}
    allowed = results_allowed(judge, scenario)
    assert {place: set(values) for place, values in allowed.items()} == {
        place: {each[place] for each in wanted} for place in wanted[0]
    }
