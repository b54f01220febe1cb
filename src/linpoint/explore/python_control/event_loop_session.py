# SPDX-License-Identifier: Apache-2.0
"""A session for coroutines: while it is open, tasks run on an event loop whose order an explorer chooses.

Code that runs scenarios uses it like a ``ControlSession``: a body is the operations of one client, and each operation
is a task. An operation is called with its first step and returns with its last one; between two of its steps other
tasks may run.

Every step counts as touching everything, since the data that coroutines share is not observed: no schedule is pruned as
equivalent to another one. A *preemption* is a departure from the order of a real loop, so a small bound covers the
schedules closest to those of a real loop: delay bounding (Emmi, Qadeer and Rakamaric: Delay-Bounded Scheduling, POPL
2011).
"""

from __future__ import annotations

import asyncio
import gc
import inspect
import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any, Final, Protocol, Self

from linpoint.errors import TestError
from linpoint.explore import _native_control as native
from linpoint.explore.python_control import stdlib_patches
from linpoint.explore.python_control.control_session import BlockedThread, Body, CompletedCall, ControlSession
from linpoint.explore.python_control.controlled_event_loop import ControlledEventLoop
from linpoint.explore.python_control.controlled_threads import controlled_thread_ids, membership
from linpoint.explore.python_control.event_loop_turns import ENABLED_FLAG, LoopProcess
from linpoint.explore.python_control.run_abort import BlockedForever
from linpoint.explore.python_control.task_trace_recorder import TaskTraceRecorder
from linpoint.judging.scenario_run import RunEnding

IDLE_BACKGROUND_STEPS: Final = 2_000
"""Number of consecutive steps of background tasks after which waiting clients are taken to wait forever."""


@dataclass(slots=True, eq=False)
class _Client:
    """A process that runs operations one after another."""

    process: LoopProcess
    calls: Sequence[tuple[Callable[..., Any], tuple[Any, ...]]]
    done: list[CompletedCall] = field(default_factory=list)

    @property
    def finished(self) -> bool:
        return len(self.done) == len(self.calls) and self.done[-1].returned >= 0


class TaskListener(Protocol):
    """Receives the events of a run."""

    def turn(self, process: LoopProcess, *, instead: LoopProcess | None) -> None:
        """The process takes a step, ``instead`` of another process whose turn it was."""

    def called(self, process: LoopProcess) -> None:
        """The next operation of the process begins."""

    def paused(self, process: LoopProcess) -> None:
        """The step of the process is over."""

    def returned(self, process: LoopProcess, number: int, value: Any, raised: bool) -> None:
        """An operation of the process ended in this way."""


