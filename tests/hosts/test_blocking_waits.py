# SPDX-License-Identifier: Apache-2.0
"""Programs that wait, and external input: exactly the possible outcomes are found."""

from __future__ import annotations

import random

import pytest

from tests.hosts.controlled_programs import built, explore
from tests.volume import seed_numbers, volume

OUTCOMES = {
    "expected_on_heap": {"2 2"},
    "nobody_signals": {"5"},
    "printed": {"ab", "ba"},
    "timed": {"0 0", "0 1", "0 2", "1 0", "1 1", "1 2"},
    "two_waiters": {"12", "21"},
}


@pytest.mark.parametrize("model", ["sc", "tso"])
@pytest.mark.parametrize("name", OUTCOMES)
def test_exactly_the_possible_outcomes_are_found(name: str, model: str) -> None:
    told = explore(built(f"waits/{name}.cpp"), memory_model=model, outcomes=True)
    assert told.finding is None, told
    assert set(told.outcomes) == OUTCOMES[name]


def test_timed_waits_qualify_the_result() -> None:
    told = explore(built("waits/timed.cpp"))
    assert any("timed waits time out" in reason for reason in told.qualified)


def test_clocks_and_random_numbers_are_deterministic() -> None:
    told = explore(built("waits/world.cpp"), outcomes=True, search="random:50")
    (outcome,) = told.outcomes
    assert outcome.startswith("3 ")
    assert {"clock", "random"} == {word for word in ("clock", "random") if any(word in why for why in told.qualified)}
    assert explore(built("waits/world.cpp"), outcomes=True, seed=5).outcomes.keys() != told.outcomes.keys()


def test_spurious_wakeups_are_explored_on_request() -> None:
    target = built("waits/without_a_loop.cpp")
    assert explore(target).holds
    assert explore(target, spurious=True).kind == "assertion"


def test_freed_memory_is_reused_on_request() -> None:
    target = built("waits/reused_block.cpp")
    assert explore(target).holds
    assert explore(target, reuse=True).kind == "assertion"


@pytest.mark.random
@pytest.mark.parametrize("number", range(volume(24, least=4)))
def test_no_outcome_of_locks_and_signals_is_lost(number: int) -> None:
    """Outcomes of random schedules are among the outcomes of the search that claims to be exhaustive."""
    seed = seed_numbers(24)[number]
    dice = random.Random(seed)
    letters = [*dice.sample("lutwrxeyqsbpdvonh", dice.randint(2, 5)), "+"]
    threads = ["".join(dice.choices(letters, k=dice.randint(2, 4))) for _ in range(dice.choice((2, 2, 3)))]
    model = dice.choice(("sc", "tso"))
    target = built("waits/objects.cpp")
    every = explore(target, *threads, memory_model=model, outcomes=True)
    some = explore(target, *threads, memory_model=model, outcomes=True, search="random:1000", seed=seed)
    if some.kind is None:
        assert every.kind is not None or set(some.outcomes) <= set(every.outcomes), threads
    else:
        assert every.kind is not None, threads
