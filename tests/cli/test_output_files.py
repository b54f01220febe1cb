# SPDX-License-Identifier: Apache-2.0
"""Output files: rejected before any input is read, written completely or not at all, and never at the cost of
the verdict.
"""

from __future__ import annotations

import html
import json
import os
import re
import signal
import stat
import subprocess
import sys
import time
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path

import pytest

import linpoint
from linpoint.cli.check_request import CheckRequest, load_spec
from linpoint.cli.output.check_report import CheckReport
from linpoint.cli.output.file_reports import FileReport
from linpoint.cli.output.output_files import FileContentToWrite, time_to_write, write_file
from linpoint.cli.output.output_formats import OutputFormats, write_report
from linpoint.errors import UsageError
from linpoint.histories.formats.file_content import write_content
from linpoint.options.commands.check import CheckOptions
from linpoint.verdicts import Budget
from tests.cli.conftest import BAD, GOOD, Command, Writer, hard
from tests.cli.test_limits import Terminal
from tests.explain.html.balance import data_of

ATTEMPTS = 20
"""The second for writing files is measured by the clock, and a busy machine may use it for other work."""

Starter = Callable[..., subprocess.Popen[bytes]]


def test_all_outputs_are_written_together(run: Command, write: Writer, tmp_path: Path) -> None:
    write("bad.jsonl", BAD)
    arguments = ["--report", "out.html", "--junit", "out.xml", "--graph", "out.svg", "--github", "--json"]
    done = run("check", "bad.jsonl", "--spec", "register", *arguments)
    assert done.code == 1
    assert done.json["report"] == {"file": "out.html", "written": True}
    assert done.json["junit"] == {"file": "out.xml", "written": True, "tests": 1, "failures": 1, "errors": 0}
    assert done.json["graph"]["written"] is True
    assert done.err.startswith("::error ")
    assert {each.name for each in tmp_path.iterdir()} == {"bad.jsonl", "out.html", "out.xml", "out.svg"}
    page = (tmp_path / "out.html").read_text(encoding="utf-8")
    assert page.lower().startswith("<!doctype html>")
    assert "read() by process A returned 1" in page
    ET.fromstring((tmp_path / "out.xml").read_bytes())


def test_the_report_of_several_files_is_an_overview_linked_to_pages(
    run: Command, write: Writer, tmp_path: Path
) -> None:
    write("good.jsonl", GOOD)
    write("bad.jsonl", BAD)
    files = ["good.jsonl", "bad.jsonl", "missing.jsonl"]
    done = run("check", *files, "--spec", "register", "--report", "out.html")
    assert done.code == 2
    assert done.out.splitlines()[-1] == "Report: out.html (and 1 page in the same directory)"
    assert {each.name for each in tmp_path.glob("*.html")} == {"out.html", "out-2.html"}
    overview = (tmp_path / "out.html").read_text(encoding="utf-8")
    assert "1 of 3 results is a violation and 1 is an error." in overview
    assert '<a href="./out-2.html">bad.jsonl</a>' in overview
    document = run("check", *files, "--spec", "register", "--report", "out.html", "--junit", "o.xml", "--json").json
    assert [file.get("report") for file in document["files"]] == [None, {"file": "out-2.html", "written": True}, None]
    assert document["report"] == {"file": "out.html", "written": True}
    assert document["junit"]["tests"] == 3


def test_an_unreadable_file_has_a_report(run: Command, tmp_path: Path) -> None:
    """Otherwise the page of the previous run would seem to be the answer."""
    (tmp_path / "out.html").write_text("all is well")
    done = run("check", "missing.jsonl", "--spec", "register", "--report", "out.html", "--junit", "o.xml", "--json")
    assert done.code == 2
    assert done.json["error"]["code"] == "LP-H001"
    assert done.json["report"]["written"] is True
    assert "LP-H001" in (tmp_path / "out.html").read_text(encoding="utf-8")


