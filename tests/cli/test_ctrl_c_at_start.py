# SPDX-License-Identifier: Apache-2.0
"""Ctrl-C at any moment of the start: the command's own message and exit code, never a traceback or a "violation".

The signal comes at certain points of the start, not at certain times. The exception is the test that has to begin
outside the process; it holds for any time.
"""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
import tomllib
from pathlib import Path

import pytest

from tests.command_server import COMMAND

INTERRUPTED = (3, "error: interrupted\n")
_PRESS = """
import os, signal, sys

class Press:
    def find_spec(self, name, *_):
        if name == "{module}":
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Press())
{begin}
"""
_LIST = """
import atexit, sys

class List:
    def __init__(self):
        self.names = []

    def find_spec(self, name, *_):
        self.names.append(name)

found = List()
sys.meta_path.insert(0, found)
atexit.register(lambda: print(*found.names, file=sys.stderr))
{begin}
"""


def _begin() -> str:
    """The start of the command's script."""
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    module, function = project["scripts"]["linpoint-python"].split(":")
    return f"from {module} import {function} as begin\nbegin()"


def _run(program: str, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", program, *words], capture_output=True, text=True, timeout=120, check=False
    )


@pytest.fixture(scope="module")
def imported() -> list[str]:
    """The modules that the start of a check imports, in order."""
    done = _run(_LIST.format(begin=_begin()), "check", "missing.jsonl", "--spec", "queue")
    names = done.stderr.splitlines()[-1].split()
    return names[names.index("linpoint") :]


def test_ctrl_c_ends_the_command_at_every_stage_of_its_imports(imported: list[str]) -> None:
    assert len(imported) > 100
    for module in [*imported[:: len(imported) // 12], "linpoint.cli.commands.check"]:
        done = _run(_PRESS.format(module=module, begin=_begin()), "check", "missing.jsonl", "--spec", "queue")
        assert (done.returncode, done.stderr) == INTERRUPTED, module
        assert not done.stdout


def test_ctrl_c_gives_a_document_with_json() -> None:
    done = _run(_PRESS.format(module="linpoint.histories.operation", begin=_begin()), "specs", "--json")
    assert (done.returncode, done.stderr) == INTERRUPTED
    assert json.loads(done.stdout)["why"] == "the run was interrupted"
    done = _run(_PRESS.format(module="linpoint.histories.operation", begin=_begin()), "test", "a.cpp", "--", "--json")
    assert (done.returncode, done.stderr, done.stdout) == (*INTERRUPTED, "")


@pytest.mark.parametrize("command", [["check", "--help"], ["--version"], ["test", "--help"], ["convert", "a", "b"]])
def test_ctrl_c_ends_every_command(command: list[str]) -> None:
    done = _run(_PRESS.format(module="linpoint.cli.main", begin=_begin()), *command)
    assert (done.returncode, done.stderr) == INTERRUPTED


def test_ctrl_c_ends_the_module(tmp_path: Path) -> None:
    """``python -m linpoint`` imports the package first."""
    (tmp_path / "sitecustomize.py").write_text(_PRESS.format(module="linpoint.histories.operation", begin=""))
    done = subprocess.run(
        [sys.executable, "-m", "linpoint", "specs"],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        env={"PYTHONPATH": str(tmp_path)},
    )
    assert (done.returncode, done.stderr) == INTERRUPTED


def test_a_program_that_imports_the_package_keeps_its_own_ctrl_c() -> None:
    done = _run("import signal, linpoint; print(signal.getsignal(signal.SIGINT) is signal.default_int_handler)")
    assert done.stdout == "True\n"


@pytest.mark.parametrize("milliseconds", [0, 2, 5, 10, 15, 20, 30, 50, 80])
def test_ctrl_c_is_never_reported_as_a_violation(milliseconds: int) -> None:
    """At any stage: before its first instruction the process is killed by the signal, like any other."""
    process = subprocess.Popen(
        [COMMAND, "check", "-", "--spec", "queue"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    time.sleep(milliseconds / 1000)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=120)
    assert process.returncode in (3, -signal.SIGINT)
    if process.returncode == 3:
        assert err == "error: interrupted\n" or (out.startswith("UNKNOWN: the run was interrupted") and not err)
    else:
        assert not out + err
