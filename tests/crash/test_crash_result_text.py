# SPDX-License-Identifier: Apache-2.0
"""The text, the JSON document and the page of results."""

from __future__ import annotations

import dataclasses
import json

import pytest

import linpoint
from linpoint.errors import UndecidedError, ViolationError
from linpoint.traces.trace import SourcePlace
from linpoint.verdicts.coverage import coverage_of
from linpoint.verdicts.evidence import CrashEvidence, CrashOperation, CrashStore, NeedlessInstruction
from linpoint.verdicts.finding import Finding
from linpoint.verdicts.replay_token import ReplayToken
from linpoint.verdicts.result import Result
from linpoint.verdicts.status import Status
from tests.explain.html.balance import Balanced

HOSTILE = "</script><b>\x1b[31m\u202e"


def _store(role: str, *, kept: bool, line: int = 0x1000, name: str | None = "node->key") -> CrashStore:
    place = SourcePlace("list.hpp", 41, "insert", "node->key = key;")
    return CrashStore(place, name, line + 8, 8, "0700000000000000", line, "store", "insert(1, 2)", 0, False, kept, role)


_EVIDENCE = CrashEvidence(
    ("DL1", "C2"),
    ("strict",),
    "flush `node->key` (list.hpp:41) and fence before line 44",
    True,
    3,
    (
        *(CrashOperation(f"insert({number}, 2)", "before", True, True) for number in range(3, 30)),
        CrashOperation("insert(1, 2)", "open", returned=False),
        CrashOperation("get(3)", "after", True, 2),
        CrashOperation("get(1)", "after", True, 0, (2, None)),
        CrashOperation("get(9)", "after", returned=False),
    ),
    (_store("cause", kept=False), _store("before", kept=True, line=0x1040)),
)


def _finding(evidence: CrashEvidence = _EVIDENCE, **more: object) -> Finding:
    finding = Finding(
        kind="durability",
        message="after a crash in insert(1, 2), get(1) returned 0; the spec requires 2 or null",
        evidence=evidence,
        place=SourcePlace("list.hpp", 41, "insert", "node->key = key;"),
        replay_token=ReplayToken("crash", file="list_test.cpp"),
    )
    return dataclasses.replace(finding, **more)


def _result(status: Status, *findings: Finding, **more: object) -> Result:
    coverage = coverage_of(
        "crash",
        seconds=0.2,
        bounds={"kinds": ["dl1", "c2"], "persistency": "adr"},
        operations=30,
        crash_tests=120,
        crash_tests_by_kind={"DL1": 90, "C2": 30},
        crash_tests_a_second=1200.0,
        schedules=4,
        probes=7,
        points={"stores": 5, "atomic": 1, "guarded": 4, "publishing": 3, "fresh": 2},
    )
    advice = (
        NeedlessInstruction("flush", SourcePlace("list.hpp", 50, None, None), 3),
        NeedlessInstruction("fence", None, 1),
    )
    result = Result(
        subject_kind="crash",
        name="ListTest",
        status=status,
        why="correct after every crash tested",
        findings=findings,
        coverage=coverage,
        spec="map",
        condition="strict",
        advice=advice,
        warnings=("PMDK's inside is assumed to be correct",),
        file="list_test.cpp",
    )
    return dataclasses.replace(result, **more)


def test_the_text_of_a_violation() -> None:
    text = _result(Status.VIOLATION, _finding()).explain().text
    assert text.startswith("VIOLATION: ListTest: after a crash in insert(1, 2), get(1) returned 0")
    for line in (
        "Class: DL1 (incompletely durable), C2 (completed but lost); 3 crash states with this cause.",
        "Violates: strict (but not durable: the operation may still take effect after the crash).",
        "  ... 19 earlier operations",
        "  insert(1, 2)   interrupted",
        "  get(1) -> 0   <-- the spec requires 2 or null",
        "  get(9)   <-- does not return",
        "      LOST       list.hpp:41  node->key = 7                <-- make this durable",
        "      kept       list.hpp:41  node->key = 7                <-- before this",
        "Crash tests by kind: 90 DL1, 30 C2.",
        "Likely linearization points: 5 stores (1 atomic, 4 guarded, 3 publishing, 2 fresh, excluded).",
        "Warning: PMDK's inside is assumed to be correct.",
    ):
        assert line in text.splitlines(), line
    assert "Fix (verified): flush `node->key` (list.hpp:41) and fence before line 44. With that" in text
    assert "Advice: the flush at list.hpp:50 had no effect 3 times" in text


