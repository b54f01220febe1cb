# SPDX-License-Identifier: Apache-2.0
"""Worker processes that share a search: together they find what one finds, and they end together."""

from __future__ import annotations

import os
import random
import signal
import threading
from pathlib import Path
from typing import Any

import pytest

from linpoint.campaign.driver import search_phases
from linpoint.hosts.host_config import HostConfig
from linpoint.hosts.program_host import ProgramHost, SearchOutcome
from linpoint.subjects.cpp_program.subject import CppProgramSession, CppProgramSubject
from linpoint.subjects.interface import Failure, no_progress
from linpoint.targets.target_builder import Target, TargetContents
from tests.hosts.controlled_programs import built
from tests.hosts.litmus import code
from tests.hosts.litmus_oracle import MODELS, behaviour
from tests.hosts.random_litmus import random_program
from tests.hosts.stand_in_host import asked, searches, stand_in
from tests.volume import seed_numbers


def run(source: str, *flags: str, args: tuple[str, ...] = (), model: str = "sc", workers: int = 2) -> SearchOutcome:
    target = built(source, *flags)
    manner = HostConfig(memory_model=model, args=args, workers=workers)
    return ProgramHost(target.host, target.library, manner).run("dpor", seconds=60, outcomes=True, shared=True)


def session_of(host: Path, library: Path, manner: HostConfig) -> CppProgramSession:
    """A session that searches for all outcomes."""
    target = Target(library, "digest", TargetContents((), ()))
    return CppProgramSession(CppProgramSubject("prog.cpp", host, target, manner, outcomes=True), 20, no_progress)


@pytest.mark.parametrize("workers", [2, 3])
def test_no_execution_is_run_twice(workers: int) -> None:
    outcome = run("litmus/load_stores.cpp", workers=workers)
    assert outcome.result is not None
    assert outcome.result.exhaustive
    assert outcome.result.schedules - outcome.result.redundant == 7_134


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize(
    "seeds", [seed_numbers(3), pytest.param(seed_numbers(400, "long"), marks=pytest.mark.long)], ids=["few", "many"]
)
def test_random_programs(seeds: range, model: str) -> None:
    for seed in seeds:
        program = random_program(random.Random(seed))
        expected = behaviour(program, model)
        outcome = run("litmus/interpreter.cpp", args=(code(program),), model=model)
        assert outcome.result is not None, seed
        if expected.stuck:
            assert outcome.result.finding is not None, seed
            assert outcome.result.finding.kind in expected.stuck, seed
        else:
            assert outcome.result.exhaustive, seed
            assert set(outcome.result.outcomes or ()) == expected.outcomes, seed


@pytest.mark.parametrize("isolate", ["none", "fork"])
def test_a_failure_found_by_one_worker_ends_all(isolate: str) -> None:
    target = built("thesis/peterson.cpp")
    host = ProgramHost(target.host, target.library, HostConfig("tso", isolate=isolate, workers=2))
    result = host.run("dpor", seconds=60, shared=True).result
    assert result is not None
    assert result.finding is not None
    assert result.finding.kind == "assertion"
    finding, session = result.finding, session_of(host.path, host.target, host.config)
    again = session.reproduce(Failure(finding.kind, None, tuple(finding.schedule), 0, finding), record=False)
    assert again is not None
    assert again.run.finding is not None
    assert again.run.finding.message == result.finding.message


def test_a_search_that_cannot_be_shared_runs_in_one_worker() -> None:
    """The shared memory has numbers for 32 threads under PSO."""
    target = built("features/many_threads.cpp")
    session = session_of(target.host, target.library, HostConfig("pso", workers=2))
    assert search_phases(session) == []
    assert session.explored.exhaustive
    assert session.explored.unbounded > 1


def test_a_worker_that_cannot_share_is_followed_by_a_single_worker(tmp_path: Path) -> None:
    lone = "answer = answer if '--share' in words else dict(ended='exhausted', exhaustive=True, schedules=5)"
    host = stand_in(tmp_path, dpor={"ended": "alone", "do": lone})
    session = session_of(host, tmp_path / "t", HostConfig(workers=2))
    assert search_phases(session) == []
    assert session.explored.exhaustive
    assert searches(tmp_path) == ["dpor"] * 3


def shared(folder: Path, do: str = "", workers: int = 2, **answer: Any) -> SearchOutcome:
    """Two stand-ins: the first to start runs ``do``, the other waits until it is stopped."""
    code = (
        "shared = int(words[words.index('--share') + 1])\n"
        "try:\n    os.mkdir('first')\n    first = True\n"
        "except FileExistsError:\n    first = False\n"
        f"if first:\n    {do or 'pass'}\n"
        "else:\n"
        "    while os.pread(shared, 1, 0) != b'\\1': time.sleep(0.01)\n"
        "    answer = dict(ended='exhausted', schedules=2)\n"
    ).replace("'first'", repr(str(folder / "first")))
    host = ProgramHost(stand_in(folder, dpor={"do": code, **answer}), folder / "t", HostConfig(workers=workers))
    return host.run("dpor", seconds=30, shared=True)


def test_results_of_all_workers_are_combined(tmp_path: Path) -> None:
    outcome = shared(
        tmp_path, ended="budget", schedules=7, redundant=1, steps=70, outcomes={"a": 2}, qualified=["it is odd"]
    )
    assert outcome.result is not None
    assert (outcome.result.ended, outcome.result.exhaustive) == ("budget", False)
    assert (outcome.result.schedules, outcome.result.redundant, outcome.result.steps) == (9, 1, 70)
    assert (outcome.result.outcomes, outcome.result.qualified) == ({"a": 2}, ["it is odd"])
    assert all("--share" in words for words in asked(tmp_path))


def test_a_worker_that_dies_ends_the_others(tmp_path: Path) -> None:
    outcome = shared(tmp_path, "os.kill(os.getpid(), signal.SIGSEGV)", ended="budget")
    assert outcome.result is None
    assert outcome.by_itself
    assert outcome.died == "its process was terminated by SIGSEGV"
    assert outcome.reached.schedules == 6


def test_a_finding_has_the_counts_of_all_workers(tmp_path: Path) -> None:
    finding = {"kind": "assertion", "message": "no"}
    outcome = shared(tmp_path, ended="finding", finding=finding, schedules=1)
    assert outcome.result is not None
    assert outcome.result.finding is not None
    assert outcome.result.schedules == 3


def test_ctrl_c_ends_all_workers(tmp_path: Path) -> None:
    press = threading.Timer(1.0, os.kill, (os.getpid(), signal.SIGINT))
    press.start()
    outcome = shared(tmp_path, "time.sleep(100)", ended="budget")
    press.join()
    assert outcome.interrupted
    with pytest.raises(ChildProcessError):
        os.waitpid(-1, os.WNOHANG)
