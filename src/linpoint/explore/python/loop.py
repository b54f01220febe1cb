# SPDX-License-Identifier: Apache-2.0
"""An event loop under control: whoever drives it says at each step what runs next. No I/O, no threads, virtual time.

Everything of asyncio that is written on top of futures, tasks and timers works on it unchanged. What may run next:

- A task whose turn has come. A task is a process: it has one step ready at most.
- The first of the callbacks that are of no task (``call_soon``, callbacks of futures, what ``gather`` or ``TaskGroup``
  do when a task of theirs ends). They are one process and keep their order, which asyncio promises. They are not run at
  once: a real loop runs what was ready before first, and sees, say, another step of a task that is about to be cancelled.
- The earliest timer: time may pass while others are ready. Timers are one process, and fire in the order of their
  deadlines. Virtual time is that of the session, and passes only when a timer fires or somebody sleeps in earnest.

``usual`` is what a real loop without I/O would run: the first that is ready, or a timer if none is.
Guarantee: with the same choices the same happens; tasks and futures are hashed by the order in which they are made, so
that sets of them are iterated alike. Cost: O(what is ready) for a step.
"""

from __future__ import annotations

import asyncio
import heapq
import math
import sys
import weakref
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import contextmanager, suppress
from contextvars import Context
from dataclasses import dataclass
from typing import Any, Final

from linpoint.errors import TestError
from linpoint.explore import _native_control as native
from linpoint.explore.python.patching import BOOTED

ALIVE: Final = 1
ENABLED: Final = 2
YIELDS: Final = 4

_TO_FINISH: Final = 1_000
"""Steps that tasks get to end themselves after a run."""


@dataclass(slots=True, eq=False)
class Process:
    """What takes steps one after another. ``task`` is the present one; None for timers and callbacks."""

    number: int
    name: str
    task: asyncio.Task[Any] | None = None


class _Task(asyncio.Task[Any]):
    """A task whose hash depends on nothing but the run."""

    def __new__(cls, _coro: Any, *, loop: ControlledLoop, **_keywords: Any) -> _Task:
        made = super().__new__(cls)
        made.place_in_run = loop.next_place()
        return made

    place_in_run: int

    def __hash__(self) -> int:
        return self.place_in_run


class _Future(asyncio.Future[Any]):
    """As ``_Task``."""

    def __init__(self, *, loop: ControlledLoop) -> None:
        self.place_in_run = loop.next_place()
        super().__init__(loop=loop)

    def __hash__(self) -> int:
        return self.place_in_run


