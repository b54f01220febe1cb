# SPDX-License-Identifier: Apache-2.0
"""The evidence of findings: one type for each kind of subject."""

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
    """Its thread, from 0; None for an operation that ran alone, before or after the threads."""
    call: str
    returned: bool
    """False for an operation that never returned."""
    result: Value = None
    allowed: tuple[Value, ...] | None = None
    """The results that some order of the operations gives it, where its own result is not among them; else None."""
    after: bool = False
    """It ran alone, after the threads."""


@dataclass(frozen=True, slots=True)
class ScenarioEvidence:
    """A failing scenario of an object."""

    scenario: str
    """As text, also for ``--scenario``."""
    operations: tuple[ShownOperation, ...]
    orders: tuple[tuple[Value, ...], ...] = ()
    """The results of the threads' operations, then of those after them, that orders give, where only the combination of
    the results that were seen is impossible."""


@dataclass(frozen=True, slots=True)
class ProgramEvidence:
    """A failing run of a program."""

    printed: tuple[str, ...] = ()
    """The last lines that the program printed."""


@dataclass(frozen=True, slots=True)
class AllowedConfiguration:
    """One way in which the spec may have followed a run: its state, and for each process what took effect."""

    state: Value
    pending: Mapping[int, str]
    """Operations that were called and have not taken effect, by process."""
    done: Mapping[int, tuple[str, Value]]
    """Operations that have taken effect and not returned, with their results."""


@dataclass(frozen=True, slots=True)
class ModelStep:
    """One step of a run: the positions of its parts in the trace, what changed, and what the spec allows then."""

    process: int
    first: int
    last: int
    changes: tuple[tuple[str, Value, Value], ...] = ()
    """Cells whose values changed: name, before, after."""
    survivors: tuple[AllowedConfiguration, ...] = ()
    more_survivors: int = 0
    """How many there are that ``survivors`` leaves out."""
    memory: tuple[tuple[str, Value], ...] = field(default=(), repr=False)
    """All cells, and the fields of reachable nodes, after the step."""


@dataclass(frozen=True, slots=True)
class ModelEvidence:
    """A failing run of a model."""

    steps: tuple[ModelStep, ...] = field(default=(), repr=False)
    switches: int = 0
    """How often another process continued."""
    refused: str = ""
    """Why the spec refuses the last response, in a sentence; empty where the violation is not one of the spec."""
    allowed: tuple[Value, ...] = ()
    """The results that the spec would have allowed instead."""
    memory: tuple[tuple[str, Value], ...] = field(default=(), repr=False)
    """All cells before the first step."""


@dataclass(frozen=True, slots=True)
class CrashStore:
    """A store to persistent memory around a crash."""

    place: SourcePlace | None
    name: str | None
    """The variable that it stores to, as the line of source calls it."""
    address: int
    size: int
    value: str
    """In hexadecimal digits, as in memory."""
    line: int
    """The address of its cache line."""
    kind: str
    operation: str
    """The call that made it."""
    thread: int
    persisted: bool
    """It certainly was persistent."""
    kept: bool
    """It is in the crash state; otherwise it was lost."""
    role: str = ""
    """``cause`` must be made durable, ``also`` too, ``before`` must wait for it, ``unrecovered`` was not undone, ``sync``
    is the store that was tested."""


@dataclass(frozen=True, slots=True)
class CrashOperation:
    """An operation around a crash."""

    call: str
    when: str
    """``before`` the crash, ``open`` at it, ``beside`` the open one, or a probe ``after`` it."""
    returned: bool
    result: Value = None
    allowed: tuple[Value, ...] | None = None
    """The results that the spec allows, where it does not allow this one; else None."""


@dataclass(frozen=True, slots=True)
class CrashEvidence:
    """A crash that the object does not survive, or a failure without any crash."""

    classes: tuple[str, ...] = ()
    violates: tuple[str, ...] = ()
    """Conditions."""
    remedy: str = ""
    proven: bool = False
    """With the store made durable, the same crash is survived."""
    count: int = 1
    """Crash states that were found to have this cause."""
    operations: tuple[CrashOperation, ...] = ()
    stores: tuple[CrashStore, ...] = field(default=(), repr=False)


@dataclass(frozen=True, slots=True)
class NeedlessInstruction:
    """A flush or a fence that changed nothing each time it ran."""

    kind: str
    place: SourcePlace | None
    count: int


@dataclass(frozen=True, slots=True)
class HungThread:
    """A thread that hangs: in which operation, where, and whether it still runs (a loop without end) or waits.

    ``operation`` is None before and between operations; ``stack`` is empty inside of a function that is not Python's.
    """

    process: int
    operation: str | None
    stack: tuple[str, ...]
    running: bool

    def __str__(self) -> str:
        what = f"process {self.process} {'runs on' if self.running else 'waits'} in {self.operation or 'no operation'}"
        return "\n".join([what, *(f"    {frame}" for frame in self.stack)])


@dataclass(frozen=True, slots=True)
class HistoryEvidence:
    """A recorded run on real threads."""

    verdict: Verdict | None = field(default=None, repr=False)
    history: History | None = field(default=None, repr=False)
    hung: tuple[HungThread, ...] = field(default=(), repr=False)
    """The threads that hang."""
    report: str = field(default="", repr=False)
    """The report of a sanitizer, or of the process that died."""


Evidence = ScenarioEvidence | ProgramEvidence | ModelEvidence | CrashEvidence | HistoryEvidence
