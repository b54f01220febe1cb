# SPDX-License-Identifier: Apache-2.0
"""The asyncio primitives that build on an event loop work on the controlled one, under every schedule."""

from __future__ import annotations

import asyncio
import sys
import time

import pytest

from tests.explore.event_loop.run_coroutines import one, values


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


@pytest.mark.skipif(sys.version_info < (3, 12), reason="tasks that begin at once are of Python 3.12")
def test_eager_tasks_give_the_same_results():
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
