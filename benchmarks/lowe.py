# SPDX-License-Identifier: Apache-2.0
"""Lowe's experiment (Testing for Linearizability, 2017): his four algorithms, and the depth-first Linear that he asks
for, on runs of a lock-free queue with four workers.

As on his slides each worker does 2^5 to 2^10 operations per run, an observation is a number of runs with a fixed total
of operations, and means of observations come with 95 % confidence intervals. Here all algorithms check the same
recorded runs, and the time is that of checking alone. A run that is not decided in time counts with its time limit, and
the mean is then a lower bound; after a few of them an algorithm is not tried further at that size.

    python -m benchmarks.lowe --observations 10 --timeout 10
"""

from __future__ import annotations

import argparse
import csv
import json
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from benchmarks import confidence, plot, recording
from benchmarks.report import seconds
from benchmarks.running import ROOT, Ended, run

ALGORITHMS: Final = ("wing-gong", "dfs", "linear", "linear-dfs", "competition")
WORKERS: Final = 4
_PATIENCE: Final = 3
"""Undecided runs at one size after which an algorithm is abandoned there."""


@dataclass(frozen=True, slots=True)
class Plan:
    """The size: powers of two of operations per worker, operations per observation, seconds per run."""

    powers: range = range(5, 11)
    observations: int = 10
    total: int = 4096
    timeout: float = 10.0
    memory: int = 9 * 2**30
    algorithms: Sequence[str] = ALGORITHMS


@dataclass(frozen=True, slots=True)
class Result:
    """One algorithm at one size: the mean seconds of an observation and half its interval, or why there is none."""

    algorithm: str
    operations: int
    runs: int
    observations: int = 0
    mean: float = 0.0
    half_width: float = 0.0
    undecided: int = 0
    note: str = ""

    def __str__(self) -> str:
        if not self.observations:
            return self.note
        open_ones = f" ({self.undecided} not decided)" if self.undecided else ""
        return f"{'>' if self.undecided else ''}{seconds(self.mean)} ± {seconds(self.half_width)}{open_ones}"


def experiment(plan: Plan, out: Path) -> list[Result]:
    """Run the experiment, print a table as it goes, and write ``lowe.csv`` and ``lowe.svg`` to ``out``."""
    print(f"Lowe's experiment: {WORKERS} workers on a lock-free queue, observations of {plan.total} operations,")
    print(f"mean ± half of the 95 % confidence interval over {plan.observations} observations, at most")
    print(f"{plan.timeout:g} s per run; every algorithm checks the same recorded runs\n")
    print(f"{'per worker':>10}{'runs':>6}{'overlap':>9}  " + "".join(f"{name:<30}" for name in plan.algorithms))
    results: list[Result] = []
    out.mkdir(parents=True, exist_ok=True)
    with (out / "lowe.csv").open("w", newline="", encoding="utf-8") as file:
        table = csv.writer(file)
        names = ["observations", "mean_seconds", "half_width_seconds", "undecided_runs", "note"]
        table.writerow(["operations_per_worker", "runs_per_observation", "algorithm", *names])
        try:
            for power in plan.powers:
                for result in _size(plan, 2**power):
                    results.append(result)
                    measured = [result.observations, result.mean, result.half_width, result.undecided, result.note]
                    table.writerow([result.operations, result.runs, result.algorithm, *measured])
                    file.flush()
        finally:
            (out / "lowe.svg").write_text(_drawn(results, plan), encoding="utf-8")
    return results


