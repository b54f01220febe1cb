# SPDX-License-Identifier: Apache-2.0
"""Coverage-guided fuzzing of every reader: ``python -m tools.fuzz [--seconds N] [--seed N] [--record] [TARGET...]``.

libFuzzer fuzzes the readers of the native core with the address and undefined-behaviour sanitizers (``native/fuzz``,
built with clang), and atheris the Python readers (``tests/fuzz``). Each target begins with its corpus,
``tests/fuzz/corpus/TARGET``. New inputs are kept in ``build/fuzz/inputs``, and inputs that show a bug in
``build/fuzz/findings``: copy these into the corpus, which the tests replay. ``--record`` adds a row to
``tests/fuzz/totals.tsv`` for each target; ``--keep N`` adds the N smallest new inputs to its corpus. The exit code is 1
if there are findings.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[1]
CORPUS: Final = ROOT / "tests" / "fuzz" / "corpus"
TOTALS: Final = ROOT / "tests" / "fuzz" / "totals.tsv"
BUILD: Final = ROOT / "build" / "fuzz"
NATIVE: Final = {
    f"native-{path.name.removesuffix('_fuzz.cpp')}": path for path in sorted((ROOT / "native/fuzz").glob("*_fuzz.cpp"))
}
_EXECUTIONS: Final = re.compile(r"stat::number_of_executed_units:\s*(\d+)|Done (\d+) (?:in|runs)")
_REACHED: Final = re.compile(r"^#(\d+)\s", re.MULTILINE)
_MAX_INPUT_BYTES: Final = (200, 4096)
"""The first half of a run has short inputs, of which ten times as many are executed per second."""


@dataclass(frozen=True, slots=True)
class FuzzRun:
    """The result of one run of a fuzzer."""

    target: str
    seed: int
    executions: int
    findings: tuple[Path, ...]


def targets() -> list[str]:
    """The names of all targets."""
    from tests.fuzz.readers import READERS  # noqa: PLC0415 - imports linpoint, which --help does not need

    return [*NATIVE, *READERS]


def build_native() -> None:
    """Build the native fuzzers."""
    programs = [f"{name.removeprefix('native-')}_fuzz" for name in NATIVE]
    build = ["cmake", "--build", "--preset", "fuzz", "--parallel", str(os.cpu_count() or 1), "--target", *programs]
    for command in (["cmake", "--preset", "fuzz", "--log-level=WARNING"], build):
        done = subprocess.run(command, cwd=ROOT / "native", capture_output=True, check=False)
        if done.returncode:
            sys.exit(
                f"cannot build the native fuzzers (requires clang and its runtime; Debian: clang libclang-rt-dev):\n"
                f"{(done.stdout + done.stderr).decode()[-4000:]}"
            )


def fuzz(target: str, seconds: int, seed: int) -> FuzzRun:
    """Run the fuzzer of a target."""
    inputs, findings = BUILD / "inputs" / target, BUILD / "findings" / target
    for directory in (inputs, findings, CORPUS / target):
        directory.mkdir(parents=True, exist_ok=True)
    before = set(findings.iterdir())
    executions = sum(_executions(target, seconds // len(_MAX_INPUT_BYTES), seed, size) for size in _MAX_INPUT_BYTES)
    return FuzzRun(target, seed, executions, tuple(sorted(set(findings.iterdir()) - before)))


def _executions(target: str, seconds: int, seed: int, max_bytes: int) -> int:
    """Run the fuzzer with inputs up to a size. Returns the number of executions."""
    inputs, findings = BUILD / "inputs" / target, BUILD / "findings" / target
    name = target.removeprefix("native-")
    program = [str(BUILD / f"{name}_fuzz")] if target in NATIVE else [sys.executable, "-m", "tests.fuzz", target]
    options = [f"-max_total_time={seconds}", f"-seed={seed}", "-print_final_stats=1", f"-max_len={max_bytes}"]
    options += [f"-artifact_prefix={findings}/", "-rss_limit_mb=4096", "-timeout=25"]
    before = set(findings.iterdir())
    done = subprocess.run(
        [*program, *options, str(inputs), str(CORPUS / target)], cwd=ROOT, capture_output=True, check=False
    )
    text = (done.stdout + done.stderr).decode(errors="replace")
    counts = [int(found) for pair in _EXECUTIONS.findall(text) for found in pair if found]
    reached = [int(found) for found in _REACHED.findall(text)]
    found_some = set(findings.iterdir()) != before
    if done.returncode and not found_some:
        sys.exit(f"{target}: the fuzzer failed:\n{text[-4000:]}")
    if found_some:
        print(text[-4000:], file=sys.stderr)
    return max([*counts, *reached, 0])


def record(runs: Sequence[FuzzRun]) -> None:
    """Add runs to the totals."""
    lines = [f"{run.target}\t{run.seed}\t{run.executions}\t{len(run.findings)}\n" for run in runs]
    with TOTALS.open("a", encoding="utf-8") as file:
        file.writelines(lines)


def keep(target: str, count: int) -> None:
    """Add the smallest inputs that are new to the corpus of a target."""
    found = sorted((BUILD / "inputs" / target).iterdir(), key=lambda path: (path.stat().st_size, path.name))
    for path in found[:count]:
        (CORPUS / target / path.name).write_bytes(path.read_bytes())


def main() -> None:
    """Fuzz the given targets, or all."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("targets", nargs="*", metavar="TARGET")
    parser.add_argument("--seconds", type=int, default=60, help="seconds per target (default 60)")
    parser.add_argument("--seed", type=int, default=1, help="seed of the first target; others use the following seeds")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="number of targets to fuzz in parallel")
    parser.add_argument("--record", action="store_true", help="add the runs to the totals")
    parser.add_argument("--keep", type=int, default=0, metavar="N", help="add the N smallest new inputs to each corpus")
    options = parser.parse_args()
    known = targets()
    for name in options.targets:
        if name not in known:
            parser.error(f"unknown target {name}; available: {', '.join(known)}")
    chosen = options.targets or known
    if any(name in NATIVE for name in chosen):
        build_native()
    with ThreadPoolExecutor(options.jobs) as pool:
        runs = list(pool.map(lambda at: fuzz(chosen[at], options.seconds, options.seed + at), range(len(chosen))))
    for run in runs:
        print(f"{run.target}: {run.executions:,} executions with seed {run.seed}, {len(run.findings)} findings")
        for path in run.findings:
            print(f"  {path.relative_to(ROOT)}")
        keep(run.target, options.keep)
    if options.record:
        record(runs)
    print(f"{sum(run.executions for run in runs):,} executions in all")
    sys.exit(any(run.findings for run in runs))


if __name__ == "__main__":
    main()
