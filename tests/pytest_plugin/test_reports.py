# SPDX-License-Identifier: Apache-2.0
"""Reports of a failure, an unknown result, a pass, and a test that cannot run."""

from __future__ import annotations

import re
import shlex
import xml.etree.ElementTree as ET

import pytest

import linpoint
from tests.pytest_plugin.run_pytest import BROKEN, OBJECTS, RIGHT, STRICT

pytest_plugins = ["pytester"]


def test_a_violation_shows_its_explanation(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_it=OBJECTS + BROKEN)
    result = pytester.runpytest(*STRICT)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        [
            "*_ TestBroken _*",
            "VIOLATION: TestBroken: no valid order gives these results together: *",
            "  increment() -> 1 | increment() -> 1",
            "*preemption*",
            "Explored: *",
            "*- linpoint replay -*",
            "pytest test_it.py::TestBroken --linpoint-replay lp1-*",
            "linpoint replay lp1-*",
            "FAILED test_it.py::TestBroken - VIOLATION: TestBroken: *",
        ]
    )
    assert "Traceback" not in result.stdout.str()
    assert "raise_for_violation" not in result.stdout.str()


def test_the_replay_is_shown_even_without_captured_sections(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_it=OBJECTS + BROKEN)
    for how in ("no", "stderr"):
        result = pytester.runpytest(f"--show-capture={how}")
        result.stdout.fnmatch_lines(["pytest test_it.py::TestBroken --linpoint-replay lp1-*"])


def test_unknown_is_never_a_pass(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_it=OBJECTS + RIGHT)
    result = pytester.runpytest("--linpoint-budget", "1ms", "--linpoint-operations", "4", "--linpoint-threads", "3")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        ["UNKNOWN: TestRight: *", "Increase the budget (--linpoint-budget 2m), or decrease the bounds *"]
    )
    assert "linpoint replay" not in result.stdout.str()
    assert "Traceback" not in result.stdout.str()


def test_a_pass_states_its_coverage(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_it=OBJECTS + RIGHT)
    quiet = pytester.runpytest(*STRICT)
    assert "linpoint" not in re.sub(r"^plugins: .*$|^rootdir: .*$", "", quiet.stdout.str(), flags=re.MULTILINE)
    shown = pytester.runpytest("-rP")
    shown.stdout.fnmatch_lines(
        ["*- linpoint -*", "LINEARIZABLE: TestRight: *", "Explored: *; all schedules of all such scenarios."]
    )


def test_the_junit_xml_has_properties(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_it=OBJECTS + BROKEN + RIGHT)
    pytester.runpytest("--junit-xml=results.xml")
    cases = ET.parse(pytester.path / "results.xml").getroot().iter("testcase")
    found = {each.get("name"): each for each in cases}
    broken, right = (
        {each.get("name"): each.get("value") for each in found[name].iter("property")}
        for name in ("TestBroken", "TestRight")
    )
    assert right["linpoint_verdict"] == "linearizable"
    assert right["linpoint_exhaustive"] == "True"
    assert int(right["linpoint_schedules"] or 0) > 10
    assert int(right["linpoint_scenarios"] or 0) > 1
    assert broken["linpoint_verdict"] == "violation"
    failure = found["TestBroken"].find("failure")
    assert failure is not None
    assert (failure.get("message") or "").startswith("VIOLATION: TestBroken: ")
    assert "increment() -> 1 | increment() -> 1" in (failure.text or "")


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ("    pass", "LP-T003"),
        ("    def setup(self, tmp_path): return Counter()", "LP-T010"),
        ("    threads = 0\n    def setup(self): return Counter()", "LP-T010"),
        ("    scenarios = 'decrement()'\n    def setup(self): return Counter()", "LP-T007"),
    ],
)
def test_a_mistake_in_a_definition_is_an_error_of_that_test_only(
    pytester: pytest.Pytester, body: str, code: str
) -> None:
    pytester.makepyfile(test_it=OBJECTS + f"\n\nclass TestMistake(Base):\n{body}\n" + RIGHT)
    result = pytester.runpytest()
    result.assert_outcomes(passed=1, errors=1)
    result.stdout.fnmatch_lines([f"{code} *"])
    assert "Traceback" not in result.stdout.str()
    assert "definition.py" not in result.stdout.str()


