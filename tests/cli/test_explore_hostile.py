# SPDX-License-Identifier: Apache-2.0
"""Hostile programs, through the command: it answers in its own words, in time, and leaves nothing behind."""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
from pathlib import Path
from typing import Any

import pytest

from linpoint.targets.compiler_discovery import find_compiler
from linpoint.targets.host_builder import find_host
from linpoint.targets.target_builder import BuildRecipe, build_target
from tests.cli.conftest import Command, Run
from tests.hosts.controlled_programs import PROGRAMS
from tests.hosts.hostile_programs import FOUND, REFUSED

pytestmark = pytest.mark.skipif(shutil.which("g++") is None, reason="there is no g++ here")

# One of each failure mode; the host alone runs all of them in tests/hosts/test_hostile_programs.py.
WRONG = (
    "aborts",
    "crashes_after_main",
    "exits_at_once",
    "frees_twice",
    "jumps_to_another_stack",
    "leaves_a_thread_unjoined",
    "locks_twice",
    "overflows_the_stack",
    "prints_what_confuses_terminals",
    "raises_a_stop",
    "talks_on_other_descriptors",
    "throws_in_main",
    "traps",
    "unmaps_everything",
    "writes_past_an_array",
)
UNREPEATABLE = (
    "becomes_another_program",
    "crashes_before_main",
    "exits_before_main",
    "forks",
    "kills_its_group",
    "kills_itself",
    "pauses",
    "removes_a_file",
    "sleeps_before_main",
    "throws_before_main",
    "writes_a_file",
)
ODD = ("closes_everything", "ends_main_first", "jumps_back_and_forth", "leaves_detached_threads")


@pytest.fixture(scope="module", autouse=True)
def host() -> Path:
    """Build the host before any command is timed."""
    return find_host(find_compiler("g++"))


def hostile(name: str) -> str:
    return str(PROGRAMS / "hostile" / f"{name}.cpp")


def explored(run: Command, folder: Path, name: str, *options: str, budget: str = "10s") -> tuple[Run, dict[str, Any]]:
    """The command's answer about a program, which must print nothing itself and leave nothing behind."""
    with contextlib.chdir(folder):  # as the command will, so that its budget is for running the program
        build_target(BuildRecipe((hostile(name),), (), find_compiler("g++")))
    (folder / "precious.txt").write_text("as it was")
    mark = f"LINPOINT_TEST_{secrets.token_hex(8)}"
    told = run("explore", hostile(name), "--budget", budget, "--json", *options, env={mark: "1"})
    assert told.err == ""
    assert told.out.rstrip("\n").isprintable()
    assert not processes_with(mark)
    assert {path.name: path.read_text() for path in folder.iterdir()} == {"precious.txt": "as it was"}
    document = told.json
    assert set(document) >= {"verdict", "exhaustive", "statistics", "findings"}
    return told, document


def processes_with(mark: str) -> list[str]:
    """Processes with a variable in their environment, and hence descendants of the process that was given it."""
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdecimal() and int(folder.name) != os.getpid():
            try:
                environment = (folder / "environ").read_bytes()
            except OSError:  # it has ended, or belongs to another user
                continue
            if mark.encode() in environment:
                found.append(folder.name)
    return found


@pytest.mark.parametrize("name", WRONG)
def test_errors_are_violations(run: Command, tmp_path: Path, name: str) -> None:
    told, document = explored(run, tmp_path, name)
    assert (told.code, document["verdict"], document["exhaustive"]) == (1, "violation", False)
    (finding,) = document["findings"]
    assert finding["kind"] == FOUND[name]
    assert finding["replay"][0] == "replay"
    assert finding["explanation"]["text"]
    assert "There was no time" not in finding["explanation"]["text"]


@pytest.mark.parametrize("name", UNREPEATABLE)
def test_nondeterministic_programs_are_unknown(run: Command, tmp_path: Path, name: str) -> None:
    told, document = explored(run, tmp_path, name)
    assert (told.code, document["verdict"], document["findings"]) == (3, "unknown", [])
    assert REFUSED[name] in document["why"]


@pytest.mark.parametrize("name", ODD)
def test_harmless_programs_hold(run: Command, tmp_path: Path, name: str) -> None:
    told, document = explored(run, tmp_path, name)
    assert (told.code, document["verdict"], document["exhaustive"]) == (0, "holds", True)


def test_hanging_without_a_step_is_a_livelock(run: Command, tmp_path: Path) -> None:
    told, document = explored(run, tmp_path, "computes_without_end", budget="10m")
    assert (told.code, document["findings"][0]["kind"]) == (1, "livelock")
    assert "There was no time" not in document["findings"][0]["explanation"]["text"]


def test_hanging_for_less_than_the_detection_time_is_unknown(run: Command, tmp_path: Path) -> None:
    told, document = explored(run, tmp_path, "hangs_before_main", budget="1s")
    assert (told.code, document["why"]) == (3, "a run of the program does not return")


def test_endless_allocation_is_found_within_the_memory_limit(run: Command, tmp_path: Path) -> None:
    told, document = explored(run, tmp_path, "allocates_without_end", "--max-memory", "200M")
    assert (told.code, document["findings"][0]["kind"]) == (1, "memory")
    assert document["statistics"]["peak_memory_bytes"] < 400 * 2**20


@pytest.mark.parametrize("name", ["prints_without_end", "stores_without_end"])
def test_endless_programs_are_unknown(run: Command, tmp_path: Path, name: str) -> None:
    told, document = explored(run, tmp_path, name, budget="2s")
    assert (told.code, document["verdict"], document["exhaustive"]) == (3, "unknown", False)


def test_endless_creation_of_threads_is_found(run: Command, tmp_path: Path) -> None:
    told, document = explored(run, tmp_path, "starts_threads_without_end")
    assert (told.code, document["findings"][0]["kind"]) == (1, "exception")


def test_output_of_a_program_cannot_move_the_cursor(run: Command) -> None:
    told = run("explore", hostile("prints_what_confuses_terminals"))
    assert told.code == 1
    assert "Last output:" in told.out
    assert all(line.isprintable() for line in told.out.split("\n"))


@pytest.mark.parametrize("name", ["null_pointer", "throws_in_a_thread"])
def test_errors_replay(run: Command, tmp_path: Path, name: str) -> None:
    _, document = explored(run, tmp_path, name)
    (finding,) = document["findings"]
    again = run(*finding["replay"], "--json")
    assert (again.code, again.json["findings"][0]["kind"]) == (1, finding["kind"])


@pytest.mark.parametrize("name", ["aborts", "forks", "closes_everything"])
def test_isolated_runs_end(run: Command, tmp_path: Path, name: str) -> None:
    told, document = explored(run, tmp_path, name, "--isolate", "fork", "--workers", "2")
    assert told.code == (1 if name in FOUND else 3 if name in REFUSED else 0)
    assert [each["kind"] for each in document["findings"]] == ([FOUND[name]] if name in FOUND else [])
