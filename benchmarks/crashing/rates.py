# SPDX-License-Identifier: Apache-2.0
"""Crash tests per second of one core: distinct images, each recovered from, probed and judged.

Start-up, tracing the workload and the spec's side are all included in the time, which is processor time of the host and
of the judging process together. The paper reports 13 per second on 32 workers.
"""

from __future__ import annotations

import statistics
import time

from benchmarks.crashing.structures import SWEEP, Structure, busy, hash_table

_OPERATIONS = 1000
_ROWS = (("DL1, DL2 and C2", SWEEP), ("DL3", ("dl3",)))


def table(*, quick: bool) -> bool:
    """Print the table; whether any crash was not survived, although the structure is correct."""
    tested, rounds = hash_table(_OPERATIONS), 3 if quick else 7
    probes = len(tested.plan.probes)
    print(f"crashes: hash table, {_OPERATIONS:,} operations, up to {probes:,} probes per test, one host; ", end="")
    print(f"median of {rounds}")
    print(
        f"{'tests':18}{'images':>8}{'schedules':>11}{'of them feasible':>18}{'per second':>11}  per wall-clock second"
    )
    wrong = [_row(name, kinds, tested, rounds) for name, kinds in _ROWS]
    return any(wrong)


def _row(name: str, kinds: tuple[str, ...], tested: Structure, rounds: int) -> bool:
    rates, clocked = [], []
    for _ in range(rounds):
        used, begun = busy(), time.perf_counter()
        ended, reply = tested.crashed(kinds)
        done = ended.schedules or sum(ended.tests.values())
        rates.append(done / (busy() - used))
        clocked.append(done / (time.perf_counter() - begun))
    images = sum(ended.tests.values())
    schedules = f"{ended.schedules:,}" if ended.schedules else ""
    feasible = f"{ended.schedules - ended.infeasible:,}" if ended.schedules else ""
    said = "" if ended.ended == "complete" and not reply.violations else f"  WRONG: {ended.ended}"
    print(f"{name:18}{images:>8,}{schedules:>11}{feasible:>18}{statistics.median(rates):>11,.0f}", end="")
    print(f"{statistics.median(clocked):>23,.0f}{said}", flush=True)
    return bool(said)
