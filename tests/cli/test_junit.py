# SPDX-License-Identifier: Apache-2.0
"""``check --junit``: XML for CI systems, in which only verified passes pass."""

from __future__ import annotations

import time
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest

import linpoint
from linpoint.cli.output.check_report import suites_of
from linpoint.cli.output.file_reports import FileReport
from linpoint.cli.output.junit_xml import render_junit
from tests.cli.conftest import GOOD, Command, Writer, hard

DFS = ["--spec", "queue", "--checker", "dfs"]


def read(path: Path) -> ET.Element:
    root = ET.fromstring(path.read_bytes())
    assert root.tag == "testsuites"
    for each in [root, *root]:  # the counts match the content
        cases = list(each.iter("testcase"))
        assert int(each.attrib["tests"]) == len(cases)
        assert int(each.attrib["failures"]) == sum(case.find("failure") is not None for case in cases)
        assert int(each.attrib["errors"]) == sum(case.find("error") is not None for case in cases)
        assert each.attrib["skipped"] == "0"
        assert float(each.attrib["time"]) == pytest.approx(sum(float(case.attrib["time"]) for case in cases), abs=1e-5)
    return root


def line(op: str, call: int, result: Any = None, *, key: Any = None, args: list[Any] | None = None) -> dict[str, Any]:
    made = {"process": 0, "op": op, "args": args or [], "result": result, "call": call, "return": call + 1}
    return made if key is None else made | {"key": key}


def stale(key: Any, call: int = 0) -> list[dict[str, Any]]:
    """A read that misses the write before it."""
    process = {"process": f"of {key!r}"}
    return [line("write", call, key=key, args=[1]) | process, line("read", call + 2, key=key) | process]


def test_files_are_suites_and_keys_are_cases(run: Command, write: Writer, tmp_path: Path) -> None:
    fine = [line("write", 100, key="a", args=[1]), line("read", 102, 1, key="a")]
    write("keys.jsonl", [*fine, *stale("b"), *stale("c", 50)])
    write("good.jsonl", GOOD)
    done = run("check", "keys.jsonl", "good.jsonl", "--spec", "register", "--junit", "out.xml")
    assert done.code == 1
    assert done.out.splitlines()[-1] == "JUnit: out.xml (4 cases, 2 failures, 0 errors)"
    keys, good = read(tmp_path / "out.xml")
    assert (keys.attrib["name"], good.attrib["name"]) == ("keys.jsonl", "good.jsonl")
    assert [case.attrib["name"] for case in keys.iter("testcase")] == ['key "a"', 'key "b"', 'key "c"']
    assert [case.attrib["name"] for case in good.iter("testcase")] == ["history"]
    assert {case.attrib["classname"] for case in keys.iter("testcase")} == {"register: keys.jsonl"}
    passed, explained, other = keys.iter("testcase")
    assert list(passed) == []
    assert (explained.attrib["file"], explained.attrib["line"]) == ("keys.jsonl", "4")
    failure = explained.find("failure")
    assert failure is not None
    assert failure.attrib["type"] == "linearizability"
    assert failure.attrib["message"].startswith('on key "b", read() by process of')
    assert str(failure.text).startswith("VIOLATION: ")
    token = str(explained.findtext("system-out")).removeprefix("Replay: linpoint ").split()
    assert run(*token).code == 1
    assert other.attrib["line"] in ("5", "6")
    assert "of its 2 operations" in str(other.findtext("failure")) or "a value was" in str(other.findtext("failure"))
    properties = {each.attrib["name"]: each.attrib["value"] for each in keys.iter("property")}
    assert properties["checker"] == "monitor"


def test_the_other_keys_of_a_search_have_their_reasons(run: Command, write: Writer, tmp_path: Path) -> None:
    write("keys.jsonl", [*stale("a"), *stale("b", 50)])
    run("check", "keys.jsonl", "--spec", "register", "--checker", "dfs", "--junit", "out.xml")
    other = list(read(tmp_path / "out.xml").iter("failure"))[1]
    assert other.attrib["message"] == "no order of its 2 operations satisfies the spec register."
    assert "read()" in str(other.text)
    assert "line 4" in str(other.text)


def test_unknown_and_bad_input_are_errors(run: Command, write: Writer, tmp_path: Path) -> None:
    write("hard.jsonl", hard())
    write("broken.jsonl", '{"process": 0\n')
    done = run("check", "broken.jsonl", "missing.jsonl", "hard.jsonl", *DFS, "--budget", "0.4", "--junit", "out.xml")
    assert done.code == 2
    broken, missing, unknown = read(tmp_path / "out.xml").iter("error")
    assert unknown.attrib["type"] == "unknown"
    assert unknown.attrib["message"].startswith("the time budget ran out")
    assert str(unknown.text).startswith("UNKNOWN: the time budget ran out")
    assert broken.attrib["type"] == "LP-H015"
    assert "broken.jsonl" in str(broken.text)
    assert missing.attrib["type"] == "LP-H001"


def test_an_empty_history_has_one_case(run: Command, write: Writer, tmp_path: Path) -> None:
    write("crash.jsonl", '{"crash": true, "time": 4}\n')
    run("check", "crash.jsonl", "--spec", "register", "--junit", "out.xml")
    root = read(tmp_path / "out.xml")
    assert root.attrib["tests"] == "1"
    assert "Warning" in str(root[0].findtext("system-out"))


HOSTILE = ["<b>&amp;\"'", "]]>", "\x00\x1b[31m", "\ud800", "\udcff", "\ufffe\uffff", "a\nb\r\tc", "\u202eabc", "%0A::"]


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_leaves_the_xml_well_formed(text: str, tmp_path: Path) -> None:
    history = linpoint.history([*stale(text), line("write", 200, key="fine", args=[text])])
    verdict = linpoint.check(history, "register")
    made = render_junit(
        suites_of([FileReport(text, verdict.explain(), ("replay", text))], "register"), "linpoint check"
    )
    (tmp_path / "out.xml").write_text(str(made.content), encoding="utf-8", newline="")
    root = read(tmp_path / "out.xml")
    assert root.attrib["failures"] == "1"
    if text.isprintable():
        assert root[0].attrib["name"] == text


def test_huge_values_are_shortened() -> None:
    verdict = linpoint.check(linpoint.history(stale("k" * 1_000_000)), "register")
    assert (
        len(render_junit(suites_of([FileReport("f", verdict.explain())], "register"), "linpoint check").content)
        < 500_000
    )


def test_many_keys_take_linear_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """A tenth of the keys must not take less than a fortieth of the time."""
    monkeypatch.setattr("linpoint.checkers.check._OTHER_KEYS_GRACE_S", 600.0)  # for busy machines: all keys are decided

    def seconds(count: int) -> float:
        lines = [each for key in range(count) for each in stale(key, 10 * key)]
        report = FileReport("f", linpoint.check(linpoint.history(lines), "register", jobs=1).explain())
        times = []
        for _ in range(3):
            started = time.process_time()
            made = render_junit(suites_of([report], "register"), "linpoint check")
            times.append(time.process_time() - started)
        assert made.facts == {"tests": count, "failures": count, "errors": 0}
        return min(times)

    assert seconds(10_000) < 40 * seconds(1_000)