def _size(plan: Plan, operations: int) -> Iterator[Result]:
    """All algorithms at one size, printed as a row of the table."""
    runs = max(1, plan.total // (WORKERS * operations))
    with tempfile.TemporaryDirectory() as folder:
        files = []
        shares = []
        for number in range(plan.observations * runs):
            lines = recording.record(WORKERS, operations, seed=number)
            shares.append(recording.overlap(lines))
            files.append(Path(folder) / f"run-{number}.jsonl")
            files[-1].write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")
        share = sum(shares) / len(shares)
        print(f"{operations:>10}{runs:>6}{share:>8.0%}   ", end="", flush=True)
        for algorithm in plan.algorithms:
            result = _algorithm(plan, algorithm, operations, runs, files)
            print(f"{result!s:<29}", end=" ", flush=True)
            yield result
    print()


def _algorithm(plan: Plan, algorithm: str, operations: int, runs: int, files: list[Path]) -> Result:
    command = [
        *(sys.executable, "-m", "benchmarks.ours", "--spec", "queue", "--checker", algorithm),
        *("--timeout", str(plan.timeout), "--max-memory", str(plan.memory)),
        *("--give-up-after", str(_PATIENCE), "--wait", *map(str, files)),
    ]
    patience = 60 + plan.timeout * (len(files) + 1)
    ended = run(command, patience=patience, memory=plan.memory * 11 // 10)
    return _result(algorithm, operations, runs, ended)


def _result(algorithm: str, operations: int, runs: int, ended: Ended) -> Result:
    said = [line for line in ended.lines if "error" not in line]
    broken = [line for line in ended.lines if "error" in line]
    if broken:
        note = "not there" if broken[0]["error"] == "LP-U002" else f"error: {broken[0]['message']}"
        return Result(algorithm, operations, runs, note=note)
    if any(line["verdict"] == "violation" for line in said):
        return Result(algorithm, operations, runs, note="WRONG: the queue is linearizable")
    undecided = sum(line["verdict"] == "unknown" for line in said)
    spent = [line["seconds"][0] for line in said]
    whole = [sum(spent[at : at + runs]) for at in range(0, len(spent) - runs + 1, runs)]
    if not whole:
        note = ended.why or f"abandoned: {undecided} runs not decided"
        return Result(algorithm, operations, runs, undecided=undecided, note=note)
    mean, half_width = confidence.interval(whole)
    return Result(algorithm, operations, runs, len(whole), mean, half_width, undecided, ended.why)


def _drawn(results: Sequence[Result], plan: Plan) -> str:
    series: dict[str, list[plot.Point]] = {}
    for result in results:
        if result.observations:
            low = max(result.mean - result.half_width, result.mean / 10)  # a logarithmic axis has no zero
            point = plot.Point(
                result.operations,
                result.mean,
                str(result),
                low,
                result.mean + result.half_width,
                open_end=bool(result.undecided),
            )
            series.setdefault(result.algorithm, []).append(point)
    title = f"Lowe's experiment: {WORKERS} workers on a lock-free queue"
    return plot.curves(title, "operations per worker", f"seconds for {plan.total} operations", series)


def main() -> int:
    """Run the experiment alone; exit code 1 if an algorithm was wrong."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.lowe", description=__doc__.split("\n", 1)[0])
    usual = Plan()
    parser.add_argument("--powers", type=int, nargs=2, metavar=("FIRST", "LAST"), default=(5, 10))
    parser.add_argument("--observations", type=int, default=usual.observations)
    parser.add_argument("--total", type=int, default=usual.total, help="operations per observation")
    parser.add_argument("--timeout", type=float, default=usual.timeout, help="seconds per run")
    parser.add_argument("--algorithms", nargs="+", default=list(ALGORITHMS))
    parser.add_argument("--out", type=Path, default=ROOT / "build" / "bench")
    options = parser.parse_args()
    plan = Plan(
        range(options.powers[0], options.powers[1] + 1),
        options.observations,
        options.total,
        options.timeout,
        algorithms=options.algorithms,
    )
    try:
        results = experiment(plan, options.out)
    except KeyboardInterrupt:
        print("\nstopped; the measurements are in", options.out)
        return 130
    print(f"\nwrote {options.out / 'lowe.csv'} and {options.out / 'lowe.svg'}")
    return int(any(result.note.startswith("WRONG") for result in results))


if __name__ == "__main__":
    sys.exit(main())
