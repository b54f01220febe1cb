# SPDX-License-Identifier: Apache-2.0
"""The text of a trace: its sentence, its steps, the contents of store buffers. All text is safe to print.

Names and values of a trace are untrusted: each is escaped and shortened before it becomes part of a sentence.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Final

from msgspec import UNSET

from linpoint.histories.operation import Process
from linpoint.histories.values import Value, format_value
from linpoint.text.phrases import count_noun
from linpoint.text.terminal_text import display_width, escape_controls, fit
from linpoint.traces.trace import FAILURES, MEMORY_MODELS, SourcePlace, StepKind, Trace, TraceStep, UnpersistedStore

_MAX_LISTED: Final = 6
_NODE: Final = re.compile(r"[^\W\d]\w*#\d+")
_CHARS_PER_COLUMN: Final = 4  # characters to read per column: combining marks take no column


@dataclass(frozen=True, slots=True)
class StepWording:
    """The names of threads and files of one trace, and the maximum width of a name or value."""

    threads: dict[Process, str]
    files: dict[str, str]
    longest: int
    of_model: bool = False
    """Whether the trace is of a model, which has one file and node values such as Node#3."""

    def step(self, step: TraceStep) -> str:
        """The step as text: ``write x = 1 (release)``."""
        text = self._deed(step)
        if step.message and step.kind is not StepKind.NOTE:
            text = f"{text}: {self.untrusted(step.message)}"
        aside = [step.memory_order] if step.memory_order else []
        if step.forwarded:
            aside.append("from its buffer")
        if step.old is not UNSET and step.kind is StepKind.WRITE:
            aside.append(f"was {self.value(step.old)}")
        return f"{text} ({', '.join(aside)})" if aside else text

    def notes(self, step: TraceStep, *, buffer: bool, unpersisted: bool) -> list[str]:
        """The contents of the buffer of the thread and of the caches after a step, as requested."""
        found = []
        if buffer:
            found.append(f"buffer: {self.stores(step.buffer) or 'empty'}")
        if unpersisted:
            crashed = step.kind is StepKind.CRASH
            told = _listed(self._unpersisted(store, whole=crashed) for store in step.unpersisted)
            found.append(f"{'lost' if crashed else 'not persistent'}: {told}")
        return found

    def stores(self, stores: Iterable[tuple[str, Value]]) -> str:
        """The stores of a buffer: ``x=1, y=2``."""
        return _listed(f"{self.untrusted(location)}={self.value(value)}" for location, value in stores)

    def thread(self, thread: Process) -> str:
        """The name of a thread."""
        return self.threads[thread]

    def place(self, place: SourcePlace) -> str:
        """A short place: without directories if the file names are distinct."""
        if self.of_model:
            return f"{place.line}"
        return fit(f"{self.files[place.file]}:{place.line}", self.longest)

    def source(self, step: TraceStep) -> str:
        """The source line of a step, if it is known and the step's own text does not contain it."""
        known = step.place is not None and step.place.text and step.kind is not StepKind.LOCAL
        return self.untrusted(step.place.text.strip()) if known and step.place and step.place.text else ""

    def untrusted(self, text: str) -> str:
        """An untrusted text."""
        return fit(escape_controls(text[: _CHARS_PER_COLUMN * self.longest]), self.longest)

    def value(self, value: Value) -> str:
        """A value as text; a question mark if it is unknown."""
        if value is UNSET:
            return "?"
        return self.untrusted(model_value(value) if self.of_model else format_value(value))

    def _unpersisted(self, store: UnpersistedStore, *, whole: bool) -> str:
        value = "" if store.value is UNSET else f"={self.value(store.value)}"
        line = f" in {self.untrusted(store.cache_line)}" if store.cache_line and whole else ""
        flushed = " (flushed)" if store.state == "flushed" else ""
        return f"{self.untrusted(store.location)}{value}{line}{flushed}"

    def _deed(self, step: TraceStep) -> str:
        """The step as text, without its message and remarks."""
        kind, value, old = step.kind, self.value(step.value), self.value(step.old)
        where = "" if step.location is None else self.untrusted(step.location)
        match kind:
            case StepKind.CALL:
                return f"{self.untrusted(step.operation or '')}({self._arguments(step)})"
            case StepKind.RETURN:
                name = "" if step.operation is None else f"{self.untrusted(step.operation)} "
                return f"{name}returns" if step.value is UNSET else f"{name}returns {value}"
            case StepKind.READ:
                return f"read {where}" if step.value is UNSET else f"read {where}: {value}"
            case StepKind.WRITE:
                return f"write {where}" if step.value is UNSET else f"write {where} = {value}"
            case StepKind.UPDATE:
                return f"update {where}: {old} -> {value}"
            case StepKind.CAS:
                told = step.expected is not UNSET or step.value is not UNSET
                text = f"cas {where}: {self.value(step.expected)} -> {value}" if told else f"cas {where}"
                saw = "" if step.old is UNSET else f", found {old}"
                return f"{text} failed{saw}" if step.success is False else text
            case StepKind.DRAIN:
                return f"{where} = {value} reaches memory"
            case StepKind.PERSIST:
                return f"{where} is persistent" if step.value is UNSET else f"{where} = {value} is persistent"
            case StepKind.NOTE:
                return self.untrusted(step.message or "")
            case StepKind.LOCAL:
                known = step.place and (step.place.text or step.place.function)
                return self.untrusted(known.strip()) if known else "local step"
            case StepKind.CHOOSE:
                return f"choose {value}"
        return self._about_others(step, where)

    def _about_others(self, step: TraceStep, where: str) -> str:
        """A step on locks, threads and the system, as text."""
        other = "" if step.other is None else self.threads[step.other]
        match step.kind:
            case StepKind.LOCK if step.success is False:
                return f"cannot lock {where}" + (f", held by {other}" if other else "")
            case StepKind.BLOCK:
                return "blocked" + (f" on {where}" if where else "") + (f", held by {other}" if other else "")
            case StepKind.WAIT:
                return "wait" + (f" on {where}" if where else "")
            case StepKind.UNBLOCK:
                return "resumes" + (f", woken by {other}" if other else "")
            case StepKind.ALLOCATE if step.success is False:
                return f"cannot allocate {where}".rstrip()
        verb = _VERBS.get(step.kind, step.kind.value)
        return " ".join(part for part in (verb, where, other) if part)

    def _arguments(self, step: TraceStep) -> str:
        return fit(", ".join(map(self.value, step.args)), self.longest)


