# SPDX-License-Identifier: Apache-2.0
"""The engine against a slow, independent explorer, on random models: with any reductions off, the verdict and the
length of the shortest violation agree; so do counts where both count the same.
"""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import Any

import pytest

from linpoint.api.check_model import check_model
from linpoint.verdicts.result import ModelResult
from linpoint.verdicts.status import Answer
from tests.refine.oracle.generation import RandomModel, random_model
from tests.refine.oracle.progress import progress_of
from tests.refine.oracle.state_enumerator import OracleAnswer, explore
from tests.volume import seed_numbers

SWITCHES = (
    (),
    ("local",),
    ("fusion",),
    ("por",),
    ("symmetry",),
    ("heap",),
    ("por", "symmetry"),
    ("local", "fusion", "por", "symmetry", "heap"),
)
_DAY_MODELS = 5
_LONG_MODELS = 500
_COUNTED_MODELS = 50
numbers = pytest.mark.parametrize(
    "number", [pytest.param(each, marks=() if each < _DAY_MODELS else pytest.mark.long) for each in range(_LONG_MODELS)]
)


class Subject:
    """A random model, loaded."""

    def __init__(self, number: int, folder: Path, *, fresh: bool = True) -> None:
        seed = seed_numbers(_LONG_MODELS)[number] if fresh else number
        self.model: RandomModel = random_model(seed)
        path = folder / f"{self.model.name}.py"
        path.write_text(self.model.source)
        spec = importlib.util.spec_from_file_location(f"random_model_{seed}", path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[module.__name__] = module
        spec.loader.exec_module(module)
        self.cls = getattr(module, self.model.name)
        self.spec = getattr(module, self.model.spec_name)

    def check(self, **options: Any) -> ModelResult:
        """The answer of the engine."""
        given = {"processes": self.model.processes, "operations": self.model.operations}
        given["memory_model"] = self.model.memory_model
        return check_model(self.cls, self.spec, **(given | options))


def _verdict(result: ModelResult) -> str:
    if result.answer is Answer.HOLDS:
        return "linearizable"
    assert result.answer is Answer.VIOLATION, result.why
    return {"linearizability": "violation"}.get(result.findings[0].kind, result.findings[0].kind)


def _agrees(result: ModelResult, oracle: OracleAnswer) -> None:
    verdict = _verdict(result)
    if verdict == "deadlock":  # which the oracle checks separately
        assert oracle.verdict == "linearizable" or (oracle.length or 0) >= result.findings[0].length
        return
    assert verdict == oracle.verdict
    if result.findings:
        assert result.findings[0].length == oracle.length


@numbers
def test_verdicts_and_lengths_do_not_depend_on_reductions(number: int, tmp_path: Path) -> None:
    subject = Subject(number, tmp_path)
    oracle = explore(subject.model)
    for without in SWITCHES:
        _agrees(subject.check(without=without), oracle)


@numbers
def test_counts_agree_with_the_oracle(number: int, tmp_path: Path) -> None:
    """Unless a register is dead in only one of the two: that depends on the compiled code, not on its behaviour."""
    subject = Subject(number, tmp_path)
    oracle = explore(subject.model)
    if oracle.states is None or oracle.stepless:
        return
    every = subject.check(without=("por", "symmetry"))
    orbits = subject.check(without=("por",))
    if _verdict(every) != "linearizable":
        return
    assert orbits.explored.states <= every.explored.states
    if every.explored.states == oracle.states:
        assert orbits.explored.states == oracle.orbits


def test_most_counts_agree_exactly_with_the_oracle(tmp_path: Path) -> None:
    same = holding = 0
    for seed in range(_COUNTED_MODELS):
        subject = Subject(seed, tmp_path, fresh=False)
        oracle = explore(subject.model)
        if oracle.states is not None:
            holding += 1
            same += subject.check(without=("por", "symmetry")).explored.states == oracle.states
    assert same >= 0.7 * holding, (same, holding)


@numbers
def test_the_fewest_switches_are_found(number: int, tmp_path: Path) -> None:
    subject = Subject(number, tmp_path)
    oracle = explore(subject.model)
    if oracle.switches is None or oracle.verdict != "violation":
        return
    for without in (("por",), ("por", "symmetry")):
        result = subject.check(without=without)
        if _verdict(result) == "violation":
            assert result.findings[0].switches == oracle.switches


@numbers
def test_points_never_prove_anything_false(number: int, tmp_path: Path) -> None:
    subject = Subject(number, tmp_path)
    if not subject.model.has_points:
        return
    oracle = explore(subject.model)
    with_points = explore(subject.model, points=True)
    result = subject.check(points=True)
    _agrees(result, oracle)
    tried_all = "points do not prove it" in result.why
    if _verdict(result) != "deadlock":
        assert tried_all == (with_points.verdict == "inconclusive")


@numbers
def test_progress_agrees_with_the_oracle(number: int, tmp_path: Path) -> None:
    subject = Subject(number, tmp_path)
    oracle = progress_of(subject.model)
    for without in ((), ("fusion",), ("por", "symmetry")):
        result = subject.check(progress="deadlock-free", without=without)
        assert (result.answer is Answer.VIOLATION) == oracle.deadlock, result.why
    if oracle.deadlock:
        return
    asked = {
        "lock-free": oracle.lock_free and not oracle.waits,
        "obstruction-free": oracle.obstruction_free and not oracle.waits,
    }
    for name, holds in asked.items():
        result = subject.check(progress=name)
        assert (result.answer is Answer.HOLDS) == holds, (name, result.why)
    for fairness in ("none", "weak", "strong"):
        result = subject.check(progress="returns", fairness=fairness)
        assert (result.answer is Answer.HOLDS) == oracle.responds[fairness], (fairness, result.why)
