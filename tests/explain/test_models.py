# SPDX-License-Identifier: Apache-2.0
"""The results of models as text and JSON: golden texts for every kind, and the contract of the document."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

import linpoint
from linpoint.explain.model.model_text import MAX_TRACE_LINES, culprit_of, history_of, step_numbers
from linpoint.text.printable import printable
from linpoint.traces.trace import FAILURES, StepKind, Trace
from tests.explain.checked_models import PASSES, RESULTS, UNKNOWN, VIOLATIONS, ZOO, result

KINDS = {
    "deadlock": "deadlock",
    "assertion": "assertion",
    "exception": "exception",
    "livelock": "livelock",
    "not-lock-free": "progress",
}


@pytest.mark.parametrize("name", RESULTS)
def test_the_text_matches_its_golden_file(name: str, golden: Callable[..., None]) -> None:
    golden(name, result(name).explain().text, folder="golden_models")


def test_every_golden_text_has_its_result() -> None:
    assert {path.stem for path in (Path(__file__).parent / "golden_models").glob("*.txt")} == set(RESULTS)


@pytest.mark.parametrize("name", RESULTS)
def test_results_have_their_kind_and_verdict(name: str) -> None:
    found = result(name)
    wanted = [KINDS.get(name, "linearizability")] if name in VIOLATIONS else []
    assert [each.kind for each in found.findings] == wanted
    assert found.answer.value == {**dict.fromkeys(PASSES, "holds"), **dict.fromkeys(UNKNOWN, "unknown")}.get(
        name, "violation"
    )
    assert found.exhaustive is (name in PASSES)


@pytest.mark.parametrize("name", RESULTS)
def test_the_document_has_the_fields_of_the_contract(name: str) -> None:
    told = msgspec.json.decode(msgspec.json.encode(result(name).explain().as_dict()))
    wanted = {"model", "file", "verdict", "exhaustive", "why", "bounds", "statistics", "findings", "warnings"}
    assert set(told) >= wanted
    assert ("remedy" in told) is (name in UNKNOWN)
    assert set(told["statistics"]) >= {"seconds", "peak_memory_bytes", "states", "transitions", "depth"}
    assert set(told["bounds"]) >= {"processes", "operations", "memory_model"}
    for finding in told["findings"]:
        assert finding["kind"] in FAILURES
        explanation = finding["explanation"]
        assert explanation["text"].startswith(printable(finding["message"]))
        assert len(explanation["steps"]) == explanation["length"] == explanation["counts"]["steps"]
        assert explanation["counts"]["operations"] == len(explanation["operations"])
        assert explanation["preemptions"] == explanation["trace"]["counts"]["preemptions"]
        assert Trace.from_dict(explanation["trace"]) == result(name).findings[0].trace


@pytest.mark.parametrize("name", VIOLATIONS)
def test_the_steps_cover_the_trace(name: str) -> None:
    finding = result(name).findings[0]
    covered = [at for step in finding.steps for at in range(step.first, step.last + 1)]
    # Waiting at the end of a deadlock is not a step.
    assert covered == [at for at, part in enumerate(finding.trace.steps) if part.kind is not StepKind.BLOCK]
    numbers = [number for number in step_numbers(finding.steps, len(finding.trace.steps)) if number]
    assert numbers == [str(number) for number in range(1, finding.length + 1)]


@pytest.mark.parametrize("name", [name for name in VIOLATIONS if name not in KINDS])
def test_the_operations_are_a_violation_and_with_an_allowed_result_are_not(name: str) -> None:
    """The history checkers agree on what the spec rejects and on what it would have allowed."""
    found = result(name)
    finding = found.findings[0]
    spec = f"{ZOO / 'peterson.py'}:Numbers" if name == "store-buffers" else found.spec
    history = history_of(finding)
    assert linpoint.check(history, spec).status is linpoint.Status.VIOLATION
    culprit = culprit_of(finding)
    assert culprit is not None
    assert finding.allowed
    for result_allowed in finding.allowed:
        fixed = [
            linpoint.Operation(op.process, op.name, op.args, result_allowed, op.call, op.return_)
            if op == culprit
            else op
            for op in history
        ]
        assert linpoint.check(fixed, spec).status is linpoint.Status.LINEARIZABLE


@pytest.mark.parametrize("name", [name for name in VIOLATIONS if name != "hostile"])
def test_the_drawing_reads_back(name: str) -> None:
    finding = result(name).findings[0]
    told = result(name).explain().as_dict()["findings"][0]["explanation"]["drawing"]
    drawn = linpoint.history(told)
    assert [(op.process, op.name, op.args, op.result, op.outcome) for op in drawn] == [
        (op.process, op.name, op.args, op.result, op.outcome)
        for op in sorted(history_of(finding), key=lambda op: str(op.process))
    ]


@pytest.mark.parametrize("name", VIOLATIONS)
def test_the_width_and_number_of_lines_are_limited(name: str) -> None:
    lines = result(name).explain().text.splitlines()
    assert all(len(line) <= 100 for line in lines[1:] if not line.startswith("The run has"))
    assert len(lines) <= MAX_TRACE_LINES + 25


def test_changed_values_are_shown_with_their_previous_value() -> None:
    steps = result("array-queue").explain().as_dict()["findings"][0]["explanation"]["steps"]
    assert [change for step in steps for change in step["changes"]] == [
        {
            "place": "slots[0]",
            "before": {"value": None, "changes": 0},
            "after": {"value": 1, "changes": 1},
        },
        {"place": "rear", "before": 0, "after": 1},
        {"place": "front", "before": 0, "after": 1},
    ]


def test_a_rejected_response_is_reported_with_the_allowed_ones() -> None:
    told = result("array-queue").explain().as_dict()["findings"][0]["explanation"]["refused"]
    assert (told["op"], told["args"], told["result"], told["allowed"]) == ("dequeue", [], None, [1])


def test_possible_states_shrink_with_each_response() -> None:
    steps = result("array-queue").explain().as_dict()["findings"][0]["explanation"]["steps"]
    states = [sorted(str(each["state"]) for each in step["survivors"]) for step in steps]
    assert states[0] == ["[]", "[]"]
    assert states[-1] == ["[1]", "[]"]


def test_under_tso_every_step_has_the_buffered_stores() -> None:
    trace = result("store-buffers").findings[0].trace
    writes = [step for step in trace.steps if step.kind is StepKind.WRITE]
    assert [len(step.buffer) for step in writes[:4]] == [1, 2, 3, 4]
    assert writes[0].buffer == (("wants[0]", True),)


def test_a_deadlock_ends_with_the_waiting_processes() -> None:
    trace = result("deadlock").findings[0].trace
    blocked = [step for step in trace.steps if step.kind is StepKind.BLOCK]
    assert sorted((step.thread, step.other) for step in blocked) == [(0, 1), (1, 0)]
    assert trace.failure is not None
    assert len(trace.failure.related) == 2


def test_a_result_has_no_truth_value() -> None:
    with pytest.raises(TypeError, match="three values"):
        bool(result("holds"))


def test_the_raised_violation_has_the_whole_text() -> None:
    result("holds").raise_for_violation()
    with pytest.raises(linpoint.ViolationError, match="every valid order requires 1"):
        result("array-queue").raise_for_violation()
    with pytest.raises(linpoint.UndecidedError, match="the budget ended"):
        result("no-time").raise_for_violation()
