# SPDX-License-Identifier: Apache-2.0
"""One history in each format: the cost of converting it, and of reading and checking it, compared with operation lines.

    table    operations of a map with keys, as lines, Parquet, Arrow and CSV
    events   operations of a register as EDN and JSON events

Every measurement is a separate process: wall-clock and processor time, peak memory, and the ratio to the lines.
Slowness is never a failure, only a wrong answer.
"""

from __future__ import annotations

import argparse
import json
import resource
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, Final

from benchmarks.running import run
from benchmarks.steady import operation_lines

_PATIENCE: Final = 1800.0
_MEMORY: Final = 16 << 30
_TABLE: Final = ("map", ("jsonl", "parquet", "arrow", "csv", "jsonl.gz"))
_EVENTS: Final = ("register", ("jsonl", "edn", "json"))


def experiment(*, quick: bool = False, operations: int | None = None, rounds: int = 3) -> bool:
    """Measure and print everything; whether an answer was wrong."""
    wrong = False
    for (kind, suffixes), usual in ((_TABLE, 1_000_000), (_EVENTS, 250_000)):
        count = operations or (usual // 10 if quick else usual)
        with tempfile.TemporaryDirectory() as folder:
            wrong = _formats(Path(folder), kind, suffixes, count, rounds) or wrong
    return wrong


def _formats(folder: Path, kind: str, suffixes: tuple[str, ...], count: int, rounds: int) -> bool:
    print(f"\nformats: {count:,} operations of a {kind}; seconds, best of {rounds}; x: relative to operation lines")
    print(f"{'':12}{'convert':>9}{'read':>9}{'check':>9}{'both':>9}{'x':>7}{'cpu':>9}{'peak':>11}{'file':>11}")
    source = folder / "source.jsonl"
    with source.open("w", encoding="utf-8") as target:
        target.writelines(operation_lines(kind, count))
    wrong, lines = False, 0.0
    for suffix in suffixes:
        file = folder / f"history.{suffix}"
        converted = _measure("convert", str(source), str(file))
        found = min((_measure("check", str(file), kind) for _ in range(rounds)), key=lambda each: each["both"])
        wrong = wrong or found["verdict"] != "linearizable"
        lines = lines or found["both"]
        numbers = f"{converted['both']:>9.2f}{found['read']:>9.2f}{found['check']:>9.2f}{found['both']:>9.2f}"
        sizes = f"{found['peak'] / 2**20:>8.0f} MB{file.stat().st_size / 2**20:>8.0f} MB"
        print(f"{suffix:12}{numbers}{found['both'] / lines:>7.2f}{found['cpu']:>9.2f}{sizes}", flush=True)
    return wrong


def _measure(what: str, *arguments: str) -> dict[str, Any]:
    command = [sys.executable, "-m", "benchmarks.formats", what, *arguments]
    ended = run(command, patience=_PATIENCE, memory=_MEMORY)
    nothing = {"verdict": ended.why or "nothing", "read": 0.0, "check": 0.0, "both": float("inf"), "cpu": 0.0}
    return {**(ended.lines[-1] if ended.lines else nothing), "peak": ended.peak}


def _convert(source: str, target: str) -> dict[str, Any]:
    import linpoint  # noqa: PLC0415 - only the measured process pays for it

    started = time.perf_counter()
    linpoint.save(linpoint.load(source), target)
    return {"both": time.perf_counter() - started}


def _check(file: str, spec: str) -> dict[str, Any]:
    import linpoint  # noqa: PLC0415 - as above

    started, before = time.perf_counter(), _processor_seconds()
    history = linpoint.load(file)
    read = time.perf_counter()
    verdict = linpoint.check(history, spec)
    ended = time.perf_counter()
    return {
        "verdict": verdict.status.value,
        "read": read - started,
        "check": ended - read,
        "both": ended - started,
        "cpu": _processor_seconds() - before,
    }


def _processor_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def _main() -> int:
    match sys.argv[1:]:
        case ["convert", source, target]:
            print(json.dumps(_convert(source, target)))
        case ["check", file, spec]:
            print(json.dumps(_check(file, spec)))
        case _:
            parser = argparse.ArgumentParser()
            parser.add_argument("--quick", action="store_true")
            parser.add_argument("--operations", type=int)
            parser.add_argument("--rounds", type=int, default=3)
            options = parser.parse_args()
            return experiment(quick=options.quick, operations=options.operations, rounds=options.rounds)
    return 0


if __name__ == "__main__":
    sys.exit(_main())
