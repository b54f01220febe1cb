# SPDX-License-Identifier: Apache-2.0
"""The synchronisation of the standard library works under control, and every possible outcome is found."""

from __future__ import annotations

import _thread
import concurrent.futures
import functools
import queue
import sys
import threading
import time

import pytest

from linpoint.explore import _native_control as native
from tests.explore.python_control.outcomes import explore

PATIENCE = 120.0
"""No test here stalls; a busy machine must not look like a stall."""


def results(make, threads, **options):
    found = explore(make, threads, patience=PATIENCE, **options)
    return {each for _, each, _ in found.results}, {ending for ending, _, _ in found.results}


class Locks:
    def __init__(self):
        self.lock = threading.Lock()
        self.reentrant = threading.RLock()
        self.n = 0

    def add(self):
        with self.lock:
            self.n += 1
            return self.n

    def nested(self):
        with self.reentrant, self.reentrant:
            self.n += 1
            return self.n

    def attempt(self):
        if not self.lock.acquire(blocking=False):
            return "busy"
        try:
            self.n += 1
            return self.n
        finally:
            self.lock.release()

    def patient(self):
        if not self.lock.acquire(timeout=1):
            return "late"
        self.n += 1
        self.lock.release()
        return "done"

    def both(self):
        with self.lock, self.reentrant:
            return "a"

    def crosswise(self):
        with self.reentrant, self.lock:
            return "b"


def test_locks_exclude_other_threads():
    assert results(Locks, [[("add",)], [("add",)]]) == ({(("1",), ("2",)), (("2",), ("1",))}, {"COMPLETE"})
    assert results(Locks, [[("nested",)], [("nested",)]]) == ({(("1",), ("2",)), (("2",), ("1",))}, {"COMPLETE"})


def test_trying_a_lock_succeeds_or_fails():
    assert results(Locks, [[("attempt",)], [("add",)]])[0] == {
        (("1",), ("2",)),
        (("2",), ("1",)),
        (("'busy'",), ("1",)),
    }
    assert results(Locks, [[("patient",)], [("add",)]])[0] == {
        (("'done'",), ("2",)),
        (("'done'",), ("1",)),
        (("'late'",), ("1",)),
    }


def test_crosswise_locks_deadlock():
    shown, endings = results(Locks, [[("both",)], [("crosswise",)]])
    assert endings == {"COMPLETE", "STUCK"}
    assert shown == {(("'a'",), ("'b'",)), (("open",), ("open",))}


class Meeting:
    def __init__(self):
        self.condition = threading.Condition()
        self.event = threading.Event()
        self.semaphore = threading.Semaphore(1)
        self.bounded = threading.BoundedSemaphore(1)
        self.barrier = threading.Barrier(2)
        self.ready = False

    def wait(self):
        with self.condition:
            self.condition.wait_for(lambda: self.ready)
            return "met"

    def notify(self):
        with self.condition:
            self.ready = True
            self.condition.notify()

    def wait_shortly(self):
        with self.condition:
            return self.condition.wait(timeout=0.5)

    def set(self):
        self.event.set()

    def await_event(self):
        return self.event.wait()

    def look(self):
        return self.event.is_set()

    def down(self):
        return self.semaphore.acquire(blocking=False)

    def up(self):
        self.semaphore.release()

    def enter(self):
        with self.bounded:
            return "inside"

    def meet(self):
        return self.barrier.wait()


def test_conditions_have_all_outcomes():
    assert results(Meeting, [[("wait",)], [("notify",)]]) == ({(("'met'",), ("None",))}, {"COMPLETE"})
    assert results(Meeting, [[("wait_shortly",)], [("notify",)]])[0] == {
        (("True",), ("None",)),
        (("False",), ("None",)),
    }
    assert results(Meeting, [[("wait",)], [("look",)]])[1] == {"STUCK"}


def test_events_have_all_outcomes():
    assert results(Meeting, [[("await_event",)], [("set",)]]) == ({(("True",), ("None",))}, {"COMPLETE"})
    assert results(Meeting, [[("look",)], [("set",)]])[0] == {(("True",), ("None",)), (("False",), ("None",))}


def test_semaphores_have_all_outcomes():
    assert results(Meeting, [[("down",)], [("down",)]])[0] == {(("True",), ("False",)), (("False",), ("True",))}
    assert results(Meeting, [[("enter",)], [("enter",)]]) == ({(("'inside'",), ("'inside'",))}, {"COMPLETE"})


def test_barriers_have_all_outcomes():
    assert results(Meeting, [[("meet",)], [("meet",)]]) == ({(("0",), ("1",)), (("1",), ("0",))}, {"COMPLETE"})


