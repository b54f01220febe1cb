# SPDX-License-Identifier: Apache-2.0
"""A session of control: while it is open, code runs under schedules that an explorer chooses.

Guarantee: between two sessions nothing of the interpreter is changed. One session at a time. Cost: a few milliseconds to
open, since every module is looked at for locks and clocks.
"""

from __future__ import annotations

import enum
import gc
import platform
import random
import sys
import time
import types
from _thread import get_ident, start_new_thread  # the real ones: in their modules they are replaced
from collections.abc import Callable, Container, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from time import sleep  # as above
from typing import Any, Final, Literal, Self

from linpoint.errors import TestError
from linpoint.explore import _native_control as native
from linpoint.explore.python import bytecode, monitoring, patching, threads, uncontrolled, watchdog
from linpoint.explore.python.membership import members, membership
from linpoint.explore.python.narrating import Narrator
from linpoint.explore.python.selection import Selection
from linpoint.explore.python.stopping import StopRun
from linpoint.histories.values import freeze

MOST_STEPS: Final = 20_000
"""A run of so many steps is cut: its threads seem to run for ever."""
PATIENCE: Final = 5.0
"""Seconds without a step after which a run is given up."""

_COLLECT_EVERY: Final = 1_000


class Ending(enum.IntEnum):
    """How a run ended; the numbers are those of the native control."""

    COMPLETE = 0
    STUCK = 1
    STOPPED = 2
    CUT = 3
    REDUNDANT = 4
    STALLED = 5


@dataclass(slots=True)
class Done:
    """One operation of a thread: the steps with which it was called and returned, -1 for what did not happen."""

    called: int = -1
    returned: int = -1
    value: Any = None
    raised: bool = False


@dataclass(frozen=True, slots=True)
class Stuck:
    """A thread that could not go on when the run ended, and the one that has what it waits for, if one has it."""

    process: int
    owner: int | None
    place: int = 0
    """Of the lock, comparable within the run only."""


Body = Callable[[], Any] | tuple[tuple[Callable[..., Any], tuple[Any, ...]], ...]
"""What a thread does: call a function, or operations one after another."""