class EventLoopSession(ControlSession):
    """Keeps coroutines under control within its block."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self._loop = ControlledEventLoop()  # type: ignore[abstract]  # its other methods refuse
        self._clients: list[_Client] = []
        self._step = self._quiet = 0
        self._ending = RunEnding.COMPLETE
        self.listener: TaskListener | None = None

    def __enter__(self) -> Self:
        self._stack.callback(controlled_thread_ids.clear)
        self._stack.enter_context(stdlib_patches.replaced())
        if gc.isenabled():
            gc.disable()
            self._stack.callback(gc.enable)
        state = random.getstate()
        self._stack.callback(random.setstate, state)
        self._stack.callback(self._end_run)
        self._open = True
        return self

    def prepare(self, threads: int = 0) -> None:  # noqa: ARG002 - clients are numbered when they begin
        """End the remaining tasks of the previous run, then prepare as for threads, with a fresh loop."""
        self._end_run()
        super().prepare()
        random.seed(0)
        self._loop = ControlledEventLoop()  # type: ignore[abstract]  # as above
        self._clients = []
        self._step = self._quiet = 0

    @contextmanager
    def alone(self, *, most: int = 0) -> Iterator[None]:  # noqa: ARG002 - steps are counted, code is not observed
        """Put the calling thread under control, as for threads."""
        with membership():
            yield

    def call(self, function: Callable[..., Any], *args: Any) -> Any:
        """Call ``function``, await its result if possible, and return it. Tasks run in the order of a real loop."""
        loop = self._loop
        with loop.running():
            value = function(*args)
            if not inspect.isawaitable(value):
                return value
            task = loop.start(_awaited(value))
            steps = quiet = 0
            while not task.done() and steps < self._most_steps and quiet < IDLE_BACKGROUND_STEPS:
                process = loop.turns.step_as_usual()
                if process is None:
                    break
                steps += 1
                quiet = 0 if process.task is task else quiet + 1
            self._check()
        if not task.done():
            raise BlockedForever
        return task.result()

    def run(self, explorer: native.Explorer, bodies: Sequence[Body]) -> RunEnding:
        """Run these clients once, concurrently with the existing tasks."""
        loop = self._loop
        with self.alone(), loop.running():
            for process, body in zip(loop.turns.begin(len(bodies)), bodies, strict=True):
                assert isinstance(body, tuple)
                client = _Client(process, body)
                self._clients.append(client)
                self._call_next(client)
            self._ending = self._drive(explorer)
        self._check()
        return self._ending

    def outcome(self) -> None:
        """None: no cheap summary exists."""

    def goes_round(self) -> bool:
        """False: the reads of tasks are not observed."""
        return False

    def operations(self) -> list[list[CompletedCall]]:
        """The operations of each client."""
        return [client.done for client in self._clients]

    def waiting(self) -> list[BlockedThread]:
        """The clients that were blocked when the run ended, each with the process that it waits for, if any."""
        return [
            BlockedThread(client.process.number, self._awaited_by(client.process))
            for client in self._clients
            if self._ending is RunEnding.STUCK and not client.finished
        ]

    def narrator(self, operations: Sequence[Sequence[tuple[str, tuple[Any, ...]]]], root: str) -> TaskTraceRecorder:
        """A recorder for a run."""
        return TaskTraceRecorder(self, self._selection, operations, root)

    def last_step_text(self) -> str:
        """The effect of the last step as text, if it was a step of timers or callbacks."""
        return self._loop.turns.last_step_text()

    def _drive(self, explorer: native.Explorer) -> RunEnding:
        loop, clients, listener = self._loop, self._clients, self.listener
        while True:
            shown, usual = loop.turns.show()
            ending = None
            if all(client.finished for client in clients):
                ending = RunEnding.COMPLETE
            elif self._loop.refused is not None:
                ending = RunEnding.STOPPED
            elif self._blocked() or not shown[usual] & ENABLED_FLAG or self._is_quiet(shown):
                ending = RunEnding.STUCK
            elif self._step >= self._most_steps:
                ending = RunEnding.CUT
            if ending is not None:
                # Remaining tasks could have run first, so their next steps count.
                left = any(shown) if ending is RunEnding.COMPLETE else shown[usual] & ENABLED_FLAG
                ended = ending in (RunEnding.COMPLETE, RunEnding.STUCK)
                explorer.end(shown, RunEnding.STOPPED if left and ended else ending)
                return ending
            preemptions = explorer.preemptions if listener is not None else 0
            number = explorer.choose(shown, usual)
            if number is None:
                return RunEnding.REDUNDANT
            if listener is not None:
                instead = loop.turns.processes[usual] if explorer.preemptions > preemptions else None
                listener.turn(loop.turns.processes[number], instead=instead)
            self._take(number)

    def _take(self, number: int) -> None:
        self._step += 1
        self._quiet = 0 if number < len(self._clients) else self._quiet + 1
        process = self._loop.turns.processes[number]
        with suppress(SystemExit):  # the task's awaiter receives it
            self._loop.turns.step(number)
        if self.listener is not None:
            self.listener.paused(process)
        if number < len(self._clients) and process.task is not None and process.task.done():
            self._note_return(self._clients[number])

    def _call_next(self, client: _Client) -> None:
        function, args = client.calls[len(client.done)]

        def begin() -> None:
            client.done.append(CompletedCall(self._step))
            if self.listener is not None:
                self.listener.called(client.process)
            self._loop.start(self._operation(function, args), client.process)
            self._loop.turns.step(client.process.number)

        self._loop.push(client.process, begin)

    async def _operation(self, function: Callable[..., Any], args: tuple[Any, ...]) -> Any:
        value = function(*args)
        if inspect.isawaitable(value):
            value = await value
        return self._result(value)

    def _note_return(self, client: _Client) -> None:
        task = client.process.task
        assert task is not None
        client.process.task = None
        error = asyncio.CancelledError() if task.cancelled() else task.exception()
        if isinstance(error, BlockedForever):
            client.done[-1].value = error
            return
        done = client.done[-1]
        done.returned, done.raised = self._step, error is not None
        done.value = task.result() if error is None else error
        if self.listener is not None:
            self.listener.returned(client.process, len(client.done) - 1, done.value, done.raised)
        elif error is not None:
            error.__traceback__ = None  # its frames would keep objects alive
        if len(client.done) < len(client.calls):
            self._call_next(client)

    def _blocked(self) -> bool:
        """Whether a client waits for a lock of threads; nothing else can run until it gets the lock."""
        return any(client.done and isinstance(client.done[-1].value, BlockedForever) for client in self._clients)

    def _is_quiet(self, shown: bytes) -> bool:
        """Whether all clients wait, and only background tasks, such as a heartbeat, take steps."""
        return self._quiet >= IDLE_BACKGROUND_STEPS and not any(
            shown[client.process.number] & ENABLED_FLAG for client in self._clients
        )

    def _awaited_by(self, process: LoopProcess) -> int | None:
        future = getattr(process.task, "_fut_waiter", None)
        others = (each.number for each in self._loop.turns.processes if each.task is not None and each.task is future)
        return next(others, None)

    def _check(self) -> None:
        if self._loop.refused is not None:
            raise self._loop.refused
        if native.control_operations():
            raise TestError(
                "LP-T025",
                "the code under test starts a thread in addition to its event loop.",
                remedy="Test threads and coroutines separately: make operations plain functions, or start no threads.",
            )

    def _end_run(self) -> None:
        with self.alone():
            self._loop.finish()


async def _awaited(value: Any) -> Any:
    return await value
