# SPDX-License-Identifier: Apache-2.0
"""``test`` in all its output formats: text, summary, JSON, pages, JUnit XML, annotations; and ``report`` on its
documents.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from linpoint.campaign.worker_client import NOT_BEGUN, WorkerOutcome
from linpoint.campaign.worker_protocol import RenderedResult, TestRequest, WorkerProgress
from linpoint.cli.output.github_annotations import render_annotations
from linpoint.cli.output.junit_xml import render_junit
from linpoint.cli.output.target_report import ReportEntry, ReportList, told_of
from tests.cli.conftest import Command
from tests.cli.test_github_annotations import commands
from tests.cli.test_junit import HOSTILE, read
from tests.cli.test_terminal import ESCAPE, on_terminal

__all__ = ["on_terminal"]  # the fixture

COUNTERS = """
import os
import threading

import linpoint


class Broken(linpoint.ConcurrentTest):
    operations = 1

    def setup(self):
        return [0]

    @linpoint.operation
    def increment(self, cell):
        value = cell[0]
        cell[0] = value + 1
        return value + 1


class Fine(Broken):
    def setup(self):
        return [0, threading.Lock()]

    @linpoint.operation
    def increment(self, cell):
        with cell[1]:
            cell[0] += 1
            return cell[0]


class Dying(linpoint.ConcurrentTest):
    operations = 1

    def setup(self):
        return None

    @linpoint.operation(code=[0, 7])
    def leave(self, subject, code):
        return os._exit(code) if code else code
