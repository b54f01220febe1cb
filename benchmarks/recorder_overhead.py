# SPDX-License-Identifier: Apache-2.0
"""The cost of recording a Python object: nanoseconds per event, call or return, for each way to record.

The same loop calls the same method, unrecorded and recorded; half of the difference is the cost of an event. It is
processor time, so that other programs matter less, and the ways take turns, round after round, so that other load on
the machine affects all of them. The medians are shown, compared with a recorder in plain Python that reads the clock
twice and keeps a dict.

    python -m benchmarks.recorder_overhead
    python -m benchmarks.recorder_overhead --rounds 5 --operations 20000
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from typing import Any

import linpoint
from linpoint.record.log_assembly import new_log


class Shared:
    """An object whose method is almost free."""

    def swap(self, value: int) -> int:
        """Return the value: as cheap as a method can be."""
        return value


def plain(count: int) -> None:
    shared = Shared()
    for number in range(count):
        shared.swap(number)


def log_alone(count: int) -> None:
    """The work of a ``linpoint.stress`` worker."""
    shared, log = Shared(), new_log(count + 1)
    call, returned = log.call, log.returned
    for number in range(count):
        call(0, (number,))
        returned(shared.swap(number))


def wrapped(count: int) -> None:
    shared = linpoint.Recorder().wrap(Shared())
    for number in range(count):
        shared.swap(number)


def block(count: int) -> None:
    shared, recorder = Shared(), linpoint.Recorder()
    for number in range(count):
        with recorder.operation("swap", number) as op:
            op.result = shared.swap(number)


def naive(count: int) -> None:
    shared = Shared()
    operations: list[dict[str, Any]] = []

    def record(process: int, op: str, call: Callable[..., Any], *args: Any) -> None:
        started = time.monotonic_ns()
        result = call(*args)
        ended = time.monotonic_ns()
        operations.append(
            {"process": process, "op": op, "args": list(args), "result": result, "call": started, "return": ended}
        )

    for number in range(count):
        record(0, "swap", shared.swap, number)


WAYS: dict[str, Callable[[int], None]] = {
    "log": log_alone,
    "Recorder.wrap": wrapped,
    "Recorder.operation": block,
    "plain Python": naive,
}


def main() -> None:
    """Measure and print; see ``--help``."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.recorder_overhead", description=__doc__.split("\n", 1)[0]
    )
    parser.add_argument("--rounds", type=int, default=15, help="rounds in which each way takes a turn (default 15)")
    parser.add_argument("--operations", type=int, default=100_000, help="operations per turn (default 100000)")
    options = parser.parse_args()
    costs: dict[str, list[float]] = {name: [] for name in WAYS}
    for _ in range(options.rounds):
        without = _seconds(plain, options.operations)
        for name, way in WAYS.items():
            extra = _seconds(way, options.operations) - without
            costs[name].append(extra / options.operations / 2 * 1e9)
    print(f"{'recorded by':<20}{'ns per event':>13}{'vs plain Python':>17}")
    reference = statistics.median(costs["plain Python"])
    for name, found in costs.items():
        print(f"{name:<20}{statistics.median(found):>13.0f}{statistics.median(found) / reference:>16.0%}")


def _seconds(way: Callable[[int], None], count: int) -> float:
    before = time.thread_time()
    way(count)
    return time.thread_time() - before


if __name__ == "__main__":
    main()
