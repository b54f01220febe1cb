# SPDX-License-Identifier: Apache-2.0
"""Do the limits of ``linpoint check`` hold? Time, memory and Ctrl-C of whole processes, on 40 histories.

    memory    the peak of resident memory under ``--max-memory 300M``: at most 10 % more
    budget    seconds from start to exit under ``--budget 10s``: at most 5 % and half a second more
    ctrl-c    seconds from the signal to the exit, at moments from the first instruction on: at most 0.3; and no
              traceback, and no exit code for "violation" without a known violation

Separate processes create the inputs: on Linux a process never reports less memory than its parent had. A row shows
whether the limit was reached, and which answer was given. The exit code is 1 if a limit was exceeded.

    python -m benchmarks.limits --select csv --out limits.md
    python -m benchmarks.limits --ctrl-c
"""

from __future__ import annotations

import argparse
import fnmatch
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from benchmarks.running import ROOT

LINPOINT: Final = str(Path(sys.executable).with_name("linpoint"))
MEMORY_BYTES: Final = 300 << 20
BUDGET_S: Final = 10.0
INTERRUPT_S: Final = 0.3
_PATIENCE_S: Final = 120.0
_MEMORY_RUN_S: Final = 40.0
"""Seconds in which memory is measured: some searches run forever with little memory."""
_MOMENTS_S: Final = (0.0, 0.005, 0.01, 0.02, 0.03, 0.05, 0.07, 0.1, 0.15, 0.2, 0.3, 0.5, 1.0, 2.0, 4.0)
_THOUSAND, _MILLION = 1_000, 1_000_000
_OWN: Final = "benchmarks/limit_specs.py"


@dataclass(frozen=True, slots=True)
class Case:
    """A history and how it is checked."""

    format: str
    kind: str
    operations: int
    spec: str
    arguments: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()
    suffix: str = ""

    @property
    def name(self) -> str:
        """Its name in the table."""
        words = [
            self.format + self.suffix,
            self.kind,
            *self.flags,
            _short(self.operations),
            self.spec.rpartition(":")[2],
        ]
        return "/".join([*words, *(word for word in self.arguments if not word.startswith("-"))])


@dataclass(frozen=True, slots=True)
class Ended:
    """How a process ended."""

    seconds: float
    peak: int
    code: int
    answer: str
    errors: str


def _short(count: int) -> str:
    return f"{count // _MILLION}M" if count >= _MILLION else f"{count // _THOUSAND}k"


