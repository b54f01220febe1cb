# SPDX-License-Identifier: Apache-2.0
"""Records a schedule step by step: the run is repeated and recorded as a ``Trace`` with source lines, names and values.

Only a run worth reporting is recorded; other runs have no overhead. Inspecting values runs no code of the program:
attributes are read without descriptors, and objects other than plain data are shown by their type.
"""

from __future__ import annotations

import collections
import inspect
import linecache
import os
import sys
import types
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, Final, TypeGuard

from msgspec import UNSET

from linpoint.explore import _native_control as native
from linpoint.explore.python_control.access_text import access_text, exception_text, plain
from linpoint.explore.python_control.bytecode_accesses import AccessAction
from linpoint.explore.python_control.instrumented_files import is_of_user
from linpoint.explore.python_control.stdlib_patches import keeping_locks
from linpoint.histories.values import FrozenObject, Value
from linpoint.traces.trace import StepKind, Trace, TraceFailure, TraceStep, TraceThread
from linpoint.traces.trace_step import SourcePlace

_READ: Final = 0
_HOLDING: Final = (dict, list, set, collections.deque, bytearray)

# The kind of a step, numbered as in the native control.
_INSTRUCTION, _ACQUIRE, _TRY, _RELEASE, _SLEEP, _TIME, _JOIN, _NOTHING = range(8)


