# SPDX-License-Identifier: Apache-2.0
"""Builds a trace with source lines, variable names and values from a run that the host reports in numbers.

A step inside of a library appears at the line of the user's code that caused it. Guarantee: inconsistent numbers never
prevent a finding; they only omit the trace.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from linpoint.histories.values import Value
from linpoint.hosts.address_symbols import AddressSymbols, SourceFrame, place_of
from linpoint.hosts.memory_names import MemoryNames, readable_value
from linpoint.hosts.search_messages import HostFinding, StepMessage, TraceMessage
from linpoint.scenarios.scenario import Call
from linpoint.traces.trace import SourcePlace, StepKind, Trace, TraceFailure, TraceStep, TraceThread
from linpoint.traces.trace_step import MEMORY_ORDERS, OF_MEMORY
from linpoint.verdicts.schedule import Schedule, schedule_text

BITS: Final = {"sc": 0, "tso": 1, "pso": 4}
"""The number of low bits of a process that select a store buffer of its thread; 0 selects the thread itself."""

_LAST_LINES: Final = 10
_PLACEHOLDER: Final = re.compile(r"\{(\d+)\}")
_NO_PLACE: Final = re.compile(r"(?: at| in|,)? ?\{\d+\}")
_VALUED: Final = frozenset((StepKind.READ, StepKind.WRITE, StepKind.UPDATE, StepKind.CAS, StepKind.DRAIN))
_NEED_LOCATION: Final = _VALUED | {StepKind.LOCK, StepKind.UNLOCK}
_ACCESSES: Final = ("read", "write", "update", "cas", "allocate", "free", "yield")
_ASSERTED: Final = re.compile(r"assertion `(.*)` fails\b.*", re.DOTALL)
_THREAD: Final = re.compile(r"\bthread (\d+)\b")
_MAKING: Final = "linpoint::detail::Registered<"
_OF_THREADS: Final = ("spawn", "join", "exit")
_KINDS: Final = {"crash": StepKind.EXCEPTION}
"""In traces, a crash is a crash of the whole system; the crash of a program ends a thread."""
_SHOWN_BY: Final = {
    "assertion": StepKind.ASSERTION,
    "exception": StepKind.EXCEPTION,
    "crash": StepKind.EXCEPTION,
    "deadlock": StepKind.BLOCK,
}


def host_schedule_text(schedule: Schedule, model: str) -> str:
    """The deviations from the default schedule: ``4:1 9:0b`` runs thread 1, later a buffer of thread 0."""
    return schedule_text(schedule, buffer_bits=BITS[model])


def printed_lines(found: HostFinding) -> tuple[str, ...]:
    """The last lines that the program printed."""
    lines = found.printed.splitlines() if isinstance(found.printed, str) else found.printed
    return tuple(lines[-_LAST_LINES:])


def message_without_places(found: HostFinding) -> str:
    """The host's message for a finding without a trace."""
    return _NO_PLACE.sub("", found.message)


def failure_message(
    found: HostFinding,
    symbols: AddressSymbols,
    trace: Trace | None = None,
    by_code: Mapping[int, SourcePlace] | None = None,
) -> str:
    """The host's message for a finding, with source lines, thread names and the place of the failure.

    ``by_code`` has the user's places for code addresses inside of libraries.
    """
    offsets = [symbols.offset(place) for place in found.places]
    symbols.look_up(each - 1 for each in offsets if each)

    def place(match: re.Match[str]) -> str:
        number = int(match[1])
        offset = offsets[number] if number < len(offsets) else None
        frames = symbols.frames(offset - 1) if offset else ()
        frame = next((each for each in frames if each.users), None)
        if frame is not None:
            return str(place_of(frame, _here()))
        return str((by_code or {}).get(offset or 0, match[0]))

    told = _NO_PLACE.sub("", _PLACEHOLDER.sub(place, found.message)).rstrip(".")
    names = {} if trace is None else {str(thread.id): thread.label for thread in trace.threads}
    told = _THREAD.sub(lambda match: names.get(match[1], match[0]), told)
    if found.kind == "race":
        where = None if found.address is None else symbols.variable(found.address)
        return f"data race{f' on {where}' if where else ''}: {told}"
    if found.kind in ("deadlock", "livelock"):
        return told if found.kind in told else f"{found.kind}: {told}"
    told = _ASSERTED.sub(r"assertion `\1` fails", told)
    failing = None if trace is None or trace.failure is None or trace.failure.step is None else trace.failure.step
    step = None if trace is None or failing is None else trace.steps[failing]
    if trace is None or step is None or step.place is None or str(step.place) in told:
        return told
    name = next((f" in {thread.label}" for thread in trace.threads if thread.id == step.thread), "")
    return f"{told}{',' if ' at ' in told else ''} at {step.place}{name}"


