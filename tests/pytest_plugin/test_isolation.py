# SPDX-License-Identifier: Apache-2.0
"""The plugin in runs that do not use linpoint, and when it is interrupted."""

from __future__ import annotations

import signal
import subprocess
import sys
import time

import pytest

from tests.pytest_plugin.run_pytest import OBJECTS, RIGHT, STRICT

pytest_plugins = ["pytester"]

LOADED = """
import sys

def pytest_unconfigure():
    ours = sorted(name for name in sys.modules if name.split(".")[0] == "linpoint")
    print("LOADED", ours)
"""


def test_linpoint_is_not_imported_without_a_concurrent_test(pytester: pytest.Pytester) -> None:
    pytester.makeconftest(LOADED)
    pytester.makepyfile("class TestPlain:\n    def test_it(self):\n        pass\n")
    result = pytester.runpytest_subprocess("-s")
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["LOADED []"])
    for option in ("--version", "--help", "--markers"):
        shown = pytester.runpytest_subprocess(option, "-s")
        assert shown.ret == 0
    assert "--linpoint-budget" in pytester.runpytest_subprocess("--help").stdout.str()


def test_pytest_alone_loads_only_a_small_module() -> None:
    source = "import sys, pytest; before = set(sys.modules); import _linpoint_pytest; print(*set(sys.modules) - before)"
    done = subprocess.run([sys.executable, "-c", source], capture_output=True, text=True, check=True)
    assert set(done.stdout.split()) == {"_linpoint_pytest", "_linpoint_pytest.option_table"}


def test_a_file_that_imports_linpoint_may_have_no_concurrent_test(pytester: pytest.Pytester) -> None:
    pytester.makeconftest(LOADED)
    pytester.makepyfile("import linpoint\ndef test_it():\n    pass\n")
    result = pytester.runpytest_subprocess("-s", *STRICT)
    result.assert_outcomes(passed=1)
    assert "linpoint.pytest_plugin" not in result.stdout.str()


def test_the_plugin_can_be_turned_off(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_it=OBJECTS + RIGHT)
    result = pytester.runpytest_subprocess("-p", "no:linpoint")
    assert result.ret is pytest.ExitCode.NO_TESTS_COLLECTED


def test_an_interrupt_ends_pytest(pytester: pytest.Pytester) -> None:
    endless = """
class TestEndless(Base):
    threads = 4
    operations = 4

    def setup(self):
        open("begun", "w").close()
        return Locked()
"""
    pytester.makepyfile(test_it=OBJECTS + endless + RIGHT)
    command = [sys.executable, "-m", "pytest", "--linpoint-budget", "10m"]
    process = pytester.popen(command, stdin=subprocess.DEVNULL, stderr=subprocess.STDOUT)
    deadline = time.monotonic() + 60
    while not (pytester.path / "begun").exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=60)
    assert process.returncode == pytest.ExitCode.INTERRUPTED, out
    assert b"KeyboardInterrupt" in out
    assert b"UNKNOWN" not in out


def test_the_interpreter_is_unchanged_for_later_tests(pytester: pytest.Pytester) -> None:
    following = """

import random
import time

random.seed(7)
STATE = random.getstate()
REAL = threading.Lock, threading.RLock, time.time, time.sleep, time.monotonic


class TestRandom(Base):
    def setup(self):
        random.random()
        return Locked()


def test_afterwards():
    assert random.getstate() == STATE
    assert (threading.Lock, threading.RLock, time.time, time.sleep, time.monotonic) == REAL
    assert threading.active_count() == 1
"""
    pytester.makepyfile(test_it=OBJECTS + following)
    pytester.runpytest_subprocess(*STRICT).assert_outcomes(passed=2)
