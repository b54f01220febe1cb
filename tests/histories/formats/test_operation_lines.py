# SPDX-License-Identifier: Apache-2.0
"""Operation lines: the meaning of each field, and that other fields do not matter."""

from __future__ import annotations

import gzip
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from linpoint.errors import HistoryError
from linpoint.histories.formats import load
from linpoint.histories.formats.operation_lines import item_from_dict
from linpoint.histories.history import History
from linpoint.histories.operation import Annotation, Crash, Operation, Outcome

Reader = Callable[..., History]

SAMPLE = """\
{"process": 0, "op": "enqueue", "args": [3], "result": null, "call": 10, "return": 25}
{"process": 1, "op": "dequeue", "args": [], "call": 12, "return": null}

{"process": "c", "op": "write", "args": [7], "outcome": "failed", "call": 5, "return": 9}
{"crash": true, "time": 40}
{"crash": true, "process": 2, "time": 41.5}
{"crash": "object", "time": 43}
{"annotation": "kill n1", "time": 40, "until": 55}
"""


def test_the_sample_of_the_contract_is_read(read: Reader) -> None:
    history = read(SAMPLE)
    assert history.operations == (
        Operation(0, "enqueue", (3,), None, 10, 25, line=1),
        Operation(1, "dequeue", (), None, 12, None, Outcome.UNKNOWN, line=2),
        Operation("c", "write", (7,), None, 5, 9, Outcome.FAILED, line=4),
    )
    assert history.crashes == (Crash(40, line=5), Crash(41.5, 2, line=6), Crash(43, line=7, of_object=True))
    assert history.annotations == (Annotation("kill n1", 40, 55, line=8),)


@pytest.mark.parametrize(
    "wrapped",
    [
        gzip.compress(SAMPLE.encode()),
        gzip.compress(SAMPLE[:100].encode()) + gzip.compress(SAMPLE[100:].encode()),
        b"\xef\xbb\xbf" + SAMPLE.encode(),
        SAMPLE.replace("\n", "\r\n").encode(),
        SAMPLE.rstrip().encode(),
    ],
    ids=["gzip", "two gzip members", "byte order mark", "crlf", "no newline at the end"],
)
def test_compression_and_line_endings_do_not_matter(read: Reader, wrapped: bytes) -> None:
    assert read(wrapped) == read(SAMPLE)


def test_the_source_is_the_path_as_given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.jsonl").write_text(SAMPLE)
    monkeypatch.chdir(tmp_path)
    assert load("a.jsonl").source == "a.jsonl"


def line(**fields: object) -> dict[str, object]:
    return {"process": 0, "op": "read", "result": None, "call": 1, "return": 2} | fields


@pytest.mark.parametrize(
    ("fields", "outcome", "return_"),
    [
        ({}, Outcome.OK, 2),
        ({"outcome": "ok"}, Outcome.OK, 2),
        ({"return": None}, Outcome.UNKNOWN, None),
        ({"return": None, "outcome": "ok"}, Outcome.UNKNOWN, None),
        ({"outcome": "unknown"}, Outcome.UNKNOWN, 2),
        ({"outcome": "failed"}, Outcome.FAILED, 2),
        ({"return": None, "outcome": "failed"}, Outcome.FAILED, None),
    ],
)
def test_outcomes_are_read(fields: dict[str, object], outcome: Outcome, return_: int | None) -> None:
    op = item_from_dict(line(**fields), line=None)
    assert isinstance(op, Operation)
    assert (op.outcome, op.return_) == (outcome, return_)


@pytest.mark.parametrize("order", [0, 7, -3, 2.5, 10**200, None])
def test_order_fields_are_read(order: object) -> None:
    op = item_from_dict(line(order=order), line=None)
    assert isinstance(op, Operation)
    assert op.order == order


def test_open_failed_and_unknown_operations_may_have_an_order() -> None:
    for fields in ({"return": None}, {"outcome": "failed"}, {"outcome": "unknown"}):
        op = item_from_dict(line(order=4, **fields), line=None)
        assert isinstance(op, Operation)
        assert op.order == 4


def test_unknown_fields_are_ignored_and_the_last_of_two_equal_names_counts(read: Reader) -> None:
    history = read(
        '{"process": "x", "process": 1, "op": "read", "result": 1, "result": 2, "call": 0, "return": 1, "node": []}'
    )
    assert history.operations == (Operation(1, "read", (), 2, 0, 1, line=1),)


def test_values_are_frozen_and_true_stays_true(read: Reader) -> None:
    op = read(
        '{"process": 0, "op": "f", "args": [[1, {"a": [true]}]], "result": 1.0, "call": 0, "return": 1, "key": "k"}'
    )[0]
    assert op.args == ((1, {"a": (True,)}),)
    assert op.args[0][1]["a"][0] is True
    assert hash(op.args)
    assert (op.result, op.key) == (1.0, "k")


@pytest.mark.parametrize(
    ("times", "kept"),
    [
        ([1, 2.5], (1, 2.5)),
        ([1, None], (1, None)),
        ([1], None),
        ("x", None),
        ([True, 1], None),
        ([float("nan"), 1], None),
    ],
)
def test_clock_readings_are_kept_or_ignored(times: object, kept: object) -> None:
    op = item_from_dict(line(times=times), line=3)
    assert isinstance(op, Operation)
    assert op.times == kept


@pytest.mark.parametrize("call", [float("nan"), float("inf"), True, "1", None])
def test_a_call_that_is_not_a_time_is_rejected(call: object) -> None:
    with pytest.raises(HistoryError) as caught:
        item_from_dict(line(call=call), line=3)
    assert (caught.value.code, caught.value.place) == ("LP-H007", "3")


def test_a_value_that_contains_itself_is_rejected() -> None:
    endless: list[object] = []
    endless += [endless, endless]
    with pytest.raises(HistoryError) as caught:
        item_from_dict(line(args=[endless]), line=1)
    assert caught.value.code == "LP-H011"


def test_a_number_too_long_to_print_is_rejected() -> None:
    for field in ("process", "call", "return", "result", "op"):
        with pytest.raises(HistoryError):
            item_from_dict(line(**{field: 10**5000}), line=1)


def test_an_operation_with_extra_fields_is_not_dropped(read: Reader) -> None:
    fields = '"process": 0, "op": "read", "result": 1, "call": 0, "return": 1'
    assert len(read(f'{{{fields}, "annotation": "slow"}}')) == 1
    assert len(read(f'{{{fields}, "crash": false}}')) == 1
    with pytest.raises(HistoryError, match="LP-H007"):
        read(f'{{{fields}, "crash": true, "time": 3}}')


def test_reading_takes_linear_time(tmp_path: Path) -> None:
    path = tmp_path / "long.jsonl"
    form = '{{"process": {}, "op": "write", "args": [{}], "result": null, "call": {}, "return": {}}}\n'

    def seconds(count: int) -> float:
        path.write_text("".join(form.format(i % 10, i, 10 * i, 10 * i + 5) for i in range(count)))
        start = time.process_time()
        assert len(load(path)) == count
        return time.process_time() - start

    assert seconds(100_000) < 40 * min(seconds(10_000) for _ in range(3))
