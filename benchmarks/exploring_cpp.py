# SPDX-License-Identifier: Apache-2.0
"""Exploring C++ programs: compared with Codex's published figures, and with operating-system threads.

    codex      schedules until a program is verified, compared with those of the thesis (Dabdoub, MIT 2013, figures 4-5
               and 4-6), which ran about 100 per second on its machine
    rate       schedules per second of store buffering on one core, at random, and of an exhaustive search
    threads    the same program at the same schedules with system threads that pass the turn by condition variables, as
               in Codex: how many times as fast fibers are
    workers    two worker processes compared with one, on the same exhaustive search

The two sides of a ratio take turns, round after round, and the median of the rounds' ratios counts. Start-up is
measured separately and subtracted. Slowness is never a failure, only a wrong answer.

    python -m benchmarks.exploring_cpp [--quick]
"""

from __future__ import annotations

import argparse
import resource
import shutil
import statistics
import sys
import time
from collections.abc import Callable
from typing import Any, Final

from linpoint.hosts.host_config import HostConfig
from linpoint.hosts.program_host import ProgramHost
from tests.hosts.controlled_programs import ExplorationOutcome, Target, built, explore

_CODEX: Final = (
    ("Dekker with fences", "thesis/dekker.cpp", ("-DFENCED",), "tso", 62_719, None),
    ("Peterson with fences", "thesis/peterson.cpp", ("-DFENCED",), "tso", 24_453, None),
    ("WaitLatch, its assertion", "thesis/wait_latch.cpp", ("-DASSERTION", "-DFENCE_IN_RESET"), "tso", 63, "assertion"),
    ("WaitLatch, lost wake-up", "thesis/wait_latch.cpp", ("-DFENCE_IN_RESET",), "tso", None, "livelock"),
    (
        "WaitLatch, repaired",
        "thesis/wait_latch.cpp",
        ("-DASSERTION", "-DFENCE_IN_SET", "-DFENCE_IN_RESET"),
        "tso",
        63,
        None,
    ),
    ("hash table", "thesis/hash_table.cpp", (), "sc", 4, None),
    ("hash table", "thesis/hash_table.cpp", (), "tso", 14, None),
)
"""Name, source, flags, model, schedules of Codex, expected finding. For WaitLatch the thesis gives one figure."""
_CODEX_A_SECOND: Final = 100
_PATIENCE: Final = 300


def experiment(*, quick: bool) -> bool:
    """Measure and print everything; whether an answer was wrong."""
    if shutil.which("g++") is None:
        print("exploring C++: skipped, since g++ was not found")
        return False
    wrong = _beside_codex()
    rounds = 3 if quick else 7
    wrong = _rates(300_000 if quick else 1_000_000, rounds) or wrong
    wrong = _beside_threads(200_000, 2_000, rounds) or wrong
    return _workers(rounds) or wrong


def _beside_codex() -> bool:
    print("codex: schedules until verified, or until the bug was found")
    print(f"{'program':28}{'model':>6}{'Codex':>10}{'linpoint':>10}{'fewer':>9}  verdict")
    wrong = False
    for name, source, flags, model, codex, kind in _CODEX:
        told = explore(built(source, *flags), memory_model=model, seconds=_PATIENCE)
        right = told.kind == kind and told.exhaustive == (kind is None)
        wrong = wrong or not right
        fewer = f"{codex / told.schedules:,.0f}x" if codex is not None and told.schedules else ""
        verdict = (told.kind or "holds") if right else f"WRONG: {told.kind or told.ended}"
        shown = f"{codex:,}" if codex is not None else "-"
        print(f"{name:28}{model:>6}{shown:>10}{told.schedules:>10,}{fewer:>9}  {verdict}", flush=True)
    return wrong


def _rates(runs: int, rounds: int) -> bool:
    print(f"\nrate: schedules per second of one core, median of {rounds}; Codex: about {_CODEX_A_SECOND}")
    print(f"{'program':28}{'model':>6}{'search':>18}{'schedules':>12}{'per second':>12}")
    wrong = False
    storing, counting = built("litmus/store_buffering.cpp", "-O2"), built("litmus/load_stores.cpp", "-O2")
    for name, target, search, shown in (
        ("store buffering", storing, f"random:{runs}", runs),
        ("three times two load-stores", counting, "dpor", 7_134),
    ):
        for model in ("sc", "tso"):
            rates = [_rate(target, _busy, memory_model=model, search=search) for _ in range(rounds)]
            told = rates[0][1]
            if model == "sc" and told.schedules - told.redundant != shown:
                wrong = True
            rate = statistics.median(each for each, _ in rates)
            words = search.partition(":")[0]
            print(f"{name:28}{model:>6}{words:>18}{told.schedules:>12,}{rate:>12,.0f}", flush=True)
    return wrong


def _beside_threads(fibers: int, threads: int, rounds: int) -> bool:
    target = built("litmus/store_buffering.cpp", "-O2")
    ratios, ours, theirs = [], [], []
    for _ in range(rounds):
        ours.append(_rate(target, time.perf_counter, memory_model="tso", search=f"random:{fibers}")[0])
        theirs.append(
            _rate(target, time.perf_counter, memory_model="tso", search=f"random:{threads}", os_threads=True)[0]
        )
        ratios.append(ours[-1] / theirs[-1])
    print(f"\nthreads: store buffering under tso, {statistics.median(ours):,.0f} schedules/s with fibers, ", end="")
    print(f"{statistics.median(theirs):,.0f} with system threads: {statistics.median(ratios):,.0f}x", flush=True)
    return False


def _workers(rounds: int) -> bool:
    target = built("litmus/load_stores.cpp", "-O2", "-DTHREADS=2", "-DTIMES=6")
    seconds: dict[int, list[float]] = {1: [], 2: []}
    counts: dict[int, int] = {}
    for _ in range(rounds):
        for workers, taken in seconds.items():
            host = ProgramHost(target.host, target.library, HostConfig(workers=workers))
            begun = time.perf_counter()
            result = host.run("dpor", seconds=_PATIENCE, shared=True).result
            taken.append(time.perf_counter() - begun)
            if result is None or not result.exhaustive:
                print(f"workers: WRONG, {result}")
                return True
            counts[workers] = result.schedules - result.redundant
    ratio = statistics.median(one / two for one, two in zip(seconds[1], seconds[2], strict=True))
    print(f"\nworkers: {counts[1]:,} schedules in {statistics.median(seconds[1]):.2f} s by one and ", end="")
    print(f"{statistics.median(seconds[2]):.2f} s by two worker processes: {ratio:.2f}x", flush=True)
    return counts[1] != counts[2]


def _rate(target: Target, clock: Callable[[], float], **options: Any) -> tuple[float, ExplorationOutcome]:
    """Schedules per second, without start-up."""
    begun = clock()
    explore(target, **{**options, "search": "replay:"})
    started = clock()
    told = explore(target, seconds=_PATIENCE, **options)
    taken = clock() - started
    return told.schedules / max(taken - (started - begun), 1e-3), told


def _busy() -> float:
    """Processor seconds of the hosts so far, which other work on the machine does not affect."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m benchmarks.exploring_cpp")
    parser.add_argument("--quick", action="store_true", help="fewer rounds")
    sys.exit(1 if experiment(quick=parser.parse_args().quick) else 0)
