# SPDX-License-Identifier: Apache-2.0
"""Collection: which classes become pytest tests, how they are selected, and what their marks and fixtures do."""

from __future__ import annotations

import pytest

from tests.pytest_plugin.run_pytest import BROKEN, OBJECTS, RIGHT, STRICT

pytest_plugins = ["pytester"]


def names(result: pytest.RunResult) -> list[str]:
    return [line for line in result.outlines if "::" in line and " " not in line]


def test_each_class_in_a_file_is_one_test(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_it=OBJECTS + BROKEN + RIGHT)
    result = pytester.runpytest("--collect-only", "-q")
    assert names(result) == ["test_it.py::TestBroken", "test_it.py::TestRight"]


def test_the_name_of_a_class_does_not_matter(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_it=OBJECTS + RIGHT.replace("TestRight", "CounterUnderLock"))
    assert names(pytester.runpytest("--collect-only", "-q")) == ["test_it.py::CounterUnderLock"]


def test_an_imported_class_is_tested_only_where_it_is_defined(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_one=OBJECTS + RIGHT, test_other="from test_one import TestRight\n")
    assert names(pytester.runpytest("--collect-only", "-q")) == ["test_one.py::TestRight"]


def test_a_file_is_collected_in_importlib_mode(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_it=OBJECTS + RIGHT)
    pytester.runpytest("--import-mode=importlib").assert_outcomes(passed=1)


def test_importing_the_test_function_collects_nothing(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("from linpoint import ConcurrentTest, TestError, TestResult, test\n")
    result = pytester.runpytest(*STRICT, "--collect-only", "-q")
    assert names(result) == []
    result.stdout.no_fnmatch_line("*warning*")


def test_ordinary_tests_of_the_class_run_too(pytester: pytest.Pytester) -> None:
    ordinary = """
    def test_alone(self):
        assert self.setup().increment() == 1
"""
    pytester.makepyfile(test_it=OBJECTS + RIGHT + ordinary)
    result = pytester.runpytest("-v", "test_it.py::TestRight")
    result.assert_outcomes(passed=2)
    result.stdout.fnmatch_lines(["test_it.py::TestRight PASSED*", "test_it.py::TestRight::test_alone PASSED*"])


def test_an_operation_may_be_named_like_a_test(pytester: pytest.Pytester) -> None:
    operation = """
    @linpoint.operation
    def test_and_set(self, counter):
        return counter.increment()

    def test_alone(self):
        assert self.setup().increment() == 1
"""
    pytester.makepyfile(test_it=OBJECTS + RIGHT + operation)
    result = pytester.runpytest("--collect-only", "-q")
    assert names(result) == ["test_it.py::TestRight", "test_it.py::TestRight::test_alone"]


@pytest.mark.parametrize(
    ("arguments", "passed", "failed"),
    [
        (["-k", "Right"], 1, 0),
        (["-k", "Broken"], 0, 1),
        (["test_it.py::TestRight"], 1, 0),
        (["-m", "slow"], 1, 0),
        (["-m", "not slow"], 0, 1),
        (["-x"], 0, 1),
    ],
)
def test_the_usual_options_select_tests(
    pytester: pytest.Pytester, arguments: list[str], passed: int, failed: int
) -> None:
    pytester.makepyfile(
        test_it=OBJECTS + BROKEN + "\nimport pytest\n@pytest.mark.slow" + RIGHT.lstrip("\n").join("\n\n")
    )
    pytester.makeini("[pytest]\nmarkers = slow\n")
    outcome = pytester.runpytest(*arguments).parseoutcomes()
    assert (outcome.get("passed", 0), outcome.get("failed", 0)) == (passed, failed)


def test_last_failed_selects_the_failed_class(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_it=OBJECTS + BROKEN + RIGHT)
    pytester.runpytest("-p", "cacheprovider").assert_outcomes(passed=1, failed=1)
    pytester.runpytest("-p", "cacheprovider", "--lf").assert_outcomes(failed=1)


@pytest.mark.parametrize(
    ("mark", "outcome"),
    [
        ("skip(reason='later')", {"skipped": 1}),
        ("skipif(True, reason='later')", {"skipped": 1}),
        ("xfail(reason='known')", {"xfailed": 1}),
        ("xfail(raises=linpoint.ViolationError, strict=True)", {"xfailed": 1}),
        ("xfail(raises=linpoint.UndecidedError)", {"failed": 1}),
    ],
)
def test_marks_of_the_class_apply(pytester: pytest.Pytester, mark: str, outcome: dict[str, int]) -> None:
    pytester.makepyfile(test_it=OBJECTS + f"\nimport pytest\n@pytest.mark.{mark}" + "\n" + BROKEN.lstrip("\n"))
    pytester.runpytest(*STRICT).assert_outcomes(**outcome)


def test_marks_are_inherited(pytester: pytest.Pytester) -> None:
    source = OBJECTS.replace("class Base(", "import pytest\n@pytest.mark.skip\nclass Base(")
    pytester.makepyfile(test_it=source + BROKEN + RIGHT)
    pytester.runpytest().assert_outcomes(skipped=2)


def test_parametrized_classes_are_rejected(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_it=OBJECTS + "\nimport pytest\n@pytest.mark.parametrize('a', [1])\n" + BROKEN.lstrip("\n"))
    result = pytester.runpytest()
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*TestBroken: pytest cannot parametrize a ConcurrentTest.*"])
    result.stdout.no_fnmatch_line("*pytest_plugin.py*")


def test_automatic_and_requested_fixtures_are_set_up(pytester: pytest.Pytester) -> None:
    fixtures = """
import pytest

MADE = []

@pytest.fixture(autouse=True)
def automatic():
    MADE.append("automatic")
    yield
    MADE.append("taken down")

@pytest.fixture
def wanted():
    MADE.append("wanted")

@pytest.mark.usefixtures("wanted")
class TestFixtures(Base):
    def setup(self):
        assert MADE[:2] == ["automatic", "wanted"]
        return Locked()

def test_afterwards():
    assert MADE[:3] == ["automatic", "wanted", "taken down"]
"""
    pytester.makepyfile(test_it=OBJECTS + fixtures)
    pytester.runpytest().assert_outcomes(passed=2)


def test_tests_run_in_several_processes(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_it=OBJECTS + BROKEN + RIGHT)
    result = pytester.runpytest_subprocess("-n", "2", *STRICT)
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["VIOLATION: TestBroken: *", "*- linpoint replay -*", "linpoint replay lp1-*"])


def test_a_class_inside_another(pytester: pytest.Pytester) -> None:
    inside = "\n\nclass TestOuter:\n" + "\n".join(f"    {line}" for line in RIGHT.strip().splitlines())
    pytester.makepyfile(test_it=OBJECTS + inside)
    result = pytester.runpytest("-v")
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["test_it.py::TestOuter::TestRight PASSED*"])
