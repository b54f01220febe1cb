# SPDX-License-Identifier: Apache-2.0
"""Treiber's stack, three processes with two operations each: compared with SPIN, in the same run.

SPIN gets a model of its own (``treiber.pml``), in two forms: with one step per access, the natural form, and with the
steps that linpoint has after its reductions. It uses partial-order reduction, `-DSAFETY` tells it that there are no
cycles to find, and its table is large enough. It checks an assertion at the known linearization points; linpoint checks
the full product with the spec: with every reduction, and with none except anonymous nodes (``heap``), which runs long
enough to measure a rate.

In addition to the wall-clock rate, the rate by processor time is shown, which other work on the machine affects less.
With a single thread both should be equal.
"""

from __future__ import annotations

import os
import re
import resource
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from examples.models.treiber import Treiber
from linpoint import check_model
from linpoint.verdicts.status import Answer

_MODEL: Final = Path(__file__).with_name("treiber.pml")
_COMPILE: Final = ("gcc", "-O2", "-w", "-DSAFETY", "-DNOFAIR", "-DMEMLIM=12000", "-o", "pan", "pan.c")
_RUN: Final = ("./pan", "-m100000", "-w26")
_PATTERNS: Final = {
    "errors": re.compile(r"errors: (\d+)"),
    "states": re.compile(r"^\s*(\d+) states, stored", re.MULTILINE),
    "megabytes": re.compile(r"^\s*([\d.]+)\s+total actual memory usage", re.MULTILINE),
}


@dataclass(frozen=True, slots=True)
class Measured:
    """The result of a search. ``seconds`` are those of the search alone, without preparation."""

    name: str
    states: int
    seconds: float
    busy: float
    """Processor seconds."""
    bytes: float
    right: bool

    def __str__(self) -> str:
        rate = self.states / max(self.seconds, 1e-9) / 1e6
        busy = self.states / max(self.busy, 1e-9) / 1e6
        each = f"{self.states:>12,}{self.seconds:>9.2f}{rate:>8.2f}{busy:>9.2f}{self.bytes / self.states:>9.1f}"
        return f"{self.name:44}{each}{'' if self.right else '  WRONG'}"


HEADER: Final = (
    f"{'Treiber, 3 processes, 2 operations':44}{'states':>12}{'seconds':>9}{'M/s':>8}{'M/s busy':>9}{'B/state':>9}"
)


def _busy(whose: int) -> float:
    used = resource.getrusage(whose)
    return used.ru_utime + used.ru_stime


def spin(name: str, *options: str) -> Measured:
    """SPIN on its model."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["spin", *options, "-a", _MODEL], cwd=folder, check=True, capture_output=True)
        subprocess.run(_COMPILE, cwd=folder, check=True)
        began, before = time.perf_counter(), _busy(resource.RUSAGE_CHILDREN)
        done = subprocess.run(_RUN, cwd=folder, check=True, capture_output=True, text=True)
        seconds, busy = time.perf_counter() - began, _busy(resource.RUSAGE_CHILDREN) - before
    told = {key: float(found[1]) for key, pattern in _PATTERNS.items() if (found := pattern.search(done.stdout))}
    right = told.get("errors") == 0 and "Search not completed" not in done.stdout
    return Measured(name, int(told["states"]), seconds, busy, told["megabytes"] * 2**20, right)


def ours(name: str, *, jobs: int, without: tuple[str, ...] = ()) -> Measured:
    """Linpoint on the model of the examples."""
    before = _busy(resource.RUSAGE_SELF)
    result = check_model(Treiber, processes=3, operations=2, jobs=jobs, without=without)
    busy = _busy(resource.RUSAGE_SELF) - before
    found = result.explored
    right = result.answer is Answer.HOLDS
    return Measured(name, found.states, found.seconds, busy, found.states * found.bytes_per_state, right)


def table() -> Iterator[tuple[str, bool]]:
    """The lines in order, each with whether its answer is wrong."""
    yield HEADER, False
    if shutil.which("spin") is None or shutil.which("gcc") is None:
        yield "SPIN: skipped, since spin or gcc was not found", False
    else:
        for measured in (spin("SPIN, each access a step"), spin("SPIN, with the steps of linpoint", "-DFUSED")):
            yield str(measured), not measured.right
    plain = ("local", "fusion", "por", "symmetry")
    for jobs in (1, 2):
        cores = f"{jobs} core{'s' if jobs > 1 else ''}"
        for measured in (
            ours(f"linpoint, {cores}, every reduction", jobs=jobs),
            ours(f"linpoint, {cores}, no reduction but heap", jobs=jobs, without=plain),
        ):
            yield str(measured), not measured.right
    load = ", ".join(f"{each:.1f}" for each in os.getloadavg())
    yield f"load of the machine in the last 1, 5 and 15 minutes: {load}", False
