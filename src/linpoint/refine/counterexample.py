# SPDX-License-Identifier: Apache-2.0
"""A run of a model as a readable trace: source lines, the changes of each step, and the results the spec allowed then.

The run is repeated, step by step, from its choices; no other data of the search is used.
"""

from __future__ import annotations

import dataclasses
import enum
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from msgspec import UNSET

from linpoint.histories.values import Value, format_value
from linpoint.refine._native_refine import ModelEvent
from linpoint.refine._native_refine import ModelStep as NativeStep
from linpoint.refine.memory_places import MemoryPlaces
from linpoint.refine.model_faults import ASSERTION_FAULT, FAULTS
from linpoint.refine.program_ir import Instruction, OpCode
from linpoint.refine.state_layout import ModelLayout
from linpoint.refine.state_search import StateSearch
from linpoint.refine.state_view import memory_of, next_access, wanted_lock
from linpoint.traces.trace import SourcePlace, StepKind, Trace, TraceFailure, TraceStep, TraceThread
from linpoint.traces.trace_step import OF_MEMORY
from linpoint.verdicts.evidence import AllowedConfiguration, ModelStep

_MAX_SHOWN_CONFIGURATIONS: Final = 6
_MAX_SORTED_CONFIGURATIONS: Final = 1_000
FAULTY_STEP_CHOICE: Final = 2**32 - 1
"""As a choice: the faulty step of the process."""


class NoSuchRunError(Exception):
    """The choices do not belong to a run of this model."""


def lacks_room(step: NativeStep) -> bool:
    """Whether a step fails only because a state has too little room."""
    return bool(step.wrong) and step.events[-1].kind == StepInfo.FAULT and step.events[-1].number not in FAULTS


class StepInfo(enum.IntEnum):
    """Kinds of events, as in linpoint/refine/step_details.hpp."""

    CALL = 0
    ACCESS = 1
    UNSEEN = 2
    DRAIN = 3
    CHOOSE = 4
    ALLOCATE = 5
    POINT = 6
    RETURN = 7
    REFUSED = 8
    FAULT = 9
    WAIT = 10


