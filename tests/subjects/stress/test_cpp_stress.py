# SPDX-License-Identifier: Apache-2.0
"""C++ objects on real threads: findings, passes, and protection from anything the program does."""

from __future__ import annotations

import functools
import itertools
import os
import shutil
import statistics
import subprocess
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import linpoint
from linpoint import Status
from linpoint.campaign.driver import run_campaign
from linpoint.errors import TestError
from linpoint.explain.history.explain_verdict import explain
from linpoint.histories.formats.load_save import parse_operations
from linpoint.judging.stress_judge import overlapping_pairs
from linpoint.processes import process_usage
from linpoint.scenarios.cpp_test_description import CppObjectTest, object_tests
from linpoint.scenarios.scenario import Scenario
from linpoint.specs.spec_lookup import find
from linpoint.subjects.interface import CampaignProgress
from linpoint.subjects.stress.cpp_subject import CppStressSubject
from linpoint.subjects.stress.stress_program import SilenceError, StressProgram, StressRound, describe_program
from linpoint.subjects.stress.stress_request import StressConfig, build_request
from linpoint.targets.build_recipe import BuildRecipe
from linpoint.targets.compiler_discovery import find_compiler
from linpoint.targets.host_builder import sdk
from linpoint.targets.stress_executable_builder import build_executable
from linpoint.verdicts.result import StressResult

pytestmark = pytest.mark.skipif(shutil.which("g++") is None, reason="there is no g++ here")

SOURCES = Path(__file__).parent / "cpp"
LOWE = {"bucket_map": "map", "resizing_map": "map", "skip_list": "set", "sharded_map": "map"}
MANNER = StressConfig(threads=4, operations=50, patience=1.0)


@functools.cache
def built(name: str, flags: tuple[str, ...] = (), sanitizer: str | None = None) -> tuple[Path, Any]:
    source = str(SOURCES / f"{name}_linpoint.cpp")
    program = build_executable(BuildRecipe((source,), flags, find_compiler("g++")), sanitizer=sanitizer).program
    return program, describe_program(program)


def read_test(
    file: str, name: str | None = None, flags: tuple[str, ...] = (), sanitizer: str | None = None
) -> tuple[Path, CppObjectTest]:
    program, text = built(file, flags, sanitizer)
    tests = object_tests(text, file, width=8)
    return program, tests[next(iter(tests)) if name is None else name]


def stress(
    file: str,
    name: str | None = None,
    spec: Any = "register",
    *,
    manner: StressConfig = MANNER,
    budget: float = 60,
    scenario: str | None = None,
    iterations: int | None = 200,
    **build: Any,
) -> StressResult:
    program, test = read_test(file, name, **build)
    fixed = None if scenario is None else test.definition.accept(scenario)
    sanitized = build.get("sanitizer") is not None
    subject = CppStressSubject(program, test, find(spec), manner, fixed, iterations, sanitized)
    return run_campaign(subject, budget)


def hostile(name: str, spec: Any = "register", **options: Any) -> StressResult:
    return stress("hostile", name, spec, **options)


def rounds(name: str, manner: StressConfig = MANNER, count: int = 3) -> list[linpoint.History]:
    program, test = read_test("hostile", name)
    request = build_request(test, None, manner)
    with StressProgram(program, request.text, workers=request.threads * manner.instances, silence=10) as running:
        made = [next_round(running) for _ in range(count)]
    histories = [parse_operations(each.lines, name) for each in made]
    assert [each.operations for each in made] == list(map(len, histories))
    assert [each.pairs for each in made] == list(map(overlapping_pairs, histories))
    return histories


def next_round(running: StressProgram) -> StressRound:
    """The next completed round: on a busy machine a round may stall, and is sent again."""
    while True:
        made = running.next(time.monotonic() + 120)
        assert made is not None
        if made.state == "round":
            return made


# The four programs of Lowe


