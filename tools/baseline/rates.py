# SPDX-License-Identifier: Apache-2.0
"""Rates of installations, measured in turn: each round runs every command once on each installation.

A rate is a count of a document over its seconds, so neither start-up nor building counts. The best round of each is
compared, since noise only ever slows a run down.
"""

from __future__ import annotations

import json
import os
import shlex
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

RATES: Final = {
    "schedules/s, Python object": (
        "schedules",
        "test python/lost_update.py:TestLockedCounter --threads 3 --operations 2 --budget 8s",
    ),
    "schedules/s, Python program": ("schedules", "explore scripts/many_schedules.py --budget 8s"),
    "schedules/s, C++ object": (
        "schedules",
        "test cpp/treiber_stack_linpoint.cpp --spec stack --threads 2 --operations 3 --workers 1 --budget 60s",
    ),
    "schedules/s, C++ program": (
        "schedules",
        "explore scripts/many_schedules.cpp --memory-model sc --workers 1 --budget 60s",
    ),
    "states/s": ("states", "refine examples/models/treiber.py --processes 2 --operations 5 -j 1"),
    "crash tests/s": (
        "crash_tests",
        "crash examples/persistent/guest_list_fixed.cpp --spec set --operations 600 --workers 1 --budget 60s",
    ),
    "operations/s, check": ("operations", "check large.jsonl --spec cas-register -j 1"),
}
"""The measured statistic, and a command that runs for seconds, so that start-up is negligible."""
_OPERATIONS: Final = 100_000


def measure_rates(installations: Sequence[Path], directory: Path, rounds: int) -> dict[str, Any]:
    """The rates of all rounds, for each rate and installation."""
    _write_history(directory / "large.jsonl")
    measured: dict[str, dict[str, list[float]]] = {name: {str(each): [] for each in installations} for name in RATES}
    for number in range(rounds):
        for name, (statistic, command) in RATES.items():
            for each in installations if number % 2 == 0 else reversed(installations):
                measured[name][str(each)].append(_rate(each.absolute(), directory, statistic, shlex.split(command)))
    return {"rates": measured}


def rate_lines(record: dict[str, Any]) -> Iterator[str]:
    """A line for each rate: the best of each installation, and how it compares with the first."""
    for name, rates in record["rates"].items():
        best = [max(each) for each in rates.values()]
        shown = "  ".join(f"{each:12.1f}" for each in best)
        change = "  ".join(f"{100 * (each / best[0] - 1):+.1f} %" for each in best[1:])
        yield f"{name:30} {shown}  {change}"


def _rate(linpoint: Path, directory: Path, statistic: str, argv: Sequence[str]) -> float:
    done = subprocess.run(
        [str(linpoint), *argv, "--json"], cwd=directory, capture_output=True, text=True, check=False, env=os.environ
    )
    document = json.loads(done.stdout)
    statistics = document["statistics"]
    count = statistics[statistic] + (statistics.get("bounded_schedules", 0) if statistic == "schedules" else 0)
    return float(count) / max(statistics["seconds"], 1e-6)


def _write_history(path: Path) -> None:
    """A long linearizable log: three processes take turns, each operation concurrent with the next."""
    value = 0
    with path.open("w", encoding="utf-8") as file:
        for number in range(_OPERATIONS):
            if number % 3:
                record = {"op": "read", "result": value}
            else:
                value = number % 17
                record = {"op": "write", "args": [value], "result": None}
            times = {"process": number % 3, "call": 10 * number, "return": 10 * number + 14}
            file.write(json.dumps({**times, **record}) + "\n")
