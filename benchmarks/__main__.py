# SPDX-License-Identifier: Apache-2.0
"""`make bench`: checks of generated histories beside a bare loop of json.loads over the same lines."""

from __future__ import annotations

import json
import sys
import tempfile
import time
from pathlib import Path

import linpoint
from benchmarks.workloads import cas_register_lines

CASES = {
    "cas-register 100k, 10 keys, 10 processes": {"operations": 100_000, "keys": 10},
    "the same with unique values": {"operations": 100_000, "keys": 10, "values": 10**9},
    "cas-register 10k, 10 processes": {"operations": 10_000},
    "cas-register 10k, 10 processes, bad": {"operations": 10_000, "bad": True},
    "cas-register 100k, 4 processes": {"operations": 100_000, "processes": 4},
}


def main() -> None:
    """Print a row per history: reading, checking, and both as multiples of a json.loads loop."""
    print(f"{'history':<44}{'json.loads':>11}{'read':>8}{'check':>8}{'ratio':>7}  verdict")
    with tempfile.TemporaryDirectory() as folder:
        for name, parameters in CASES.items():
            path = Path(folder) / "history.jsonl"
            path.write_text("\n".join(cas_register_lines(**parameters)) + "\n")
            started = time.perf_counter()
            with path.open() as lines:
                for line in lines:
                    json.loads(line)
            bare = time.perf_counter() - started
            started = time.perf_counter()
            history = linpoint.load(path)
            read = time.perf_counter() - started
            verdict = linpoint.check(history, "cas-register", budget="120s")
            check = verdict.statistics.seconds
            ratio = (read + check) / bare
            print(f"{name:<44}{bare:>10.3f}s{read:>7.2f}s{check:>7.2f}s{ratio:>7.1f}  {verdict.status.value}")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
