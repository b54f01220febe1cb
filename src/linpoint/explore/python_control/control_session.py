# SPDX-License-Identifier: Apache-2.0
"""A session of control: while it is open, code runs under schedules that an explorer chooses.

Guarantee: between two sessions the interpreter is unchanged. Only one session can be open at a time. Cost: some
milliseconds to open, since every module is searched for locks and clocks.
"""

from __future__ import annotations

import contextvars
import gc
import random
import sys
import time
import types
from _thread import get_ident, start_new_thread  # the real functions: the session replaces them in their modules
from collections.abc import Callable, Container, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from dataclasses import dataclass
from time import sleep  # as above
from typing import Any, Final, Self

from linpoint.explore import _native_control as native
from linpoint.explore.python_control import (
    bytecode_accesses,
    stall_watchdog,
    stdlib_patches,
    sys_monitoring_hook,
    uncontrolled_resources,
)
from linpoint.explore.python_control import controlled_thread_class as program_threads
from linpoint.explore.python_control.access_backends import rewrites_source
from linpoint.explore.python_control.controlled_threads import controlled_thread_ids
from linpoint.explore.python_control.instrumented_files import InstrumentedFiles
from linpoint.explore.python_control.run_abort import StopRun, blame, raise_blame, refuse, silence_aborted_finalizers
from linpoint.explore.python_control.source_rewriting.install_rewritten import RewrittenInstallation, installed
from linpoint.explore.python_control.trace_recorder import TraceRecorder
from linpoint.histories.values import freeze
from linpoint.judging.scenario_run import RunEnding

MAX_RUN_STEPS: Final = 20_000
"""Maximum number of steps of a run; a longer run is stopped, since its threads seem to run forever."""
STALL_TIMEOUT_S: Final = 5.0
"""Seconds without a step after which a run is abandoned."""

_RUNS_PER_COLLECTION: Final = 1_000
_MAX_PARKED_THREADS: Final = 32
"""Maximum number of threads that did not end on request; each retains its stack."""


_ENDINGS: Final = tuple(RunEnding)


@dataclass(slots=True)
class CompletedCall:
    """One operation of a thread: the steps of its call and its return, -1 if there was none."""

    called: int = -1
    returned: int = -1
    value: Any = None
    raised: bool = False


@dataclass(frozen=True, slots=True)
class BlockedThread:
    """A thread that was blocked when the run ended, and the thread that holds what it waits for, if any."""

    process: int
    owner: int | None
    place: int = 0
    """The address of the lock, comparable only within the run."""


Body = Callable[[], Any] | tuple[tuple[Callable[..., Any], tuple[Any, ...]], ...]
"""The work of a thread: a function to call, or a sequence of operations."""


