# SPDX-License-Identifier: Apache-2.0
"""Each reason of a pattern by a small history, and each reason why a monitor does not apply, in words."""

from __future__ import annotations

from typing import Any

import pytest

import linpoint
from linpoint import Status
from linpoint.checkers._native_search import Exclusion
from linpoint.checkers.monitors import monitoring
from linpoint.histories.history import History
from linpoint.verdicts.refutation import PATTERNS, Pattern
from tests.checkers.test_differential import objections
from tests.timed import timed

Case = tuple[Any, str, str]
"""The spec, the operations that tell, the history: the drawing of one process, or lines with times."""

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
        # Who saw the value before its add returned tells that it was inside, and who was called to see it later.
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
}


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
def test_a_pattern_names_its_reason_and_the_operations_that_tell(reason: str, case: Case, checker: str) -> None:
    spec, telling, text = case
    history = recorded(text)
    verdict = linpoint.check(history, spec, checker=checker)
    assert (verdict.status, verdict.checker) == (Status.VIOLATION, "monitor")
    assert verdict.why in monitoring._WHY.values()
    pattern = verdict.refutation
    assert isinstance(pattern, Pattern)
    assert pattern.reason == reason
    assert pattern.sentence == PATTERNS[reason]
    assert sorted(str(history[p]) for p in pattern.operations) == sorted(telling.split("; "))
    assert not objections(verdict, set())
    assert linpoint.check(history, spec, checker="brute-force").status is Status.VIOLATION


# Why a monitor does not apply


def lines(*operations: tuple[str, list[Any], Any], **fields: Any) -> list[dict[str, Any]]:
    """Operations of one process, one after the other."""
    return [
        {"process": 0, "op": name, "args": args, "result": result, "call": 10 * n, "return": 10 * n + 5} | fields
        for n, (name, args, result) in enumerate(operations)
    ]


CUT_OFF = linpoint.history("""
    A:     |--add(1)--...
    B:                       |--contains(1)->true--|
    crash:               X
""")
EXCLUDED: dict[Exclusion, list[tuple[Any, Any, str, Status]]] = {
    Exclusion.KIND: [
        ("deque", lines(("push-front", [1], None), ("pop-back", [], 1)), "no monitor for deque", Status.LINEARIZABLE)
    ],
    Exclusion.OPERATION: [
        ("map", lines(("append", ["k", "x"], None)), 'does not know append("k", "x")', Status.LINEARIZABLE)
    ],
    Exclusion.RESULT: [
        ("cas-register", lines(("cas", [None, 1], None)), "the result of cas(null, 1)", Status.LINEARIZABLE),
        ("set", lines(("add", [1], None)), "the result of add(1)", Status.LINEARIZABLE),
        ("map", lines(("insert", ["k", 1], None)), 'the result of insert("k", 1)', Status.LINEARIZABLE),
        ("map", lines(("contains", ["k"], 7)), 'the result of contains("k") -> 7', Status.VIOLATION),
        ("counter", lines(("read", [], "x")), 'the result of read() -> "x"', Status.VIOLATION),
        ("counter", lines(("add", [2], None), ("read", [], 1)), "the result of read() -> 1", Status.VIOLATION),
        ("queue", lines(("enqueue", [1], False)), "the result of enqueue(1) -> false", Status.VIOLATION),
        (
            linpoint.specs.queue(capacity=9),
            lines(("enqueue", [1], False)),
            "the result of enqueue(1) -> false",
            Status.VIOLATION,
        ),
    ],
    Exclusion.DUPLICATE: [
        (
            "stack",
            lines(("push", [1], None), ("push", [1], None), ("push", [2], None), ("pop", [], 1)),
            "a value occurs more than once",
            Status.VIOLATION,
        ),
        (
            "register",
            timed("""
                write(1) [0, 5]
                write(1) [0, 5]
                write(2) [0, 5]
                read()->1 [6, 7]
                read()->2 [8, 9]
                read()->1 [10, 11]
                read()->2 [12, 13]
            """),
            "a value occurs more than once",
            Status.VIOLATION,
        ),
    ],
    Exclusion.NULL: [
        ("queue", lines(("enqueue", [None], None), ("dequeue", [], None)), "null is stored", Status.LINEARIZABLE),
        (linpoint.specs.stack(initial=[None]), lines(("pop", [], None)), "null is stored", Status.LINEARIZABLE),
        ("map", lines(("put", ["k", None], None)), "null is stored", Status.LINEARIZABLE),
        (
            linpoint.specs.map(initial={"k": None}),
            lines(("get", ["k"], None)),
            "null is stored",
            Status.LINEARIZABLE,
        ),
    ],
    Exclusion.CAPACITY: [
        (
            linpoint.specs.queue(capacity=1),
            lines(("enqueue", [1], True), ("enqueue", [2], False)),
            "the queue can be full",
            Status.LINEARIZABLE,
        )
    ],
    Exclusion.AMOUNTS: [
        ("counter", lines(("increment", [], None), ("add", [2], None)), "not all steps", Status.LINEARIZABLE),
        ("counter", lines(("add", [0], None)), "not all steps", Status.LINEARIZABLE),
        ("fetch-add", lines(("fetch-add", [1], 0), ("fetch-add", [2], 1)), "fetch-add(2)", Status.LINEARIZABLE),
    ],
    Exclusion.CUT_OFF: [("set", CUT_OFF, "add(1) -> ? was cut off by a crash", Status.LINEARIZABLE)],
    Exclusion.UNKNOWN_REMOVALS: [
        (
            "stack",
            [*lines(("push", [1], None), ("push", [1], None)), {"process": 1, "op": "pop", "call": 0}],
            "removals with an unknown outcome, such as pop()",
            Status.LINEARIZABLE,
        )
    ],
    Exclusion.FAILED_COMPARE: [
        (
            "cas-register",
            lines(("write", [1], None), ("cas", [1, 2], False)),
            "an operation that saw another value",
            Status.VIOLATION,
        ),
        ("map", lines(("contains", ["k"], True)), "an operation that saw another value", Status.VIOLATION),
    ],
}


