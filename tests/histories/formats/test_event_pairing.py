# SPDX-License-Identifier: Apache-2.0
"""Pairing events: which events form an operation, in which order, with which key, arguments and result."""

from __future__ import annotations

from typing import Any

import pytest

from linpoint.errors import HistoryError
from linpoint.histories.formats.event_pairing import Event, pair
from linpoint.histories.operation import Annotation, Operation, Outcome
from linpoint.histories.values import freeze


def events(*lines: tuple[Any, ...]) -> list[Event]:
    """Events from (process, type, f, value) and optionally a dict of other fields."""
    made = []
    for number, (process, type_, f, value, *rest) in enumerate(lines, 1):
        made.append(Event(process, type_, f, freeze(value), line=number, **(rest[0] if rest else {})))
    return made


def one(f: str, invoked: Any, completed: Any, **options: Any) -> Operation:
    """The operation of one invocation and its ok completion."""
    (op,) = pair(events((0, "invoke", f, invoked), (0, "ok", f, completed)), **options).operations
    return op


@pytest.mark.parametrize(
    ("f", "invoked", "completed", "args", "result"),
    [
        ("read", None, 3, (), 3),
        ("read", 3, 3, (), 3),
        ("get", None, None, (), None),
        ("dequeue", None, [1], (), (1,)),
        ("pop-front", None, 1, (), 1),
        ("pop_front", None, 1, (), 1),
        ("delete_max", None, 9, (), 9),
        ("acquire", None, None, (), None),
        ("acquire", 5, 5, (), None),
        ("increment", 1, 1, (), None),
        ("try-acquire", None, True, (), True),
        ("try-acquire", None, "n1", (), None),
        ("write", 3, 3, (3,), None),
        ("write", None, None, (None,), None),
        ("push_back", 3, None, (3,), None),
        ("append", "a", 0, ("a",), None),
        ("add", 3, 3, (3,), None),
        ("add", 3, True, (3,), True),
        ("add", True, True, (True,), None),
        ("add", True, False, (True,), False),
        ("add", 1, True, (1,), True),
        ("remove", None, False, (None,), False),
        ("cas", [1, 2], [1, 2], (1, 2), True),
        ("cas", [1, 2], None, (1, 2), True),
        ("cas", [1, 2], False, (1, 2), False),
        ("swap", 3, 4, (3,), 4),
        ("fetch-add", 1, 1, (1,), 1),
        ("contains", 3, True, (3,), True),
        ("txn", [["r", "x", None]], [["r", "x", 1]], ((("r", "x", None),),), (("r", "x", 1),)),
        ("mwcas", [[0, 1, 2]], True, (((0, 1, 2),),), True),
        ("transfer", {"from": 1}, {"from": 1}, ({"from": 1},), None),
        ("transfer", {"from": 1}, 7, ({"from": 1},), 7),
        ("tick", None, 7, (), 7),
        ("tick", None, None, (), None),
    ],
)
def test_events_pair_as_in_the_table(f: str, invoked: Any, completed: Any, args: Any, result: Any) -> None:
    op = one(f, invoked, completed, keyed=False)
    assert (op.name, op.args, op.result, op.key) == (f, args, result, None)
    assert type(op.result) is type(result)


def test_echoes_are_recognised_from_the_whole_file() -> None:
    lines = [(0, "invoke", "bump", 1), (0, "ok", "bump", 1), (0, "invoke", "bump", 2)]
    echo = pair(events(*lines, (0, "ok", "bump", 2))).operations
    assert [op.result for op in echo] == [None, None]
    answers = pair(events(*lines, (0, "ok", "bump", 3))).operations
    assert [op.result for op in answers] == [1, 3]


def test_reads_of_a_multi_word_memory_take_words() -> None:
    items = pair(
        events(
            (0, "invoke", "read", ["a", "b"]),
            (0, "ok", "read", [0, 0]),
            (0, "invoke", "mwcas", [["a", 0, 1], ["b", 0, 1]]),
            (0, "ok", "mwcas", True),
        )
    )
    read, mwcas = items.operations
    assert (read.args, read.result, read.key) == ((("a", "b"),), (0, 0), None)
    assert (mwcas.args, mwcas.result) == (((("a", 0, 1), ("b", 0, 1)),), True)


def test_operations_have_outcomes_and_positions() -> None:
    items = pair(
        events(
            (0, "invoke", "write", 1, {"time": 10}),
            (1, "invoke", "read", None),
            ("nemesis", "info", "kill", ["n1"]),
            ("nemesis", "info", "heal", None),
            (2, "invoke", "write", 2, {"time": 30}),
            (0, "ok", "write", 1, {"time": 5}),
            (1, "fail", "read", "timeout"),
            (2, "info", "write", "timeout", {"time": 40}),
            (3, "invoke", "read", None),
        )
    )
    assert items.operations == [
        Operation(0, "write", (1,), None, 0, 5, times=(10, 5), line=1),
        Operation(1, "read", (), None, 1, 6, Outcome.FAILED, line=2),
        Operation(2, "write", (2,), None, 4, None, Outcome.UNKNOWN, times=(30, 40), line=5),
        Operation(3, "read", (), None, 8, None, Outcome.UNKNOWN, line=9),
    ]
    assert items.annotations == [Annotation('kill ["n1"]', 2, line=3), Annotation("heal", 3, line=4)]


