# SPDX-License-Identifier: Apache-2.0
"""A trace: the steps of one schedule, with source lines, values and store buffers.

The code that runs threads under control, a model or a crash test creates it, and the explanations show it. Guarantee: a
``Trace`` object is consistent. Its steps belong to its threads, returns match calls, preemptions are switches, buffers
are empty where the memory model has none, and its failure refers to its steps. Cost: O(steps). Positions count steps
from 0.
"""

from __future__ import annotations

import dataclasses
import enum
import re
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import msgspec

from linpoint.errors import HistoryError
from linpoint.histories.operation import Process
from linpoint.histories.values import thaw
from linpoint.traces.trace_step import OF_MEMORY, SourcePlace, StepKind, TraceStep, UnpersistedStore

__all__ = [
    "FAILURES",
    "MEMORY_MODELS",
    "SourcePlace",
    "StepKind",
    "Trace",
    "TraceFailure",
    "TraceStep",
    "TraceThread",
    "UnpersistedStore",
]

MEMORY_MODELS: Final = {"sc": "SC", "tso": "x86-TSO", "pso": "PSO"}
"""The memory models and their names."""

FAILURES: Final = {
    "linearizability": "not linearizable",
    "assertion": "assertion failed",
    "race": "data race",
    "deadlock": "deadlock",
    "livelock": "livelock",
    "crash": "the program crashed",
    "memory": "memory error",
    "exception": "exception",
    "nondeterminism": "a run that cannot be repeated",
    "progress": "no progress",
    "durability": "not durable",
}
"""The kinds of findings, each as a phrase."""

_AT: Final = re.compile(r"(.*) - at `\$\.?(.*)`", re.DOTALL)
_MISSING: Final = re.compile(r"Object missing required field `(.*)`")


@dataclass(frozen=True, slots=True)
class TraceThread:
    """A thread of a trace. ``id`` identifies it in steps; ``name`` is for display."""

    id: Process
    name: str = ""

    @property
    def label(self) -> str:
        """Its name, or its id if it has no name."""
        return self.name or (f"thread {self.id}" if isinstance(self.id, int) else self.id)


@dataclass(frozen=True, slots=True)
class TraceFailure:
    """The failure, and the step at which it shows."""

    kind: str
    """A key of ``FAILURES``."""
    step: int | None = None
    """The position of the step that shows it; None if it concerns the whole trace."""
    message: str = ""
    related: tuple[int, ...] = ()
    """Positions of other steps that take part: the other access of a race, the other threads of a deadlock."""

    def __post_init__(self) -> None:
        if self.kind not in FAILURES:
            raise ValueError(f"unknown kind of failure {self.kind!r}; the kinds are {', '.join(FAILURES)}")

    @property
    def steps(self) -> tuple[int, ...]:
        """The positions of all steps that take part."""
        return self.related if self.step is None else (self.step, *self.related)


@dataclass(frozen=True, slots=True)
class Trace:
    """The steps of one schedule."""

    threads: tuple[TraceThread, ...]
    """The threads, in the order in which they are shown."""
    steps: tuple[TraceStep, ...]
    memory_model: str = "sc"
    """``sc``, ``tso`` or ``pso``."""
    schedule: str | None = None
    """The choices that reproduce it, as text, if such a text exists."""
    failure: TraceFailure | None = None

    def __post_init__(self) -> None:
        if self.memory_model not in MEMORY_MODELS:
            raise ValueError(f"unknown memory model {self.memory_model!r}; the models are {', '.join(MEMORY_MODELS)}")
        _check_threads(self)
        _check_calls(self)
        _check_memory(self)
        _check_failure(self)

    @property
    def switches(self) -> dict[int, Process]:
        """The positions of the steps with which another thread continues, each with the thread that ran before.

        Steps of the memory switch no threads, and after a crash no thread is running.
        """
        found = {}
        running: Process | None = None
        for position, step in enumerate(self.steps):
            if step.kind is StepKind.CRASH:
                running = None
            elif step.thread is not None and step.kind not in OF_MEMORY:
                if running is not None and running != step.thread:
                    found[position] = running
                running = step.thread
        return found

    @property
    def preemptions(self) -> int:
        """The number of switches away from a thread that could have continued."""
        return sum(step.preempts for step in self.steps)

    def as_dict(self) -> dict[str, Any]:
        """The trace as JSON values: its fields except those with their default, and counts of its parts."""
        counts = {"threads": len(self.threads), "steps": len(self.steps)}
        counts |= {"switches": len(self.switches), "preemptions": self.preemptions}
        return {"memory_model": self.memory_model, "counts": counts, **_plain(self)}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Trace:
        """The trace from the JSON of ``as_dict``. Unknown fields and the counts are ignored.

        Raises LP-H006 for a missing field, LP-H007 for a field with an invalid value, and LP-H011 for values that are
        too deep or too large.
        """
        try:
            return msgspec.convert(data, cls)
        except msgspec.ValidationError as error:
            raise _bad_field(str(error)) from None


