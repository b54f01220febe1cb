# SPDX-License-Identifier: Apache-2.0
"""The experiments of the precedence graph's paper (Cepeda et al., OPODIS 2019, section 6.1), on a log of the driver.

    figure 8   time and edges over prefixes of a log of 1 GB, and how linear they are; edges are those of the paper's
               graph with its minimal set of happens-before edges, which our algorithm does not need
    figure 9   the paper's graph with all happens-before edges against the minimal set, on prefixes up to 1 MB
    loop       the whole log to its certified verdict, compared with a plain loop of ``json.loads`` over the same lines

Every measurement is a separate process. Slowness is never a failure, only a wrong answer.

    python -m benchmarks.graph [--quick] [--log FILE]
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from benchmarks.running import run
from examples.persistent_mwcas.run import BuildError, build

_OPERATIONS: Final = 5_200_000
"""With four words each, which gives about 1 GB."""
_PATIENCE: Final = 600.0
_MEMORY: Final = 12 << 30
_MEGABYTE: Final = 1_000_000


def experiment(*, quick: bool, log: Path | None = None) -> bool:
    """Measure and print everything; whether an answer was wrong."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            whole = log or _drive(Path(folder), _OPERATIONS // (20 if quick else 1))
        except BuildError as error:
            print(f"graph: skipped: {error}")
            return False
        wrong = _over_prefixes(whole, Path(folder), prefixes=3 if quick else 10, rounds=1 if quick else 5)
        _naive(whole, Path(folder))
        return _beside_a_loop(whole, rounds=3) or wrong


