# SPDX-License-Identifier: Apache-2.0
"""Statuses, coverage, findings and results of every kind of subject."""

from __future__ import annotations

import copy
import pickle

import pytest

import linpoint
from linpoint.errors import UndecidedError, ViolationError
from linpoint.verdicts.coverage import COUNTS, Coverage, coverage_of
from linpoint.verdicts.evidence import ProgramEvidence, ScenarioEvidence, ShownOperation
from linpoint.verdicts.finding import Finding
from linpoint.verdicts.replay_token import ReplayToken
from linpoint.verdicts.result import Result, undecided_result
from linpoint.verdicts.status import Answer, Status


def scenario_finding(**facts: object) -> Finding:
    evidence = ScenarioEvidence("get()", (ShownOperation(0, "get()", True, 1),))
    return Finding(kind="linearizability", message="get() returned 1", evidence=evidence, **facts)  # type: ignore[arg-type]


def result_of(status: Status, *findings: Finding) -> Result:
    return Result(
        subject_kind="test",
        name="T",
        status=status,
        why="because",
        findings=findings,
        coverage=coverage_of("test"),
        models={"sc": status},
    )


def test_the_worst_status_of_the_parts_is_the_status_of_the_whole() -> None:
    assert Status.worst([Status.HOLDS, Status.VIOLATION, Status.UNKNOWN]) is Status.VIOLATION
    assert Status.worst([Status.HOLDS, Status.UNKNOWN]) is Status.UNKNOWN
    assert Status.worst([Status.HOLDS]) is Status.HOLDS
    assert Status.worst([]) is Status.LINEARIZABLE


def test_linearizable_and_holds_are_the_passing_statuses() -> None:
    assert [status for status in Status if status.passed] == [Status.LINEARIZABLE, Status.HOLDS]
    assert Answer.HOLDS is Status.HOLDS
    assert linpoint.Answer("violation") is linpoint.Status.VIOLATION


@pytest.mark.parametrize("kind", COUNTS)
def test_the_counts_of_a_kind_keep_their_order(kind: str) -> None:
    last = COUNTS[kind][-1]
    coverage = coverage_of(kind, seconds=1.23456789, peak_memory_bytes=5, **{last: 7})
    assert tuple(coverage.as_dict()) == ("seconds", "peak_memory_bytes", *COUNTS[kind])
    assert coverage.as_dict()["seconds"] == 1.234568
    assert getattr(coverage, last) == coverage.as_dict()[last] == 7


def test_a_count_of_another_kind_is_an_error() -> None:
    with pytest.raises(TypeError, match="states"):
        coverage_of("test", states=1)
    with pytest.raises(AttributeError, match="states"):
        _ = coverage_of("test").states


def test_coverage_is_copied_and_pickled() -> None:
    coverage = coverage_of("model", states=3)
    assert copy.deepcopy(coverage) == pickle.loads(pickle.dumps(coverage)) == coverage
    assert coverage.with_counts(states=4).states == 4
    assert Coverage().as_dict() == {"seconds": 0.0, "peak_memory_bytes": 0}


def test_a_finding_has_only_the_evidence_of_its_subject() -> None:
    finding = scenario_finding()
    assert finding.scenario == "get()"
    assert finding.operations[0].result == 1
    assert not hasattr(finding, "printed")
    with pytest.raises(AttributeError, match="ProgramEvidence"):
        finding.evidence_as(ProgramEvidence)


def test_a_token_without_a_file_is_replayed_by_the_original_call() -> None:
    finding = scenario_finding(replay_token=ReplayToken("test", code="c"))
    assert finding.replay_words == []
    assert finding.replay == {"kind": "test", "code": "c"}
    with pytest.raises(ViolationError, match='replay="lp1-'):
        result_of(Status.VIOLATION, finding).raise_for_violation()
    complete = scenario_finding(replay_token=ReplayToken("test", file="t.py", target="T"))
    with pytest.raises(ViolationError, match="linpoint replay lp1-"):
        result_of(Status.VIOLATION, complete).raise_for_violation()


def test_unknown_never_passes_silently() -> None:
    with pytest.raises(UndecidedError, match="not decided: because"):
        result_of(Status.UNKNOWN).raise_for_violation()
    result_of(Status.LINEARIZABLE).raise_for_violation()
    with pytest.raises(TypeError, match="three values"):
        bool(result_of(Status.LINEARIZABLE))


@pytest.mark.parametrize("kind", COUNTS)
def test_an_unknown_result_has_text_and_a_document(kind: str) -> None:
    bounds = {"processes": 1, "operations": 1, "memory_model": "sc"}
    result = undecided_result(kind, "N", "no time", file="n.py", coverage=coverage_of(kind, bounds=bounds))
    assert result.status is Status.UNKNOWN
    assert result.text.startswith("UNKNOWN: ")
    assert "no time" in result.text
    document = result.as_json()
    assert (document["verdict"], document["why"], document["findings"]) == ("unknown", "no time", [])