@pytest.mark.parametrize("name", LOWE)
@pytest.mark.parametrize("erratic", [False, pytest.param(True, marks=pytest.mark.long)])
def test_lowes_bugs_are_found_and_explained(name: str, erratic: bool) -> None:
    manner = replace(MANNER, operations=100, erratic=erratic)
    for _ in range(5):  # each step of minimising has a time limit, which a busy machine may not meet
        result = stress(name, spec=LOWE[name], manner=manner, flags=("-DLINPOINT_BROKEN",), iterations=None)
        assert (result.status, result.kind) == (Status.VIOLATION, "linearizability")
        assert result.verdict is not None
        if explain(result.verdict, seconds=600).minimal:
            break
    assert explain(result.verdict, seconds=600).minimal
    assert result.verdict.explain().text in result.text


@pytest.mark.parametrize("name", LOWE)
@pytest.mark.parametrize("threads", [2, pytest.param(5, marks=pytest.mark.long)])
def test_their_correct_twins_pass(name: str, threads: int) -> None:
    result = stress(name, spec=LOWE[name], manner=replace(MANNER, threads=threads, erratic=threads == 5))
    assert result.status is Status.LINEARIZABLE
    assert (result.runs, result.operations) == (200, 200 * threads * 50)
    assert result.statistics["overlapping_runs"] > 0
    assert result.statistics["operations_per_second"] > 0
    assert result.text.startswith("LINEARIZABLE: no violation in 200 stress runs")


# Programs that end or stop


@pytest.mark.parametrize(
    ("name", "how"), [("Crashes", "SIGSEGV"), ("Aborts", "SIGABRT"), ("Exits", "exited with code 0")]
)
def test_a_program_that_dies_is_a_finding(name: str, how: str) -> None:
    result = hostile(name)
    assert (result.status, result.kind) == (Status.VIOLATION, "crash")
    assert how in result.why
    assert "in run 1" in result.why
    assert "Running at that time: process " in result.text
    assert ("the invariant is broken" in result.text) == (name == "Aborts")


def test_a_deadlock_is_a_finding_with_the_waiting_operations() -> None:
    result = hostile("Deadlocks")
    assert (result.status, result.kind) == (Status.VIOLATION, "deadlock")
    assert len(result.stuck) >= 2
    assert not any(each.running for each in result.stuck)
    assert {(each.operation or "").split("(")[0] for each in result.stuck} == {"read", "write"}


def test_an_endless_loop_is_a_livelock() -> None:
    result = hostile("Livelocks", manner=replace(MANNER, threads=2))
    assert (result.status, result.kind) == (Status.VIOLATION, "livelock")
    assert all(each.running and each.operation == "write(7) -> ?" for each in result.stuck)


def test_a_thread_without_processor_time_is_not_hanging() -> None:
    result = hostile("Starves", manner=replace(MANNER, patience=0.2, threads=2), iterations=2)
    assert (result.status, result.runs) == (Status.LINEARIZABLE, 2)


def test_an_object_whose_constructor_hangs_is_a_deadlock() -> None:
    result = hostile("NeverMade", manner=replace(MANNER, patience=0.1))
    assert (result.status, result.kind) == (Status.VIOLATION, "deadlock")
    assert "creating or destroying" in result.why


def test_a_program_without_processor_time_is_not_silent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "silent"
    program.write_text("#!/bin/sh\nexec sleep 30\n", encoding="utf-8")
    program.chmod(0o700)
    with StressProgram(program, "", workers=1, silence=0.2) as silent, pytest.raises(SilenceError):
        silent.next(time.monotonic() + 120)
    # A machine so busy that other processes always come first.
    monkeypatch.setattr(process_usage, "starved_seconds", lambda _: {"1": time.monotonic()})
    with StressProgram(program, "", workers=1, silence=0.2) as starved:
        assert starved.next(time.monotonic() + 1) is None


