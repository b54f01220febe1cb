# SPDX-License-Identifier: Apache-2.0
"""Each reason of a pattern on a small history, with the operations that prove it."""

from __future__ import annotations

from typing import Any

import pytest

import linpoint
from linpoint import Status
from linpoint.checkers import buffered_decider, monitor_decider
from linpoint.histories.history import History
from linpoint.verdicts.refutation import PATTERNS, Pattern
from tests.checkers.test_differential import objections
from tests.timed_histories import timed

Case = tuple[Any, str, str]
"""The spec, the operations that prove the reason, the history: a drawing, or lines with times."""

REASONS: dict[str, list[Case]] = {
    "never-added": [
        ("queue", "dequeue() -> 7", "A: |--enqueue(1)--| |--dequeue()->7--|"),
        ("stack", "peek() -> 7", "A: |--push(1)--| |--peek()->7--|"),
        ("register", "read() -> 7", "A: |--write(1)--| |--read()->7--|"),
        ("cas-register", "cas(7, 2) -> true", "A: |--write(1)--| |--cas(7, 2)->true--|"),
        ("map", 'get("a") -> 7', 'A: |--put("a", 1)--| |--get("a")->7--|'),
    ],
    "seen-before-added": [
        ("queue", "dequeue() -> 1; enqueue(1)", "A: |--dequeue()->1--| |--enqueue(1)--|"),
        ("stack", "peek() -> 1; push(1)", "A: |--peek()->1--| |--push(1)--| |--pop()->1--|"),
        ("register", "read() -> 1; write(1)", "A: |--read()->1--| |--write(1)--|"),
        ("map", 'get("a") -> 1; put("a", 1)', 'A: |--get("a")->1--| |--put("a", 1)--|'),
    ],
    "removed-twice": [
        (
            "queue",
            "enqueue(1); dequeue() -> 1; dequeue() -> 1",
            "A: |--enqueue(1)--| |--dequeue()->1--| |--dequeue()->1--|",
        ),
        (
            "priority-queue",
            "insert(1); delete-max() -> 1; delete-max() -> 1",
            "A: |--insert(1)--| |--delete-max()->1--| |--delete-max()->1--|",
        ),
        (
            "stack",
            "pop() -> 1; pop() -> 1; pop() -> 1",
            "A: |--push(1)--| |--pop()->1--| |--push(1)--| |--pop()->1--| |--pop()->1--|",
        ),
    ],
    "seen-after-removed": [
        ("queue", "dequeue() -> 1; peek() -> 1", "A: |--enqueue(1)--| |--dequeue()->1--| |--peek()->1--|"),
        ("stack", "pop() -> 1; peek() -> 1", "A: |--push(1)--| |--pop()->1--| |--peek()->1--|"),
    ],
    "order-inverted": [
        (
            "queue",
            "enqueue(1); enqueue(2); dequeue() -> 2; dequeue() -> 1",
            "A: |--enqueue(1)--| |--enqueue(2)--| |--dequeue()->2--| |--dequeue()->1--|",
        ),
        ("queue", "enqueue(1); enqueue(2); dequeue() -> 2", "A: |--enqueue(1)--| |--enqueue(2)--| |--dequeue()->2--|"),
    ],
    "fronts-overlap": [
        (
            "queue",
            "enqueue(1); enqueue(2); peek() -> 1; peek() -> 2; dequeue() -> 1; dequeue() -> 2",
            """
                enqueue(1) [0, 5]
                enqueue(2) [0, 5]
                peek()->1 [10, 11]
                peek()->2 [12, 13]
                dequeue()->1 [14, 15]
                dequeue()->2 [16, 17]
            """,
        )
    ],
    "front-inside": [
        (
            "queue",
            "enqueue(1); enqueue(2); peek() -> 1; dequeue() -> 2; dequeue() -> 1",
            """
                enqueue(1) [0, 5]
                enqueue(2) [0, 5]
                peek()->1 [10, 11]
                dequeue()->2 [12, 13]
                dequeue()->1 [14, 15]
            """,
        )
    ],
    "empty-while-inside": [
        ("queue", "enqueue(1); dequeue()", "A: |--enqueue(1)--| |--dequeue()--|"),
        ("stack", "push(1); peek(); pop() -> 1", "A: |--push(1)--| |--peek()--| |--pop()->1--|"),
        ("priority-queue", "insert(1); delete-max()", "A: |--insert(1)--| |--delete-max()--|"),
        # A read before the add returned that saw the value shows it was inside, as does a read called later that saw
        # it.
        (
            "stack",
            "push(1); peek() -> 1; pop(); peek() -> 1; pop() -> 1",
            """
                push(1) [0, 50]
                peek()->1 [1, 2]
                pop() [3, 4]
                peek()->1 [5, 6]
                pop()->1 [0, 50]
            """,
        ),
    ],
    "higher-inside": [
        (
            "priority-queue",
            "insert(5); delete-max() -> 1",
            "A: |--insert(1)--| |--insert(5)--| |--delete-max()->1--|",
        ),
        ("priority-queue", "insert(5); peek() -> 1", "A: |--insert(1)--| |--insert(5)--| |--peek()->1--|"),
    ],
    "not-nested": [
        (
            "stack",
            "push(1); push(2); pop() -> 1; pop() -> 2",
            "A: |--push(1)--| |--push(2)--| |--pop()->1--| |--pop()->2--|",
        ),
        ("stack", "push(1); push(2); pop() -> 1", "A: |--push(1)--| |--push(2)--| |--pop()->1--|"),
        (linpoint.specs.stack(initial=[1, 2]), "peek() -> 1", "A: |--peek()->1--|"),
    ],
    "zones-overlap": [
        (
            "register",
            "read() -> 1; read() -> 2; read() -> 1; read() -> 2",
            """
                write(1) [0, 50]
                write(2) [0, 50]
                read()->1 [10, 11]
                read()->2 [12, 13]
                read()->1 [14, 15]
                read()->2 [16, 17]
            """,
        )
    ],
    "zone-inside": [
        (
            "register",
            "write(1); write(2); read() -> 1",
            "A: |--write(1)--| |--write(2)--| |--read()->1--|",
        ),
        ("register", "write(1); read()", "A: |--write(1)--| |--read()--|"),
        ("map", 'put("a", 1); get("a")', 'A: |--put("a", 1)--| |--get("a")--|'),
        ("map", 'put("a", 1); delete("a") -> false', 'A: |--put("a", 1)--| |--delete("a")->false--|'),
    ],
    "replaced-twice": [
        (
            "cas-register",
            "cas(1, 2) -> true; cas(1, 3) -> true",
            "A: |--write(1)--| |--cas(1, 2)->true--| |--cas(1, 3)->true--|",
        ),
        ("cas-register", "swap(2); swap(3)", "A: |--swap(2)--| |--swap(3)--|"),
        (
            "map",
            'insert("a", 1) -> true; insert("a", 2) -> true',
            'A: |--insert("a", 1)->true--| |--insert("a", 2)->true--|',
        ),
    ],
    "replaced-in-circle": [
        (
            "cas-register",
            "cas(1, 2) -> true; cas(2, 1) -> true",
            "A: |--cas(1, 2)->true--|\nB: |--cas(2, 1)->true--|",
        )
    ],
    "replaced-too-early": [
        ("cas-register", "cas(1, 2) -> true; write(1)", "A: |--cas(1, 2)->true--| |--write(1)--|"),
        (
            "cas-register",
            "read() -> 2; read() -> 1",
            """
                write(1) [0, 50]
                cas(1, 2)->true [0, 50]
                read()->2 [10, 11]
                read()->1 [12, 13]
            """,
        ),
    ],
    "overwritten": [
        (
            "register",
            "write(2); read() -> 1",
            "A: |--write(1)--| |--write(1)--| |--write(2)--| |--read()->1--|",
        )
    ],
    "nobody-flips": [
        ("set", "remove(1) -> true", "A: |--remove(1)->true--|"),
        ("set", "add(1) -> true; add(1) -> true", "A: |--add(1)->true--| |--add(1)->true--|"),
        ("set", "contains(1) -> true", "A: |--contains(1)->true--|"),
        ("mutex", "acquire(); acquire()", "A: |--acquire()--| |--acquire()--|"),
        ("mutex", "try-acquire() -> false", "A: |--try-acquire()->false--|"),
        ("mutex", "release()", "A: |--release()--|"),
    ],
    "count-too-low": [
        ("counter", "read() -> 0", "A: |--increment()--| |--read()->0--|"),
        (
            "counter",
            "read() -> 1; read() -> 0",
            """
                increment() [0, 50]
                read()->1 [10, 11]
                read()->0 [12, 13]
            """,
        ),
        ("fetch-add", "fetch-add(1) -> -1", "A: |--fetch-add(1)->-1--|"),
    ],
    "count-too-high": [
        ("counter", "read() -> 2", "A: |--increment()--| |--read()->2--|"),
        ("fetch-add", "fetch-add(1) -> 1", "A: |--fetch-add(1)->1--|"),
        ("fetch-add", "fetch-add(1) -> 2", "A: |--fetch-add(1)->0--| |--fetch-add(1)->2--|"),
    ],
    "same-count": [
        (
            "fetch-add",
            "fetch-add(1) -> 0; fetch-add(1) -> 0",
            "A: |--fetch-add(1)->0--| |--fetch-add(1)->0--|",
        )
    ],
    "counts-inverted": [
        (
            "fetch-add",
            "fetch-add(1) -> 0; fetch-add(1) -> 1",
            "A: |--fetch-add(1)->1--| |--fetch-add(1)->0--|",
        )
    ],
    "survivors-differ": [
        (
            "register",
            "write(1); write(2); read() -> 2; read() -> 1",
            """
            A:      |--write(1)--|  |--write(2)--|
            crash:                                   X
            B:                                          |--read()->2--|  |--read()->1--|
            """,
        ),
        (
            "register",
            "write(1); read() -> 1; read()",
            """
            A:      |--write(1)--|
            crash:                  X                   X
            B:                         |--read()--|
            C:                                             |--read()->1--|
            """,
        ),
    ],
    "no-common-moment": [
        (
            "map",
            'put("x", 1); put("y", 1); get("x"); get("y") -> 1',
            """
            A:      |--put("x", 1)--|  |--put("y", 1)--|
            crash:                                         X
            B:                                                |--get("x")--|  |--get("y")->1--|
            """,
        )
    ],
}

