# SPDX-License-Identifier: Apache-2.0
"""Uncontrolled resources are reported: locks made before control, calls that never return, and Ctrl-C."""

from __future__ import annotations

import _thread
import ctypes
import queue
import signal
import subprocess
import sys
import textwrap
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from linpoint import errors
from linpoint.explore import _native_control as native
from linpoint.explore.python_control import uncontrolled_resources
from linpoint.explore.python_control.control_session import ControlSession
from linpoint.judging.scenario_run import RunEnding
from tests.explore.python_control.outcomes import explore

HERE = Path(__file__).name


class Kept:
    """Locks of modules and classes are put under control; locks of an already existing object are not."""

    def __init__(self):
        self.lock = threading.Lock()
        self.reentrant = threading.RLock()


KEPT = Kept()
CONDITION = threading.Condition()
EVENT = threading.Event()
SEMAPHORE = threading.Semaphore(1)
BARRIER = threading.Barrier(2)
QUEUE = queue.Queue()
SIMPLE = queue.SimpleQueue()
POOL = ThreadPoolExecutor(1)


class Old:
    def __init__(self):
        self.kept = KEPT.lock

    def with_lock(self):
        with KEPT.lock:
            return 1

    def acquire(self):
        KEPT.lock.acquire()
        KEPT.lock.release()

    def reentrant(self):
        with KEPT.reentrant:
            return 1

    def of_the_object(self):
        return self.kept.acquire(timeout=1)

    def condition(self):
        with CONDITION:
            CONDITION.notify()

    def event(self):
        EVENT.set()

    def event_bound(self):
        wait = EVENT.wait
        wait(1)

    def semaphore(self):
        with SEMAPHORE:
            return 1

    def barrier(self):
        BARRIER.wait()

    def queue(self):
        QUEUE.put(1)

    def simple(self):
        SIMPLE.put(1)

    def pool(self):
        POOL.submit(print)

    def swallowed(self):
        try:
            with KEPT.lock:
                return 1
        except Exception:  # noqa: BLE001 - it must not catch the error
            return 2
        finally:
            self.kept = None


NAMES = {
    "with_lock": "test_uncontrolled_resources.KEPT.lock",
    "acquire": "test_uncontrolled_resources.KEPT.lock",
    "reentrant": "test_uncontrolled_resources.KEPT.reentrant",
    "of_the_object": "self.kept",
    "condition": "test_uncontrolled_resources.CONDITION",
    "event": "test_uncontrolled_resources.EVENT",
    "event_bound": "test_uncontrolled_resources.EVENT",
    "semaphore": "test_uncontrolled_resources.SEMAPHORE",
    "barrier": "test_uncontrolled_resources.BARRIER",
    "queue": "test_uncontrolled_resources.QUEUE",
    "simple": "test_uncontrolled_resources.SIMPLE",
    "pool": "test_uncontrolled_resources.POOL",
    "swallowed": "test_uncontrolled_resources.KEPT.lock",
}


@pytest.mark.parametrize("method", NAMES)
def test_a_lock_made_before_control_is_an_error_with_its_name_and_place(method):
    with pytest.raises(errors.TestError) as caught:
        explore(Old, [[(method,)]])
    error = caught.value
    first = getattr(Old, method).__code__.co_firstlineno
    file, line = error.place.rsplit(":", 1)
    assert file.endswith(HERE)
    assert first < int(line) <= first + 3
    assert error.code == "LP-T021"
    assert NAMES[method] in error.message
    assert "created before control began" in error.message
    assert "setup" in error.remedy


def test_the_session_continues_after_such_an_error():
    with ControlSession() as session:
        explorer = native.explore_again([])
        assert explorer.begin()
        session.prepare()
        with pytest.raises(errors.TestError, match="LP-T021"):
            session.run(explorer, [((Old().with_lock, ()),), ((Old().event, ()),)])
        explorer = native.explore_again([])
        assert explorer.begin()
        session.prepare()
        with session.alone():
            lock = threading.Lock()
        assert session.run(explorer, [lock.acquire]) is RunEnding.COMPLETE
    assert not KEPT.lock.locked()