def test_a_hang_at_the_end_of_the_budget_is_not_a_pass() -> None:
    for budget in (3, 9, 27, 81):  # on a busy machine the program may not have come to the deadlock yet
        result = hostile("Deadlocks", manner=replace(MANNER, patience=600), budget=budget)
        assert result.status is Status.UNKNOWN
        if "which made no progress" in result.why:
            break
    assert "which made no progress" in result.why


def test_waiting_that_the_spec_allows_passes_and_the_next_program_continues() -> None:
    result = hostile("Waits", "mutex", manner=StressConfig(2, 1, patience=0.2), iterations=3)
    assert result.status is Status.LINEARIZABLE
    assert result.runs == 3
    assert any("block forever, as the spec allows" in each for each in result.warnings)


def test_a_thread_that_missed_a_burst_has_no_results_of_the_previous_one(tmp_path: Path) -> None:
    """On an overloaded machine a thread may sleep while its round is reported, and once reported results of another
    round.
    """
    program, source = tmp_path / "program", SOURCES / "earlier_burst.cpp"
    words = ["g++", "-std=c++20", "-isystem", str(sdk()), str(source), "-pthread", "-o", str(program)]
    subprocess.run(words, check=True)
    told = subprocess.run([program], check=True, capture_output=True, text=True)
    assert told.stdout == "halted 1 0 0 0\n"


def test_exceptions_are_results() -> None:
    result = hostile("Throws")
    assert (result.status, result.kind) == (Status.VIOLATION, "exception")
    assert result.history is not None
    assert {"raises": "std::runtime_error"} in [op.result for op in result.history]


@pytest.mark.parametrize(
    ("name", "sanitizer", "kind", "said"),
    [
        ("Races", "thread", "race", "ThreadSanitizer: data race"),
        pytest.param(
            *("UsesFreed", "address", "memory", "AddressSanitizer: heap-use-after-free"), marks=pytest.mark.long
        ),
        pytest.param("Overflows", "undefined", "crash", "signed integer overflow", marks=pytest.mark.long),
    ],
)
def test_reports_of_sanitizers_are_findings(name: str, sanitizer: str, kind: str, said: str) -> None:
    result = hostile(name, sanitizer=sanitizer)
    assert (result.status, result.kind) == (Status.VIOLATION, kind)
    assert said in result.why
    assert f"{name}::write" in result.report
    assert "linpoint::detail" not in result.report


def test_a_sanitizer_report_replaces_a_violation_of_the_spec() -> None:
    result = stress("lying", "LiesThenUsesFreed", sanitizer="address")
    assert (result.status, result.kind) == (Status.VIOLATION, "memory")
    assert "AddressSanitizer: heap-use-after-free" in result.why
    assert result.history is None


@pytest.mark.long
def test_a_violation_of_the_spec_is_reported_without_a_sanitizer_report() -> None:
    result = stress("lying", "Lies", sanitizer="address")
    assert (result.status, result.kind) == (Status.VIOLATION, "linearizability")


@pytest.mark.parametrize("sanitizer", ["thread", pytest.param("address", marks=pytest.mark.long)])
def test_sanitizers_report_nothing_in_linpoint_code(sanitizer: str) -> None:
    result = hostile("Good", sanitizer=sanitizer, iterations=100, manner=replace(MANNER, instances=2, erratic=True))
    assert result.status is Status.LINEARIZABLE
    assert result.report == ""


# Limits


def test_the_budget_holds() -> None:
    result = hostile("Good", budget=1, iterations=None)
    assert result.status is Status.LINEARIZABLE
    assert result.why == "the budget ended"
    assert hostile("Good", budget=1e-6).status is Status.UNKNOWN


def test_the_limit_of_memory_holds() -> None:
    program, test = read_test("hostile", "Good")
    result = run_campaign(CppStressSubject(program, test, find("register"), MANNER, max_memory=1), 30)
    assert result.status is Status.UNKNOWN
    assert "memory" in result.why