def test_order_is_by_index_and_never_by_time() -> None:
    lines: list[tuple[Any, ...]] = [
        (0, "ok", "read", 1, {"index": 12, "time": 0}),
        (1, "invoke", "write", 1, {"index": 4, "time": 99}),
        (1, "ok", "write", 1, {"index": 5, "time": 3}),
        (0, "invoke", "read", None, {"index": 9, "time": 50}),
    ]
    write, read = pair(events(*lines)).operations
    assert (write.name, write.call, write.return_, write.line) == ("write", 0, 1, 2)
    assert (read.name, read.call, read.return_, read.line) == ("read", 2, 3, 4)
    lines[1] = (1, "invoke", "write", 1)  # one event has no index: lines decide, and the first is a return
    with pytest.raises(HistoryError, match="LP-H003"):
        pair(events(*lines))


def keyed(*lines: tuple[Any, ...], **options: Any) -> list[tuple[Any, ...]]:
    return [(op.key, op.args, op.result) for op in pair(events(*lines), **options).operations]


def test_pairs_in_every_event_are_keys() -> None:
    assert keyed(
        (0, "invoke", "read", ["x", None]),
        (1, "invoke", "cas", ["y", [1, 2]]),
        (2, "invoke", "delete", ["y", None]),
        (0, "ok", "read", ["x", 3]),
        (1, "info", "cas", "timeout"),
        (2, "fail", "delete", None),
    ) == [("x", (), 3), ("y", (1, 2), None), ("y", (), None)]


@pytest.mark.parametrize(
    "lines",
    [
        [(0, "invoke", "cas", [1, 2]), (0, "ok", "cas", [1, 2])],
        [(0, "invoke", "read", None), (0, "ok", "read", [1, 2])],
        [(0, "invoke", "write", [1, 2]), (0, "ok", "write", None)],
        [(0, "invoke", "write", [None, 2])],
        [(0, "invoke", "txn", [["read", "x", None], ["write", "y", 2]])],
        [(0, "invoke", "mwcas", [[0, 1, 2], [1, 1, 2]])],
        [(0, "invoke", "write", [1, 2, 3])],
    ],
    ids=["cas", "read", "completion", "nil key", "txn", "mwcas", "triple"],
)
def test_other_pairs_are_not_keys(lines: list[tuple[Any, ...]]) -> None:
    assert all(key is None for key, _, _ in keyed(*lines))


def test_a_keyed_txn_has_a_scalar_key() -> None:
    assert keyed((0, "invoke", "txn", [7, [["read", "x", None]]])) == [(7, ((("read", "x", None),),), None)]


def test_the_user_can_force_keys_or_forbid_them() -> None:
    assert keyed((0, "invoke", "write", [1, 2]), keyed=False) == [(None, ((1, 2),), None)]
    assert keyed((0, "invoke", "write", [[0], 2]), keyed=True) == [((0,), (2,), None)]
    with pytest.raises(HistoryError) as caught:
        keyed((0, "invoke", "write", [1, 2]), (1, "invoke", "read", None), keyed=True)
    assert (caught.value.code, caught.value.place) == ("LP-H007", "2")


def test_a_key_field_comes_first() -> None:
    lines = [(0, "invoke", "write", [1, 2], {"key": "x"}), (0, "ok", "write", [1, 2])]
    assert keyed(*lines) == keyed(*lines, keyed=True) == [("x", ((1, 2),), None)]


@pytest.mark.parametrize(
    ("lines", "code", "place", "evidence"),
    [
        (
            [(3, "invoke", "push", 1), (3, "ok", "push", 1), (3, "ok", "pop", 1)],
            "LP-H003",
            "3",
            'process 3 returned from "pop" with no open call (last call: line 1).',
        ),
        ([(3, "ok", "pop", 1)], "LP-H003", "1", "it never called"),
        ([(3, "info", "pop", 1)], "LP-H003", "1", "no open call"),
        ([(3, "invoke", "a", 1), (3, "info", "a", 1), (3, "ok", "a", 1)], "LP-H003", "3", "line 1"),
        ([(3, "invoke", "a", 1), (3, "invoke", "b", 1)], "LP-H004", "2", 'its "a" (line 1) was open'),
        ([(3, "invoke", "a", 1), (3, "ok", "b", 1)], "LP-H012", "2", 'called "a" (line 1)'),
        ([(3, "invoke", "write", ["x", 1]), (3, "ok", "write", ["y", 1])], "LP-H012", "2", 'key "y"'),
        ([(3, "invoke", "cas", 1)], "LP-H007", "1", 'the value of "cas" is 1'),
        ([(3, "invoke", "a", 1, {"index": 1}), (3, "ok", "a", 1, {"index": 1})], "LP-H018", "2", "line 1"),
        ([], "LP-H008", None, "no events"),
    ],
)
def test_invalid_pairs_are_rejected(lines: list[tuple[Any, ...]], code: str, place: str | None, evidence: str) -> None:
    with pytest.raises(HistoryError) as caught:
        pair(events(*lines))
    assert (caught.value.code, caught.value.place) == (code, place)
    assert evidence in caught.value.message
    assert caught.value.remedy
