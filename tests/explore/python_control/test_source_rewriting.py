# SPDX-License-Identifier: Apache-2.0
"""Rewritten code, which reports its accesses without frame inspection: the same outcomes, and nothing is left
behind.
"""

from __future__ import annotations

import dataclasses
import functools
import gc
import importlib.machinery
import sys
import types
import warnings
from pathlib import Path
from typing import Any

import pytest

from linpoint import errors
from linpoint.explore import _native_control as native
from linpoint.explore.python_control.control_session import ControlSession
from tests.explore.python_control import shared_objects
from tests.explore.python_control.outcomes import explore
from tests.explore.python_control.random_classes import generate
from tests.explore.python_control.shared_objects import SMALL
from tests.explore.python_control.test_random_classes import CHUNKS, EXECUTIONS, chunk

NUMBERED = pytest.mark.parametrize("index", range(len(SMALL)), ids=[each.name for each in SMALL])
PATIENCE = 120.0
explore_announcing = functools.partial(explore, backend="ast", patience=PATIENCE)


@NUMBERED
def test_rewritten_code_has_the_outcomes_of_the_hook(index):
    subject = SMALL[index]
    found = explore_announcing(subject.make, subject.threads, state=subject.state)
    hooked = explore(subject.make, subject.threads, state=subject.state, patience=PATIENCE)
    assert found.exhaustive
    assert len(found.results) == subject.results
    assert found.outcomes == hooked.outcomes
    assert found.runs <= hooked.runs  # a function without a source, such as a method of a data class, is one step


@NUMBERED
@pytest.mark.parametrize("options", [{"granularity": "line"}, {"gil": True}], ids=["lines", "gil"])
def test_coarser_steps_find_a_subset_of_the_outcomes(index, options):
    subject = SMALL[index]
    coarse = explore_announcing(subject.make, subject.threads, state=subject.state, **options)
    fine = explore_announcing(subject.make, subject.threads, state=subject.state)
    assert coarse.exhaustive
    assert coarse.results <= fine.results


@pytest.mark.parametrize("number", range(2))
def test_exploration_finds_exactly_the_outcomes_of_the_oracle(number):
    check_chunk(number)


@pytest.mark.long
@pytest.mark.parametrize("number", range(2, 6 * CHUNKS))
def test_exploration_finds_exactly_the_outcomes_of_the_oracle_at_length(number):
    check_chunk(number)


def check_chunk(number: int) -> None:
    for program, oracle in chunk(number, fresh=True):
        found = explore_announcing(program.load(), program.threads)
        assert found.exhaustive
        assert found.outcomes == oracle.outcomes, program.source


@pytest.mark.parametrize("seed", EXECUTIONS)
def test_the_number_of_executions_matches_the_hook(seed):
    program = generate(seed)
    assert explore_announcing(program.load(), program.threads).runs == EXECUTIONS[seed]


def test_code_is_rewritten_if_frames_cannot_be_inspected(monkeypatch):
    """In that case system threads take turns."""
    monkeypatch.setattr(native, "can_look_at_frames", lambda: False)
    for subject in SMALL[:4]:
        found = explore(subject.make, subject.threads, state=subject.state, patience=PATIENCE)
        assert len(found.results) == subject.results


# --- nothing is left behind


def functions() -> dict[int, tuple[types.FunctionType, types.CodeType]]:
    return {id(each): (each, each.__code__) for each in gc.get_objects() if type(each) is types.FunctionType}


def test_every_function_gets_its_own_code_back():
    kept = shared_objects.Nonlocals()  # with an inner function
    before = functions()
    assert any(function is kept.add_one for function, _ in before.values())
    get_code = importlib.machinery.SourceFileLoader.get_code
    explore_announcing(shared_objects.Counter, [[("increment",)], [("increment",)]])
    assert importlib.machinery.SourceFileLoader.get_code is get_code
    changed = [function for function, code in before.values() if function.__code__ is not code]
    assert changed == []


def test_every_function_gets_its_own_code_back_after_an_exception():
    before = shared_objects.Counter.increment.__code__
    inside = None

    def fail() -> None:
        nonlocal inside
        with ControlSession(backend="ast"):
            inside = shared_objects.Counter.increment.__code__
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    assert inside is not before
    assert shared_objects.Counter.increment.__code__ is before


def test_other_threads_and_callers_may_use_the_functions_during_a_session():
    counter = shared_objects.Counter()
    with ControlSession(backend="ast"):
        assert [counter.increment(), counter.increment()] == [1, 2]


# --- code loaded later, and code without a source


def test_a_module_loaded_under_control_is_rewritten(tmp_path, monkeypatch):
    (tmp_path / "loaded_later.py").write_text(
        "class Counter:\n    def __init__(self):\n        self.n = 0\n"
        "    def add(self):\n        self.n += 1\n        return self.n\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    found = explore_announcing(make_later, [[("add",)], [("add",)]])
    assert len(found.results) == 4
    sys.modules.pop("loaded_later")


def make_later() -> Any:
    import loaded_later  # type: ignore[import-not-found]

    return loaded_later.Counter()


def sourceless() -> type:
    names: dict[str, Any] = {"__name__": "made_up"}
    text = "def add(self):\n    value = self.n\n    self.n = value + 1\n    return value\n"
    exec(compile(text, str(Path(__file__).with_name("made_up.py")), "exec"), names)
    return type("Sourceless", (), {"n": 0, "add": names["add"]})


def test_a_function_without_a_source_is_one_step_and_is_named():
    with pytest.warns(RuntimeWarning, match=r"without a source; a call of them was one step: made_up\.add$"):
        found = explore_announcing(sourceless(), [[("add",)], [("add",)]])
    assert {results for _, results, _ in found.results} == {(("0",), ("1",)), (("1",), ("0",))}


@dataclasses.dataclass(order=True)
class Version:
    major: int = 1
    minor: int = 0

    def bump(self):
        self.major, self.minor = self.major + 1, 0

    def newer(self):
        return self > Version(1, 5)


def test_generated_methods_of_data_classes_cause_no_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = explore_announcing(Version, [[("bump",)], [("newer",)]])
    assert {results[1] for _, results, _ in found.results} == {("True",), ("False",)}


def test_a_source_changed_since_loading_is_not_used(tmp_path):
    file = tmp_path / "edited.py"
    file.write_text("def add(self):\n    self.n += 1\n    return self.n\n")
    names: dict[str, Any] = {"__name__": "edited"}
    exec(compile(file.read_text(), str(file), "exec"), names)
    file.write_text("def add(self):\n    self.n += 2\n    return self.n\n")
    subject = type("Edited", (), {"n": 0, "add": names["add"]})
    with pytest.warns(RuntimeWarning, match=r"edited\.add"):
        found = explore_announcing(subject, [[("add",)], [("add",)]])
    assert {results for _, results, _ in found.results} == {(("1",), ("2",)), (("2",), ("1",))}


def test_a_real_lock_is_rejected():
    with pytest.raises(errors.TestError, match="LP-T021"):
        explore_announcing(lambda: KEEPER, [[("enter",)], [("enter",)]])


class Keeper:
    def __init__(self):
        self.locks = [functools.cache(lambda: None), __import__("_thread").allocate_lock()]

    def enter(self):
        with self.locks[1]:
            return 1


KEEPER = Keeper()