def cases() -> list[Case]:
    """The 40 cases of the table."""
    condition = [
        ("--condition", name) for name in ("strict", "recoverable", "durable", "buffered-durable", "sequential")
    ]
    lines = "operations"
    return [
        Case(lines, "map", 10 * _MILLION, "map"),
        Case(lines, "map", _MILLION, "map"),
        Case(lines, "map", 10 * _MILLION, "map", suffix=".gz"),
        Case(lines, "queue", 10 * _MILLION, "queue"),
        Case(lines, "register", 10 * _MILLION, "register", ("--json",)),
        Case(lines, "stack", _MILLION, "stack"),
        Case(lines, "priority-queue", _MILLION, "priority-queue"),
        Case(lines, "set", _MILLION, "set"),
        Case(lines, "counter", _MILLION, "counter"),
        Case(lines, "fetch-add", _MILLION, "fetch-add"),
        Case(lines, "lists", _MILLION, "register"),
        Case(lines, "cas-register", _MILLION, "cas-register", ("--initial", "0")),
        Case(lines, "queue-few", 100 * _THOUSAND, "queue"),
        Case(lines, "queue-wrong", 10 * _THOUSAND, "queue"),
        Case(lines, "queue-wrong", 10 * _THOUSAND, "queue", ("--checker", "linear")),
        Case(lines, "stack-few", 100 * _THOUSAND, "stack"),
        Case(lines, "register", _MILLION, "register", flags=("stale",)),
        Case(lines, "register", _MILLION, "register", ("--report", "report.html"), ("stale",)),
        Case(lines, "register", _MILLION, "register", ("--report", "report.html")),
        Case(lines, "register", _MILLION, "register", condition[0], ("crashes",)),
        Case(lines, "register", _MILLION, "register", condition[1], ("crashes",)),
        Case(lines, "queue", _MILLION, "queue", condition[2], ("crashes",)),
        Case(lines, "register", 10 * _THOUSAND, "register", condition[3], ("crashes",)),
        Case(lines, "queue", 100 * _THOUSAND, "queue", condition[3], ("crashes",)),
        Case(lines, "queue-few", 10 * _THOUSAND, "queue", condition[4]),
        Case(lines, "register", _MILLION, f"{_OWN}:PlainRegister"),
        Case(lines, "queue", 100 * _THOUSAND, f"{_OWN}:PlainQueue"),
        Case(lines, "register", 10 * _THOUSAND, f"{_OWN}:Hoarder"),
        Case(lines, "register", 10 * _THOUSAND, f"{_OWN}:Stubborn"),
        Case("jepsen-json", "register", 10 * _MILLION, "register"),
        Case("jepsen-json", "queue", _MILLION, "queue"),
        Case("jepsen-edn", "register", _MILLION, "register"),
        Case("jepsen-edn", "cas-register", 100 * _THOUSAND, "cas-register", ("--initial", "0")),
        Case("jepsen-text", "register", _MILLION, "register"),
        Case("porcupine", "map", _MILLION, "map"),
        Case("csv", "map", 10 * _MILLION, "map"),
        Case("csv", "queue", _MILLION, "queue"),
        Case("parquet", "map", 10 * _MILLION, "map"),
        Case("parquet", "queue", _MILLION, "queue"),
        Case("arrow", "map", 10 * _MILLION, "map"),
    ]