def test_hostile_values_are_written(run: Command, write: Writer, tmp_path: Path) -> None:
    nasty = "<script>alert(1)</script>\x00"
    written = {"process": 0, "op": "write", "args": [nasty], "result": None, "call": 1, "return": 2}
    write("nasty.jsonl", [written, {"process": 0, "op": "read", "args": [], "result": "]]>", "call": 3, "return": 4}])
    done = run("check", "nasty.jsonl", "--spec", "register", "--report", "out.html", "--junit", "out.xml", "--github")
    assert done.code == 1
    assert "<script>alert" not in (tmp_path / "out.html").read_text(encoding="utf-8")
    ET.fromstring((tmp_path / "out.xml").read_bytes())


def test_following_writes_all_outputs(run: Command, write: Writer, tmp_path: Path) -> None:
    events = [
        '{"process": 0, "type": "invoke", "f": "read", "value": null}',
        '{"process": 0, "type": "ok", "f": "read", "value": 5}',
    ]
    write("log.json", "\n".join(events) + "\n")
    arguments = ["--spec", "register", "--follow", "--until-idle", "200ms", "--report", "o.html", "--junit", "o.xml"]
    done = run("check", "log.json", *arguments, "--github", "--json")
    assert done.code == 1
    assert done.json["followed"]["ended"] == "a violation"
    assert (done.json["report"]["written"], done.json["junit"]["failures"]) == (True, 1)
    assert done.err.startswith("::error file=log.json,line=")


@pytest.mark.parametrize(
    ("arguments", "place", "words"),
    [
        (["--report", "folder.html"], "folder.html", "it is a directory"),
        (["--report", "page.pdf"], "page.pdf", 'unknown extension ".pdf"'),
        (["--report", "-"], "-", "the file name has no extension"),
        (["--junit", "-"], "-", "standard output already carries the result"),
        (["--junit", "bad.jsonl"], "bad.jsonl", "it is the history itself"),
        (["--junit", "link.xml"], "link.xml", "it is the history itself"),
        (["--junit", "missing/out.xml"], "missing/out.xml", "its directory does not exist"),
        (["--junit", "x" * 300], "x" * 300, "cannot be written"),
        (["--junit", "out.html", "--report", "./out.html"], "./out.html", "another output has the same path"),
        (["good.jsonl", "--junit", "out-2.html", "--report", "out.html"], "out-2.html", "another output"),
        (["good.jsonl", "--report", "pages.html"], "pages-1.html", "it is a directory"),
        (["--report", "pipe.html"], "pipe.html", "it is neither a file nor a device"),
        (["--junit", "pipe.html"], "pipe.html", "it is neither a file nor a device"),
    ],
)
def test_unwritable_outputs_are_rejected_before_the_check(
    run: Command, write: Writer, tmp_path: Path, arguments: list[str], place: str, words: str
) -> None:
    write("bad.jsonl", BAD)
    write("good.jsonl", GOOD)
    (tmp_path / "folder.html").mkdir()
    (tmp_path / "pages-1.html").mkdir()
    (tmp_path / "link.xml").symlink_to("bad.jsonl")
    os.mkfifo(tmp_path / "pipe.html")  # without a reader, writing to it never ends
    before = {each.name for each in tmp_path.iterdir()}
    error = run("check", "bad.jsonl", *arguments, "--spec", "register", "--json").error
    assert error["code"] == "LP-U005"
    assert words in error["message"]
    assert error["place"] == place
    assert {each.name for each in tmp_path.iterdir()} == before


@pytest.mark.parametrize("option", ["--report", "--junit"])
def test_the_verdict_is_reported_even_if_its_files_cannot_be_written(run: Command, write: Writer, option: str) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("no device that is full")
    path = write("good.jsonl", GOOD)
    (path.parent / "out.html").symlink_to("/dev/full")
    for form in ([], ["--summary"]):
        done = run("check", "good.jsonl", "--spec", "register", option, "out.html", *form)
        assert done.code == 2
        assert done.out.startswith("LINEARIZABLE")
        assert done.err.startswith("error: LP-U005 out.html: the file cannot be written: ")
    document = run("check", "good.jsonl", "--spec", "register", option, "out.html", "--json").json
    assert document["verdict"] == "linearizable"
    assert document[option.strip("-")]["error"]["code"] == "LP-U005"


