# SPDX-License-Identifier: Apache-2.0
"""The campaign of a C++ object without a target: which searches the host runs, and how its messages are handled."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from linpoint import Scenario, Status
from linpoint.campaign.driver import replay_finding, run_campaign
from linpoint.hosts.host_config import HostConfig
from linpoint.judging.spec_judge import SpecJudge
from linpoint.scenarios.cpp_test_description import object_tests
from linpoint.specs.spec_lookup import find
from linpoint.subjects.cpp_object.blocked_operations import StoppedScenario, StoppedThread
from linpoint.subjects.cpp_object.object_under_test import BuiltCppTests, CppObject
from linpoint.subjects.cpp_object.outcomes_method import OutcomesSubject
from linpoint.subjects.cpp_object.subject import CppObjectSubject
from linpoint.subjects.interface import CampaignProgress, Failure
from linpoint.targets.target_builder import Target, TargetContents
from linpoint.verdicts.result import Result
from tests.hosts.stand_in_host import asked, searches, stand_in_with_test

INTEGER = {"kind": "integer", "least": -(2**31), "most": 2**31 - 1}
OPERATIONS = [
    {"name": "write", "parameters": [INTEGER], "result": {"kind": "null"}},
    {"name": "read", "parameters": [], "result": INTEGER},
]
(TEST,) = object_tests({"tests": [{"name": "Register", "operations": OPERATIONS}]}, "register.cpp").values()
TWO = ("write(1) | read()", "write(2) | read()")
CLEAN = "for number in range(len(texts)): ended(number)"
WRONG = "history(number, None, 7, schedule=[(4, 1)], preemptions=1, schedules=3)"
"""The read, which comes after the write, gives a value that was never written."""
FAILS = f"""
for number, text in enumerate(texts):
    if "write" in text and "read" in text:
        {WRONG}
    ended(number, "finding" if search.startswith("replay") else "exhausted")
"""


def target(folder: Path, code: str, *scenarios: str, model: str = "sc", **options: Any) -> CppObject:
    contents = options.pop("contents", TargetContents((), ()))
    built = Target(folder / "target.so", "digest", contents)
    program = BuiltCppTests("register.cpp", stand_in_with_test(folder, code), built, HostConfig(model))
    return CppObject(program, TEST, scenarios=tuple(map(Scenario.parse, scenarios)), **options)


def run(folder: Path, code: str, *scenarios: str, seconds: float = 5.0, **options: Any) -> Result:
    progress = options.pop("progress", False)
    subject = CppObjectSubject(target(folder, code, *scenarios, **options), find("register"), progress)
    return run_campaign(subject, seconds)


def replay(folder: Path, code: str, failure: Failure, *, changed: bool = False) -> Result:
    subject = CppObjectSubject(target(folder, code, str(TWO[0])), find("register"))
    return replay_finding(subject, failure, 5.0, changed=changed)


def failure(kind: str = "linearizability", *schedule: tuple[int, int]) -> Failure:
    return Failure(kind, TEST.accept(Scenario.parse(TWO[0])), schedule, 0, None)


# Phases


def test_one_search_is_enough_if_it_exhausts_all_scenarios(tmp_path: Path) -> None:
    result = run(tmp_path, CLEAN, *TWO)
    assert searches(tmp_path) == ["dpor"]
    assert (result.status, result.exhaustive, dict(result.bounds)) == (Status.LINEARIZABLE, True, {})
    assert (result.tested.scenarios, result.tested.schedules, result.tested.bounded_schedules) == (2, 10, 0)
    assert result.tested.steps == 100


def test_unfinished_scenarios_get_few_preemptions_and_then_the_remaining_time(tmp_path: Path) -> None:
    code = """
for number, text in enumerate(texts):
    if search.startswith("bounded"):
        ended(number, "exhausted", exhaustive=False, completed=2)
    elif "write [1]" in text or search == "dpor" and len(open(log.name).readlines()) >= 5:
        ended(number)
    else:
        ended(number, "budget")
