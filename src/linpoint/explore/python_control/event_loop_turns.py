# SPDX-License-Identifier: Apache-2.0
"""The turns of an event loop: the steps that may run next, and the step that a real loop would run.

The following steps may run next:

- The step of a ready task. A task is a process: at most one step of it is ready.
- The first of the callbacks that belong to no task (``call_soon``, callbacks of futures, the reactions of ``gather`` or
  ``TaskGroup`` to the end of a task). They form one process and keep their order, as asyncio promises. They do not run
  immediately: a real loop first runs everything that was ready before, for example another step of a task that is about
  to be cancelled.
- The earliest timer: time may pass while other steps are ready. Timers form one process and fire in the order of their
  deadlines. Virtual time is that of the session. It passes only when a timer fires or code calls a blocking sleep.

The usual step is the one that a real loop without I/O would run: the first ready one, or a timer if none is ready.
Cost: O(ready steps) per step.
"""

from __future__ import annotations

import asyncio
import heapq
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final
from weakref import WeakKeyDictionary

from linpoint.explore import _native_control as native
from linpoint.explore.python_control.stdlib_patches import MONOTONIC_START_S

ALIVE_FLAG: Final = 1
ENABLED_FLAG: Final = 2
YIELDS_FLAG: Final = 4


@dataclass(slots=True, eq=False)
class LoopProcess:
    """A sequence of steps. ``task`` is its current task; None for timers and callbacks."""

    number: int
    name: str
    task: asyncio.Task[Any] | None = None


def now() -> float:
    """The virtual time that ``time.monotonic`` returns to the program."""
    return MONOTONIC_START_S + float(native.control_now())


class LoopTurns:
    """The ready steps of one loop."""

    def __init__(self) -> None:
        self._ready: list[tuple[LoopProcess, asyncio.Handle]] = []
        self._timers: list[tuple[float, int, asyncio.TimerHandle]] = []
        self._timed = LoopProcess(0, "time")
        self._called = LoopProcess(1, "callbacks")
        self.processes: list[LoopProcess] = [self._timed, self._called]
        self._of_task: WeakKeyDictionary[asyncio.Task[Any], LoopProcess] = WeakKeyDictionary()
        self._made = 0
        self._last: asyncio.Handle | None = None
        self.making: LoopProcess | None = None
        """The process of the next new task; None if the task gets its own process."""

    def begin(self, clients: int) -> list[LoopProcess]:
        """Create processes for ``clients``, numbered from 0; timers, callbacks and existing tasks come after them."""
        made = [LoopProcess(number, f"task {number + 1}") for number in range(clients)]
        others = [each for each in self.processes if each.task is None or not each.task.done()]
        self.processes = [*made, *others]
        for number, each in enumerate(self.processes):
            each.number = number
        return made

    def show(self) -> tuple[bytes, int]:
        """The processes, each with ``ALIVE_FLAG``, ``ENABLED_FLAG`` and ``YIELDS_FLAG``, and the usual process."""
        self._drop_cancelled()
        shown = bytearray(0 if each.task is None or each.task.done() else ALIVE_FLAG for each in self.processes)
        for process, _ in self._ready:
            shown[process.number] = ALIVE_FLAG | ENABLED_FLAG
        if self._timers:
            shown[self._timed.number] = ALIVE_FLAG | ENABLED_FLAG | YIELDS_FLAG
        usual = self._ready[0][0] if self._ready else self._timed
        return bytes(shown), usual.number

    def step(self, number: int) -> None:
        """Run one step of an enabled process."""
        handle: asyncio.Handle
        if number == self._timed.number:
            when, _, handle = heapq.heappop(self._timers)
            _pass_time(when)
        else:
            at = next(at for at, (process, _) in enumerate(self._ready) if process.number == number)
            _, handle = self._ready.pop(at)
        self._last = handle
        handle._run()  # noqa: SLF001 - loops run handles this way

    def step_as_usual(self) -> LoopProcess | None:
        """Run the step that a real loop would run; return its process, or None if no process is enabled."""
        shown, usual = self.show()
        if not shown[usual] & ENABLED_FLAG:
            return None
        self.step(usual)
        return self.processes[usual]

    def last_step_text(self) -> str:
        """The effect of the last step as text, if it was a step of timers or callbacks."""
        passed = f"{now() - MONOTONIC_START_S:g} s have passed" if isinstance(self._last, asyncio.TimerHandle) else ""
        name = getattr(getattr(self._last, "_callback", None), "__qualname__", "a callback")
        wakes = name == "_set_result_unless_cancelled"  # asyncio.sleep
        return ", ".join(filter(None, (passed, "" if wakes else f"calls {name.replace('<locals>.', '')}")))

    def add(self, handle: asyncio.Handle, process: LoopProcess) -> None:
        """Make a step of ``process`` ready."""
        self._ready.append((process, handle))

    def add_timer(self, timer: asyncio.TimerHandle) -> None:
        """Add a timer, which fires when its time has come."""
        self._made += 1
        heapq.heappush(self._timers, (timer.when(), self._made, timer))

    def clear(self) -> None:
        """Remove all ready steps and timers."""
        self._ready.clear()
        self._timers.clear()

    def process_of(self, callback: Callable[..., Any]) -> LoopProcess:
        """The process of a callback; a new task gets one."""
        task = getattr(callback, "__self__", None)
        if not isinstance(task, asyncio.Task):
            return self._called
        process = self._of_task.get(task)
        if process is None:
            process, self.making = self.making, None
            if process is None:
                process = LoopProcess(len(self.processes), task.get_name(), task)
                self.processes.append(process)
            self._of_task[task] = process
        return process

    def _drop_cancelled(self) -> None:
        while self._timers and self._timers[0][2].cancelled():
            heapq.heappop(self._timers)
        if any(handle.cancelled() for _, handle in self._ready):
            self._ready = [each for each in self._ready if not each[1].cancelled()]


def _pass_time(until: float) -> None:
    native.control_sleep(max(0.0, until - now()))
    while now() < until:  # rounding can leave it slightly below
        native.control_sleep(math.ulp(until))
