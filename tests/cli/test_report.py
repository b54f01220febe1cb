# SPDX-License-Identifier: Apache-2.0
"""``linpoint report``: one page over the results of many runs, with the exit code of the worst."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import BAD, GOOD, Command, Writer, hard


def check(run: Command, tmp_path: Path, name: str, *arguments: str) -> str:
    """Check and save the document."""
    (tmp_path / f"{name}.json").write_text(run("check", *arguments, "--json").out)
    return f"{name}.json"


def test_results_of_many_runs_are_on_one_page(run: Command, write: Writer, tmp_path: Path) -> None:
    write("good.jsonl", GOOD)
    write("bad.jsonl", BAD)
    good = check(run, tmp_path, "good", "good.jsonl", "--spec", "register")
    bad = check(run, tmp_path, "bad", "bad.jsonl", "--spec", "register", "--report", "bad.html")
    both = check(run, tmp_path, "both", "good.jsonl", "bad.jsonl", "--spec", "register", "--report", "both.html")
    done = run("report", good, bad, both)
    assert done.code == 1
    assert done.out == "2 of 4 results are violations.\nReport: linpoint-report.html\n"
    page = (tmp_path / "linpoint-report.html").read_text(encoding="utf-8")
    assert '<a href="./bad.html">bad.json</a>' in page
    assert '<a href="./both-2.html">bad.jsonl</a>' in page
    assert "read() by process A returned 1" in page
    assert "linpoint replay lp1-" in page
    assert run("report", good, "-o", "fine.html").code == 0


def test_links_lead_from_the_page_to_what_is_there(run: Command, write: Writer, tmp_path: Path) -> None:
    write("bad.jsonl", BAD)
    bad = check(run, tmp_path, "bad", "bad.jsonl", "--spec", "register", "--report", "a b.html")
    (tmp_path / "site").mkdir()
    run("report", bad, "--output", "site/index.html")
    assert '<a href="./../a%20b.html">' in (tmp_path / "site" / "index.html").read_text()
    for name in ("bad.json", "a b.html"):  # carried elsewhere together, as an artifact is
        (tmp_path / name).rename(tmp_path / "site" / name)
    run("report", "site/bad.json", "--output", "site/index.html")
    assert '<a href="./a%20b.html">' in (tmp_path / "site" / "index.html").read_text()
    (tmp_path / "site" / "a b.html").unlink()
    run("report", "site/bad.json", "--output", "site/index.html")
    assert "<a " not in (tmp_path / "site" / "index.html").read_text()


def test_the_exit_code_is_that_of_the_worst(run: Command, write: Writer, tmp_path: Path) -> None:
    for verdict in ("linearizable", "holds", "violation", "unknown"):
        write(f"{verdict}.json", json.dumps({"verdict": verdict}))
    write("error.json", json.dumps({"error": {"code": "LP-H001", "message": "m", "place": None, "remedy": ""}}))
    assert run("report", "linearizable.json", "holds.json").code == 0
    assert run("report", "holds.json", "unknown.json").code == 3
    assert run("report", "holds.json", "unknown.json", "violation.json").code == 1
    assert run("report", "violation.json", "error.json").code == 2


def test_a_file_that_is_no_result_is_an_error_and_the_others_are_on_the_page(
    run: Command, write: Writer, tmp_path: Path
) -> None:
    write("good.json", '{"verdict": "holds"}')
    write("bad.jsonl", BAD)
    write("half.json", '{"verdict": "hol')
    done = run("report", "good.json", "bad.jsonl", "half.json", "missing.json")
    assert done.code == 2
    first, second, third = done.err.splitlines()
    assert first.startswith("error: LP-R001 bad.jsonl:1: this is not a result of linpoint: ")
    assert second.startswith("error: LP-R001 half.json: this is not a result of linpoint: it is not JSON")
    assert third.startswith("error: LP-H001 missing.json: ")
    assert done.out.splitlines()[0] == "No violation in 4 results, but 3 are errors."
    assert "LP-R001" in (tmp_path / "linpoint-report.html").read_text()


def test_standard_input_has_documents_too(run: Command) -> None:
    done = run("report", "-", stdin='{"verdict": "holds"}\n{"verdict": "unknown", "why": "w"}\n')
    assert done.code == 3
    assert done.out.startswith("No violation in 2 results, but 1 is unknown.\n")


@pytest.mark.parametrize(
    ("output", "words"),
    [
        ("good.html", "it is one of the results"),
        ("folder.html", "it is a folder"),
        ("missing/x.html", "its folder is not there"),
        ("x.txt", 'the ending ".txt" says no page'),
    ],
)
def test_what_cannot_be_written(run: Command, write: Writer, tmp_path: Path, output: str, words: str) -> None:
    write("good.html", '{"verdict": "holds"}')
    (tmp_path / "folder.html").mkdir()
    done = run("report", "good.html", "--output", output)
    assert done.code == 2
    assert done.err.startswith(f"error: LP-U005 {output}: ")
    assert words in done.err
    assert (tmp_path / "good.html").read_text() == '{"verdict": "holds"}'


def test_every_document_of_ours_is_read(run: Command, write: Writer, tmp_path: Path) -> None:
    write("hard.jsonl", hard())
    check(run, tmp_path, "unknown", "hard.jsonl", "--spec", "queue", "--checker", "dfs", "--budget", "300ms")
    check(run, tmp_path, "usage", "hard.jsonl", "--spec", "nothing")
    write("fork.jsonl", 'A: |--mwswap([["A", 2]])->[0]--|\nB: |--mwswap([["A", 3]])->[0]--|')
    check(run, tmp_path, "graph", "fork.jsonl", "--spec", "mwcas", "--graph", "out.svg")
    assert run("report", "unknown.json", "usage.json", "graph.json").code == 2
    page = (tmp_path / "linpoint-report.html").read_text()
    assert "1 of 3 results is a violation, 1 is unknown and 1 is an error." in page
    assert "there is no spec" in page
