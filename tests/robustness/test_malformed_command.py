# SPDX-License-Identifier: Apache-2.0
"""Bad input through the real command: exit code 2, a coded error with place and remedy, and no traceback."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.histories.formats.test_malformed import CASES

Command = Callable[..., subprocess.CompletedProcess[str]]

LINES = {
    "unknown operation": (
        '{"process": 0, "op": "pop", "result": 1, "call": 0, "return": 1}',
        "register",
        "LP-S002",
        ":1",
    ),
    "wrong arity": (
        '{"process": 0, "op": "write", "args": [1, 2], "result": null, "call": 0, "return": 1}',
        "register",
        "LP-S003",
        ":1",
    ),
    "impossible argument": (
        '{"process": 0, "op": "add", "args": ["x"], "result": null, "call": 0, "return": 1}',
        "counter",
        "LP-S004",
        ":1",
    ),
    "a word twice": (
        '{"process": 0, "op": "mwcas", "args": [[[1,0,1],[1,0,2]]], "result": true, "call": 0, "return": 1}',
        "mwcas",
        "LP-S004",
        ":1",
    ),
    "no such spec": ('{"process": 0, "op": "read", "result": 1, "call": 0, "return": 1}', "queeue", "LP-S001", ""),
    "no such spec file": (
        '{"process": 0, "op": "read", "result": 1, "call": 0, "return": 1}',
        "nowhere.py:Queue",
        "LP-S005",
        "",
    ),
    "self overlap": (
        '{"process": 0, "op": "read", "result": 1, "call": 0, "return": 5}\n{"process": 0, "op": "read", "result": 1, "call": 3, "return": 9}',
        "register",
        "LP-H004",
        ":2",
    ),
    "return before call": (
        '{"process": 0, "op": "read", "result": 1, "call": 5, "return": 1}',
        "register",
        "LP-H005",
        ":1",
    ),
    "call after unknown": (
        '{"process": 0, "op": "write", "args": [1], "call": 0}\n{"process": 0, "op": "read", "result": 1, "call": 3, "return": 9}',
        "register",
        "LP-H004",
        ":2",
    ),
    "across a crash": (
        '{"process": 0, "op": "read", "result": 1, "call": 0, "return": 9}\n{"crash": true, "time": 5}',
        "register",
        "LP-H013",
        ":1",
    ),
    "some with a key": (
        '{"process": 0, "op": "read", "result": 1, "call": 0, "return": 9, "key": 1}\n{"process": 1, "op": "read", "result": 1, "call": 0, "return": 9}',
        "register",
        "LP-H014",
        ":2",
    ),
}


def refuse(command: Command, path: Path, spec: str, code: str, place: str) -> None:
    run = command("check", str(path), "--spec", spec, "--json")
    assert run.returncode == 2, run.stdout + run.stderr
    error = json.loads(run.stdout)["error"]
    assert error["code"] == code
    assert error["remedy"]
    assert error["message"]
    if not code.startswith("LP-S") or place:
        assert error["place"].endswith(f"{path.name}{place}")
    assert "Traceback" not in run.stderr


@pytest.mark.parametrize("name", CASES)
def test_malformed_file(name: str, tmp_path: Path, linpoint_command: Command) -> None:
    data, code, place = CASES[name]
    path = tmp_path / "bad"
    path.write_bytes(data)
    refuse(linpoint_command, path, "register", code, place)


@pytest.mark.parametrize("name", LINES)
def test_malformed_history(name: str, tmp_path: Path, linpoint_command: Command) -> None:
    text, spec, code, place = LINES[name]
    path = tmp_path / "bad.jsonl"
    path.write_text(text + "\n")
    refuse(linpoint_command, path, spec, code, place)


def test_there_are_enough_cases() -> None:
    assert len(CASES) + len(LINES) >= 40
