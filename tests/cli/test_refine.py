# SPDX-License-Identifier: Apache-2.0
"""``linpoint refine``: answers, exit codes and output formats, on good and bad files."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import time
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Command, Run, Writer
from tests.explain.checked_models import KINDS, ZOO

Starter = Callable[..., subprocess.Popen[bytes]]
Copy = Callable[[Path], str]

MODEL = """
import linpoint

class Counter(linpoint.Model):
    spec = linpoint.specs.counter
    n = linpoint.atomic(0)

    @linpoint.operation
    def increment(self):
        {increment}

    @linpoint.operation
    def read(self):
        return self.n.load()
"""
RIGHT = MODEL.format(increment="self.n.fetch_add(1)")
WRONG = MODEL.format(increment="self.n.store(self.n.load() + 1)")
PILE = """
import linpoint

class Pile(linpoint.Model):
    spec = linpoint.specs.stack

    class Node:
        below: "Node"

    top = linpoint.atomic(Node)

    @linpoint.operation(v=[1])
    def push(self, v):
        self.top.store(self.Node(below=self.top.load()))
"""
BIG = ["--processes", "4", "--operations", "3"]


@pytest.fixture
def copy(tmp_path: Path) -> Copy:
    """``copy(path)`` copies a file into the directory of the command and returns its name there."""

    def copied(path: Path) -> str:
        shutil.copy(path, tmp_path)
        return path.name

    return copied


def test_a_model_that_holds_exits_with_0_and_states_its_limits(run: Command, write: Writer) -> None:
    write("counter.py", RIGHT)
    done = run("refine", "counter.py")
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith(
        "HOLDS: Counter is linearizable with respect to counter: every run of 2 processes with 2 "
    )
    assert "This is a proof for the model within these bounds." in done.out
    assert "or a program that differs" in " ".join(done.out.split())


def test_a_violation_exits_with_1_and_the_shortest_run(run: Command, write: Writer) -> None:
    write("counter.py", WRONG)
    done = run("refine", "counter.py:Counter")
    assert done.code == 1
    lines = done.out.splitlines()
    assert lines[0].startswith("VIOLATION: Counter: read() of process ")
    assert lines[0].endswith(" returned 1; every valid order requires 2.")
    assert "The run has 5 steps" in done.out
    assert "self.n.store(s…n.load() + 1)" in done.out
    assert "HTML report: linpoint refine counter.py:Counter --report report.html" in done.out
    assert lines[-1].startswith("Replay: linpoint replay lp1-")


def test_the_document_of_a_violation(run: Command, write: Writer) -> None:
    write("counter.py", WRONG)
    done = run("refine", "counter.py", "--json")
    assert done.code == 1
    document = done.json
    assert (document["verdict"], document["exhaustive"]) == ("violation", False)
    assert (document["model"], document["file"], document["spec"]) == ("Counter", "counter.py", "counter")
    assert document["bounds"] == {"processes": 2, "operations": 2, "memory_model": "sc"}
    assert {"seconds", "peak_memory_bytes", "states", "transitions", "depth"} <= set(document["statistics"])
    (finding,) = document["findings"]
    assert (finding["kind"], finding["replay"][0]) == ("linearizability", "replay")
    assert finding["place"] == "counter.py:14"
    explanation = finding["explanation"]
    assert (explanation["length"], explanation["preemptions"]) == (5, 1)
    assert explanation["refused"]["allowed"] == [2]


def test_the_document_of_a_pass(run: Command, write: Writer) -> None:
    write("counter.py", RIGHT)
    document = run("refine", "counter.py", "--json", "--processes", "3").json
    assert (document["verdict"], document["exhaustive"], document["findings"]) == ("holds", True, [])
    assert document["bounds"]["processes"] == 3
    assert "remedy" not in document


def test_all_models_of_a_file_are_checked_unless_one_is_named(run: Command, copy: Copy) -> None:
    file = copy(KINDS)
    done = run("refine", file, "--json")
    assert done.code == 1
    models = done.json["models"]
    assert done.json["verdict"] == "violation"
    assert [(each["model"], each["findings"][0]["kind"]) for each in models] == [
        ("Lost", "linearizability"),
        ("Deadlock", "deadlock"),
        ("Asserting", "assertion"),
        ("Raising", "exception"),
        ("Endless", "livelock"),
        ("Hostile", "linearizability"),
    ]
    assert run("refine", f"{file}:Lost", "--json", "--set", "atomic=true").json["verdict"] == "holds"


def test_several_files_give_a_table_and_the_worst_exit_code(run: Command, write: Writer) -> None:
    write("right.py", RIGHT)
    write("wrong.py", WRONG)
    done = run("refine", "right.py", "wrong.py", "missing.py")
    assert done.code == 2
    assert [line.split()[:2] for line in done.out.splitlines()[:4]] == [
        ["model", "verdict"],
        ["right.py:Counter", "holds"],
        ["wrong.py:Counter", "violation"],
        ["missing.py", "error"],
    ]
    assert "LP-M015 missing.py: there is no such file." in done.err
    assert run("refine", "right.py", "wrong.py").code == 1
    summaries = run("refine", "right.py", "wrong.py", "--summary").out.splitlines()
    assert [line.split()[0] for line in summaries] == ["HOLDS", "VIOLATION"]


def test_the_spec_can_be_replaced_even_by_a_user_spec(run: Command, write: Writer) -> None:
    write("counter.py", RIGHT)
    own = "import linpoint\n@linpoint.spec\nclass Odd:\n    initial = 0\n    def increment(n): return None, n + 2\n"
    write("odd.py", f"{own}    def read(n): return n, n\n")
    found = run("refine", "counter.py", "--spec", "odd.py:Odd", "--json")
    assert (found.code, found.json["spec"]) == (1, "Odd")
    assert found.json["findings"][0]["explanation"]["refused"]["allowed"] == [2]
    assert run("refine", "counter.py", "--spec", "fetch-add", "--json").error["code"] == "LP-S002"
    assert run("refine", "counter.py", "--spec", "nope.py:Odd", "--json").error["code"] == "LP-S005"
    write("broken.py", "1 / 0")
    assert run("refine", "counter.py", "--spec", "broken.py:Odd", "--json").error["code"] == "LP-S005"


def test_roles_restrict_the_calls_of_processes(run: Command, copy: Copy) -> None:
    file = copy(ZOO / "register.py")
    document = run("refine", file, "--processes", "reader=2,writer=1", "--operations", "1", "--json").json
    assert document["bounds"]["roles"] == {"writer": 1, "reader": 2}
    assert run("refine", file, "--processes", "painter=1", "--json").error["code"] == "LP-M018"


def test_heaps_memory_models_points_and_reductions_are_options(run: Command, copy: Copy) -> None:
    treiber, peterson = copy(ZOO / "treiber.py"), copy(ZOO / "peterson.py")
    assert run("refine", treiber, "--heap", "free", "--operations", "3", "--summary").code == 1
    assert run("refine", treiber, "--heap", "counted", "--summary").code == 0
    assert run("refine", peterson, "--operations", "1", "--summary").code == 0
    assert run("refine", peterson, "--operations", "1", "--memory-model", "tso", "--summary").code == 1
    every = run("refine", treiber, "--json").json["statistics"]["states"]
    points = run("refine", treiber, "--json", "--points").json
    assert points["verdict"] == "holds"
    assert points["statistics"]["states"] < every
    assert "linearization points" in points["why"]
    without = run("refine", treiber, "--json", "--without", "symmetry,por", "--without", "fusion").json
    assert without["bounds"]["without"] == ["fusion", "por", "symmetry"]
    assert without["statistics"]["states"] > every
    assert run("refine", treiber, "--json", "--compact").json["verdict"] == "holds"


def test_progress_is_checked_separately(run: Command, copy: Copy) -> None:
    file = copy(KINDS.with_name("spinning.py"))
    assert run("refine", file, "--progress", "obstruction-free", "--json").json["findings"][0]["kind"] == "progress"
    never = run("refine", file, "--progress", "returns", "--operations", "1", "--json")
    assert (never.code, never.json["findings"][0]["kind"]) == (1, "progress")
    treiber = copy(ZOO / "treiber.py")
    assert run("refine", treiber, "--progress", "lock-free").code == 0
    for wrong in (["--progress", "fast"], ["--progress", "lock-free", "--points"], ["--fairness", "weak"]):
        assert run("refine", treiber, *wrong, "--json").error["code"] == "LP-U001"


# Output formats


def test_one_run_writes_every_format(run: Command, copy: Copy, tmp_path: Path) -> None:
    file = copy(KINDS)
    forms = ["--report", "r.html", "--junit", "r.xml", "--github", "--summary"]
    done = run("refine", f"{file}:Lost", f"{file}:Deadlock", *forms)
    assert done.code == 1
    assert "::error file=kinds.py,line=" in done.out
    suites = ET.parse(tmp_path / "r.xml").getroot()
    assert suites.get("name") == "linpoint refine"
    assert [case.get("name") for case in suites.iter("testcase")] == ["Lost", "Deadlock"]
    assert [failure.get("type") for failure in suites.iter("failure")] == ["linearizability", "deadlock"]
    assert "2 of 2 results are violations" in (tmp_path / "r.html").read_text()
    for page in ("r-1.html", "r-2.html"):
        assert "Steps of the run" in (tmp_path / page).read_text()


def test_report_reads_the_documents(run: Command, copy: Copy, tmp_path: Path) -> None:
    file = copy(KINDS)
    (tmp_path / "all.json").write_text(run("refine", file, "--json").out)
    assert run("report", "all.json", "--output", "index.html").code in (0, 1)
    page = (tmp_path / "index.html").read_text()
    assert "kinds.py:Deadlock" in page
    assert "States" in page


def test_the_model_file_is_never_overwritten(run: Command, write: Writer) -> None:
    write("counter.py", RIGHT)
    assert run("refine", "counter.py", "--report", "counter.py", "--json").error["code"] == "LP-U005"
    assert run("refine", "counter.py", "--junit", "counter.py", "--json").error["code"] == "LP-U005"


def test_output_of_the_file_is_not_in_the_document(run: Command, write: Writer) -> None:
    write("counter.py", f"print('hello')\n{RIGHT}")
    done = run("refine", "counter.py", "--json")
    assert done.json["verdict"] == "holds"
    assert "hello" in done.err


# Interrupted runs


def finished(start: Starter, *args: str, interrupt: float = 0.0) -> Run:
    process = start(*args)
    if interrupt:
        time.sleep(interrupt)
        process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=120)
    assert b"Traceback" not in err, err.decode()
    return Run(process.returncode, out.decode(), err.decode())


def test_a_spent_budget_is_unknown_with_the_progress(start: Starter, copy: Copy) -> None:
    file = copy(ZOO / "treiber.py")
    done = finished(start, "refine", file, *BIG, "--budget", "1s")
    assert done.code == 3
    assert done.out.startswith("UNKNOWN: Treiber: the budget ended.")
    assert "states" in done.out
    assert "depth" in done.out
    assert "This is not a pass" in done.out
    assert "increase --budget" in " ".join(done.out.split())


def test_exhausted_memory_is_unknown(start: Starter, copy: Copy) -> None:
    done = finished(start, "refine", copy(ZOO / "treiber.py"), *BIG, "--max-memory", "120M", "--json")
    assert done.code == 3
    assert done.json["why"] == "the memory budget ran out"
    assert "--max-memory" in done.json["remedy"]
    assert done.json["statistics"]["states"] > 1000
    assert done.json["exhaustive"] is False


@pytest.mark.parametrize("form", [(), ("--json",)])
def test_an_early_ctrl_c_gives_unknown_with_states_and_depth(start: Starter, copy: Copy, form: tuple[str, ...]) -> None:
    done = finished(start, "refine", copy(ZOO / "treiber.py"), *BIG, *form, interrupt=2.0)
    assert done.code == 3
    if form:
        assert (done.json["verdict"], done.json["why"]) == ("unknown", "the run was interrupted")
        assert done.json["statistics"]["states"] > 1000
        assert done.json["statistics"]["depth"] > 2
        assert done.json["remedy"]
    else:
        assert done.out.startswith("UNKNOWN: Treiber: the run was interrupted.")


def test_ctrl_c_ends_all_models_and_reports_each(start: Starter, copy: Copy, write: Writer) -> None:
    write("right.py", RIGHT)
    done = finished(start, "refine", "right.py", copy(ZOO / "treiber.py"), "right.py", *BIG, "--json", interrupt=3.0)
    assert done.code == 3
    whys = [(each["verdict"], each["why"]) for each in done.json["models"]]
    assert whys[1:] == [
        ("unknown", "the run was interrupted"),
        ("unknown", "the run was interrupted before this model started"),
    ]


def test_an_endless_spec_is_unknown(start: Starter, write: Writer) -> None:
    endless = "import linpoint\n@linpoint.spec\nclass S:\n    initial = 0\n    def increment(n): return None, n + 1\n"
    write("counter.py", RIGHT)
    write("endless.py", f"{endless}    def read(n):\n        while True:\n            pass\n")
    done = finished(start, "refine", "counter.py", "--spec", "endless.py:S", "--budget", "1s", "--json")
    assert (done.code, done.json["verdict"]) == (3, "unknown")


def test_a_reached_bound_is_unknown(run: Command, write: Writer) -> None:
    write("pile.py", PILE)
    done = run("refine", "pile.py", "--processes", "1", "--operations", "0", "--json", "--budget", "20s")
    assert (done.code, done.json["verdict"]) == (3, "unknown")
    assert "a bound was reached:" in done.json["why"]
    assert "nodes of Node" in done.json["why"]
    assert done.json["remedy"]


def test_the_budget_ends_the_loading_of_a_file_that_hangs(start: Starter, write: Writer) -> None:
    write("hangs.py", "while True: pass")
    done = finished(start, "refine", "hangs.py", "--budget", "1s", "--json")
    assert (done.code, done.json["why"]) == (3, "the budget ended while the file was loaded")


# Bad input

BAD = {
    "no such file": ("missing.py", None, "LP-M015"),
    "no Python": ("f.py", "class A(linpoint.Model)\n    pass", "LP-M015"),
    "not UTF-8": ("f.py", b"x = '\xff'", "LP-M015"),
    "a null byte": ("f.py", b"x = 1\x00", "LP-M015"),
    "raises": ("f.py", "x = 1\n1 / 0", "LP-M015"),
    "exits": ("f.py", "import sys; sys.exit(0)", "LP-M015"),
    "no model": ("f.py", "x = 1", "LP-M016"),
    "no such model": ("f.py:Conter", RIGHT, "LP-M016"),
    "no operations": ("f.py", "import linpoint\nclass A(linpoint.Model):\n    spec = linpoint.specs.stack", "LP-M012"),
    "no spec": ("f.py", RIGHT.replace("spec =", "other ="), "LP-M017"),
    "no such syntax": ("f.py", RIGHT.replace("self.n.fetch_add(1)", "yield 1"), "LP-M002"),
    "a folder": (".", None, "LP-M015"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_files_exit_with_2_and_a_coded_error(run: Command, tmp_path: Path, case: str) -> None:
    target, content, code = BAD[case]
    if content is not None:
        path = tmp_path / target.partition(":")[0]
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    assert run("refine", target, "--json").error["code"] == code
    plain = run("refine", target)
    assert plain.code == 2
    assert plain.err.count("\n") == 1
    assert code in plain.err


def test_an_error_names_the_line_and_the_nearest_name(run: Command, write: Writer) -> None:
    write("f.py", "x = 1\n1 / 0")
    assert run("refine", "f.py", "--json").error["place"] == "f.py:2"
    write("g.py", RIGHT)
    assert "Did you mean Counter?" in run("refine", "g.py:Conter", "--json").error["remedy"]


@pytest.mark.parametrize(
    "options",
    [
        ["--processes", "none"],
        ["--processes", "0"],
        ["--processes", "9"],
        ["--processes", "99999999999"],
        ["--processes", "a=1,a=2"],
        ["--processes", "=2"],
        ["--operations", "-1"],
        ["--operations", "201"],
        ["--operations", "many"],
        ["--memory-model", "pso"],
        ["--heap", "large"],
        ["--without", "por,magic"],
        ["--set", "n"],
        ["--set", "n=abc"],
        ["--set", "1n=1"],
        ["--budget", "soon"],
        ["--max-memory", "lots"],
        ["--jobs", "0"],
        ["--simulate"],
        ["--frobnicate"],
    ],
)
def test_bad_options_exit_with_2(run: Command, write: Writer, options: list[str]) -> None:
    write("counter.py", RIGHT)
    assert run("refine", "counter.py", *options, "--json").error["code"] == "LP-U001"


@pytest.mark.parametrize(("option", "code"), [("size=2", "LP-M013"), ("atomic=[[1]]", "LP-M013")])
def test_unknown_constants_exit_with_2(run: Command, write: Writer, option: str, code: str) -> None:
    write("counter.py", RIGHT)
    assert run("refine", "counter.py", "--set", option, "--json").error["code"] == code


def test_a_model_without_points_cannot_be_checked_with_points(run: Command, write: Writer) -> None:
    write("counter.py", RIGHT)
    assert run("refine", "counter.py", "--points", "--json").error["code"] == "LP-M019"


def test_documents_are_one_line_of_json(run: Command, copy: Copy) -> None:
    done: Any = run("refine", copy(KINDS), "--json")
    assert json.loads(done.out) == done.json
