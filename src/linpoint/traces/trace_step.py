# SPDX-License-Identifier: Apache-2.0
"""One step of a trace: its thread and action, the location in memory, the values, and the source line.

Guarantee: a ``TraceStep`` object has everything that its kind needs and nothing that its kind cannot have. It is
immutable, and so are its values, which are bounded JSON. Cost: O(size of its values) to create one.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import Any, Final

from msgspec import UNSET

from linpoint.histories.formats.value_validation import validate_value
from linpoint.histories.operation import Process
from linpoint.histories.values import Value


class StepKind(enum.Enum):
    """The kind of a step. The values are those of the JSON format."""

    CALL = "call"
    """An operation, or a function inside one, begins: ``operation`` and ``args``."""
    RETURN = "return"
    """The innermost open operation ends: ``value`` is its result."""
    READ = "read"
    WRITE = "write"
    """A store. Under TSO and PSO it enters the thread's buffer, and reaches memory with a ``drain``."""
    UPDATE = "update"
    """An atomic read-modify-write that always succeeds, such as exchange or fetch-add."""
    CAS = "cas"
    """A compare-and-swap, or a store-conditional: ``expected``, ``value``, ``old`` and ``success``."""
    FENCE = "fence"
    DRAIN = "drain"
    """A store leaves the thread's buffer and reaches memory. The memory takes this step, not the thread."""
    FLUSH = "flush"
    """The thread requests that a cache line be written back to persistent memory."""
    PERSIST = "persist"
    """A store reaches persistent memory. The memory takes this step, not the thread."""
    LOCK = "lock"
    UNLOCK = "unlock"
    WAIT = "wait"
    """The thread waits for a notification."""
    NOTIFY = "notify"
    BLOCK = "block"
    """The thread is blocked: ``location`` is what it waits for, ``other`` the thread that holds it."""
    UNBLOCK = "unblock"
    SPAWN = "spawn"
    JOIN = "join"
    EXIT = "exit"
    """The thread ends."""
    YIELD = "yield"
    """The thread lets other threads run."""
    CHOOSE = "choose"
    """A choice made by the schedule: ``value``."""
    ALLOCATE = "allocate"
    FREE = "free"
    LOCAL = "local"
    """A line of the program, or a step invisible to other threads."""
    ASSERTION = "assertion"
    """An assertion failed."""
    EXCEPTION = "exception"
    CRASH = "crash"
    """The whole system stops: every operation is interrupted, and ``unpersisted`` is lost."""
    RECOVERY_BEGIN = "recovery-begin"
    RECOVERY_END = "recovery-end"
    NOTE = "note"
    """A remark: ``message``."""


WITHOUT_THREAD: Final = frozenset(
    (StepKind.PERSIST, StepKind.CRASH, StepKind.RECOVERY_BEGIN, StepKind.RECOVERY_END, StepKind.NOTE)
)
"""Kinds of steps that need no thread."""
OF_MEMORY: Final = frozenset((StepKind.DRAIN, StepKind.PERSIST))
"""Kinds of steps that the memory takes, whichever thread runs."""
ACCESSES: Final = frozenset((StepKind.READ, StepKind.WRITE, StepKind.UPDATE, StepKind.CAS, StepKind.DRAIN))
"""Kinds of steps that read or change a location that threads may share."""
MEMORY_ORDERS: Final = ("relaxed", "consume", "acquire", "release", "acq_rel", "seq_cst")

_KINDS_WITH_PLACE: Final = ACCESSES | {StepKind.FLUSH, StepKind.PERSIST, StepKind.LOCK, StepKind.UNLOCK}
_MAY_FAIL: Final = frozenset((StepKind.CAS, StepKind.LOCK, StepKind.ALLOCATE))
_STATES: Final = ("dirty", "flushed")


