# SPDX-License-Identifier: Apache-2.0
"""Contents of the messages that a host sends during crash tests. Unknown fields are ignored.

The results of probes stay undecoded (``msgspec.Raw``), since most are only compared byte by byte with the expected
results.
"""

from __future__ import annotations

from typing import Any, Final

import msgspec

from linpoint.hosts.search_messages import CodeModule

TEST_CLASSES: Final = ("DL1", "DL2", "C2", "DL3", "exhaustive", "recovery")
"""Classes of crash tests, in the order of the host's enumeration."""
FAMILIES: Final = ("lost", "unrecovered", "lock")
"""Families of causes, in the order of the host's enumeration."""

Code = tuple[int, int]
"""The number of a module and an offset into it."""


class Points(msgspec.Struct, frozen=True):
    """The numbers of stores that are likely linearization points, by rule."""

    atomic: int = 0
    guarded: int = 0
    publishing: int = 0
    """Stores that publish memory allocated by their own operation."""
    fresh: int = 0
    """Stores that are left out since they write to memory allocated by their own operation."""
    stores: int = 0


class WorkloadTraced(msgspec.Struct, frozen=True):
    """The report on a run of the workload without a crash."""

    ended: str
    message: str = ""
    place: Code | None = None
    results: list[list[Any]] = []
    """The result of each operation in a list, which is empty if the operation did not return."""
    events: int = 0
    stores: int = 0
    flushes: int = 0
    fences: int = 0
    allocations: int = 0
    points: Points = Points()
    edges: int = 0
    locks: int = 0
    states: float = 0.0
    """The number of crash states at all moments, which an exhaustive test covers."""
    sites: list[tuple[Code | None, int, int]] = []
    """Each code place with stores, the number of its stores, and how many of them are likely points."""
    modules: list[CodeModule] = []


class CrashQuestion(msgspec.Struct, frozen=True, rename={"kind": "class"}):
    """A request to decide whether these results are allowed after the crash."""

    kind: str
    prefix: int | list[int]
    """The completed operations of the workload: their number, or an ordered list of them."""
    open: list[int]
    done: list[tuple[int, Any]]
    """Operations that completed concurrently with the interrupted ones, with their results."""
    ended: str
    probes: msgspec.Raw
    results: msgspec.Raw
    message: str = ""
    prefix_results: list[list[Any]] | None = None
    """The results of the operations of ``prefix``, if they differ from those of the trace."""


class ImageSampled(CrashQuestion, frozen=True, kw_only=True, rename={"kind": "class"}):
    """A crash test whose image was written to a file; hosts may omit these messages."""

    file: str
    cursor: int
    """The first unallocated address of the pool."""
    allowed: bool


class StoreEvent(msgspec.Struct, frozen=True):
    """A store to persistent memory."""

    event: int
    operation: int | None
    thread: int
    place: Code | None
    address: int
    size: int
    value: str
    line: int
    persisted: bool
    """Whether it was certainly persistent at the crash."""
    kept: bool
    """Whether it is in the tested crash state."""
    kind: str = "store"
    stack: list[Code] = []


class OverlappingOperations(msgspec.Struct, frozen=True):
    """Two concurrent operations: the first stops after one of its stores, the second completes."""

    first: int
    second: int
    store: int


class CrashViolation(msgspec.Struct, frozen=True, rename={"kind": "class"}):
    """A crash state whose results are not allowed."""

    group: int
    kind: str
    prefix: int | list[int]
    open: list[int]
    done: list[tuple[int, Any]]
    ended: str
    message: str
    probes: list[int]
    results: list[list[Any]]
    confirmed: bool
    event: int
    operation: int | None
    state: list[tuple[int, int]]
    """Cache lines that hold more than the certainly persistent stores, with the number of their stores in the state."""
    sync: StoreEvent | None = None
    root: StoreEvent | None = None
    also: list[StoreEvent] = []
    before: StoreEvent | None = None
    missed_by: list[Code | None] = []
    """The last flush before that and its callers, if the operation's flushes omit the cache line of the root."""
    family: str = "lost"
    """``lost``: the root should have been durable; ``unrecovered``: recovery does not undo the root; ``lock``."""
    proven: bool = False
    stores: list[StoreEvent] = []
    lock: bool = False
    dl3: OverlappingOperations | None = None
    prefix_results: list[list[Any]] | None = None
    """The results of the operations of ``prefix``, if they differ from those of the trace."""

    @property
    def unrecovered(self) -> bool:
        """Whether the cause is a change that recovery did not undo, not a lost store."""
        return self.family == "unrecovered" and not self.lock


class ViolationGroup(msgspec.Struct, frozen=True):
    """Violations with the same cause."""

    group: int
    count: int
    classes: list[str] = []


class NeedlessFlush(msgspec.Struct, frozen=True):
    """A flush or a fence without effect."""

    kind: str
    place: Code
    count: int


class CrashProgress(msgspec.Struct, frozen=True):
    """The progress of a host."""

    tests: int = 0
    operation: int = 0
    operations: int = 0


class CrashTestsEnded(msgspec.Struct, frozen=True):
    """The result of a host."""

    ended: str
    reason: str = ""
    tests: dict[str, int] = {}
    duplicates: int = 0
    retests: int = 0
    schedules: int = 0
    infeasible: int = 0
    groups: list[ViolationGroup] = []
    qualified: list[str] = []
    advice: list[NeedlessFlush] = []
    exhaustive: bool = False
    seconds: float = 0.0
    modules: list[CodeModule] = []
