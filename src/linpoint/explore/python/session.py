# SPDX-License-Identifier: Apache-2.0
"""A session of control: while it is open, code runs under schedules that an explorer chooses.

Guarantee: between two sessions nothing of the interpreter is changed. One session at a time. Cost: a few milliseconds to
open, since every module is looked at for locks and clocks.
"""

from __future__ import annotations

import enum
import gc
import random
import time
import types
from collections.abc import Callable, Container, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any, Final, Self

from linpoint.explore import _native_control as native
from linpoint.explore.python import bytecode, patching
from linpoint.explore.python.membership import members, membership
from linpoint.explore.python.pool import have_idle
from linpoint.explore.python.selection import Selection
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
        self._runs = 0
        self._open = False
        self._left_behind = native.control_serving()
        self._seeded = False
        self.trouble: BaseException | None = None

    @property
    def is_open(self) -> bool:
        """Whether code is under control now."""
        return self._open

    def __enter__(self) -> Self:
        self._open = True
        self._stack.callback(members.clear)
        self._stack.enter_context(patching.replaced())
        native.hook(True, self._describe, self._uncontrolled)
        native.control_on_result(self._result)
        if gc.isenabled():
            gc.disable()
            self._stack.callback(gc.enable)
        self._stack.callback(self._close)
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
        if self._seeded:
            random.seed(0)

    @contextmanager
    def alone(self) -> Iterator[None]:
        """The calling thread is under control too, with nobody beside it: to make objects, and to look at them."""
        with membership():
            yield

    def run(self, explorer: native.Explorer, bodies: Sequence[Body]) -> Ending:
        """One run of these threads, and of those that were started since ``prepare``."""
        processes = [native.control_add(body) for body in bodies]
        have_idle(1 + max(processes, default=-1))
        return Ending(native.control_run(explorer, self._most_steps, self._patience))

    def abandon(self) -> None:
        """After a run that has STALLED: its threads are left behind, and nobody waits for them."""
        native.control_abandon()
        self._left_behind = native.control_serving() - native.control_idle()

    def _close(self) -> None:
        native.control_close()
        deadline = time.monotonic() + 1
        while native.control_serving() > self._left_behind and time.monotonic() < deadline:
            time.sleep(0.0001)

    def _describe(self, code: types.CodeType) -> list[bytecode.Row] | None:
        if code.co_filename not in self._selection:
            return None
        if "random" in code.co_names:
            self._seeded = True
        return bytecode.table(
            code,
            granularity=self._granularity,
            gil=self._gil,
            program=code.co_filename in self._program,
        )

    def _uncontrolled(self, lock: Any, code: types.CodeType, offset: int) -> None:
        pass