@dataclass(frozen=True, slots=True)
class SourcePlace:
    """A line of source code."""

    file: str
    line: int
    function: str | None = None
    text: str | None = None
    """The text of the line, if known."""

    def __post_init__(self) -> None:
        if self.line < 1:
            raise ValueError(f"a place has line {self.line}, but lines count from 1")

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


@dataclass(frozen=True, slots=True)
class UnpersistedStore:
    """A store that a crash now would lose, or has lost."""

    location: str
    value: Value = UNSET
    state: str = "dirty"
    """``dirty``: only the cache has it; ``flushed``: it was flushed, but no fence has completed the flush."""
    cache_line: str | None = None

    def __post_init__(self) -> None:
        if self.state not in _STATES:
            raise ValueError(f"an unpersisted store has the state {self.state!r}, not {' or '.join(_STATES)}")
        object.__setattr__(self, "value", _admitted(self.value))


@dataclass(frozen=True, slots=True)
class TraceStep:
    """One step of one thread, as far as it is known. ``UNSET`` is an unknown value; null is a value."""

    thread: Process | None
    """None for a step without a thread, such as a crash of the system."""
    kind: StepKind
    location: str | None = None
    """The variable, address, cache line or lock."""
    value: Value = UNSET
    """The value read or written, the new value, the result of an operation, or the choice."""
    old: Value = UNSET
    """The previous value; for a failed ``cas``, the value that it observed."""
    expected: Value = UNSET
    """The value that a ``cas`` expected."""
    success: bool | None = None
    """Whether a ``cas``, an attempt to lock or an allocation succeeded."""
    memory_order: str | None = None
    """One of ``MEMORY_ORDERS``; None for a plain access."""
    forwarded: bool = False
    """Whether the value read came from the thread's own buffer, not from memory."""
    operation: str | None = None
    """The operation that is called, or that returns."""
    args: tuple[Value, ...] = ()
    other: Process | None = None
    """The thread that is spawned, joined or woken, or that holds what this one waits for."""
    message: str | None = None
    """The assertion, the exception, or another message."""
    place: SourcePlace | None = None
    buffer: tuple[tuple[str, Value], ...] = ()
    """The thread's stores that have not reached memory after the step, oldest first: locations and values."""
    unpersisted: tuple[UnpersistedStore, ...] = ()
    """The stores that a crash after the step would lose; for a crash, those that it lost."""
    preempts: bool = False
    """Whether the thread of the previous step could have continued, but the schedule chose this one."""

    def __post_init__(self) -> None:
        for name in ("value", "old", "expected"):
            object.__setattr__(self, name, _admitted(getattr(self, name)))
        object.__setattr__(self, "args", validate_value(list(self.args), None))
        object.__setattr__(self, "buffer", tuple((where, _admitted(value)) for where, value in self.buffer))
        problem = _problem(self)
        if problem:
            raise ValueError(f'a step of kind "{self.kind.value}" {problem}')


def _admitted(value: Any) -> Value:
    return UNSET if value is UNSET else validate_value(value, None)


def _problem(step: TraceStep) -> str:
    """What is invalid about a step; empty if nothing is."""
    kind = step.kind
    if step.thread is None and kind not in WITHOUT_THREAD:
        return "needs a thread"
    if step.location is None and kind in _KINDS_WITH_PLACE:
        return "needs a location"
    if step.operation is None and kind is StepKind.CALL:
        return "needs an operation"
    if step.operation is not None and kind not in (StepKind.CALL, StepKind.RETURN):
        return "cannot have an operation"
    if step.args and kind is not StepKind.CALL:
        return "cannot have args"
    if step.success is not None and kind not in _MAY_FAIL:
        return "cannot have success"
    if step.forwarded and kind is not StepKind.READ:
        return "cannot be forwarded"
    if step.preempts and (step.thread is None or kind in OF_MEMORY):
        return "cannot preempt a thread"
    if step.memory_order is not None and step.memory_order not in MEMORY_ORDERS:
        return f"has the memory order {step.memory_order!r}, but it is one of {', '.join(MEMORY_ORDERS)}"
    return ""
