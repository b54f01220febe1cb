# SPDX-License-Identifier: Apache-2.0
"""The options ``--linpoint-...``: their effects, rejected values, and the replay of a finding."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.pytest_plugin.run_pytest import BROKEN, OBJECTS, RIGHT
from tests.pytest_plugin.test_reports import replay_of

pytest_plugins = ["pytester"]


def test_the_header_lists_only_options_in_use(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_it=OBJECTS + RIGHT)
    assert not [line for line in pytester.runpytest().outlines if line.startswith("linpoint")]
    used = pytester.runpytest("--linpoint-budget", "10s", "--linpoint-seed", "3")
    used.stdout.fnmatch_lines(["linpoint: budget 10s, seed 3"])


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--linpoint-budget", "soon"], "LP-U001: 'soon' is not a time span."),
        (["--linpoint-threads", "0"], "--linpoint-threads 0 is not a whole number of at least 1."),
        (["--linpoint-operations", "-1"], "--linpoint-operations -1 is not a whole number of at least 1."),
        (["--linpoint-seed", "x"], "invalid int value: 'x'"),
        (["--linpoint-replay", "lp1-x"], "LP-U004: 'lp1-x' is not a replay token."),
        (["--linpoint-report", "test_it.py"], "--linpoint-report test_it.py: File exists."),
    ],
)
def test_bad_options_are_rejected_before_any_test_runs(
    pytester: pytest.Pytester, options: list[str], said: str
) -> None:
    pytester.makepyfile(test_it=OBJECTS + RIGHT)
    result = pytester.runpytest(*options)
    assert result.ret is pytest.ExitCode.USAGE_ERROR
    assert said in result.stderr.str()
    assert "Traceback" not in result.stderr.str()


def test_the_budget_of_the_project_applies(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_it=OBJECTS + RIGHT)
    pytester.makeini("[pytest]\nlinpoint_budget = 1ms\n")
    large = ["--linpoint-operations", "4", "--linpoint-threads", "3"]
    pytester.runpytest(*large).assert_outcomes(failed=1)
    pytester.runpytest("--linpoint-budget", "20s").assert_outcomes(passed=1)
    pytester.makepyprojecttoml('[tool.linpoint]\nbudget = "1ms"\n')
    pytester.makeini("[pytest]\n")
    pytester.runpytest(*large).assert_outcomes(failed=1)
    pytester.makeini("[pytest]\nlinpoint_budget = 20s\n")
    pytester.runpytest().assert_outcomes(passed=1)
    pytester.makeini("[pytest]\nlinpoint_budget = soon\n")
    result = pytester.runpytest()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["LP-U001: 'soon' is not a time span.*"])


def test_threads_and_operations_override_those_of_the_test(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_it=OBJECTS + RIGHT)
    result = pytester.runpytest("-rP", "--linpoint-threads", "1", "--linpoint-operations", "3")
    result.stdout.fnmatch_lines(["Explored: 3 scenarios (threads <= 1, operations <= 3), *"])


def test_a_finding_is_replayed(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_it=OBJECTS + BROKEN + RIGHT, test_other="def test_other(): pass")
    found = pytester.runpytest()
    arguments = replay_of(found)
    again = pytester.runpytest(*arguments[1:])  # also without the name of the test
    again.assert_outcomes(failed=1, deselected=2)
    again.stdout.fnmatch_lines(["linpoint: replay one schedule", "VIOLATION: TestBroken: *", "Explored: 1 scenario, *"])
    assert replay_of(again) == arguments
    table = re.compile(r"^ +increment\(\) -> 1 \| increment\(\) -> 1$", re.MULTILINE)
    assert table.search(found.stdout.str())
    assert table.search(again.stdout.str())


def test_the_replay_command_reproduces_the_finding(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_it=OBJECTS + BROKEN)
    line = next(each for each in pytester.runpytest().outlines if each.startswith("linpoint replay"))
    command = str(Path(sys.executable).with_name("linpoint"))
    done = subprocess.run([command, *line.split()[1:]], capture_output=True, text=True, check=False, cwd=pytester.path)
    assert done.returncode == 1, done.stderr
    assert done.stdout.startswith("VIOLATION: TestBroken: ")


def test_a_fixed_test_passes_its_replay(pytester: pytest.Pytester) -> None:
    path = pytester.makepyfile(test_it=OBJECTS + BROKEN)
    arguments = replay_of(pytester.runpytest())
    path.write_text(path.read_text().replace("return Counter()", "return Locked()"), encoding="utf-8")
    result = pytester.runpytest_subprocess("-rP", *arguments)
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["*the code has changed since the finding*"])


def test_a_token_of_another_test_is_rejected(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_it=OBJECTS + BROKEN, test_other=OBJECTS + RIGHT)
    *_, token = replay_of(pytester.runpytest("test_it.py"))
    result = pytester.runpytest("test_other.py", "--linpoint-replay", token)
    assert result.ret is pytest.ExitCode.USAGE_ERROR
    assert "the test of the token was not collected: test_it.py::TestBroken" in result.stderr.str()


def test_reports_are_written_for_failures_only(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_it=OBJECTS + BROKEN + RIGHT)
    pytester.runpytest("--linpoint-report", "new/reports")
    folder = pytester.path / "new" / "reports"
    name = "test_it.py-TestBroken"
    assert sorted(each.name for each in folder.iterdir()) == [f"{name}.html", f"{name}.json", f"{name}.txt"]
    told = json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))
    assert told["verdict"] == "violation"
    assert told["findings"][0]["replay"][0] == "replay"
    assert told["report"] == {"file": f"{name}.html", "written": True}
    text = (folder / f"{name}.txt").read_text(encoding="utf-8")
    assert text.startswith("VIOLATION: TestBroken: ")
    assert "\nlinpoint replay lp1-" in text
    assert (folder / f"{name}.html").read_text(encoding="utf-8").lower().startswith("<!doctype html>")
    command = str(Path(sys.executable).with_name("linpoint"))
    done = subprocess.run([command, "report", f"{folder}/{name}.json"], capture_output=True, check=False)
    assert done.returncode == 1
