# SPDX-License-Identifier: Apache-2.0
"""Parquet and Arrow files: the meaning of each column type, invalid files, and files written by linpoint."""

from __future__ import annotations

import dataclasses
import decimal
import gzip
import random
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import parquet

import linpoint
from linpoint import Crash, History, HistoryError, Operation, Outcome
from linpoint.histories.formats import parquet_arrow
from linpoint.histories.lazy_operations import LazyOperations
from linpoint.histories.values import freeze
from tests.volume import SEED, volume

DATA = Path(__file__).parents[2] / "data"
KINDS = ["file.parquet", "file.arrow", "stream.arrow", "file.parquet.gz"]


def written(folder: Path, table: pa.Table, name: str = "file.parquet") -> Path:
    path = folder / name
    if name.startswith("stream"):
        with pa.ipc.new_stream(path, table.schema) as writer:
            writer.write_table(table)
    elif name.endswith("arrow"):
        with pa.ipc.new_file(path, table.schema) as writer:
            writer.write_table(table)
    else:
        parquet.write_table(table, path)
    if name.endswith(".gz"):
        path.write_bytes(gzip.compress(path.read_bytes()))
    return path


def table(**columns: Any) -> pa.Table:
    """Two operations, with these columns instead of the usual ones; None omits one."""
    usual: dict[str, Any] = {
        "process": [0, 1],
        "op": ["write", "read"],
        "args": [[1], []],
        "result": [None, 1],
        "call": [10, 30],
        "return": [20, 40],
    }
    return pa.table({name: column for name, column in (usual | columns).items() if column is not None})


def load(folder: Path, **columns: Any) -> History:
    return linpoint.load(written(folder, table(**columns)))


def refused(folder: Path, **columns: Any) -> str:
    with pytest.raises(HistoryError) as caught:
        load(folder, **columns)
    assert str(caught.value).startswith(f"{caught.value.code} {folder / 'file.parquet'}")
    return str(caught.value).replace(str(folder / "file.parquet"), "FILE")


@pytest.mark.parametrize("name", KINDS)
def test_plain_columns_are_read_natively(name: str, tmp_path: Path) -> None:
    history = linpoint.load(written(tmp_path, table(), name))
    assert isinstance(history.operations, LazyOperations)
    assert list(history) == [
        Operation(0, "write", (1,), None, 10, 20, line=1),
        Operation(1, "read", (), 1, 30, 40, line=2),
    ]
    assert linpoint.check(history, "register").status is linpoint.Status.LINEARIZABLE


VALUES: dict[str, tuple[Any, list[Any]]] = {
    "integers": (pa.array([-1, 2**40]), [-1, 2**40]),
    "large integers": (pa.array([2**64 - 1, 0], pa.uint64()), [2**64 - 1, 0]),
    "bools": (pa.array([True, False]), [True, False]),
    "floats": (pa.array([1.0, 0.1]), [1.0, 0.1]),
    "nulls": (pa.nulls(2), [None, None]),
    "JSON": (pa.array(['{"a": [1.0]}', '"käse"']), [{"a": (1.0,)}, "käse"]),
    "JSON on several lines": (pa.array(["[1,\n2]", "null"]), [(1, 2), None]),
    "long strings": (pa.array(["1", None], pa.large_string()), [1, None]),
    "a dictionary": (pa.array(['"x"', '"x"']).dictionary_encode(), ["x", "x"]),
    "lists of integers": (pa.array([[1, None], []]), [(1, None), ()]),
    "lists of strings": (pa.array([["a", '"b"'], None]), [("a", '"b"'), None]),
    "lists of lists": (pa.array([[[1], [2.0]], []]), [((1.0,), (2.0,)), ()]),
    "lists of one length": (pa.array([[1, 2], [3, 4]], pa.list_(pa.int64(), 2)), [(1, 2), (3, 4)]),
    "structs": (pa.array([{"a": "x", "b": [1]}, None]), [{"a": "x", "b": (1,)}, None]),
    "instants": (pa.array([1, 2], pa.timestamp("us")), [1000, 2000]),
    "durations": (pa.array([1, 2], pa.duration("s")), [10**9, 2 * 10**9]),
}