class Session:
    """Code under control while the block lasts."""

    def __init__(
        self,
        *,
        instrument: Sequence[Any] = (),
        granularity: str = "access",
        gil: bool = False,
        program: Container[str] = (),
        most_steps: int = MOST_STEPS,
        patience: float = PATIENCE,
        result: Callable[[Any], Any] = freeze,
    ) -> None:
        self._selection = Selection(tuple(instrument))
        self._granularity = granularity
        self._gil = gil
        self._program = program
        self._most_steps = most_steps
        self._patience = patience
        self._result = result
        self._stack = ExitStack()
        self._fibers = True
        self._runs = 0
        self._open = False
        self._left_behind = native.control_serving()
        self._seeded = False
        """Random numbers start again with each run: the code uses them."""
        self._trouble: TestError | None = None

    @property
    def is_open(self) -> bool:
        """Whether code is under control now."""
        return self._open

    def __enter__(self) -> Self:
        if not native.can_look_at_frames():
            raise TestError(
                "LP-T023",
                f"what instructions touch cannot be seen in {platform.python_implementation()} {platform.python_version()}.",
                remedy="Use CPython 3.11, 3.12 or 3.13 with a global lock.",
            )
        with ExitStack() as stack:
            stack.callback(members.clear)
            stack.enter_context(threads.known(*threads.FIBERS))
            stack.enter_context(patching.replaced())
            native.hook(True, self._describe, self._uncontrolled)
            native.hook_look_out_for(uncontrolled.RESTING_ON_LOCKS)
            if monitoring.NEEDED:
                stack.enter_context(monitoring.watching())
            native.control_on_result(self._result)
            stack.callback(random.setstate, random.getstate())
            if gc.isenabled():
                gc.disable()
                stack.callback(gc.enable)
            self._fibers = watchdog.can_watch()
            if self._fibers:
                stack.enter_context(watchdog.watched(self._patience, self._stall))
            stack.callback(self._close)
            self._stack = stack.pop_all()
        self._open = True
        return self

    def __exit__(self, *_: object) -> None:
        self._open = False
        self._stack.close()

    def prepare(self) -> None:
        """Before the object of a run is made: locks are free, virtual time starts again, random numbers too."""
        self._runs += 1
        if self._runs % _COLLECT_EVERY == 0:
            gc.collect()
        native.control_prepare()
        threads.begin_run(self._have_idle)
        if self._seeded:
            random.seed(0)

    @contextmanager
    def alone(self) -> Iterator[None]:
        """The calling thread is under control too, with nobody beside it: to make objects, and to look at them."""
        with membership():
            yield

    def run(self, explorer: native.Explorer, bodies: Sequence[Body]) -> Ending:
        """One run of these threads, and of those that were started since ``prepare``."""
        processes = [native.control_add(body) for body in bodies] + threads.add_to_run()
        self._have_idle(1 + max(processes, default=-1))
        ending = Ending(native.control_run(explorer, self._most_steps, self._patience))
        if ending is Ending.STALLED:
            self._stall()
            native.control_abandon()
        trouble, self._trouble = self._trouble, None
        if trouble is not None:
            raise trouble
        return ending

    def call(self, function: Callable[..., Any], *args: Any) -> Any:
        """What ``function`` gives, with nobody beside it; the block of ``alone`` is around."""
        return function(*args)

    def operations(self) -> list[list[Done]]:
        """What each thread did in the last run."""
        return [[Done(*each) for each in thread] for thread in native.control_operations()]

    def waiting(self) -> list[Stuck]:
        """The threads that could not go on when the last run ended, without those in the background."""
        waiting = native.control_waiting()
        return [Stuck(process, owner, place) for process, place, owner, background in waiting if not background]

    def narrator(self, operations: Sequence[Sequence[tuple[str, tuple[Any, ...]]]], root: str) -> Narrator:
        """Tells a run of threads with these operations."""
        return Narrator([f"thread {number + 1}" for number in range(len(operations))], operations, root)

    def _close(self) -> None:
        native.control_close()
        deadline = time.monotonic() + 1
        while native.control_serving() > self._left_behind and time.monotonic() < deadline:
            sleep(0.0001)

    def _have_idle(self, count: int) -> None:
        """Let at least so many wait for processes; one that is under control asks for them too."""
        while native.control_idle() < count:
            if self._fibers:
                native.control_add_fiber()
            else:
                self._add_thread()

    def _add_thread(self) -> None:
        ready = native.control_idle() + 1

        def serve() -> None:
            with threads.known(get_ident()), suppress(StopRun):
                members.add(get_ident())
                native.control_serve()

        start_new_thread(serve, ())
        while native.control_idle() < ready:
            sleep(0.0001)

    def _describe(self, code: types.CodeType) -> list[bytecode.Row] | Literal[False] | None:
        """The instructions of interest; None if a call is one step, False if it is left alone and makes its own points."""
        if code.co_filename not in self._selection:
            return False if self._selection.makes_points(code.co_filename) else None
        if "random" in code.co_names:
            self._seeded = True
        return bytecode.table(
            code,
            granularity=self._granularity,
            gil=self._gil,
            program=code.co_filename in self._program,
        )

    def _uncontrolled(self, thing: Any, _code: types.CodeType, _offset: int) -> None:
        if uncontrolled.real_lock(thing) is None:
            return
        self._trouble = uncontrolled.lock_error(thing, sys._getframe(1))  # noqa: SLF001 - the code that is about to use it
        native.control_stop_run()
        raise StopRun

    def _stall(self) -> None:
        self._trouble = uncontrolled.stall_error(self._patience, selected=self._selection)