def test_locks_made_under_control_are_accepted():
    class Fresh(Old):
        def __init__(self):
            self.kept = threading.Lock()
            self.condition_of_mine = threading.Condition()
            self.queue_of_mine = queue.Queue()

        def use(self):
            with self.kept, self.condition_of_mine:
                self.queue_of_mine.put(1)
                self.condition_of_mine.notify()
                return self.queue_of_mine.get()

    assert {results for _, results, _ in explore(Fresh, [[("use",)], [("use",)]]).results} == {(("1",), ("1",))}


def test_objects_with_real_locks_are_recognised():
    assert all(
        uncontrolled_resources.real_lock(each) is not None
        for each in (
            KEPT.lock,
            KEPT.reentrant,
            CONDITION,
            EVENT,
            SEMAPHORE,
            BARRIER,
            QUEUE,
            SIMPLE,
            POOL,
            threading.Condition(KEPT.lock),
        )
    )
    assert uncontrolled_resources.real_lock(native.ControlledLock()) is None
    assert uncontrolled_resources.real_lock(threading.Condition(native.ControlledRLock())) is None
    assert uncontrolled_resources.real_lock("lock") is None


def test_an_interpreter_without_frame_inspection_is_rejected_on_request(monkeypatch):
    monkeypatch.setattr(native, "can_look_at_frames", lambda: False)
    with (
        pytest.raises(errors.TestError, match=r"LP-T023: the backend does not support CPython 3"),
        ControlSession(backend="native"),
    ):
        pass


# --- calls that do not return

HELD = [_thread.allocate_lock()]
HELD[0].acquire()
PATIENCE = 0.5


def wait_for_a_real_lock(seconds=20):
    HELD[0].acquire(timeout=seconds)


def sleep_in_c():
    ctypes.CDLL(None).sleep(600)


def compute_forever():
    until = time.perf_counter_ns  # the loop accesses nothing shared
    while until() < 10**30:
        pass


class Hanging:
    """It waits for a value that arrives through a map, which the hook cannot see."""

    def __init__(self):
        self.n = 0

    def lock(self):
        self.n += 1
        list(map(HELD[0].acquire, [True], [600]))
        return self.n

    def sleep(self):
        self.n += 1
        sleep_in_c()

    def loop(self):
        self.n += 1
        while True:
            pass

    def swallow(self):
        self.n += 1
        while True:
            try:
                while True:
                    pass
            except BaseException:  # noqa: BLE001 - that is what is tested
                pass

    def count(self):
        self.n += 1


def check_stall(method):
    began = time.monotonic()
    with ControlSession(patience=PATIENCE) as session:
        explorer = native.explore_again([])
        assert explorer.begin()
        session.prepare()
        subject = Hanging()
        with pytest.raises(errors.TestError) as caught:
            session.run(explorer, [((getattr(subject, method), ()),), ((subject.count, ()),)])
        explorer = native.explore_again([])
        assert explorer.begin()
        session.prepare()
        assert session.run(explorer, [((subject.count, ()),)]) is RunEnding.COMPLETE
    assert time.monotonic() - began < 300  # waits take twice as long
    error = caught.value
    assert error.code == "LP-T022"
    assert error.message.startswith("thread 0 has not returned from ")
    assert "for 0.5 s; it waits for something that linpoint does not control" in error.message
    assert f"in {method}" in error.message
    assert HERE in error.place
    return error


@pytest.mark.parametrize("method", ["lock", "sleep", "loop", "swallow"])
def test_a_stalled_run_is_an_error_with_the_stacks_of_its_threads(method):
    error = check_stall(method)
    assert "thread 1: " in error.message
    assert "in count" in error.message


def test_a_stalled_run_on_another_thread_is_an_error_and_abandons_the_thread():
    told = []

    def drive():
        try:
            check_stall("lock")
            check_stall("loop")
            check_stall("swallow")
        except BaseException as error:  # noqa: BLE001 - reported on the calling thread
            told.append(error)

    thread = threading.Thread(target=drive)
    thread.start()
    thread.join(900)
    assert not thread.is_alive()
    assert told == []
    HELD[0].release()  # the abandoned thread takes it and ends
    deadline = time.monotonic() + 120
    while not HELD[0].locked() and time.monotonic() < deadline:
        time.sleep(0.01)
    assert HELD[0].locked()


def test_signal_handlers_are_restored():
    before = {number: signal.getsignal(number) for number in signal.valid_signals()}
    explore(Hanging, [[("count",)]])
    assert {number: signal.getsignal(number) for number in signal.valid_signals()} == before