"""
    result = run(tmp_path, code, *TWO, seconds=20.0, seed=7)
    assert searches(tmp_path) == ["dpor", "bounded:2", "dpor", "pos:20000", "dpor", "pos:20000"]
    commands = asked(tmp_path)
    assert [words[words.index("--seed") + 1] for words in commands] == ["0", "0", "0", "7", "0", "8"]
    seconds = [float(words[words.index("--seconds") + 1]) for words in commands[:2]]
    assert 0.6 * 18 < seconds[0] <= 0.6 * 19
    assert 0.5 * 16 < seconds[1] <= 0.5 * 19
    assert (result.status, result.exhaustive) == (Status.LINEARIZABLE, True)


def test_a_search_with_few_preemptions_gives_a_pass_that_is_not_exhaustive(tmp_path: Path) -> None:
    code = """
for number in range(len(texts)):
    time.sleep(0.1)
    ended(number, "budget", completed=2)
"""
    result = run(tmp_path, code, *TWO, seconds=1.0)
    assert (result.status, result.exhaustive, dict(result.bounds)) == (Status.LINEARIZABLE, False, {"preemptions": 2})


@pytest.mark.parametrize(
    ("ending", "why"),
    [
        ('"refused", reason="it calls fork()"', "it calls fork()"),
        ('"exhausted", qualified=["a wait was cut short."]', "but the result is weaker: a wait was cut short"),
        ('"exhausted", cut=2', "4 runs did not finish within the step limit"),
    ],
)
def test_incomplete_or_qualified_searches_are_not_a_pass(tmp_path: Path, ending: str, why: str) -> None:
    result = run(tmp_path, f"for number in range(len(texts)): ended(number, {ending})", *TWO)
    assert (result.status, result.exhaustive) == (Status.UNKNOWN, False)
    assert why in result.why


def test_inline_assembly_is_not_run(tmp_path: Path) -> None:
    result = run(tmp_path, CLEAN, *TWO, contents=TargetContents(("`rdtsc` at a.cpp:4",), ()))
    assert (result.status, result.tested.scenarios) == (Status.UNKNOWN, 0)
    assert "inline assembly cannot be instrumented" in result.why
    assert not (tmp_path / "asked").exists()


@pytest.mark.parametrize(
    ("contents", "why"),
    [
        (TargetContents(("`rdtsc` at a.cpp:4",), ()), "inline assembly cannot be instrumented"),
        (TargetContents((), ("/usr/lib/libqueue.so",)), "libqueue.so is not instrumented"),
    ],
)
def test_outcomes_of_uninstrumented_code_prove_nothing(tmp_path: Path, contents: TargetContents, why: str) -> None:
    result = run_campaign(OutcomesSubject(target(tmp_path, CLEAN, *TWO, contents=contents)), 5.0)
    assert (result.status, result.exhaustive) == (Status.UNKNOWN, False)
    assert why in result.why


def test_progress_names_the_scenario_and_counts(tmp_path: Path) -> None:
    reached: list[CampaignProgress] = []
    code = "say(progress=dict(scenario=1, schedules=3))\n" + CLEAN
    run_campaign(CppObjectSubject(target(tmp_path, code, *TWO), find("register")), 5.0, reached.append)
    assert [(str(each.case), each.cases, each.executions) for each in reached] == [
        (TWO[1], 0, 3),
        (TWO[0], 1, 5),
        (TWO[1], 2, 10),
    ]


# Failures


def test_the_first_of_several_failing_scenarios_is_reported(tmp_path: Path) -> None:
    code = f"""
if search == "dpor" and len(texts) == 3:
    number = 2; {WRONG}
    number = 1; {WRONG}
    ended(2, schedules=100, steps=1000)
    ended(0)
    time.sleep(5)
elif search.startswith("bounded"):
    number = 0; {WRONG}
elif search.startswith("replay"):
    number = 0; {WRONG}
    ended(0, "finding")
else:
    ended(0)
