# SPDX-License-Identifier: Apache-2.0
"""Lowe's four bugs (Testing for Linearizability, "Finding bugs"): how long `linpoint test --stress` takes to find each.

His datatypes are not public. These are of the same kinds with bugs of the same causes, written by us in C++ (see
tests/subjects/stress/cpp), and his figures are from other machines and the JVM: only the orders of magnitude can be
compared. As on his slides, a time is the mean over runs with different seeds, with its 95 % confidence interval. The
time is that of the command after compiling: starting the program, running, checking, up to the verdict. The column
"command" has the time of the whole command with the program already compiled, up to the printed explanation. Correct
twins are stressed as well, and must pass.

    python -m benchmarks.lowe_bugs --runs 20
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from benchmarks import confidence
from benchmarks.report import seconds
from benchmarks.running import ROOT
from linpoint.targets.build_recipe import BuildRecipe
from linpoint.targets.compiler_discovery import find_compiler
from linpoint.targets.stress_executable_builder import build_executable

SOURCES: Final = ROOT / "tests" / "subjects" / "stress" / "cpp"
_BROKEN: Final = ("--", "-DLINPOINT_BROKEN")


@dataclass(frozen=True, slots=True)
class Bug:
    """One of his bugs, with his mean in seconds and half the width of its interval."""

    name: str
    file: str
    spec: str
    mean: float
    half_width: float


BUGS: Final = (
    Bug("map", "bucket_map_linpoint.cpp", "map", 12.4, 2.1),
    Bug("hash map, resizing", "resizing_map_linpoint.cpp", "map", 15.7, 2.5),
    Bug("skip list, hash collisions", "skip_list_linpoint.cpp", "set", 0.100, 0.022),
    Bug("sharded map, lock-free reads", "sharded_map_linpoint.cpp", "map", 0.499, 0.071),
)


@dataclass(frozen=True, slots=True)
class Found:
    """How one bug was found, run by run: seconds of stress, seconds of the whole command, runs of the object."""

    bug: Bug
    stressing: tuple[float, ...]
    commands: tuple[float, ...]
    runs: tuple[int, ...]
    twin: dict[str, Any]
    """The report on the correct twin."""

    @property
    def wrong(self) -> str:
        """What was missed, found wrongly, or not tested; empty if all is well."""
        if not self.stressing:
            return "the bug was missed"
        if self.twin["verdict"] == "unknown":
            return f"its correct twin was not tested: {self.twin['why']}"
        return "" if self.twin["verdict"] == "linearizable" else "its correct twin fails"


def main() -> int:
    """Measure and print; the exit code is 1 if a verdict is wrong."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=20, help="number of runs, with different seeds (default 20)")
    parser.add_argument("--budget", type=float, default=60.0, help="maximum seconds per run (default 60)")
    parser.add_argument("--twins", type=float, default=5.0, help="seconds for each correct twin (default 5)")
    parser.add_argument("--select", default="", help="only bugs whose names contain this")
    options = parser.parse_args()
    return int(experiment(options.runs, options.budget, options.twins, select=options.select))


def experiment(runs: int, budget: float, twins: float, *, select: str = "") -> bool:
    """Print a table; whether a verdict was wrong."""
    print(f"Lowe's four bugs, {runs} seeds; means with 95 % confidence intervals")
    print(f"{len(os.sched_getaffinity(0))} cores, load {os.getloadavg()[0]:.1f} at the beginning\n")
    print(f"{'bug':30}{'Lowe':>18}{'stress':>22}{'command':>22}{'objects':>10}  ratio")
    wrong = False
    for bug in (each for each in BUGS if select in each.name):
        found = measure(bug, runs, budget, twins)
        wrong = wrong or bool(found.wrong)
        print(_row(found), flush=True)
    print(f"\nload {os.getloadavg()[0]:.1f} at the end; correct twins ran for {twins:g} s each")
    return wrong


def measure(bug: Bug, runs: int, budget: float, twins: float) -> Found:
    """Find a bug repeatedly."""
    for flags in ((), _BROKEN[1:]):
        build_executable(BuildRecipe((str(SOURCES / bug.file),), flags, find_compiler()))
    stressing: list[float] = []
    commands: list[float] = []
    objects: list[int] = []
    for seed in range(1, runs + 1):
        began = time.monotonic()
        told = _command(bug, seed, budget, broken=True)
        if told["verdict"] != "violation":
            return Found(bug, (), (), (), {})
        commands.append(time.monotonic() - began)
        stressing.append(told["statistics"]["seconds"])
        objects.append(told["statistics"]["runs"])
    twin = _command(bug, 1, twins, broken=False)
    return Found(bug, tuple(stressing), tuple(commands), tuple(objects), twin)


def _command(bug: Bug, seed: int, budget: float, *, broken: bool) -> dict[str, Any]:
    words = ["test", str(SOURCES / bug.file), "--spec", bug.spec, "--stress", "--seed", str(seed)]
    words += ["--budget", f"{budget:g}s", "--json", *(_BROKEN if broken else ())]
    command = Path(sys.executable).with_name("linpoint")
    done = subprocess.run([str(command), *words], capture_output=True, check=False)
    told: dict[str, Any] = json.loads(done.stdout)
    if "error" in told:
        raise SystemExit(told["error"]["message"])
    return told


def _row(found: Found) -> str:
    bug = found.bug
    theirs = f"{seconds(bug.mean)} +- {seconds(bug.half_width)}"
    if found.wrong:
        return f"{bug.name:30}{theirs:>18}  WRONG: {found.wrong}"
    parts = [confidence.interval(times) for times in (found.stressing, found.commands)]
    ours = "".join(f"{f'{seconds(mean)} +- {seconds(half)}':>22}" for mean, half in parts)
    mean_runs = sum(found.runs) / len(found.runs)
    return f"{bug.name:30}{theirs:>18}{ours}{mean_runs:>10.1f}{bug.mean / parts[0][0]:>7.0f}"


if __name__ == "__main__":
    sys.exit(main())
