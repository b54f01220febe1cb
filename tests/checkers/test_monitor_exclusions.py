# SPDX-License-Identifier: Apache-2.0
"""The stated reason why a monitor does not apply, each on a small history that a search then decides."""

from __future__ import annotations

from typing import Any

import pytest

import linpoint
from linpoint import Status
from linpoint.checkers import monitor_decider
from linpoint.checkers._native_search import Exclusion, StopReason, StopToken
from linpoint.checkers.history_interpretation import HistoryInterpretation
from linpoint.specs import BUILT_IN
from tests.timed_histories import timed


def lines(*operations: tuple[str, list[Any], Any], **fields: Any) -> list[dict[str, Any]]:
    """Operations of one process, one after the other."""
    return [
        {"process": 0, "op": name, "args": args, "result": result, "call": 10 * n, "return": 10 * n + 5} | fields
        for n, (name, args, result) in enumerate(operations)
    ]


INTERRUPTED = linpoint.history("""
    A:     |--add(1)--...
    B:                       |--contains(1)->true--|
    crash:               X
""")
EXCLUDED: dict[Exclusion, list[tuple[Any, Any, str, Status]]] = {
    Exclusion.KIND: [
        (
            "deque",
            lines(("push-front", [1], None), ("push-back", [2], None), ("pop-back", [], 2)),
            "no monitor for deque",
            Status.LINEARIZABLE,
        )
    ],
    Exclusion.OPERATION: [
        ("map", lines(("append", ["k", "x"], None)), 'does not support append("k", "x")', Status.LINEARIZABLE)
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
            "the queue has a capacity and can be full",
            Status.LINEARIZABLE,
        )
    ],
    Exclusion.AMOUNTS: [
        (
            "counter",
            lines(("increment", [], None), ("add", [2], None)),
            "the steps of the counter differ",
            Status.LINEARIZABLE,
        ),
        ("counter", lines(("add", [0], None)), "the steps of the counter differ", Status.LINEARIZABLE),
        ("fetch-add", lines(("fetch-add", [1], 0), ("fetch-add", [2], 1)), "fetch-add(2)", Status.LINEARIZABLE),
    ],
    Exclusion.CUT_OFF: [("set", INTERRUPTED, "add(1) -> ? was interrupted by a crash", Status.LINEARIZABLE)],
    Exclusion.UNKNOWN_REMOVALS: [
        (
            "stack",
            [
                *lines(("push", [1], None), ("push", [2], None), ("push", [1], None), ("pop", [], 2)),
                {"process": 1, "op": "pop", "call": 0},
            ],
            "removals with an unknown outcome, such as pop()",
            Status.LINEARIZABLE,
        )
    ],
    Exclusion.FAILED_COMPARE: [
        (
            "cas-register",
            lines(("write", [1], None), ("cas", [1, 2], False)),
            "an operation that observed a different value",
            Status.VIOLATION,
        ),
        ("map", lines(("contains", ["k"], True)), "an operation that observed a different value", Status.VIOLATION),
    ],
}


def test_every_exclusion_has_a_history() -> None:
    assert {*EXCLUDED} == {*Exclusion} - {Exclusion.NONE, Exclusion.STOPPED, Exclusion.SPANS_CRASH}


