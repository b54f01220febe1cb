# SPDX-License-Identifier: Apache-2.0
"""Records a schedule of tasks: each executed line of the program and, for each await, what it waits for.

Columns are tasks: first those of the operations, then tasks that the program starts, timers and callbacks, if they took
a step. Only a run worth reporting is recorded, since it is traced line by line.
"""

from __future__ import annotations

import sys
import sysconfig
import types
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

from linpoint.explore.python_control.awaited_objects import awaited_by
from linpoint.explore.python_control.instrumented_files import InstrumentedFiles
from linpoint.explore.python_control.trace_recorder import TraceRecorder
from linpoint.histories.values import Value
from linpoint.traces.trace import StepKind, Trace, TraceFailure, TraceStep, TraceThread

if TYPE_CHECKING:
    from linpoint.explore.python_control.event_loop_session import EventLoopSession
    from linpoint.explore.python_control.event_loop_turns import LoopProcess

_STANDARD: Final = sysconfig.get_path("stdlib")
_Tracer = Callable[[types.FrameType, str, Any], Any]


class TaskTraceRecorder(TraceRecorder):
    """Listens to one run of tasks and records its trace."""

    def __init__(
        self,
        session: EventLoopSession,
        selection: InstrumentedFiles,
        operations: Sequence[Sequence[tuple[str, tuple[Value, ...]]]],
        root: str = "",
    ) -> None:
        super().__init__([f"task {number + 1}" for number in range(len(operations))], operations, root)
        self._session = session
        self._selection = selection
        self._processes: dict[int, LoopProcess] = {}
        self._running = 0
        self._traced_before: Any = None

    @contextmanager
    def listening(self) -> Iterator[None]:
        """Record the run in the block."""
        self._session.listener = self
        self._traced_before = sys.gettrace()
        try:
            yield
        finally:
            sys.settrace(self._traced_before)  # a step may have been interrupted
            self._session.listener = None

    def trace(self, *, failure: TraceFailure | None = None, schedule: str | None = None) -> Trace:
        """The trace so far."""
        clients = len(self._operations)
        names = dict(enumerate(self._threads))
        others = {who for step in self._steps for who in (step.thread, step.other) if isinstance(who, int)}
        names |= {number: self._processes[number].name for number in sorted(others) if number >= clients}
        threads = tuple(TraceThread(number, name) for number, name in names.items())
        return Trace(threads, tuple(self._steps), "sc", schedule, failure)

    def block(self, process: int, owner: int | None, _place: int) -> None:
        """The task waits forever."""
        what, place = self._awaited(self._processes[process])
        known = owner if owner in self._processes else None
        self._steps.append(TraceStep(process, StepKind.BLOCK, location=what, other=known, place=place))

    # --- events of the session

    def turn(self, process: LoopProcess, *, instead: LoopProcess | None) -> None:
        """The process takes a step, ``instead`` of another process whose turn it was."""
        self._processes[process.number] = process
        self._running = process.number
        if instead is not None:
            self._processes[instead.number] = instead
            if not self._steps or self._steps[-1].thread != instead.number:
                self._add_step(TraceStep(instead.number, StepKind.NOTE, message="has its turn"))
        self._preempts = instead is not None
        sys.settrace(self._trace_call)

    def called(self, process: LoopProcess) -> None:
        """The next operation of the process begins."""
        name, args = self._operations[process.number][self._begun[process.number]]
        self._begun[process.number] += 1
        self._add_step(TraceStep(process.number, StepKind.CALL, operation=name, args=args))

    def paused(self, process: LoopProcess) -> None:
        """The step of the process is over."""
        sys.settrace(self._traced_before)
        if process.task is None:
            self._add_step(TraceStep(process.number, StepKind.NOTE, message=self._session.last_step_text()))
        elif process.task.done():
            if process.number >= len(self._operations):
                self._add_step(TraceStep(process.number, StepKind.EXIT))
        else:
            what, place = self._awaited(process)
            self._add_step(TraceStep(process.number, StepKind.WAIT, location=what, place=place))

    def returned(self, process: LoopProcess, number: int, value: Any, raised: bool) -> None:
        """An operation of the process ended in this way."""
        self._return(process.number, number, value, raised)

    # --- events of the interpreter

    def _trace_call(self, frame: types.FrameType, _event: str, _argument: Any) -> _Tracer | None:
        file = frame.f_code.co_filename
        traced = file in self._selection and not file.startswith(("<", _STANDARD))
        return self._trace_line if traced else None

    def _trace_line(self, frame: types.FrameType, event: str, _argument: Any) -> _Tracer:
        if event == "line":
            self._add_step(TraceStep(self._running, StepKind.LOCAL, place=self._place(frame)))
        return self._trace_line

    def _awaited(self, process: LoopProcess) -> tuple[str | None, Any]:
        if process.task is None or process.task.done():
            return None, None
        awaited = awaited_by(process.task)
        return awaited.what, self._place(awaited.frame)
