# SPDX-License-Identifier: Apache-2.0
"""linpoint's side of a measurement, in a separate process: checks files and prints a line of JSON for each.

The time is that of the ``linpoint.check`` call, certification included, without start-up and reading: the same part as
on the peer's side. A run of more than a second is not repeated, since it needs no average. With several files, the
first is checked once more before all others, and not counted.

    python -m benchmarks.ours --spec queue --checker dfs --runs 5 FILE...
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from typing import Any

import linpoint


def main() -> None:
    """Check the files named on the command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.ours", description=__doc__)
    parser.add_argument("files", nargs="+")
    parser.add_argument("--spec", required=True)
    parser.add_argument("--checker", default="auto")
    parser.add_argument("--timeout", type=float, default=30.0, help="seconds per run")
    parser.add_argument("--max-memory", type=int, help="bytes")
    parser.add_argument("--runs", type=int, default=1)
    parser.add_argument("--give-up-after", type=int, default=0, help="stop after this number of undecided files")
    parser.add_argument("--wait", action="store_true", help="keep running until standard input is closed")
    options = parser.parse_args()
    undecided = 0
    if len(options.files) > 1:
        _measure(
            options.files[0], options
        )  # the first check of a process is slower; with one file the median compensates
    for file in options.files:
        found = _measure(file, options)
        print(json.dumps(found), flush=True)
        undecided += found.get("verdict") == "unknown"
        if "error" in found or (options.give_up_after and undecided >= options.give_up_after):
            break
    if options.wait:  # closing the output marks its end; the peak can then be read from outside
        os.close(sys.stdout.fileno())
        sys.stdin.read()
        os._exit(0)  # the interpreter would fail on the closed output


def _measure(file: str, options: argparse.Namespace) -> dict[str, Any]:
    try:
        started = time.perf_counter()
        history = linpoint.load(file)
        reading = time.perf_counter() - started
        seconds = []
        for _ in range(options.runs):
            started = time.perf_counter()
            verdict = linpoint.check(
                history, options.spec, checker=options.checker, budget=options.timeout, max_memory=options.max_memory
            )
            seconds.append(time.perf_counter() - started)
            if seconds[-1] > 1:
                break
    except linpoint.LinpointError as error:
        return {"error": error.code, "message": str(error)}
    return {
        "verdict": verdict.status.value,
        "seconds": seconds,
        "reading": reading,
        "operations": verdict.statistics.operations,
        "checker": verdict.checker,
        "configurations": verdict.statistics.configurations,
        "why": verdict.why,
    }


if __name__ == "__main__":
    main()
