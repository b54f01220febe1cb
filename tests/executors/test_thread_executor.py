# SPDX-License-Identifier: Apache-2.0
"""Tasks on threads: all run, including those added later, and the executor returns whatever the tasks do."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections.abc import Iterator

import pytest

from linpoint.executors.thread_executor import Task, run_all


def stop_immediately() -> bool:
    return True


def never() -> bool:
    return False


@pytest.mark.parametrize("jobs", [1, 2, 7])
@pytest.mark.parametrize("count", [0, 1, 50])
def test_all_tasks_run_including_added_ones(jobs: int, count: int) -> None:
    done: list[int] = []

    def task(number: int) -> Task:
        def run() -> list[Task]:
            done.append(number)
            return [task(number + 1_000)] if number < 1_000 else []

        return run

    assert run_all([task(n) for n in range(count)], jobs=jobs, watch=never, interrupt=lambda: None) is False
    assert sorted(done) == sorted([*range(count), *range(1_000, 1_000 + count)])


def test_the_first_error_is_raised_and_interrupts_the_other_tasks() -> None:
    told = threading.Event()

    def wrong() -> list[Task]:
        raise ValueError("no")

    def patient() -> list[Task]:
        assert told.wait(120)
        return []

    with pytest.raises(ValueError, match="no"):
        run_all([wrong, patient], jobs=2, watch=told.is_set, interrupt=told.set)


def returns_soon(tasks: list[Task]) -> None:
    """The tasks never end, so returning is all there is to check."""
    run_all(tasks, jobs=2, watch=stop_immediately, interrupt=lambda: None)


def test_a_task_that_never_ends_is_abandoned() -> None:
    def endless() -> list[Task]:
        while True:
            time.sleep(0.01)

    returns_soon([endless, endless])


def test_a_task_holding_the_shared_lock_does_not_block_the_caller() -> None:
    """As after an exception at the wrong moment."""

    def forever() -> Iterator[Task]:
        while True:
            try:
                time.sleep(0.01)
            except BaseException:  # noqa: BLE001 - it will not let go
                continue
            yield from ()

    returns_soon([forever, list])


def test_tasks_that_end_while_being_abandoned_do_not_block_the_caller() -> None:
    def short() -> list[Task]:
        return [short]  # and so on

    for _ in range(5):
        returns_soon([short, short, short])


_WAITS_FOR_EVER = """
import sys, threading
from linpoint.executors.thread_executor import run_all
lock = threading.Lock()
lock.acquire()
{abandon}
def traced():
    return 1
sys.settrace(lambda *_: None)
assert traced() == 1
sys.settrace(None)
"""


@pytest.mark.parametrize(
    "abandon",
    [
        "run_all([lambda: lock.acquire() or []], jobs=1, watch=lambda: True, interrupt=lambda: None)",
        """
import linpoint
class Stuck(linpoint.ConcurrentTest):
    def setup(self): return lock
    @linpoint.operation
    def acquire(self, lock): lock.acquire()
linpoint.stress(Stuck, spec="mutex", budget=3, patience=0.5)
""",
    ],
    ids=["task", "stress"],
)
def test_code_can_be_traced_while_an_abandoned_thread_waits(abandon: str) -> None:
    """Python 3.11 would loop over an exception that the waiting thread never receives."""
    source = _WAITS_FOR_EVER.format(abandon=abandon) + "import os; os._exit(0)"
    subprocess.run([sys.executable, "-c", source], timeout=60, check=True)
