# SPDX-License-Identifier: Apache-2.0
"""Violations grouped by root cause: one cause for each blamed line, whatever the violation."""

from __future__ import annotations

from typing import Any, cast

from linpoint.crash.crash_host import CrashReply
from linpoint.crash.crash_plan import CrashPlan
from linpoint.crash.crash_run import CrashRun
from linpoint.crash.root_causes import RootCause, group_by_cause
from linpoint.crash.store_places import StorePlaces
from linpoint.hosts.crash_messages import (
    CrashTestsEnded,
    CrashViolation,
    OverlappingOperations,
    StoreEvent,
    ViolationGroup,
)


class _Lines:
    """Code offsets map to lines by tens, since compilers make several stores of one line."""

    def key(self, store: StoreEvent) -> str:
        assert store.place is not None
        return f"list.cpp:{store.place[1] // 10}"


def _store(offset: int) -> StoreEvent:
    return StoreEvent(offset, 0, 0, (0, offset), 4096, 8, "00", 4096, persisted=False, kept=False)


def _violation(group: int, kind: str, **more: Any) -> CrashViolation:
    given = {"done": [], "ended": "complete", "message": "", "probes": [], "results": [], "event": 1, "operation": 0}
    return CrashViolation(group, kind, prefix=1, open=[0], state=[], confirmed=True, **{**given, **more})


def _causes(*runs: list[CrashViolation]) -> list[RootCause]:
    lines = cast("StorePlaces", _Lines())
    made = []
    for violations in runs:
        groups = [ViolationGroup(each.group, 2, [each.kind]) for each in violations]
        reply = CrashReply(
            violations=[(0, each) for each in violations], results={0: CrashTestsEnded("complete", groups=groups)}
        )
        made.append((CrashRun(CrashPlan("ListTest", ()), reply=reply), lines))
    return group_by_cause(made)


def test_a_line_is_reported_once_for_all_its_violations() -> None:
    lost = _violation(0, "DL1", root=_store(410), proven=True)
    half_done = _violation(1, "DL2", root=_store(411), family="unrecovered", proven=True)
    seen = _violation(0, "DL3", sync=_store(412), dl3=OverlappingOperations(0, 1, 1))
    (cause,) = _causes([lost, half_done], [seen])
    assert cause.shown is lost
    assert list(cause.classes) == ["DL1", "DL2", "DL3"]
    assert cause.count == 6


def test_other_lines_and_locks_are_separate_causes() -> None:
    lost = _violation(0, "DL1", root=_store(410), proven=True)
    other = _violation(1, "DL1", root=_store(420), proven=True)
    lock = _violation(2, "DL1", root=_store(410), lock=True)
    causes = _causes([lost, other, lock])
    assert [cause.key for cause in causes] == ["list.cpp:41", "list.cpp:42", "list.cpp:41 lock"]


def test_a_violation_with_one_crash_is_preferred_to_one_with_two() -> None:
    twice = _violation(0, "recovery", root=_store(410), proven=True)
    once = _violation(1, "C2", root=_store(410), proven=True)
    (cause,) = _causes([twice, once])
    assert cause.shown is once
    assert set(cause.classes) == {"C2", "recovery"}


def test_observing_a_half_done_operation_is_blamed_on_its_first_store() -> None:
    began = _violation(0, "DL2", root=_store(410), family="unrecovered", proven=True)
    beside = {"family": "unrecovered", "dl3": OverlappingOperations(0, 1, 2)}
    seen = _violation(0, "DL3", sync=_store(430), stores=[_store(410), _store(430)], **beside)
    before = _violation(1, "DL3", sync=_store(400), stores=[_store(400)], **beside)
    causes = _causes([began], [seen, before])
    assert [(cause.key, list(cause.classes)) for cause in causes] == [
        ("list.cpp:41", ["DL2", "DL3"]),
        ("list.cpp:40", ["DL3"]),
    ]
    assert causes[0].shown is began
