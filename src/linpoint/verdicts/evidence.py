# SPDX-License-Identifier: Apache-2.0
"""The evidence of findings, with one type for each kind of subject."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from linpoint.histories.history import History
from linpoint.histories.values import Value
from linpoint.traces.trace import SourcePlace
from linpoint.verdicts.verdict import Verdict


@dataclass(frozen=True, slots=True)
class ShownOperation:
    """One operation of a scenario as it ran."""

    thread: int | None
    """The thread, from 0; None if it ran alone, before or after the threads."""
    call: str
    returned: bool
    """False for an operation that never returned."""
    result: Value = None
    allowed: tuple[Value, ...] | None = None
    """The results that some order of the operations gives it, if its own result is not among them; else None."""
    after: bool = False
    """Whether it ran alone, after the threads."""


@dataclass(frozen=True, slots=True)
class ScenarioEvidence:
    """A failing scenario of an object."""

    scenario: str
    """The scenario as text, which ``--scenario`` accepts."""
    operations: tuple[ShownOperation, ...]
    orders: tuple[tuple[Value, ...], ...] = ()
    """The possible results of the threads' operations and those after them, one tuple per order; given if each observed
    result is possible but their combination is not."""


@dataclass(frozen=True, slots=True)
class ProgramEvidence:
    """A failing run of a program."""

    printed: tuple[str, ...] = ()
    """The last lines that the program printed."""


@dataclass(frozen=True, slots=True)
class AllowedConfiguration:
    """One way in which the spec may have followed a run: its state and the effects of each process."""

    state: Value
    pending: Mapping[int, str]
    """Operations that were called but have not taken effect, by process."""
    done: Mapping[int, tuple[str, Value]]
    """Operations that have taken effect but not returned, by process, with their results."""


@dataclass(frozen=True, slots=True)
class ModelStep:
    """One step of a run: its positions in the trace, the changes, and the states that the spec allows after it."""

    process: int
    first: int
    last: int
    changes: tuple[tuple[str, Value, Value], ...] = ()
    """Cells whose values changed: name, before, after."""
    survivors: tuple[AllowedConfiguration, ...] = ()
    more_survivors: int = 0
    """The number of configurations that ``survivors`` omits."""
    memory: tuple[tuple[str, Value], ...] = field(default=(), repr=False)
    """All cells, and the fields of reachable nodes, after the step."""


@dataclass(frozen=True, slots=True)
class ModelEvidence:
    """A failing run of a model."""

    steps: tuple[ModelStep, ...] = field(default=(), repr=False)
    switches: int = 0
    """The number of switches to another process."""
    refused: str = ""
    """A sentence on why the spec rejects the last response; empty if the spec is not violated."""
    allowed: tuple[Value, ...] = ()
    """The results that the spec allows instead."""
    memory: tuple[tuple[str, Value], ...] = field(default=(), repr=False)
    """All cells before the first step."""


@dataclass(frozen=True, slots=True)
class CrashStore:
    """A store to persistent memory around a crash."""

    place: SourcePlace | None
    name: str | None
    """The variable that it stores to, as the source line names it."""
    address: int
    size: int
    value: str
    """The stored bytes in hexadecimal, in memory order."""
    line: int
    """The address of its cache line."""
    kind: str
    operation: str
    """The call that executed it."""
    thread: int
    persisted: bool
    """Whether it was certainly persistent."""
    kept: bool
    """Whether it is in the crash state; otherwise it was lost."""
    role: str = ""
    """``cause``: it must be made durable; ``also``: so must this one; ``before``: it must wait for the cause;
    ``unrecovered``: recovery did not undo it; ``sync``: the tested store."""


@dataclass(frozen=True, slots=True)
class CrashOperation:
    """An operation around a crash."""

    call: str
    when: str
    """``before`` the crash, ``open`` during it, ``beside``: concurrent with the open one, ``after``: a probe."""
    returned: bool
    result: Value = None
    allowed: tuple[Value, ...] | None = None
    """The results that the spec allows, if it does not allow this one; else None."""


@dataclass(frozen=True, slots=True)
class CrashEvidence:
    """A crash that the object does not survive, or a failure without a crash."""

    classes: tuple[str, ...] = ()
    violates: tuple[str, ...] = ()
    """The violated conditions."""
    remedy: str = ""
    proven: bool = False
    """Whether the object survives the same crash once the store is made durable."""
    count: int = 1
    """The number of crash states found with this cause."""
    operations: tuple[CrashOperation, ...] = ()
    stores: tuple[CrashStore, ...] = field(default=(), repr=False)


@dataclass(frozen=True, slots=True)
class NeedlessInstruction:
    """A flush or a fence that had no effect whenever it ran."""

    kind: str
    place: SourcePlace | None
    count: int


@dataclass(frozen=True, slots=True)
class HungThread:
    """A hung thread: its operation, its stack, and whether it is running (an endless loop) or waiting.

    ``operation`` is None before and between operations. ``stack`` has the innermost line last; it is empty inside of
    functions that are not written in Python.
    """

    process: int
    operation: str | None
    stack: tuple[str, ...]
    running: bool

    def __str__(self) -> str:
        what = (
            f"process {self.process} {'still runs' if self.running else 'waits'} in {self.operation or 'no operation'}"
        )
        return "\n".join([what, *(f"    {frame}" for frame in self.stack)])


@dataclass(frozen=True, slots=True)
class HistoryEvidence:
    """A recorded run on real threads."""

    verdict: Verdict | None = field(default=None, repr=False)
    history: History | None = field(default=None, repr=False)
    hung: tuple[HungThread, ...] = field(default=(), repr=False)
    """The hung threads."""
    report: str = field(default="", repr=False)
    """The report of a sanitizer, or on the process that died."""


Evidence = ScenarioEvidence | ProgramEvidence | ModelEvidence | CrashEvidence | HistoryEvidence
