# SPDX-License-Identifier: Apache-2.0
"""Contents of the messages that a host sends while it searches: progress, histories of scenarios, results, findings, traces.

Unknown fields are ignored.
"""

from __future__ import annotations

from typing import Any, Final

import msgspec

FAULTS: Final = ("assertion", "race", "deadlock", "livelock", "crash", "memory", "exception", "nondeterminism")
"""Kinds of findings, in the order of the host's enumeration; the same holds for the tuples below."""
STEP_KINDS: Final = (
    *("read", "write", "update", "cas", "fence", "drain", "lock", "unlock", "wait", "notify", "block", "spawn", "join"),
    *("exit", "yield", "allocate", "free", "assertion", "exception", "crash", "note", "call", "return"),
)
ACCESS_ORDERS: Final = ("relaxed", "consume", "acquire", "release", "acq_rel", "seq_cst")


class SearchProgress(msgspec.Struct, frozen=True):
    """How far a search is."""

    schedules: int = 0
    steps: int = 0
    depth: int = 0
    """Steps of the last run."""
    estimate: float | None = None
    """Of how many schedules there are, as it looks so far."""
    scenario: int = 0


class CodeModule(msgspec.Struct, frozen=True):
    """A file of code in the host's memory."""

    path: str
    base: int


class HostFinding(msgspec.Struct, frozen=True):
    """A run that went wrong."""

    kind: str
    message: str
    """One sentence without a full stop; ``{0}`` stands for the first of ``places``."""
    places: list[int] = []
    schedule: list[tuple[int, int]] = []
    preemptions: int = 0
    printed: str | list[str] = ""
    steps_of: list[int] = []
    """Positions in the trace of the steps that take part; the last shows it."""
    address: int | None = None
    """Of a data race: the memory that it is about."""
    symbol_module: int | None = None
    lost: bool = False
    """Its process died with it, so nobody knows the schedule."""

    @property
    def key(self) -> object:
        """By which the same one is known again in another run."""
        return self.kind, self.message, tuple(self.places)


class StepMessage(msgspec.Struct, frozen=True):
    """A step of a trace, in numbers."""

    thread: int
    kind: str
    address: int | None = None
    size: int | None = None
    value: int | str | None = None
    old: int | str | None = None
    expected: int | str | None = None
    success: bool | None = None
    order: str | None = None
    forwarded: bool = False
    other: int | None = None
    message: str | None = None
    pc: int | None = None
    module: int | None = None
    stack: list[int] = []
    buffer: list[tuple[int, int, int | str]] = []
    """Addresses, sizes and values, the oldest first."""
    preempts: bool = False
    symbol_module: int | None = None
    block: tuple[int, int, int] | None = None
    """Of an address on the heap: which allocation, the offset in it, its size."""


class ThreadMessage(msgspec.Struct, frozen=True):
    """A thread of a trace."""

    id: int
    name: str = ""


class TraceMessage(msgspec.Struct, frozen=True):
    """The steps of one run."""

    threads: list[ThreadMessage]
    steps: list[StepMessage]


class SearchResult(msgspec.Struct, frozen=True):
    """What a search came to."""

    ended: str
    """``exhausted``, ``finding``, ``budget``, ``refused`` or ``error``; ``alone`` if workers cannot share it."""
    exhaustive: bool = False
    schedules: int = 0
    redundant: int = 0
    steps: int = 0
    cut: int = 0
    """Runs that were ended since they took too many steps."""
    completed: int = -1
    """Every schedule with up to so many preemptions was run."""
    diverged_at: int | None = None
    reason: str = ""
    qualified: list[str] = []
    """Sentences that say why a clean end proves less."""
    outcomes: dict[str, int] | None = None
    finding: HostFinding | None = None
    races: list[HostFinding] = []
    """Data races that were to be reported beside."""
    trace: TraceMessage | None = None
    results: list[list[Any]] = []
    """Of the operations of a test, in the last run: each in a list, which is empty if it has not come back."""
    modules: list[CodeModule] = []
    scenario: int = 0


class ScenarioHistory(msgspec.Struct, frozen=True):
    """What operations did in runs that a schedule stands for."""

    scenario: int
    results: list[list[Any]]
    """Of each operation, in the order of the scenario: its result, or nothing if it has not come back."""
    called: list[bool]
    orders: list[list[int]]
    """Orders in real time: for each operation of the threads its call, twice its number, and its return, one more."""
    schedule: list[tuple[int, int]]
    preemptions: int = 0
    schedules: int = 0
    """That were run by then."""
    stuck: str = ""
    """The kind of finding if nobody could go on."""


class ScenarioLost(msgspec.Struct, frozen=True):
    """The process that explored a scenario died."""

    scenario: int
    signal: int
    """0 if it exited."""