def test_the_budget_leaves_time_for_the_files(run: Command, write: Writer, tmp_path: Path) -> None:
    for name in "ab":
        write(f"{name}.jsonl", hard())
    arguments = ["--spec", "queue", "--checker", "dfs", "--budget", "400ms", "--report", "o.html", "--junit", "o.xml"]
    for _ in range(ATTEMPTS):
        done = run("check", "a.jsonl", "b.jsonl", *arguments, "--json")
        assert done.code == 3
        if done.json["report"]["written"] and done.json["junit"]["written"]:
            break
    assert (done.json["report"]["written"], done.json["junit"]["written"]) == (True, True)
    assert "2 are unknown" in (tmp_path / "o.html").read_text(encoding="utf-8")


def test_ctrl_c_leaves_time_for_the_files(start: Starter, write: Writer, tmp_path: Path) -> None:
    for name in "ab":
        write(f"{name}.jsonl", hard())
    arguments = ["--spec", "queue", "--checker", "dfs", "--report", "o.html", "--junit", "o.xml", "--json"]
    for _ in range(ATTEMPTS):
        terminal = Terminal()
        process = start("check", "a.jsonl", "b.jsonl", *arguments, stderr=terminal.end)
        terminal.wait_for("checking")
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=120)
        terminal.close()
        document = json.loads(out)
        assert process.returncode == 3
        pages = (tmp_path / "o-1.html").exists()
        if document["report"]["written"] and document["junit"]["written"] and pages:
            break
    assert (document["report"]["written"], document["junit"]["written"], pages) == (True, True, True)
    errors = ET.fromstring((tmp_path / "o.xml").read_bytes()).iter("error")
    assert ["the run was interrupted" in error.attrib["message"] for error in errors] == [True, True]


def test_small_files_are_written_before_a_slow_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    finished: list[str] = []

    def slow(*_: object, **__: object) -> None:
        time.sleep(60)
        finished.append("page")

    monkeypatch.setattr("linpoint.explain.history.history_page.history_page", slow)
    spec = load_spec("register")
    explanation = linpoint.check(linpoint.history(BAD), spec).explain()
    reports = [FileReport(f"{number}.jsonl", explanation) for number in range(6)]
    request = CheckRequest(CheckOptions(spec="register"), spec, Budget())
    for _ in range(ATTEMPTS):
        report = CheckReport(reports, request.spec, request.options)
        formats = OutputFormats(report="o.html", junit="o.xml", json=True)
        assert write_report(report, formats, Budget(), interrupted=True) == 1
        assert not finished  # the deadline interrupts each page
        document = json.loads(capsys.readouterr().out)
        if document["report"]["written"] and document["junit"]["written"]:
            break
    assert (document["report"]["written"], document["junit"]["written"]) == (True, True)
    assert [file["report"] for file in document["files"]] == [
        {"file": f"o-{number}.html", "written": False} for number in range(1, 7)
    ]
    assert {each.name for each in tmp_path.iterdir()} == {"o.html", "o.xml"}
    assert "6 of 6 results are violations" in (tmp_path / "o.html").read_text(encoding="utf-8")


def test_all_files_share_one_deadline(tmp_path: Path) -> None:
    budget = time_to_write(Budget(), interrupted=True)
    left: list[float] = []
    finished: list[int] = []

    def slow() -> None:
        left.append(budget.remaining() or 0)
        time.sleep(60)
        finished.append(len(left))

    for number in range(3):
        written = write_file("Report", str(tmp_path / f"{number}.html"), slow, budget)  # type: ignore[arg-type]
        assert (written.made, written.error) == (None, None)
    assert not finished
    assert max(left[1:], default=0) <= 0 < left[0]  # the first has used up the time of all


# Commands in the output