class ControlSession:
    """Keeps code under control within its block."""

    def __init__(
        self,
        *,
        instrument: Sequence[Any] = (),
        granularity: str = "access",
        gil: bool = False,
        program: Container[str] = (),
        most_steps: int = MAX_RUN_STEPS,
        patience: float = STALL_TIMEOUT_S,
        result: Callable[[Any], Any] = freeze,
        backend: str = "auto",
    ) -> None:
        self._backend = backend
        self._announces = False
        self._selection = InstrumentedFiles(tuple(instrument))
        self._granularity = granularity
        self._gil = gil
        self._program = program
        self._most_steps = most_steps
        self._patience = patience
        self._result = result
        self._stack = ExitStack()
        self._runs = 0
        self._places = 0
        self._open = False
        self._left_behind = native.control_serving()
        self._seeded = False
        """Whether random numbers are reset for each run, because the code uses them."""
        self._parked = native.control_parked()
        self._installation: RewrittenInstallation | None = None
        self._context = contextvars.Context()

    @property
    def is_open(self) -> bool:
        """Whether code is under control now."""
        return self._open

    def __enter__(self) -> Self:
        self._announces = rewrites_source(self._backend)
        with ExitStack() as stack:
            stack.callback(controlled_thread_ids.clear)
            stack.enter_context(silence_aborted_finalizers())
            stack.enter_context(program_threads.known(*program_threads.FIBERS))
            stack.enter_context(stdlib_patches.replaced())
            native.hook(not self._announces, self._describe, self._uncontrolled)
            native.hook_look_out_for(uncontrolled_resources.RESTING_ON_LOCKS)
            if self._announces:
                stack.enter_context(self._announcing())
            elif sys_monitoring_hook.NEEDED:
                stack.enter_context(sys_monitoring_hook.watching())
            native.control_on_result(self._result)
            stack.callback(random.setstate, random.getstate())
            if gc.isenabled():
                gc.disable()
                stack.callback(gc.enable)
            fibers = stall_watchdog.can_watch() and native.can_look_at_frames()
            if fibers:
                stack.enter_context(stall_watchdog.stall_watchdog(self._patience, self._stall))
            native.control_open(fibers, _add_thread)
            stack.callback(self._close)
            self._stack = stack.pop_all()
        self._open = True
        return self

    def __exit__(self, *_: object) -> None:
        self._open = False
        self._stack.close()

    def prepare(self, threads: int = 0) -> None:
        """Prepare a run before its object is created: free all locks, and reset virtual time and random numbers.

        The first numbers are reserved for ``threads``; threads that start while the object is created get later
        numbers.
        """
        self._runs += 1
        if self._runs % _RUNS_PER_COLLECTION == 0:
            gc.collect(0)  # older objects are not from these runs, and collecting them takes longer than the runs
        native.control_prepare()
        program_threads.begin_run()
        self._context = contextvars.copy_context()  # what the object sets on creation belongs to this run
        self._places = threads
        for _ in range(threads):
            native.control_add(())
        if self._seeded:
            random.seed(0)

    def alone(self, *, most: int = 0) -> AbstractContextManager[None]:
        """Put the calling thread under control too, while no other thread runs: for creating and inspecting objects.

        After ``most`` instructions, if given, the thread counts as blocked forever.
        """
        return _Alone(most)

    def run(self, explorer: native.Explorer, bodies: Sequence[Body]) -> RunEnding:
        """Run these threads, and those started since ``prepare``, once."""
        for number, body in enumerate(bodies):
            if number < self._places:
                native.control_give(number, body)
            else:
                native.control_add(body)
        ending = _ENDINGS[native.control_run(explorer, self._most_steps, self._patience)]
        if ending is RunEnding.STALLED:
            self._stall()
            native.control_abandon()
        if native.control_parked() - self._parked > _MAX_PARKED_THREADS:
            self._parked = native.control_parked()
            blame(uncontrolled_resources.swallow_error())
        raise_blame()
        return ending

    def call(self, function: Callable[..., Any], *args: Any) -> Any:
        """Call ``function`` while no other thread runs; to be used within ``alone``."""
        return self._context.run(function, *args)

    def operations(self) -> list[list[CompletedCall]]:
        """The operations of each thread in the last run."""
        return [[CompletedCall(*each) for each in thread] for thread in native.control_operations()]

    def outcome(self) -> tuple[Any, ...] | None:
        """A value that is equal for complete runs with equal results in the same real-time order; None if unknown."""
        return native.control_outcome()

    def goes_round(self) -> bool:
        """Whether the last run was stopped because its threads loop until a write that no thread will make."""
        return native.control_goes_round()

    def waiting(self) -> list[BlockedThread]:
        """The threads that were blocked when the last run ended, without background threads."""
        waiting = native.control_waiting()
        return [BlockedThread(process, owner, place) for process, place, owner, background in waiting if not background]

    def narrator(self, operations: Sequence[Sequence[tuple[str, tuple[Any, ...]]]], root: str) -> TraceRecorder:
        """A recorder for a run of threads with these operations."""
        return TraceRecorder([f"thread {number + 1}" for number in range(len(operations))], operations, root)

    def _close(self) -> None:
        native.control_close()
        deadline = time.monotonic() + 1
        while native.control_serving() > self._left_behind and time.monotonic() < deadline:
            sleep(_POLL_INTERVAL_S)

    @contextmanager
    def _announcing(self) -> Iterator[None]:
        """In the block, code announces its accesses."""
        fine = self._granularity != "line" and not self._gil
        native.announce_points(fine, self._granularity == "opcode" and not self._gil, self._gil)
        self._installation = RewrittenInstallation(
            self._selection,
            lines=self._granularity == "line" and not self._gil,
            program=self._program,
            on_random=self._seed,
        )
        with installed(self._installation):
            yield
        self._installation = None

    def code(self, code: types.CodeType) -> types.CodeType:
        """The code of a module in the form in which it is to be executed."""
        return code if self._installation is None else self._installation.code(code)

    def _seed(self) -> None:
        self._seeded = True

    def _describe(self, code: types.CodeType) -> list[bytecode_accesses.InstructionAccess] | bool | None:
        """The instructions of interest.

        For code that is not interleaved: None if a call of it is one step, False if it makes scheduling points itself,
        True if it does nothing else.
        """
        if code.co_filename not in self._selection:
            return code in stdlib_patches.HARMLESS if self._selection.makes_points(code.co_filename) else None
        if self._announces:
            return False
        if "random" in code.co_names:
            self._seeded = True
        return bytecode_accesses.table(
            code,
            granularity=self._granularity,
            gil=self._gil,
            program=code.co_filename in self._program,
        )

    def _uncontrolled(self, thing: Any) -> None:
        if uncontrolled_resources.real_lock(thing) is None:
            return
        refuse(uncontrolled_resources.lock_error(thing, sys._getframe(1)))  # noqa: SLF001 - the user of the lock

    def _stall(self) -> None:
        blame(uncontrolled_resources.stall_error(self._patience, selected=self._selection))


class _Alone:
    """The block of ``alone``; not a generator, since each run enters several."""

    __slots__ = ("_ident", "_most")

    def __init__(self, most: int) -> None:
        self._most = most
        self._ident = get_ident()

    def __enter__(self) -> None:
        if self._ident in controlled_thread_ids:
            self._ident = 0
        else:
            controlled_thread_ids.add(self._ident)
        native.control_limit_alone(self._most)

    def __exit__(self, *_: object) -> None:
        native.control_limit_alone(0)
        if self._ident:
            controlled_thread_ids.discard(self._ident)


_POLL_INTERVAL_S: Final = 0.0001


def _add_thread() -> None:
    """Start a system thread that carries processes; it is ready when this returns."""
    ready = native.control_idle() + 1

    def serve() -> None:
        with program_threads.known(get_ident()), suppress(StopRun):
            controlled_thread_ids.add(get_ident())
            native.control_serve()

    start_new_thread(serve, ())
    while native.control_idle() < ready:
        sleep(_POLL_INTERVAL_S)
