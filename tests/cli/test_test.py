# SPDX-License-Identifier: Apache-2.0
"""``linpoint test``: answers, exit codes and replays, on good and bad targets."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path
from typing import Any

import pytest

from linpoint.verdicts import replay_token

COUNTER = """
    import linpoint

    class Counter:
        def __init__(self):
            self.value = 0
        def increment(self):
            self.value += 1
            return self.value

    class TestCounter(linpoint.ConcurrentTest):
        def setup(self):
            return Counter()
        @linpoint.operation
        def increment(self, counter):
            return counter.increment()
"""
RIGHT = COUNTER.replace("self.value += 1\n            return self.value", "return 7")


def linpoint(folder: Path, *arguments: str, seconds: float = 60) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "linpoint.cli.main", *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=seconds,
        check=False,
    )


def written(folder: Path, source: str, name: str = "object_test.py") -> Path:
    (folder / name).write_text(textwrap.dedent(source))
    return folder


def document(done: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    return json.loads(done.stdout)  # type: ignore[no-any-return]


def test_a_violation_exits_with_1_and_replays(tmp_path: Path) -> None:
    done = linpoint(written(tmp_path, COUNTER), "test", "object_test.py", "--json")
    assert done.returncode == 1, done.stderr
    (finding,) = document(done)["findings"]
    assert finding["kind"] == "linearizability"
    assert finding["explanation"]["preemptions"] == 1
    assert finding["explanation"]["scenario"] == "increment() | increment()"
    again = linpoint(tmp_path, *finding["replay"], "--json")
    assert again.returncode == 1
    (shown,) = document(again)["findings"]
    assert shown["kind"] == finding["kind"]
    assert shown["explanation"]["schedule"] == finding["explanation"]["schedule"]


def test_a_finding_of_the_ast_backend_replays(tmp_path: Path) -> None:
    done = linpoint(written(tmp_path, COUNTER), "test", "object_test.py", "--backend", "ast", "--json")
    assert done.returncode == 1, done.stderr
    assert not done.stderr
    (finding,) = document(done)["findings"]
    again = linpoint(tmp_path, *finding["replay"], "--json")
    assert again.returncode == 1
    (shown,) = document(again)["findings"]
    assert shown["explanation"]["schedule"] == finding["explanation"]["schedule"]
    assert replay_token.decode(finding["replay"][1])["backend"] == "ast"


def test_both_models_are_reported(tmp_path: Path) -> None:
    told = document(linpoint(written(tmp_path, COUNTER), "test", "object_test.py", "--json"))
    assert told["models"] == {"free-threaded": "violation", "gil": "linearizable"}


def test_a_pass_states_its_coverage(tmp_path: Path) -> None:
    done = linpoint(written(tmp_path, RIGHT), "test", "object_test.py", "--json")
    told = document(done)
    assert done.returncode == 0
    assert told["verdict"] == "linearizable"
    assert told["exhaustive"]
    assert told["bounds"] == {"threads": 2, "operations": 2}
    assert told["statistics"]["bounded_schedules"] > 0
    assert {"seconds", "peak_memory_bytes", "scenarios", "schedules"} <= set(told["statistics"])


def test_a_fixed_object_passes_the_replay(tmp_path: Path) -> None:
    finding = document(linpoint(written(tmp_path, COUNTER), "test", "object_test.py", "--json"))["findings"][0]
    done = linpoint(written(tmp_path, RIGHT), *finding["replay"])
    assert done.returncode == 0
    assert "changed" in done.stdout


def test_a_single_scenario_is_run(tmp_path: Path) -> None:
    written(tmp_path, COUNTER)
    alone = linpoint(tmp_path, "test", "object_test.py:TestCounter", "--scenario", "increment()", "--json")
    assert document(alone)["exhaustive"]
    both = linpoint(tmp_path, "test", "object_test.py:TestCounter", "--scenario", "increment() | increment()")
    assert (alone.returncode, both.returncode) == (0, 1)


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["missing_test.py"], "LP-T015"),
        (["object_test.py:TestCuonter"], "LP-T016"),
        (["object_test.py", "--scenario", "increment( | increment()"], "LP-T001"),
        (["object_test.py", "--scenario", "decrement()"], "LP-T007"),
        (["object_test.py", "--before", "increment()"], "LP-U001"),
        (["object_test.py", "--granularity", "second"], "LP-U001"),
        (["object_test.py", "--backend", "stack"], "LP-U001"),
        (["object_test.py", "--erratic"], "LP-U001"),
        (["object.cpp"], "LP-T015"),
    ],
)
def test_invalid_requests_are_rejected(tmp_path: Path, arguments: list[str], code: str) -> None:
    done = linpoint(written(tmp_path, COUNTER), "test", *arguments, "--json")
    assert done.returncode == 2
    assert document(done)["error"]["code"] == code
    assert "Traceback" not in done.stderr


def test_a_near_name_is_suggested(tmp_path: Path) -> None:
    done = linpoint(written(tmp_path, COUNTER), "test", "object_test.py:TestCuonter")
    assert "LP-T016" in done.stderr
    assert "Did you mean TestCounter?" in done.stderr


@pytest.mark.parametrize(
    ("source", "code"),
    [
        ("1 / 0", "LP-T015"),
        ("raise SystemExit(0)", "LP-T015"),
        ("raise BaseException", "LP-T015"),
        ("import threading; t = threading.Thread(target=print); t.start(); t.join()", "LP-T015"),
        ("def broken(:", "LP-T015"),
        ("x = 1", "LP-T016"),
    ],
)
def test_files_that_are_not_tests_are_rejected(tmp_path: Path, source: str, code: str) -> None:
    done = linpoint(written(tmp_path, source), "test", "object_test.py")
    assert done.returncode == 2
    assert code in done.stderr


def test_a_setup_that_raises_is_an_error(tmp_path: Path) -> None:
    done = linpoint(
        written(tmp_path, COUNTER.replace("return Counter()", "raise KeyError(1)")), "test", "object_test.py"
    )
    assert done.returncode == 2
    assert "LP-T014" in done.stderr


@pytest.mark.parametrize(
    ("deed", "said"),
    [("ctypes.string_at(0)", "SIGSEGV"), ("os._exit(5)", "code 5"), ("os.abort()", "SIGABRT")],
)
def test_a_target_that_kills_its_process_is_a_finding(tmp_path: Path, deed: str, said: str) -> None:
    source = COUNTER.replace("import linpoint", "import ctypes, os, linpoint").replace("self.value += 1", deed)
    done = linpoint(written(tmp_path, source), "test", "object_test.py", "--json")
    told = document(done)
    (finding,) = told["findings"]
    assert (done.returncode, finding["kind"]) == (1, "crash")
    assert said in finding["message"]
    again = linpoint(tmp_path, *finding["replay"], "--json")
    assert (again.returncode, document(again)["findings"][0]["kind"]) == (1, "crash")


def test_output_of_the_target_is_not_in_the_answer(tmp_path: Path) -> None:
    source = COUNTER.replace("self.value += 1", 'print("hello"); self.value += 1')
    done = linpoint(written(tmp_path, source), "test", "object_test.py", "--json")
    assert document(done)["verdict"] == "violation"
    assert "hello" in done.stderr


def test_several_files_give_the_worst_exit_code(tmp_path: Path) -> None:
    written(tmp_path, COUNTER, "a_test.py")
    written(tmp_path, RIGHT, "b_test.py")
    done = linpoint(tmp_path, "test", "a_test.py", "b_test.py", "--json")
    told = document(done)
    assert (done.returncode, told["verdict"]) == (1, "violation")
    assert [each["verdict"] for each in told["tests"]] == ["violation", "linearizable"]
    mixed = linpoint(tmp_path, "test", "a_test.py", "missing_test.py")
    assert mixed.returncode == 2


def test_the_budget_holds_for_a_target_that_never_stops_computing(tmp_path: Path) -> None:
    source = COUNTER.replace("self.value += 1", "sum(iter(int, 1))")
    done = linpoint(written(tmp_path, source), "test", "object_test.py", "--budget", "2s", "--json")
    assert done.returncode == 3
    assert document(done)["verdict"] == "unknown"


def test_memory_is_limited(tmp_path: Path) -> None:
    source = COUNTER.replace("self.value += 1", "self.kept = bytearray(2**30); self.value += 1")
    source = source.replace("class Counter:", "KEPT = []\n\n    class Counter:").replace(
        "return self.value", "KEPT.append(self.kept); return self.value"
    )
    done = linpoint(written(tmp_path, source), "test", "object_test.py", "--max-memory", "300M", "--json")
    assert document(done)["verdict"] in ("unknown", "violation")
    assert "Traceback" not in done.stderr


BUSY = RIGHT.replace("return 7", "self.value += 0; return 7").replace(
    "return Counter()",
    """with open("begun", "a") as begun:
                begun.write(".")
            return Counter()""",
)
"""Each constructed object appends a character to a file."""


@pytest.mark.skipif(not hasattr(signal, "SIGINT"), reason="there is no Ctrl-C")
def test_ctrl_c_reports_what_is_known(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "linpoint.cli.main", "test", "object_test.py", "--threads", "3"]
    command += ["--operations", "4", "--budget", "60s", "--json"]
    begun = tmp_path / "begun"
    with subprocess.Popen(
        command, cwd=written(tmp_path, BUSY), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        while process.poll() is None and not (begun.exists() and begun.stat().st_size > 500):
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        said, complaints = process.communicate(timeout=120)
    assert process.returncode == 3, complaints
    told = json.loads(said)
    assert told["verdict"] == "unknown"
    assert "interrupted" in told["why"]
    assert told["statistics"]["bounded_schedules"] > 0


SLOW = COUNTER.replace("import linpoint", "import time, linpoint").replace(
    "self.value += 1", "now = self.value; time.sleep(0); self.value = now + 1"
)


def test_a_finding_of_stress_is_checked_again(tmp_path: Path) -> None:
    done = linpoint(written(tmp_path, SLOW), "test", "object_test.py", "--stress", "--budget", "20s", "--json")
    told = document(done)
    assert (done.returncode, told["exhaustive"]) == (1, False)
    (finding,) = told["findings"]
    assert finding["kind"] == "linearizability"
    again = linpoint(tmp_path, *finding["replay"], "--json")
    assert (again.returncode, document(again)["findings"][0]["kind"]) == (1, "linearizability")


def test_a_pass_of_stress_states_why_it_is_weak(tmp_path: Path) -> None:
    done = linpoint(written(tmp_path, COUNTER), "test", "object_test.py", "--stress", "--budget", "3s")
    assert done.returncode in (0, 1)
    assert "explores them systematically" in done.stdout


def test_an_operation_unknown_to_the_spec_is_rejected(tmp_path: Path) -> None:
    done = linpoint(written(tmp_path, COUNTER), "test", "object_test.py", "--spec", "queue")
    assert done.returncode == 2
    assert "LP-S002" in done.stderr
    arity = linpoint(written(tmp_path, COUNTER), "test", "object_test.py", "--spec", "fetch-add")
    assert arity.returncode == 2