@dataclass(slots=True)
class ModelRun:
    """A run, as far as its steps have been taken."""

    searched: StateSearch
    state: list[int]
    places: MemoryPlaces
    trace: list[TraceStep] = field(default_factory=list)
    steps: list[ModelStep] = field(default_factory=list)
    last: ModelEvent | None = None
    """The last event, if the run ends with a failure."""
    set_before_return: int = 0
    """The number of the set of configurations that the spec allowed before the last return."""
    called_last: dict[int, int] = field(default_factory=dict)
    """The last call of each process."""
    calls: dict[int, int] = field(default_factory=dict)
    """The open call of each process."""
    waiting: dict[int, tuple[tuple[str, Value], ...]] = field(default_factory=dict)
    """The stores that have not reached memory, for each process that has some."""

    @classmethod
    def begin(cls, searched: StateSearch) -> ModelRun:
        """The run before its first step."""
        return cls(searched, searched.search.first(), MemoryPlaces(searched.assembly))

    @property
    def assembly(self) -> ModelLayout:
        """The model."""
        return self.searched.assembly

    def choices(self) -> list[NativeStep]:
        """The steps that may happen next."""
        return self.searched.search.steps(self.state)

    def take(self, choice: NativeStep) -> None:
        """Take a step."""
        first = len(self.trace)
        before = self.state
        # A step of the memory preempts no process: the process that ran before it continues after it.
        ran = next((step.thread for step in reversed(self.trace) if step.kind not in OF_MEMORY), choice.process)
        preempts = ran != choice.process and ran in self.calls
        for event in choice.events:
            for step in self._trace_steps(event):
                own = preempts and step.kind is not StepKind.DRAIN
                stores = self.waiting.get(event.process, ())
                self.trace.append(dataclasses.replace(step, preempts=own, buffer=stores) if own or stores else step)
                preempts = preempts and not own
        allowed = before[0]
        if choice.wrong:
            self.last = choice.events[-1]
            if self.last.kind == StepInfo.REFUSED and any(event.kind == StepInfo.RETURN for event in choice.events):
                allowed = self.set_before_return
            changes = tuple(self._touched(choice.events))
        else:
            self.state = choice.state
            allowed = self.state[0]
            changes = tuple(self._changes(before, self.state))
        survivors, more = self.survivors(allowed)
        memory = dict(memory_of(self.places, self.state))
        if choice.wrong:
            memory |= {name: after for name, _, after in changes if name in memory}
        self._add_details(first, changes, memory)
        last = len(self.trace) - 1
        self.steps.append(ModelStep(choice.process, first, last, changes, survivors, more, tuple(memory.items())))

    def follow(self, choices: Sequence[tuple[int, int]]) -> None:
        """Take the steps of a run that was found. Raises ``NoSuchRunError`` if the model has no such run."""
        for process, successor in choices:
            step = self.find(process, successor)
            if step is not None:
                self.take(step)
            elif successor != FAULTY_STEP_CHOICE:  # a deadlock is not a step
                raise NoSuchRunError

    def find(self, process: int, successor: int) -> NativeStep | None:
        """The step for a choice, if it may happen next."""
        found = [step for step in self.choices() if step.process == process]
        if successor == FAULTY_STEP_CHOICE:
            found = [step for step in found if step.wrong and not lacks_room(step)]
        else:
            found = [step for step in found if not step.wrong and step.successor == successor]
        return found[0] if found else None

    def finish(self, failure: TraceFailure | None) -> Trace:
        """The trace of the whole run; for a deadlock it includes what each process waits for."""
        if failure is not None and failure.kind == "deadlock":
            related = range(len(self.trace), len(self.trace) + self._add_waiting_steps())
            failure = dataclasses.replace(failure, related=(*failure.related, *related))
        threads = tuple(TraceThread(number, self.name_of(number)) for number in range(self.assembly.manner.count))
        return Trace(threads, tuple(self.trace), self.assembly.manner.memory_model, None, failure)

    def name_of(self, process: int) -> str:
        """The readable name of a process: its number from 1, and its role."""
        at = 0
        for role, count in self.assembly.groups:
            if process < at + count:
                if role is None:
                    return f"process {process + 1}"
                return role if count == 1 else f"{role} {process - at + 1}"
            at += count
        return f"process {process + 1}"

    # Configurations that the spec allows.

    def survivors(self, number: int) -> tuple[tuple[AllowedConfiguration, ...], int]:
        """Some of the possible configurations of the spec, and the number of further ones."""
        spec = self.searched.spec
        if spec is None:
            return (), 0
        found = self.searched.search.configurations(number)
        # Sorted, since the order of the search depends on its history.
        known = sorted((spec.survivor(each) for each in found[:_MAX_SORTED_CONFIGURATIONS]), key=_order)
        shown = tuple(known[:_MAX_SHOWN_CONFIGURATIONS])
        return shown, len(found) - len(shown)

    def results_allowed(self, number: int, process: int) -> list[Value]:
        """The results with which the operation of a process may return."""
        spec = self.searched.spec
        if spec is None:
            return []
        found: list[Value] = []
        for each in self.searched.search.configurations(number):
            is_done, result = spec.result_in(each, process)
            if is_done and result not in found:
                found.append(result)
        return sorted(found, key=format_value)

    def _changes(self, before: list[int], after: list[int]) -> Iterator[tuple[str, Value, Value]]:
        widths = self.places.widths
        address = 1
        while address < self.assembly.private_base:
            width = widths[address]
            old, new = before[address : address + width], after[address : address + width]
            if old != new:
                yield self.places.name(address), self.places.value(address, old), self.places.value(address, new)
            address += width

    def _touched(self, events: Sequence[ModelEvent]) -> Iterator[tuple[str, Value, Value]]:
        """The changes made by accesses, where no state after them exists."""
        for event in events:
            if event.kind in (StepInfo.ACCESS, StepInfo.UNSEEN) and event.after and event.before != event.after:
                name = self.places.name(event.address)
                yield (
                    name,
                    self.places.value(event.address, event.before),
                    self.places.value(event.address, event.after),
                )

    # Details of a step that was taken.

    def _add_details(self, first: int, changes: Sequence[tuple[str, Value, Value]], memory: dict[str, Value]) -> None:
        """Add the contents of a new node, and the second cell of two that changed together."""
        named = {step.location for step in self.trace[first:]}
        nodes = [step.location for step in self.trace[first:] if step.kind is StepKind.ALLOCATE]
        for position in range(first, len(self.trace)):
            step = self.trace[position]
            if step.kind is StepKind.ALLOCATE:
                fields = [
                    f"{name.rpartition('.')[2]}={format_value(value)}"
                    for name, value in memory.items()
                    if name.startswith(f"{step.location}.") and name not in named
                ]
                self.trace[position] = dataclasses.replace(step, message=", ".join(fields) or None)
            elif step.kind is StepKind.CAS and step.success:
                others = [each for each in changes if each[0] not in named and each[0].partition(".")[0] not in nodes]
                if len(others) == 1:
                    name, old, new = others[0]
                    seen = [step.old, old]
                    self.trace[position] = dataclasses.replace(
                        step, location=f"{step.location}, {name}", value=[step.value, new], old=seen, expected=seen
                    )

    def _add_waiting_steps(self) -> int:
        """Add a step for each process that is blocked within an operation; return their number."""
        held: dict[str | None, int | str | None] = {}
        for step in self.trace:
            if step.kind is StepKind.LOCK:
                held[step.location] = step.thread
            elif step.kind is StepKind.UNLOCK:
                held.pop(step.location, None)
        for process in sorted(self.calls):
            instruction = next_access(self.assembly, self.state, process)
            lock = wanted_lock(self.assembly, self.state, process)
            place = None if instruction is None else self._place(instruction.line, process)
            self.trace.append(TraceStep(process, StepKind.BLOCK, lock, other=held.get(lock), place=place))
        return len(self.calls)

    # Events.

    def _trace_steps(self, event: ModelEvent) -> Iterator[TraceStep]:
        kind = StepInfo(event.kind)
        assembly = self.assembly
        process = event.process
        if kind is StepInfo.CALL:
            call = assembly.calls[event.number]
            self.calls[process] = self.called_last[process] = event.number
            place = self._place(call.operation.line, process)
            yield TraceStep(process, StepKind.CALL, operation=call.operation.name, args=call.arguments, place=place)
            return
        if kind is StepInfo.DRAIN:
            name, value = self.places.name(event.address), self.places.value(event.address, event.after)
            old = self.places.value(event.address, event.before)
            self.waiting[process] = self.waiting.get(process, ())[1:]
            yield TraceStep(process, StepKind.DRAIN, name, value, old)
            return
        instruction = assembly.program.code[event.instruction]
        place = self._place(instruction.line, process)
        if kind is StepInfo.RETURN:
            number = self.calls.pop(process)
            self.set_before_return = event.number
            result = self.places.value(-1, event.result)
            name = assembly.calls[number].operation.name
            yield TraceStep(process, StepKind.RETURN, value=result, operation=name, place=place)
        elif kind is StepInfo.CHOOSE:
            yield TraceStep(process, StepKind.CHOOSE, value=assembly.value_of(event.result[0]), place=place)
        elif kind is StepInfo.ALLOCATE:
            name = str(assembly.value_of(event.result[0]))
            yield TraceStep(process, StepKind.ALLOCATE, name, place=place)
        elif kind is StepInfo.POINT:
            yield TraceStep(process, StepKind.NOTE, message="linearization point", place=place)
        elif kind is StepInfo.FAULT:
            if event.number == ASSERTION_FAULT:
                yield TraceStep(process, StepKind.ASSERTION, place=place)
            else:
                message = FAULTS.get(event.number, "the model fails")
                yield TraceStep(process, StepKind.EXCEPTION, message=message, place=place)
        elif kind in (StepInfo.ACCESS, StepInfo.UNSEEN):
            step = self._access(event, instruction, place)
            delayed = self.assembly.manner.memory_model != "sc" and kind is StepInfo.ACCESS
            yield self._with_buffer(step) if delayed else step

    def _with_buffer(self, step: TraceStep) -> TraceStep:
        """An access where stores wait: a store that now waits, or a load that may read a store of its own process."""
        assert isinstance(step.thread, int)
        stores = self.waiting.get(step.thread, ())
        if step.kind is StepKind.WRITE and step.location is not None:
            self.waiting[step.thread] = (*stores, (step.location, step.value))
            return dataclasses.replace(step, old=UNSET)
        forwarded = step.kind is StepKind.READ and any(name == step.location for name, _ in stores)
        return dataclasses.replace(step, forwarded=forwarded)

    def _access(self, event: ModelEvent, instruction: Instruction, place: SourcePlace) -> TraceStep:
        process, code, address = event.process, instruction.code, event.address
        name = self.places.name(address)
        if code is OpCode.FENCE:
            return TraceStep(process, StepKind.FENCE, place=place)
        old = self.places.value(address, event.before)
        new = self.places.value(address, event.after)
        if code in (OpCode.LOAD, OpCode.LOAD_LINKED):
            return TraceStep(process, StepKind.READ, name, self.places.value(address, event.result), place=place)
        if code is OpCode.STORE:
            return TraceStep(process, StepKind.WRITE, name, self.places.value(address, event.result), old, place=place)
        if code in (OpCode.SWAP, OpCode.FETCH_ADD):
            return TraceStep(process, StepKind.UPDATE, name, new, old, place=place)
        if code in (OpCode.CAS, OpCode.STORE_CONDITIONAL, OpCode.DCAS):
            success = bool(self.assembly.value_of(event.result[0]))
            if not success:  # the expected value is in its source line
                return TraceStep(process, StepKind.CAS, name, old=old, success=False, place=place)
            return TraceStep(process, StepKind.CAS, name, new, old, expected=old, success=True, place=place)
        if code is OpCode.ACQUIRE:
            return TraceStep(process, StepKind.LOCK, name, place=place)
        return TraceStep(process, StepKind.UNLOCK, name, place=place)

    def _place(self, line: int, process: int) -> SourcePlace:
        program = self.assembly.program
        number = self.calls.get(process)
        function = self.assembly.calls[number].operation.name if number is not None else None
        text = program.source[line - 1].strip() if 0 < line <= len(program.source) else None
        return SourcePlace(program.file, max(line, 1), function, text)


def _order(survivor: AllowedConfiguration) -> tuple[int, str, str]:
    """Sort key: configurations in which fewer operations have taken effect come first."""
    return len(survivor.done), format_value(survivor.state), f"{survivor.pending}{survivor.done}"
