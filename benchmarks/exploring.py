# SPDX-License-Identifier: Apache-2.0
"""Exploring Python threads compared with frontrun: executions per second, and executions until everything was explored.

Both explore all interleavings of the same calls on the same counter, each in its own process, in turn and round after
round; the median counts. frontrun checks an invariant that always holds, without its detection of I/O; linpoint judges
every history against a spec. frontrun is installed from the package index into ``build/bench/frontrun``; if that fails,
only linpoint is measured.

    python -m benchmarks.exploring
    python -m benchmarks.exploring --rounds 3
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
import venv
from pathlib import Path
from typing import Any, Final

from benchmarks.running import ROOT

PEER: Final = "frontrun==0.7.0"
CELLS: Final = ("increment|increment", "increment;increment|increment;increment", "increment|increment|increment")
_MOST_SECONDS: Final = 120


class Counter:
    """A counter that loses updates."""

    def __init__(self) -> None:
        self.value = 0

    def increment(self) -> int:
        """Increment."""
        self.value += 1
        return self.value


def main() -> int:
    """Measure both sides; see ``--help``."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.exploring", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--rounds", type=int, default=5, help="number of rounds; the median counts (default 5)")
    parser.add_argument(
        "--out", type=Path, default=ROOT / "build" / "bench", help="where frontrun is installed (build/bench)"
    )
    parser.add_argument("--ours", metavar="CELL", help=argparse.SUPPRESS)
    parser.add_argument("--theirs", metavar="CELL", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.ours or options.theirs:
        print(json.dumps(explore_ours(options.ours) if options.ours else explore_theirs(options.theirs)))
        return 0
    return compare(options.rounds, _installed(options.out))


def compare(rounds: int, peer: Path | None) -> int:
    """Print a row for each cell."""
    print(f"{'calls of each thread':44} {'executions':>22} {'per second':>22} {'ratio':>7}")
    wrong = False
    for cell in CELLS:
        measured: dict[str, list[dict[str, Any]]] = {"ours": [], "theirs": []}
        for _ in range(rounds):
            measured["ours"].append(_run([sys.executable], "--ours", cell))
            if peer is not None:
                measured["theirs"].append(_run([str(peer / "frontrun"), str(peer / "python")], "--theirs", cell))
        ours = measured["ours"]
        rate = statistics.median(each["runs"] / each["seconds"] for each in ours)
        wrong = wrong or not all(each["exhaustive"] for each in ours)
        row = [f"{ours[0]['runs']:,}", f"{rate:,.0f}"]
        if measured["theirs"]:
            theirs = statistics.median(each["runs"] / each["seconds"] for each in measured["theirs"])
            row = [f"{ours[0]['runs']:,} ({measured['theirs'][0]['runs']:,})", f"{rate:,.0f} ({theirs:,.0f})"]
            row.append(f"{rate / theirs:.1f}x")
        print(f"{cell:44} {row[0]:>22} {row[1]:>22} {row[2] if len(row) > 2 else '':>7}", flush=True)
    print("in brackets: frontrun")
    return 1 if wrong else 0


def explore_ours(cell: str) -> dict[str, Any]:
    """Every interleaving by DPOR, each history judged."""
    import linpoint
    from linpoint.limits.search_limits import SearchLimits
    from linpoint.scenarios.concurrent_test import definition_of_object
    from linpoint.subjects.python_object.object_judge import ObjectJudge
    from linpoint.subjects.python_object.scenario_runner import ScenarioRunner
    from linpoint.subjects.python_object.scenario_search import ScenarioSearch
    from linpoint.subjects.python_object.subject import PythonObjectSubject

    @linpoint.spec
    class Anything:
        initial = 0

        def increment(state: int) -> list[tuple[int, int]]:  # noqa: N805 - the first argument of a step is the state
            return [(result, state) for result in range(9)]

    definition = definition_of_object(Counter, ["increment"], spec=Anything)
    scenario = " | ".join("; ".join(f"{call}()" for call in thread.split(";")) for thread in cell.split("|"))
    with PythonObjectSubject(definition=definition).control() as control:
        runner = ScenarioRunner(definition, definition.accept(scenario), control)
        search = ScenarioSearch(runner, ObjectJudge(definition, control))
        started = time.perf_counter()
        search.first_failure("dpor", SearchLimits(time.monotonic() + _MOST_SECONDS))
        seconds = time.perf_counter() - started
    coverage = search.coverage
    return {"runs": coverage.unbounded, "seconds": seconds, "exhaustive": coverage.exhaustive}


def explore_theirs(cell: str) -> dict[str, Any]:
    """Every interleaving by frontrun's DPOR, with an invariant that always holds."""
    import frontrun  # type: ignore[import-not-found]

    def worker(calls: list[str]) -> Any:
        def run(counter: Counter) -> None:
            for call in calls:
                getattr(counter, call)()

        return run

    started = time.perf_counter()
    found = frontrun.explore(
        Counter,
        [worker(thread.split(";")) for thread in cell.split("|")],
        lambda _: True,
        preemption_bound=None,
        stop_on_first=False,
        detect_io=False,
        reproduce_on_failure=0,
        total_timeout=_MOST_SECONDS,
    )
    return {"runs": found.num_explored, "seconds": time.perf_counter() - started, "exhaustive": found.exhausted}


def _run(program: list[str], side: str, cell: str) -> dict[str, Any]:
    command = [*program, "-m", "benchmarks.exploring", side, cell]
    path = os.pathsep.join([str(Path(program[0]).parent), os.environ.get("PATH", "")])
    done = subprocess.run(
        command, cwd=ROOT, env={**os.environ, "PATH": path}, capture_output=True, text=True, timeout=600, check=True
    )
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def _installed(out: Path) -> Path | None:
    """The directory of programs of an environment with frontrun, or None after a message on why there is none."""
    folder = out / "frontrun"
    programs = folder / "bin"
    try:
        if not (programs / "frontrun").exists():
            venv.create(folder, with_pip=True)
            subprocess.run([str(programs / "python"), "-m", "pip", "install", "-q", PEER], check=True, timeout=600)
    except (OSError, subprocess.SubprocessError) as error:
        print(f"without frontrun: {error}", file=sys.stderr)
        return None
    return programs


if __name__ == "__main__":
    sys.exit(main())
