# SPDX-License-Identifier: Apache-2.0
"""``check --follow``: real processes that read growing files and pipes."""

from __future__ import annotations

import contextlib
import gzip
import json
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

PATIENCE = 120.0
"""Seconds after which a command is considered to hang, even on a busy machine."""


def event(process: int, type_: str, f: str, value: Any = None, **more: Any) -> str:
    return json.dumps({"process": process, "type": type_, "f": f, "value": value, **more}) + "\n"


def both(process: int, f: str, value: Any, answer: Any = None) -> str:
    return event(process, "invoke", f, value) + event(process, "ok", f, value if answer is None else answer)


def op(process: int, name: str, args: list[Any], result: Any, call: float, return_: float | None, **more: Any) -> str:
    line = {"process": process, "op": name, "args": args, "result": result, "call": call, "return": return_, **more}
    return json.dumps(line) + "\n"


def watermark(at: float) -> str:
    return json.dumps({"watermark": at}) + "\n"


class Log:
    """A file that grows."""

    def __init__(self, path: Path) -> None:
        self._file = path.open("wb", buffering=0)

    def write(self, text: str) -> None:
        self._file.write(text.encode())

    def close(self) -> None:
        self._file.close()


@pytest.fixture
def log(tmp_path: Path) -> Iterator[Log]:
    grown = Log(tmp_path / "run.log")
    yield grown
    grown.close()


def ended(process: subprocess.Popen[bytes], within: float = PATIENCE) -> tuple[int, str, str]:
    out, err = process.communicate(timeout=within)
    assert b"Traceback" not in err
    return process.returncode, out.decode(), err.decode()


def settle(process: subprocess.Popen[bytes]) -> None:
    """Wait until the process has opened its file and had time to read it."""
    deadline = time.monotonic() + PATIENCE
    files = Path(f"/proc/{process.pid}/fd")
    while files.exists() and process.stdin is None and time.monotonic() < deadline:
        with contextlib.suppress(OSError):
            if any(each.readlink().name == "run.log" for each in files.iterdir()):
                break
        time.sleep(0.05)
    time.sleep(1.0)
    assert process.poll() is None


GOOD = both(0, "write", 1) + both(1, "read", None, 1) + both(0, "write", 2)
STALE = both(1, "read", None, 1)


# Ends


def test_the_end_of_a_pipe_ends_the_run(run):
    done = run("check", "-", "--follow", "--spec", "register", stdin=GOOD)
    assert done.code == 0
    assert done.out.startswith(
        "LINEARIZABLE: 3 operations fit the spec register, followed until the end of the input; 0 calls were still open."
    )


def test_a_pipe_may_end_without_a_newline_and_with_open_calls(run):
    text = GOOD + event(5, "invoke", "read") + event(6, "invoke", "write", 3) + event(6, "info", "write", 3)
    done = run("check", "-", "--follow", "--spec", "register", "--json", stdin=text.rstrip("\n"))
    assert done.code == 0
    document = done.json
    assert document["verdict"] == "linearizable"
    assert document["exhaustive"] is True
    assert document["followed"] == {
        "lines": 9,
        "operations": 3,
        "decided": 3,
        "unknown": 1,
        "open": 1,
        "most_kept": 5,
        "ended": "the end of the input",
        "line": None,
    }
    assert document["statistics"]["operations"] == 4
    assert document["keys"] == [{"key": None, "verdict": "linearizable"}]
    assert document["checker"] == "windows"


def test_an_idle_file_ends_the_run(run, write):
    write("run.log", GOOD)
    done = run("check", "run.log", "--follow", "--until-idle", "300ms", "--spec", "register")
    assert done.code == 0
    assert "followed until 0.3 s without a new line" in done.out


def test_the_budget_ends_the_run(run, write):
    write("run.log", GOOD)
    done = run("check", "run.log", "--follow", "--budget", "2s", "--spec", "register", "--json")
    assert done.code == 3
    assert done.json["verdict"] == "unknown"
    assert done.json["why"].startswith("the time budget ran out; the 3 operations fit the spec register up to line 6")
    assert done.json["exhaustive"] is False


def test_ctrl_c_ends_the_run_with_what_is_known(start, log):
    log.write(GOOD)
    process = start("check", "run.log", "--follow", "--spec", "register")
    settle(process)
    process.send_signal(signal.SIGINT)
    code, out, _ = ended(process)
    assert code == 3
    assert out.startswith("UNKNOWN: the run was interrupted; the 3 operations fit the spec register up to line 6, and")


