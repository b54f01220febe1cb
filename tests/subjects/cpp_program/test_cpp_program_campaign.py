# SPDX-License-Identifier: Apache-2.0
"""The requests to the host, their order, and how its answers are handled."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from linpoint.campaign.driver import replay_finding, run_campaign
from linpoint.hosts.host_config import HostConfig
from linpoint.subjects.cpp_program.subject import CppProgramSubject
from linpoint.subjects.interface import Failure
from linpoint.targets.target_builder import Target, TargetContents
from linpoint.verdicts.result import Result
from linpoint.verdicts.status import Answer
from tests.hosts.stand_in_host import searches, stand_in

CLEAN: dict[str, Any] = {"ended": "exhausted", "exhaustive": True, "schedules": 5, "steps": 50}
FEW: dict[str, Any] = {"ended": "exhausted", "exhaustive": False, "schedules": 9, "steps": 90, "completed": 2}
FAILS = {
    "ended": "finding",
    "schedules": 4,
    "completed": 0,
    "finding": {
        "kind": "assertion",
        "message": "assertion `x == 1' failed",
        "schedule": [[4, 2]],
        "preemptions": 1,
        "printed": "x is 0\nbye\n",
    },
}
SHOWN = FAILS | {
    "trace": {
        "threads": [{"id": 0, "name": "main"}, {"id": 1, "name": "thread 1"}],
        "steps": [
            {"thread": 0, "kind": "write", "address": 4096, "size": 4, "value": 4294967295, "order": "relaxed"},
            {"thread": 1, "kind": "lock", "address": 8192, "preempts": True, "success": True, "forwarded": False},
            {"thread": 1, "kind": "assertion", "message": "x == 1"},
        ],
    },
    "modules": [],
}


def program(
    folder: Path, contents: TargetContents | None = None, model: str = "tso", **answers: dict[str, Any]
) -> CppProgramSubject:
    library = folder / "target.so"
    target = Target(library, "digest", contents or TargetContents((), ()))
    return CppProgramSubject("prog.cpp", stand_in(folder, **answers), target, HostConfig(model))


def explored(folder: Path, seconds: float = 5, *, only: int | None = None, **answers: Any) -> Result:
    """``only``: the maximum number of preemptions to explore."""
    outcomes = answers.pop("outcomes", False)
    return run_campaign(replace(program(folder, **answers), preemptions=only, outcomes=outcomes), seconds)


def replayed(subject: CppProgramSubject, *schedule: tuple[int, int], changed: bool) -> Result:
    return replay_finding(subject, Failure("assertion", None, schedule, 0, None), 5, changed=changed)


def test_few_preemptions_are_explored_first_then_all_schedules(tmp_path: Path) -> None:
    result = explored(tmp_path, bounded=FEW, dpor=CLEAN)
    assert searches(tmp_path) == ["bounded:2", "dpor"]
    assert (result.answer, result.exhaustive, dict(result.bounds)) == (Answer.HOLDS, True, {})
    assert (result.explored.schedules, result.explored.bounded_schedules, result.explored.steps) == (5, 9, 140)


def test_a_finding_is_replayed_with_its_steps(tmp_path: Path) -> None:
    result = explored(tmp_path, bounded=FAILS, replay=SHOWN)
    assert searches(tmp_path) == ["bounded:2", "replay:4.2"]
    assert result.answer is Answer.VIOLATION
    (finding,) = result.findings
    assert (finding.kind, finding.preemptions, finding.minimal) == ("assertion", 1, True)
    assert finding.printed == ("x is 0", "bye")
    assert finding.replay["schedule"] == [[4, 2]]
    assert finding.trace is not None
    assert [step.kind.value for step in finding.trace.steps] == ["write", "lock", "assertion"][1:]
    assert finding.trace.schedule == "4:1"
    assert finding.trace.failure is not None
    assert finding.trace.failure.step == 1


def test_a_finding_of_the_whole_search_is_made_minimal(tmp_path: Path) -> None:
    many = FAILS | {"finding": FAILS["finding"] | {"preemptions": 4}}  # type: ignore[operator]
    answers = {"bounded:2": FEW | {"completed": 2}, "dpor": many, "bounded:3": FEW | {"completed": 3}, "replay": SHOWN}
    result = explored(tmp_path, **answers)
    assert searches(tmp_path) == ["bounded:2", "dpor", "bounded:3", "replay:4.2"]
    assert (result.findings[0].preemptions, result.findings[0].minimal) == (4, True)


def test_a_finding_that_does_not_replay_is_nondeterminism(tmp_path: Path) -> None:
    result = explored(tmp_path, bounded=FAILS, replay={"ended": "exhausted", "diverged_at": 7})
    assert result.answer is Answer.UNKNOWN
    assert result.findings[0].kind == "nondeterminism"
    assert "from step 7 on" in result.findings[0].message
    result = explored(tmp_path, bounded=FEW | {"diverged_at": 3})
    assert result.findings[0].kind == "nondeterminism"


def test_a_finding_whose_replay_does_not_return_is_reported_without_steps(tmp_path: Path) -> None:
    hangs = {"kind": "livelock", "message": "main computes without a step", "schedule": []}
    found = {"ended": "finding", "schedules": 1, "finding": hangs}
    result = explored(tmp_path, 0.2, bounded=found, replay={"do": "time.sleep(100)"})
    assert result.answer is Answer.VIOLATION
    assert (result.findings[0].kind, result.findings[0].trace) == ("livelock", None)


def test_a_qualified_result_is_unknown(tmp_path: Path) -> None:
    result = explored(tmp_path, bounded=FEW, dpor=CLEAN | {"qualified": ["timed waits were cut short."]})
    assert (result.answer, result.exhaustive) == (Answer.UNKNOWN, False)
    assert result.why == "no schedule fails, but the result is weaker: timed waits were cut short"
    result = explored(tmp_path, contents=TargetContents((), ("/opt/libz.a",)), bounded=FEW, dpor=CLEAN)
    assert result.answer is Answer.UNKNOWN
    assert "libz.a is not instrumented" in result.why


def test_inline_assembly_is_not_run(tmp_path: Path) -> None:
    result = explored(tmp_path, contents=TargetContents(("`lock incl x` at a.cpp:3", "`rdtsc` at a.cpp:4"), ()))
    assert result.answer is Answer.UNKNOWN
    assert "`lock incl x` at a.cpp:3 and 1 more instruction; use std::atomic" in result.why
    assert not (tmp_path / "asked").exists()


def test_a_rejected_program_is_unknown_with_the_reason(tmp_path: Path) -> None:
    refused = {"ended": "refused", "reason": "the program calls fork(), which cannot be repeated"}
    result = explored(tmp_path, bounded=refused)
    assert (result.answer, result.why) == (Answer.UNKNOWN, refused["reason"])
    assert searches(tmp_path) == ["bounded:2"]


def test_the_end_of_the_budget_is_unknown_with_the_progress(tmp_path: Path) -> None:
    budget = {"ended": "budget", "schedules": 2, "do": "time.sleep(0.05)"}
    answers = {"bounded": budget | {"completed": 1}, "dpor": budget, "pos": budget, "random": budget, "pct": budget}
    result = explored(tmp_path, 0.5, **answers)
    assert result.answer is Answer.UNKNOWN
    assert result.why.startswith("the budget ended after all schedules with up to 1 preemption; no")
    assert dict(result.bounds) == {"preemptions": 1}
    first, rest = searches(tmp_path)[:3], searches(tmp_path)[3:]
    assert first == ["bounded:2", "dpor", "bounded:2"]
    assert rest[:3] == ["pos:20000", "random:20000", "pct:3:20000"][: len(rest)]


def test_a_given_bound_of_preemptions_is_the_only_search(tmp_path: Path) -> None:
    result = explored(tmp_path, only=1, bounded=FEW | {"completed": 1})
    assert searches(tmp_path) == ["bounded:1"]
    assert (result.answer, result.exhaustive, dict(result.bounds)) == (Answer.HOLDS, False, {"preemptions": 1})


def test_outcomes_cover_all_schedules(tmp_path: Path) -> None:
    result = explored(tmp_path, outcomes=True, dpor=CLEAN | {"outcomes": {"0 1": 3, "1 1": 2}})
    assert searches(tmp_path) == ["dpor"]
    assert result.outcomes == {"0 1": 3, "1 1": 2}


def test_a_program_that_kills_its_process_is_a_finding(tmp_path: Path) -> None:
    result = explored(tmp_path, bounded=FEW | {"do": "os.kill(os.getpid(), signal.SIGSEGV)"})
    assert result.answer is Answer.VIOLATION
    assert result.findings[0].message == "the program crashed: its process was terminated by SIGSEGV"
    assert result.explored.bounded_schedules == 3


def test_a_crash_in_the_first_run_is_reported_with_its_steps(tmp_path: Path) -> None:
    crash = {"kind": "crash", "message": "abort() is called", "schedule": []}
    steps = SHOWN["trace"]["steps"][:2]  # type: ignore[index]
    shown = {"ended": "finding", "finding": crash, "trace": SHOWN["trace"] | {"steps": steps}}  # type: ignore[operator]
    result = explored(tmp_path, bounded=shown | {"trace": None}, replay=shown)
    assert searches(tmp_path) == ["bounded:2", "replay:"]
    assert result.findings[0].trace is not None


def test_ctrl_c_ends_the_search(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from linpoint.hosts import program_host

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(program_host, "read_hosts", interrupt)
    result = explored(tmp_path, bounded=FEW | {"do": "time.sleep(100)"})
    assert (result.answer, result.interrupted) == (Answer.UNKNOWN, True)
    assert result.why.startswith("the run was interrupted before")


def test_a_schedule_is_run_again(tmp_path: Path) -> None:
    again = replayed(program(tmp_path, replay=SHOWN), (4, 2), changed=False)
    assert (again.answer, again.findings[0].kind, again.warnings) == (Answer.VIOLATION, "assertion", ())
    fixed = replayed(program(tmp_path, replay=CLEAN), (4, 2), changed=False)
    assert (fixed.answer, fixed.why) == (Answer.HOLDS, "this schedule does not fail")


def test_a_replay_of_a_changed_program_searches_other_schedules_too(tmp_path: Path) -> None:
    answers = {"replay:9.9": CLEAN, "bounded": FAILS, "replay:4.2": SHOWN}
    again = replayed(program(tmp_path, **answers), (9, 9), changed=True)
    assert searches(tmp_path) == ["replay:9.9", "bounded:2", "replay:4.2"]
    assert again.answer is Answer.VIOLATION
    assert "the program has changed" in again.warnings[0]
