# SPDX-License-Identifier: Apache-2.0
"""CPython's own language tests pass in source-rewritten code."""

from __future__ import annotations

import importlib
import unittest
import warnings
from collections.abc import Callable
from pathlib import Path

import pytest

from linpoint.explore import _native_control as native
from linpoint.explore.python_control import run_abort  # noqa: F401 - defines what the control raises
from linpoint.explore.python_control.control_session import ControlSession
from linpoint.judging.scenario_run import RunEnding

pytest.importorskip("test.test_grammar", reason="this Python comes without its tests")

LANGUAGE = [
    *("augassign", "compare", "decorators", "except_star", "extcall", "grammar", "keywordonlyarg", "listcomps"),
    *("named_expressions", "patma", "richcmp", "scope", "super", "unpack", "with", "yield_from"),
]
"""Tests whose subject is their own code."""
MORE = [
    *("abc", "binop", "bool", "class", "contextlib_async", "enumerate", "exception_group", "exceptions", "fstring"),
    *("iter", "metaclass", "opcodes", "positional_only_arg", "property", "raise", "set", "slice", "string_literals"),
]
LIBRARY = [
    *("bisect", "collections", "configparser", "contextlib", "copy", "dataclasses", "difflib", "fractions", "heapq"),
    *("linecache", "operator", "pprint", "textwrap", "traceback"),
]
"""Tests of the modules with these names."""


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Some of them write files into the current directory."""
    monkeypatch.chdir(tmp_path)


def failures(suite: Callable[[], unittest.TestSuite], notes: list[tuple[int, list[str]]]) -> Callable[[], None]:
    def run() -> None:
        result = unittest.TestResult()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            suite().run(result)
        notes.append((result.testsRun, sorted(str(test) for test, _ in (*result.failures, *result.errors))))

    return run


def check(name: str, *modules: str) -> None:
    tests = importlib.import_module(f"test.test_{name}")
    under_test = [importlib.import_module(each) for each in modules]
    suite = lambda: unittest.defaultTestLoader.loadTestsFromModule(tests)  # noqa: E731 - one each time
    notes: list[tuple[int, list[str]]] = []
    failures(suite, notes)()
    explorer = native.explore_again([])
    with ControlSession(instrument=[tests, *under_test], backend="ast", most_steps=10**9, patience=600) as session:
        assert explorer.begin()
        session.prepare()
        assert session.run(explorer, [failures(suite, notes)]) is RunEnding.COMPLETE
        assert native.control_steps() > 1
    plain, announcing = notes
    assert plain[0] == announcing[0] > 0
    assert set(announcing[1]) <= set(plain[1])  # under pytest's assertion rewriting some fail anyway


@pytest.mark.filterwarnings("ignore:linpoint cannot interleave")
@pytest.mark.parametrize("name", LANGUAGE)
def test_the_language_tests_pass(name: str) -> None:
    check(name)


@pytest.mark.filterwarnings("ignore:linpoint cannot interleave")
def test_the_tests_of_a_library_pass() -> None:
    check("textwrap", "textwrap")


@pytest.mark.long
@pytest.mark.filterwarnings("ignore:linpoint cannot interleave")
@pytest.mark.parametrize("name", [*MORE, *LIBRARY])
def test_many_more_tests_pass(name: str) -> None:
    check(name, *([name] if name in LIBRARY else []))