def _here() -> str:
    return os.getcwd()  # noqa: PTH109 - to make paths relative


@dataclass(frozen=True, slots=True)
class TracedOperations:
    """The calls of a test's scenario, and their results by number."""

    calls: tuple[Call, ...] = ()
    results: Mapping[int, Value] = field(default_factory=dict)


class HostTraceBuilder:
    """Builds the trace of a run from the host's messages."""

    def __init__(
        self,
        symbols: AddressSymbols,
        message: TraceMessage,
        found: HostFinding,
        model: str,
        operations: TracedOperations | None = None,
    ) -> None:
        self._symbols = symbols
        self._message = message
        self._found = found
        self._model = model
        self._operations = operations
        self._inside: set[int] = set()
        """Threads that are executing an operation of a test."""
        self._places = [self._place(step) for step in message.steps] if self._looked_up() else []
        self._locations = MemoryNames(symbols, message.steps, self._places, self._object())
        self._names = {each.id: each.name for each in message.threads}
        self._private = self._of_one_thread()
        self._buffers: dict[int, list[tuple[int, int, int | str]]] = {}

    def trace(self, schedule: str) -> Trace:
        """Build the trace, without steps inside of libraries that show nothing."""
        steps: list[TraceStep] = []
        positions: dict[int, int] = {}
        running: int | None = None
        owed = False  # a preemption by a step that is not shown
        for number, (step, place) in enumerate(zip(self._message.steps, self._places, strict=True)):
            if self._hidden(number, step, place):
                owed = owed or step.preempts
                continue
            told = self._step(step, place, preempts=False)
            by_thread = told.kind not in OF_MEMORY
            if by_thread and (step.preempts or owed) and running is not None and running != step.thread:
                told = self._step(step, place, preempts=True)
            if by_thread:
                running, owed = step.thread, False
            positions[number] = len(steps)
            steps.append(told)
        threads = self._threads(steps)
        return Trace(threads, tuple(steps), self._model, schedule, self._failure(steps, positions))

    def _object(self) -> dict[int, str]:
        """The heap block of the object under test, which the SDK's test header allocates."""
        if self._operations is None:
            return {}
        for step in self._message.steps:
            if step.kind == "allocate" and step.block is not None:
                frames = [frame for offset in self._offsets(step) for frame in self._symbols.frames(offset)]
                if any(frame.function.startswith(_MAKING) for frame in frames):
                    return {step.block[0]: "object"}
        return {}

    def _threads(self, steps: list[TraceStep]) -> tuple[TraceThread, ...]:
        if self._operations is None:
            return tuple(TraceThread(each.id, each.name) for each in self._message.threads)
        # Thread 0 only starts and joins the threads of a test, unless operations run before or after them.
        shown = {step.thread for step in steps}
        threads = [each for each in self._message.threads if each.id or each.id in shown]
        return tuple(TraceThread(each.id, f"thread {each.id}" if each.id else "alone") for each in threads)

    def by_code(self) -> dict[int, SourcePlace]:
        """The places of steps by their code addresses, as offsets into the target.

        Addresses with steps of several places, as in a library function, are left out.
        """
        found: dict[int, set[SourcePlace]] = {}
        for step, place in zip(self._message.steps, self._places, strict=True):
            offset = None if step.pc is None else self._symbols.offset(step.pc, step.module)
            if offset is not None and place is not None:
                found.setdefault(offset, set()).add(place)
        return {offset: places.pop() for offset, places in found.items() if len(places) == 1}

    def _looked_up(self) -> bool:
        """Look up the source lines of all steps together."""
        self._symbols.look_up(offset for step in self._message.steps for offset in self._offsets(step))
        return True

    def _offsets(self, step: StepMessage) -> list[int]:
        """The code addresses of a step, innermost first, less one: a return address follows its call."""
        addresses = ([] if step.pc is None else [step.pc]) + step.stack
        back = 0 if step.kind == "crash" else 1
        found = [self._symbols.offset(address, step.module) for address in addresses]
        return [offset - back for offset in found if offset]

    def _place(self, step: StepMessage) -> SourcePlace | None:
        """The innermost line of the user's code."""
        frames = [frame for offset in self._offsets(step) for frame in self._symbols.frames(offset)]
        frame: SourceFrame | None = next((each for each in frames if each.users), None)
        return None if frame is None else place_of(frame, _here())

    def _hidden(self, number: int, step: StepMessage, place: SourcePlace | None) -> bool:
        """Whether a step belongs to no operation, or is an access inside of a library that shows nothing."""
        changed = step.buffer != self._buffers.get(step.thread, [])
        self._buffers[step.thread] = step.buffer
        if self._operations is not None and self._outside(number, step):
            return True
        if step.kind not in _ACCESSES or number in self._found.steps_of or changed:
            return False
        return place is None or step.address in self._private

    def _outside(self, number: int, step: StepMessage) -> bool:
        """Whether a step is outside of a test's operations, where threads and the object are created."""
        if step.kind in ("call", "return"):
            (self._inside.add if step.kind == "call" else self._inside.discard)(step.thread)
            return False
        shown = step.thread in self._inside or bool(step.buffer) or step.kind == "drain"
        return number not in self._found.steps_of and (step.kind in _OF_THREADS or not shown)

    def _of_one_thread(self) -> set[int]:
        """Unnamed addresses that only one thread accesses, such as its stack variables."""
        users: dict[int, set[int]] = {}
        for step in self._message.steps:
            if step.address is not None and step.kind in _ACCESSES and not self._locations.is_named(step.address):
                users.setdefault(step.address, set()).add(step.thread)
        return {address for address, threads in users.items() if len(threads) == 1}

    def _step(self, step: StepMessage, place: SourcePlace | None, *, preempts: bool) -> TraceStep:
        kind = _KINDS.get(step.kind) or StepKind(step.kind)
        if kind in (StepKind.CALL, StepKind.RETURN):
            return self._operation(step, kind, preempts=preempts)
        size = step.size or 8
        where, other, message = self._locations.name(step), step.other, step.message
        if kind is StepKind.BLOCK and where is None and other is not None:
            where, other = f"the end of {self._names.get(other, other)}", None
        if kind is StepKind.ASSERTION and message:
            message = _ASSERTED.sub(r"\1", message)
        more: dict[str, Any] = {}
        if kind in _VALUED:
            for name, value in (("value", step.value), ("old", step.old), ("expected", step.expected)):
                if value is not None:
                    more[name] = readable_value(value, size, self._locations)
            if step.order in MEMORY_ORDERS:
                more["memory_order"] = step.order
        if kind is StepKind.FENCE and step.order in MEMORY_ORDERS:
            more["memory_order"] = step.order
        if kind in (StepKind.CAS, StepKind.LOCK, StepKind.ALLOCATE):
            more["success"] = step.success
        if self._model != "sc":
            more["buffer"] = self._buffer(step)
        return TraceStep(
            step.thread,
            kind,
            where if where is not None or kind not in _NEED_LOCATION else "address 0",
            forwarded=step.forwarded and kind is StepKind.READ,
            other=other,
            message=message,
            place=place,
            preempts=preempts,
            **more,
        )

    def _operation(self, step: StepMessage, kind: StepKind, *, preempts: bool) -> TraceStep:
        """The call or return of an operation."""
        number = int(step.message or 0)
        assert self._operations is not None
        call = self._operations.calls[number]
        buffer = self._buffer(step) if self._model != "sc" else ()
        if kind is StepKind.CALL:
            return TraceStep(
                step.thread, kind, operation=call.operation, args=call.args, buffer=buffer, preempts=preempts
            )
        value = self._operations.results.get(number)
        return TraceStep(step.thread, kind, operation=call.operation, value=value, buffer=buffer)

    def _buffer(self, step: StepMessage) -> tuple[tuple[str, Any], ...]:
        """The buffered stores of its thread, which others do not see yet."""
        return tuple(
            (self._locations.at(address, width), readable_value(value, width, self._locations))
            for address, width, value in step.buffer
        )

    def _failure(self, steps: list[TraceStep], positions: dict[int, int]) -> TraceFailure | None:
        if not steps:
            return None
        shown = [positions[number] for number in self._found.steps_of if number in positions]
        if not shown:
            wanted = _SHOWN_BY.get(self._found.kind)
            shown = [position for position, step in enumerate(steps) if step.kind is wanted][:1]
        *related, at = shown or [len(steps) - 1]
        return TraceFailure(self._found.kind, at, "", tuple(related))
