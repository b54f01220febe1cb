# SPDX-License-Identifier: Apache-2.0
"""Logs with the conventions of other tools: read if their meaning is certain, else rejected with the required form."""

from __future__ import annotations

from pathlib import Path

import pytest

import linpoint
from linpoint import HistoryError
from linpoint.histories.formats.time_text import remedy_for_time

GOOD = '{"process": 0, "op": "read", "result": 1, "call": 0, "return": 1}'


def refused(path: Path, text: str) -> HistoryError:
    path.write_text(text)
    with pytest.raises(HistoryError) as caught:
        linpoint.load(path)
    return caught.value


def test_an_array_of_operations_is_read(tmp_path: Path) -> None:
    path = tmp_path / "h.json"
    path.write_text(f'[\n  {GOOD},\n  {{"crash": true, "time": 5}}\n]\n')
    history = linpoint.load(path)
    assert (history[0].line, history.crashes[0].line) == (2, 3)
    error = refused(path, f"[{GOOD},\n{GOOD.replace('0,', '1,', 1)}\n{GOOD}]")
    assert (error.code, error.place) == ("LP-H002", f"{path}:3")
    assert "array of operations" in str(error)
    path.write_text("[]")
    with pytest.raises(HistoryError, match=r"LP-H008 .*the array is empty"):
        linpoint.load(path, format="operations")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (GOOD.replace("process", "client"), '"process" is missing, but there is a field "client"'),
        (GOOD.replace('"call"', '"start"'), '"call" is missing, but there is a field "start"'),
        (GOOD.replace('"result"', '"output"'), '"result" is missing, but there is a field "output"'),
        ('{"process": 0, "type": "ok", "operation": "read", "value": 1}', 'no "f", but "operation"'),
    ],
)
def test_renaming_is_suggested_for_other_field_names(line: str, message: str, tmp_path: Path) -> None:
    error = refused(tmp_path / "h.jsonl", line)
    assert error.code == "LP-H006"
    assert message in str(error)
    assert error.remedy.startswith("Rename ")


def test_a_mapping_is_suggested_for_other_column_names(tmp_path: Path) -> None:
    error = refused(tmp_path / "h.csv", "client;op;start;end;args;result\n0;read;1;2;[];5\n")
    assert error.code == "LP-H006"
    assert "--columns process=client,call=start,return=end." in error.remedy


@pytest.mark.parametrize(
    ("text", "remedy"),
    [
        ("2024-05-01T12:00:00Z", "1714564800000000000 for this one."),
        ("2024-05-01T14:00:00.123456789+02:00", "1714564800123456789 for this one."),
        ("2024-05-01 12:00", "1714564800000000000 for this one, if it is UTC."),
        ("17", "Write the number without quotes: 17."),
        ("2024-13-01T12:00:00Z", None),
        ("yesterday", None),
    ],
)
def test_times_written_as_text_are_rejected(text: str, remedy: str | None, tmp_path: Path) -> None:
    assert (remedy_for_time(text) or "None").endswith(str(remedy))
    error = refused(tmp_path / "h.jsonl", GOOD.replace('"call": 0', f'"call": "{text}"'))
    assert error.code == "LP-H007"
    assert remedy is None or error.remedy.endswith(remedy)
    if remedy is not None and ":" in text:
        table = f"process,op,result,call,return\n0,read,1,{text},1\n"
        assert refused(tmp_path / "h.csv", table).remedy.endswith(remedy)