def main() -> int:
    """Measure the selected cases; see ``--help``."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.limits", description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--select", action="append", default=[], metavar="PATTERN", help="part of a name, or a glob")
    parser.add_argument("--most", type=int, default=10 * _MILLION, metavar="N", help="skip longer histories")
    parser.add_argument("--ctrl-c", action="store_true", help="measure Ctrl-C instead of the limits")
    parser.add_argument("--out", type=Path, help="also write the table to a file")
    options = parser.parse_args()
    chosen = [each for each in cases() if each.operations <= options.most and _matches(each.name, options.select)]
    kept = True
    rows: list[str] = []
    for row, holds in _interrupts(chosen) if options.ctrl_c else _limits(chosen):
        kept = kept and holds
        rows.append(row)
        print(row, flush=True)
        if options.out is not None:
            options.out.write_text("\n".join(rows) + "\n", encoding="utf-8")
    print(f"\n{'every limit was kept' if kept else 'A LIMIT WAS NOT KEPT'}")
    return 0 if kept else 1


def _matches(name: str, patterns: Sequence[str]) -> bool:
    return not patterns or any(pattern in name or fnmatch.fnmatchcase(name, pattern) for pattern in patterns)


def _limits(chosen: Sequence[Case]) -> Iterator[tuple[str, bool]]:
    """The rows of the table, and whether each limit was kept."""
    yield f"| history | peak, 300M allowed | answer | seconds, {BUDGET_S:g} s allowed | answer |", True
    yield "|---|---:|---|---:|---|", True
    for case, folder in _provided(chosen):
        memory = _run(case, folder, "--max-memory", f"{MEMORY_BYTES >> 20}M", "--budget", f"{_MEMORY_RUN_S:g}s")
        budget = _run(case, folder, "--budget", f"{BUDGET_S:g}s")
        kept = memory.peak <= 1.1 * MEMORY_BYTES and budget.seconds <= 1.05 * BUDGET_S + 0.5
        crashed = [each for each in (memory, budget) if each.code not in (0, 1, 3) or "Traceback" in each.errors]
        mark = "" if kept and not crashed else " **not kept**"
        row = f"| {case.name}{mark} | {memory.peak / 2**20:.0f} MB | {_cell(memory)} | {budget.seconds:.2f} | {_cell(budget)} |"
        yield row, not mark


def _interrupts(chosen: Sequence[Case]) -> Iterator[tuple[str, bool]]:
    """For each history, the maximum time that its process continues after Ctrl-C."""
    yield "| history | Ctrl-C after | slowest exit | answer there | exit codes |", True
    yield "|---|---|---:|---|---|", True
    for case, folder in _provided(chosen):
        ends = [(moment, _run(case, folder, interrupt_after=moment)) for moment in _MOMENTS_S]
        asked = [(moment, each) for moment, each in ends if each.seconds > moment]  # the others had already ended
        moment, slowest = max(asked or ends, key=lambda each: each[1].seconds - each[0])
        late = slowest.seconds - moment
        codes = sorted({each.code for _, each in ends})
        wrong = any(code not in (0, 1, 3, -signal.SIGINT) for code in codes)
        wrong = wrong or any("Traceback" in each.errors for _, each in ends)
        wrong = wrong or any(each.code == 1 and "VIOLATION" not in each.answer for _, each in ends)
        kept = late <= INTERRUPT_S and not wrong
        mark = "" if kept else " **not kept**"
        yield f"| {case.name}{mark} | {moment:g} s | {late:.2f} s | {_cell(slowest)} | {codes} |", kept


def _provided(chosen: Sequence[Case]) -> Iterator[tuple[Case, Path]]:
    """Each case with a directory that holds its history; equal histories are created once."""
    with tempfile.TemporaryDirectory() as name:
        folder, made = Path(name), ""
        for case in sorted(chosen, key=lambda each: (each.format, each.suffix, each.kind, each.flags, each.operations)):
            wanted = " ".join([case.format, case.kind, str(case.operations), *case.flags, case.suffix])
            if wanted != made:
                (folder / "history").unlink(missing_ok=True)
                (folder / "history.gz").unlink(missing_ok=True)
                words = [
                    case.format,
                    case.kind,
                    str(case.operations),
                    str(folder / f"history{case.suffix}"),
                    *case.flags,
                ]
                subprocess.run([sys.executable, "-m", "benchmarks.limit_inputs", *words], cwd=ROOT, check=True)
                made = wanted
            yield case, folder


def _run(case: Case, folder: Path, *limits: str, interrupt_after: float | None = None) -> Ended:
    spec = str(ROOT / case.spec) if ":" in case.spec else case.spec
    command = [LINPOINT, "check", f"history{case.suffix}", "--spec", spec, *case.arguments, *limits]
    with (folder / "out").open("w+b") as out, (folder / "err").open("w+b") as err:
        started = time.monotonic()
        process = subprocess.Popen(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=out, stderr=err)
        if interrupt_after is not None:
            time.sleep(interrupt_after)
            process.send_signal(signal.SIGINT)
        elif _waits(process, _PATIENCE_S):
            process.kill()
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.monotonic() - started
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        err.seek(0)
        answer, errors = out.read(4096).decode(errors="replace"), err.read(4096).decode(errors="replace")
    return Ended(seconds, usage.ru_maxrss * 1024, process.returncode, answer, errors)


def _waits(process: subprocess.Popen[bytes], seconds: float) -> bool:
    """Whether a process is still running after this time; it is not reaped, so that its memory can be read."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None:
            return False
        time.sleep(0.005)
    return True


def _cell(ended: Ended) -> str:
    text = (ended.answer or ended.errors).strip().split("\n")[0]
    return f"{ended.code}: {text[:100].replace('|', '/')}"


if __name__ == "__main__":
    sys.exit(main())
