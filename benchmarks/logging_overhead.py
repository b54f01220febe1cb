# SPDX-License-Identifier: Apache-2.0
"""The cost of recording: the example's driver with and without its recorder, as ratios within one run.

The paper of the precedence graph (Cepeda et al., OPODIS 2019, section 6.1) measured a slowdown of about 10 %. As there,
the slowdown compares the throughput of the same work without and with recording. Runs come in pairs with alternating
order, so that other load on the machine affects both sides; the median over the pairs counts. Processor time is shown
as well: it measures the same with less noise when other programs run. Formatting and writing happen after the run and
are not included.

    python -m benchmarks.logging_overhead
    python -m benchmarks.logging_overhead --pairs 5 --operations 50000
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from examples.persistent_mwcas.run import BuildError, build

_HEADER: Final = (
    f"{'algorithm':<10}{'threads':>8}{'words':>7} |{'without':>13}{'with':>13} |{'slowdown':>9}{'processor':>11}"
)
_WORKLOADS: Final = [(algorithm, words) for algorithm in ("mwcas", "mwswap") for words in (2, 4, 8)]


def main() -> int:
    """Measure and print; see ``--help``."""
    options = _options()
    try:
        with tempfile.TemporaryDirectory() as folder:
            program = build(Path(folder))
            print(f"operations per second, medians of {options.pairs} pairs of runs\n")
            print(_HEADER)
            for algorithm, words in _WORKLOADS:
                for threads in options.threads:
                    shape = ["--algorithm", algorithm, "--words", str(words), "--threads", str(threads)]
                    without, with_it = _alternating(program, shape, options)
                    print(
                        f"{algorithm:<10}{threads:>8}{words:>7} |{_median(without):>13,.0f}{_median(with_it):>13,.0f} |"
                        f"{_slowdown(without, with_it):>9.1%}{_processor(without, with_it):>11.1%}",
                        flush=True,
                    )
    except BuildError as error:
        print(error, file=sys.stderr)
        return 2
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.logging_overhead", description=__doc__.split("\n", 1)[0]
    )
    parser.add_argument("--pairs", type=int, default=15, help="pairs of runs without and with recording (default 15)")
    parser.add_argument("--operations", type=int, default=200_000, help="per thread (default 200000)")
    parser.add_argument("--threads", type=int, nargs="+", default=[1, os.cpu_count() or 2], help="(1 and all cores)")
    parser.add_argument("--addresses", type=int, default=1000, help="words in memory (default 1000)")
    return parser.parse_args()


def _alternating(program: Path, shape: Sequence[str], options: argparse.Namespace) -> tuple[list[Any], list[Any]]:
    """The driver's reports of its runs without and with recording."""
    command = [str(program), *shape, "--operations", str(options.operations), "--addresses", str(options.addresses)]
    command += ["--yield", "0", "--stale", "0.05"]
    kinds: tuple[tuple[list[Any], list[str]], ...] = (([], []), ([], ["--log", os.devnull]))
    for pair in range(options.pairs):
        for said, recording in kinds if pair % 2 == 0 else reversed(kinds):
            done = subprocess.run([*command, *recording], capture_output=True, text=True, check=True)
            said.append(json.loads(done.stderr))
    return kinds[0][0], kinds[1][0]


def _median(said: Sequence[dict[str, float]]) -> float:
    return statistics.median(each["operations_per_second"] for each in said)


def _slowdown(without: Sequence[dict[str, float]], with_it: Sequence[dict[str, float]]) -> float:
    pairs = zip(without, with_it, strict=True)
    return statistics.median(one["operations_per_second"] / two["operations_per_second"] for one, two in pairs) - 1


def _processor(without: Sequence[dict[str, float]], with_it: Sequence[dict[str, float]]) -> float:
    """By how much the processor time per operation grows."""

    def cost(said: dict[str, float]) -> float:
        return said["processor_seconds"] / said["operations"]

    return statistics.median(cost(two) / cost(one) for one, two in zip(without, with_it, strict=True)) - 1


if __name__ == "__main__":
    sys.exit(main())