@pytest.mark.parametrize("kind", VALUES)
@pytest.mark.parametrize("name", KINDS[:3])
def test_column_types_are_converted(kind: str, name: str, tmp_path: Path) -> None:
    column, expected = VALUES[kind]
    history = linpoint.load(written(tmp_path, table(result=column), name))
    assert [repr(op.result) for op in history] == [*map(repr, expected)]


def test_fields_and_cells_may_be_missing(tmp_path: Path) -> None:
    columns = {"args": pa.array([None, [1]]), "return": pa.array([20, None]), "outcome": pa.array(["failed", None])}
    history = load(tmp_path, key=pa.array(["a", "1"]), **columns)
    assert [op.args for op in history] == [(), (1,)]
    assert [op.outcome for op in history] == [Outcome.FAILED, Outcome.UNKNOWN]
    assert [op.key for op in history] == ["a", 1]
    assert 'the field "result" is missing' in refused(tmp_path, result=None)
    assert 'LP-H006 FILE:1: the field "call" is missing' in refused(tmp_path, call=pa.array([None, 1]))


def test_arguments_may_be_json(tmp_path: Path) -> None:
    assert [op.args for op in load(tmp_path, args=["[[1], 2]", " "])] == [((1,), 2), ()]


def test_crashes_and_annotations_are_read(tmp_path: Path) -> None:
    history = linpoint.load(
        written(
            tmp_path,
            pa.table(
                {
                    "process": [0, None, None],
                    "op": ["write", None, None],
                    "args": [[1], None, None],
                    "result": pa.nulls(3),
                    "call": [0, None, None],
                    "return": [1, None, None],
                    "crash": [False, True, None],
                    "annotation": [None, None, "kill n1"],
                    "time": [None, 5, 6],
                }
            ),
        )
    )
    assert isinstance(history.operations, LazyOperations)
    assert (len(history), history.crashes) == (1, (Crash(5, line=2),))
    assert [each.text for each in history.annotations] == ["kill n1"]


def test_crashes_of_the_object_are_read(tmp_path: Path) -> None:
    columns = {
        "process": [0, None, None, None],
        "op": ["read", None, None, None],
        "result": [1, None, None, None],
        "call": [0, None, None, None],
        "return": [1, None, None, None],
        "crash": [None, "object", '"object"', "true"],
        "time": [None, 5, 6, 7],
    }
    history = linpoint.load(written(tmp_path, pa.table(columns)))
    assert [(crash.time, crash.of_object) for crash in history.crashes] == [(5, True), (6, True), (7, False)]


def test_columns_may_have_other_names(tmp_path: Path) -> None:
    path = written(tmp_path, table().rename_columns(["client", "f", "args", "result", "start", "end"]))
    columns = {"process": "client", "op": "f", "call": "start", "return": "end"}
    assert linpoint.load(path, columns=columns) == load(tmp_path)
    with pytest.raises(HistoryError, match=r'LP-H006 .* has no column "process"'):
        linpoint.load(written(tmp_path, table(process=None)))


def test_rows_are_counted_over_batches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parquet_arrow, "_ROWS_PER_BATCH", 3)
    many = {"process": [0] * 10, "op": ["read"] * 10, "args": None, "return": [*range(10)], "call": [*range(10)]}
    for name in KINDS[:3]:
        good = linpoint.load(written(tmp_path, table(**many, result=[*range(10)]), name))
        assert [(op.line, op.result) for op in good] == [(at + 1, at) for at in range(10)]
        with pytest.raises(HistoryError, match=r"LP-H002 .*arrow:8: |LP-H002 .*parquet:8: "):
            linpoint.load(written(tmp_path, table(**many, result=["1"] * 7 + ["1 2"] + ["1"] * 2), name))
        overlapping = many | {"return": [0, 1, 2, 9, *range(4, 10)]}
        with pytest.raises(HistoryError, match=r"LP-H004 .*:5: .*\(line 4\)"):
            linpoint.load(written(tmp_path, table(**overlapping, result=[1] * 10), name))


# Invalid files

