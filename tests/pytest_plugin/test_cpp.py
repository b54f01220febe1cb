# SPDX-License-Identifier: Apache-2.0
"""Files ``*_linpoint.cpp``: which tests are collected, and that they pass, fail, report errors and replay."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

import linpoint.pytest_plugin.cpp_items  # noqa: F401 - what a run inside of this process imports is forgotten after it
from linpoint.targets.build_cache import cache_directory
from linpoint.targets.compiler_discovery import find_compiler
from linpoint.targets.host_builder import find_host
from tests.pytest_plugin.test_collection import names

pytest_plugins = ["pytester"]

CACHE = cache_directory()
COUNTERS = """\
// linpoint: --spec counter --threads 2 -- -Iinclude
#include <atomic>
#include <linpoint/test.hpp>
#include "step.hpp"

struct Whole {
  std::atomic<int> value{0};
  void increment() { value.fetch_add(STEP); }
  int read() { return value.load(); }
};
LINPOINT_TEST(Whole, increment, read)

struct Torn : Whole {
  void increment() { value.store(value.load() + STEP); }
};
LINPOINT_TEST(Torn, increment, read)
"""
MARKS = """
import pytest

def pytest_collection_modifyitems(items):
    for item in items:
        if item.name == "Torn":
            item.add_marker(pytest.mark.xfail(reason="it tears", strict=True))
        if item.name == "Whole":
            item.add_marker(pytest.mark.skip(reason="not today"))
"""


@pytest.fixture(autouse=True)
def cache(monkeypatch: pytest.MonkeyPatch) -> None:
    """A pytester run has an empty home directory, and building the host takes a minute."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(CACHE.parent))


def write(folder: Path, text: str, name: str = "counters_linpoint.cpp") -> None:
    (folder / "include").mkdir(exist_ok=True)
    (folder / "include" / "step.hpp").write_text("#define STEP 1\n", encoding="utf-8")
    (folder / name).write_text(text, encoding="utf-8")


def test_each_test_in_a_file_is_collected(pytester: pytest.Pytester) -> None:
    odd = """
        #define LINPOINT_TEST(Macro, ...) \\
            LINPOINT_TEST(Continued, a)
        // LINPOINT_TEST(Comment, a)
        /* LINPOINT_TEST(Long, a)
           LINPOINT_TEST(Comment, a) */
        const char* text = "LINPOINT_TEST(Text, a) \\" /*";
        MY_LINPOINT_TEST(Other, a)
        LINPOINT_TEST (
            Spaced, a)
    """
    write(pytester.path, COUNTERS + odd)
    for name in ("old_linpoint.cxx", "older_linpoint.cc"):
        write(pytester.path, COUNTERS, name)
    for name in ("counters.cpp", "counters_linpoint.hpp", "linpoint.cpp", "test_counters.cpp"):
        write(pytester.path, COUNTERS, name)
    write(pytester.path, "int helper;\n", "none_linpoint.cpp")
    result = pytester.runpytest("--collect-only", "-q")
    assert names(result) == [
        *(f"counters_linpoint.cpp::{name}" for name in ("Whole", "Torn", "Spaced")),
        *("old_linpoint.cxx::Whole", "old_linpoint.cxx::Torn", "older_linpoint.cc::Whole", "older_linpoint.cc::Torn"),
    ]
    assert names(pytester.runpytest("--collect-only", "-q", "-k", "Torn and counters")) == [
        "counters_linpoint.cpp::Torn"
    ]


def test_cpp_files_can_be_excluded(pytester: pytest.Pytester) -> None:
    write(pytester.path, COUNTERS)
    pytester.makeconftest('collect_ignore_glob = ["*_linpoint.cpp"]')
    assert names(pytester.runpytest("--collect-only", "-q")) == []
    assert pytester.runpytest("--collect-only", "-q", "-p", "no:linpoint").ret == pytest.ExitCode.NO_TESTS_COLLECTED


def test_the_cpp_tests_of_this_repository_are_not_collected() -> None:
    root = Path(__file__).parents[2]
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q"]
    command += ["tests/subjects/cpp_object/libraries", "--rootdir", str(root), "-o", "addopts=--import-mode=importlib"]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    assert "_linpoint.cpp" not in done.stdout
    assert done.returncode == pytest.ExitCode.NO_TESTS_COLLECTED, done.stdout + done.stderr


def test_cpp_tests_pass_fail_and_replay(pytester: pytest.Pytester) -> None:
    find_host(find_compiler())
    folder = pytester.path / "native"
    folder.mkdir()
    write(folder, COUNTERS)
    result = pytester.runpytest(
        "-rPf", "--linpoint-operations", "2", "--linpoint-report", "reports", "--junitxml=x.xml"
    )
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(
        [
            "*_ Torn _*",
            "VIOLATION: Torn: read() returned 1; every valid order requires 2.",
            "*thread 1*|*thread 2*",
            "*linpoint replay*",
            "pytest native/counters_linpoint.cpp::Torn --linpoint-replay lp1-*",
            "linpoint replay lp1-*",
            "*_ Whole _*",
            "LINEARIZABLE: Whole: no schedule shows a violation.",
            "FAILED native/counters_linpoint.cpp::Torn - VIOLATION: Torn: *",
        ]
    )
    junit = (pytester.path / "x.xml").read_text(encoding="utf-8")
    assert '<property name="linpoint_exhaustive" value="True"' in junit
    (told,) = (pytester.path / "reports").glob("*.json")
    assert json.loads(told.read_text(encoding="utf-8"))["verdict"] == "violation"

    found = re.search(r"--linpoint-replay (lp1-\S+)", result.stdout.str())
    assert found is not None
    again = pytester.runpytest("--linpoint-replay", found[1])
    again.assert_outcomes(failed=1, deselected=1)
    again.stdout.fnmatch_lines(["VIOLATION: Torn: *"])

    pytester.makeconftest(MARKS)
    pytester.runpytest().assert_outcomes(xfailed=1, skipped=1)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            COUNTERS.replace("--spec counter", "--sepc counter"),
            "LP-U001 counters_linpoint.cpp:1: *unrecognized*--sepc*",
        ),
        (COUNTERS.replace("--spec counter", ""), "LP-U001: a test of a C++ object requires a spec.*// linpoint:*"),
        (COUNTERS.replace("--spec counter", "--spec contre"), 'LP-S001: unknown spec "contre".*'),
        (COUNTERS.replace("value.load() +", "valeu.load() +"), "*error: 'valeu' was not declared in this scope*"),
        (COUNTERS.replace("-Iinclude", "-static"), "LP-U001*the compiler flag -static cannot be used*"),
    ],
)
def test_tests_that_cannot_run_are_errors(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, text: str, said: str
) -> None:
    monkeypatch.setenv("LC_ALL", "C")
    find_host(find_compiler())
    write(pytester.path, text)
    result = pytester.runpytest("-k", "Torn")
    result.assert_outcomes(errors=1, deselected=1)
    result.stdout.fnmatch_lines([said])
    assert "Traceback" not in result.stdout.str()