_VERBS: Final = {
    StepKind.EXIT: "ends",
    StepKind.ASSERTION: "assertion failed",
    StepKind.EXCEPTION: "raises",
    StepKind.CRASH: "CRASH",
    StepKind.RECOVERY_BEGIN: "recovery begins",
    StepKind.RECOVERY_END: "recovery ends",
}


def model_value(value: Value) -> str:
    """A value of a model: nodes by their names, records and tuples as models write them."""
    if isinstance(value, str) and _NODE.fullmatch(value):
        return value
    if isinstance(value, Mapping):
        return f"({', '.join(f'{name}={model_value(each)}' for name, each in value.items())})"
    if isinstance(value, (list, tuple)):
        return f"({', '.join(map(model_value, value))})"
    return format_value(value)


def wording_of(trace: Trace, *, longest: int, of_model: bool = False) -> StepWording:
    """The wording for the steps of ``trace``, with no name or value wider than ``longest`` columns."""
    names = {
        thread.id: fit(escape_controls(thread.label[: _CHARS_PER_COLUMN * longest]), longest)
        for thread in trace.threads
    }
    files = {step.place.file for step in trace.steps if step.place}
    short = [PurePosixPath(file).name for file in files]
    told = {file: PurePosixPath(file).name if short.count(PurePosixPath(file).name) == 1 else file for file in files}
    return StepWording(names, {file: escape_controls(name) for file, name in told.items()}, longest, of_model)


def sentence(trace: Trace, wording: StepWording) -> str:
    """The trace in one sentence: its size, the failure and its place."""
    numbers = [count_noun(len(trace.threads), "thread"), count_noun(len(trace.steps), "step")]
    numbers += [count_noun(trace.preemptions, "preemption"), MEMORY_MODELS[trace.memory_model]]
    failure = trace.failure
    if failure is None:
        return f"{', '.join(numbers)}: no failure"
    place = None if failure.step is None else trace.steps[failure.step].place
    where = "" if place is None else f" at {wording.place(place)}"
    return f"{', '.join(numbers)}: {FAILURES[failure.kind]}{where}"


def schedule_words(schedule: str, longest: int) -> str:
    """A schedule in at most ``longest`` columns; a longer one is omitted, since a part of it is useless."""
    told = escape_controls(schedule)
    return told if display_width(told) <= longest else f"{count_noun(len(schedule), 'character')}, not shown"


def _listed(parts: Iterable[str]) -> str:
    """The first few items and the number of the others."""
    each = list(parts)
    more = [f"{len(each) - _MAX_LISTED:,} more"] if len(each) > _MAX_LISTED else []
    return ", ".join([*each[:_MAX_LISTED], *more])
