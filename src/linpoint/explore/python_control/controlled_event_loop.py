# SPDX-License-Identifier: Apache-2.0
"""An event loop under control: its driver chooses at each step what runs next. No I/O, no threads, virtual time.

All parts of asyncio that rest on futures, tasks and timers work on it unchanged; other requests are refused with
LP-T025. Guarantee: equal choices give equal runs. Tasks and futures are hashed by the order of their creation, so that
sets of them are iterated in the same order.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import contextmanager, suppress
from contextvars import Context
from typing import Any, Final, Self, TypeVarTuple
from weakref import WeakSet

from linpoint.errors import TestError
from linpoint.explore.python_control.event_loop_turns import LoopProcess, LoopTurns, now

_CLEANUP_STEPS: Final = 1_000
"""Maximum number of steps in which tasks may end themselves after a run."""

_Arguments = TypeVarTuple("_Arguments")


class _Task(asyncio.Task[Any]):
    """A task whose hash depends only on the run."""

    _number: int

    def __new__(cls, _coro: Any, *, loop: ControlledEventLoop, **_keywords: Any) -> Self:
        made = super().__new__(cls)
        made._number = loop.next_number()  # __init__ already uses the hash
        return made

    def __hash__(self) -> int:
        return self._number


class _Future(asyncio.Future[Any]):
    """A future whose hash depends only on the run."""

    def __init__(self, *, loop: ControlledEventLoop) -> None:
        self._number = loop.next_number()
        super().__init__(loop=loop)

    def __hash__(self) -> int:
        return self._number


class ControlledEventLoop(asyncio.AbstractEventLoop):
    """The loop of one run."""

    def __init__(self) -> None:
        self.turns = LoopTurns()
        self._numbers = 0
        self._factory: Callable[..., asyncio.Task[Any]] | None = None
        self._on_exception: Callable[..., Any] | None = None
        self._generators: WeakSet[AsyncGenerator[Any, Any]] = WeakSet()
        self._closed = False
        self.refused: TestError | None = None
        """The refused request, stored because the program may have caught the error."""

    # --- for the driver

    @contextmanager
    def running(self) -> Iterator[None]:
        """Make it the running loop of the calling thread within the block."""
        before = asyncio._get_running_loop()  # noqa: SLF001 - the way to register a loop
        hooks = sys.get_asyncgen_hooks()
        asyncio._set_running_loop(self)  # noqa: SLF001
        sys.set_asyncgen_hooks(firstiter=self._generators.add, finalizer=self._finalize)
        try:
            yield
        finally:
            sys.set_asyncgen_hooks(*hooks)
            asyncio._set_running_loop(before)  # noqa: SLF001

    def start(self, coroutine: Any, process: LoopProcess | None = None) -> asyncio.Task[Any]:
        """Create a task for ``coroutine`` as its own process, or as the next task of ``process``; its first step is
        ready.
        """
        self.turns.making = process
        task = _Task(coroutine, loop=self, name=self._name())
        if process is not None:
            process.task = task
        return task

    def push(self, process: LoopProcess, callback: Callable[[], None]) -> None:
        """Make a step of ``process`` ready, which calls ``callback``."""
        self.turns.add(asyncio.Handle(callback, (), self), process)

    def finish(self) -> None:
        """End the remaining tasks of the run: cancel them, and close those that continue. Nothing is logged."""
        self._on_exception = None
        with self.running():
            for _ in range(2):
                tasks = [each.task for each in self.turns.processes if each.task is not None and not each.task.done()]
                for task in tasks:
                    task.cancel()
                for generator in list(self._generators) if not tasks else ():
                    self.start(generator.aclose())
                for _ in range(_CLEANUP_STEPS):
                    if not self.turns.step_as_usual():
                        break
            for each in self.turns.processes:
                _close(each.task)
        self._closed = True
        self.turns.clear()

    def next_number(self) -> int:
        """The number of tasks and futures created, including this one."""
        self._numbers += 1
        return self._numbers

    def _name(self) -> str:
        return f"Task-{self._numbers + 1}"

    def _finalize(self, generator: AsyncGenerator[Any, Any]) -> None:
        self._generators.discard(generator)
        if not self._closed:
            self.call_soon(self.create_task, generator.aclose())

    # --- the interface of asyncio

    def call_soon(
        self, callback: Callable[[*_Arguments], object], *args: *_Arguments, context: Context | None = None
    ) -> asyncio.Handle:
        """Call it as soon as the explorer chooses."""
        self._check_open()
        handle = asyncio.Handle(callback, args, self, context)
        self.turns.add(handle, self.turns.process_of(callback))
        return handle

    def call_soon_threadsafe(
        self, callback: Callable[[*_Arguments], object], *args: *_Arguments, context: Context | None = None
    ) -> asyncio.Handle:
        """The same, since there is only one thread."""
        return self.call_soon(callback, *args, context=context)

    def call_later(
        self,
        delay: float,
        callback: Callable[[*_Arguments], object],
        *args: *_Arguments,
        context: Context | None = None,
    ) -> asyncio.TimerHandle:
        """Call it after ``delay`` virtual seconds."""
        return self.call_at(self.time() + delay, callback, *args, context=context)

    def call_at(
        self, when: float, callback: Callable[[*_Arguments], object], *args: *_Arguments, context: Context | None = None
    ) -> asyncio.TimerHandle:
        """Call it at this virtual time."""
        self._check_open()
        timer = asyncio.TimerHandle(when, callback, args, self, context)
        self.turns.add_timer(timer)
        return timer

    def time(self) -> float:
        """The virtual time."""
        return now()

    def create_future(self) -> asyncio.Future[Any]:
        """Create a future of this loop."""
        return _Future(loop=self)

    def create_task(self, coro: Any, *, name: str | None = None, **keywords: Any) -> asyncio.Task[Any]:
        """Create a task of this loop."""
        self._check_open()
        if self._factory is None:
            return _Task(coro, loop=self, name=name or self._name(), **keywords)
        task = self._factory(self, coro, **{key: each for key, each in keywords.items() if each is not None})
        if name is not None:
            task.set_name(name)
        return task

    def set_task_factory(self, factory: Any) -> None:
        """Create tasks with ``factory``."""
        self._factory = factory

    def get_task_factory(self) -> Any:
        """The task factory; None if the loop creates tasks itself."""
        return self._factory

    def set_exception_handler(self, handler: Any) -> None:
        """Report exceptions that no other code handles to ``handler``."""
        self._on_exception = handler

    def get_exception_handler(self) -> Any:
        """The handler of such exceptions."""
        return self._on_exception

    def default_exception_handler(self, context: dict[str, Any]) -> None:
        """Does nothing: a run is one of thousands."""

    def call_exception_handler(self, context: dict[str, Any]) -> None:
        """Report an exception that no other code handles."""
        if self._on_exception is not None:
            with suppress(Exception):
                self._on_exception(self, context)

    def get_debug(self) -> bool:
        """False: debug mode is about real time."""
        return False

    def set_debug(self, enabled: bool) -> None:
        """Has no effect."""

    def is_running(self) -> bool:
        """Whether the run is not over."""
        return not self._closed

    def is_closed(self) -> bool:
        """Whether the run is over."""
        return self._closed

    async def shutdown_asyncgens(self) -> None:
        """Close all asynchronous generators."""
        for generator in list(self._generators):
            await generator.aclose()

    async def shutdown_default_executor(self, *_: Any) -> None:
        """Does nothing: there is no executor."""

    def _timer_handle_cancelled(self, handle: asyncio.TimerHandle) -> None:
        """Does nothing: a cancelled timer is dropped when its time comes."""

    def _check_open(self) -> None:
        if self._closed:
            raise RuntimeError("Event loop is closed")


def _close(task: asyncio.Task[Any] | None) -> None:
    if task is None:
        return
    if task.done():
        if not task.cancelled():
            task.exception()  # prevents the report that it was never retrieved
        return
    task._log_destroy_pending = False  # type: ignore[attr-defined]  # noqa: SLF001 - it was cancelled, but did not end
    coroutine = task.get_coro()
    with suppress(Exception):
        if coroutine is not None:
            coroutine.close()


def _refusing(name: str) -> Callable[..., Any]:
    def refuse(self: ControlledEventLoop, *_args: Any, **_keywords: Any) -> Any:
        self.refused = TestError(
            "LP-T025",
            f"the code under test calls {name} of its event loop, which needs I/O, threads or signals, or ends the loop.",
            remedy="Replace it with a coroutine that awaits asyncio.sleep; the explorer decides when it continues.",
        )
        raise self.refused

    return refuse


for _name, _thing in vars(asyncio.AbstractEventLoop).items():
    if not _name.startswith("_") and callable(_thing) and _name not in vars(ControlledEventLoop):
        setattr(ControlledEventLoop, _name, _refusing(_name))
