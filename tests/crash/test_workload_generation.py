# SPDX-License-Identifier: Apache-2.0
"""Workloads, generated and given: legal, biased, deterministic for a seed, and chosen by coverage."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

import linpoint
from linpoint.crash.operation_purposes import OperationPurposes, nth_value
from linpoint.crash.workload_generation import WorkloadGenerator, candidate_workloads, read_workload
from linpoint.errors import TestError
from linpoint.histories.operation import Operation
from linpoint.limits.search_limits import SearchLimits
from linpoint.scenarios.cpp_test_description import TypeDescription
from linpoint.scenarios.scenario import Call
from tests.crash.crash_test_descriptions import BOOL, BYTE, INT, OPERATIONS, purposes

UNLIMITED = SearchLimits(math.inf)


def workload_of(
    words: OperationPurposes,
    count: int,
    seed: int,
    edges: Callable[[Sequence[Call]], int],
    limits: SearchLimits = UNLIMITED,
) -> list[Call]:
    """The workload that covers the most edges."""
    candidates = candidate_workloads(words, count, seed, limits)
    calls: Sequence[Call] = next(candidates)
    while True:
        try:
            calls = candidates.send(edges(calls))
        except StopIteration as end:
            return end.value


@pytest.mark.parametrize("spec", OPERATIONS)
@pytest.mark.parametrize("pattern", ["ascending", "shuffled", "sparse", "strided"])
def test_every_workload_is_a_legal_run_of_the_spec(spec: str, pattern: str) -> None:
    words = purposes(spec)
    calls = WorkloadGenerator(words, "7", pattern).calls(200)
    assert len(calls) == 200
    state = words.spec.initial
    for call in calls:
        operation = Operation(0, call.operation, call.args)
        assert words.spec.complaint(operation) is None
        outcomes = words.spec.outcomes(state, operation)
        assert outcomes, f"{call} is not legal in {state}"
        state = outcomes[0][1]
    assert {call.operation for call in calls} == set(words.by_name)


def test_insertions_get_fresh_keys_and_other_operations_existing_ones() -> None:
    calls = WorkloadGenerator(purposes("map"), "1").calls(1000)
    seen: set[object] = set()
    fresh = {"insert": [0, 0], "get": [0, 0], "erase": [0, 0], "put": [0, 0]}
    for call in calls:
        fresh[call.operation][call.args[0] not in seen] += 1
        seen.add(call.args[0])
    assert fresh["insert"][True] > 3 * fresh["insert"][False]
    assert fresh["get"][False] > 3 * fresh["get"][True]
    assert fresh["erase"][False] > 3 * fresh["erase"][True]
    assert 350 < sum(call.operation in ("insert", "put") for call in calls) < 650


def test_comparisons_often_succeed() -> None:
    words = purposes("cas-register(initial=0)")
    state, succeeded, tried = words.spec.initial, 0, 0
    for call in WorkloadGenerator(words, "1").calls(600):
        result, state = words.spec.outcomes(state, Operation(0, call.operation, call.args))[0]
        tried += call.operation == "cas"
        succeeded += call.operation == "cas" and result is True
    assert succeeded > tried / 3


def test_compare_and_swap_often_expects_the_stored_value() -> None:
    words = purposes("mwcas", read=(((0,), (1,), (5,)),))
    state, succeeded = words.spec.initial, 0
    for call in WorkloadGenerator(words, "1").calls(300):
        outcomes = words.spec.outcomes(state, Operation(0, call.operation, call.args))
        succeeded += outcomes[0][0] is True
        state = outcomes[0][1]
        named = {cell[0] if isinstance(cell, tuple) else cell for cell in call.args[0]}
        assert named <= {0, 1, 5}
    assert succeeded > 50


def test_values_given_by_the_test_are_used() -> None:
    words = purposes("map", insert=((3, 4), (30, 40)))
    calls = WorkloadGenerator(words, "1").calls(100)
    assert {call.args for call in calls if call.operation == "insert"} <= {(3, 30), (3, 40), (4, 30), (4, 40)}
    assert {call.args[0] for call in calls} == {3, 4}


@pytest.mark.parametrize("buckets", [8, 64])
def test_strided_keys_collide_where_consecutive_keys_do_not(buckets: int) -> None:
    def fullest(pattern: str) -> int:
        calls = WorkloadGenerator(purposes("map"), "1", pattern).calls(250)
        added = {call.args[0] for call in calls if call.operation == "insert"}
        return max(Counter(key % buckets for key in added).values())

    assert fullest("strided") >= 2 * fullest("ascending")


def test_a_workload_that_changes_its_pattern_still_has_fresh_keys() -> None:
    generator, calls = WorkloadGenerator(purposes("map"), "1"), []
    for pattern in ("strided", "ascending", "sparse", "strided", "shuffled", "ascending"):
        generator = generator.another(pattern, pattern)
        calls += generator.calls(100)
    added = [call.args[0] for call in calls if call.operation == "insert"]
    assert sum(count > 1 for count in Counter(added).values()) < len(added) / 4


def test_a_workload_may_change_its_pattern() -> None:
    def edges(calls: Sequence[Call]) -> int:
        """A long chain of a table, and many consecutive keys: no single pattern has both."""
        keys = {call.args[0] for call in calls if call.operation == "insert"}
        row = sum(key + 1 in keys for key in keys)
        chains = Counter(key % 64 for key in keys)
        return min(row, 40) + 10 * min(8, max(chains.values(), default=0))

    best = max(edges(workload_of(purposes("map"), 200, seed, edges)) for seed in range(4))
    alone = max(
        edges(WorkloadGenerator(purposes("map"), str(seed), pattern).calls(200))
        for seed in range(4)
        for pattern in ("ascending", "shuffled", "sparse", "strided")
    )
    assert best > alone


def test_a_small_type_that_runs_out_of_fresh_keys_reuses_keys() -> None:
    words = purposes("set", {"add": ([BYTE], BOOL), "contains": ([BYTE], BOOL), "remove": ([BYTE], BOOL)})
    calls = WorkloadGenerator(words, "1", "sparse").calls(2000)
    assert all(0 <= call.args[0] <= 255 for call in calls)


def test_the_seed_determines_the_workload() -> None:
    words = purposes("map")

    def edges(calls: Sequence[Call]) -> int:
        return len({call.args[0] % 13 for call in calls})

    assert workload_of(words, 100, 5, edges) == workload_of(words, 100, 5, edges)
    assert workload_of(words, 100, 5, edges) != workload_of(words, 100, 6, edges)


def test_the_candidate_with_the_best_coverage_is_kept_and_extended() -> None:
    words = purposes("map")
    asked: list[tuple[int, int]] = []

    def edges(calls: Sequence[Call]) -> int:
        found = sum(call.operation == "erase" for call in calls)
        asked.append((len(calls), found))
        return found

    calls = workload_of(words, 400, 0, edges)
    assert len(calls) == 400
    sizes = sorted({size for size, _ in asked})
    assert sizes == [50, 100, 200, 400]
    assert sum(call.operation == "erase" for call in calls) == max(found for size, found in asked if size == 400)


def test_without_time_the_first_candidate_is_used() -> None:
    asked = []
    calls = workload_of(purposes("map"), 100, 0, lambda calls: asked.append(1) or 1, SearchLimits(0.0))
    assert len(calls) == 100
    assert len(asked) == 1


def test_workloads_are_generated_for_a_user_spec() -> None:
    @linpoint.spec
    class Bag:
        initial = ()

        def put(state, x):  # noqa: N805 - a spec's step
            return None, tuple(sorted((*state, x)))

        def take(state):  # noqa: N805 - a spec's step
            return [(each, tuple(item for item in state if item != each)) for each in state] or [(None, state)]

        def size(state):  # noqa: N805 - a spec's step
            return len(state), state

    words = purposes(Bag, {"put": ([INT], {"kind": "nothing"}), "take": ([], INT), "size": ([], INT)})
    assert words.by_name["put"].adds
    assert words.by_name["take"].takes
    assert words.by_name["size"].reads
    assert len(WorkloadGenerator(words, "1").calls(50)) == 50


def test_numbered_values_are_distinct_while_the_type_allows() -> None:
    for kind in ("integer", "number", "string"):
        said = TypeDescription(kind, -(2**31), 2**31 - 1)
        assert len({nth_value(said, number) for number in range(2000)}) == 2000
    assert nth_value(TypeDescription("integer", -5, -1), 3) == -5
    assert nth_value(TypeDescription("boolean"), 1) is True
    assert nth_value(TypeDescription("string"), 26) == "aa"


def test_a_workload_is_read_from_operation_lines_and_from_text(tmp_path: Path) -> None:
    file = tmp_path / "workload"
    file.write_text('{"process": 0, "op": "insert", "args": [1, 2], "result": true}\n\n{"op": "get", "args": [1]}\n')
    expected = [Call("insert", (1, 2)), Call("get", (1,))]
    assert read_workload(str(file)) == (expected, [])
    file.write_text("# a comment\ninsert(1, 2);\nget(1)\n|\nget(2); get(3)\n")
    assert read_workload(str(file)) == (expected, [Call("get", (2,)), Call("get", (3,))])


@pytest.mark.parametrize("text", ["{}", '{"op": 5}', '{"op": "get", "args": 5}', "get(1", '{"op": "get"\n'])
def test_an_invalid_workload_is_reported_with_its_place(tmp_path: Path, text: str) -> None:
    file = tmp_path / "workload"
    file.write_text(text)
    with pytest.raises(TestError, match="LP-C002") as raised:
        read_workload(str(file))
    assert str(file) in str(raised.value)
    with pytest.raises(TestError, match="LP-C002"):
        read_workload(str(tmp_path / "nowhere"))