def test_setup_receives_no_fixtures(pytester: pytest.Pytester) -> None:
    mistake = "\n\nclass TestMistake(Base):\n    def setup(self, tmp_path):\n        return Counter()\n"
    pytester.makepyfile(test_it=OBJECTS + mistake)
    pytester.runpytest().stdout.fnmatch_lines(["setup constructs an object for each schedule and takes no fixtures."])


def test_an_exception_in_setup_is_shown_with_its_traceback(pytester: pytest.Pytester) -> None:
    mistake = "\n\nclass TestMistake(Base):\n    def setup(self):\n        return {}['nothing']\n"
    pytester.makepyfile(test_it=OBJECTS + mistake)
    result = pytester.runpytest()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        ["LP-T014 TestMistake: setup raised KeyError: *", "*test_it.py*in setup", "KeyError: 'nothing'"]
    )
    assert "runs.py" not in result.stdout.str()


def test_a_module_level_lock_is_controlled(pytester: pytest.Pytester) -> None:
    source = (OBJECTS + RIGHT).replace("self.lock = threading.Lock()", "self.lock = LOCK")
    pytester.makepyfile(test_it=source + "\n\nLOCK = threading.Lock()\n")
    pytester.runpytest().assert_outcomes(passed=1)


def test_a_lock_made_before_control_is_reported_without_waiting(pytester: pytest.Pytester) -> None:
    source = (OBJECTS + RIGHT).replace("self.lock = threading.Lock()", "self.lock = LOCKS[0]")
    pytester.makepyfile(test_it=source + "\n\nLOCKS = [threading.Lock()]\n")
    result = pytester.runpytest()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["LP-T021 test_it.py:*: *lock* was created before control began.*"])
    assert "Traceback" not in result.stdout.str()


def test_output_of_the_object_is_not_repeated_for_every_schedule(pytester: pytest.Pytester) -> None:
    loud = OBJECTS.replace("self.value = self.value + 1", "print('incrementing'); self.value = self.value + 1")
    pytester.makepyfile(test_it=loud + BROKEN)
    result = pytester.runpytest()
    assert "incrementing" not in result.stdout.str()
    again = pytester.runpytest(*replay_of(result))
    again.stdout.fnmatch_lines(["*Captured stdout call*", "incrementing"])


def replay_of(result: pytest.RunResult) -> list[str]:
    line = next(line for line in result.outlines if line.startswith("pytest ") and "--linpoint-replay" in line)
    return shlex.split(line)[1:]


def test_plain_test_functions_pass_and_fail(pytester: pytest.Pytester) -> None:
    functions = """

def test_broken():
    linpoint.test(Counter, ["increment"]).raise_for_violation()


def test_right():
    linpoint.test(Locked, ["increment"], budget="10s").raise_for_violation()


def test_class():
    class Inside(Base):
        def setup(self):
            return Counter()

    result = linpoint.test(Inside)
    assert result.status is linpoint.Status.VIOLATION
"""
    pytester.makepyfile(test_it=OBJECTS + functions)
    result = pytester.runpytest(*STRICT)
    result.assert_outcomes(passed=2, failed=1)
    result.stdout.fnmatch_lines(
        [
            ">*linpoint.test(Counter, *).raise_for_violation()",
            "E * VIOLATION: Counter: *",
            "E * Replay: replay=*lp1-*",
        ]
    )
    assert "finding.py" not in result.stdout.str()


def test_the_text_of_a_violation_error_contains_its_replay() -> None:
    class Counter:
        value = 0

        def increment(self) -> int:
            self.value = self.value + 1
            return self.value

    with pytest.raises(linpoint.ViolationError) as caught:
        linpoint.test(Counter, ["increment"]).raise_for_violation()
    token = re.findall(r'Replay: replay="(lp1-[\w-]+)"$', str(caught.value))[0]
    again = linpoint.test(Counter, ["increment"], replay=token)
    assert again.status is linpoint.Status.VIOLATION
