# SPDX-License-Identifier: Apache-2.0
"""What asyncio builds on a loop works on the controlled one, under every schedule."""

from __future__ import annotations

import asyncio
import gc
import sys
import threading
import time

import pytest

from linpoint.errors import TestError
from linpoint.explore import _native_control as native
from linpoint.explore.python.loop_session import LoopSession
from linpoint.explore.python.session import Ending
from linpoint.explore.python.stopping import BlockedForever


def runs(*functions, most: int = 2, setup=dict):
    """What functions of a shared object give under every schedule with few departures from the usual order."""
    found = []
    explorer = native.explore_bounded(most)
    with LoopSession() as session:
        while explorer.begin():
            session.prepare()
            with session.alone():
                subject = session.call(setup)
            ending = session.run(explorer, [((function, (subject,)),) for function in functions])
            found.append((ending, [[each.value for each in done] for done in session.operations()], session.waiting()))
    assert explorer.diverged_at is None
    return found


def values(*functions, most: int = 2):
    """The different results of functions that always come to their end."""
    found = set()
    for ending, results, _ in runs(*functions, most=most):
        assert ending is Ending.COMPLETE
        found.add(tuple(each for (each,) in results))
    return found


async def one(value, seconds=1.0):
    await asyncio.sleep(seconds)
    return value


async def gathered(_):
    return await asyncio.gather(one(1, 2), one(2, 1), one(3, 0))


async def gathered_with_an_error(_):
    async def fail():
        raise KeyError

    found = await asyncio.gather(one(1), fail(), return_exceptions=True)
    return [found[0], type(found[1]).__name__]


async def waited(_):
    tasks = [asyncio.create_task(one(number, number)) for number in (1, 2)]
    done, pending = await asyncio.wait(tasks)
    return [len(done), len(pending)]


async def timed_out(_):
    try:
        await asyncio.wait_for(asyncio.Event().wait(), 1)
    except TimeoutError:
        return "too late"


async def in_time(_):
    try:
        async with asyncio.timeout(1):
            await asyncio.Event().wait()
    except TimeoutError:
        return asyncio.get_running_loop().time() - time.monotonic()


async def grouped(_):
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(one(number)) for number in range(3)]
    return [each.result() for each in tasks]


async def group_that_fails(_):
    async def fail():
        await asyncio.sleep(0)
        raise KeyError

    try:
        async with asyncio.TaskGroup() as group:
            group.create_task(one(1, 100))
            group.create_task(one(1, 100))
            group.create_task(fail())
    except ExceptionGroup as errors:
        return len(errors.exceptions)


async def shielded(_):
    inner = asyncio.create_task(one("kept"))
    outer = asyncio.shield(inner)
    outer.cancel()
    try:
        await outer
    except asyncio.CancelledError:
        return await inner


async def as_they_complete(_):
    tasks = [asyncio.create_task(one(number)) for number in range(3)]
    return sorted([await each for each in asyncio.as_completed(tasks)])


async def barrier(_):
    meeting = asyncio.Barrier(2)
    await asyncio.gather(meeting.wait(), meeting.wait())
    return meeting.n_waiting


async def condition(_):
    changed, ready = asyncio.Condition(), []

    async def tell():
        async with changed:
            ready.append(1)
            changed.notify_all()

    task = asyncio.create_task(tell())
    async with changed:
        await changed.wait_for(lambda: ready)
    await task
    return ready


async def semaphore(_):
    free, inside, most = asyncio.Semaphore(2), [], []

    async def enter(number):
        async with free:
            inside.append(number)
            most.append(len(inside))
            await asyncio.sleep(0)
            inside.remove(number)

    await asyncio.gather(*map(enter, range(3)))
    return max(most) <= 2


async def queue(_):
    items, found = asyncio.Queue(1), []

    async def consume():
        while True:
            found.append(await items.get())
            items.task_done()

    consumer = asyncio.create_task(consume())
    for number in range(3):
        await items.put(number)
    await items.join()
    consumer.cancel()
    return found


async def generator(_):
    async def count():
        for number in range(3):
            await asyncio.sleep(0)
            yield number

    return [number async for number in count()]


