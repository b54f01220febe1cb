# SPDX-License-Identifier: Apache-2.0
"""Models checked by refinement: compared with the paper's Table 1, and with SPIN."""

from __future__ import annotations

import itertools

from benchmarks.refinement import spin, table1


def experiment(*, quick: bool) -> bool:
    """Measure and print everything; whether an answer was wrong. With ``quick`` SPIN is skipped."""
    wrong = False
    tables = [table1.table()] if quick else [table1.table(), iter([("", False)]), spin.table()]
    for line, is_wrong in itertools.chain.from_iterable(tables):
        print(line, flush=True)
        wrong = wrong or is_wrong
    return wrong