def _bad_field(text: str) -> HistoryError:
    """The coded error for a message of the decoder, such as "Expected `int`, got `str` - at `$.steps[3].thread`"."""
    found = _AT.fullmatch(text)
    message, place = (found[1], found[2] or None) if found else (text, None)
    missing = _MISSING.fullmatch(message)
    if missing:
        remedy = "Add it, or write the trace again."
        return HistoryError("LP-H006", f'a trace has no "{missing[1]}" there.', place=place, remedy=remedy)
    remedy = "See the reference of traces for the values of each field."
    return HistoryError("LP-H007", f"{message}.", place=place, remedy=remedy)


def _plain(thing: Any) -> Any:
    """A dataclass as a dict of the fields that differ from their default, recursively, and values as JSON."""
    if isinstance(thing, enum.Enum):
        return thing.value
    if dataclasses.is_dataclass(thing):
        fields = ((each, getattr(thing, each.name)) for each in dataclasses.fields(thing))
        return {each.name: _plain(value) for each, value in fields if value is not each.default}
    return [_plain(item) for item in thing] if type(thing) is tuple else thaw(thing)


def _check_threads(trace: Trace) -> None:
    known = {thread.id for thread in trace.threads}
    if len(known) < len(trace.threads):
        raise ValueError("two threads have the same id")
    for position, step in enumerate(trace.steps):
        for who in (step.thread, step.other):
            if who is not None and who not in known:
                raise ValueError(f"step {position} is about thread {who!r}, which the trace does not have")
    switches = trace.switches
    for position, step in enumerate(trace.steps):
        if step.preempts and position not in switches:
            raise ValueError(f"step {position} preempts no thread: no other thread ran before it")


def _check_calls(trace: Trace) -> None:
    """A return ends the innermost open call of its thread; a crash ends all open calls."""
    opened: dict[Process | None, list[str | None]] = defaultdict(list)
    for position, step in enumerate(trace.steps):
        if step.kind is StepKind.CALL:
            opened[step.thread].append(step.operation)
        elif step.kind is StepKind.CRASH:
            opened.clear()
        elif step.kind is StepKind.RETURN:
            if not opened[step.thread]:
                raise ValueError(f"step {position} returns, but thread {step.thread!r} has no open call")
            name = opened[step.thread].pop()
            if step.operation not in (None, name):
                raise ValueError(f"step {position} returns from {step.operation!r}, but {name!r} was called last")


def _check_memory(trace: Trace) -> None:
    if trace.memory_model == "sc":
        for position, step in enumerate(trace.steps):
            if step.buffer or step.kind is StepKind.DRAIN:
                raise ValueError(f"step {position} has a store buffer, but under sc there is none")


def _check_failure(trace: Trace) -> None:
    for position in trace.failure.steps if trace.failure else ():
        if not 0 <= position < len(trace.steps):
            raise ValueError(f"the failure is at step {position}, but the trace has {len(trace.steps)} steps")
