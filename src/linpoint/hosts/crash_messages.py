# SPDX-License-Identifier: Apache-2.0
"""Contents of the messages that a host sends while it tests crashes. Unknown fields are ignored.

The results of probes are kept as they were written (``msgspec.Raw``): most are compared with what the spec expects letter
by letter, and never read.
"""

from __future__ import annotations

from typing import Any

import msgspec

from linpoint.hosts.search_messages import CodeModule

Code = tuple[int, int]
"""A module by its number, and an offset in it."""


class Points(msgspec.Struct, frozen=True):
    """Stores that are likely linearization points, by the rule that says so."""

    atomic: int = 0
    guarded: int = 0
    publishing: int = 0
    """They lead others to memory that their own operation allocated."""
    fresh: int = 0
    """Left out, since they are into memory that their own operation allocated."""
    stores: int = 0


class WorkloadTraced(msgspec.Struct, frozen=True):
    """The workload, run once without a crash."""

    ended: str
    message: str = ""
    place: Code | None = None
    results: list[list[Any]] = []
    """Of the operations, each in a list, which is empty if it has not come back."""
    events: int = 0
    stores: int = 0
    flushes: int = 0
    fences: int = 0
    allocations: int = 0
    points: Points = Points()
    edges: int = 0
    locks: int = 0
    states: float = 0.0
    """That a crash can leave, at any moment: how many an exhaustive test would have to look at."""
    sites: list[tuple[Code | None, int, int]] = []
    """Each place that stores, how often, and how many of these are likely points."""
    modules: list[CodeModule] = []


class CrashQuestion(msgspec.Struct, frozen=True, rename={"kind": "class"}):
    """A question: is this what may be seen after the crash?"""

    kind: str
    prefix: int | list[int]
    """So many operations of the workload have completed, or these, in this order."""
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
    """A test whose image was written to a file, where that was asked for."""

    file: str
    cursor: int
    """The first address of the pool that had not been given out."""
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
    """Two operations at the same time: the first is stopped after one of its stores, the second runs to its end."""

    first: int
    second: int
    store: int


class CrashViolation(msgspec.Struct, frozen=True, rename={"kind": "class"}):
    """A crash state that was judged not to be allowed."""

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
    """Cache lines other than least, and how many of their stores are in the state."""
    sync: StoreEvent | None = None
    root: StoreEvent | None = None
    also: list[StoreEvent] = []
    before: StoreEvent | None = None
    missed_by: list[Code | None] = []
    """The last flush before that and its callers, if flushes of the operation leave the line of the root out."""
    family: str = "lost"
    """``lost``: the root should have been durable; ``unrecovered``: it is, and recovery does not undo it; ``lock``."""
    proven: bool = False
    stores: list[StoreEvent] = []
    lock: bool = False
    dl3: OverlappingOperations | None = None

    @property
    def unrecovered(self) -> bool:
        """Whether nothing that was lost is the cause: what is there was never undone."""
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
    """How far a host is."""

    tests: int = 0
    operation: int = 0
    operations: int = 0


class CrashTestsEnded(msgspec.Struct, frozen=True):
    """What a host came to."""

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
