# SPDX-License-Identifier: Apache-2.0
"""Built-in specs are pure, truthful about reads, pass the conformance kit, and behave like ordinary Python objects."""

from __future__ import annotations

import collections
import dataclasses
import random
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import linpoint
from linpoint.histories.operation import Operation, Outcome
from linpoint.histories.values import canonical
from linpoint.specs import BUILT_IN
from tests.random_histories import MAKERS
from tests.specs.one_process_histories import ILLEGAL, LEGAL
from tests.volume import volume


def _walk(name: str, seed: int, steps: int = 8) -> Iterator[tuple[linpoint.Spec, Any, Operation]]:
    """States reached by random operations, each with a next operation."""
    rng = random.Random(seed)
    spec, make = MAKERS[name]
    state = spec.initial
    for number in range(steps):
        operation, args = make(rng)
        op = Operation(rng.randrange(3), operation, args, None, number, number)
        yield spec, state, op
        found = spec.outcomes(state, op)
        if found:
            state = rng.choice(found)[1]


@pytest.mark.parametrize("name", MAKERS)
@settings(max_examples=volume(25, least=5))
@given(seed=st.integers(0, 2**32))
def test_steps_are_pure(name: str, seed: int) -> None:
    for spec, state, op in _walk(name, seed):
        before, arguments = canonical(state), canonical(op.args)
        once = canonical(spec.outcomes(state, op))
        assert canonical(spec.outcomes(state, op)) == once
        assert canonical(state) == before
        assert canonical(op.args) == arguments
        hash(once)


@pytest.mark.parametrize("name", MAKERS)
@settings(max_examples=volume(25, least=5))
@given(seed=st.integers(0, 2**32), other=st.sampled_from([None, True, False, 0, 1, (), (0,), "a"]))
def test_operations_declared_as_reads_do_not_change_the_state(name: str, seed: int, other: Any) -> None:
    for spec, state, op in _walk(name, seed):
        results = [given for given, _ in spec.outcomes(state, op)]
        for result in [*results, other]:
            observed = dataclasses.replace(op, result=result)
            unknown = dataclasses.replace(op, outcome=Outcome.UNKNOWN, return_=None)
            for variant in (observed, unknown):
                if spec.reads(variant):
                    assert all(canonical(after) == canonical(state) for after in spec.successors(state, variant))


@pytest.mark.parametrize("name", MAKERS)
def test_the_conformance_kit_finds_no_problem(name: str) -> None:
    rng = random.Random(7)
    spec, make = MAKERS[name]
    samples = []
    for number in range(12):
        operation, args = make(rng)
        samples.append(Operation(0, operation, args, None, number, number))
    found = linpoint.conformance(spec, samples, max_states=60)
    assert found.problems == ()
    assert found.states > 1
    found.raise_for_problems()


def test_random_histories_cover_every_built_in() -> None:
    assert {name.partition("(")[0] for name in MAKERS} == set(BUILT_IN)


# Ordinary Python objects as references: the results of a sequential run are legal, and no others are.

number = st.integers(0, 3)
PROGRAMS: dict[str, st.SearchStrategy[tuple[str, list[Any]]]] = {
    "queue": st.one_of(
        st.tuples(st.just("enqueue"), st.lists(number, min_size=1, max_size=1)), st.just(("dequeue", []))
    ),
    "stack": st.one_of(st.tuples(st.just("push"), st.lists(number, min_size=1, max_size=1)), st.just(("pop", []))),
    "deque": st.one_of(
        st.tuples(st.sampled_from(["push-front", "push-back"]), st.lists(number, min_size=1, max_size=1)),
        st.tuples(st.sampled_from(["pop-front", "pop-back"]), st.just([])),
    ),
    "priority-queue": st.one_of(
        st.tuples(st.just("insert"), st.lists(number, min_size=1, max_size=1)), st.just(("delete-max", []))
    ),
    "multiset": st.tuples(st.sampled_from(["add", "remove", "count"]), st.lists(number, min_size=1, max_size=1)),
    "set": st.tuples(st.sampled_from(["add", "remove", "contains"]), st.lists(number, min_size=1, max_size=1)),
    "map": st.one_of(
        st.tuples(st.sampled_from(["put", "insert"]), st.lists(number, min_size=2, max_size=2)),
        st.tuples(st.sampled_from(["get", "delete", "contains"]), st.lists(number, min_size=1, max_size=1)),
    ),
}


def _run(spec: str, program: list[tuple[str, list[Any]]]) -> list[Any]:
    """The results of running the program on a list, a dict or a Counter."""
    items: list[Any] = []
    entries: dict[Any, Any] = {}
    counts: collections.Counter[Any] = collections.Counter()

    def pop(at: int) -> Any:
        return items.pop(at) if items else None

    def step(name: str, *args: Any) -> Any:
        match spec, name:
            case "queue", "enqueue":
                return items.append(*args)
            case "queue", "dequeue":
                return pop(0)
            case "stack", "push":
                return items.append(*args)
            case "stack", "pop":
                return pop(-1)
            case "deque", "push-front":
                return items.insert(0, *args)
            case "deque", "push-back":
                return items.append(*args)
            case "deque", "pop-front":
                return pop(0)
            case "deque", "pop-back":
                return pop(-1)
            case "priority-queue", "insert":
                items.append(*args)
                return items.sort()
            case "priority-queue", "delete-max":
                return pop(-1)
            case "multiset", "add":
                counts[args[0]] += 1
                return None
            case "multiset", "remove":
                there = counts[args[0]] > 0
                counts[args[0]] -= there
                return there
            case "multiset", "count":
                return counts[args[0]]
            case "set", "add":
                there = args[0] in entries
                entries[args[0]] = True
                return not there
            case (("set" | "map"), ("remove" | "delete")):
                return entries.pop(args[0], "absent") != "absent"
            case (("set" | "map"), "contains"):
                return args[0] in entries
            case "map", "put":
                entries[args[0]] = args[1]
                return None
            case "map", "insert":
                there = args[0] in entries
                entries.setdefault(args[0], args[1])
                return not there
            case "map", "get":
                return entries.get(args[0])
        raise AssertionError((spec, name))

    return [step(name, *args) for name, args in program]


@pytest.mark.parametrize("spec", PROGRAMS)
@settings(max_examples=volume(25, least=5))
@given(data=st.data())
def test_only_the_results_of_a_sequential_run_of_an_ordinary_object_are_legal(spec: str, data: st.DataObject) -> None:
    program = data.draw(st.lists(PROGRAMS[spec], min_size=1, max_size=10))
    results = _run(spec, program)
    operations = [
        {"process": 0, "op": name, "args": args, "result": result, "call": 2 * n, "return": 2 * n + 1}
        for n, ((name, args), result) in enumerate(zip(program, results, strict=True))
    ]
    assert linpoint.check(operations, spec).status is LEGAL
    wrong = data.draw(st.integers(0, len(operations) - 1))
    operations[wrong]["result"] = "another"
    assert linpoint.check(operations, spec).status is ILLEGAL