class ControlledLoop(asyncio.AbstractEventLoop):
    """The loop of one run."""

    def __init__(self) -> None:
        self._ready: list[tuple[Process, asyncio.Handle]] = []
        self._timers: list[tuple[float, int, asyncio.TimerHandle]] = []
        self._places = 0
        self._timed = Process(0, "time")
        self._called = Process(1, "callbacks")
        self.processes: list[Process] = [self._timed, self._called]
        self._of_task: weakref.WeakKeyDictionary[asyncio.Task[Any], Process] = weakref.WeakKeyDictionary()
        self._making: Process | None = None
        self._factory: Callable[..., asyncio.Task[Any]] | None = None
        self._on_exception: Callable[..., Any] | None = None
        self._generators: weakref.WeakSet[AsyncGenerator[Any, Any]] = weakref.WeakSet()
        self._closed = False
        self._ran: asyncio.Handle | None = None
        self.refused: TestError | None = None
        """What was asked for that there is not; kept, since the program may have swallowed it."""

    # --- for whoever drives it

    @contextmanager
    def running(self) -> Iterator[None]:
        """It is the running loop of the calling thread while the block lasts."""
        before = asyncio._get_running_loop()  # noqa: SLF001 - how loops are made known
        hooks = sys.get_asyncgen_hooks()
        asyncio._set_running_loop(None)  # noqa: SLF001
        asyncio._set_running_loop(self)  # noqa: SLF001
        sys.set_asyncgen_hooks(firstiter=self._generators.add, finalizer=self._finalize)
        try:
            yield
        finally:
            sys.set_asyncgen_hooks(*hooks)
            asyncio._set_running_loop(before)  # noqa: SLF001

    def begin(self, clients: int) -> list[Process]:
        """So many processes of their own, numbered from 0; timers, callbacks and the tasks there are come after them."""
        made = [Process(number, f"task {number + 1}") for number in range(clients)]
        others = [each for each in self.processes if each.task is None or not each.task.done()]
        self.processes = [*made, *others]
        for number, each in enumerate(self.processes):
            each.number = number
        return made

    def show(self) -> tuple[bytes, int]:
        """The processes, each with ``ALIVE``, ``ENABLED`` and ``YIELDS``, and the usual one among those enabled."""
        self._drop_cancelled()
        shown = bytearray(0 if each.task is None or each.task.done() else ALIVE for each in self.processes)
        for process, _ in self._ready:
            shown[process.number] = ALIVE | ENABLED
        if self._timers:
            shown[self._timed.number] = ALIVE | ENABLED | YIELDS
        usual = self._ready[0][0] if self._ready else self._timed
        return bytes(shown), usual.number

    def step(self, number: int) -> None:
        """One step of a process that is enabled."""
        if number == self._timed.number:
            when, _, handle = heapq.heappop(self._timers)
            self._pass_time(when)
        else:
            at = next(at for at, (process, _) in enumerate(self._ready) if process.number == number)
            _, handle = self._ready.pop(at)
        self._ran = handle
        handle._run()  # noqa: SLF001 - what a loop does with handles

    def told(self) -> str:
        """What the last step did, if it was one of timers or callbacks."""
        timed = isinstance(self._ran, asyncio.TimerHandle)
        name = getattr(getattr(self._ran, "_callback", None), "__qualname__", "a callback")
        what = "" if name == "_set_result_unless_cancelled" else f"calls {name.replace('<locals>.', '')}"
        return ", ".join(filter(None, (f"{self.time() - BOOTED:g} s have passed" if timed else "", what)))

    def step_as_usual(self) -> bool:
        """The step that a real loop would take; False if nobody can go on."""
        shown, usual = self.show()
        if not shown[usual] & ENABLED:
            return False
        self.step(usual)
        return True

    def start(self, coroutine: Any, process: Process | None = None) -> asyncio.Task[Any]:
        """A task for ``coroutine``, of its own process or as the next one of another; its first step is ready."""
        self._making = process
        task = _Task(coroutine, loop=self, name=f"Task-{self._places + 1}")
        if process is not None:
            process.task = task
        return task

    def push(self, process: Process, callback: Callable[[], None]) -> None:
        """A step of ``process`` is ready: to call ``callback``."""
        self._ready.append((process, asyncio.Handle(callback, (), self)))

    def finish(self) -> None:
        """End what is left of the run: tasks are cancelled, and closed if they do not obey. Nothing is logged."""
        self._on_exception = None
        with self.running():
            for _ in range(2):
                tasks = [each.task for each in self.processes if each.task is not None and not each.task.done()]
                for task in tasks:
                    task.cancel()
                for generator in list(self._generators) if not tasks else ():
                    self.start(generator.aclose())
                for _ in range(_TO_FINISH):
                    if not self.step_as_usual():
                        break
            for each in self.processes:
                _close(each.task)
        self._closed = True
        self._ready.clear()
        self._timers.clear()

    def next_place(self) -> int:
        """How many tasks, futures and timers there were before."""
        self._places += 1
        return self._places

    def _drop_cancelled(self) -> None:
        while self._timers and self._timers[0][2].cancelled():
            heapq.heappop(self._timers)
        if any(handle.cancelled() for _, handle in self._ready):
            self._ready = [each for each in self._ready if not each[1].cancelled()]

    def _pass_time(self, until: float) -> None:
        native.control_sleep(max(0.0, until - self.time()))
        while self.time() < until:  # rounded down
            native.control_sleep(math.ulp(until))

    def _process_of(self, callback: Callable[..., Any]) -> Process:
        task = getattr(callback, "__self__", None)
        if not isinstance(task, asyncio.Task):
            return self._called
        process = self._of_task.get(task)
        if process is None:
            process, self._making = self._making, None
            if process is None:
                process = Process(len(self.processes), task.get_name(), task)
                self.processes.append(process)
            self._of_task[task] = process
        return process

    def _finalize(self, generator: AsyncGenerator[Any, Any]) -> None:
        self._generators.discard(generator)
        if not self._closed:
            self.call_soon(self.create_task, generator.aclose())

    # --- what asyncio asks for

    def call_soon(self, callback: Any, *args: Any, context: Context | None = None) -> asyncio.Handle:  # noqa: D102
        self._check_open()
        handle = asyncio.Handle(callback, args, self, context)
        self._ready.append((self._process_of(callback), handle))
        return handle

    call_soon_threadsafe = call_soon

    def call_later(  # noqa: D102
        self, delay: float, callback: Any, *args: Any, context: Context | None = None
    ) -> asyncio.TimerHandle:
        if delay is None:
            raise TypeError("delay must not be None")
        return self.call_at(self.time() + delay, callback, *args, context=context)

    def call_at(  # noqa: D102
        self, when: float, callback: Any, *args: Any, context: Context | None = None
    ) -> asyncio.TimerHandle:
        if when is None:
            raise TypeError("when cannot be None")
        self._check_open()
        timer = asyncio.TimerHandle(when, callback, args, self, context)
        heapq.heappush(self._timers, (when, self.next_place(), timer))
        return timer

    def time(self) -> float:  # noqa: D102
        return BOOTED + native.control_now()

    def create_future(self) -> asyncio.Future[Any]:  # noqa: D102
        return _Future(loop=self)

    def create_task(self, coro: Any, *, name: str | None = None, **keywords: Any) -> asyncio.Task[Any]:  # noqa: D102
        self._check_open()
        if self._factory is None:
            return _Task(coro, loop=self, name=name or f"Task-{self._places + 1}", **keywords)
        task = self._factory(self, coro, **{key: each for key, each in keywords.items() if each is not None})
        if name is not None:
            task.set_name(name)
        return task

    def set_task_factory(self, factory: Any) -> None:  # noqa: D102
        self._factory = factory

    def get_task_factory(self) -> Any:  # noqa: D102
        return self._factory

    def set_exception_handler(self, handler: Any) -> None:  # noqa: D102
        self._on_exception = handler

    def get_exception_handler(self) -> Any:  # noqa: D102
        return self._on_exception

    def default_exception_handler(self, context: dict[str, Any]) -> None:
        """Says nothing: a run is one of thousands."""

    def call_exception_handler(self, context: dict[str, Any]) -> None:  # noqa: D102
        if self._on_exception is not None:
            with suppress(Exception):
                self._on_exception(self, context)

    def get_debug(self) -> bool:  # noqa: D102
        return False

    def set_debug(self, enabled: bool) -> None:
        """Debugging is about real time."""

    def is_running(self) -> bool:  # noqa: D102
        return not self._closed

    def is_closed(self) -> bool:  # noqa: D102
        return self._closed

    async def shutdown_asyncgens(self) -> None:  # noqa: D102
        for generator in list(self._generators):
            await generator.aclose()

    async def shutdown_default_executor(self, timeout: float | None = None) -> None:
        """There is none."""

    def _timer_handle_cancelled(self, handle: asyncio.TimerHandle) -> None:
        """It is dropped when its time comes."""

    def _check_open(self) -> None:
        if self._closed:
            raise RuntimeError("Event loop is closed")


def _close(task: asyncio.Task[Any] | None) -> None:
    if task is None:
        return
    if task.done():
        if not task.cancelled():
            task.exception()  # so that nobody says it was never retrieved
        return
    task._log_destroy_pending = False  # type: ignore[attr-defined]  # noqa: SLF001 - it was told to end, and did not
    coroutine = task.get_coro()
    with suppress(Exception):
        if coroutine is not None:
            coroutine.close()


def _refusing(name: str) -> Callable[..., Any]:
    def refuse(self: ControlledLoop, *_args: Any, **_keywords: Any) -> Any:
        self.refused = TestError(
            "LP-T020",
            f"the code under test calls {name} of its event loop, which needs I/O, threads or signals, or ends the loop.",
            remedy="Put a coroutine in its place that awaits asyncio.sleep: the explorer decides when it goes on.",
        )
        raise self.refused

    return refuse


for _name, _thing in vars(asyncio.AbstractEventLoop).items():
    if not _name.startswith("_") and callable(_thing) and _name not in vars(ControlledLoop):
        setattr(ControlledLoop, _name, _refusing(_name))
