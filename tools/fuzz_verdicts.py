# SPDX-License-Identifier: Apache-2.0
"""Random histories against the oracle: ``python -m tools.fuzz_verdicts [--histories N] [--seed N] [--jobs N] [--record]``.

Builds the native fuzzer (``native/fuzz/verdicts``) and runs it with consecutive seeds, 100,000 histories for each or
all if fewer. Every checker of the core decides each history under every condition, including crashes of processes, of
everything and of the object. Every answer is compared with an oracle that shares no code with the core. ``--record``
adds a row for each seed to ``tests/fuzz/verdict_totals.tsv``. The exit code is 1 at the first wrong verdict, which is
printed with its history.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[1]
TOTALS: Final = ROOT / "tests" / "fuzz" / "verdict_totals.tsv"
_PROGRAM: Final = ROOT / "build" / "release" / "verdict_fuzzer"
_HISTORIES_PER_SEED: Final = 100_000


def build() -> None:
    """Build the fuzzer."""
    build_it = ["cmake", "--build", "--preset", "release", "--target", "verdict_fuzzer"]
    for command in (["cmake", "--preset", "release", "--log-level=WARNING"], build_it):
        subprocess.run(command, cwd=ROOT / "native", check=True, stdout=subprocess.DEVNULL)


def run(seed: int, histories: int) -> str:
    """The totals of one seed; exits with the history if a verdict is wrong."""
    done = subprocess.run([_PROGRAM, str(seed), str(histories)], capture_output=True, text=True, check=False)
    if done.returncode:
        print(done.stdout + done.stderr, file=sys.stderr)
        os._exit(1)  # the other seeds are still running
    return done.stdout


def record(rows: Sequence[str]) -> None:
    """Add rows to the totals."""
    with TOTALS.open("a", encoding="utf-8") as file:
        file.writelines(rows)


def main() -> None:
    """Fuzz with consecutive seeds."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--histories", type=int, default=_HISTORIES_PER_SEED, help="total histories (default 100,000)")
    parser.add_argument("--seed", type=int, default=1, help="the first seed (default 1)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="number of seeds to run in parallel")
    parser.add_argument("--record", action="store_true", help="add the runs to the totals")
    options = parser.parse_args()
    build()
    seeds = range(options.seed, options.seed + -(-options.histories // _HISTORIES_PER_SEED))
    each = min(options.histories, _HISTORIES_PER_SEED)
    with ThreadPoolExecutor(options.jobs) as pool:
        rows = list(pool.map(lambda seed: run(seed, each), seeds))
    if options.record:
        record(rows)
    totals = [sum(int(row.split("\t")[column]) for row in rows) for column in range(1, 5)]
    print("{:,} histories, {:,} answers compared with {:,} of the oracle ({:,} violations): none wrong".format(*totals))


if __name__ == "__main__":
    main()