# Violations


def test_a_violation_in_a_growing_file_is_reported_immediately(start, log):
    """The log does not end, and the violating line is the last one: the report must follow that line."""
    process = start("check", "run.log", "--follow", "--spec", "register", "--json")
    for _ in range(3):
        log.write(GOOD)
        time.sleep(0.3)
    settle(process)
    log.write(event(1, "invoke", "read"))
    log.write(event(1, "ok", "read", 1))
    code, out, _ = ended(process)
    assert code == 1
    document = json.loads(out)
    assert document["verdict"] == "violation"
    assert document["followed"]["line"] == 20
    assert document["findings"][0]["replay"][0] == "replay"


def test_a_violation_in_a_pipe_is_reported_while_it_is_open(start):
    process = start("check", "-", "--follow", "--spec", "queue", stdin=subprocess.PIPE)
    process.stdin.write((both(0, "enqueue", 1) + both(0, "enqueue", 2)).encode())
    process.stdin.flush()
    settle(process)
    process.stdin.write(both(1, "dequeue", None, 2).encode())
    process.stdin.flush()
    assert process.wait(PATIENCE) == 1
    out = process.stdout.read().decode()
    assert out.startswith("VIOLATION: dequeue() by process 1 returned 2")
    assert "The violation is complete with line 6." in out


def test_a_violation_replays(run):
    done = run("check", "-", "--follow", "--spec", "register", stdin=GOOD + STALE)
    assert done.code == 1
    again = done.out.rpartition("linpoint replay ")[2].split()[0]
    shown = run("replay", again, "--json")
    assert shown.code == 1
    assert shown.json["findings"][0]["kind"] == "linearizability"


def test_a_late_violation_replays_from_the_state_at_that_time(run):
    text = "".join(both(0, "increment", None) for _ in range(3000)) + both(0, "read", None, 17)
    done = run("check", "-", "--follow", "--spec", "counter", stdin=text)
    assert done.code == 1
    again = done.out.rpartition("linpoint replay ")[2].split()[0]
    assert "returned 17" in run("replay", again).out


def test_a_violation_is_found_after_much_of_a_queue_was_forgotten(run):
    lines = [both(0, "enqueue", 0)]
    for n in range(1, 6000):
        lines += [both(0, "enqueue", n), both(1, "dequeue", None, n - 1) if n != 5000 else both(1, "dequeue", None, n)]
    done = run("check", "-", "--follow", "--spec", "queue", "--json", stdin="".join(lines))
    assert done.code == 1
    assert done.json["followed"]["line"] == 20002
    assert done.json["followed"]["most_kept"] < 9000


# Lines


def test_an_incomplete_line_waits_for_its_end(start, log):
    process = start("check", "run.log", "--follow", "--spec", "register", "--json")
    log.write(GOOD)
    bad = STALE.splitlines(keepends=True)
    log.write(bad[0] + bad[1][:20])
    settle(process)
    log.write(bad[1][20:])
    code, _, _ = ended(process)
    assert code == 1


@pytest.mark.parametrize(
    ("text", "code", "place"),
    [
        (GOOD + "garbage\n", "LP-H002", "-:7"),
        (GOOD + event(3, "ok", "read", 1), "LP-H003", "-:7"),
        (GOOD + event(3, "invoke", "read") + event(3, "invoke", "read"), "LP-H004", "-:8"),
        (GOOD + event(3, "invoke", "dequeue"), "LP-S002", "-:7"),
        (
            GOOD + event(3, "invoke", "write", 1) + event(3, "info", "write", 1) + event(3, "invoke", "read"),
            "LP-H004",
            "-:9",
        ),
        (event(0, "invoke", "read", index=5) + event(0, "ok", "read", index=4), "LP-U007", "-:2"),
        (event(0, "invoke", "read") + event(1, "invoke", "read", key="x"), "LP-H014", "-:2"),
        ("", "LP-H008", "-"),
        ("nothing that anybody knows\n", "LP-H015", "-:1"),
        ("[\n" + GOOD, "LP-U007", "-:1"),
        ("process,op,args,result,call,return\n", "LP-U007", "-:1"),
        (op(0, "write", [1], None, 1, 2, order=3), "LP-U007", "-:1"),
        (op(0, "write", [1], None, 1, 2) + '{"crash": true, "time": 5}\n', "LP-U007", "-:2"),
        (op(0, "write", [1], None, 1, 2) + '{"watermark": "x"}\n', "LP-H007", "-:2"),
        (op(0, "write", [1], None, 3, 2), "LP-H005", "-:1"),
        (op(0, "write", [1], None, 1, 5) + op(0, "write", [1], None, 2, 3), "LP-H004", "-:2"),
        (op(0, "write", [1], None, 1, 2) + op(1, "read", [], 1, 1, 2, key="x"), "LP-H014", "-:2"),
    ],
)
def test_bad_lines_are_coded_errors(run, text, code, place):
    done = run("check", "-", "--follow", "--spec", "register", "--json", stdin=text)
    assert (done.error["code"], done.error["place"]) == (code, place)