SCRIPT = """
    import sys
    import threading
    from linpoint.explore import _native_control as native
    from linpoint.explore.python_control.control_session import ControlSession

    class Endless:
        def __init__(self):
            self.n = 0

        def work(self):
            while True:
                self.n += 1

        def deaf(self):
            print("begun", flush=True)
            while True:
                try:
                    self.n += 1
                except BaseException:
                    pass

        def stuck(self):
            print("begun", flush=True)
            while True:
                pass

    def drive(method):
        with ControlSession(most_steps=10**9, patience=60) as session:
            explorer = native.explore_again([])
            explorer.begin()
            session.prepare()
            subject = Endless()
            if method == "work":
                print("begun", flush=True)
            try:
                session.run(explorer, [((getattr(subject, method), ()),), ((subject.work, ()),)])
            except KeyboardInterrupt:
                print("interrupted", flush=True)
            session.prepare()
        print("closed", threading.active_count() >= 1, flush=True)

    drive(sys.argv[1])
"""


@pytest.mark.parametrize("method", ["work", "stuck", "deaf"])
def test_ctrl_c_ends_a_run_immediately(method, tmp_path: Path):
    script = tmp_path / "endless.py"
    script.write_text(textwrap.dedent(SCRIPT))
    process = subprocess.Popen(
        [sys.executable, str(script), method], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "begun\n"
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=240)
    assert (out, err, process.returncode) == ("interrupted\nclosed True\n", "", 0)


def test_an_exception_from_converting_a_result_is_raised_by_the_driver():
    """It once had no caller to reach, and ended the interpreter."""

    def refuse(_: object) -> object:
        raise LookupError("no such value")

    with ControlSession(result=refuse) as session:
        for _ in range(2):
            explorer = native.explore_again([])
            assert explorer.begin()
            session.prepare()
            with pytest.raises(LookupError, match="no such value"):
                session.run(explorer, [((list, ()),), ((Hanging().count, ()),)])


def test_too_many_threads_that_swallow_their_end_are_an_error():
    def take_twice(lock):
        while True:
            try:  # noqa: SIM105 - that is what is tested
                lock.acquire()
            except BaseException:  # noqa: BLE001
                pass

    def run(session):
        explorer = native.explore_again([])
        assert explorer.begin()
        session.prepare()
        with session.alone():
            lock = threading.Lock()
        return session.run(explorer, [((take_twice, (lock,)),), ((take_twice, (lock,)),)])

    with ControlSession() as session:
        for _ in range(16):
            assert run(session) is RunEnding.STUCK
        with pytest.raises(errors.TestError) as caught:
            run(session)
    assert caught.value.code == "LP-T024"
    assert "catches every exception" in caught.value.message
    assert "Catch Exception" in caught.value.remedy


LEAVING = """
    import contextlib
    import os
    import sys
    import threading
    from linpoint.errors import TestError
    from linpoint.explore import _native_control as native
    from linpoint.explore.python_control.control_session import ControlSession

    class Leaving:
        def __init__(self):
            self.n = 0
            self.lock = threading.Lock()

        def compute(self):
            self.n += 1
            while True:
                pass

        def wait(self):
            self.n += 1
            with contextlib.suppress(BaseException):
                os.read(os.pipe()[0], 1)

        def hold(self):
            with self.lock:
                self.n += 1

    def drive(method):
        with ControlSession(patience=0.2) as session, contextlib.suppress(TestError):
            explorer = native.explore_again([])
            explorer.begin()
            session.prepare(3)
            with session.alone():
                subject = Leaving()
            session.run(explorer, [((each, ()),) for each in (getattr(subject, method), subject.hold, subject.hold)])

    daemon = "daemon" in sys.argv
    thread = threading.Thread(target=drive, args=(sys.argv[1],), daemon=daemon)
    thread.start()
    thread.join(0.1 if daemon else None)
"""


@pytest.mark.parametrize("kind", ["", "daemon"])
@pytest.mark.parametrize("method", ["compute", "wait"])
def test_python_exits_cleanly_with_abandoned_threads(method, kind, tmp_path: Path):
    """At exit the interpreter unwinds the stacks of threads that want to continue, and the bindings once caught
    that.
    """
    script = tmp_path / "leaving.py"
    script.write_text(textwrap.dedent(LEAVING))
    for _ in range(3):
        done = subprocess.run([sys.executable, str(script), method, kind], capture_output=True, timeout=60, check=False)
        assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
