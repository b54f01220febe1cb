# SPDX-License-Identifier: Apache-2.0
"""Runs the coroutines of tests under every schedule with few departures from the usual order."""

from __future__ import annotations

import asyncio

from linpoint.explore import _native_control as native
from linpoint.explore.python_control.event_loop_session import EventLoopSession
from linpoint.judging.scenario_run import RunEnding


def runs(*functions, most: int = 2, setup=dict):
    """The results of functions on a shared object, under every schedule with few departures from the usual order."""
    found = []
    explorer = native.explore_bounded(most)
    with EventLoopSession() as session:
        while explorer.begin():
            session.prepare()
            with session.alone():
                subject = session.call(setup)
            ending = session.run(explorer, [((function, (subject,)),) for function in functions])
            found.append((ending, [[each.value for each in done] for done in session.operations()], session.waiting()))
    assert explorer.diverged_at is None
    return found


def values(*functions, most: int = 2):
    """The different results of functions that always terminate."""
    found = set()
    for ending, results, _ in runs(*functions, most=most):
        assert ending is RunEnding.COMPLETE
        found.add(tuple(each for (each,) in results))
    return found


async def one(value, seconds=1.0):
    await asyncio.sleep(seconds)
    return value