@pytest.mark.parametrize("operations", [4, 40_000])
def test_a_stopped_monitor_gives_no_answer(operations: int) -> None:
    """Immediately, or while it processes a long stack."""
    pushes = [("push", [n], None) for n in range(operations // 2)]
    pops = [("pop", [], n) for n in reversed(range(operations // 2))]
    history = linpoint.history(lines(*pushes, *pops))
    reading = HistoryInterpretation(history, BUILT_IN["stack"], "linearizable")
    stop = StopToken()
    assert monitor_decider.decide_by_monitor(reading, range(operations), stop, None) is not None
    if operations < 100:
        stop.stop(StopReason.TIME)
    else:
        stop.set_time_limit(0.001)
    assert monitor_decider.decide_by_monitor(reading, range(operations), stop, None) is None


def test_a_monitor_takes_no_memory_beyond_the_budget() -> None:
    history = linpoint.history(lines(*(("push", [n], None) for n in range(20_000))))
    limited = linpoint.check(history, "stack", max_memory=1 << 20)
    assert (limited.status, limited.why) == (Status.UNKNOWN, "the memory budget ran out")


@pytest.mark.parametrize(
    ("spec", "history", "words", "status"), [case for cases in EXCLUDED.values() for case in cases]
)
def test_a_monitor_that_does_not_apply_states_the_reason_and_auto_searches(
    spec: Any, history: Any, words: str, status: Status
) -> None:
    condition = "strict" if history is INTERRUPTED else None
    alone = linpoint.check(history, spec, checker="monitor", condition=condition)
    assert (alone.status, alone.checker) == (Status.UNKNOWN, "monitor")
    assert (alone.witness, alone.refutation) == (None, None)
    assert words in alone.why
    searched = linpoint.check(history, spec, condition=condition)
    assert searched.status is status
    assert searched.checker != "monitor"
    assert "monitor not used" not in searched.why or searched.why.endswith(f"; monitor not used: {alone.why}")


def test_a_queue_that_cannot_be_full_is_decided() -> None:
    """Initial values count too."""
    ops = lines(("enqueue", [2], True), ("dequeue", [], 1))
    for capacity, status in ((2, Status.UNKNOWN), (3, Status.LINEARIZABLE)):
        spec = linpoint.specs.queue(capacity=capacity, initial=[1])
        assert linpoint.check(ops, spec, checker="monitor").status is status
        assert linpoint.check(ops, spec).status is Status.LINEARIZABLE


def test_monitors_do_not_decide_conditions_that_are_not_local() -> None:
    alone = "A: |--write(1)--|"
    verdict = linpoint.check(alone, "register", checker="monitor", condition="sequential")
    assert (verdict.status, verdict.why) == (Status.UNKNOWN, "monitors do not support the condition sequential")
    verdict = linpoint.check("A: |--push(1)--|", "stack", checker="monitor", condition="buffered-durable")
    assert verdict.status is Status.UNKNOWN
    assert verdict.why == "there is no monitor for stack under the condition buffered-durable"
    verdict = linpoint.check(alone, "register", checker="eras")
    assert (verdict.status, verdict.why) == (Status.UNKNOWN, "it supports the condition buffered-durable only")


def test_an_order_that_breaks_a_hint_proves_nothing_but_a_violation_does() -> None:
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
    assert "constraints other than times apply" in found[2, 1].why
    assert linpoint.check(found[2, 1].history, "register").status is Status.VIOLATION
    refuted = linpoint.check(timed(contrary.format(2, 1, "read()->3 [20, 21]")), "register", checker="monitor")
    assert refuted.status is Status.VIOLATION


def test_an_order_that_deletes_an_absent_key_proves_nothing() -> None:
    verdict = linpoint.check('A: |--delete("k")->true--|', "map", checker="monitor")
    assert (verdict.status, verdict.why) == (
        Status.UNKNOWN,
        "the order that was found deletes an absent entry",
    )
    assert linpoint.check(verdict.history, "map").status is Status.VIOLATION


def test_an_unconfirmed_violation_is_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(monitor_decider, "certify_pattern", lambda *_, **__: False)
    verdict = linpoint.check("A: |--write(1)--| |--read()->7--|", "register", checker="monitor")
    assert verdict.status is Status.UNKNOWN
    assert "the time did not suffice to confirm it" in verdict.why


def test_each_key_has_its_own_answer() -> None:
    keyed = [
        *lines(("cas", [None, 1], True), key="decided"),
        *[line | {"process": 1} for line in lines(("cas", [None, 1], None), key="excluded")],
        *[line | {"process": 2} for line in lines(("read", [], 7), key="refuted")],
    ]
    verdict = linpoint.check(keyed, "cas-register", checker="monitor")
    assert [key.status for key in verdict.keys] == [Status.LINEARIZABLE, Status.UNKNOWN, Status.VIOLATION]
    assert verdict.status is Status.VIOLATION
    chosen = linpoint.check(keyed, "cas-register")
    assert [key.checker for key in chosen.keys] == ["graph", "wing-gong", "graph"]
