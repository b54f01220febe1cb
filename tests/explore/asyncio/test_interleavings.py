# SPDX-License-Identifier: Apache-2.0
"""The controlled loop shows every interleaving at awaits, each of them once, and nothing else."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from linpoint.explore import _native_control as native
from linpoint.explore.python.loop_session import LoopSession
from tests.explore.asyncio.small_programs import MARK, TURN, Real, outcomes, random_program

MOST = 250


def explored(program, explorer) -> Counter:
    """Every outcome of a program on the controlled loop, with the number of runs that give it."""
    found: Counter = Counter()
    with LoopSession() as session:
        while explorer.begin():
            session.prepare()
            real = Real()
            bodies = [((real.run, (who, lines)),) for who, lines in enumerate(program)]
            ending = session.run(explorer, bodies)
            if ending.name == "REDUNDANT":
                continue
            ended = [done[0] if done and done[0].returned >= 0 else None for done in session.operations()]
            found[real.outcome(tuple(None if each is None else each.value for each in ended))] += 1
    assert explorer.exhaustive
    assert explorer.diverged_at is None
    return found


def test_two_turns_of_two_tasks():
    program = (((MARK, 0), (TURN, 0), (MARK, 0)),) * 2
    assert outcomes(program, MOST).total() == 6
    assert explored(program, native.explore_dpor()) == outcomes(program, MOST)


@pytest.mark.parametrize("seed", range(220))
def test_random_programs(seed):
    choice = random.Random(seed)
    expected = None
    while expected is None:
        program = random_program(choice, coroutines=choice.randint(2, 3), lines=6)
        expected = outcomes(program, MOST)
    assert explored(program, native.explore_dpor()) == expected
    assert explored(program, native.explore_bounded(1_000)) == expected