def test_every_exclusion_has_a_history() -> None:
    assert {*EXCLUDED} == {*Exclusion} - {Exclusion.NONE}


@pytest.mark.parametrize(
    ("spec", "history", "words", "status"), [case for cases in EXCLUDED.values() for case in cases]
)
def test_a_monitor_that_does_not_apply_says_why_and_auto_searches(
    spec: Any, history: Any, words: str, status: Status
) -> None:
    condition = "strict" if history is CUT_OFF else None
    alone = linpoint.check(history, spec, checker="monitor", condition=condition)
    assert (alone.status, alone.checker) == (Status.UNKNOWN, "monitor")
    assert (alone.witness, alone.refutation) == (None, None)
    assert words in alone.why
    searched = linpoint.check(history, spec, condition=condition)
    assert searched.status is status
    assert searched.checker != "monitor"
    assert "no monitor" not in searched.why or searched.why.endswith(f"; no monitor: {alone.why}")


def test_a_queue_that_cannot_be_full_is_decided() -> None:
    """The values that were there at first count too."""
    ops = lines(("enqueue", [2], True), ("dequeue", [], 1))
    for capacity, status in ((2, Status.UNKNOWN), (3, Status.LINEARIZABLE)):
        spec = linpoint.specs.queue(capacity=capacity, initial=[1])
        assert linpoint.check(ops, spec, checker="monitor").status is status
        assert linpoint.check(ops, spec).status is Status.LINEARIZABLE


@pytest.mark.parametrize("condition", ["sequential", "buffered-durable"])
def test_monitors_do_not_decide_conditions_that_are_not_local(condition: str) -> None:
    verdict = linpoint.check("A: |--write(1)--|", "register", checker="monitor", condition=condition)
    assert (verdict.status, verdict.why) == (Status.UNKNOWN, f"monitors do not decide the condition {condition}")


def test_an_order_that_breaks_a_hint_proves_nothing_and_a_violation_does() -> None:
    contrary = """
        write(1) [0, 9] order {}
        write(2) [0, 9] order {}
        {}
    """
    found = {
        orders: linpoint.check(timed(contrary.format(*orders, "read()->2 [20, 21]")), "register", checker="monitor")
        for orders in ((1, 2), (2, 1))
    }
    assert found[1, 2].status is Status.LINEARIZABLE
    assert found[2, 1].status is Status.UNKNOWN
    assert "more than times is to be respected" in found[2, 1].why
    assert linpoint.check(found[2, 1].history, "register").status is Status.VIOLATION
    refuted = linpoint.check(timed(contrary.format(2, 1, "read()->3 [20, 21]")), "register", checker="monitor")
    assert refuted.status is Status.VIOLATION


def test_an_order_that_deletes_what_is_not_there_proves_nothing() -> None:
    verdict = linpoint.check('A: |--delete("k")->true--|', "map", checker="monitor")
    assert (verdict.status, verdict.why) == (
        Status.UNKNOWN,
        "the order that was found deletes an entry that is not there",
    )
    assert linpoint.check(verdict.history, "map").status is Status.VIOLATION


def test_a_violation_that_could_not_be_confirmed_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(monitoring, "certify_pattern", lambda *_, **__: False)
    verdict = linpoint.check("A: |--write(1)--| |--read()->7--|", "register", checker="monitor")
    assert verdict.status is Status.UNKNOWN
    assert "no time to confirm it" in verdict.why


def test_each_key_has_an_answer_of_its_own() -> None:
    keyed = [
        *lines(("cas", [None, 1], True), key="decided"),
        *[line | {"process": 1} for line in lines(("cas", [None, 1], None), key="excluded")],
        *[line | {"process": 2} for line in lines(("read", [], 7), key="refuted")],
    ]
    verdict = linpoint.check(keyed, "cas-register", checker="monitor")
    assert [key.status for key in verdict.keys] == [Status.LINEARIZABLE, Status.UNKNOWN, Status.VIOLATION]
    assert verdict.status is Status.VIOLATION
    chosen = linpoint.check(keyed, "cas-register")
    assert [key.checker for key in chosen.keys] == ["monitor", "wing-gong", "monitor"]
