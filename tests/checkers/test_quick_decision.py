# SPDX-License-Identifier: Apache-2.0
"""Histories decided in one call of the native core: the same answers as those of the separate checkers."""

from __future__ import annotations

import json
import random
from collections import Counter
from typing import Any

import pytest

import linpoint
from benchmarks.workloads import map_lines
from linpoint import Status
from linpoint.checkers import check as check_module
from linpoint.histories.history import History
from linpoint.specs.spec import Spec
from linpoint.verdicts import Verdict
from linpoint.verdicts.refutation import Pattern, StuckFrontier
from tests.checkers.test_differential import describe, objections
from tests.random_histories import MAKERS, random_history
from tests.random_monitored_histories import DRAWS, monitored_history
from tests.volume import SEED, volume


def fields_without_costs(verdict: Verdict) -> list[Any]:
    """All fields of a verdict except its costs."""
    keys = []
    for key in verdict.keys:
        refutation: Any = key.refutation
        if isinstance(refutation, StuckFrontier):
            refutation = (refutation.prefix, refutation.blocked)
        elif isinstance(refutation, Pattern):
            refutation = (refutation.reason, refutation.operations, tuple(refutation.scope))
        order = None if key.witness is None else tuple(key.witness.order)
        positions = tuple(key.positions)
        keys.append((key.key, key.status, key.checker, key.why, positions, order, refutation, key.configurations))
    whole = None if verdict.witness is None else tuple(verdict.witness.order)
    counted = (verdict.statistics.operations, verdict.statistics.configurations)
    return [verdict.status, verdict.checker, verdict.why, verdict.warnings, counted, whole, keys]


def drawn(rng: random.Random) -> tuple[str, History, Spec]:
    if rng.random() < 0.3:
        name = rng.choice(list(DRAWS))
        return name, *monitored_history(rng, name)
    name = rng.choice(list(MAKERS))
    keyed = name != "map" and rng.random() < 0.3
    hints, skew = rng.random() < 0.1, rng.random() < 0.1
    size = rng.choice([8, 8, 30])
    return name, *random_history(rng, name, operations=size, keyed=keyed, hints=hints, skew=skew, noise=2 / size)


@pytest.mark.random
def test_answers_agree_with_the_separate_checkers(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = random.Random(f"{SEED}/quick")
    quick = check_module.decide_quickly
    answered: list[bool] = []

    def watched(*given: Any, **options: Any) -> Any:
        found = quick(*given, **options)
        answered.append(found is not None)
        return found

    seen: Counter[Any] = Counter()
    for _ in range(volume(20_000)):
        name, history, spec = drawn(rng)
        monkeypatch.setattr(check_module, "decide_quickly", watched)
        verdict = linpoint.check(history, spec, jobs=1)
        monkeypatch.setattr(check_module, "decide_quickly", lambda *_, **__: None)
        other = linpoint.check(history, spec, jobs=1)
        assert verdict.status is other.status, f"{name}\n{describe(history)}"
        # For repeated values other checkers may run before the search that the fast path uses.
        if [key.checker for key in verdict.keys] == [key.checker for key in other.keys]:
            assert fields_without_costs(verdict) == fields_without_costs(other), f"{name}\n{describe(history)}"
        if answered[-1]:
            assert not objections(verdict, set()), f"{name}\n{describe(history)}"
            seen[verdict.checker, verdict.status] += 1
    for checker, status in [
        ("monitor", Status.LINEARIZABLE),
        ("monitor", Status.VIOLATION),
        ("dfs", Status.LINEARIZABLE),
        ("dfs", Status.VIOLATION),
        ("wing-gong", Status.LINEARIZABLE),
    ]:
        assert seen[checker, status] >= volume(20), (checker, status)


REPEATED = """
    A: |--write(1)--| |--write(2)--| |--read()->1--|
    B:   |--write(1)--| |--write(2)--|  |--read()->2--|
"""


def test_bad_operations_are_rejected_with_their_errors() -> None:
    with pytest.raises(linpoint.SpecError, match="LP-S002"):
        linpoint.check("A: |--pop()--|", "cas-register")
    with pytest.raises(linpoint.SpecError, match="LP-S003"):
        linpoint.check("A: |--cas(1)--|", "cas-register")
    with pytest.raises(linpoint.SpecError, match="LP-S003"):
        linpoint.check("A: |--get()--|", "map")


def test_limits_hold_in_the_fast_path() -> None:
    verdict = linpoint.check(REPEATED, "cas-register", max_memory=1)
    assert verdict.status is Status.UNKNOWN
    assert "memory" in verdict.why


@pytest.mark.parametrize("stale", [False, True])
def test_two_threads_give_the_answers_of_one(stale: bool) -> None:
    lines = list(map_lines(operations=6_000, processes=8, keys=7, stale=stale))
    history = linpoint.history([json.loads(line) for line in lines])
    one, two = (linpoint.check(history, "map", jobs=jobs) for jobs in (1, 2))
    assert one.status is (Status.VIOLATION if stale else Status.LINEARIZABLE)
    assert fields_without_costs(one) == fields_without_costs(two)
    assert not objections(two, set())


def test_the_fast_path_leaves_rejected_arguments_to_the_spec() -> None:
    for spec, wrong in (("map", 'append("a", 1)'), ("counter", 'add("x")'), ("priority-queue", "insert([1])")):
        with pytest.raises(linpoint.SpecError, match="LP-S004"):
            linpoint.check(f"A: |--{wrong}--|", spec)
    assert linpoint.check('A: |--append("a", "x")--| |--get("a")->"x"--|', "map").status is Status.LINEARIZABLE
    assert linpoint.check("A: |--add(2)--| |--read()->2--|", "counter").status is Status.LINEARIZABLE
