# SPDX-License-Identifier: Apache-2.0
"""The controlled loop itself: its order, its clock, how runs end, what remains after them, and unsupported calls."""

from __future__ import annotations

import asyncio
import gc
import sys
import threading
import time

import pytest

from linpoint.errors import TestError
from linpoint.explore import _native_control as native
from linpoint.explore.python_control.event_loop_session import EventLoopSession
from linpoint.explore.python_control.run_abort import BlockedForever
from linpoint.judging.scenario_run import RunEnding
from tests.explore.event_loop.run_coroutines import one, runs, values


async def callbacks(_):
    loop, found = asyncio.get_running_loop(), []
    loop.call_later(2, found.append, "late")
    loop.call_soon(found.append, 1)
    loop.call_soon_threadsafe(found.append, 2)
    loop.call_later(1, found.append, "never").cancel()
    loop.call_soon(found.append, "never").cancel()
    await asyncio.sleep(3)
    return found


def test_callbacks_and_timers_keep_their_order():
    assert values(callbacks) == {((1, 2, "late"),), (("late", 1, 2),), ((1, "late", 2),)}


def test_time_passes_while_others_are_ready():
    async def either(_):
        try:
            return await asyncio.wait_for(asyncio.sleep(0, "in time"), 1)
        except TimeoutError:
            return "too late"

    assert values(either) == {("in time",), ("too late",)}


def test_the_usual_order_matches_a_real_loop():
    log = []

    async def client(_):
        for _ in range(3):
            log.append(asyncio.current_task())
            await asyncio.sleep(0)

    runs(client, client, most=0)
    assert [each is log[0] for each in log] == [True, False] * 3


def test_clocks_agree_and_sleeping_takes_no_real_time():
    async def client(_):
        loop = asyncio.get_running_loop()
        began = loop.time(), time.monotonic()
        await asyncio.sleep(3600)
        return [began[0] == began[1], loop.time() == time.monotonic(), loop.time() - began[0]]

    assert values(client) == {((True, True, 3600.0),)}


# Endings of an operation


def test_a_cancelled_operation_has_a_result():
    async def main(subject):
        subject["task"] = asyncio.current_task()
        await asyncio.sleep(1)

    async def cancel(subject):
        return "task" in subject and subject["task"].cancel()

    ended = {type(results[0][0]).__name__ for _, results, _ in runs(main, cancel)}
    assert ended == {"NoneType", "CancelledError"}


def test_an_operation_may_exit():
    async def leave(_):
        await asyncio.sleep(0)
        sys.exit(3)

    assert {type(results[0][0]) for _, results, _ in runs(leave)} == {SystemExit}


def test_a_lock_for_threads_blocks_the_whole_loop():
    async def client(subject):
        with subject["lock"]:
            await asyncio.sleep(0)

    endings = {ending for ending, _, _ in runs(client, client, setup=lambda: {"lock": threading.Lock()})}
    assert endings == {RunEnding.COMPLETE, RunEnding.STUCK}


def test_deadlocks_name_the_waiting_coroutines():
    async def wait(_):
        await asyncio.get_running_loop().create_future()

    async def join(subject):
        subject["task"] = asyncio.create_task(wait(subject))
        await subject["task"]

    for ending, _, waiting in runs(wait, join, one):
        assert ending is RunEnding.STUCK
        assert [(each.process, each.owner) for each in waiting] == [(0, None), (1, 5)]


def test_an_endless_run_is_stopped_at_the_step_limit():
    async def spin(_):
        while True:  # noqa: ASYNC110 - on purpose
            await asyncio.sleep(0)

    explorer = native.explore_bounded(0)
    with EventLoopSession(most_steps=100) as session:
        assert explorer.begin()
        session.prepare()
        assert session.run(explorer, [((spin, (None,)),)]) is RunEnding.CUT


def test_an_endless_wait_outside_a_run_raises():
    with EventLoopSession() as session:
        session.prepare()
        with session.alone(), pytest.raises(BlockedForever):
            session.call(asyncio.Event().wait)


# After a run


def test_runs_leave_no_tasks_and_no_warnings(caplog, recwarn):
    closed = []

    async def stubborn():
        while True:
            try:
                await asyncio.sleep(1)
            except asyncio.CancelledError:
                closed.append("refused")

    async def tidy():
        try:
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(1)
            closed.append("closed")

    async def fail():
        raise KeyError

    async def client(subject):
        subject["tasks"] = [asyncio.create_task(each()) for each in (stubborn, tidy, fail)]
        asyncio.create_task(one(1))  # noqa: RUF006 - no reference is kept
        await asyncio.sleep(0)
        asyncio.create_task(one(2))  # noqa: RUF006 - it never begins

    runs(client)
    gc.collect()
    assert "closed" in closed
    assert "refused" in closed
    assert not caplog.records
    assert not recwarn.list


def test_an_already_running_loop_is_restored():
    async def main_of_a_run(_):
        return await one(1)

    async def main():
        loop = asyncio.get_running_loop()
        assert values(main_of_a_run) == {(1,)}
        return asyncio.get_running_loop() is loop

    assert asyncio.run(main())


# Unsupported calls


async def in_executor(_):
    await asyncio.to_thread(print)


async def connecting(_):
    await asyncio.open_connection("localhost", 80)


async def swallowing(_):
    try:
        asyncio.get_running_loop().add_signal_handler(2, print)
    except Exception:  # noqa: BLE001
        return "fine"


async def spawning(_):
    await asyncio.create_subprocess_exec("true")


async def starting_a_thread(_):
    threading.Thread(target=print).start()


@pytest.mark.parametrize("function", [in_executor, connecting, swallowing, spawning, starting_a_thread])
def test_unsupported_calls_are_rejected(function):
    with pytest.raises(TestError, match="LP-T025"):
        runs(function)