def test_a_violation_before_a_bad_line_is_reported(run):
    assert run("check", "-", "--follow", "--spec", "register", stdin=GOOD + STALE + "garbage\n").code == 1


def test_bytes_that_are_not_utf8_are_rejected(run):
    done = run("check", "-", "--follow", "--spec", "register", "--json", stdin=GOOD.encode() + b"\xff\n")
    assert (done.error["code"], done.error["place"]) == ("LP-H017", "-:7")


def test_gzip_is_rejected(run):
    done = run("check", "-", "--follow", "--spec", "register", "--json", stdin=gzip.compress(GOOD.encode()))
    assert done.error["code"] == "LP-U007"
    assert "gunzip" in done.error["remedy"]


def test_a_missing_file_is_rejected(run):
    assert run("check", "no.log", "--follow", "--spec", "register", "--json").error["code"] == "LP-H001"


def test_a_file_that_shrinks_is_an_error(start, log, tmp_path):
    log.write(GOOD)
    process = start("check", "run.log", "--follow", "--spec", "register", "--json")
    settle(process)
    (tmp_path / "run.log").write_bytes(b"")
    code, out, _ = ended(process)
    assert code == 2
    assert json.loads(out)["error"]["code"] == "LP-H001"


# Watermarks


def test_operation_lines_are_decided_at_their_watermark(start, log):
    process = start("check", "run.log", "--follow", "--spec", "register", "--json")
    log.write(op(1, "read", [], 1, 10, 12) + op(0, "write", [1], None, 1, 3) + watermark(20))
    log.write(op(0, "write", [2], None, 21, 22) + op(1, "read", [], 1, 30, 31))
    settle(process)
    log.write(watermark(40))
    code, out, _ = ended(process)
    assert code == 1
    assert json.loads(out)["followed"]["line"] == 5


def test_an_operation_across_the_watermark_has_an_unknown_outcome_there(run):
    """The read of 5 at 10 to 12 is explained by a write that has not returned at 20."""
    lines = (
        op(1, "read", [], 5, 10, 12) + op(0, "write", [5], None, 8, 30) + watermark(20) + op(2, "read", [], 5, 40, 41)
    )
    assert run("check", "-", "--follow", "--spec", "register", stdin=lines).code == 0


def test_a_call_before_the_watermark_is_rejected(run):
    lines = op(0, "write", [1], None, 1, 3) + watermark(20) + op(1, "read", [], 1, 10, 12)
    done = run("check", "-", "--follow", "--spec", "register", "--json", stdin=lines)
    assert (done.error["code"], done.error["place"]) == ("LP-H020", "-:3")
    assert "line 2" in done.error["message"]


def test_whole_files_may_have_watermarks(run, write):
    write("run.jsonl", watermark(0) + op(0, "write", [1], None, 1, 3) + watermark(20) + op(1, "read", [], 1, 10, 12))
    assert run("check", "run.jsonl", "--spec", "register").code == 0


def test_without_watermarks_there_is_a_warning(start, log):
    process = start("check", "run.log", "--follow", "--spec", "register", "--json", "--until-idle", "6s")
    log.write(op(0, "write", [1], None, 1, 3) + op(1, "read", [], 1, 10, 12))
    code, out, err = ended(process, 15)
    assert code == 0
    assert "watermark" in err
    assert "watermark" in json.loads(out)["warnings"][0]


# Formats, keys and specs

