# SPDX-License-Identifier: Apache-2.0
"""``linpoint report``: one page for the results of many runs, with the exit code of the worst."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.cli.conftest import BAD, GOOD, Command, Writer, hard


def check(run: Command, tmp_path: Path, name: str, *arguments: str) -> str:
    """Check a history and save the document."""
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


def test_links_on_the_page_lead_to_existing_files(run: Command, write: Writer, tmp_path: Path) -> None:
    write("bad.jsonl", BAD)
    bad = check(run, tmp_path, "bad", "bad.jsonl", "--spec", "register", "--report", "a b.html")
    (tmp_path / "site").mkdir()
    run("report", bad, "--output", "site/index.html")
    assert '<a href="./../a%20b.html">' in (tmp_path / "site" / "index.html").read_text()
    for name in ("bad.json", "a b.html"):  # moved together, like an artifact
        (tmp_path / name).rename(tmp_path / "site" / name)
    run("report", "site/bad.json", "--output", "site/index.html")
    assert '<a href="./a%20b.html">' in (tmp_path / "site" / "index.html").read_text()
    (tmp_path / "site" / "a b.html").unlink()
    run("report", "site/bad.json", "--output", "site/index.html")
    assert "<a " not in (tmp_path / "site" / "index.html").read_text()


def test_the_exit_code_is_the_worst_one(run: Command, write: Writer, tmp_path: Path) -> None:
    for verdict in ("linearizable", "holds", "violation", "unknown"):
        write(f"{verdict}.json", json.dumps({"verdict": verdict}))
    write("error.json", json.dumps({"error": {"code": "LP-H001", "message": "m", "place": None, "remedy": ""}}))
    assert run("report", "linearizable.json", "holds.json").code == 0
    assert run("report", "holds.json", "unknown.json").code == 3
    assert run("report", "holds.json", "unknown.json", "violation.json").code == 1
    assert run("report", "violation.json", "error.json").code == 2


def test_a_file_without_a_result_is_an_error_and_the_others_are_on_the_page(
    run: Command, write: Writer, tmp_path: Path
) -> None:
    write("good.json", '{"verdict": "holds"}')
    write("bad.jsonl", BAD)
    write("half.json", '{"verdict": "hol')
    done = run("report", "good.json", "bad.jsonl", "half.json", "missing.json")
    assert done.code == 2
    first, second, third = done.err.splitlines()
    assert first.startswith("error: LP-R001 bad.jsonl:1: not a result of linpoint: ")
    assert second.startswith("error: LP-R001 half.json: not a result of linpoint: it is not JSON")
    assert third.startswith("error: LP-H001 missing.json: ")
    assert done.out.splitlines()[0] == "No violation in 4 results, but 3 are errors."
    assert "LP-R001" in (tmp_path / "linpoint-report.html").read_text()


@pytest.mark.parametrize("content", ["", " \n\n"])
def test_an_empty_file_is_not_a_result(run: Command, write: Writer, content: str) -> None:
    write("empty.json", content)
    done = run("report", "empty.json")
    assert done.code == 2
    assert done.err == (
        "error: LP-R001 empty.json: not a result of linpoint: it is empty. Pass the output of a command with --json.\n"
    )
    assert "LP-R001 standard input: " in run("report", "-", stdin=content).err


def test_the_verdict_of_a_document_counts_if_it_is_worse_than_those_of_its_files(
    run: Command, write: Writer, tmp_path: Path
) -> None:
    error = {"error": {"code": "LP-H001", "message": "m", "place": None, "remedy": ""}}
    good = {"file": "a.jsonl", "verdict": "linearizable"}
    for number, (whole, parts, code, said) in enumerate(
        [
            ({"verdict": "violation"}, [good, good], 1, "1 of 3 results is a violation."),
            ({"verdict": "unknown", "why": "w"}, [good], 3, "No violation in 2 results, but 1 is unknown."),
            (error, [good], 2, "No violation in 2 results, but 1 is an error."),
            (
                {"verdict": "unknown"},
                [good, {"file": "b", **error}],
                2,
                "No violation in 2 results, but 1 is an error.",
            ),
            ({"verdict": "violation"}, [good, {"verdict": "violation"}], 1, "1 of 2 results is a violation."),
            ({"verdict": "linearizable"}, [good, {"verdict": "unknown"}], 3, "No violation in 2 results, but 1 is"),
        ]
    ):
        write(f"{number}.json", json.dumps({**whole, "files": parts}))
        done = run("report", f"{number}.json")
        assert (done.code, done.out[: len(said)]) == (code, said)
    write("whole.json", json.dumps({"verdict": "violation", "files": [good]}))
    run("report", "whole.json")
    page = (tmp_path / "linpoint-report.html").read_text()
    assert '<th scope="row">whole.json</th>' in page
    assert "this applies to the whole result, not to one part" in page


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity"])
def test_numbers_that_only_python_accepts_are_rejected(run: Command, write: Writer, number: str) -> None:
    document = f'{{"verdict": "holds", "statistics": {{"seconds": {number}}}}}'
    write("one.json", document)
    write("lines.json", f'{{"verdict": "holds"}}\n{document}\n')
    for file, place in (("one.json", "one.json"), ("lines.json", "lines.json:2")):
        done = run("report", file)
        assert done.code == 2
        assert done.err.startswith(f"error: LP-R001 {place}: not a result of linpoint: it is not JSON: {number}")


@pytest.mark.parametrize("number", ["1e999", "-1e999", "1" + 400 * "0", "1" + 5_000 * "0"])
def test_unrepresentable_numbers_are_not_on_the_page(run: Command, write: Writer, tmp_path: Path, number: str) -> None:
    write("one.json", f'{{"verdict": "holds", "statistics": {{"operations": 5, "seconds": {number}}}}}')
    done = run("report", "one.json")
    page = (tmp_path / "linpoint-report.html").read_text()
    assert not re.search(r"\b(inf|nan)\b", page.partition("<main>")[2].partition("<script>")[0])
    assert done.code == (0 if "LP-R001" not in done.err else 2)


def test_documents_are_read_from_standard_input(run: Command) -> None:
    done = run("report", "-", stdin='{"verdict": "holds"}\n{"verdict": "unknown", "why": "w"}\n')
    assert done.code == 3
    assert done.out.startswith("No violation in 2 results, but 1 is unknown.\n")


@pytest.mark.parametrize(
    ("output", "words"),
    [
        ("good.html", "it is one of the results"),
        ("folder.html", "it is a directory"),
        ("missing/x.html", "its directory does not exist"),
        ("x.txt", 'unknown extension ".txt"'),
    ],
)
def test_unwritable_pages_are_rejected(run: Command, write: Writer, tmp_path: Path, output: str, words: str) -> None:
    write("good.html", '{"verdict": "holds"}')
    (tmp_path / "folder.html").mkdir()
    done = run("report", "good.html", "--output", output)
    assert done.code == 2
    assert done.err.startswith(f"error: LP-U005 {output}: ")
    assert words in done.err
    assert (tmp_path / "good.html").read_text() == '{"verdict": "holds"}'


def test_every_document_of_linpoint_is_read(run: Command, write: Writer, tmp_path: Path) -> None:
    write("hard.jsonl", hard())
    check(run, tmp_path, "unknown", "hard.jsonl", "--spec", "queue", "--checker", "dfs", "--budget", "300ms")
    check(run, tmp_path, "usage", "hard.jsonl", "--spec", "nothing")
    write("fork.jsonl", 'A: |--mwswap([["A", 2]])->[0]--|\nB: |--mwswap([["A", 3]])->[0]--|')
    check(run, tmp_path, "graph", "fork.jsonl", "--spec", "mwcas", "--graph", "out.svg")
    assert run("report", "unknown.json", "usage.json", "graph.json").code == 2
    page = (tmp_path / "linpoint-report.html").read_text()
    assert "1 of 3 results is a violation, 1 is unknown and 1 is an error." in page
    assert "unknown spec" in page
