# SPDX-License-Identifier: Apache-2.0
"""``check --github`` and ``check --summary``: annotations for GitHub and one-line summaries."""

from __future__ import annotations

from pathlib import Path

import pytest

import linpoint
from linpoint.cli.output.check_report import suites_of
from linpoint.cli.output.file_reports import FileReport
from linpoint.cli.output.github_annotations import render_annotations
from tests.cli.conftest import BAD, GOOD, Command, Writer, hard
from tests.cli.test_junit import HOSTILE, stale


def commands(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.startswith("::")]


def test_a_violation_is_annotated_at_the_line_of_the_culprit(run: Command, write: Writer) -> None:
    write("bad.jsonl", BAD)
    done = run("check", "bad.jsonl", "--spec", "register", "--github")
    assert done.code == 1
    (line,) = commands(done.out)
    place, _, message = line.removeprefix("::").partition("::")
    assert place == "error file=bad.jsonl,line=2,title=linpoint%3A violation of register"
    first, reason, cause, again = message.split("%0A")
    assert first.startswith("read() by process A returned 1; every valid order")
    assert reason.startswith("Reason: ")
    assert cause == "Likely cause (a guess): a stale read."
    assert run(*again.removeprefix("Replay: linpoint ").split()).code == 1


def test_unknown_is_a_warning_and_bad_input_an_error_at_its_place(run: Command, write: Writer) -> None:
    write("hard.jsonl", hard())
    write("broken.jsonl", '{"process": 0, "op": "enqueue", "args": [1], "result": null, "call": 1, "return": 2}\n{\n')
    done = run(
        "check", "broken.jsonl", "hard.jsonl", "--spec", "queue", "--checker", "dfs", "--budget", "0.4", "--github"
    )
    broken, unknown = commands(done.out)
    assert unknown.startswith("::warning file=hard.jsonl,title=linpoint%3A not decided::the time budget ran out")
    assert broken.startswith("::error file=broken.jsonl,line=2,title=linpoint%3A LP-H002::")


def test_a_pass_has_no_annotation(run: Command, write: Writer) -> None:
    write("good.jsonl", GOOD)
    assert commands(run("check", "good.jsonl", "--spec", "register", "--github").out) == []


def test_annotations_are_limited_per_file_and_begin_with_the_first_of_each_file(run: Command, write: Writer) -> None:
    write("many.jsonl", [line for key in range(25) for line in stale(key, 10 * key)])
    write("bad.jsonl", BAD)
    lines = commands(run("check", "many.jsonl", "bad.jsonl", "--spec", "register", "--github").out)
    assert [("file=many" in line, "file=bad" in line) for line in lines] == [
        (True, False),
        (False, True),
        *[(True, False)] * 9,
    ]
    assert "25 keys are in violation; 15 more keys in this file are not annotated." in lines[0]
    assert len(set(lines)) == 11


def test_with_json_annotations_go_to_stderr(run: Command, write: Writer) -> None:
    write("bad.jsonl", BAD)
    done = run("check", "bad.jsonl", "--spec", "register", "--github", "--summary", "--json")
    assert done.json["verdict"] == "violation"
    summary, annotation = done.err.splitlines()
    assert summary.startswith("VIOLATION bad.jsonl: 3 operations, ")
    assert annotation.startswith("::error ")


def test_paths_are_relative_to_the_repository(run: Command, write: Writer, tmp_path: Path) -> None:
    (tmp_path / "runs").mkdir()
    write("runs/bad.jsonl", BAD)
    workspace = {"GITHUB_WORKSPACE": str(tmp_path.parent)}
    (line,) = commands(run("check", "runs/bad.jsonl", "--spec", "register", "--github", env=workspace).out)
    assert line.startswith(f"::error file={tmp_path.name}/runs/bad.jsonl,line=")
    elsewhere = {"GITHUB_WORKSPACE": str(tmp_path / "other")}
    (line,) = commands(run("check", "runs/bad.jsonl", "--spec", "register", "--github", env=elsewhere).out)
    assert line.startswith("::error file=runs/bad.jsonl,line=")


def test_standard_input_has_no_file(run: Command, write: Writer) -> None:
    content = write("bad.jsonl", BAD).read_bytes()
    (line,) = commands(run("check", "-", "--spec", "register", "--github", stdin=content).out)
    assert line.startswith("::error title=linpoint%3A violation of register::")


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_cannot_forge_annotations(text: str) -> None:
    report = FileReport(text, linpoint.check(linpoint.history(stale(text)), "register").explain(), ("replay", text))
    (line,) = render_annotations(suites_of([report], "register"))
    line.encode()
    assert line.isprintable()
    command, place, message = line.split("::")[0:3]
    assert command == ""
    assert place.startswith("error file=")
    assert (place.count(","), place.count(":")) == (2, 0)  # between file, line and title only
    assert "%" not in message.replace("%25", "").replace("%0A", "")


def test_long_messages_are_shortened_but_tokens_are_not() -> None:
    explanation = linpoint.check(linpoint.history(stale("k" * 50_000)), "register").explain()
    (line,) = render_annotations(suites_of([FileReport("f", explanation, ("replay", "t" * 5_000))], "register"))
    assert len(line) < 4_300
    assert "ttt" not in line
    (line,) = render_annotations(suites_of([FileReport("f", explanation, ("replay", "t" * 500))], "register"))
    assert line.endswith("linpoint replay " + "t" * 500)


# One line per file


def test_a_summary_has_one_line_per_file(run: Command, write: Writer) -> None:
    write("good.jsonl", GOOD)
    write("many.jsonl", [line for key in range(3) for line in stale(key, 10 * key)])
    write("hard.jsonl", hard())
    done = run(
        "check", "good.jsonl", "many.jsonl", "missing.jsonl", "--spec", "register", "--summary", "--report", "r.html"
    )
    good, many, missing = done.out.splitlines()
    assert done.code == 2
    assert good.startswith("LINEARIZABLE good.jsonl: 3 operations, 0.0")
    assert good.endswith(" s")
    assert many.startswith("VIOLATION many.jsonl: 3 of 3 keys, 6 operations, 0.0")
    assert " s: on key 0, read() by process" in many
    assert missing == "ERROR missing.jsonl: LP-H001"
    assert done.err == "error: LP-H001 missing.jsonl: there is no such file in the current directory. Check the path.\n"
    done = run("check", "hard.jsonl", "--spec", "queue", "--checker", "dfs", "--budget", "300ms", "--summary")
    assert done.code == 3
    assert done.out.startswith("UNKNOWN hard.jsonl: 60 operations, ")
    assert "s: the time budget ran out" in done.out
    assert done.out.count("\n") == 1


def test_a_summary_is_one_line_for_any_file_name(run: Command, write: Writer) -> None:
    write("a\nb\x1b.jsonl", GOOD)
    out = run("check", "a\nb\x1b.jsonl", "--spec", "register", "--summary").out
    assert out.startswith("LINEARIZABLE a\\x0ab\\x1b.jsonl: 3 operations")
    assert out.count("\n") == 1