def test_ctrl_c_reports_the_coverage_and_leaves_no_process() -> None:
    program, test = read_test("hostile", "Good")

    def press(reached: CampaignProgress) -> None:
        if reached.executions == 5:
            raise KeyboardInterrupt

    result = run_campaign(CppStressSubject(program, test, find("register"), MANNER), 30, press)
    assert (result.status, result.runs, result.interrupted) == (Status.LINEARIZABLE, 5, True)
    assert result.why == "the run was interrupted"
    ours = ["ps", "-ww", "-o", "args", "--ppid", str(os.getpid())]
    assert str(program) not in subprocess.run(ours, capture_output=True, text=True, check=True).stdout


# Runs and records


def test_the_same_seed_gives_the_same_calls() -> None:
    def calls(histories: list[linpoint.History]) -> list[list[str]]:
        return [[f"{op.process} {op.name} {op.args}" for op in each] for each in histories]

    assert calls(rounds("Good")) == calls(rounds("Good"))
    assert calls(rounds("Good")) != calls(rounds("Good", replace(MANNER, seed=1)))


@pytest.mark.parametrize("steady", [False, True])
def test_either_clock_gives_consistent_times(steady: bool) -> None:
    for history in rounds("Good", replace(MANNER, steady=steady)):
        assert len(history) == 200
        assert min(op.call for op in history) == 0
        assert all(op.return_ is not None and op.call <= op.return_ for op in history)
        assert linpoint.check(history, "register").status is Status.LINEARIZABLE
    result = hostile("Good", manner=replace(MANNER, steady=steady), iterations=20)
    assert result.statistics["clock"].startswith("steady" if steady else ("counters", "steady"))
    assert any("system's clock" in each for each in result.warnings) == result.statistics["clock"].startswith("steady")


def test_disagreeing_counters_are_detected(tmp_path: Path) -> None:
    """One clock is ahead on one core, the other is not."""
    if len(os.sched_getaffinity(0)) < 2:
        pytest.skip("there is one core")
    source = tmp_path / "torn.cpp"
    source.write_text("""
        #include <linpoint/detail/clock.hpp>
        #include <cstdio>
        using namespace linpoint::detail;
        struct Torn {
          static inline const int ahead = own_cores()[1];
          static std::uint64_t skew() { return sched_getcpu() == ahead ? 1000000 : 0; }
          static std::uint64_t before() { return SteadyClock::before() + skew(); }
          static std::uint64_t after() { return SteadyClock::after() + skew(); }
        };
        int main() {
          std::printf("%d %d", all_agree<Torn>(own_cores()), all_agree<SteadyClock>(own_cores()));
        }
    """)
    program = tmp_path / "torn"
    command = ["g++", "-std=c++20", "-O1", f"-I{sdk()}", str(source), "-o", str(program), "-pthread"]
    subprocess.run(command, check=True)
    assert subprocess.run([program], capture_output=True, text=True, check=True).stdout == "0 1"


def test_values_of_all_kinds_are_reported() -> None:
    program, test = read_test("hostile", "Echo")
    request = build_request(test, None, StressConfig(2, 60))
    with StressProgram(program, request.text, workers=2, silence=10) as running:
        made = next_round(running)
    seen: dict[str, set[str]] = {}
    for op in parse_operations(made.lines, "Echo"):
        seen.setdefault(op.name, set()).add(repr(op.result))
        if op.name in ("text", "list", "pair", "number"):
            assert op.result == op.args[0]
    assert seen["letters"] == {"None", "'z'"}
    assert seen["reference"] == {"'kept'"}


def test_operations_respect_their_roles() -> None:
    program, test = read_test("hostile", "OneOwner")
    assert test.shares(4) == (("push",), ("steal",), ("steal",), ("steal",))
    request = build_request(test, None, MANNER)
    with StressProgram(program, request.text, workers=4, silence=10) as running:
        made = next_round(running)
    history = parse_operations(made.lines, "OneOwner")
    assert {op.process for op in history if op.name == "push"} == {0}
    assert not any(op.result for op in history if op.name == "steal")


