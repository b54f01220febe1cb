# SPDX-License-Identifier: Apache-2.0
"""Followers: the operations they forget, those they must keep, and their answers."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

import linpoint
from linpoint import Status, specs
from linpoint.checkers.online import online_linear
from linpoint.checkers.online.forgetting import forgetting_rule_for
from linpoint.checkers.online.online_checker import OnlineCheckAbandonedError, OnlineChecker
from linpoint.checkers.online.online_linear import OnlineLinear
from linpoint.checkers.online.operation_window import OperationWindow
from linpoint.histories.streams.operation_line_stream import OperationLineStream
from linpoint.specs.spec import Spec
from tests.checkers.online.random_streams import expected, stream


def followed(
    spec: Spec, lines: list[dict[str, Any]], *, checker: str = "auto"
) -> tuple[OnlineChecker, OperationLineStream]:
    follower = OnlineChecker(spec, checker=checker)
    reader = OperationLineStream(follower)
    for number, line in enumerate(lines, 1):
        reader.line(json.dumps(line), number)
    return follower, reader


def op(name: str, *args: Any, result: Any = None, at: tuple[int, int | None], process: int = 0) -> dict[str, Any]:
    return {"process": process, "op": name, "args": list(args), "result": result, "call": at[0], "return": at[1]}


def test_values_of_a_queue_are_forgotten_one_by_one() -> None:
    lines = [op("enqueue", 1, at=(0, 1))]
    for n in range(2, 50):  # it is never empty
        lines += [op("enqueue", n, at=(10 * n, 10 * n + 1)), op("dequeue", result=n - 1, at=(10 * n + 2, 10 * n + 3))]
    follower, _ = followed(specs.queue, [*lines, {"watermark": 1000}])
    (window,) = follower._objects.values()
    assert isinstance(window, OperationWindow)
    assert len(window) == 97
    assert follower.decide() is None
    window.trim(at_once=True)
    assert [str(each) for each in window.operations()] == ["enqueue(49)"]


def test_a_removal_of_unknown_outcome_keeps_the_other_operations() -> None:
    """dequeue()? may have taken 1; a later removal of 1 has to meet the 2, which came out before it."""
    lines = [
        op("enqueue", 1, at=(0, 1)),
        op("enqueue", 2, at=(2, 3)),
        op("dequeue", at=(4, None), process=1),
        op("dequeue", result=2, at=(5, 6)),
    ]
    follower, reader = followed(specs.queue, [*lines, {"watermark": 10}])
    assert follower.decide() is None
    (window,) = follower._objects.values()
    assert isinstance(window, OperationWindow)
    window.trim(at_once=True)
    reader.line(json.dumps(op("dequeue", result=1, at=(20, 21))), 9)
    reader.end()
    verdict = follower.decide(last=True)
    assert verdict is not None
    assert verdict.status is Status.VIOLATION


def test_a_stack_is_trimmed_where_it_may_be_empty() -> None:
    lines = [op("push", 1, at=(0, 1)), op("pop", result=1, at=(2, 3)), op("push", 2, at=(4, 5))]
    follower, _ = followed(specs.stack, [*lines, {"watermark": 10}])
    assert follower.decide() is None
    (window,) = follower._objects.values()
    assert isinstance(window, OperationWindow)
    window.trim(at_once=True)
    assert [str(each) for each in window.operations()] == ["push(2)"]


def test_trimming_removes_the_initial_values_of_a_container() -> None:
    lines = [op("pop", result=7, at=(0, 1)), op("push", 2, at=(4, 5))]
    follower, _ = followed(specs.stack(initial=[7]), [*lines, {"watermark": 10}])
    assert follower.decide() is None
    (window,) = follower._objects.values()
    assert isinstance(window, OperationWindow)
    window.trim(at_once=True)
    assert window.spec.initial == ()
    assert len(window) == 1


@pytest.mark.parametrize("again", [0, 3])
def test_reading_an_overwritten_value_again_is_a_violation(again: int) -> None:
    lines = [op("write", n, at=(10 * n, 10 * n + 1)) for n in range(1, 30)]
    follower, reader = followed(specs.register(initial=0), [*lines, {"watermark": 1000}])
    assert follower.decide() is None
    (window,) = follower._objects.values()
    assert isinstance(window, OperationWindow)
    window.trim(at_once=True)
    assert len(window) == 1
    reader.line(json.dumps(op("read", result=again, at=(2000, 2001))), 9)
    reader.end()
    assert follower.decide(last=True) is not None


def test_a_cas_replaces_the_window_with_configurations() -> None:
    lines = [op("write", 1, at=(0, 1)), op("cas", 1, 2, result=True, at=(2, 3)), op("read", result=2, at=(4, 5))]
    follower, reader = followed(specs.cas_register, lines)
    reader.end()
    assert follower.decide(last=True) is None
    assert [type(each) for each in follower._objects.values()] == [OnlineLinear]
    assert follower.why()[0] == "linear"


def test_repeated_values_replace_the_window_with_configurations(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("linpoint.checkers.online.operation_window.MAX_WINDOW_OPERATIONS", 20)
    lines = [op("write", n % 2, at=(n, n + 3), process=n % 4) for n in range(200)]
    follower, reader = followed(specs.register, [*lines, {"watermark": 150}])
    assert follower.decide() is None
    reader.end()
    assert follower.decide(last=True) is None
    assert [type(each) for each in follower._objects.values()] == [OnlineLinear]


def test_linear_forgets_operations_before_a_certain_state() -> None:
    lines = [op("increment", at=(n, n)) for n in range(0, 2000, 2)]
    follower, reader = followed(specs.counter, [*lines, op("read", result=1000, at=(5000, 5001))])
    reader.end()
    assert follower.decide(last=True) is None
    (online,) = follower._objects.values()
    assert isinstance(online, OnlineLinear)
    assert len(online) == 1
    assert online.evidence() == ([], 1000)


def test_linear_explains_from_the_last_certain_state() -> None:
    lines = [op("increment", at=(n, n)) for n in range(0, 200, 2)]
    follower, reader = followed(specs.counter, [*lines, op("read", result=3, at=(5000, 5001))])
    reader.end()
    verdict = follower.decide(last=True)
    assert verdict is not None
    assert verdict.spec.initial == 100
    assert "returned 3" in verdict.explain().text


def test_linear_gives_up_beyond_its_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(online_linear, "MAX_CONFIGURATIONS", 50)
    lines = [op("append", n, at=(0, 100 + n), process=n) for n in range(8)]
    follower, reader = followed(specs.log, lines)
    reader.end()
    with pytest.raises(OnlineCheckAbandonedError, match="configurations"):
        follower.decide(last=True)


def test_unknown_outcome_after_a_touching_operation_of_its_process() -> None:
    """Found by the differential test: insert(33)? must follow delete-max() -> 33, although both are at 30."""
    history = linpoint.history(
        [
            {"process": 0, "op": "insert", "args": [33], "call": 30},
            {"process": 0, "op": "delete-max", "result": 33, "call": 30, "return": 30},
        ]
    )
    spec = specs.priority_queue
    assert expected(history, spec) is Status.VIOLATION
    for seed in range(20):
        found, _ = stream(random.Random(seed), history, spec, checker="linear")
        assert found is Status.VIOLATION


@pytest.mark.parametrize("spec", [specs.queue(capacity=2), specs.counter, specs.mutex, specs.log])
def test_specs_without_a_rule_forget_nothing(spec: Spec) -> None:
    assert forgetting_rule_for(spec) is None


def test_a_users_spec_of_the_same_name_has_no_rule() -> None:
    @linpoint.spec
    class queue:  # noqa: N801
        initial = ()

        def enqueue(state, x):  # noqa: N805
            return None, (*state, x)

    assert forgetting_rule_for(queue) is None
    assert forgetting_rule_for(specs.queue) is not None
    assert forgetting_rule_for(specs.queue(initial=[1])) is not None