class TraceRecorder:
    """Listens to one run and records it. ``operations`` has the name and arguments of each operation of each thread."""

    def __init__(
        self, threads: Sequence[str], operations: Sequence[Sequence[tuple[str, tuple[Value, ...]]]], root: str = ""
    ) -> None:
        self._threads = list(threads)
        self._operations = operations
        self._root = root
        self._steps: list[TraceStep] = []
        self._names: dict[int, str] = {}
        self._kept: list[Any] = []  # so that no id is reused
        self._numbers: dict[type, list[int]] = {}
        self._begun = [0] * len(threads)
        self._preempts = False
        self._turning = 0
        """The process that had the last turn."""
        self._held: Any = None
        """The container or lock that the previous step read from an attribute."""

    @contextmanager
    def listening(self) -> Iterator[None]:
        """Record the run in the block."""
        native.control_narrate(self._turn, self._return)
        native.narrate(self._access)
        try:
            with keeping_locks(self._kept):
                yield
        finally:
            native.control_narrate(None, None)
            native.narrate(None)

    def trace(self, *, failure: TraceFailure | None = None, schedule: str | None = None) -> Trace:
        """The trace so far."""
        threads = tuple(TraceThread(number, name) for number, name in enumerate(self._threads))
        return Trace(threads, tuple(_with_short_names(self._steps)), "sc", schedule, failure)

    def block(self, process: int, owner: int | None, place: int) -> None:
        """Record that a thread waits forever for the lock at ``place``."""
        for each in (process, owner):
            if each is not None:
                self._meet(each)
        known = self._names.get(-place)
        step = TraceStep(process, StepKind.BLOCK, location=known, other=owner)
        last = next((at for at in range(len(self._steps) - 1, -1, -1) if self._steps[at].thread == process), None)
        if last is not None and known is not None and self._steps[last].location == known:
            # It read the lock from an attribute and got no further.
            where = self._steps[last].place
            self._steps[last] = replace(step, place=where, preempts=self._steps[last].preempts)
        else:
            self._steps.append(step)

    # --- events of the program's runner

    def begins(self, process: int, name: str) -> None:
        """Record the name of a thread."""
        self._meet(process)
        self._threads[process] = name

    def started(self, process: int, by: int) -> None:
        """Record that a process, the calling one, has started another one."""
        self._meet(process)
        where = self._place(innermost(sys._getframe()))  # noqa: SLF001 - the trace shows the stack
        self._add_step(TraceStep(by, StepKind.SPAWN, other=process, place=where))

    def failed(self, process: int, error: BaseException, *, assertion: bool) -> None:
        """Record that a thread, or an operation of it, ends with an exception."""
        kind = StepKind.ASSERTION if assertion else StepKind.EXCEPTION
        self._add_step(TraceStep(process, kind, message=exception_text(error), place=_raised_at(error, self._place)))

    def _meet(self, process: int) -> None:
        """Name threads that the program has started when they first occur."""
        while process >= len(self._threads):
            self._threads.append(f"thread {len(self._threads) + 1}")
            self._begun.append(0)

    # --- events of the control

    def _turn(self, process: int, _step: int, preempts: bool, doing: int, place: int, begins: bool) -> None:
        self._meet(process)
        # A turn without a recorded step leaves its preemption to the next turn of the same thread.
        self._preempts = preempts or (self._preempts and process == self._turning)
        self._turning = process
        if begins and process < len(self._operations):
            name, args = self._operations[process][self._begun[process]]
            self._begun[process] += 1
            self._add_step(TraceStep(process, StepKind.CALL, operation=name, args=args))
        if doing in (_INSTRUCTION, _NOTHING):
            return
        frame = innermost(sys._getframe())  # noqa: SLF001 - the trace shows the stack
        where = self._place(frame)
        if doing in (_ACQUIRE, _TRY, _RELEASE):
            if frame is None or _imports(sys._getframe(), frame):  # noqa: SLF001 - as above
                return  # internal to the interpreter
            kind = StepKind.UNLOCK if doing == _RELEASE else StepKind.LOCK
            held = self._held if _is_lock(self._held) and self._held.place == place else None
            step = TraceStep(process, kind, location=self._lock(place, frame, held), place=where)
            self._add_step(step, through=held)
        elif doing == _JOIN:
            self._meet(place)
            self._add_step(TraceStep(process, StepKind.JOIN, other=place, place=where))
        elif doing == _SLEEP:
            self._add_step(TraceStep(process, StepKind.YIELD, message="sleeps", place=where))
        elif doing == _TIME:
            self._add_step(TraceStep(process, StepKind.READ, location="the time", place=where))

    def _return(self, process: int, number: int, value: Any, raised: bool) -> None:
        name, args = self._operations[process][number]
        if self._begun[process] <= number:  # it touched nothing, and so had no separate turn
            self._begun[process] = number + 1
            self._add_step(TraceStep(process, StepKind.CALL, operation=name, args=args))
        if raised:
            self.failed(process, value, assertion=False)
        shown = FrozenObject(raises=type(value).__name__) if raised else plain(value)
        self._add_step(TraceStep(process, StepKind.RETURN, operation=name, value=shown))

    def _access(
        self,
        process: int,
        code: types.CodeType,
        line: int,
        action: int,
        operands: list[Any],
        touched: list[tuple[Any, str | None, int]],
    ) -> None:
        if not touched:
            return
        where = self._place_in(code, line)
        subject, name, mode = touched[0]
        if name is not None:
            value = _written(AccessAction(action), operands) if mode != _READ else UNSET
            self._attribute(process, subject, name, mode, value, where)
        else:
            self._contents(
                process, AccessAction(action), subject, any(m != _READ for _, _, m in touched), operands, where
            )

    def _attribute(
        self, process: int, subject: Any, name: str, mode: int, value: Any, where: SourcePlace | None
    ) -> None:
        # The names of a module are a plain dict; a subclass of dict has attributes, and perhaps its own ``get``.
        is_module = type(subject) is dict
        location = name if is_module else f"{self._name(subject)}.{name}"
        before = subject.get(name, UNSET) if is_module else _attribute_of(subject, name)
        if before is not UNSET and (isinstance(before, _HOLDING) or _is_lock(before)):
            self._know(before, location)
        if mode == _READ:
            self._add_step(TraceStep(process, StepKind.READ, location, plain(before), place=where))
            self._held = before
        else:
            if isinstance(value, _HOLDING) or _is_lock(value):
                self._know(value, location)
            self._add_step(TraceStep(process, StepKind.WRITE, location, plain(value), old=plain(before), place=where))

    def _contents(
        self,
        process: int,
        action: AccessAction,
        subject: Any,
        writes: bool,
        operands: list[Any],
        where: SourcePlace | None,
    ) -> None:
        kind = StepKind.WRITE if writes else StepKind.READ
        self._add_step(
            TraceStep(process, kind, self._name(subject), message=access_text(action, subject, operands), place=where),
            through=subject,
        )

    # --- names, places, values

    def _add_step(self, step: TraceStep, through: Any = None) -> None:
        """Add a step. It replaces the previous step if that only read the container that is used now."""
        if through is not None and self._held is through and self._steps and self._steps[-1].thread == step.thread:
            step = replace(step, preempts=self._steps.pop().preempts)
        self._held = None
        if self._preempts and self._steps and self._steps[-1].thread != step.thread:
            step = replace(step, preempts=True)
        self._preempts = False
        self._steps.append(step)

    def _know(self, thing: Any, name: str) -> None:
        if id(thing) not in self._names:
            self._names[id(thing)] = name
            self._kept.append(thing)

    def _name(self, thing: Any) -> str:
        """A readable name: its class, with a number if it is not the first of its kind."""
        known = self._names.get(id(thing))
        if known is None:
            if isinstance(thing, type):
                known = thing.__name__
            elif isinstance(thing, types.CellType):
                known = "a variable"
            else:
                others = self._numbers.setdefault(type(thing), [])
                others.append(id(thing))
                known = type(thing).__name__ + (f"#{len(others)}" if len(others) > 1 else "")
            self._know(thing, known)
        return known

    def _lock(self, place: int, frame: types.FrameType | None, held: Any) -> str:
        """The name of a lock: the one by which it was just read, or an attribute of an object known to the frame."""
        known = self._names.get(-place)
        if known is None:
            known = (
                self._names.get(id(held))
                or _lock_name(place, frame, self._name)
                or f"lock {sum(each < 0 for each in self._names) + 1}"
            )
            self._names[-place] = known
        return known

    def _place(self, frame: types.FrameType | None) -> SourcePlace | None:
        return None if frame is None else self._place_in(frame.f_code, frame.f_lineno)

    def _place_in(self, code: types.CodeType, line: int | None) -> SourcePlace | None:
        if not line:
            return None
        text = linecache.getline(code.co_filename, line).strip() or None
        file = os.path.relpath(code.co_filename, self._root) if self._root else code.co_filename
        return SourcePlace(code.co_filename if file.startswith("..") else file, line, code.co_name, text)


