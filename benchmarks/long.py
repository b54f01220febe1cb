# SPDX-License-Identifier: Apache-2.0
"""Long histories: monitors on millions of operations, a file to its verdict, and a growing log.

    monitors   the check of 1M, 2M and 4M operations from columns in memory, on one core, certificate included, and the
               cost of doubling
    file       1M operation lines to a verdict, compared with a plain loop of ``json.loads`` over the same lines
    follow     the same operations as 2M events through ``check --follow``: memory, and how long after the line that
               completes a violation it is reported

Every measurement is a separate process. Slowness is never a failure, only a wrong answer.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, Final

from benchmarks.running import ROOT, run
from benchmarks.steady import KINDS, event_lines, operation_lines

_MILLION: Final = 1_000_000
_PATIENCE: Final = 300.0
_MEMORY: Final = 9 << 30
_ROUNDS: Final = 3


def experiment(*, quick: bool) -> bool:
    """Measure and print everything; whether an answer was wrong."""
    wrong = _monitors(sizes=(1,) if quick else (1, 2, 4))
    with tempfile.TemporaryDirectory() as folder:
        wrong = _file_to_verdict(Path(folder)) or wrong
        return _follow(Path(folder)) or wrong


def _monitors(sizes: tuple[int, ...]) -> bool:
    print("monitors: seconds of a check from columns in memory, on one core, best of three; x: cost of doubling")
    print(f"{'':16}" + "".join(f"{f'{size}M':>8}{'x' if size > 1 else '':>7}" for size in sizes) + f"{'memory':>10}")
    wrong = False
    for kind in KINDS:
        cells, before, peak = "", None, 0
        for size in sizes:
            with tempfile.TemporaryDirectory() as folder:
                file = Path(folder) / "history.jsonl"
                _write(file, operation_lines(kind, size * _MILLION))
                told, peak = min((_one_check(file, kind) for _ in range(_ROUNDS)), key=lambda each: each[0]["seconds"])
            wrong = wrong or (told["verdict"], told["checker"]) != ("linearizable", "monitor")
            ratio = "" if before is None else f"{told['seconds'] / before:.2f}"
            cells += f"{told['seconds']:>8.3f}{ratio:>7}"
            before = told["seconds"]
        print(f"{kind:16}{cells}{peak / 2**20:>7.0f} MB", flush=True)
    return wrong


def _one_check(file: Path, kind: str) -> tuple[dict[str, Any], int]:
    """The result of a check by a separate process, and its peak memory."""
    command = [sys.executable, "-m", "benchmarks.long", "check", str(file), kind]
    ended = run(command, patience=_PATIENCE, memory=_MEMORY)
    nothing = {"verdict": ended.why or "nothing", "checker": "", "seconds": float("inf")}
    return ended.lines[-1] if ended.lines else nothing, ended.peak


def _file_to_verdict(folder: Path) -> bool:
    file = folder / "queue.jsonl"
    _write(file, operation_lines("queue", _MILLION))
    rounds = [_one_round(file) for _ in range(_ROUNDS)]
    loop, inside, command = (min(each[at] for each in rounds) for at in range(3))
    print("\nfile: 1M operation lines to a verdict, best of three rounds")
    print(f"  json.loads on every line       {loop:.3f} s")
    print(f"  load and check in Python       {inside:.3f} s   {loop / inside:.1f}x faster")
    print(f"  the whole command              {command:.3f} s   {loop / command:.1f}x faster", flush=True)
    return not all(each[3] for each in rounds)


def _one_round(file: Path) -> tuple[float, float, float, bool]:
    """Seconds of the loop, of load and check, and of the command; and whether the verdict was right."""
    loop = _said([sys.executable, "-m", "benchmarks.long", "loads", str(file)])
    inside = _said([sys.executable, "-m", "benchmarks.long", "load", str(file), "queue"])
    started = time.perf_counter()
    command = [sys.executable, "-m", "linpoint.cli.main", "check", str(file), "--spec", "queue"]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, check=False)
    took = time.perf_counter() - started
    return loop["seconds"], inside["seconds"], took, ended.returncode == 0 and inside["verdict"] == "linearizable"


def _follow(folder: Path) -> bool:
    events = folder / "events.jsonl"
    _write(events, event_lines("queue", _MILLION))
    follow = [sys.executable, "-m", "linpoint.cli.main", "check", "--follow", "-", "--spec", "queue", "--json"]
    process = subprocess.Popen(follow, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdin is not None
    assert process.stdout is not None
    started = time.perf_counter()
    with events.open("rb") as source:
        while block := source.read(1 << 20):
            process.stdin.write(block)
    # A value is dequeued that was never enqueued: the second of these lines makes it a violation.
    late = [
        {"type": kind, "process": 99, "f": "dequeue", "value": -1 if kind == "ok" else None}
        for kind in ("invoke", "ok")
    ]
    process.stdin.write("".join(json.dumps(line) + "\n" for line in late).encode())
    process.stdin.flush()
    fed = time.perf_counter()
    told = json.loads(process.stdout.read() or "{}")
    ended = time.perf_counter()
    process.stdin.close()
    process.wait()
    peak = told.get("statistics", {}).get("peak_memory_bytes", 0)
    print("\nfollow: 2M events of 1M operations, and a violation at the end")
    print(f"  {2 * _MILLION / (fed - started) / 1e3:.0f}k lines/s, {peak / 2**20:.0f} MB")
    print(f"  reported {ended - fed:.2f} s after the last line was written", flush=True)
    return told.get("verdict") != "violation"


def _write(file: Path, lines: Any) -> None:
    with file.open("w", encoding="utf-8") as target:
        target.writelines(lines)


def _said(command: list[str]) -> dict[str, Any]:
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, check=True)
    said: dict[str, Any] = json.loads(ended.stdout)
    return said


def _measured(what: str, file: str, kind: str) -> dict[str, Any]:
    """One measurement, by this process alone."""
    import linpoint  # noqa: PLC0415 - the loop of json.loads must not pay for it
    from linpoint.checkers.check import check_with_progress  # noqa: PLC0415
    from linpoint.specs import BUILT_IN  # noqa: PLC0415

    started = time.perf_counter()
    history = linpoint.load(file)
    if what == "check":
        started = time.perf_counter()
    verdict, _ = check_with_progress(history, BUILT_IN[kind], jobs=1 if what == "check" else None)
    seconds = time.perf_counter() - started
    return {"seconds": seconds, "verdict": verdict.status.value, "checker": verdict.checker}


def _loads(file: str) -> dict[str, Any]:
    started = time.perf_counter()
    with open(file, encoding="utf-8") as lines:  # noqa: PTH123 - a bare loop, as anyone would write it
        for line in lines:
            json.loads(line)
    return {"seconds": time.perf_counter() - started}


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["loads", path]:
            print(json.dumps(_loads(path)))
        case [("check" | "load") as what, path, name]:
            print(json.dumps(_measured(what, path, name)))
        case rest:
            sys.exit(experiment(quick="--quick" in rest))
