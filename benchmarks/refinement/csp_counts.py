# SPDX-License-Identifier: Apache-2.0
"""The paper's numbers of states, counted again: its register and its stack in the steps of CSP#.

Source: Liu et al., *Model Checking Linearizability via Refinement*, FM 2009, Table 1. PAT and its models are not
needed: these were written from scratch. The steps of CSP# were determined by fitting a few rows, and validated on the
others. According to the numbers, in the paper's steps

    a test is a step of its own      the register's: whether a scan is at its end (for the reader, only when it is)
    variables are never forgotten    an old result stays in the spec's buffer, an old height in the process
    a changed height is copied       in one more step, which partial-order reduction removes
    reduction                        a test touches nothing shared, so it is taken alone wherever there is one

and PAT counts one state more, or, with given linearization points, 3 to the power of the number of processes.

linpoint's steps are accesses, calls and returns, and it forgets values that are no longer needed. With
``as_paper=False`` the same systems give exactly the numbers of `linpoint refine --without
local,fusion,por,symmetry,heap` (see `OURS`), so that one chain leads from PAT's count to the engine's.

    python -m benchmarks.refinement.csp_counts [--all]
"""

from __future__ import annotations

import sys
from typing import Final

from benchmarks.refinement.csp_product import Modelled, count
from benchmarks.refinement.csp_register import Register
from benchmarks.refinement.csp_stack import Stack, StackWithPoints

EXPLAINED: Final[tuple[tuple[str, Modelled, int, int], ...]] = (
    ("4-valued register", Register(4), 1, 50_893),
    ("4-valued register, reduced", Register(4, reduced=True), 1, 43_977),
    ("5-valued register", Register(5), 1, 349_333),
    ("5-valued register, reduced", Register(5, reduced=True), 1, 307_155),
    ("6-valued register", Register(6), 1, 2_062_437),
    ("6-valued register, reduced", Register(6, reduced=True), 1, 1_838_177),
    ("stack of size 12", Stack(12, 2), 1, 540_769),
    ("stack of size 12, reduced", Stack(12, 2, reduced=True), 1, 395_345),
    ("stack of size 14, reduced", Stack(14, 2, reduced=True), 1, 599_077),
    ("stack of size 12 (points)", StackWithPoints(12, 2), 9, 9_677),
    ("stack of size 14 (points)", StackWithPoints(14, 2), 9, 12_963),
    ("stack of size 2, 3 processes (points)", StackWithPoints(2, 3), 27, 10_385),
    ("stack of size 2, 4 processes (points)", StackWithPoints(2, 4), 81, 219_471),
)
"""Name, system, PAT's additional states, and the number in Table 1."""
UNEXPLAINED: Final[tuple[tuple[str, Modelled, int], ...]] = (
    ("stack of size 14", Stack(14, 2), 763_401),
    ("3-valued register with 2 readers", Register(3, 2), 479_859),
    ("3-valued register with 2 readers, reduced", Register(3, 2, reduced=True), 361_255),
)
"""Rows whose numbers this way of counting does not explain. The stack of size 2 with 3 processes is another one."""
OURS: Final[tuple[tuple[str, Modelled, int], ...]] = (
    ("3-valued register", Register(3, as_paper=False), 968),
    ("4-valued register", Register(4, as_paper=False), 6_210),
    ("5-valued register", Register(5, as_paper=False), 34_278),
    ("3-valued register with 2 readers", Register(3, 2, as_paper=False), 24_610),
    ("stack of size 12", Stack(12, 2, as_paper=False), 20_364),
    ("stack of size 14", Stack(14, 2, as_paper=False), 26_810),
    ("stack of size 2, 3 processes", Stack(2, 3, as_paper=False), 242_245),
)
"""Name, system, and the engine's count with all reductions off."""
_LARGE: Final = 1_000_000


def main() -> int:
    """Print the counts with the paper's and the engine's; the exit code is 1 if one of them no longer agrees."""
    wrong = False
    print(f"{'row of Table 1':44}{'counted':>12}{'paper':>12}")
    for name, model, more, paper in EXPLAINED:
        if paper > _LARGE and "--all" not in sys.argv:
            continue
        found = count(model)
        wrong = wrong or found + more != paper
        print(f"{name:44}{found:>12,}{paper:>12,}  {f'+{more}' if found + more == paper else 'WRONG'}", flush=True)
    for name, model, paper in UNEXPLAINED:
        print(f"{name:44}{count(model):>12,}{paper:>12,}  not explained", flush=True)
    print(f"\n{'in our steps':44}{'counted':>12}{'engine':>12}")
    for name, model, engine in OURS:
        found = count(model)
        wrong = wrong or found != engine
        print(f"{name:44}{found:>12,}{engine:>12,}  {'same' if found == engine else 'WRONG'}", flush=True)
    return int(wrong)


if __name__ == "__main__":
    sys.exit(main())