def _with_short_names(steps: Sequence[TraceStep]) -> Iterator[TraceStep]:
    """The steps with attributes by their bare names, where only one object has an attribute of that name."""
    owners: dict[str, set[str]] = {}
    for step in steps:
        owner, dot, name = (step.location or "").rpartition(".")
        if dot:
            owners.setdefault(name, set()).add(owner)
    for step in steps:
        _, dot, name = (step.location or "").rpartition(".")
        yield replace(step, location=name) if dot and len(owners[name]) == 1 else step


def is_own(frame: types.FrameType) -> bool:
    """Whether a frame belongs to the program: neither to linpoint nor to the standard library."""
    return is_of_user(frame.f_code.co_filename)


def innermost(frame: types.FrameType | None) -> types.FrameType | None:
    """The innermost frame that belongs to the program."""
    while frame is not None and not is_own(frame):
        frame = frame.f_back
    return frame


def _imports(frame: types.FrameType | None, until: types.FrameType) -> bool:
    """Whether a module is being imported between two frames."""
    while frame is not None and frame is not until:
        if frame.f_code.co_filename.startswith("<frozen importlib"):
            return True
        frame = frame.f_back
    return False


def _written(action: AccessAction, operands: list[Any]) -> Any:
    """The value that an instruction stores: below the object on the stack, or on top of it if there is no object."""
    from_top = {AccessAction.WRITE_ATTRIBUTE: 2, AccessAction.WRITE_GLOBAL: 1}.get(action)
    return UNSET if from_top is None or len(operands) < from_top else operands[-from_top]


def _lock_name(place: int, frame: types.FrameType | None, name: Callable[[Any], str]) -> str | None:
    """The name of the lock at ``place`` among variables of the frames and attributes of their values, if found."""
    while frame is not None:
        variables = {**frame.f_globals, **frame.f_locals} if is_own(frame) else frame.f_locals
        for variable, value in list(variables.items()):
            if _is_lock(value) and value.place == place:
                return variable
            for attribute, thing in list(getattr(value, "__dict__", {}).items()):
                for inner in (thing, _attribute_of(thing, "_lock"), _attribute_of(thing, "_cond")):
                    if _is_lock(inner) and inner.place == place:
                        return f"{name(value)}.{attribute}"
        frame = frame.f_back
    return None


def _is_lock(thing: Any) -> TypeGuard[native.ControlledLock | native.ControlledRLock]:
    return isinstance(thing, (native.ControlledLock, native.ControlledRLock))


def _attribute_of(subject: Any, name: str) -> Any:
    """The value of an attribute, without running code."""
    try:
        found = inspect.getattr_static(subject, name)
        if isinstance(found, types.MemberDescriptorType):
            found = found.__get__(subject)
    except (AttributeError, KeyError):
        return UNSET
    return found


def _raised_at(
    error: BaseException, place: Callable[[types.FrameType | None], SourcePlace | None]
) -> SourcePlace | None:
    """The innermost line of the program from which it was raised."""
    found = None
    trace = error.__traceback__
    while trace is not None:
        if is_own(trace.tb_frame):
            here = place(trace.tb_frame)
            found = None if here is None else replace(here, line=trace.tb_lineno, text=None)
            if found is not None:
                text = linecache.getline(trace.tb_frame.f_code.co_filename, trace.tb_lineno).strip() or None
                found = replace(found, text=text)
        trace = trace.tb_next
    return found
