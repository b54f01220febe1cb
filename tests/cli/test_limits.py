# SPDX-License-Identifier: Apache-2.0
"""Budgets and Ctrl-C: the command ends in time, reports its progress, and never prints a traceback."""

from __future__ import annotations

import array
import contextlib
import fcntl
import json
import os
import pty
import select
import signal
import subprocess
import termios
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from linpoint.options.choices import CHECKERS
from tests.cli.conftest import Command, Writer, hard

Starter = Callable[..., subprocess.Popen[bytes]]

PATIENCE = 120.0
"""Seconds after which a command is considered to hang, even on a busy machine."""

DFS = ["--spec", "queue", "--checker", "dfs"]
FOREVER = """\
import linpoint, time

@linpoint.spec
class Spins:
    initial = 0
    def read(state):
        while True:
            pass

@linpoint.spec
class Sleeps:
    initial = 0
    def read(state):
        time.sleep(600)

hoard = []

@linpoint.spec
class Hoards:
    initial = 0
    def read(state):
        hoard.append(b"x" * (20 << 20))
        return state, state + 1
"""


def finished(start: Starter, *args: str, **options: Any) -> tuple[int, str, str]:
    """Run to the end, which only a limit causes."""
    process = start(*args, **options)
    try:
        out, err = process.communicate(timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        pytest.fail(f"linpoint {' '.join(args)} does not end")
    assert b"Traceback" not in err, err.decode()
    return process.returncode, out.decode(), err.decode()


@pytest.mark.parametrize(
    "checker", [checker for checker in CHECKERS if checker not in ("auto", "monitor", "graph", "frontier", "eras")]
)
def test_the_budget_ends_a_hard_check_which_reports_its_progress(start: Starter, write: Writer, checker: str) -> None:
    write("hard.jsonl", hard())
    code, out, _ = finished(start, "check", "hard.jsonl", "--spec", "queue", "--checker", checker, "--budget", "500ms")
    assert code == 3
    assert out.startswith("UNKNOWN: the time budget ran out")
    assert "of 60 operations" in out
    assert "configurations" in out


def test_a_monitor_that_does_not_apply_needs_no_budget(start: Starter, write: Writer) -> None:
    write("hard.jsonl", hard())
    code, out, _ = finished(start, "check", "hard.jsonl", "--spec", "queue", "--checker", "monitor")
    assert code == 3
    assert out.startswith("UNKNOWN: a value occurs more than once")


def test_the_budget_covers_the_whole_command(start: Starter, write: Writer) -> None:
    for name in "abcd":
        write(f"{name}.jsonl", hard())
    files = [f"{name}.jsonl" for name in "abcd"]
    code, out, _ = finished(start, "check", *files, *DFS, "--budget", "0.6", "--json")
    assert code == 3
    assert [file["verdict"] for file in json.loads(out)["files"]] == ["unknown"] * 4


def test_the_budget_holds_for_many_keys(start: Starter, write: Writer) -> None:
    lines = [{**line, "key": key, "process": f"{key}.{line['process']}"} for key in range(8) for line in hard()]
    write("keys.jsonl", lines)
    code, out, _ = finished(start, "check", "keys.jsonl", *DFS, "--budget", "500ms", "--json")
    assert code == 3
    assert [key["verdict"] for key in json.loads(out)["keys"]] == ["unknown"] * 8


def long_violation(count: int) -> list[dict[str, Any]]:
    """A stale read at the end of many overlapping writes: quick to find, slow to explain."""
    lines = [
        {"process": n % 2, "op": "write", "args": [n], "result": None, "call": 10 * n, "return": 10 * n + 12}
        for n in range(count)
    ]
    stale = {"process": 2, "op": "read", "result": 0, "call": 10 * count + 50, "return": 10 * count + 60}
    return [*lines, stale]


def test_the_budget_holds_while_explaining_and_the_finding_still_replays(
    start: Starter, run: Command, write: Writer
) -> None:
    write("long.jsonl", long_violation(20_000))
    code, out, _ = finished(start, "check", "long.jsonl", "--spec", "register", "--budget", "1s", "--json")
    assert code in (1, 3)
    if code == 1:
        (finding,) = json.loads(out)["findings"]
        assert run(*finding["replay"]).code == 1


@pytest.mark.parametrize("name", ["Spins", "Sleeps"])
def test_the_budget_holds_inside_a_users_spec(start: Starter, write: Writer, name: str) -> None:
    write("forever.py", FOREVER)
    write("read.jsonl", "A: |--read()->0--|")
    code, out, _ = finished(start, "check", "read.jsonl", "--spec", f"forever.py:{name}", "--budget", "500ms")
    assert code == 3
    assert out.startswith("UNKNOWN: the time budget ran out")


def test_the_budget_holds_while_a_users_spec_is_loaded(start: Starter, write: Writer) -> None:
    write("slow.py", "import time\ntime.sleep(600)\n")
    write("read.jsonl", "A: |--read()->0--|")
    code, _, _ = finished(start, "check", "read.jsonl", "--spec", "slow.py:X", "--budget", "500ms")
    assert code == 3


def test_the_budget_holds_while_reading(start: Starter) -> None:
    silent, never_closed = os.pipe()
    code, out, _ = finished(start, "check", "-", "--spec", "register", "--budget", "500ms", stdin=silent)
    os.close(silent)
    os.close(never_closed)
    assert code == 3
    assert out.startswith("UNKNOWN")
    assert "reading" in out


def test_memory_is_a_hard_limit(run: Command, write: Writer) -> None:
    write("hard.jsonl", hard())
    document = run("check", "hard.jsonl", *DFS, "--max-memory", "100M", "--budget", "20s", "--json").json
    assert document["verdict"] == "unknown"
    assert "memory" in document["why"]
    assert document["statistics"]["peak_memory_bytes"] < 110 * 2**20


def test_memory_that_is_already_exhausted_is_reported(run: Command, write: Writer) -> None:
    write("hard.jsonl", hard())
    done = run("check", "hard.jsonl", *DFS, "--max-memory", "1M")
    assert done.code == 3
    assert "memory" in done.out


@pytest.mark.parametrize("target", ["out.edn", "out.csv", "-"])
def test_a_conversion_without_memory_writes_nothing(run: Command, write: Writer, tmp_path: Path, target: str) -> None:
    write("hard.jsonl", hard())
    done = run("convert", "hard.jsonl", target, "--to", "csv", "--max-memory", "1M")
    assert (done.code, done.out) == (3, "")
    assert done.err.startswith("error: LP-U011 hard.jsonl: the memory budget ran out while reading it")
    assert [path.name for path in tmp_path.iterdir()] == ["hard.jsonl"]


def test_the_budget_of_a_conversion_holds_while_reading(start: Starter) -> None:
    silent, never_closed = os.pipe()
    code, out, err = finished(start, "convert", "-", "out.csv", "--budget", "500ms", stdin=silent)
    os.close(silent)
    os.close(never_closed)
    assert (code, out) == (3, "")
    assert err.startswith("error: LP-U011 -: the time budget ran out while reading it; nothing was written.")


def test_memory_is_a_hard_limit_inside_a_users_spec(run: Command, write: Writer) -> None:
    write("forever.py", FOREVER)
    write("reads.jsonl", "A: " + " ".join(f"|--read()->{n}--|" for n in range(20)))
    document = run("check", "reads.jsonl", "--spec", "forever.py:Hoards", "--max-memory", "120M", "--json").json
    assert document["verdict"] == "unknown"
    assert "memory" in document["why"]
    assert document["statistics"]["peak_memory_bytes"] < 200 * 2**20


# Ctrl-C


class Terminal:
    """A terminal for stderr, so that the command shows its progress for a test to read."""

    def __init__(self) -> None:
        self._main, self.end = pty.openpty()
        self.text = ""

    def wait_for(self, word: str, seconds: float = PATIENCE) -> None:
        deadline = time.monotonic() + seconds
        while word not in self.text:
            left = deadline - time.monotonic()
            assert left > 0, f"no {word!r} in {self.text!r}"
            self._read(left)

    def rest(self) -> str:
        while self._read(0.1):
            pass
        return self.text

    def _read(self, seconds: float) -> bool:
        ready, _, _ = select.select([self._main], [], [], seconds)
        if not ready:
            return False
        try:
            data = os.read(self._main, 65536)
        except OSError:
            return False
        self.text += data.decode(errors="replace")
        return bool(data)

    def close(self) -> None:
        for end in (self._main, self.end):
            with contextlib.suppress(OSError):
                os.close(end)


@pytest.fixture
def terminal() -> Any:
    made = Terminal()
    yield made
    made.close()


def interrupt(process: subprocess.Popen[bytes]) -> str:
    """Press Ctrl-C, without which the command would not end, and return its output."""
    process.send_signal(signal.SIGINT)
    try:
        out, _ = process.communicate(timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        pytest.fail("still running after Ctrl-C")
    return out.decode()


def test_ctrl_c_ends_a_hard_check_with_what_is_known(start: Starter, write: Writer, terminal: Terminal) -> None:
    write("hard.jsonl", hard())
    process = start("check", "hard.jsonl", *DFS, stderr=terminal.end)
    terminal.wait_for("checking")
    out = interrupt(process)
    assert process.returncode == 3
    assert out.startswith("UNKNOWN: the run was interrupted")
    assert "of 60 operations" in out
    assert "Traceback" not in terminal.rest()


def test_ctrl_c_gives_a_document_with_json(start: Starter, write: Writer, terminal: Terminal) -> None:
    write("hard.jsonl", hard())
    process = start("check", "hard.jsonl", *DFS, "--json", stderr=terminal.end)
    terminal.wait_for("checking")
    document = json.loads(interrupt(process))
    assert process.returncode == 3
    assert document["verdict"] == "unknown"
    assert "interrupted" in document["why"]


def test_ctrl_c_ends_the_whole_command(start: Starter, write: Writer, terminal: Terminal) -> None:
    for name in "abc":
        write(f"{name}.jsonl", hard())
    process = start("check", "a.jsonl", "b.jsonl", "c.jsonl", *DFS, "--json", stderr=terminal.end)
    terminal.wait_for("checking")
    document = json.loads(interrupt(process))
    assert process.returncode == 3
    assert [file["verdict"] for file in document["files"]] == ["unknown"] * 3


def test_ctrl_c_while_explaining_keeps_the_violation(start: Starter, write: Writer, terminal: Terminal) -> None:
    write("long.jsonl", long_violation(20_000))
    process = start("check", "long.jsonl", "--spec", "register", "--checker", "dfs", stderr=terminal.end)
    terminal.wait_for("explaining")
    out = interrupt(process)
    assert out.startswith("VIOLATION")
    assert process.returncode == 1
    assert "Traceback" not in terminal.rest()


def test_ctrl_c_ends_the_reading_of_an_endless_input(start: Starter) -> None:
    process = start("check", "-", "--spec", "register", stdin=subprocess.PIPE)
    assert process.stdin is not None
    process.stdin.write(b'{"process": 0, "op": "read"')
    process.stdin.flush()
    unread = array.array("i", [1])
    deadline = time.monotonic() + PATIENCE
    while unread[0] and time.monotonic() < deadline:  # wait until the command has begun to read
        fcntl.ioctl(process.stdin, termios.FIONREAD, unread)
        time.sleep(0.01)
    time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=PATIENCE) == 3
    assert process.stdout is not None
    assert process.stdout.read().startswith(b"UNKNOWN")
    assert process.stderr is not None
    assert b"Traceback" not in process.stderr.read()


def test_ctrl_c_ends_a_user_spec(start: Starter, write: Writer, terminal: Terminal) -> None:
    write("forever.py", FOREVER)
    write("read.jsonl", "A: |--read()->0--|")
    process = start("check", "read.jsonl", "--spec", "forever.py:Spins", stderr=terminal.end)
    terminal.wait_for("checking")
    out = interrupt(process)
    assert process.returncode == 3
    assert out.startswith("UNKNOWN: the run was interrupted")
    assert "Traceback" not in terminal.rest()


def test_ctrl_c_ends_the_loading_of_a_user_spec(start: Starter, write: Writer) -> None:
    write("slow.py", "import time\nprint('loading', flush=True)\ntime.sleep(600)\n")
    write("read.jsonl", "A: |--read()->0--|")
    process = start("check", "read.jsonl", "--spec", "slow.py:X")
    ready, _, _ = select.select([process.stdout, process.stderr], [], [], PATIENCE)
    assert ready
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 3
    assert b"Traceback" not in err
