# SPDX-License-Identifier: Apache-2.0
"""The conformance kit detects specs that are impure, unhashable or partition falsely."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import linpoint
from tests.specs.test_user_errors import Unhashable

SAMPLES = [{"op": "read"}, {"op": "write", "args": [1]}, {"op": "write", "args": [2]}]


def problems(spec: Any, operations: list[dict[str, Any]] = SAMPLES) -> str:
    found = linpoint.conformance(spec, operations)
    if found.problems:
        with pytest.raises(linpoint.SpecError, match="LP-S007"):
            found.raise_for_problems()
    else:
        found.raise_for_problems()
    return "; ".join(found.problems)


def _conforming(**steps: Callable[..., Any]) -> type:
    body: dict[str, Any] = {
        "initial": 0,
        "read": lambda state: (state, state),
        "write": lambda state, x: (None, x),
    }
    return type("Cell", (), body | steps)


def test_a_good_spec_conforms_and_all_its_states_are_tried() -> None:
    found = linpoint.conformance(linpoint.spec(_conforming()), SAMPLES)
    assert found.problems == ()
    assert found.states == 3
    assert found.exhaustive


def test_the_kit_reports_when_it_did_not_try_all_states() -> None:
    growing = linpoint.spec(_conforming(write=lambda state, x: (None, state + x)))
    found = linpoint.conformance(growing, SAMPLES, max_states=10)
    assert found.states == 10
    assert not found.exhaustive


def test_the_kit_catches_an_impure_result() -> None:
    calls = iter(range(10**6))
    assert "read" in problems(linpoint.spec(_conforming(read=lambda state: (next(calls), state))))


def test_the_kit_catches_a_step_that_changes_its_state() -> None:
    def write(state: list[int], x: int) -> Any:
        state.append(x)
        return None, state

    spec = linpoint.spec(_conforming(initial={"items": []}, write=lambda state, x: write(state["items"], x)))
    assert "write" in problems(spec)


def test_the_kit_catches_an_unhashable_state() -> None:
    spec = linpoint.spec(_conforming(write=lambda state, x: (None, Unhashable())))
    assert "hash" in problems(spec)
    assert "hash" in problems(linpoint.spec(_conforming(initial=Unhashable())))


def test_the_kit_catches_a_false_partition() -> None:
    def put(state: Any, key: str, value: int) -> Any:
        return None, {**state, key: value}

    def size(state: Any, key: str) -> Any:
        return len(state), state

    body = type("Sized", (), {"initial": {}, "put": put, "size": size})
    samples = [{"op": "put", "args": ["a", 1]}, {"op": "put", "args": ["b", 1]}, {"op": "size", "args": ["a"]}]
    assert "size" in problems(linpoint.spec(partition=lambda key, *_: key)(body), samples)
    assert problems(linpoint.spec(body), samples) == ""


def test_the_kit_catches_parts_that_do_not_commute() -> None:
    body = type("Last", (), {"initial": None, "put": lambda state, key: (None, key)})
    samples = [{"op": "put", "args": ["a"]}, {"op": "put", "args": ["b"]}]
    assert "commute" in problems(linpoint.spec(partition=lambda key: key)(body), samples)


def test_the_kit_catches_a_false_reads_claim() -> None:
    assert "write" in problems(linpoint.spec(reads=["write"])(_conforming()))
    assert problems(linpoint.spec(reads=["read"])(_conforming())) == ""


def test_the_kit_reports_errors_that_a_check_would_raise() -> None:
    assert "LP-S006" in problems(linpoint.spec(_conforming(write=lambda state, x: 1 / 0)))
    assert "LP-S007" in problems(linpoint.spec(_conforming(write=lambda state, x: None)))
    assert "no operation" in problems(linpoint.spec(_conforming()), [{"op": "pop"}])
    assert "argument" in problems(linpoint.spec(_conforming()), [{"op": "write"}])


def test_the_kit_accepts_names_and_operations() -> None:
    samples = [linpoint.Operation(0, "enqueue", (1,), None, 0, 1), linpoint.Operation(0, "dequeue", (), None, 2, 3)]
    assert linpoint.conformance("queue", samples, max_states=20).problems == ()