"""
    result = run(tmp_path, code, "read() | read()", *TWO)
    (finding,) = result.findings
    assert finding.scenario == TWO[0]
    assert finding.minimal
    assert (finding.schedule, finding.preemptions) == (((4, 1),), 1)
    assert finding.message == "read() returned 7; every valid order requires null or 1"
    assert (result.tested.schedules, result.tested.steps) == (5 + 3, 50)
    assert (result.tested.scenarios, result.status) == (2, Status.VIOLATION)


def test_a_failure_shrinks_and_then_gets_the_fewest_preemptions(tmp_path: Path) -> None:
    result = run(tmp_path, FAILS, "write(2); read(); write(1) | read(); write(2)")
    (finding,) = result.findings
    assert finding.scenario == "read(); write(1)"
    assert finding.minimal
    assert searches(tmp_path)[-2:] == ["bounded:4", "replay:4.1"]
    assert set(searches(tmp_path)[:-2]) == {"dpor"}


def test_with_an_unfinished_candidate_the_finding_is_not_called_minimal(tmp_path: Path) -> None:
    code = FAILS.replace('else "exhausted"', 'else "budget"')
    result = run(tmp_path, code, "write(1) | read()")
    assert not result.findings[0].minimal


def test_a_lost_process_is_a_finding_without_a_schedule(tmp_path: Path) -> None:
    code = "for number in range(len(texts)): say(lost=dict(scenario=number, signal=11))"
    result = run(tmp_path, code, "read() | read()")
    (finding,) = result.findings
    assert (finding.kind, finding.schedule, finding.trace) == ("crash", (), None)
    assert finding.message == "the test crashed: its process was terminated by signal 11"
    assert finding.scenario == "read()"
    assert finding.minimal
    assert "replay:" not in searches(tmp_path)


def test_different_results_of_one_schedule_are_nondeterminism(tmp_path: Path) -> None:
    code = FAILS.replace("None, 7", "None, 1 if search.startswith('replay') else 7")
    result = run(tmp_path, code, TWO[0])
    assert (result.status, result.findings[0].kind) == (Status.UNKNOWN, "nondeterminism")
    assert "the same schedule gave a different run" in result.findings[0].message


def test_ctrl_c_ends_a_search_with_what_is_known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(SpecJudge, "judge", interrupted)
    result = run(tmp_path, f"ended(0)\nnumber = 1; {WRONG}\ntime.sleep(60)", *TWO)
    assert result.interrupted
    assert (result.status, result.why) == (Status.UNKNOWN, "the run was interrupted")
    assert (result.tested.scenarios, result.tested.schedules) == (1, 5)


# Further searches after a failure or a pass


def test_a_failing_scenario_is_also_searched_under_sc(tmp_path: Path) -> None:
    code = FAILS.replace('if "write"', 'if "tso" in words and "write"')
    result = run(tmp_path, code, TWO[0], model="tso")
    assert dict(result.models) == {"tso": Status.VIOLATION, "sc": Status.LINEARIZABLE}
    assert result.findings[0].advice == ("No set of fences after stores fixes it",)
    result = run(tmp_path, FAILS, TWO[0], model="tso")
    assert dict(result.models) == {"tso": Status.VIOLATION, "sc": Status.VIOLATION}
    assert result.findings[0].advice == ()


def test_operations_that_a_stopped_thread_blocks_are_a_finding(tmp_path: Path) -> None:
    code = """
for number, text in enumerate(texts):
    if text.startswith("stop 2:3"):
        say(history=dict(scenario=number, results=[[], []], called=[True, True], orders=[[0, 2]], schedule=[(1, 1)]))
    elif text.startswith("stop 1"):
        history(number, None, 1)
    elif text.startswith("stop"):
        say(history=dict(scenario=number, results=[[None], []], called=[True, True], orders=[[0, 1, 2]], schedule=[]))
    ended(number)
