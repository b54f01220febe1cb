# SPDX-License-Identifier: Apache-2.0
"""Exploration inside Hypothesis tests: both kinds of shrinking find the same, and neither disturbs the other."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import Phase, find, given, settings
from hypothesis import strategies as st
from hypothesis.database import InMemoryExampleDatabase

import linpoint
from linpoint.scenarios import Scenario
from tests.subjects.python_object.objects import CacheTest, DicedCacheTest, LockedCacheTest

QUIET = settings(deadline=None, database=None, max_examples=100, phases=(Phase.generate, Phase.shrink))


class Account:
    """Broken: the balance is read before it is taken."""

    def __init__(self) -> None:
        self.balance = 0

    def put(self, amount: int) -> None:
        self.balance += amount

    def take(self, amount: int) -> bool:
        if self.balance < amount:
            return False
        rest = self.balance - amount
        self.balance = rest
        return True


class AccountTest(linpoint.ConcurrentTest):
    before = 1

    def setup(self) -> Account:
        return Account()

    @linpoint.operation(amount=st.integers(1, 50))
    def put(self, account: Account, amount: int) -> None:
        account.put(amount)

    @linpoint.operation(amount=st.integers(1, 50))
    def take(self, account: Account, amount: int) -> bool:
        return account.take(amount)

    def observe(self, account: Account) -> int:
        return account.balance


def fails(test: type[linpoint.ConcurrentTest], scenario: Scenario) -> bool:
    return linpoint.test(test, scenario=scenario, budget="5s").status is linpoint.Status.VIOLATION


@pytest.mark.parametrize("test", [CacheTest, pytest.param(AccountTest, marks=pytest.mark.long)])
def test_hypothesis_and_linpoint_shrink_to_the_same_scenario(test: Any) -> None:
    theirs = find(linpoint.strategies.scenarios(test), lambda scenario: fails(test, scenario), settings=QUIET)
    ours = Scenario.parse(linpoint.test(test).findings[0].scenario)
    assert theirs.size == ours.size
    assert sorted(map(str, theirs.threads)) == sorted(map(str, ours.threads))


def test_a_given_test_fails_with_the_smallest_scenario() -> None:
    seen: list[Scenario] = []

    @QUIET
    @given(linpoint.strategies.scenarios(CacheTest))
    def any_scenario(scenario: Scenario) -> None:
        seen.append(scenario)
        linpoint.test(CacheTest, scenario=scenario, budget="5s").raise_for_violation()

    with pytest.raises(linpoint.ViolationError) as caught:
        any_scenario()
    assert str(seen[-1]) == 'add("a", 1) | add("a", 1)'
    assert 'add("a", 1) -> true | add("a", 1) -> true' in str(caught.value)


@pytest.mark.parametrize("test", [LockedCacheTest, DicedCacheTest])
def test_hypothesis_is_not_disturbed(test: Any) -> None:
    """Its random numbers continue unchanged: the examples match those of a test without exploration."""
    seen: dict[bool, list[str]] = {True: [], False: []}

    def run(*, explores: bool) -> None:
        @settings(deadline=None, max_examples=20, derandomize=True)
        @given(linpoint.strategies.scenarios(test), st.randoms(use_true_random=False))
        def any_scenario(scenario: Scenario, dice: random.Random) -> None:
            before = random.getstate()
            if explores:
                linpoint.test(test, scenario=scenario, budget="5s").raise_for_violation()
            assert random.getstate() == before
            seen[explores].append(f"{scenario} {dice.random()}")

        any_scenario()

    run(explores=True)
    run(explores=False)
    assert seen[True] == seen[False]
    assert len(seen[True]) > 5


def test_the_database_has_failures_only() -> None:
    database = InMemoryExampleDatabase()

    @settings(deadline=None, database=database, max_examples=20)
    @given(linpoint.strategies.scenarios(LockedCacheTest))
    def any_scenario(scenario: Scenario) -> None:
        linpoint.test(LockedCacheTest, scenario=scenario, budget="5s").raise_for_violation()

    any_scenario()
    assert not database.data


@pytest.mark.long
def test_the_verdict_is_unchanged_with_all_phases_of_hypothesis() -> None:
    """Hypothesis also traces failing examples; the verdict stays the same."""

    @settings(deadline=None, database=None, max_examples=30)
    @given(linpoint.strategies.scenarios(CacheTest, threads=2, operations=1))
    def any_scenario(scenario: Scenario) -> None:
        linpoint.test(CacheTest, scenario=scenario, budget="5s").raise_for_violation()

    with pytest.raises(linpoint.ViolationError, match="VIOLATION: CacheTest"):
        any_scenario()
