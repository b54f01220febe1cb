# SPDX-License-Identifier: Apache-2.0
"""Threads that persist over many runs, start each run together, and are monitored.

Guarantee: ``ThreadPool.run`` returns once no operation has begun or ended for the length of its patience, whatever the
object does, unless code outside Python never releases the interpreter lock. Threads that hang are abandoned as daemons.
Each worker holds an object only while it works on it. Cost: waking a thread takes some 10 microseconds, so the calls of
one run should take longer than that.
"""

from __future__ import annotations

import itertools
import os.path
import queue
import sys
import threading
import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any, Final

from linpoint.executors.thread_executor import TASK_GRACE_S, AbandonedError, cancel_raise, raise_in_thread
from linpoint.record._native_record import Ending, Gate, ThreadLog, wait_precisely
from linpoint.record.log_assembly import new_log
from linpoint.record.stress_workload import Program

_POLL_INTERVAL_S: Final = 0.05
"""Seconds between two checks of the working threads."""

_IDLE_CPU_S: Final = _POLL_INTERVAL_S / 50
"""The processor time between two checks below which a thread counts as waiting."""

_MAX_STACK_FRAMES: Final = 6
"""The number of frames shown for a thread that hangs."""


class FreshObject:
    """The object of a run. A worker constructs it, so that a setup that hangs is detected like any other hang."""

    def __init__(self, setup: Callable[[], Any]) -> None:
        self._setup: Callable[[], Any] | None = setup
        self.thing: Any = None
        self.error: BaseException | None = None

    def make(self) -> None:
        """Construct the object, unless it exists."""
        setup, self._setup = self._setup, None
        try:
            if setup is not None:
                self.thing = setup()
        except (Exception, SystemExit) as error:  # noqa: BLE001 - passed to the caller who gave the setup
            self.error = error


@dataclass(frozen=True, slots=True)
class PoolJob:
    """The work of one worker in a phase of a run: calls on an object, with a pause before each.

    One of the workers of an object is ``first``, the same in all phases, and constructs the object.
    """

    subject: FreshObject
    program: Program
    pauses: Sequence[float] | None = None
    first: bool = False


class ThreadPool:
    """Workers with one log each. One thread assigns them work, phase by phase."""

    def __init__(self, size: int, *, expected: int, precise: bool) -> None:
        self.logs = [new_log(expected + 1) for _ in range(size)]
        self._inboxes: list[queue.SimpleQueue[tuple[PoolJob, Gate | None] | None]] = [
            queue.SimpleQueue() for _ in range(size)
        ]
        self._done: queue.SimpleQueue[int] = queue.SimpleQueue()
        self._gates: dict[int, Gate] = {}
        self._closed = False
        self._threads = [
            threading.Thread(target=self._work, args=(worker, precise), name=f"linpoint-{worker}", daemon=True)
            for worker in range(size)
        ]
        for thread in self._threads:
            thread.start()

    def run(self, jobs: Mapping[int, PoolJob], *, patience: float, deadline: float | None) -> frozenset[int]:
        """Let the workers do their jobs, starting together. Return the workers that did not finish.

        They are abandoned when no operation has begun or ended for ``patience`` seconds, or at the ``deadline``.
        """
        gate = self._gates.setdefault(len(jobs), Gate(len(jobs))) if len(jobs) > 1 else None
        for worker, job in jobs.items():
            self._inboxes[worker].put((job, gate))
        left = set(jobs)
        seen, since = -1, time.monotonic()
        while left:
            try:
                left.discard(self._done.get(timeout=_POLL_INTERVAL_S))
            except queue.Empty:
                now = time.monotonic()
                moved = sum(len(log) for log in self.logs) - len(left)
                if moved != seen:
                    seen, since = moved, now
                if now - since > patience or (deadline is not None and now > deadline):
                    break
        return frozenset(left)

    def stuck(self, workers: frozenset[int]) -> dict[int, tuple[tuple[str, ...], bool]]:
        """The position of each worker, innermost frame last, and whether it is running."""
        # Frames cannot decide that: a thread switches only at certain steps, so a loop always shows the same position.
        before = {worker: _processor_time(self._threads[worker]) for worker in workers}
        time.sleep(_POLL_INTERVAL_S)
        frames = sys._current_frames()  # noqa: SLF001 - the documented way, despite its name
        return {
            worker: (
                _stack(frames.get(self._threads[worker].ident or 0)),
                _processor_time(self._threads[worker]) - before[worker] > _IDLE_CPU_S,
            )
            for worker in sorted(workers)
        }

    def close(self) -> None:
        """End the pool. An exception is raised in the Python code of workers that hang, which ends loops."""
        self._closed = True
        for inbox in self._inboxes:
            inbox.put(None)
        last = time.monotonic() + TASK_GRACE_S
        for thread in self._threads:
            thread.join(max(0.0, last - time.monotonic()))
            if thread.is_alive():
                assert thread.ident is not None
                raise_in_thread(thread.ident, AbandonedError)
        last = time.monotonic() + TASK_GRACE_S
        for thread in self._threads:
            thread.join(max(0.0, last - time.monotonic()))
        cancel_raise(self._threads)

    def _work(self, worker: int, precise: bool) -> None:
        if precise:
            wait_precisely()
        inbox, log = self._inboxes[worker], self.logs[worker]
        try:
            while not self._closed and _work_once(inbox, log):
                self._done.put(worker)
        except AbandonedError:  # the pool was closed
            pass


def _work_once(inbox: queue.SimpleQueue[tuple[PoolJob, Gate | None] | None], log: ThreadLog) -> bool:
    """Wait for a job and do it. It holds no object after it returns. False if there are no more jobs."""
    given = inbox.get()
    if given is None:
        return False
    job, gate = given
    if job.first:
        job.subject.make()
    pauses = itertools.repeat(0.0) if job.pauses is None else iter(job.pauses)
    call, returned, sleep = log.call, log.returned, time.sleep
    if gate is not None:
        gate.arrive()
    if job.subject.error is not None:
        return True
    subject = job.subject.thing
    for (number, function, args), pause in zip(job.program, pauses, strict=False):
        if pause:
            sleep(pause)
        call(number, args)
        try:
            result = function(subject, *args)
        except (Exception, SystemExit) as error:  # noqa: BLE001 - an exception is a result like any other
            log.raised(error)
        except BaseException:  # noqa: BLE001 - raised from outside, so the outcome is unknown
            log.ended(Ending.UNKNOWN)
            break  # this process cannot continue
        else:
            returned(result)
    return True


def _processor_time(thread: threading.Thread) -> float:
    """The processor time of a thread in seconds; 0 where the system does not report it."""
    clock_of = getattr(time, "pthread_getcpuclockid", None)
    if clock_of is None or thread.ident is None or not thread.is_alive():
        return 0.0
    return time.clock_gettime(clock_of(thread.ident))


def _stack(frame: FrameType | None) -> tuple[str, ...]:
    """The user's frames of a thread, without those of linpoint around them."""
    if frame is None:
        return ()
    found = [each for each in traceback.extract_stack(frame) if each.filename != __file__]
    inside = list(itertools.dropwhile(lambda each: each.filename == threading.__file__, found))[-_MAX_STACK_FRAMES:]
    return tuple(f"{_short(each.filename)}:{each.lineno} {each.name}: {each.line}" for each in inside)


def _short(path: str) -> str:
    relative = os.path.relpath(path)
    return relative if not relative.startswith("..") else Path(path).name
