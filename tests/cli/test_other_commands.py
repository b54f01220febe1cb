# SPDX-License-Identifier: Apache-2.0
"""``convert``, ``specs``, ``demo``, ``--help`` and ``--version``."""

from __future__ import annotations

from importlib.metadata import version
from pathlib import Path

import pytest

import linpoint
from linpoint.specs import BUILT_IN
from tests.cli.conftest import Command, Writer

HISTORY = """
    0: |--write(1)--|   |--read()->2--|  |--cas(2, [3])->true--|
    1:      |--write(2)--|                   |--write({"a": null})->failed--|
    2:   |--write(7)--...
"""


def meaning(path: Path) -> list[tuple[object, ...]]:
    """The operations of a file, independent of the scale of their times."""
    history = linpoint.load(path)
    times = sorted({time for op in history for time in (op.call, op.return_) if time is not None})
    rank = {time: n for n, time in enumerate(times)} | {None: None}
    return sorted(
        (rank[op.call], rank[op.return_], op.process, op.name, op.args, op.outcome.value, repr(op.result))
        for op in history
    )


def test_convert_survives_a_round_trip(run: Command, write: Writer, tmp_path: Path) -> None:
    start = write("one.jsonl", HISTORY)
    for source, target in [
        ("one.jsonl", "two.edn"),
        ("two.edn", "three.jsonl"),
        ("three.jsonl", "four.json.gz"),
        ("four.json.gz", "five.csv"),
    ]:
        done = run("convert", source, target)
        assert done.code == 0
        assert "6 operations" in done.out
        assert target in done.out
    assert (tmp_path / "four.json.gz").read_bytes().startswith(b"\x1f\x8b")
    assert meaning(tmp_path / "three.jsonl") == meaning(tmp_path / "five.csv")
    assert [op.name for op in linpoint.load(tmp_path / "five.csv")] == [
        op.name for op in linpoint.load(tmp_path / "two.edn")
    ]
    documents = [run("check", name, "--spec", "cas-register", "--json").json for name in (start.name, "five.csv")]
    assert documents[0]["verdict"] == documents[1]["verdict"] == "linearizable"


def test_convert_to_standard_output_prints_only_the_history(run: Command, write: Writer) -> None:
    write("one.jsonl", HISTORY)
    done = run("convert", "one.jsonl", "-")
    assert done.code == 0
    assert run("check", "-", "--spec", "cas-register", stdin=done.out).code == 0


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["nosuch.jsonl", "out.edn"], "LP-H001"),
        (["one.jsonl", "out.docx"], "LP-U005"),
        (["one.jsonl", "nosuch/out.edn"], "LP-U005"),
        (["one.jsonl", "out.edn", "--to", "word"], "LP-U001"),
    ],
)
def test_convert_reports_errors(run: Command, write: Writer, tmp_path: Path, arguments: list[str], code: str) -> None:
    write("one.jsonl", HISTORY)
    done = run("convert", *arguments)
    assert done.code == 2
    assert code in done.err
    assert done.out == ""
    assert {path.name for path in tmp_path.iterdir()} == {"one.jsonl"}


def test_specs_lists_every_spec_and_operation(run: Command) -> None:
    text = run("specs")
    assert text.code == 0
    listed = {line.split()[0] for line in text.out.splitlines() if line}
    assert listed >= set(BUILT_IN)
    assert all(name in text.out for spec in BUILT_IN.values() for name in spec.steps)
    document = run("specs", "--json").json
    assert [spec["name"] for spec in document["specs"]] == list(BUILT_IN)
    for spec in document["specs"]:
        assert spec["doc"]
        assert [operation["name"] for operation in spec["operations"]] == list(BUILT_IN[spec["name"]].steps)


def test_specs_describes_a_single_spec(run: Command, write: Writer) -> None:
    done = run("specs", "cas-register")
    assert done.code == 0
    assert "cas(old, new) -> bool" in done.out
    assert "swap(v) -> old" in done.out
    write(
        "mine.py",
        "import linpoint\n@linpoint.spec\nclass Mine:\n    'Counts.'\n    initial = 0\n    def up(state, n): return None, state + n\n",
    )
    mine = run("specs", "mine.py:Mine")
    assert "Counts." in mine.out
    assert "up(n)" in mine.out
    assert run("specs", "frobnicate", "--json").error["code"] == "LP-S001"


def test_demo_shows_a_violation_and_a_linearizable_history(run: Command) -> None:
    done = run("demo")
    assert done.code == 0
    assert "VIOLATION: " in done.out
    assert "LINEARIZABLE: " in done.out
    assert "returned 2; every valid order requires 0 or absent" in done.out
    assert "UNKNOWN" not in done.out
    assert done.err == ""


@pytest.mark.parametrize("command", ["check", "convert", "specs", "demo", "replay"])
def test_help_has_usage_or_an_example(run: Command, command: str) -> None:
    done = run(command, "-h" if command == "demo" else "--help")
    assert done.code == 0
    assert f"Usage: linpoint {command}" in done.out
    if command in ("check", "convert", "specs"):
        assert "Example" in done.out
        assert f"linpoint {command} " in done.out.partition("Example")[2]


def test_help_lists_the_commands_and_the_exit_codes(run: Command) -> None:
    done = run("--help")
    assert done.code == 0
    for command in ("check", "convert", "specs", "demo", "replay"):
        assert command in done.out
    check = run("check", "--help").out
    for text in (
        "--spec",
        "--initial",
        "--checker",
        "--condition",
        "--budget",
        "--max-memory",
        "--keyed",
        "--columns",
        "--json",
    ):
        assert text in check
    for number in "0123":
        assert number in check.partition("Exit code")[2].partition("Example")[0]


def test_the_version_is_printed(run: Command) -> None:
    done = run("--version")
    assert (done.code, done.out, done.err) == (0, f"linpoint {version('linpoint')}\n", "")
