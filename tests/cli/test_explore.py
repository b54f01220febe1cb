# SPDX-License-Identifier: Apache-2.0
"""``linpoint explore`` as users and programs call it."""

from __future__ import annotations

import signal
import subprocess
from pathlib import Path

from linpoint.verdicts import replay_token
from tests.cli.conftest import COMMAND, Command, environment, wait_for_child

LOST_UPDATE = """
import threading
counter = 0
def work():
    global counter
    counter += 1
threads = [threading.Thread(target=work) for _ in range(2)]
for thread in threads: thread.start()
for thread in threads: thread.join()
print("counter is", counter)
assert counter == 2
"""
NEVER_ENDS = """
import threading
x = 0
def work():
    global x
    for _ in range(50):
        x += 1
threads = [threading.Thread(target=work) for _ in range(4)]
for thread in threads: thread.start()
for thread in threads: thread.join()
"""


def test_a_violation_is_reported_and_replays(run: Command, tmp_path: Path) -> None:
    (tmp_path / "prog.py").write_text(LOST_UPDATE, encoding="utf-8")
    told = run("explore", "prog.py")
    assert told.code == 1
    assert told.out.startswith("VIOLATION: prog.py: assert counter == 2 fails at prog.py:11 in MainThread.")
    assert "counter is 1" in told.out
    assert not told.err
    document = run("explore", "prog.py", "--json").json
    (finding,) = document["findings"]
    assert (document["verdict"], document["exhaustive"], finding["kind"]) == ("violation", False, "assertion")
    assert finding["explanation"]["counts"]["preemptions"] == 1
    assert document["statistics"].keys() >= {"seconds", "peak_memory_bytes", "schedules", "bounded_schedules"}
    again = run(*finding["replay"], "--json")
    assert again.code == 1
    assert [each["kind"] for each in again.json["findings"]] == ["assertion"]


def test_a_finding_of_the_ast_backend_replays(run: Command, tmp_path: Path) -> None:
    (tmp_path / "prog.py").write_text(LOST_UPDATE, encoding="utf-8")
    (finding,) = run("explore", "prog.py", "--backend", "ast", "--json").json["findings"]
    assert replay_token.decode(finding["replay"][1])["backend"] == "ast"
    again = run(*finding["replay"], "--json")
    assert again.code == 1
    assert [each["kind"] for each in again.json["findings"]] == ["assertion"]


def test_one_run_is_reported_in_every_format(run: Command, tmp_path: Path) -> None:
    (tmp_path / "prog.py").write_text(LOST_UPDATE, encoding="utf-8")
    told = run("explore", "prog.py", "--summary", "--github", "--junit", "out.xml", "--report", "page.html")
    assert told.code == 1
    summary, annotation = told.out.splitlines()
    assert summary.startswith("VIOLATION prog.py: ")
    assert annotation.startswith(
        "::error file=prog.py,line=11,title=linpoint%3A assertion in prog.py::assert counter == 2 fails"
    )
    assert '<failure type="assertion"' in (tmp_path / "out.xml").read_text(encoding="utf-8")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "prog.py" in page
    assert "counter" in page
    (tmp_path / "fine.py").write_text("pass\n", encoding="utf-8")
    told = run("explore", "fine.py", "--summary", "--github")
    assert (told.code, told.out.startswith("HOLDS fine.py: 1 schedule, ")) == (0, True)
    assert run("explore", "prog.py", "--report", "prog.py", "--json").code == 2


def test_a_program_that_holds_gets_its_arguments(run: Command, tmp_path: Path) -> None:
    (tmp_path / "prog.py").write_text('import sys\nassert sys.argv == ["prog.py", "--json", "x"]\n', encoding="utf-8")
    told = run("explore", "prog.py", "--", "--json", "x")
    assert told.code == 0
    assert told.out.startswith("HOLDS: prog.py: no schedule fails.")


def test_a_program_that_kills_its_process_is_a_finding(run: Command, tmp_path: Path) -> None:
    (tmp_path / "prog.py").write_text("import os\nos.abort()\n", encoding="utf-8")
    told = run("explore", "prog.py", "--json")
    assert told.code == 1
    (finding,) = told.json["findings"]
    assert finding["kind"] == "crash"
    assert "SIGABRT" in finding["message"]
    assert run(*finding["replay"]).code == 1


def test_bad_input_is_rejected(run: Command, tmp_path: Path) -> None:
    (tmp_path / "prog.py").write_text("def f(:\n", encoding="utf-8")
    assert run("explore", "prog.py", "--json").error["code"] == "LP-T030"
    assert run("explore", "missing.py", "--json").error["code"] == "LP-T030"
    assert run("explore", "dekker.h", "--json").error["code"] == "LP-T031"
    assert run("explore", "prog.py", "--memory-model", "tso", "--json").error["code"] == "LP-T032"
    assert run("explore", "prog.py", "--memory-model", "none", "--json").error["code"] == "LP-U001"
    assert run("explore", "prog.py", "--granularity", "none", "--json").error["code"] == "LP-U001"
    assert run("explore", "prog.py", "--backend", "none", "--json").error["code"] == "LP-U001"


def test_the_end_of_the_budget_is_unknown(run: Command, tmp_path: Path) -> None:
    (tmp_path / "prog.py").write_text(NEVER_ENDS, encoding="utf-8")
    document = run("explore", "prog.py", "--budget", "1s", "--json").json
    assert (document["verdict"], document["exhaustive"], document["findings"]) == ("unknown", False, [])
    assert "budget" in document["why"]


def test_ctrl_c_ends_the_run_with_what_is_known(tmp_path: Path) -> None:
    (tmp_path / "prog.py").write_text(NEVER_ENDS, encoding="utf-8")
    with subprocess.Popen(
        [COMMAND, "explore", "prog.py", "--budget", "60s"],
        cwd=tmp_path,
        env=environment(tmp_path),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        wait_for_child(process, "worker_process")
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=120)
    assert process.returncode == 3
    assert out.startswith("UNKNOWN: prog.py: the run was interrupted")
    assert "Traceback" not in err