async def callbacks(_):
    loop, found = asyncio.get_running_loop(), []
    loop.call_later(2, found.append, "late")
    loop.call_soon(found.append, 1)
    loop.call_soon_threadsafe(found.append, 2)
    loop.call_later(1, found.append, "never").cancel()
    loop.call_soon(found.append, "never").cancel()
    await asyncio.sleep(3)
    return found


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (gathered, (1, 2, 3)),
        (gathered_with_an_error, (1, "KeyError")),
        (waited, (2, 0)),
        (timed_out, "too late"),
        (in_time, 0.0),
        (grouped, (0, 1, 2)),
        (group_that_fails, 1),
        (shielded, "kept"),
        (as_they_complete, (0, 1, 2)),
        (barrier, 0),
        (condition, (1,)),
        (semaphore, True),
        (queue, (0, 1, 2)),
        (generator, (0, 1, 2)),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_the_result_is_the_same_under_every_schedule(function, expected):
    assert values(function) == {(expected,)}


def test_callbacks_keep_their_order_and_timers_theirs():
    assert values(callbacks) == {((1, 2, "late"),), (("late", 1, 2),), ((1, "late", 2),)}


def test_time_passes_while_others_are_ready():
    async def either(_):
        try:
            return await asyncio.wait_for(asyncio.sleep(0, "in time"), 1)
        except TimeoutError:
            return "too late"

    assert values(either) == {("in time",), ("too late",)}


def test_the_usual_order_is_that_of_a_real_loop():
    log = []

    async def client(_):
        for _ in range(3):
            log.append(asyncio.current_task())
            await asyncio.sleep(0)

    runs(client, client, most=0)
    assert [each is log[0] for each in log] == [True, False] * 3


def test_clocks_agree_and_cost_nothing():
    async def client(_):
        loop = asyncio.get_running_loop()
        began = loop.time(), time.monotonic()
        await asyncio.sleep(3600)
        return [began[0] == began[1], loop.time() == time.monotonic(), loop.time() - began[0]]

    assert values(client) == {((True, True, 3600.0),)}


@pytest.mark.skipif(sys.version_info < (3, 12), reason="tasks that begin at once are of Python 3.12")
def test_eager_tasks():
    async def client(_):
        asyncio.get_running_loop().set_task_factory(asyncio.eager_task_factory)
        log = []

        async def work(number):
            log.append(number)
            await asyncio.sleep(0)
            log.append(number + 10)

        async def quick():
            return "quick"

        tasks = [asyncio.create_task(work(number), name=f"work {number}") for number in (1, 2)]
        log.append(await asyncio.create_task(quick()))
        await asyncio.gather(*tasks)
        return log

    assert values(client) == {((1, 2, "quick", 11, 12),), ((1, 2, "quick", 12, 11),)}


# What an operation may end in


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


def test_a_lock_of_threads_stops_the_whole_loop():
    async def client(subject):
        with subject["lock"]:
            await asyncio.sleep(0)

    endings = {ending for ending, _, _ in runs(client, client, setup=lambda: {"lock": threading.Lock()})}
    assert endings == {Ending.COMPLETE, Ending.STUCK}


def test_deadlocks_say_who_waits():
    async def wait(_):
        await asyncio.get_running_loop().create_future()

    async def join(subject):
        subject["task"] = asyncio.create_task(wait(subject))
        await subject["task"]

    for ending, _, waiting in runs(wait, join, one):
        assert ending is Ending.STUCK
        assert [(each.process, each.owner) for each in waiting] == [(0, None), (1, 5)]


def test_who_runs_for_ever_is_cut():
    async def spin(_):
        while True:  # noqa: ASYNC110 - on purpose
            await asyncio.sleep(0)

    explorer = native.explore_bounded(0)
    with LoopSession(most_steps=100) as session:
        assert explorer.begin()
        session.prepare()
        assert session.run(explorer, [((spin, (None,)),)]) is Ending.CUT


def test_alone_nobody_waits_for_ever():
    with LoopSession() as session:
        session.prepare()
        with session.alone(), pytest.raises(BlockedForever):
            session.call(asyncio.Event().wait)


# After a run


def test_nothing_is_left_and_nothing_is_said(caplog, recwarn):
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
        asyncio.create_task(one(1))  # noqa: RUF006 - nobody keeps it
        await asyncio.sleep(0)
        asyncio.create_task(one(2))  # noqa: RUF006 - it never begins

    runs(client)
    gc.collect()
    assert "closed" in closed
    assert "refused" in closed
    assert not caplog.records
    assert not recwarn.list


def test_a_loop_that_runs_already_is_given_back():
    async def main():
        loop = asyncio.get_running_loop()
        assert values(gathered) == {((1, 2, 3),)}
        return asyncio.get_running_loop() is loop

    assert asyncio.run(main())


# What there is not


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
def test_refused(function):
    with pytest.raises(TestError, match="LP-T020"):
        runs(function)
