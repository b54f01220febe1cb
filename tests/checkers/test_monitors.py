# SPDX-License-Identifier: Apache-2.0
"""Monitors against the oracle on random small histories, and against searches on longer ones.

Each answer of a monitor must be correct, and its evidence must hold for `plain_certify`, which is independent of the
native core: orders are run on the Python specs, and the oracle decides the scope of a pattern as if there were no other
operations. The tests also assert how often each monitor must answer, and how often with a violation.
"""

from __future__ import annotations

import functools
import random
from collections import Counter
from collections.abc import Callable

import pytest

import linpoint
from linpoint import Status
from linpoint.checkers.brute_force import brute_force
from linpoint.executors.thread_executor import resident_memory
from linpoint.histories.history import History
from linpoint.specs.spec import Spec
from tests.checkers.test_differential import describe, objections
from tests.random_monitored_histories import DRAWS, TRAPS, monitored_history
from tests.volume import SEED, least_of, seeds

DAY_HISTORIES = 2_000
LONG_HISTORIES = 200_000
LONG_CHUNKS = 20
LONGER = 250

SEARCH_BYTES = 8 << 20
"""The memory limit of a search on a longer history; most need less."""

MAKERS: dict[str, Callable[[random.Random], tuple[History, Spec]]] = {
    **{name: functools.partial(monitored_history, name=name) for name in DRAWS},
    **TRAPS,
}
ANSWERED = dict.fromkeys(MAKERS, 0.85) | {"priority-queue": 0.75}
"""The minimum share of objects that each monitor must answer; many priorities are equal."""


def compare(name: str, seed: str, histories: int) -> None:
    rng = random.Random(f"{name} {seed}")
    seen: Counter[str] = Counter()
    for number in range(histories):
        history, spec = MAKERS[name](rng)
        verdict = linpoint.check(history, spec, checker="monitor", jobs=1)
        for key in verdict.keys:
            seen["asked"] += 1
            assert key.checker == "monitor"
            assert key.why
            if key.status is Status.UNKNOWN:
                assert (key.witness, key.refutation) == (None, None)
                continue
            seen["answered"] += 1
            expected = brute_force(history, key.positions, spec, "linearizable")[0]
            story = f"{name}, seed {seed}, history {number}, first {spec.initial!r}\n{describe(history)}"
            assert (key.status is Status.LINEARIZABLE) is expected, story
        seen["decided"] += any(key.status is not Status.UNKNOWN for key in verdict.keys)
        seen["violations"] += verdict.status is Status.VIOLATION
        wrong = objections(verdict, set())
        assert not wrong, f"{name}, seed {seed}, history {number}\n{describe(history)}\n{verdict.refutation}\n{wrong}"
    assert seen["answered"] >= ANSWERED[name] * seen["asked"], seen
    assert seen["decided"] / 5 <= seen["violations"] <= seen["decided"] * 4 / 5, seen


@pytest.mark.parametrize("name", MAKERS)
def test_monitors_agree_with_the_oracle(name: str) -> None:
    # Each monitor gets all of them; traps for single monitors are separate.
    compare(name, SEED, DAY_HISTORIES // (4 if name in TRAPS else 1))


@pytest.mark.long
@pytest.mark.parametrize("seed", seeds(LONG_CHUNKS, "long"))
@pytest.mark.parametrize("name", MAKERS)
def test_monitors_agree_with_the_oracle_at_length(name: str, seed: str) -> None:
    compare(name, seed, LONG_HISTORIES // LONG_CHUNKS)


# Longer histories, for which there is no oracle: trees of several levels, many zones, shrunk chains


def compare_longer(name: str, seed: str, histories: int) -> None:
    rng = random.Random(f"{name} {seed}")
    seen: Counter[str] = Counter()
    for number in range(histories):
        history, spec = monitored_history(rng, name, size=rng.randint(30, 200))
        found = {}
        for checker in ("monitor", "dfs", "linear"):
            limit = resident_memory() + SEARCH_BYTES  # unlike time, it does not depend on other work of the machine
            verdict = linpoint.check(history, spec, checker=checker, max_memory=limit, jobs=1)
            found[checker] = [key.status for key in verdict.keys]
        for together in zip(*found.values(), strict=True):
            story = f"{found}, {name}, seed {seed}, longer history {number}\n{describe(history)}"
            assert len({*together} - {Status.UNKNOWN}) <= 1, story
            seen["asked"] += 1
            seen["compared"] += together[0] is not Status.UNKNOWN and {*together[1:]} != {Status.UNKNOWN}
            seen["violations"] += together[0] is Status.VIOLATION
    assert seen["compared"] >= least_of(1 / 3, seen["asked"]), seen
    assert seen["asked"] * 0.9 >= seen["violations"] >= least_of(1 / 10, seen["asked"]), seen


@pytest.mark.parametrize("name", DRAWS)
def test_monitors_agree_with_searches_on_longer_histories(name: str) -> None:
    compare_longer(name, SEED, LONGER)


@pytest.mark.long
@pytest.mark.parametrize("seed", seeds(LONG_CHUNKS // 2, "long"))
@pytest.mark.parametrize("name", DRAWS)
def test_monitors_agree_with_searches_on_longer_histories_at_length(name: str, seed: str) -> None:
    compare_longer(name, seed, 8 * LONGER)