"""
WRITES = 17
"""The line of the lost update."""


@pytest.fixture(autouse=True)
def counters(tmp_path: Path) -> Path:
    path = tmp_path / "counters.py"
    path.write_text(COUNTERS, encoding="utf-8")
    return path


def test_all_formats_of_one_run_agree(run: Command, tmp_path: Path) -> None:
    forms = ["--report", "out.html", "--junit", "out.xml", "--github", "--summary"]
    done = run("test", "counters.py", "missing.py:Test", *forms, "--json")
    assert done.code == 2
    document = done.json
    assert document["verdict"] == "violation"
    broken, dying, fine, missing = sorted(document["tests"], key=lambda each: each["test"])[:4]
    assert [each["test"] for each in document["tests"]] == ["Broken", "Fine", "Dying", "Test"]
    assert broken["findings"][0]["kind"] == "linearizability"
    assert broken["findings"][0]["place"] == f"counters.py:{WRITES}"
    assert dying["findings"][0]["kind"] == "crash"
    assert fine["verdict"] == "linearizable"
    assert fine["exhaustive"] is True
    assert missing["error"]["code"] == "LP-T015"

    # pages: an overview, and a page for each failure
    assert broken["report"] == {"file": "out-1.html", "written": True}
    assert dying["report"] == {"file": "out-3.html", "written": True}
    assert "report" not in fine
    assert {path.name for path in tmp_path.glob("*.html")} == {"out.html", "out-1.html", "out-3.html"}
    overview = (tmp_path / "out.html").read_text(encoding="utf-8")
    assert re.findall(r'<a href="([^"]*)">', overview) == ["./out-1.html", "./out-3.html"]
    assert "Schedules" in overview
    assert '<th scope="col" class="number">Keys' not in overview
    own = (tmp_path / "out-3.html").read_text(encoding="utf-8")
    assert "it exited with code 7" in own
    assert "leave(7)" in own

    # a suite for each file, a case for each test
    counters, other = read(tmp_path / "out.xml")
    assert (counters.attrib["name"], other.attrib["name"]) == ("counters.py", "missing.py")
    cases = {case.attrib["name"]: case for case in counters.iter("testcase")}
    assert list(cases) == ["Broken", "Fine", "Dying"]
    assert list(cases["Fine"]) == []
    assert (cases["Broken"].attrib["file"], cases["Broken"].attrib["line"]) == ("counters.py", str(WRITES))
    failure = cases["Broken"].find("failure")
    assert failure is not None
    assert failure.attrib["type"] == "linearizability"
    assert failure.attrib["message"] == broken["findings"][0]["message"]
    assert "=> " in str(failure.text)
    again = str(cases["Broken"].findtext("system-out")).removeprefix("Replay: linpoint ").split()
    assert again == broken["findings"][0]["replay"]
    assert run(*again).code == 1
    error = other.find("testcase/error")
    assert error is not None
    assert error.attrib["type"] == "LP-T015"

    # annotations for GitHub, and summaries
    first, absent, second = commands(done.err)
    assert first.startswith(f"::error file=counters.py,line={WRITES},title=linpoint%3A linearizability in Broken::")
    assert "%0AReplay: linpoint replay " in first
    assert second.startswith("::error file=counters.py,title=linpoint%3A crash in Dying::")
    assert absent.startswith("::error file=missing.py,title=linpoint%3A LP-T015::")
    lines = [line for line in done.err.splitlines() if re.match(r"[A-Z]+ \w+\.py:", line)]
    assert [line.partition(": ")[0] for line in lines] == [
        "VIOLATION counters.py:Broken",
        "LINEARIZABLE counters.py:Fine",
        "VIOLATION counters.py:Dying",
        "ERROR missing.py:Test",
    ]


def test_the_page_of_a_single_test_has_the_given_path(run: Command, tmp_path: Path) -> None:
    done = run("test", "counters.py:Fine", "--report", "page.html", "--budget", "20s")
    assert done.code == 0
    assert done.out.splitlines()[-1] == "Report: page.html"
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "LINEARIZABLE: Fine - linpoint" in page
    assert "linpoint test counters.py:Fine --budget 20s" in page
    assert str(tmp_path) not in page


def test_the_next_commands_are_printed(run: Command) -> None:
    done = run("test", "counters.py:Broken")
    more, again = done.out.splitlines()[-2:]
    assert more == "HTML report: linpoint test counters.py:Broken --report report.html"
    replayed = run(*again.removeprefix("Replay: linpoint ").split())
    assert replayed.code == 1
    assert "increment returns 1" in replayed.out
    assert "HTML report" not in replayed.out


def test_a_crash_is_replayed_by_its_scenario(run: Command) -> None:
    finding = run("test", "counters.py:Dying", "--json").json["findings"][0]
    assert finding["replay"][:2] == ["test", "counters.py:Dying"]
    again = run(*finding["replay"], "--json")
    assert again.code == 1
    assert again.json["findings"][0]["kind"] == "crash"


def test_report_reads_documents_of_tests(run: Command, tmp_path: Path) -> None:
    one = run("test", "counters.py:Fine", "--json")
    several = run("test", "counters.py:Broken", "counters.py:Fine", "--report", "out.html", "--json")
    (tmp_path / "all.json").write_text(one.out + several.out, encoding="utf-8")
    done = run("report", "all.json", "--output", "index.html")
    assert done.code == 1
    assert done.out.splitlines()[0] == "1 of 3 results is a violation."
    page = (tmp_path / "index.html").read_text(encoding="utf-8")
    assert page.count("counters.py:Fine") == 2
    assert '<a href="./out-1.html">counters.py:Broken</a>' in page


def test_the_test_file_is_never_overwritten(run: Command, counters: Path) -> None:
    done = run("test", "counters.py:Fine", "--junit", "counters.py", "--json")
    assert done.error["code"] == "LP-U005"
    assert counters.read_text(encoding="utf-8") == COUNTERS


def test_a_terminal_gets_colours(on_terminal: Callable[..., tuple[int, str]]) -> None:
    code, text = on_terminal("test", "counters.py:Broken", "counters.py:Fine")
    assert code == 1
    plain = ESCAPE.sub("", text)
    assert re.search(r"counters\.py:Broken .* violation ", plain)
    assert "testing Broken: " in plain
    assert re.search(r"\x1b\[1;31mVIOLATION:", "".join(text.split("\n\n")[1:]).replace("\n", ""))
    assert re.search(r"\x1b\[1;33m +--- switch to ", text)
    assert re.search(r"\x1b\[1;31m=> ", text)
    assert re.search(r"\x1b\[36mthread 1 *\x1b\[0m  \x1b\[35mthread 2", text)


def test_a_test_that_was_not_started_is_unknown() -> None:
    told = told_of(TestRequest(file="f.py", test="T"), NOT_BEGUN)
    assert told.answer.status == "unknown"
    assert told.code == 3
    case = ReportList([told]).suites()[0].cases[0]
    assert (case.wrong, case.kind, case.message) == ("error", "unknown", "the run was interrupted")
    assert render_annotations(ReportList([told]).suites()) == [
        "::warning file=f.py,title=linpoint%3A T is not decided::the run was interrupted"
    ]


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_leaves_all_formats_well_formed(text: str, tmp_path: Path) -> None:
    put = {"op": "put", "args": [text.encode(errors="replace").decode()]}
    reached = WorkerProgress(scenario={"threads": [[put]]}, scenarios=1, schedules=2, seconds=0.5)
    request = TestRequest(file=f"{text}.py", test=text, page=True, command=["test", f"{text}.py:{text}"])
    died = told_of(request, WorkerOutcome(None, f"it said {text}", reached))
    error = {"code": "LP-T015", "message": text, "place": None, "remedy": text}
    everything = ReportList([died, ReportEntry(text, text, RenderedResult(error=error))])
    (tmp_path / "out.xml").write_text(
        str(render_junit(everything.suites(), everything.command).content), encoding="utf-8", newline=""
    )
    root = read(tmp_path / "out.xml")
    assert (root.attrib["failures"], root.attrib["errors"]) == ("1", "1")
    assert all("\n" not in line and line.startswith("::error ") for line in render_annotations(everything.suites()))
    assert all("\n" not in line for line in everything.summaries())
    died.answer.page.encode()
    assert "<b>" not in died.answer.page.replace(json.dumps("<b>"), "")
