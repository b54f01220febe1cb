# SPDX-License-Identifier: Apache-2.0
"""Unmodified programs that use PMDK: the model of libpmem and libpmemobj finds exactly what breaks after a crash."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.missing_packages import missing

_PROGRAMS = Path(__file__).parent / "pmdk"
_MARKS = re.compile(r"(?://|/\*) blame: (.*?)(?: \*/)?$")


@pytest.fixture(autouse=True)
def _has_pmdk() -> None:
    if sys.platform != "linux":
        pytest.skip("crash tests run on Linux")
    for header, package in (("libpmem.h", "libpmem-dev"), ("libpmemobj.h", "libpmemobj-dev")):
        if not Path("/usr/include", header).is_file():
            missing(f"needs {package}")


def command(*words: str) -> subprocess.CompletedProcess[str]:
    run = [sys.executable, "-c", "from linpoint.cli.entry import main; main()", *words]
    return subprocess.run(run, cwd=_PROGRAMS, capture_output=True, text=True, check=False)


def crash(*words: str) -> dict[str, Any]:
    run = command("crash", *words)
    assert run.returncode in {0, 1}, run.stderr + run.stdout
    said: dict[str, Any] = json.loads(run.stdout)
    return said


def blamed(*files: str, twin: str) -> set[str]:
    """The places that the bug of a twin may be blamed on, by the marks in its sources."""
    found = set()
    for file in files:
        for number, line in enumerate((_PROGRAMS / file).read_text().splitlines(), 1):
            mark = _MARKS.search(line)
            if mark and any(each.split()[0] == twin for each in mark[1].split(";")):
                found.add(f"{file}:{number}")
    assert found
    return found


QUEUE = ("queue.cpp", "--spec", "queue", "--workers", "1", "--budget", "60s", "--json")
ARRAY = ("array.cpp", "--spec", "map", "--workers", "1", "--budget", "60s", "--json")


@pytest.mark.parametrize("compiler", ["g++", "clang++"])
@pytest.mark.parametrize("level", ["-O0", "-O2"])
def test_a_transactional_queue_in_c_holds(compiler: str, level: str) -> None:
    said = crash(*QUEUE, "--compiler", compiler, "--operations", "60", "--", "queue.c", "-lpmemobj", level)
    assert said["verdict"] == "holds"
    assert "PMDK's own code is assumed to be correct" in json.dumps(said)
    assert "is not instrumented" not in json.dumps(said)
    assert "without hooks" not in json.dumps(said)


@pytest.mark.parametrize("persistency", ["adr", "eadr"])
def test_a_transactional_queue_holds_in_every_crash_state(persistency: str) -> None:
    scenario = "enqueue(1); enqueue(2); dequeue(); dequeue(); dequeue()"
    more = ("--scenario", scenario, "--exhaustive", "--persistency", persistency)
    assert crash(*QUEUE, *more, "--", "queue.c")["verdict"] == "holds"


@pytest.mark.parametrize("compiler", ["g++", "clang++"])
def test_transactional_arrays_hold(compiler: str) -> None:
    scenario = "put(1, 3); put(2, 20); put(1, 40); remove(2); put(1, 1); put(3, 5); remove(1)"
    said = crash(*ARRAY, "--compiler", compiler, "--scenario", scenario, "--", "-lpmemobj", "-lpmem")
    assert said["verdict"] == "holds"
    assert "without hooks" not in json.dumps(said)


@pytest.mark.parametrize("compiler", ["g++", "clang++"])
@pytest.mark.parametrize(
    ("twin", "words", "sources", "classes"),
    [
        ("BUG_FORGETS", (*QUEUE, "--scenario", "enqueue(1); enqueue(2)"), ("queue.c",), {"DL1", "C2"}),
        ("BUG_ADDS_LATE", (*QUEUE, "--scenario", "enqueue(1); enqueue(2)"), ("queue.c",), {"DL2"}),
        ("BUG_ALLOC", (*ARRAY, "--scenario", "put(1, 3)"), (), {"DL2"}),
        ("BUG_REALLOC", (*ARRAY, "--scenario", "put(1, 3); put(1, 40)"), (), {"DL2"}),
    ],
)
def test_broken_twins_are_found_and_blamed(
    twin: str, words: tuple[str, ...], sources: tuple[str, ...], classes: set[str], compiler: str
) -> None:
    said = crash(*words, "--compiler", compiler, "--", *sources, f"-D{twin}", "-lpmemobj")
    assert said["verdict"] == "violation"
    places = blamed(*(sources or (words[0],)), twin=twin)
    first = said["findings"][0]
    assert Path(first["place"]).name in places
    assert classes <= set(first["class"])


def test_the_model_behaves_like_the_library(tmp_path: Path) -> None:
    program = tmp_path / "semantics"
    subprocess.run(
        ["gcc", "-DREAL", "-o", str(program), str(_PROGRAMS / "semantics.c"), "-lpmemobj", "-lpmem"], check=True
    )
    real = subprocess.run(
        [str(program), str(tmp_path / "pool")],
        env={"PMEM_IS_PMEM_FORCE": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert int(real.stdout) == 0
    words = ("--spec", "counter", "--scenario", "read()", "--workers", "1", "--json", "--", "semantics.c", "-lpmemobj")
    said = crash("semantics.cpp", *words)
    assert said["verdict"] == "holds"


def test_functions_without_a_model_are_rejected_by_name(tmp_path: Path) -> None:
    file = tmp_path / "control.cpp"
    file.write_text("""
#include <libpmemobj.h>
#include <linpoint/crash.hpp>
struct Control {
  static Control* create(linpoint::Pool&) {
    PMEMobjpool* pool = pmemobj_create("pool", "", PMEMOBJ_MIN_POOL, 0600);
    int on = 1;
    pmemobj_ctl_set(pool, "stats.enabled", &on);
    return new Control;
  }
  static Control* recover(linpoint::Pool&) { return new Control; }
  int read() { return 0; }
};
LINPOINT_CRASH_TEST(Control, read)
""")
    run = command("crash", str(file), "--spec", "counter", "--json")
    assert run.returncode == 3
    assert "pmemobj_ctl_set()" in run.stdout
