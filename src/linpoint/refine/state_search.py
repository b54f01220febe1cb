# SPDX-License-Identifier: Apache-2.0
"""Searches of a laid-out model within limits: room that grows as needed, budgets, Ctrl-C.

Guarantee: a stopped search never reports that the model holds. A search that lacks room for nodes, values or waiting
stores starts again with more room.
"""

from __future__ import annotations

import enum
import os
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Final

from linpoint.errors import ModelError
from linpoint.executors.thread_executor import (
    AbandonedError,
    available_memory,
    raise_in_thread,
    resident_memory,
    run_all,
)
from linpoint.limits.budget import Budget
from linpoint.refine._native_refine import ModelReached, ModelSearch, StopReason, StopToken
from linpoint.refine.model_faults import FAULTS
from linpoint.refine.program_ir import CompiledModel
from linpoint.refine.spec_numbering import NumberedModel, NumberedSpec, NumberedSpecification
from linpoint.refine.state_layout import LayoutSizes, ModelLayout, ModelRunConfig, lay_out
from linpoint.specs.spec import Spec

_NATIVE_MEMORY_SHARE: Final = 0.95
_FREE_MEMORY_SHARE: Final = 0.75
MAX_NODES: Final = 120
MAX_BUFFERED_STORES: Final = 32
UNLIMITED_STATES: Final = 2**31 - 1


class SearchEnding(enum.IntEnum):
    """The ending of a search, numbered as in linpoint/refine/state_search.hpp."""

    HOLDS = 0
    VIOLATION = 1
    STOPPED = 2
    ROOM = 3
    DEPTH = 4


class ExhaustedRoom(enum.IntEnum):
    """The kind of room that was exhausted, numbered as in the native core."""

    NODES = 16
    VALUES = 17
    STORES = 18


@dataclass(frozen=True, slots=True)
class StateSearchLimits:
    """The limits of searches, and the callback for their progress."""

    budget: Budget = field(default_factory=Budget)
    jobs: int | None = None
    report_progress: Callable[[int, int], None] | None = None
    """Called from time to time with the number of states and the depth."""

    @property
    def threads(self) -> int:
        """The number of threads of a search."""
        return min(self.jobs or os.cpu_count() or 1, 16)


@dataclass(slots=True)
class StateSearch:
    """A search that has ended, with everything needed to interpret its numbers."""

    assembly: ModelLayout
    spec: NumberedSpecification | None
    search: ModelSearch
    reached: ModelReached | None
    """None if the search had to be abandoned inside an endless call of a spec."""
    seconds: float
    stopped: StopReason | None
    interrupted: bool = False
    bound: str = ""
    """The bound that was reached, as text."""

    @property
    def ending(self) -> SearchEnding:
        """The ending of the search."""
        return SearchEnding.STOPPED if self.reached is None or self.bound else SearchEnding(self.reached.ending)


def search(
    program: CompiledModel,
    manner: ModelRunConfig,
    spec: Spec | CompiledModel | None,
    limits: StateSearchLimits,
    *,
    deadlocks: bool = True,
    most_depth: int = UNLIMITED_STATES,
    room: LayoutSizes | None = None,
) -> StateSearch:
    """Search all states of a model, with as much room as needed. ``spec`` may be another model."""
    abstract: LayoutSizes | None = None
    room = room or LayoutSizes.for_program(program, manner)
    stop = _token(limits.budget)
    started = time.perf_counter()
    while True:
        assembly = lay_out(program, manner, room)
        room = assembly.room
        numbered = _specify(spec, assembly, abstract)
        found = ModelSearch(assembly.native, None if numbered is None else numbered.native, stop, limits.threads)
        reached, interrupted = _run(found, numbered, stop, limits, most_depth, deadlocks)
        seconds = time.perf_counter() - started
        ended = StateSearch(assembly, numbered, found, reached, seconds, _reason(stop), interrupted)
        if isinstance(numbered, NumberedModel) and numbered.native.fault[0]:
            larger = _more_room_of(numbered)
            if isinstance(larger, str):
                ended.bound = f"{larger} in the specification"
                return ended
            abstract = larger
            continue
        if ended.ending is not SearchEnding.ROOM or reached is None:
            return ended
        larger = _more_room(program, assembly, ExhaustedRoom(reached.room), reached.instruction)
        if isinstance(larger, str):
            ended.bound = larger
            return ended
        room = larger
        del found, ended  # release their memory for the next search


