# SPDX-License-Identifier: Apache-2.0
"""Figure 11 of the paper: stores that the rules classify as linearization points, compared with those marked by hand.

The paper shows CCEH and FAST-FAIR; here are the structures of the zoo that resemble them. Counts are of stores that a
workload made, as in the paper: all of them; those by locked instructions; those to guardians; those that publish memory
allocated by their own operation; those that remain without stores to unpublished memory; the points, by all rules
together; and those of lines with the mark ``point``.
"""

from __future__ import annotations

import re
from typing import Final

from benchmarks.crashing.structures import Structure, hash_table, in_zoo, shifting_tree
from tests.crash.zoo_twins import ZOO

_MARK: Final = re.compile(r"(?://|/\*|[;.]) point(?P<below>: next line)?(?: \*/|;|$)")


def table(*, quick: bool) -> None:
    """Print the table."""
    operations = 300 if quick else 1000
    print(f"figure 11: likely linearization points of {operations:,} operations, by rule, and hand-marked ones")
    print(f"{'structure':16}{'stores':>8}{'atomic':>8}{'guarded':>9}{'publishing':>12}{'not fresh':>11}", end="")
    print(f"{'points':>8}{'by hand':>9}{'found':>7}{'recall':>8}{'extra':>7}")
    rows = (("hash table", hash_table(operations)), ("shifting tree", shifting_tree(operations)))
    for name, tested in rows:
        _row(name, tested)


def _row(name: str, tested: Structure) -> None:
    points = tested.traced.points
    by_hand, found = _marked(tested)
    stores = sum(count for _, count, _ in tested.traced.sites)
    print(f"{name:16}{stores:>8,}{points.atomic:>8,}{points.guarded:>9,}{points.publishing:>12,}", end="")
    print(f"{stores - points.fresh:>11,}", end="")
    print(f"{points.stores:>8,}{by_hand:>9,}{found:>7,}{found / by_hand:>8.0%}{points.stores - found:>7,}", flush=True)


def _marked(tested: Structure) -> tuple[int, int]:
    """The number of stores in marked lines, and of those among them that are likely points."""
    with in_zoo():
        lines = {f"{file}:{line}" for file in tested.test.sources for line in marks(file)}
        places = tested.run.places(tested.test.target.library, tested.test.sources)
        places.look_up(place for place, _, _ in tested.traced.sites)
        by_hand = found = 0
        for code, stores, points in tested.traced.sites:
            place = places.of(code)
            if place is not None and f"{place.file}:{place.line}" in lines:
                by_hand, found = by_hand + stores, found + points
    return by_hand, found


def marks(file: str) -> list[int]:
    """The lines of a zoo file that are marked as points."""
    found = []
    for number, line in enumerate((ZOO / file).read_text(encoding="utf-8").splitlines(), 1):
        mark = _MARK.search(line)
        if mark is not None:
            found.append(number + 1 if mark["below"] else number)
    return found
