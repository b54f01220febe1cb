# SPDX-License-Identifier: Apache-2.0
"""The controlled loop explores every interleaving at awaits, each exactly once, and no others."""

from __future__ import annotations

import asyncio
import random
from collections import Counter

import pytest

from linpoint.explore import _native_control as native
from linpoint.explore.python_control.event_loop_session import EventLoopSession
from linpoint.judging.scenario_run import RunEnding
from tests.explore.event_loop.small_programs import MARK, TURN, Real, outcomes, random_program
from tests.volume import seeds, volume

MOST = 250


def outcome(program, explorer, session):
    """The outcome of the next run of a program; None if it would show nothing new."""
    session.prepare()
    real = Real()
    ending = session.run(explorer, [((real.run, (who, lines)),) for who, lines in enumerate(program)])
    if ending is RunEnding.REDUNDANT:
        return None
    ended = [done[0] if done and done[0].returned >= 0 else None for done in session.operations()]
    return real.outcome(tuple(None if each is None else each.value for each in ended))


def explored(program, explorer) -> Counter:
    """Every outcome of a program on the controlled loop, with the number of runs that give it."""
    found: Counter = Counter()
    with EventLoopSession() as session:
        while explorer.begin():
            found[outcome(program, explorer, session)] += 1
    assert explorer.exhaustive
    assert explorer.diverged_at is None
    found.pop(None, None)
    return found


def test_two_turns_of_two_tasks_have_all_interleavings():
    program = (((MARK, 0), (TURN, 0), (MARK, 0)),) * 2
    assert outcomes(program, MOST).total() == 6
    assert explored(program, native.explore_dpor()) == outcomes(program, MOST)


@pytest.mark.parametrize("explorer", [native.explore_dpor(), native.explore_bounded(9)], ids=["dpor", "bounded"])
def test_a_background_task_may_run_first(explorer):
    """In the usual order it would be too late: its work counts only until the run is over."""
    found = set()

    async def setup():
        subject = {"value": 0}

        async def change():
            await asyncio.sleep(1)
            subject["value"] = 1

        subject["task"] = asyncio.create_task(change())
        return subject

    async def read(subject):
        return subject["value"]

    with EventLoopSession() as session:
        while explorer.begin():
            session.prepare()
            with session.alone():
                subject = session.call(setup)
            if session.run(explorer, [((read, (subject,)),)]) is RunEnding.COMPLETE:
                found.add(session.operations()[0][0].value)
    assert explorer.exhaustive
    assert found == {0, 1}


@pytest.mark.parametrize(
    "explorer",
    [native.explore_random(1, 60), native.explore_pos(2, 60), native.explore_pct(3, 60, 3)],
    ids=["random", "pos", "pct"],
)
def test_outcomes_of_random_schedules_are_possible_and_replay(explorer):
    choice = random.Random(5)
    with EventLoopSession() as session:
        while explorer.begin():
            program = random_program(choice, coroutines=3, lines=5)
            possible = outcomes(program, 1_000)
            found = outcome(program, explorer, session)
            assert possible is None or found in possible
            again = native.explore_again(explorer.deviations)
            assert again.begin()
            assert outcome(program, again, session) == found
            assert again.diverged_at is None
            assert again.preemptions == explorer.preemptions


@pytest.mark.random
@pytest.mark.parametrize("seed", seeds(volume(220)))
def test_random_programs_have_exactly_the_outcomes_of_the_oracle(seed):
    choice = random.Random(seed)
    expected = None
    while expected is None:
        program = random_program(choice, coroutines=choice.randint(2, 3), lines=6)
        expected = outcomes(program, MOST)
    assert explored(program, native.explore_dpor()) == expected
    assert explored(program, native.explore_bounded(1_000)) == expected
