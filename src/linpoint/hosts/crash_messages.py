# SPDX-License-Identifier: Apache-2.0
"""Contents of the messages that a host sends while it tests crashes. Unknown fields are ignored.

The results of probes stay as they were written (``msgspec.Raw``): most are only compared, byte by byte, with the expected
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
"""A module by its number, and an offset in it."""


class Points(msgspec.Struct, frozen=True):
    """Stores that are likely linearization points, by rule."""

    atomic: int = 0
    guarded: int = 0
    publishing: int = 0
    """They publish memory that their own operation allocated."""
    fresh: int = 0
    """Left out, since they write to memory that their own operation allocated."""
    stores: int = 0


class WorkloadTraced(msgspec.Struct, frozen=True):
    """The workload, run once without a crash."""

    ended: str
    message: str = ""
    place: Code | None = None
    results: list[list[Any]] = []
    """Of the operations, each in a list, which is empty for an operation that did not return."""
    events: int = 0
    stores: int = 0
    flushes: int = 0
    fences: int = 0
    allocations: int = 0
    points: Points = Points()
    edges: int = 0
    locks: int = 0
    states: float = 0.0
    """The number of crash states at all moments, which an exhaustive test would cover."""
    sites: list[tuple[Code | None, int, int]] = []
    """Each place that stores, the number of its stores, and the number of those at likely points."""
    modules: list[CodeModule] = []


class CrashQuestion(msgspec.Struct, frozen=True, rename={"kind": "class"}):
    """A question: are these results allowed after the crash?"""

    kind: str
    prefix: int | list[int]
    """The completed operations of the workload: their number, or a list of them in their order."""
    open: list[int]
    done: list[tuple[int, Any]]
    """Operations that completed beside the open ones, with their results."""
    ended: str
    probes: msgspec.Raw
    results: msgspec.Raw
    message: str = ""
    prefix_results: list[list[Any]] | None = None
    """Of the operations of ``prefix``, where they are not those of the trace."""


class ImageSampled(CrashQuestion, frozen=True, kw_only=True, rename={"kind": "class"}):
    """A test whose image was written to a file; such messages are optional."""

    file: str
    cursor: int
    """The first address of the pool that was not allocated."""
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
    """It certainly was persistent at the crash."""
    kept: bool
    """It is in the state that was tested."""
    kind: str = "store"
    stack: list[Code] = []


class OverlappingOperations(msgspec.Struct, frozen=True):
    """Two concurrent operations: the first is stopped after one of its stores, the second runs to its end."""

    first: int
    second: int
    store: int


class CrashViolation(msgspec.Struct, frozen=True, rename={"kind": "class"}):
    """A crash state with results that are not allowed."""

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
    """Cache lines with more than the certainly persistent stores, and the number of their stores in the state."""
    sync: StoreEvent | None = None
    root: StoreEvent | None = None
    also: list[StoreEvent] = []
    before: StoreEvent | None = None
    missed_by: list[Code | None] = []
    """The last flush before that and its callers, if the flushes of the operation leave out the line of the root."""
    family: str = "lost"
    """``lost``: the root should have been durable; ``unrecovered``: it is, and recovery does not undo it; ``lock``."""
    proven: bool = False
    stores: list[StoreEvent] = []
    lock: bool = False
    dl3: OverlappingOperations | None = None
    prefix_results: list[list[Any]] | None = None
    """Of the operations of ``prefix``, where they are not those of the trace."""

    @property
    def unrecovered(self) -> bool:
        """Whether the cause is not a lost store, but a change that recovery did not undo."""
        return self.family == "unrecovered" and not self.lock


class ViolationGroup(msgspec.Struct, frozen=True):
    """Violations with one cause."""

    group: int
    count: int
    classes: list[str] = []


class NeedlessFlush(msgspec.Struct, frozen=True):
    """A flush or a fence that changes nothing."""

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