def _drive(folder: Path, operations: int) -> Path:
    """A log of the driver: two threads, multi-word reads and compare-and-swaps of four words each."""
    log = folder / "log.jsonl"
    options = ["--threads", "2", "--operations", str(operations // 2), "--words", "4", "--addresses", "10000"]
    options += ["--stale", "0.05", "--yield", "0", "--log", str(log)]
    subprocess.run([build(folder), *options], check=True, capture_output=True)
    return log


def _over_prefixes(whole: Path, folder: Path, *, prefixes: int, rounds: int) -> bool:
    """Rounds iterate over all prefixes, so that a slow minute of the machine does not affect only one prefix."""
    size = whole.stat().st_size
    print(f"figure 8: prefixes of a log of {size / 1e9:.2f} GB, means of {rounds} runs")
    seconds: dict[int, list[float]] = {number: [] for number in range(1, prefixes + 1)}
    rows: dict[int, tuple[float, int, int]] = {}
    wrong = False
    for _ in range(rounds):
        part = _prefix(whole, folder, size)
        for number in range(prefixes, 0, -1):
            _cut(part, size * number // prefixes)
            said = _one("benchmarks.long", "load", str(part), "mwcas")
            wrong = wrong or (said["verdict"], said["checker"]) != ("linearizable", "graph")
            seconds[number].append(said["seconds"])
            if number not in rows:
                edges = _one("benchmarks.graph", "edges", str(part), "MINIMAL")["edges"]
                rows[number] = part.stat().st_size / _MEGABYTE, _lines(part), edges
        part.unlink()
    print(f"{'MB':>7}{'operations':>12}{'seconds':>10}{'+-':>7}{'edges':>14}")
    for number, taken in seconds.items():
        megabytes, lines, edges = rows[number]
        spread = statistics.stdev(taken) if rounds > 1 else 0.0
        print(f"{megabytes:>7.0f}{lines:>12,}{statistics.mean(taken):>10.3f}{spread:>7.3f}{edges:>14,}")
    sizes = [rows[number][0] for number in seconds]
    straight = _straight(sizes, [statistics.mean(taken) for taken in seconds.values()])
    print(f"  a straight line explains {straight:.4f} of the time (R^2), ", end="")
    print(f"{_straight(sizes, [rows[number][2] for number in seconds]):.6f} of the edges", flush=True)
    return wrong


def _naive(whole: Path, folder: Path) -> None:
    print("\nfigure 9: the paper's graph with all happens-before edges, and with the minimal set")
    print(f"{'MB':>7}{'operations':>12}{'all':>14}{'minimal':>10}{'seconds':>10}{'minimal':>10}{'ratio':>8}")
    for tenths in (2, 4, 6, 8, 10):
        part = _prefix(whole, folder, tenths * _MEGABYTE // 10)
        everything = _one("benchmarks.graph", "edges", str(part), "ALL")
        minimal = _one("benchmarks.graph", "edges", str(part), "MINIMAL")
        print(
            f"{tenths / 10:>7.1f}{_lines(part):>12,}{everything['edges']:>14,}{minimal['edges']:>10,}"
            f"{everything['seconds']:>10.4f}{minimal['seconds']:>10.4f}"
            f"{everything['seconds'] / minimal['seconds']:>7.0f}x",
            flush=True,
        )
        part.unlink()


def _beside_a_loop(whole: Path, *, rounds: int) -> bool:
    loops, checks, peaks, wrong = [], [], [], False
    for _ in range(rounds):
        loops.append(_one("benchmarks.long", "loads", str(whole))["seconds"])
        said = _one("benchmarks.long", "load", str(whole), "mwcas")
        wrong = wrong or said["verdict"] != "linearizable"
        checks.append(said["seconds"])
        peaks.append(said["peak"])
    loop, check = min(loops), min(checks)
    print(f"\nloop: {whole.stat().st_size / 1e9:.2f} GB, best of {rounds} rounds")
    print(f"  json.loads on every line       {loop:.3f} s")
    print(f"  read, check and certify        {check:.3f} s   {loop / check:.1f}x faster, {max(peaks) / 1e9:.2f} GB")
    return wrong


def _prefix(whole: Path, folder: Path, size: int) -> Path:
    """The lines of a log that begin within its first bytes, synced to disk: writing would disturb the measurement."""
    part = folder / "prefix.jsonl"
    with whole.open("rb") as source, part.open("wb") as target:
        while source.tell() < size and (some := source.read(min(1 << 22, size - source.tell()))):
            target.write(some)
        target.write(source.readline())
        target.flush()
        os.fsync(target.fileno())
    return part


def _cut(part: Path, size: int) -> None:
    """Keep the lines that begin within the first bytes."""
    with part.open("r+b") as file:
        file.seek(size)
        file.readline()
        file.truncate()


def _lines(part: Path) -> int:
    with part.open("rb") as file:
        return sum(1 for _ in file)


def _one(module: str, *arguments: str) -> dict[str, Any]:
    """The measurement by a separate process, with its peak memory."""
    ended = run([sys.executable, "-m", module, *arguments], patience=_PATIENCE, memory=_MEMORY)
    if not ended.lines:
        raise RuntimeError(f"{module} {' '.join(arguments)}: {ended.why or 'no output'}")
    return {**ended.lines[-1], "peak": ended.peak}


def _straight(x: Sequence[float], y: Sequence[float]) -> float:
    return statistics.correlation(x, y) ** 2 if len(x) > 1 else 1.0


def _edges(file: str, kind: str) -> dict[str, Any]:
    """The number of edges of the paper's graph, and the time to create them and to search for a cycle."""
    import linpoint  # noqa: PLC0415 - in the process that measures
    from linpoint.checkers._native_search import TimeEdges, measure_graph  # noqa: PLC0415
    from linpoint.checkers.history_interpretation import HistoryInterpretation  # noqa: PLC0415
    from linpoint.checkers.precedence_decider import MemoryWords  # noqa: PLC0415
    from linpoint.specs import mwcas  # noqa: PLC0415

    reading = HistoryInterpretation(linpoint.load(file), mwcas(), "linearizable")
    positions = reading.objects()[0][1]
    memory = MemoryWords(reading)
    content, blueprint, condition = memory.twin.content(positions), memory.twin.blueprint, reading.native_condition
    started = time.perf_counter()
    (times, others), acyclic = measure_graph(memory.columns, positions, content, blueprint, condition, TimeEdges[kind])
    assert acyclic
    return {"seconds": time.perf_counter() - started, "edges": times + others, "time_edges": times}


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.graph", description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--quick", action="store_true", help="use a twentieth of the log, and fewer runs")
    parser.add_argument("--log", type=Path, help="an existing log of the driver")
    return parser.parse_args()


if __name__ == "__main__":
    if sys.argv[1:2] == ["edges"]:
        print(json.dumps(_edges(*sys.argv[2:4])))
    else:
        chosen = _options()
        sys.exit(experiment(quick=chosen.quick, log=chosen.log))