"""
    result = run(tmp_path, code, TWO[0], progress=True)
    (finding,) = result.findings
    assert (finding.kind, finding.schedule, finding.minimal) == ("progress", ((1, 1),), True)
    assert finding.message == "not obstruction-free: if thread 2 stops in read(), write(1) never finishes"
    assert finding.replay["stop"] == [2, 3]
    assert (result.status, result.exhaustive, dict(result.bounds)) == (Status.VIOLATION, False, {})
    assert searches(tmp_path) == ["dpor", "dpor", "dpor", "replay:1.1"]
    assert result.tested.schedules >= 5 + 12 * 5


def test_a_pass_states_that_no_operation_is_blocked(tmp_path: Path) -> None:
    code = "for number in range(len(texts)):\n    history(number, None, 1)\n    ended(number)"
    result = run(tmp_path, code, TWO[0], progress=True)
    assert result.why == "no schedule shows a violation, and a thread that stops never prevents others from finishing"
    assert (result.status, result.tested.schedules) == (Status.LINEARIZABLE, 5 + 2 * 12 * 5)


@pytest.mark.parametrize(
    ("wrong", "status", "why"),
    [
        ("sc", Status.VIOLATION, "wrong under SC"),
        ("tso", Status.VIOLATION, "correct under SC, wrong under TSO"),
        ("none", Status.LINEARIZABLE, "atomic operations allow every observed outcome"),
    ],
)
def test_outcomes_are_compared_under_both_models(tmp_path: Path, wrong: str, status: Status, why: str) -> None:
    code = f"""
model = words[words.index("--memory-model") + 1]
for number, text in enumerate(texts):
    both = "write" in text and "read" in text
    atomic = "--atomic-operations" in words
    history(number, *([None, 7 if model == {wrong!r} and not atomic else 1] if both else [None]))
    ended(number, "finding" if search.startswith("replay") else "exhausted")
"""
    result = run_campaign(OutcomesSubject(target(tmp_path, code, TWO[0], model="tso")), 5.0)
    assert (result.status, result.why) == (status, why)
    assert len(result.findings) == (wrong != "none")
    assert list(result.models) == (["sc"] if wrong == "sc" else ["sc", "tso"])
    for finding in result.findings:
        assert finding.replay["memory_model"] == wrong
        assert finding.replay["method"] == "outcomes"
    assert result.tested.schedules == (10 if wrong == "none" else 1)


# Replays


def test_a_replay_reproduces_the_failure(tmp_path: Path) -> None:
    result = replay(tmp_path, FAILS, failure("linearizability", (4, 1)))
    assert (result.status, result.why) == (Status.VIOLATION, "the schedule fails again")
    assert (result.tested.scenarios, result.tested.schedules, result.tested.steps) == (1, 1, 50)
    assert searches(tmp_path) == ["replay:4.1"]


def test_a_replay_without_the_failure_is_a_pass(tmp_path: Path) -> None:
    result = replay(tmp_path, CLEAN, failure("linearizability", (4, 1)))
    assert (result.status, result.why) == (Status.LINEARIZABLE, "this schedule does not show a violation")
    assert searches(tmp_path) == ["replay:4.1"]


def test_a_diverging_replay_is_followed_by_a_search(tmp_path: Path) -> None:
    code = FAILS.replace(
        "for number", 'if search == "replay:9.1":\n    ended(0, diverged_at=9)\n    sys.exit()\nfor number'
    )
    result = replay(tmp_path, code, failure("linearizability", (9, 1)))
    assert searches(tmp_path) == ["replay:9.1", "bounded:2", "replay:4.1"]
    assert result.warnings == ("the schedule could not be followed from step 9 on",)
    assert result.status is Status.VIOLATION


def test_the_replay_of_a_lost_process_is_a_search(tmp_path: Path) -> None:
    code = "say(lost=dict(scenario=0, signal=11))"
    result = replay(tmp_path, code, failure("crash"))
    assert searches(tmp_path) == ["replay:", "dpor"]
    assert (result.status, result.findings[0].kind) == (Status.VIOLATION, "crash")


def test_the_replay_of_a_stopped_thread_stops_it_again(tmp_path: Path) -> None:
    code = """
assert texts[0].startswith("stop 2:3\\nRegister\\n"), texts
say(history=dict(scenario=0, results=[[], []], called=[True, True], orders=[[0, 2]], schedule=[(1, 1)]))
ended(0)
"""
    scenario = TEST.accept(Scenario.parse(TWO[0]))
    stopped = Failure("progress", StoppedScenario(scenario, StoppedThread(2, 3)), ((1, 1),), 0, None)
    result = replay(tmp_path, code, stopped)
    assert (result.status, result.findings[0].kind) == (Status.VIOLATION, "progress")
    assert result.findings[0].replay["stop"] == [2, 3]
