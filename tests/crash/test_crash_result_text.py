# SPDX-License-Identifier: Apache-2.0
"""The words, the JSON document and the page of results."""

from __future__ import annotations

import dataclasses
import json

import pytest

import linpoint
from linpoint.errors import UndecidedError, ViolationError
from linpoint.traces.trace import SourcePlace
from linpoint.verdicts.durability import CrashFinding, CrashResult, CrashTested, Done, Needless, StoreShown
from linpoint.verdicts.program import Answer
from tests.explain.html.balance import Balanced

HOSTILE = "</script><b>\x1b[31m\u202e"


def _store(role: str, *, kept: bool, line: int = 0x1000, name: str | None = "node->key") -> StoreShown:
    place = SourcePlace("list.hpp", 41, "insert", "node->key = key;")
    return StoreShown(place, name, line + 8, 8, "0700000000000000", line, "store", "insert(1, 2)", 0, False, kept, role)


def _finding(**more: object) -> CrashFinding:
    finding = CrashFinding(
        "durability",
        "after a crash in insert(1, 2), get(1) returned 0 where the spec allows 2 or null",
        ("DL1", "C2"),
        SourcePlace("list.hpp", 41, "insert", "node->key = key;"),
        ("strict",),
        "flush `node->key` (list.hpp:41) and fence before line 44",
        True,
        3,
        (
            *(Done(f"insert({number}, 2)", "before", True, True) for number in range(3, 30)),
            Done("insert(1, 2)", "open", returned=False),
            Done("get(3)", "after", True, 2),
            Done("get(1)", "after", True, 0, (2, None)),
            Done("get(9)", "after", returned=False),
        ),
        (_store("cause", kept=False), _store("before", kept=True, line=0x1040)),
        replay={"file": "list_test.cpp"},
    )
    return dataclasses.replace(finding, **more)


def _result(answer: Answer, *findings: CrashFinding, **more: object) -> CrashResult:
    tested = CrashTested(30, {"DL1": 90, "C2": 30}, 4, testing_seconds=0.1, seconds=0.2, probes=7)
    tested = dataclasses.replace(tested, points={"stores": 5, "atomic": 1, "guarded": 4, "publishing": 3, "fresh": 2})
    advice = (Needless("flush", SourcePlace("list.hpp", 50, None, None), 3), Needless("fence", None, 1))
    result = CrashResult(
        "ListTest",
        answer,
        exhaustive=False,
        why="every crash that was tested is survived",
        findings=findings,
        tested=tested,
        spec="map",
        bounds={"kinds": ["dl1", "c2"], "persistency": "adr"},
        advice=advice,
        warnings=("PMDK's inside is assumed to be correct",),
        file="list_test.cpp",
    )
    return dataclasses.replace(result, **more)


def test_a_violation_in_words() -> None:
    text = _result(Answer.VIOLATION, _finding()).explain().text
    assert text.startswith("VIOLATION: ListTest: after a crash in insert(1, 2), get(1) returned 0")
    for line in (
        "Class: DL1 (incompletely durable), C2 (completed and lost); 3 crash states with this cause.",
        "Violates: strict (not durable: the operation may still take effect after the crash).",
        "  ... 19 operations before, then",
        "  insert(1, 2)   cut off",
        "  get(1) -> 0   <-- the spec allows 2 or null",
        "  get(9)   <-- does not come back",
        "      LOST       list.hpp:41  node->key = 7                <-- make this durable",
        "      kept       list.hpp:41  node->key = 7                <-- before this",
        "Crash tests by kind: 90 DL1, 30 C2.",
        "Likely linearization points: 5 stores (1 atomic, 4 guarded, 3 publishing, 2 fresh, left out).",
        "Warning: PMDK's inside is assumed to be correct.",
    ):
        assert line in text.splitlines(), line
    assert "Remedy: flush `node->key` (list.hpp:41) and fence before line 44. Proven:" in text
    assert "Advice: the flush at list.hpp:50 changed nothing 3 times" in text


def test_a_pass_says_what_it_covered_and_what_not() -> None:
    text = _result(Answer.HOLDS).explain().text
    assert "30 operations, 120 crash tests (1,200 a second), 4 schedules" in text
    assert "not exhaustive" in text
    assert "It says nothing of other workloads" in text
    text = _result(Answer.HOLDS, exhaustive=True).explain().text
    assert "every crash state that recovery and probes can tell apart" in text.replace("\n", " ")
    text = _result(Answer.UNKNOWN, why="the budget ended before any crash was tested").explain().text
    assert "This is no pass" in text


def test_the_document_keeps_the_contract() -> None:
    document = json.loads(json.dumps(_result(Answer.VIOLATION, _finding()).explain().as_dict()))
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
    other = _finding(kind="crash", classes=(), violates=(), remedy="", stores=())
    assert "class" not in _result(Answer.VIOLATION, other).explain().as_dict()["findings"][0]


def test_results_have_three_values() -> None:
    with pytest.raises(TypeError):
        bool(_result(Answer.HOLDS))
    _result(Answer.HOLDS).raise_for_violation()
    with pytest.raises(ViolationError, match="linpoint replay lp1-"):
        _result(Answer.VIOLATION, _finding()).raise_for_violation()
    with pytest.raises(UndecidedError):
        _result(Answer.UNKNOWN).raise_for_violation()


@pytest.mark.parametrize("answer", list(Answer))
def test_a_page_is_whole_and_harmless(answer: Answer) -> None:
    hostile = _finding(
        message=f"after {HOSTILE}",
        place=SourcePlace(HOSTILE, 1, None, HOSTILE),
        remedy=HOSTILE,
        operations=(Done(HOSTILE, "open", returned=False), Done(HOSTILE, "after", True, HOSTILE, (HOSTILE,))),
        stores=(_store("cause", kept=False, name=HOSTILE),),
    )
    findings = (hostile, _finding()) if answer is Answer.VIOLATION else ()
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
        assert "The cache lines at the crash" in page
        assert 'class="lost"' in page


def test_the_package_explains_by_itself() -> None:
    assert linpoint.explain.__name__ == "linpoint.explain"
    assert _result(Answer.HOLDS).explain().text
