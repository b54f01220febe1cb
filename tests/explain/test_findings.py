# SPDX-License-Identifier: Apache-2.0
"""The results of tests as text and JSON: golden texts for every kind, without any guessed content."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from linpoint.explain.json_document import place_of
from linpoint.explain.test.result_document import test_document as document
from linpoint.explain.test.result_text import MAX_TRACE_LINES, trace_lines
from linpoint.text.printable import printable
from linpoint.traces.trace import FAILURES, Trace
from linpoint.verdicts import Status
from tests.explain.tested_objects import RESULTS, result

KINDS = {
    "counter": "linearizability",
    "lazy": "linearizability",
    "lru": "linearizability",
    "deadlock": "deadlock",
    "livelock": "livelock",
    "exception": "exception",
    "nondeterminism": "nondeterminism",
    "hostile": "linearizability",
}


def masked(text: str) -> str:
    """The text without times, and without numbers that depend on them or on how schedules are counted."""
    text = re.sub(r"[\d,]+ schedules?\b|[\d,]+ without a bound", "N schedules", text)
    text = re.sub(r"(N schedules[^,\n]*), N schedules", r"\1", text)
    text = re.sub(r"\b\d+\.\d s\b", "N s", text)
    return re.sub(r"roll\(\) -> \d+", "roll() -> N", text)


@pytest.mark.parametrize("name", RESULTS)
def test_the_text_matches_its_golden_file(name: str, golden: Callable[..., None]) -> None:
    golden(name, masked(result(name).explain().text), folder="golden_results")


def test_every_golden_text_has_its_result() -> None:
    assert {path.stem for path in (Path(__file__).parent / "golden_results").glob("*.txt")} == set(RESULTS)


@pytest.mark.parametrize("name", RESULTS)
def test_results_have_their_kind_and_verdict(name: str) -> None:
    found = result(name)
    assert [each.kind for each in found.findings] == ([KINDS[name]] if name in KINDS else [])
    wanted = Status.VIOLATION if name in KINDS else Status.LINEARIZABLE
    assert found.status is (Status.UNKNOWN if name in ("nondeterminism", "unknown") else wanted)
    assert found.exhaustive is (name == "exhaustive")


@pytest.mark.parametrize("name", RESULTS)
def test_the_document_has_the_fields_of_the_contract(name: str) -> None:
    found = result(name)
    told = msgspec.json.decode(msgspec.json.encode(document(found)))
    assert told == found.explain().as_dict()
    assert set(told) >= {
        "test",
        "verdict",
        "exhaustive",
        "why",
        "models",
        "bounds",
        "statistics",
        "findings",
        "warnings",
    }
    assert set(told["statistics"]) >= {"seconds", "peak_memory_bytes", "scenarios", "schedules", "bounded_schedules"}
    assert told["verdict"] == told["models"]["free-threaded"] == found.status.value
    for finding in told["findings"]:
        assert finding["kind"] in FAILURES
        explanation = finding["explanation"]
        assert explanation["text"].startswith(printable(finding["message"]))
        assert explanation["counts"]["preemptions"] == explanation["preemptions"]
        assert explanation["counts"]["operations"] == len(explanation["operations"])
        if "trace" in explanation:
            assert Trace.from_dict(explanation["trace"]).as_dict() == explanation["trace"]
            assert explanation["counts"]["steps"] == len(explanation["trace"]["steps"])


@pytest.mark.parametrize("name", ["counter", "lazy", "lru", "deadlock", "exception"])
def test_the_place_is_the_line_of_the_failure(name: str) -> None:
    finding = result(name).findings[0]
    place = place_of(finding.trace)
    assert place is not None
    assert document(result(name))["findings"][0]["place"] == f"{place.file}:{place.line}"
    lines = Path(__file__).with_name("tested_objects.py").read_text(encoding="utf-8").splitlines()
    wanted = {
        "counter": "cell[0] = value + 1",
        "lazy": 'return lazy["value"]',
        "lru": "entries[key] = 1",
        "deadlock": "with pair.",
        "exception": "return items.pop() if len(items) > 0 else None",
    }
    assert lines[place.line - 1].strip().startswith(wanted[name])


@pytest.mark.parametrize("name", RESULTS)
def test_no_cause_is_guessed(name: str) -> None:
    """All steps of a run are known: none is unrecorded, and no clock is wrong."""
    assert "cause" not in result(name).explain().text.lower()
    assert "guess" not in msgspec.json.encode(document(result(name))).decode().lower()


@pytest.mark.parametrize("name", KINDS)
def test_the_number_of_steps_is_limited(name: str) -> None:
    trace = result(name).findings[0].trace
    assert trace is None or len(trace_lines(trace)) <= MAX_TRACE_LINES


def test_a_pass_states_what_it_leaves_open() -> None:
    assert "The search is exhaustive within these bounds" in result("exhaustive").explain().text
    assert "may still fail" in result("bounded").explain().text
    assert "This is not a pass" in result("unknown").explain().text
