# SPDX-License-Identifier: Apache-2.0
"""Litmus tests with names: Intel's examples 8-1 to 8-10, three of the x86-TSO papers, and the classic shapes.

Each names one outcome, and the models that allow it. Sources: Intel SDM volume 3, section 8.2.3; Owens, Sarkar and
Sewell, "A better x86 memory model: x86-TSO" (n4b, n5, n6); the shapes are named as in Alglave, Maranget and Tautschnig,
"Herding cats".
"""

from __future__ import annotations

from dataclasses import dataclass

from tests.hosts.litmus import VARIABLES


@dataclass(frozen=True)
class Named:
    """``outcome`` lists the values read, thread by thread, and final memory where that matters: ``1 0 | ; x=1``."""

    text: str
    outcome: str
    allowed: tuple[str, ...] = ()

    def shows(self, printed: str) -> bool:
        """Whether the interpreter has printed the outcome."""
        *threads, memory = (each.split() for each in printed.strip().split("|"))
        read, _, finally_ = self.outcome.partition(";")
        end = dict(zip(VARIABLES, memory, strict=True))
        wanted = dict(each.strip().split("=") for each in finally_.split(",") if each.strip())
        return [value for thread in threads for value in thread] == read.split() and wanted.items() <= end.items()


INTEL = {
    "8-1": Named("x = 1; y = 1 | r1 = y; r2 = x", "1 0", ("pso",)),
    "8-2": Named("r1 = x; y = 1 | r2 = y; x = 1", "1 1"),
    "8-3": Named("x = 1; r1 = y | y = 1; r2 = x", "0 0", ("tso", "pso")),
    "8-4": Named("x = 1; r1 = x", "0"),
    "8-5": Named("x = 1; r1 = x; r2 = y | y = 1; r3 = y; r4 = x", "1 0 1 0", ("tso", "pso")),
    "8-6": Named("x = 1 | r1 = x; y = 1 | r2 = y; r3 = x", "1 1 0"),
    "8-7": Named("x = 1 | y = 1 | r1 = x; r2 = y | r3 = y; r4 = x", "1 0 1 0"),
    "8-8": Named("r1 = x.exchange(1) | r2 = y.exchange(1) | r3 = x; r4 = y | r5 = y; r6 = x", "0 0 1 0 1 0"),
    "8-9": Named("r1 = x.exchange(1); r2 = y | r3 = y.exchange(1); r4 = x", "0 0 0 0"),
    "8-10": Named("r1 = x.exchange(1); y = 1 | r2 = y; r3 = x", "0 1 0"),
    "n6": Named("x = 1; r1 = x; r2 = y | y = 2; x = 2", "1 0; x=1", ("tso", "pso")),
    "n5": Named("x = 1; r1 = x | x = 2; r2 = x", "2 1"),
    "n4b": Named("r1 = x; x = 1 | r2 = x; x = 2", "2 1"),
}

SHAPES = {
    "SB": Named("x = 1; r1 = y | y = 1; r2 = x", "0 0", ("tso", "pso")),
    "SB with fences": Named("x = 1; fence; r1 = y | y = 1; fence; r2 = x", "0 0"),
    "SB with one fence": Named("x = 1; fence; r1 = y | y = 1; r2 = x", "0 0", ("tso", "pso")),
    "SB with weaker fences": Named(
        "x = 1; fence @acq_rel; r1 = y | y = 1; fence @acq_rel; r2 = x", "0 0", ("tso", "pso")
    ),
    "SB of seq_cst": Named("x = 1 @seq_cst; r1 = y @seq_cst | y = 1 @seq_cst; r2 = x @seq_cst", "0 0"),
    "SB of release and acquire": Named(
        "x = 1 @release; r1 = y @acquire | y = 1 @release; r2 = x @acquire", "0 0", ("tso", "pso")
    ),
    "MP": Named("x = 1; y = 1 | r1 = y; r2 = x", "1 0", ("pso",)),
    "MP of release and acquire": Named("x = 1; y = 1 @release | r1 = y @acquire; r2 = x", "1 0"),
    "MP with fences": Named("x = 1; fence @release; y = 1 | r1 = y; fence @acquire; r2 = x", "1 0"),
    "MP awaited": Named("x = 1; y = 1 | await y == 1; r1 = x", "0", ("pso",)),
    "LB": Named("r1 = x; y = 1 | r2 = y; x = 1", "1 1"),
    "S": Named("x = 2; y = 1 | r1 = y; x = 1", "1; x=2", ("pso",)),
    "R": Named("x = 1; y = 1 | y = 2; r1 = x", "0; y=2", ("tso", "pso")),
    "2+2W": Named("x = 1; y = 2 | y = 1; x = 2", "; x=1, y=1", ("pso",)),
    "IRIW": Named("x = 1 | y = 1 | r1 = x; r2 = y | r3 = y; r4 = x", "1 0 1 0"),
    "SB with a release store in between": Named(
        "x = 1; y = 1 @release; r1 = z | z = 1; fence; r2 = x", "0 0", ("tso", "pso")
    ),
}
