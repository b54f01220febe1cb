# SPDX-License-Identifier: Apache-2.0
"""One small run of each engine: the commands, their input, and how to record one."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tools.walks.walk import Walk, load_walk

_ROOT: Final = Path(__file__).parents[2]
_INJECTED: Final = Path(__file__).parent / "injected"
_TIMEOUT_S: Final = 600.0

_PYTHON_TEST: Final = """\
import linpoint


class Counter:
    def __init__(self):
        self.value = 0

    def increment(self):
        value = self.value
        self.value = value + 1
        return value


class TestCounter(linpoint.ConcurrentTest):
    def setup(self):
        return Counter()

    @linpoint.operation
    def increment(self, counter):
        return counter.increment()
"""

_CPP_TEST: Final = """\
// linpoint: --spec counter
#include <atomic>

#include <linpoint/test.hpp>

struct Counter {
  std::atomic<int> value{0};
  void increment() { value.store(value.load() + 1); }
  int read() { return value.load(); }
};

LINPOINT_TEST(Counter, increment, read)
"""


@dataclass(frozen=True, slots=True)
class Run:
    """One run of an engine."""

    engine: str
    arguments: tuple[str, ...]
    exit_code: int
    files: tuple[tuple[str, str], ...] = ()
    """Input files by name, with their content."""
    compiles: bool = False
    """It needs a C++ compiler."""


RUNS: Final = (
    Run("check", ("check", str(_ROOT / "tests/data/stale-read.jsonl"), "--spec", "register"), 1),
    Run("test Python", ("test", "counter_test.py", "--budget", "60s"), 1, (("counter_test.py", _PYTHON_TEST),)),
    Run("test C++", ("test", "counter.cpp", "--budget", "120s"), 1, (("counter.cpp", _CPP_TEST),), compiles=True),
    Run("refine", ("refine", str(_ROOT / "examples/models/array_queue.py")), 1),
    Run(
        "crash",
        ("crash", str(_ROOT / "examples/persistent/guest_list.cpp"), "--spec", "set", "--operations", "20"),
        1,
        compiles=True,
    ),
)


def record_walk(run: Run, directory: Path) -> Walk:
    """Make a run in an empty directory and load its walk; raises RuntimeError if its exit code is unexpected."""
    for name, content in run.files:
        (directory / name).write_text(content, encoding="utf-8")
    walks = directory / "walks"
    walks.mkdir()
    environment = os.environ | {"PYTHONPATH": str(_INJECTED), "LINPOINT_WALK_DIRECTORY": str(walks)}
    command = [str(Path(sys.executable).with_name("linpoint")), *run.arguments]
    done = subprocess.run(
        command,
        cwd=directory,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=_TIMEOUT_S,
        check=False,
    )
    if done.returncode != run.exit_code:
        output = (done.stdout + done.stderr).decode(errors="replace")
        raise RuntimeError(f"{' '.join(command)} exited with {done.returncode}, not {run.exit_code}:\n{output}")
    return load_walk(run.engine, walks)
