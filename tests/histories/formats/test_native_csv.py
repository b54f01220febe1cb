# SPDX-License-Identifier: Apache-2.0
"""The native CSV reader against the Python one: the same history or the same error for every file."""

from __future__ import annotations

import csv
import io
import random
from pathlib import Path
from typing import Any

import pytest

import linpoint
from linpoint.histories.formats import csv_table, file_content
from linpoint.histories.lazy_operations import LazyOperations
from tests.histories.compare_readers import compare
from tests.histories.formats.test_native_operation_lines import operation, times
from tests.robustness.test_fuzz_readers import mutate
from tests.volume import seeds, volume

ODD_CELLS = [
    "", " ", "\t", "null", "true", "nul", "1e3", "1e400", "-", "-x", "007", "10.0.0.1", "3f2a-1", "1e5a", "2e9999x", '"',
    '"a', "[", "[1", "{}", "NaN", "\u00a0", "\u3000x", "é", "x\u2003", "\x1c", "a\rb", "\r", "a b", " 7 ", "1 2", "9" * 301,
    "-0", "0.5", "1.", "'a'", '"\\u0061"', '"\\ud800"', "a,b", 'a"b',
]  # fmt: skip


def rows_of(rng: random.Random) -> list[dict[str, Any]]:
    keyed, plain = rng.random() < 0.3, rng.random() < 0.5
    rows = []
    for at in range(rng.randint(1, 10)):
        item = operation(rng, at, keyed=keyed, plain=plain)
        rows.append(times(rng, item) if rng.random() < 0.1 else item)
        if rng.random() < 0.1:
            rows.append({"crash": True, "time": 10 * at + 9} | rng.choice([{}, {"process": rng.choice([0, 77, "a"])}]))
        if rng.random() < 0.1:
            rows.append({"annotation": rng.choice(["kill n1", "7", "a,b", "é"]), "time": 1, "until": 10**3})
    return rows


def text_of(rng: random.Random) -> str:
    rows = rows_of(rng)
    used = [field for field in csv_table.COLUMNS if any(field in row for row in rows)]
    header = [*used, *rng.sample(["node", "region", ""], rng.randint(0, 2))]
    rng.shuffle(header)
    out = io.StringIO()
    delimiter = rng.choice([",", ",", ";", "\t"])
    quoting = rng.choice([csv.QUOTE_MINIMAL, csv.QUOTE_MINIMAL, csv.QUOTE_ALL])
    writer = csv.writer(out, delimiter=delimiter, lineterminator=rng.choice(["\n", "\n", "\r\n"]), quoting=quoting)
    writer.writerow(header)
    for row in rows:
        cells = ["" if field not in row else csv_table.text_of(field, row[field]) for field in header]
        if rng.random() < 0.05:
            cells[rng.randrange(len(cells))] = rng.choice(ODD_CELLS)
        if rng.random() < 0.03:
            cells += [rng.choice(["", " ", "1"])]
        if rng.random() < 0.03:
            cells = cells[: rng.randrange(len(cells))]
        writer.writerow(cells)
        if rng.random() < 0.05:
            out.write(rng.choice(["\n", f"{delimiter}{delimiter}\n", "  \n"]))
    text = out.getvalue()
    text = text if rng.random() < 0.9 else text.replace(delimiter, f"{delimiter} ")
    return rng.choice(["", "", "\n", "\ufeff"]) + text


@pytest.mark.random
@pytest.mark.parametrize("seed", seeds(volume(8)))
def test_random_tables_are_read_alike(seed: str, tmp_path: Path) -> None:
    rng = random.Random(seed)
    path = tmp_path / "random.csv"
    alone = 0
    for _ in range(300):
        path.write_text(text_of(rng), newline="", encoding="utf-8")
        alone += compare(path)
    assert alone > 100


@pytest.mark.random
@pytest.mark.parametrize("seed", seeds(volume(8)))
def test_damaged_tables_are_read_alike(seed: str, tmp_path: Path) -> None:
    rng = random.Random(seed)
    path = tmp_path / "damaged.csv"
    for _ in range(300):
        data = mutate(rng, text_of(rng).encode())
        path.write_bytes(data[: rng.randint(0, len(data))] if rng.random() < 0.2 else data)
        compare(path, format="csv" if rng.random() < 0.5 else None)


@pytest.mark.parametrize("cell", ODD_CELLS)
@pytest.mark.parametrize("field", ["process", "key", "result", "call", "args"])
def test_unusual_cells_are_read_alike(field: str, cell: str, tmp_path: Path) -> None:
    row = {"process": "0", "op": "read", "args": "[]", "result": "1", "call": "5", "return": "6", "key": "k"} | {
        field: cell
    }
    path = tmp_path / "odd.csv"
    for quoting in (csv.QUOTE_MINIMAL, csv.QUOTE_ALL):
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n", quoting=quoting)
        writer.writerows([row.keys(), row.values()])
        path.write_text(out.getvalue(), newline="", encoding="utf-8")
        compare(path)


def loaded(path: Path, text: str, **options: Any) -> linpoint.History:
    path.write_text(text, newline="", encoding="utf-8")
    history = linpoint.load(path, **options)
    assert isinstance(history.operations, LazyOperations)
    return history


def test_other_columns_and_delimiters_are_read_natively(tmp_path: Path) -> None:
    path = tmp_path / "h.csv"
    plain = loaded(path, 'process,op,args,result,call,return\nn1,write,"[1, 2]",null,1,2\n')
    renamed = loaded(
        path,
        "region;client;f;input;output;start;end\neu;n1;write;[1, 2];null;1;2\n",
        columns={"process": "client", "op": "f", "args": "input", "result": "output", "call": "start", "return": "end"},
    )
    tabs = loaded(path, "\ufeffprocess\top\targs\tresult\tcall\treturn\r\nn1\twrite\t[1, 2]\tnull\t1\t2\r\n")
    assert list(plain) == list(renamed) == list(tabs)


def test_a_large_table_is_read_in_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "process,op,result,call,return\n" + "".join(f"{at % 7},read,{at},{at},{at}\n" for at in range(500))
    whole = loaded(tmp_path / "h.csv", text)
    monkeypatch.setattr(file_content, "_LARGE_FILE_BYTES", 1000)
    monkeypatch.setattr(file_content, "_BLOCK_BYTES", 333)
    monkeypatch.setattr("os.cpu_count", lambda: 2)
    assert len(file_content.FileContent(str(tmp_path / "h.csv")).parts()) == 2
    assert [*map(repr, loaded(tmp_path / "h.csv", text))] == [*map(repr, whole)]
