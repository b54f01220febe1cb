# SPDX-License-Identifier: Apache-2.0
"""Histories written by hand."""

import pytest

import linpoint
from linpoint import Crash, Operation, Outcome


def test_a_drawing_is_read() -> None:
    history = linpoint.history("""
        A: |--enqueue(1)--|          |--dequeue()->2--|
        B:        |--enqueue("two", [2])--...
        7: |--put("k", {"a": null})->failed--|
        crash:                                           X
    """)
    assert [(op.process, op.name, op.args, op.result, op.outcome) for op in history] == [
        ("A", "enqueue", (1,), None, Outcome.OK),
        ("A", "dequeue", (), 2, Outcome.OK),
        ("B", "enqueue", ("two", (2,)), None, Outcome.UNKNOWN),
        (7, "put", ("k", {"a": None}), None, Outcome.FAILED),
    ]
    assert history[0].call < history[2].call < history[0].return_
    assert history[2].return_ is None
    assert [crash.process for crash in history.crashes] == [None]


def test_a_drawing_with_a_crash_of_the_object_is_read() -> None:
    """The clients live on: an operation spans the crash, and the process of an interrupted operation continues."""
    history = linpoint.history("""
        A:              |--write(1)-------|
        B:              |--write(2)--...       |--read()->1--|
        object crash:                   X
        crash:                                                X
    """)
    assert [(crash.of_object, crash.process) for crash in history.crashes] == [(True, None), (False, None)]
    assert linpoint.check(history, "register", condition="strict").status is linpoint.Status.LINEARIZABLE


def test_crashes_and_annotations_are_accepted_as_objects() -> None:
    history = linpoint.history(
        [Crash(5, of_object=True), {"crash": "object", "time": 7}, linpoint.Annotation("kill", 3), Crash(6, 1)]
    )
    assert [(crash.time, crash.process, crash.of_object) for crash in history.crashes] == [
        (5, None, True),
        (6, 1, False),
        (7, None, True),
    ]
    assert [each.text for each in history.annotations] == ["kill"]


def test_columns_are_instants() -> None:
    history = linpoint.history("""
        A: |--write(1)--|
        B:              |--read()->null--|
    """)
    assert history[0].return_ == history[1].call  # touching operations overlap
    assert linpoint.check(history, "register").status is linpoint.Status.LINEARIZABLE


@pytest.mark.parametrize(
    ("result", "value"),
    [("->-3", -3), ("->1.5", 1.5), ('->"a b"', "a b"), ("->[1, 2]", (1, 2)), ("->true", True), ("", None)],
)
def test_results_are_json(result: str, value: object) -> None:
    assert linpoint.history(f"A: |--read(){result}--|")[0].result == value


@pytest.mark.parametrize(
    ("drawing", "code"),
    [
        ("A: |--read()->1", "LP-H016"),
        ("A: |--read(x)--|", "LP-H016"),
        ("A: read()", "LP-H016"),
        ("|--read()->1--|", "LP-H016"),
        ("A: |--read()->--|", "LP-H016"),
        ("A: |--read()->1--| junk", "LP-H016"),
        ("", "LP-H008"),
        ("A:", "LP-H008"),
        ("A: |--write(1)--... |--read()->1--|", "LP-H004"),
    ],
)
def test_bad_drawings_are_rejected(drawing: str, code: str) -> None:
    with pytest.raises(linpoint.HistoryError) as caught:
        linpoint.history(drawing)
    assert caught.value.code == code
    assert caught.value.remedy


def test_dicts_and_operations_are_accepted() -> None:
    history = linpoint.history(
        [
            {"process": 0, "op": "write", "args": [1], "result": None, "call": 0, "return": 1},
            Operation(1, "read", (), 1, 2, 3),
            {"crash": True, "time": 9},
            {"annotation": "restart", "time": 9, "until": 12},
        ]
    )
    assert [op.name for op in history] == ["write", "read"]
    assert history.crashes == (Crash(9, line=3),)
    assert history.annotations[0].text == "restart"
    assert linpoint.history(history) is history


def test_dicts_may_have_an_order() -> None:
    first, second = linpoint.history(
        [
            {"process": 0, "op": "write", "args": [1], "result": None, "call": 0, "return": 1, "order": 3},
            {"process": 0, "op": "write", "args": [1], "result": None, "call": 2, "return": 3},
        ]
    )
    assert (first.order, second.order) == (3, None)


def test_bad_dicts_are_reported_with_their_position() -> None:
    with pytest.raises(linpoint.HistoryError) as caught:
        linpoint.history([{"process": 0, "op": "read", "call": 0, "return": 1}])
    assert caught.value.code == "LP-H006"
    assert caught.value.place is not None
    assert caught.value.place.endswith("1")


def test_objects_that_are_not_histories_are_rejected() -> None:
    for thing in (None, 7):
        with pytest.raises(linpoint.UsageError) as caught:
            linpoint.history(thing)  # type: ignore[arg-type]
        assert caught.value.code == "LP-U001"


def test_histories_and_their_values_are_immutable() -> None:
    history = linpoint.history('A: |--put("k", {"a": [1]})--|')
    value = history[0].args[1]
    with pytest.raises(TypeError):
        value["a"] = 2
    with pytest.raises(TypeError):
        value |= {"b": 1}
    with pytest.raises(AttributeError):
        history[0].process = 3
