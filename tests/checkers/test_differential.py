# SPDX-License-Identifier: Apache-2.0
"""Every checker against the oracle, on random small histories of every built-in spec, under every condition.

`check` certifies each witness itself and raises if one does not hold, so agreement here covers that as well.
"""

import random
from collections import Counter

import pytest

import linpoint
from linpoint.checkers.conditions import CONDITIONS
from linpoint.checkers.select import CHECKERS
from linpoint.histories.history import History
from tests.generation import MAKERS, random_history

CI_HISTORIES = 50_000
LONG_HISTORIES = 1_000_000
CHUNKS = 20


def describe(history: History) -> str:
    lines = [f"{op.process} {op} [{op.call}, {op.return_}] key={op.key}" for op in history]
    return "\n".join([*lines, *map(str, history.crashes)])


def compare(seed: int, histories: int) -> None:
    rng = random.Random(seed)
    seen: Counter[str] = Counter()
    for number in range(histories):
        name = rng.choice(list(MAKERS))
        condition = rng.choice(CONDITIONS)
        history, spec = random_history(
            rng, name, crashes=rng.random() < 0.5, keyed=name != "map" and rng.random() < 0.25
        )
        expected = linpoint.check(history, spec, checker="brute-force", condition=condition, jobs=1).status
        seen[expected.value] += 1
        for checker in CHECKERS:
            found = linpoint.check(history, spec, checker=checker, condition=condition, jobs=1).status
            assert found is expected, (
                f"seed {seed}, history {number}: {checker}, {name}, {condition}\n{describe(history)}"
            )
    assert seen["violation"] >= histories / 5
    assert seen["linearizable"] >= histories / 5
    assert seen["unknown"] == 0


@pytest.mark.parametrize("seed", range(CHUNKS))
def test_checkers_agree_with_the_oracle(seed: int) -> None:
    compare(seed, CI_HISTORIES // CHUNKS)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(1000, 1100))
def test_checkers_agree_with_the_oracle_on_a_million(seed: int) -> None:
    compare(seed, LONG_HISTORIES // 100)