WRONG: dict[str, tuple[dict[str, Any], str]] = {
    "a cell that goes on": ({"result": ['1,"key":2', "1"]}, "LP-H002 FILE:1: "),
    "a cell that is not JSON": ({"args": ["[1]", "[1"]}, "LP-H002 FILE:2: "),
    "a decimal": (
        {"result": pa.array([decimal.Decimal(1)] * 2)},
        'LP-H007 FILE: the column of "result" has the type dec',
    ),
    "bytes": ({"args": pa.array([b"[]"] * 2)}, 'LP-H007 FILE: the column of "args" has the type binary'),
    "bytes within": ({"args": pa.array([[["a"]], [["b"]]], pa.list_(pa.list_(pa.binary())))}, "LP-H007 FILE:1: "),
    "not a number": ({"result": [1.0, float("nan")]}, "LP-H007 FILE:2: "),
    "a day": ({"call": pa.array([1, 2], pa.date32())}, 'LP-H007 FILE: the column of "call" has the type date32'),
    "a float for a process": ({"process": [0.5, 1.0]}, 'LP-H007 FILE:1: "process" is 0.5'),
    "an instant beyond": ({"call": pa.array([2**62, 2], pa.timestamp("us"))}, "LP-H002 FILE: the parquet data"),
    "no rows": (dict.fromkeys(("process", "op", "args", "result", "call", "return"), pa.nulls(0)), "LP-H008 FILE: "),
}


@pytest.mark.parametrize("what", WRONG)
def test_invalid_tables_are_rejected(what: str, tmp_path: Path) -> None:
    columns, message = WRONG[what]
    assert refused(tmp_path, **columns).startswith(message)


@pytest.mark.random
@pytest.mark.parametrize("name", KINDS[:3])
def test_damaged_files_are_rejected(name: str, tmp_path: Path) -> None:
    rng = random.Random(f"{SEED} {name}")
    data = written(tmp_path, table(op=["write", "größe"]), name).read_bytes()
    for _ in range(volume(300)):
        damaged = bytearray(data)
        for _ in range(rng.randint(1, 5)):
            damaged[rng.randrange(8, len(data))] = rng.randrange(256)
        (tmp_path / name).write_bytes(damaged[: rng.choice([len(data), rng.randrange(6, len(data))])])
        try:
            linpoint.load(tmp_path / name)
        except HistoryError as error:
            assert error.remedy


def test_text_is_not_parquet(tmp_path: Path) -> None:
    (tmp_path / "h.jsonl").write_text("{}\n")
    for name in ("parquet", "arrow"):
        with pytest.raises(HistoryError, match="LP-H002"):
            linpoint.load(tmp_path / "h.jsonl", format=name)


@pytest.mark.parametrize("name", KINDS[:2])
def test_a_missing_pyarrow_is_reported(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = written(tmp_path, table(), name)
    history = linpoint.load(path)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    for attempt in (lambda: linpoint.load(path), lambda: linpoint.save(history, path)):
        with pytest.raises(HistoryError, match=r"LP-H019 .*file\.\w+: .* need pyarrow.*linpoint\[columnar\]"):
            attempt()


# Files written by linpoint


@pytest.mark.parametrize("suffix", [".parquet", ".arrow", ".feather", ".parquet.gz"])
@pytest.mark.parametrize("path", [path for path in DATA.iterdir() if path.suffix != ".tsv"], ids=lambda path: path.name)
def test_written_files_read_back(path: Path, suffix: str, tmp_path: Path) -> None:
    history = linpoint.load(path)
    linpoint.save(history, tmp_path / f"h{suffix}")
    assert without_lines(linpoint.load(tmp_path / f"h{suffix}")) == without_lines(history)


def test_unusual_values_read_back(tmp_path: Path) -> None:
    values: list[Any] = [None, True, 1, 1.5, "", "1", "null", 'q"\n', [1, [2]], {"a": {"b": None}}, 2**70, "\U0001f600"]
    ops = [
        Operation(at, "read", (value,), value, at, at + 1, key=0 if value is None else freeze(value))
        for at, value in enumerate(values)
    ]
    history = History([*ops, Operation("1", "a b", (), None, 2.5, None, Outcome.UNKNOWN, key=1, order=7)])
    for name in ("h.parquet", "h.arrow"):
        linpoint.save(history, tmp_path / name)
        assert [*map(repr, without_lines(linpoint.load(tmp_path / name))[0])] == [*map(repr, without_lines(history)[0])]


def without_lines(history: History) -> tuple[list[Any], ...]:
    return tuple(
        [dataclasses.replace(item, line=None) for item in items]
        for items in (history.operations, history.crashes, history.annotations)
    )