@pytest.mark.parametrize(
    "name", ["register", "-dash.jsonl", "two words.jsonl", "line\nend.jsonl", "bad\udcff.jsonl", "-"]
)
def test_the_commands_on_a_page_work_for_any_file_name(run: Command, write: Writer, tmp_path: Path, name: str) -> None:
    content = write("source.jsonl", BAD).read_bytes()
    if name != "-":
        (tmp_path / name).write_bytes(content)
    options = ["--spec", "register", "--initial", "0", "--clock-skew", "1us", "--time-unit", "ms"]
    done = run("check", *options, "--report", "o.html", "--", name, stdin=content if name == "-" else None)
    assert done.code == 1
    page = (tmp_path / "o.html").read_text(encoding="utf-8")
    (tmp_path / "minimal.jsonl").write_text(data_of(page)["downloads"][0]["text"])
    commands = [html.unescape(found) for found in re.findall(r"<code id=.copy-(?:minimal|command).>(.*?)</code>", page)]
    assert len(commands) == (1 if name == "-" else 2)
    assert f"linpoint check minimal.jsonl {' '.join(options)}" in commands
    for command in commands:
        words = subprocess.run(["bash", "-c", f"printf '%s\\0' {command}"], capture_output=True, check=True).stdout
        _, *arguments = words.decode(errors="surrogateescape").split("\0")[:-1]
        assert run(*arguments).code == 1


def test_a_file_that_looks_like_an_option_is_shown_as_a_file(run: Command, write: Writer, tmp_path: Path) -> None:
    """The path of its spec is too long for a token, so the replay is from the file."""
    write("-x.jsonl", BAD)
    write("s\udcff.py", "import linpoint.specs\nSpec = linpoint.specs.register()\n")
    done = run("check", "--spec", "s\udcff.py:Spec", "--github", "--junit", "o.xml", "--", "-x.jsonl")
    assert done.code == 1
    again = "linpoint check ./-x.jsonl --spec $'s\\xff.py:Spec'"
    assert f"HTML report: {again} --report report.html" in done.out
    assert done.out.count(f"Replay: {again}") == 2  # once in the text, once in the annotation
    assert f"Replay: {again}" in (tmp_path / "o.xml").read_text()


# Bugs of linpoint


@pytest.mark.parametrize("bug", [KeyError("cell"), RecursionError(), AssertionError("x" * 10_000)])
def test_an_internal_error_costs_one_file_and_is_reported_with_its_place(tmp_path: Path, bug: Exception) -> None:
    def make() -> FileContentToWrite:
        raise bug

    written = write_file("Report", str(tmp_path / "o.html"), make, Budget())
    assert written.error is not None
    assert written.error.code == "LP-U005"
    assert written.error.message.startswith(
        f"its content could not be created: {type(bug).__name__} in test_output_files.py:"
    )
    assert len(written.error.message) < 1_000
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("form", [[], ["--json"], ["--summary"]])
def test_an_internal_error_does_not_cost_the_verdict(write: Writer, tmp_path: Path, form: list[str]) -> None:
    write("bad.jsonl", BAD)
    program = (
        "import linpoint.explain.history.history_page as module; module.history_page = lambda *_, **__: {}['cell'];"
        "from linpoint.cli.main import main; main()"
    )
    arguments = ["check", "bad.jsonl", "--spec", "register", "--report", "o.html", "--junit", "o.xml", *form]
    done = subprocess.run(
        [sys.executable, "-c", program, *arguments], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    if form == ["--json"]:
        document = json.loads(done.stdout)
        assert document["verdict"] == "violation"
        assert document["report"]["error"]["code"] == "LP-U005"
        assert document["junit"]["written"] is True
    else:
        assert done.stdout.startswith("VIOLATION")
        assert done.stderr.startswith("error: LP-U005 o.html: its content could not be created: KeyError in ")


# Writing


def test_a_file_is_complete_or_unchanged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "out.xml"
    target.write_text("before")
    target.chmod(0o640)

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(Path, "replace", fail)
        with pytest.raises(UsageError, match=r"LP-U005.*No space left"):
            write_content(str(target), "after")
    assert target.read_text() == "before"
    write_content(str(target), "after")
    assert target.read_text() == "after"
    assert stat.S_IMODE(target.stat().st_mode) == 0o640
    assert list(tmp_path.iterdir()) == [target]


def test_a_link_stays_a_link_and_a_new_file_has_the_usual_permissions(tmp_path: Path) -> None:
    (tmp_path / "link.xml").symlink_to("real.xml")
    write_content(str(tmp_path / "link.xml"), "content")
    assert (tmp_path / "link.xml").is_symlink()
    assert (tmp_path / "real.xml").read_text() == "content"
    (tmp_path / "plain").write_text("")
    assert (tmp_path / "real.xml").stat().st_mode == (tmp_path / "plain").stat().st_mode