class Queues:
    kind = queue.Queue

    def __init__(self):
        self.items = self.kind()

    def put(self, item):
        self.items.put(item)

    def get(self):
        return self.items.get()

    def get_now(self):
        try:
            return self.items.get_nowait()
        except queue.Empty:
            return "empty"


@pytest.mark.parametrize("name", ["Queue", "LifoQueue", "PriorityQueue", "SimpleQueue"])
def test_queues_have_all_outcomes(name):
    class Mine(Queues):
        def __init__(self):
            self.items = getattr(queue, name)()

    assert results(Mine, [[("put", 1)], [("get",)]]) == ({(("None",), ("1",))}, {"COMPLETE"})
    assert results(Mine, [[("put", 1)], [("get_now",)]])[0] == {(("None",), ("1",)), (("None",), ("'empty'",))}
    assert results(Mine, [[("get",)], [("get_now",)]])[1] == {"STUCK"}


class Workers:
    def __init__(self):
        self.n = 0

    def bump(self):
        self.n += 1

    def start_two(self):
        threads = [threading.Thread(target=self.bump) for _ in range(2)]
        for each in threads:
            each.start()
        for each in threads:
            each.join()
        assert not any(each.is_alive() for each in threads)
        return self.n

    def pool(self):
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            for each in [pool.submit(self.bump) for _ in range(2)]:
                each.result()
        return self.n

    def timer(self):
        timer = threading.Timer(5, self.bump)
        timer.start()
        timer.join()
        return self.n

    def cancelled(self):
        timer = threading.Timer(5, self.bump)
        timer.start()
        timer.cancel()
        timer.join()
        return self.n

    def named(self):
        seen = []
        thread = threading.Thread(target=lambda: seen.append(threading.current_thread().name), name="worker")
        thread.start()
        thread.join(timeout=3)
        return seen, thread.ident is not None

    def sleepy(self):
        before = time.monotonic()
        time.sleep(100)
        return time.monotonic() - before >= 100


def test_started_threads_race_with_each_other():
    assert results(Workers, [[("start_two",)]])[0] == {(("1",),), (("2",),)}


def test_a_thread_pool_runs_its_tasks():
    shown, endings = results(Workers, [[("pool",)]], explorer=native.explore_bounded(1))
    assert endings == {"COMPLETE"}
    assert shown == {(("1",),), (("2",),)}


def test_timers_fire():
    assert results(Workers, [[("timer",)]])[0] == {(("1",),)}
    assert results(Workers, [[("cancelled",)]])[0] == {(("0",),), (("1",),)}


def test_a_thread_knows_its_own_identity():
    """A join with a timeout may also end before the thread has reported its identity."""
    assert results(Workers, [[("named",)]])[0] == {(("(('worker',), True)",),), (("((), True)",),)}


def test_time_passes_only_while_a_thread_sleeps():
    began = time.perf_counter()
    assert results(Workers, [[("sleepy",)]])[0] == {(("True",),)}
    assert time.perf_counter() - began < 100


class Cached:
    def __init__(self):
        self.made = 0

    @functools.cached_property
    def value(self):
        self.made += 1
        return self.made

    def get(self):
        return self.value


def test_cached_properties_have_a_lock_up_to_3_11():
    shown = results(Cached, [[("get",)], [("get",)]])[0]
    once = {(("1",), ("1",))}
    assert shown == once if sys.version_info < (3, 12) else shown > once


class Local:
    def __init__(self):
        self.mine = threading.local()

    def put(self, value):
        self.mine.value = value
        return self.mine.value

    def get(self):
        return getattr(self.mine, "value", None)


def test_thread_locals_are_separate_and_initially_empty():
    assert results(Local, [[("put", 1), ("get",)], [("get",), ("put", 2)]])[0] == {(("1", "1"), ("None", "2"))}


def test_locks_have_the_type_of_the_python_version():
    class Typed:
        factory = threading.Lock

        def __init__(self):
            self.lock = self.factory()

        def look(self):
            return (
                sys.version_info < (3, 13) or isinstance(self.lock, threading.Lock),
                isinstance(threading.RLock(), type(threading.RLock())),
            )

    assert results(Typed, [[("look",)]])[0] == {(("(True, True)",),)}


def test_everything_is_restored_when_the_session_ends():
    names = {
        (module, name): getattr(module, name)
        for module, name in [
            (threading, "Lock"),
            (threading, "RLock"),
            (_thread, "allocate_lock"),
            (threading.Thread, "start"),
            (threading.Thread, "join"),
            (queue, "SimpleQueue"),
            (time, "sleep"),
            (time, "monotonic"),
        ]
    }
    explore(Locks, [[("add",)]])
    assert all(getattr(module, name) is value for (module, name), value in names.items())
    done = []
    thread = threading.Thread(target=done.append, args=(1,))
    thread.start()
    thread.join()
    assert done == [1]
