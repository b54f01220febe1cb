# SPDX-License-Identifier: Apache-2.0
"""Contents of the messages that a host sends during a search: progress, histories, results, findings, traces.

Unknown fields are ignored.
"""

from __future__ import annotations

from typing import Any, Final

import msgspec

FAULTS: Final = ("assertion", "race", "deadlock", "livelock", "crash", "memory", "exception", "nondeterminism")
"""Kinds of findings, in the order of the host's enumeration; so are the tuples below."""
STEP_KINDS: Final = (
    *("read", "write", "update", "cas", "fence", "drain", "lock", "unlock", "wait", "notify", "block", "spawn", "join"),
    *("exit", "yield", "allocate", "free", "assertion", "exception", "crash", "note", "call", "return"),
)
ACCESS_ORDERS: Final = ("relaxed", "consume", "acquire", "release", "acq_rel", "seq_cst")


class SearchProgress(msgspec.Struct, frozen=True):
    """The progress of a search."""

    schedules: int = 0
    steps: int = 0
    depth: int = 0
    """The number of steps of the last run."""
    estimate: float | None = None
    """The estimated number of all schedules."""
    scenario: int = 0


class CodeModule(msgspec.Struct, frozen=True):
    """A code file in the host's memory."""

    path: str
    base: int


class HostFinding(msgspec.Struct, frozen=True):
    """A failing run."""

    kind: str
    message: str
    """One sentence without a full stop; ``{0}`` stands for the first of ``places``."""
    places: list[int] = []
    schedule: list[tuple[int, int]] = []
    preemptions: int = 0
    printed: str | list[str] = ""
    steps_of: list[int] = []
    """Positions in the trace of the steps that take part; the last one shows the failure."""
    address: int | None = None
    """The address of a data race."""
    symbol_module: int | None = None
    lost: bool = False
    """Whether its process died, so that the schedule is unknown."""

    @property
    def key(self) -> object:
        """A key that is equal for the same failure in another run."""
        return self.kind, self.message, tuple(self.places)


class StepMessage(msgspec.Struct, frozen=True):
    """A step of a trace, with addresses and numbers."""

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
    """The store buffer of its thread: addresses, sizes and values, oldest first."""
    preempts: bool = False
    symbol_module: int | None = None
    block: tuple[int, int, int] | None = None
    """For a heap address: the number of the allocation, the offset into it, its size."""


class ThreadMessage(msgspec.Struct, frozen=True):
    """A thread of a trace."""

    id: int
    name: str = ""


class TraceMessage(msgspec.Struct, frozen=True):
    """The steps of one run."""

    threads: list[ThreadMessage]
    steps: list[StepMessage]


class SearchResult(msgspec.Struct, frozen=True):
    """The result of a search."""

    ended: str
    """``exhausted``, ``finding``, ``budget``, ``refused`` or ``error``; ``alone`` if workers cannot share it."""
    exhaustive: bool = False
    schedules: int = 0
    redundant: int = 0
    steps: int = 0
    cut: int = 0
    """The number of runs that reached the step limit."""
    completed: int = -1
    """Every schedule with up to this number of preemptions was run; -1 for none."""
    diverged_at: int | None = None
    reason: str = ""
    qualified: list[str] = []
    """The reasons why an end without a failure proves less, as sentences."""
    outcomes: dict[str, int] | None = None
    finding: HostFinding | None = None
    races: list[HostFinding] = []
    """Data races to report in addition to the finding."""
    trace: TraceMessage | None = None
    results: list[list[Any]] = []
    """The results of a test's operations in the last run, each in a list, which is empty if it did not return."""
    modules: list[CodeModule] = []
    scenario: int = 0


class ScenarioHistory(msgspec.Struct, frozen=True):
    """The results of operations in the runs that one schedule represents."""

    scenario: int
    results: list[list[Any]]
    """For each operation, in the order of the scenario: a list with its result, empty if it did not return."""
    called: list[bool]
    orders: list[list[int]]
    """Real-time orders of the threads' operations: twice an operation's number is its call, one more its return."""
    schedule: list[tuple[int, int]]
    preemptions: int = 0
    schedules: int = 0
    """The number of schedules that were run before."""
    stuck: str = ""
    """The kind of finding if no thread could continue, else empty."""


class ScenarioLost(msgspec.Struct, frozen=True):
    """The message that the process of a scenario died."""

    scenario: int
    signal: int
    """The signal that killed it; 0 if it exited."""