def test_a_scenario_is_run_repeatedly() -> None:
    scenario = Scenario.parse("write(1); read() | write(2)", "write(5)", "read(); read()")
    program, test = read_test("hostile", "Good")
    request = build_request(test, scenario, replace(MANNER, instances=2))
    assert request.threads == 2
    with StressProgram(program, request.text, workers=4, silence=10) as running:
        for _ in range(5):
            history = parse_operations(next_round(running).lines, "Good")
            own = [str(op).split(" ")[0] for op in history if op.process == 0]
            assert own == ["write(5)", "write(1)", "read()", "read()", "read()"]
            last = max(op.return_ or 0 for op in history if op.process == 1)
            assert all(op.call >= last for op in [op for op in history if op.process == 0][3:])
    result = hostile("Good", scenario="write(1); read() | write(2)", iterations=50)
    assert (result.status, result.operations) == (Status.LINEARIZABLE, 150)


def test_recording_costs_little() -> None:
    """Nanoseconds between two nearly empty operations of one thread; not a gate, but a number for the documentation."""
    history = rounds("Good", StressConfig(1, 4000), count=1)[0]
    ticks = statistics.median(b.call - a.call for a, b in itertools.pairwise(history))
    assert 0 < ticks < 1_000_000


# Bad input


def test_a_program_without_a_description_is_rejected(tmp_path: Path) -> None:
    silent = tmp_path / "silent"
    silent.write_text("#!/bin/sh\nexit 0\n")
    silent.chmod(0o755)
    with pytest.raises(TestError, match=r"LP-T015.*does not report its tests"):
        describe_program(silent)


@pytest.mark.parametrize(
    ("request_text", "wrong"),
    [
        ("", "there is no such test"),
        ("test Nothing\n", "there is no such test"),
        ("test Good\n", "there are no threads"),
        ("test Good\ncall sing []\n", "there is no such operation"),
        ("test Good\ncall write [true]\n", "arguments do not fit"),
        ("test Good\ncall write [1\n", "arguments do not fit"),
        ("test Good\ncall write [1]\nrun 1\n", "there is no such call"),
        ("test Good\ncall write [1]\ndraw 5 0 2\n", "there is no such call"),
        ("test Good\ncall write [1]\ndraw 5\n", "there is nothing to draw"),
        ("garbage\n", "a line says nothing that is known"),
    ],
)
def test_the_program_rejects_invalid_input(request_text: str, wrong: str) -> None:
    program, _ = built("hostile")
    with (
        StressProgram(program, request_text, workers=1, silence=10) as running,
        pytest.raises(AssertionError, match=wrong),
    ):
        running.next(time.monotonic() + 120)


def test_the_program_run_directly_explains_its_purpose() -> None:
    program, _ = built("hostile")
    done = subprocess.run([program], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "linpoint test FILE.cpp" in done.stdout


def test_the_number_of_values_is_configurable() -> None:
    _, said = built("hostile")
    for width in (2, 8):
        tests = object_tests(said, "hostile.cpp", width=width)
        assert list(tests["Good"].definition.operations["write"].sources[0]) == list(range(1, width + 1))
        assert len(tests["Echo"].definition.operations["text"].sources[0]) == width
        assert len(tests["Echo"].definition.operations["number"].sources[0]) == width


def test_threads_without_a_role_are_omitted() -> None:
    _, said = built("hostile")
    owner = object_tests(said, "hostile.cpp")["OneOwner"]
    assert owner.shares(1) == (("push",),)
    alone = replace(owner, roles=owner.roles[:1])
    assert alone.shares(4) == (("push",),)
    assert object_tests(said, "hostile.cpp")["Good"].shares(2) == (("write", "read"),) * 2
