# SPDX-License-Identifier: Apache-2.0
"""Figure 12 of the paper: the number of tests, by the number of operations.

Exhaustive: every state that a crash can leave at any moment, counted but not tested, as the paper does for Yat. All
stores: linpoint's tests, around each store and each return, with concurrent operations. Points only: the same at likely
linearization points alone, as in the paper.
"""

from __future__ import annotations

from pathlib import Path

from benchmarks import plot
from benchmarks.crashing.structures import SWEEP, Structure, hash_table, shifting_tree

_STRUCTURES = (("hash table", hash_table), ("shifting tree", shifting_tree))
_KINDS = (*SWEEP, "dl3")
_SHOWN = 1e12
"""Larger values are drawn here: more tests are never feasible."""


def table(*, quick: bool, out: Path) -> bool:
    """Print the table, and write the plot; whether any test failed, although the structures are correct."""
    sizes = (10, 30, 100) if quick else (10, 30, 100, 300, 1000)
    print("figure 12: tests, by operations; exhaustive ones are counted, the others were run")
    print(
        f"{'structure':16}{'operations':>11}{'stores':>8}{'points':>8}{'exhaustive':>12}{'all stores':>12}{'points only':>13}"
    )
    series: dict[str, list[plot.Point]] = {}
    wrong = False
    for name, make in _STRUCTURES:
        for operations in sizes:
            tested = make(operations)
            counts = {"exhaustive": tested.traced.states}
            for way, points_only in (("all stores", False), ("points only", True)):
                counts[way], failed = _tests(tested, points_only=points_only)
                wrong = wrong or failed
            print(f"{name:16}{operations:>11,}{tested.traced.stores:>8,}{tested.traced.points.stores:>8,}", end="")
            print(
                f"{counts['exhaustive']:>12.3g}{counts['all stores']:>12,.0f}{counts['points only']:>13,.0f}",
                flush=True,
            )
            for way, count in counts.items():
                shown = plot.Point(operations, min(count, _SHOWN), f"{count:,.4g} tests", open_end=count > _SHOWN)
                series.setdefault(f"{name}, {way}", []).append(shown)
    if wrong:
        print("WRONG: a crash was not survived")
    title = "Crash tests by operations (triangles: more than can be shown)"
    (out / "crashes.svg").write_text(plot.curves(title, "operations", "tests", series), encoding="utf-8")
    return wrong


def _tests(tested: Structure, *, points_only: bool) -> tuple[int, bool]:
    ended, reply = tested.crashed(_KINDS, points_only=points_only)
    return sum(ended.tests.values()), bool(reply.violations) or ended.ended != "complete"