BUFFERED = ("survivors-differ", "no-common-moment")
"""Reasons that only buffered durability has."""


def condition_of(reason: str) -> str | None:
    return "buffered-durable" if reason in BUFFERED else None


def recorded(text: str) -> History:
    return timed(text) if "[" in text else linpoint.history(text)


def test_every_reason_has_a_history_and_a_sentence() -> None:
    assert set(REASONS) == set(PATTERNS)


@pytest.mark.parametrize("checker", ["monitor", "auto"])
@pytest.mark.parametrize(
    ("reason", "case"),
    [(reason, case) for reason, cases in REASONS.items() for case in cases],
    ids=lambda it: it if isinstance(it, str) else it[1],
)
def test_a_pattern_names_its_reason_and_the_operations_that_prove_it(reason: str, case: Case, checker: str) -> None:
    spec, proving, text = case
    history = recorded(text)
    condition = condition_of(reason)
    verdict = linpoint.check(history, spec, checker=checker, condition=condition)
    if checker == "auto" and "write" not in text and ("cas(" in text or "swap(" in text):
        assert (verdict.status, verdict.checker) == (Status.VIOLATION, "graph")  # which is tried first for these
        return
    assert (verdict.status, verdict.checker) == (Status.VIOLATION, "monitor")
    assert verdict.why in (*monitor_decider.MONITOR_REASONS.values(), buffered_decider._WHY)
    pattern = verdict.refutation
    assert isinstance(pattern, Pattern)
    assert pattern.reason == reason
    assert pattern.sentence == PATTERNS[reason]
    assert sorted(str(history[p]) for p in pattern.operations) == sorted(proving.split("; "))
    assert not objections(verdict, set())
    assert linpoint.check(history, spec, checker="brute-force", condition=condition).status is Status.VIOLATION