EDN = """{:process 0, :type :invoke, :f :write, :value [1 5]}
{:process :nemesis, :type :info, :f :kill, :value nil}

{:process 0, :type :ok, :f :write, :value [1 5]}
{:process 1, :type :invoke, :f :read, :value [1 nil]}
{:process 1, :type :ok, :f :read, :value [1 nil]}
"""
TEXT = """INFO  jepsen.core - Running
INFO  jepsen.util - 0\t:invoke\t:acquire\tnil
INFO  jepsen.util - 0\t:ok\t:acquire\tnil
INFO  jepsen.util - 1\t:invoke\t:acquire\tnil
INFO  jepsen.util - 1\t:ok\t:acquire\tnil
"""
PORCUPINE = """{:process 0, :type :invoke, :f :put, :key "5", :value "a"}
{:process 0, :type :ok, :f :put, :key "5", :value "a"}
{:process 1, :type :invoke, :f :get, :key "5", :value nil}
{:process 1, :type :ok, :f :get, :key "5", :value ""}
"""


@pytest.mark.parametrize(
    ("text", "spec", "line"),
    [(EDN, "register", 6), (TEXT, "mutex", 5), (PORCUPINE, "map", 4)],
    ids=lambda x: str(x)[:9],
)
def test_every_event_format(run, text, spec, line):
    done = run("check", "-", "--follow", "--spec", spec, "--json", stdin=text)
    assert done.code == 1
    assert done.json["followed"]["line"] == line


def test_the_first_invocation_or_the_user_determines_keyed(run):
    assert run("check", "-", "--follow", "--spec", "register", stdin=EDN).code == 1
    plain = EDN.replace("[1 nil]}", "[1 5]}").replace(":ok, :f :read, :value [1 5]", ":ok, :f :read, :value [1 5]")
    assert run("check", "-", "--follow", "--spec", "register", "--keyed", "no", stdin=plain).code == 0
    mixed = EDN.splitlines(keepends=True)[0] + "{:process 1, :type :invoke, :f :read, :value nil}\n"
    done = run("check", "-", "--follow", "--spec", "register", "--json", stdin=mixed)
    assert done.error["code"] == "LP-H007"
    assert "--keyed no" in done.error["remedy"]


def test_keys_are_objects(run):
    lines = [both(k, "put", [k, 1]) + both(k, "get", [k, None], [k, 1]) for k in range(50)]
    done = run("check", "-", "--follow", "--spec", "map", "--json", stdin="".join(lines))
    assert done.code == 0
    assert len(done.json["keys"]) == 50


def test_a_user_spec_can_be_followed(run, write):
    write(
        "mine.py", "import linpoint\n@linpoint.spec\nclass Once:\n    initial = 0\n    def go(state): return state, 1\n"
    )
    text = event(0, "invoke", "go") + event(0, "ok", "go", 0) + event(0, "invoke", "go") + event(0, "ok", "go", 0)
    done = run("check", "-", "--follow", "--spec", "mine.py:Once", "--json", stdin=text)
    assert done.code == 1
    assert done.json["spec"] == "Once"


def test_completions_that_stop_being_echoes_are_rejected(run, write):
    write(
        "mine.py",
        "import linpoint\n@linpoint.spec\nclass Any:\n    initial = 0\n    def go(state, x): return None, 1\n",
    )
    text = both(0, "go", 1) + event(0, "invoke", "go", 2) + event(0, "ok", "go", 3)
    done = run("check", "-", "--follow", "--spec", "mine.py:Any", "--json", stdin=text)
    assert (done.error["code"], done.error["place"]) == ("LP-U007", "-:4")


# Usage


@pytest.mark.parametrize(
    ("options", "code"),
    [
        (["a.log", "b.log", "--follow"], "LP-U001"),
        (["a.log", "--until-idle", "5s"], "LP-U001"),
        (["a.log", "--follow", "--until-idle", "soon"], "LP-U001"),
        (["a.log", "--follow", "--condition", "strict"], "LP-U007"),
        (["a.log", "--follow", "--checker", "dfs"], "LP-U007"),
        (["a.log", "--follow", "--clock-skew", "5ms"], "LP-U007"),
        (["a.log", "--follow", "--format", "csv"], "LP-U007"),
        (["a.log", "--follow", "--format", "none"], "LP-U001"),
    ],
)
def test_invalid_combinations_of_options_are_rejected(run, options, code):
    assert run("check", *options, "--spec", "register", "--json").error["code"] == code


def test_linear_can_be_requested(run):
    done = run("check", "-", "--follow", "--checker", "linear", "--spec", "register", "--json", stdin=GOOD)
    assert done.code == 0
    assert done.json["checker"] == "linear"


def test_memory_is_limited(run):
    done = run("check", "-", "--follow", "--max-memory", "10M", "--spec", "register", "--json", stdin=GOOD)
    assert done.code == 3
