# SPDX-License-Identifier: Apache-2.0
"""Followers against the oracle: random small histories, event by event, forgetting at every opportunity.

The oracle sees the whole history, so an operation forgotten too early shows as a missed or false violation.
"""

from __future__ import annotations

import random
from collections import Counter

import pytest

from linpoint import Status
from linpoint.histories.history import History
from linpoint.specs.spec import Spec
from tests.checkers.online.random_streams import WINDOWED, expected, stream, windowed_history
from tests.random_histories import MAKERS, random_history
from tests.user_specs import USER_MAKERS
from tests.volume import SEED, least_of, seeds, volume

WINDOWED_HISTORIES = 2000
ONLINE_HISTORIES = 6000
LONG = 10
SPECS = [*MAKERS, *USER_MAKERS]


def story(history: History, spec: Spec) -> str:
    lines = [f"{op.process} {op} [{op.call}, {op.return_}] key={op.key!r}" for op in history]
    return "\n".join([f"{spec.name}, first {spec.initial!r}", *lines])


def windows(name: str, seed: str, histories: int) -> None:
    seen: Counter[str] = Counter()
    for number in range(histories):
        rng = random.Random(f"{name} {seed} {number}")
        history, spec = windowed_history(rng, name)
        wanted = expected(history, spec)
        found, forgotten = stream(rng, history, spec)
        assert found is wanted, f"{name} {seed} {number}: {wanted}\n{story(history, spec)}"
        seen[wanted.value] += 1
        seen["forgotten"] += forgotten
    assert seen["violation"] >= least_of(1 / 5, histories)
    assert seen["linearizable"] >= least_of(1 / 5, histories)
    assert seen["forgotten"] >= histories  # a rule that keeps everything would pass all other assertions


def online(seed: str, histories: int) -> None:
    seen: Counter[Status] = Counter()
    for number in range(histories):
        rng = random.Random(f"{seed} {number}")
        switch = rng.random() < 0.2
        checker = "auto"
        if switch:
            history, spec = windowed_history(rng, rng.choice(WINDOWED), operations=8)
        else:
            name = rng.choice(SPECS)
            keyed = name != "map" and rng.random() < 0.2
            history, spec = random_history(rng, name, return_anew=True, noise=0.1, keyed=keyed)
            checker = rng.choice(["auto", "linear"])
        wanted = expected(history, spec)
        found, _ = stream(rng, history, spec, checker=checker, switch=switch)
        assert found is wanted, f"{seed} {number}, {checker}, {switch}: {wanted}\n{story(history, spec)}"
        seen[wanted] += 1
    assert min(seen[Status.VIOLATION], seen[Status.LINEARIZABLE]) >= least_of(1 / 5, histories)


@pytest.mark.parametrize("name", WINDOWED)
def test_windows_forget_nothing_that_matters(name: str) -> None:
    windows(name, SEED, volume(WINDOWED_HISTORIES))


@pytest.mark.parametrize("seed", seeds(2))
def test_linear_online_agrees_with_the_oracle(seed: str) -> None:
    online(seed, volume(ONLINE_HISTORIES) // 2)


@pytest.mark.long
@pytest.mark.parametrize("seed", seeds(LONG, "long"))
@pytest.mark.parametrize("name", WINDOWED)
def test_windows_forget_nothing_that_matters_at_length(name: str, seed: str) -> None:
    windows(name, seed, WINDOWED_HISTORIES)


@pytest.mark.long
@pytest.mark.parametrize("seed", seeds(LONG, "long"))
def test_linear_online_agrees_with_the_oracle_at_length(seed: str) -> None:
    online(seed, ONLINE_HISTORIES)
