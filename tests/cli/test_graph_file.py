# SPDX-License-Identifier: Apache-2.0
"""``check --graph``: the file is written where requested, the verdict is unchanged, and bad paths are rejected
early.
"""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from tests.cli.conftest import BAD, Command, Writer

FORK = """
    t0: |--mwswap([["A", 2]])->[0]--|  |--mwswap([["A", 3]])->[2]--|
    t1:                                  |--mwswap([["A", 4]])->[2]--|
"""
FINE = 'A: |--mwcas([["x", 0, 1]])->true--|  |--read(["x"])->[1]--|'


@pytest.mark.parametrize("ending", ["svg", "dot", "json"])
def test_a_violation_has_its_graph(run: Command, write: Writer, tmp_path: Path, ending: str) -> None:
    write("fork.jsonl", FORK)
    done = run("check", "fork.jsonl", "--spec", "mwcas", "--graph", f"out.{ending}")
    assert done.code == 1
    assert done.out.splitlines()[-1] == f"Graph: out.{ending} (3 of 3 operations)"
    assert {each.name for each in tmp_path.iterdir()} == {"fork.jsonl", f"out.{ending}"}
    text = (tmp_path / f"out.{ending}").read_text(encoding="utf-8")
    assert "VIOLATION: two operations replaced the same value." in text
    if ending == "svg":
        ET.fromstring(text)
    elif ending == "dot":
        assert text.startswith("digraph precedence {")
    else:
        document = json.loads(text)
        assert document["reason"] == "fork"
        assert len(document["contradictions"][0]) == 2


def test_the_graph_is_written_whatever_the_verdict(run: Command, write: Writer, tmp_path: Path) -> None:
    write("fine.jsonl", FINE)
    done = run("check", "fine.jsonl", "--spec", "mwcas", "--graph", "fine.svg")
    assert (done.code, done.out.splitlines()[-1]) == (0, "Graph: fine.svg (2 of 2 operations)")
    done = run("check", "fine.jsonl", "--spec", "mwcas", "--checker", "monitor", "--graph", "unknown.json")
    assert done.code == 3
    assert json.loads((tmp_path / "unknown.json").read_text())["verdict"] == "unknown"


def test_other_verdicts_are_unchanged(run: Command, write: Writer) -> None:
    write("bad.jsonl", BAD)
    plain = run("check", "bad.jsonl", "--spec", "register").out.splitlines()
    drawn = run("check", "bad.jsonl", "--spec", "register", "--graph", "out.dot").out.splitlines()
    assert len(drawn) == len(plain) + 1
    assert drawn[0] == plain[0]


def test_json_has_the_path_of_the_graph(run: Command, write: Writer) -> None:
    write("fork.jsonl", FORK)
    done = run("check", "fork.jsonl", "--spec", "mwcas", "--graph", "out.svg", "--json")
    wanted = {"file": "out.svg", "written": True, "shown": 3, "operations": 3, "notes": []}
    assert done.json["graph"] == wanted
    assert done.err == ""
    assert "graph" not in run("check", "fork.jsonl", "--spec", "mwcas", "--json").json


def test_control_characters_in_a_name_are_escaped(run: Command, write: Writer) -> None:
    write("fine.jsonl", FINE)
    done = run("check", "fine.jsonl", "--spec", "mwcas", "--graph", "a\x1b[31m\nb.dot")
    assert done.out.splitlines()[-1] == "Graph: a\\x1b[31m\\x0ab.dot (2 of 2 operations)"


def test_hostile_values_are_written(run: Command, write: Writer, tmp_path: Path) -> None:
    line = r'{"process": 0, "op": "mwcas", "args": [[["]]><b>", 0, "\u0000"]]], "result": true, "call": 1, "return": 2}'
    write("nasty.jsonl", line + "\n")
    for ending in ("svg", "dot", "json"):
        done = run("check", "nasty.jsonl", "--spec", "mwcas", "--graph", f"out.{ending}")
        assert done.code == 0, done.err
    ET.fromstring((tmp_path / "out.svg").read_bytes())
    assert json.loads((tmp_path / "out.json").read_text())["vertices"][0]["args"] == [[["]]><b>", 0, "\x00"]]]


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["fork.jsonl", "--graph", "out.png"], "LP-U005", 'unknown extension ".png"'),
        (["fork.jsonl", "--graph", "out"], "LP-U005", "the file name has no extension"),
        (["fork.jsonl", "--graph", "-"], "LP-U005", "the file name has no extension"),
        (["fork.jsonl", "--graph", "missing/out.svg"], "LP-U005", "its directory does not exist"),
        (["fork.jsonl", "--graph", "folder.svg"], "LP-U005", "it is a directory"),
        (["fork.json", "--graph", "fork.json"], "LP-U005", "it is the history itself"),
        (["fork.jsonl", "fork.json", "--graph", "out.svg"], "LP-U001", "--graph requires one file, not 2"),
        (["fork.jsonl", "--follow", "--graph", "out.svg"], "LP-U007", "--graph requires a complete history"),
        (["fork.jsonl", "--graph", "out.svg", "--spec", "queue"], "LP-U008", "the spec queue has no precedence graph"),
    ],
)
def test_invalid_graph_requests_are_rejected(
    run: Command, write: Writer, tmp_path: Path, arguments: list[str], code: str, words: str
) -> None:
    write("fork.jsonl", FORK)
    (tmp_path / "fork.json").write_bytes((tmp_path / "fork.jsonl").read_bytes())
    (tmp_path / "folder.svg").mkdir()
    spec = [] if "--spec" in arguments else ["--spec", "mwcas"]
    error = run("check", *arguments, *spec, "--json").error
    assert error["code"] == code
    assert words in error["message"]
    assert {each.name for each in tmp_path.iterdir()} == {"fork.jsonl", "fork.json", "folder.svg"}


def test_the_verdict_is_reported_even_if_the_graph_cannot_be_written(run: Command, write: Writer) -> None:
    """A full device fails only when it is written to."""
    if not Path("/dev/full").exists():
        pytest.skip("no device that is full")
    path = write("fork.jsonl", FORK)
    (path.parent / "out.svg").symlink_to("/dev/full")
    done = run("check", "fork.jsonl", "--spec", "mwcas", "--graph", "out.svg")
    assert done.code == 2
    assert done.out.startswith("VIOLATION: ")
    assert done.err.startswith("error: LP-U005 out.svg: the file cannot be written: ")
    document = run("check", "fork.jsonl", "--spec", "mwcas", "--graph", "out.svg", "--json").json
    assert document["verdict"] == "violation"
    assert document["graph"]["written"] is False
    assert document["graph"]["error"]["code"] == "LP-U005"