def prepare(
    program: CompiledModel, manner: ModelRunConfig, spec: Spec | CompiledModel | None, room: LayoutSizes | None = None
) -> StateSearch:
    """A search that has not begun, for taking runs step by step."""
    assembly = lay_out(program, manner, room or LayoutSizes.for_program(program, manner))
    numbered = _specify(spec, assembly, None)
    found = ModelSearch(assembly.native, None if numbered is None else numbered.native, StopToken(), 1)
    return StateSearch(assembly, numbered, found, None, 0.0, None)


def prepare_larger(
    searched: StateSearch, spec: Spec | CompiledModel | None, fault: int, instruction: int
) -> StateSearch | str:
    """The same with more of the room that a step lacked; or the bound that was reached."""
    assembly = searched.assembly
    larger = _more_room(assembly.program, assembly, ExhaustedRoom(fault), instruction)
    return larger if isinstance(larger, str) else prepare(assembly.program, assembly.manner, spec, larger)


def _reason(stop: StopToken) -> StopReason | None:
    return stop.reason if stop.stopped else None


def _specify(
    spec: Spec | CompiledModel | None, assembly: ModelLayout, room: LayoutSizes | None
) -> NumberedSpecification | None:
    if isinstance(spec, CompiledModel):
        return NumberedModel(spec, assembly, room)
    return None if spec is None else NumberedSpec(spec, assembly)


def _more_room_of(numbered: NumberedModel) -> LayoutSizes | str:
    """The same for a model that is a specification; its own faults are coded errors."""
    fault, instruction = numbered.native.fault
    if fault >= ExhaustedRoom.NODES:
        return _more_room(numbered.program, numbered.assembly, ExhaustedRoom(fault), instruction)
    program = numbered.program
    raise ModelError(
        "LP-M022",
        f"{program.name}, which is the specification, fails here: {FAULTS[fault]}.",
        place=f"{program.file}:{program.code[instruction].line}",
        remedy="Check it alone first: linpoint refine with its own spec.",
    )


def _more_room(
    program: CompiledModel, assembly: ModelLayout, lacking: ExhaustedRoom, instruction: int
) -> LayoutSizes | str:
    """More of the room that was lacking, or the bound that was reached."""
    room = assembly.room
    if lacking is ExhaustedRoom.NODES:
        number = program.code[instruction].c
        name = program.classes[number].name
        return room.with_nodes(number) if sum(room.nodes) < MAX_NODES else f"{room.nodes[number]} nodes of {name}"
    if lacking is ExhaustedRoom.STORES:
        if room.stores < MAX_BUFFERED_STORES:
            return replace(room, stores=room.stores * 2)
        return f"{room.stores} buffered stores of one process"
    if assembly.counted_bits:
        return "1,000 values with counted pointers"
    if room.slot_bytes < 4:
        return replace(room, slot_bytes=room.slot_bytes * 2)
    return "integers of 31 bits"


def _token(budget: Budget) -> StopToken:
    stop = StopToken()
    remaining = budget.remaining()
    if remaining is not None:
        stop.set_time_limit(remaining)
    most = budget.max_memory
    if most is not None:
        stop.set_memory_limit(int(max(0, most - resident_memory()) * _NATIVE_MEMORY_SHARE))
    elif (free := available_memory()) is not None:
        stop.set_memory_limit(int(free * _FREE_MEMORY_SHARE))  # otherwise the system might kill the process
    return stop


def _run(
    found: ModelSearch,
    spec: NumberedSpecification | None,
    stop: StopToken,
    limits: StateSearchLimits,
    most_depth: int,
    deadlocks: bool,
) -> tuple[ModelReached | None, bool]:
    """Run a search on its own threads, supervised from this one. The bool is whether Ctrl-C was pressed."""
    answer: list[ModelReached] = []

    def task() -> tuple[()]:
        answer.append(found.run(most_depth, deadlocks))
        return ()

    def watch() -> bool:
        most = limits.budget.max_memory
        if most is not None and resident_memory() > most:
            stop.stop(StopReason.MEMORY)
        if limits.report_progress is not None:
            limits.report_progress(found.states, found.depth)
        stopped = stop.poll()
        if stopped and spec is not None and spec.native.caller:
            raise_in_thread(spec.native.caller, AbandonedError)
        return stopped

    try:
        interrupted = run_all([task], jobs=1, watch=watch, interrupt=lambda: stop.stop(StopReason.REQUEST))
    except AbandonedError:
        interrupted = False
    return (answer[0] if answer else None), interrupted
