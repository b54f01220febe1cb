# SPDX-License-Identifier: Apache-2.0
"""Crash tests of persistent structures: tests per second, compared with tests by fork, exec and file copy, and figures
11 and 12 of the Durinn paper (Fu et al., OSDI 2022) for structures of our own zoo.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from benchmarks.crashing import beside_exec, points, rates, space
from benchmarks.running import ROOT


def experiment(*, quick: bool, out: Path | None = None) -> bool:
    """Measure and print everything, and write the plot of figure 12; whether an answer was wrong."""
    if shutil.which("g++") is None:
        print("crashes: skipped, since g++ was not found")
        return False
    folder = out or ROOT / "build" / "bench"
    folder.mkdir(parents=True, exist_ok=True)
    wrong = rates.table(quick=quick)
    print()
    wrong = beside_exec.table(quick=quick) or wrong
    print()
    points.table(quick=quick)
    print()
    return space.table(quick=quick, out=folder) or wrong
