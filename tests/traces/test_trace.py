# SPDX-License-Identifier: Apache-2.0
"""Traces as data: consistency, derived fields, and a JSON round trip."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linpoint.errors import HistoryError
from linpoint.traces.trace import (
    FAILURES,
    SourcePlace,
    StepKind,
    Trace,
    TraceFailure,
    TraceStep,
    TraceThread,
    UnpersistedStore,
)
from tests.explain.sample_traces import SAMPLES, Kind, step, threads
from tests.random_traces import random_trace
from tests.volume import volume

# Switches and preemptions


def test_a_switch_is_a_step_of_a_different_thread() -> None:
    trace = SAMPLES["lost-update"]()
    assert trace.switches == {3: "A", 9: "B"}
    assert trace.preemptions == 1


def test_a_buffer_drain_is_not_a_switch() -> None:
    trace = SAMPLES["store-buffering"]()
    assert trace.steps[7].kind is Kind.DRAIN
    assert trace.steps[7].thread != trace.steps[6].thread
    assert trace.switches == {4: 0}


def test_the_first_step_after_a_crash_is_not_a_switch() -> None:
    assert SAMPLES["missing-flush"]().switches == {}


# Inconsistent traces


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (lambda: step(None, Kind.READ, "x"), 'kind "read" needs a thread'),
        (lambda: step(0, Kind.WRITE), 'kind "write" needs a location'),
        (lambda: step(0, Kind.CALL), 'kind "call" needs an operation'),
        (lambda: step(0, Kind.READ, "x", operation="f"), "cannot have an operation"),
        (lambda: step(0, Kind.RETURN, args=(1,)), "cannot have args"),
        (lambda: step(0, Kind.READ, "x", success=True), "cannot have success"),
        (lambda: step(0, Kind.WRITE, "x", forwarded=True), "cannot be forwarded"),
        (lambda: step(0, Kind.DRAIN, "x", preempts=True), "cannot preempt"),
        (lambda: step(0, Kind.READ, "x", memory_order="strong"), "memory order 'strong'"),
        (lambda: SourcePlace("f.py", 0), "lines count from 1"),
        (lambda: UnpersistedStore("x", 1, "gone"), "state 'gone'"),
        (lambda: TraceFailure("bug"), "unknown kind of failure 'bug'"),
        (lambda: Trace((), (), "arm"), "unknown memory model 'arm'"),
        (lambda: Trace(threads(0, 0), ()), "two threads have the same id"),
        (lambda: Trace(threads(0), (step(1, Kind.EXIT),)), "step 0 is about thread 1"),
        (lambda: Trace(threads(0), (step(0, Kind.JOIN, other=7),)), "step 0 is about thread 7"),
        (lambda: Trace(threads(0), (step(0, Kind.EXIT, preempts=True),)), "step 0 preempts no thread"),
        (lambda: Trace(threads(0), (step(0, Kind.RETURN),)), "has no open call"),
        (
            lambda: Trace(threads(0), (step(0, Kind.CALL, operation="f"), step(0, Kind.RETURN, operation="g"))),
            "returns from 'g', but 'f' was called last",
        ),
        (lambda: Trace(threads(0), (step(0, Kind.DRAIN, "x"),)), "under sc there is none"),
        (lambda: Trace(threads(0), (step(0, Kind.EXIT, buffer=(("x", 1),)),)), "under sc there is none"),
        (lambda: Trace(threads(0), (step(0, Kind.EXIT),), failure=TraceFailure("race", 1)), "the failure is at step 1"),
        (lambda: Trace(threads(0), (), failure=TraceFailure("race", None, "", (-1,))), "the failure is at step -1"),
    ],
)
def test_inconsistent_traces_are_rejected(make: Any, told: str) -> None:
    with pytest.raises(ValueError, match=r".*") as error:
        make()
    assert told in str(error.value)


def test_a_crash_ends_open_calls() -> None:
    steps = (step(0, Kind.CALL, operation="f"), step(None, Kind.CRASH), step(0, Kind.RETURN))
    with pytest.raises(ValueError, match="step 2 returns, but thread 0 has no open call"):
        Trace(threads(0), steps)


# Values


def test_values_are_frozen() -> None:
    made = step(0, Kind.CAS, "x", [1, {"a": [2]}], old=[3], expected=[4], buffer=(("x", [5]),))
    assert hash(made) == hash(step(0, Kind.CAS, "x", (1, {"a": (2,)}), old=(3,), expected=(4,), buffer=(("x", (5,)),)))
    assert made.value == (1, {"a": (2,)})
    with pytest.raises(TypeError):
        made.value[1]["a"] = 1


def test_null_is_a_value_and_differs_from_an_unknown_value() -> None:
    known, unknown = step(0, Kind.READ, "x", None), step(0, Kind.READ, "x")
    assert known != unknown
    written = [each.as_dict()["steps"][0] for each in (Trace(threads(0), (one,)) for one in (known, unknown))]
    assert written[0]["value"] is None
    assert "value" not in written[1]


def test_values_nested_too_deeply_are_rejected_with_their_code() -> None:
    deep: Any = []
    for _ in range(100):
        deep = [deep]
    with pytest.raises(HistoryError, match="LP-H011"):
        step(0, Kind.READ, "x", deep)


# JSON


@pytest.mark.parametrize("name", SAMPLES)
def test_samples_survive_a_json_round_trip(name: str) -> None:
    trace = SAMPLES[name]()
    assert Trace.from_dict(json.loads(json.dumps(trace.as_dict()))) == trace


@settings(max_examples=volume(60))
@given(st.integers(0, 2**32))
def test_random_traces_survive_a_json_round_trip(seed: int) -> None:
    trace = random_trace(seed)
    data = json.loads(json.dumps(trace.as_dict()))
    assert data == trace.as_dict()
    assert Trace.from_dict(data) == trace
    assert Trace.from_dict(data).as_dict() == data


def test_the_json_has_counts_and_omits_defaults() -> None:
    data = SAMPLES["lost-update"]().as_dict()
    assert data["counts"] == {"threads": 2, "steps": 12, "switches": 2, "preemptions": 1}
    assert data["memory_model"] == "sc"
    assert data["steps"][8] == {"thread": "B", "kind": "exit"}


def test_unknown_fields_are_ignored() -> None:
    data = {"threads": [{"id": 0, "colour": "red"}], "steps": [{"thread": 0, "kind": "exit", "mood": 1}], "more": []}
    assert Trace.from_dict(data) == Trace((TraceThread(0),), (TraceStep(0, StepKind.EXIT),))


@pytest.mark.parametrize(
    ("data", "told"),
    [
        ({"threads": []}, 'LP-H006: a trace has no "steps" there.'),
        ({"threads": [], "steps": [{"thread": 0}]}, 'LP-H006 steps[0]: a trace has no "kind" there.'),
        ({"threads": [], "steps": [{"thread": 0, "kind": "leap"}]}, "LP-H007 steps[0].kind: "),
        ({"threads": [{"id": True}], "steps": []}, "LP-H007 threads[0].id: "),
        ({"threads": [{"id": 0}], "steps": [{"thread": 0, "kind": "read"}]}, "LP-H007 steps[0]: a step of kind"),
        ({"threads": [], "steps": [{"thread": 0, "kind": "exit"}]}, "LP-H007: step 0 is about thread 0"),
        ({"threads": [], "steps": [], "memory_model": "arm - at `$.x`"}, "LP-H007"),
        ([], "LP-H007: Expected `object`, got `array`."),
    ],
)
def test_bad_json_is_rejected_with_a_code_and_a_place(data: Any, told: str) -> None:
    with pytest.raises(HistoryError) as error:
        Trace.from_dict(data)
    assert str(error.value).startswith(told)


def test_every_kind_of_finding_has_a_text() -> None:
    assert all(TraceFailure(kind).kind == kind and words for kind, words in FAILURES.items())