def test_a_pass_states_what_it_covered_and_what_not() -> None:
    text = _result(Status.HOLDS).explain().text
    assert "30 operations, 120 crash tests (1,200 per second), 4 schedules" in text
    assert "not exhaustive" in text
    assert "It does not cover other workloads" in text
    text = _result(Status.HOLDS, exhaustive=True).explain().text
    assert "every crash state that recovery and probes can distinguish" in text.replace("\n", " ")
    text = _result(Status.UNKNOWN, why="the budget ended before any crash was tested").explain().text
    assert "This is not a pass" in text


def test_the_document_follows_the_contract() -> None:
    document = json.loads(json.dumps(_result(Status.VIOLATION, _finding()).explain().as_dict()))
    assert document["verdict"] == "violation"
    assert document["statistics"]["crash_tests"] == 120
    assert document["statistics"]["operations"] == 30
    assert document["statistics"]["schedules"] == 4
    (finding,) = document["findings"]
    assert finding["kind"] == "durability"
    assert finding["class"] == ["DL1", "C2"]
    assert finding["place"] == "list.hpp:41"
    assert finding["violates"] == ["strict"]
    assert finding["replay"][0] == "replay"
    assert finding["explanation"]["proven"] is True
    assert finding["explanation"]["text"].startswith("after a crash")
    assert finding["explanation"]["operations"][-2]["allowed"] == [2, None]
    other = _finding(CrashEvidence(operations=_EVIDENCE.operations), kind="crash")
    assert "class" not in _result(Status.VIOLATION, other).explain().as_dict()["findings"][0]


def test_results_are_three_valued() -> None:
    with pytest.raises(TypeError):
        bool(_result(Status.HOLDS))
    _result(Status.HOLDS).raise_for_violation()
    with pytest.raises(ViolationError, match="linpoint replay lp1-"):
        _result(Status.VIOLATION, _finding()).raise_for_violation()
    with pytest.raises(UndecidedError):
        _result(Status.UNKNOWN).raise_for_violation()


@pytest.mark.parametrize("answer", list(Status))
def test_a_page_is_well_formed_and_safe(answer: Status) -> None:
    evidence = dataclasses.replace(
        _EVIDENCE,
        remedy=HOSTILE,
        operations=(
            CrashOperation(HOSTILE, "open", returned=False),
            CrashOperation(HOSTILE, "after", True, HOSTILE, (HOSTILE,)),
        ),
        stores=(_store("cause", kept=False, name=HOSTILE),),
    )
    hostile = _finding(evidence, message=f"after {HOSTILE}", place=SourcePlace(HOSTILE, 1, None, HOSTILE))
    findings = (hostile, _finding()) if answer is Status.VIOLATION else ()
    result = _result(answer, *findings, warnings=(HOSTILE,))
    page = result.explain().as_html(command=f"linpoint {HOSTILE}", replay="linpoint replay x")
    parser = Balanced()
    parser.feed(page)
    assert parser.open == []
    assert len(set(parser.ids)) == len(parser.ids)
    assert "<b>\x1b" not in page
    assert "\x1b" not in page
    assert "\u202e" not in page
    assert answer.name in page
    assert "\x1b" not in result.explain().text
    if findings:
        assert "Cache lines at the crash" in page
        assert 'class="lost"' in page


def test_results_are_explained_without_further_imports() -> None:
    assert linpoint.explain.__name__ == "linpoint.explain"
    assert _result(Status.HOLDS).explain().text
