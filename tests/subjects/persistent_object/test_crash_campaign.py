# SPDX-License-Identifier: Apache-2.0
"""Whole campaigns with a fake host: findings, reports, and the handling of misbehaving hosts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from linpoint.hosts.crash_messages import CrashViolation, OverlappingOperations
from linpoint.scenarios.scenario import Call
from linpoint.subjects.persistent_object.crash_token import read_token, token_content
from linpoint.verdicts.status import Answer
from tests.crash.fake_host_campaigns import fake_test, replayed, tried


def test_a_correct_map_holds_and_states_its_coverage(tmp_path: Path) -> None:
    result = tried(tmp_path, {}, operations=60)
    assert result.answer is Answer.HOLDS
    assert not result.exhaustive
    assert result.tested.operations == 60
    assert result.tested.crash_tests_by_kind == {"DL1": 60, "DL2": 60, "C2": 60}
    assert result.why == "correct after every crash tested"
    text = result.explain().text
    assert text.startswith("HOLDS: MapTest: correct after every crash tested.")
    assert "60 operations, 180 crash tests" in text
    assert "Likely linearization points: 3 stores (1 atomic, 2 guarded, 1 publishing, 3 fresh, excluded)." in text


def test_a_lost_insert_is_found_and_shrunk(tmp_path: Path) -> None:
    result = tried(tmp_path, {"lost": [3]}, scenario=_long())
    assert result.answer is Answer.VIOLATION
    (finding,) = result.findings
    assert finding.kind == "durability"
    assert finding.evidence.classes == ("C2",)
    assert finding.evidence.violates == ("strict", "durable")
    assert finding.minimal
    before = [each.call for each in finding.evidence.operations if each.when == "before"]
    assert len(before) == 1
    assert before[0].startswith("insert(3, ")
    wrong = next(each for each in finding.evidence.operations if each.allowed is not None)
    assert wrong.call == "get(3)"
    assert wrong.result is None
    assert "the effect of insert(3, " in finding.message
    assert "LOST" in result.explain().text


def test_a_token_keeps_only_the_concurrent_read_it_needs(tmp_path: Path) -> None:
    test = fake_test(tmp_path, {})
    plan = test.plan([Call("insert", (key, 1)) for key in (1, 2, 3)], reads=True)
    second = len(plan.calls) - 2
    assert plan.calls[second] == Call("get", (2,))
    seen = CrashViolation(
        0, "DL3", 1, [1], [], "complete", "", [], [], True, 5, 1, [], dl3=OverlappingOperations(1, second, 1)
    )
    again = read_token(token_content(test, plan, seen))
    state = again.failure.run
    assert state.beside is not None
    assert again.plan.calls[state.beside.second] == Call("get", (2,))
    assert len(again.plan.reads) == 1
    assert again.plan.parts()[0].decode().splitlines()[-1] == "1@1 get [2]"


def test_a_finding_replays(tmp_path: Path) -> None:
    (finding,) = tried(tmp_path, {"lost": [3]}, scenario=_long()).findings
    again = replayed(tmp_path, {"lost": [3]}, finding.replay_words[1])
    assert again.answer is Answer.VIOLATION
    assert again.findings[0].kind == "durability"
    assert again.findings[0].message == finding.message
    fixed = replayed(tmp_path, {}, finding.replay_words[1])
    assert fixed.answer is Answer.HOLDS
    assert fixed.why == "this crash state does not fail"


def test_shards_together_find_what_one_process_finds(tmp_path: Path) -> None:
    result = tried(tmp_path, {"lost": [3]}, scenario=_long(), workers=3)
    assert result.tested.crash_tests_by_kind == {"DL1": 40, "DL2": 40, "C2": 40}
    assert len(result.findings) == 1


def test_a_failed_recovery_violates_every_condition(tmp_path: Path) -> None:
    result = tried(tmp_path, {"recovery": "hang"}, operations=4)
    assert result.answer is Answer.VIOLATION
    assert result.findings[0].evidence.violates == ("strict", "durable")
    assert "does not return" in result.findings[0].message


@pytest.mark.parametrize(
    ("fails", "kind"),
    [("crash", "crash"), ("hang", "livelock"), ("deadlock", "deadlock"), ("assertion", "assertion")],
)
def test_a_workload_that_fails_without_a_crash_is_a_finding_of_its_own(tmp_path: Path, fails: str, kind: str) -> None:
    result = tried(tmp_path, {"fails": fails}, operations=20)
    assert result.answer is Answer.VIOLATION
    (finding,) = result.findings
    assert finding.kind == kind
    assert finding.message.startswith("without any crash, ")
    assert len(finding.evidence.operations) == 1
    assert result.tested.crash_tests == 0
    again = replayed(tmp_path, {"fails": fails}, finding.replay_words[1])
    assert [each.kind for each in again.findings] == [kind]


def test_a_wrong_result_without_a_crash_is_not_a_durability_bug(tmp_path: Path) -> None:
    result = tried(tmp_path, {"lies": 2}, scenario=_long())
    (finding,) = result.findings
    assert finding.kind == "linearizability"
    assert "returned 77, which the spec does not allow" in finding.message
    assert len(finding.evidence.operations) == 1


def test_results_that_differ_between_runs_are_unknown(tmp_path: Path) -> None:
    result = tried(tmp_path, {"moody": True}, operations=5)
    assert result.answer in (Answer.UNKNOWN, Answer.VIOLATION)
    assert result.tested.crash_tests == 0


def test_an_unconfirmed_violation_is_unknown(tmp_path: Path) -> None:
    result = tried(tmp_path, {"lost": [1], "confirmed": False}, scenario=_scenario())
    assert result.answer is Answer.UNKNOWN
    assert "the target keeps state between runs" in result.why


@pytest.mark.parametrize("at", ["traced", "testing"])
@pytest.mark.parametrize(
    ("how", "why"),
    [
        ("die", "its process was terminated by SIGSEGV"),
        ("exit", "its process exited with code 3"),
        ("nonsense", "sent an invalid message"),
        ("wrong", "sent an invalid message"),
    ],
)
def test_a_host_that_misbehaves_is_unknown(tmp_path: Path, at: str, how: str, why: str) -> None:
    result = tried(tmp_path, {"at": at, "how": how}, scenario=_scenario())
    assert result.answer is Answer.UNKNOWN, result.why
    assert why in result.why


def test_a_host_that_falls_silent_or_hangs_is_stopped(tmp_path: Path) -> None:
    result = tried(tmp_path, {"at": "testing", "how": "hang"}, seconds=2.0, scenario=_scenario())
    assert result.answer is Answer.UNKNOWN
    result = tried(tmp_path, {"at": "testing", "how": "silence"}, seconds=5.0, scenario=_scenario())
    assert result.answer is Answer.UNKNOWN


def test_qualifications_are_reported(tmp_path: Path) -> None:
    result = tried(tmp_path, {"qualified": ["PMDK's inside is assumed to be correct."]}, operations=3)
    assert result.warnings == ("PMDK's inside is assumed to be correct",)
    assert "Warning: PMDK's inside is assumed to be correct." in result.explain().text


def test_the_same_seed_gives_the_same_workload(tmp_path: Path) -> None:
    def workload(seed: int) -> Any:
        return tried(tmp_path, {}, operations=8, seed=seed).bounds["workload"]

    assert workload(1) == workload(1)
    assert workload(1) != workload(2)


def _long() -> str:
    return "; ".join(f"insert({key}, {key + 10}); get({key})" for key in range(1, 21))


def _scenario() -> str:
    return "insert(1, 2); insert(3, 4); get(1)"
