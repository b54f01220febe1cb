# SPDX-License-Identifier: Apache-2.0
"""Which operations a page holds: all of them, or of a very long history those that say most.

First come the operations that an explanation speaks of, then those of the keys in violation that are nearest to it in
the file, then whatever else is near. What is missing is said. Cost: O(operations held), however long the history is.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from linpoint.explain.explanation import Explanation
from linpoint.verdicts import KeyVerdict, Status

MOST: Final = 200_000
_MOST_SPOKEN_OF: Final = 10_000


@dataclass(frozen=True, slots=True)
class Chosen:
    """Positions in ascending order, and what to say where some are missing."""

    positions: Sequence[int]
    note: str = ""


def choose(explanation: Explanation, *, most: int = MOST) -> Chosen:
    """The operations of a page: at most ``most``, and those that an explanation speaks of."""
    total = len(explanation.verdict.history)
    if total <= most:
        return Chosen(range(total))
    spoken = list(_spoken_of(explanation))[:_MOST_SPOKEN_OF]
    middle = sorted(spoken)[len(spoken) // 2] if spoken else 0
    taken = set(spoken)
    for key in _in_violation(explanation):
        taken.update(_around(key.positions, middle, most - len(taken)))
    taken.update(_around(range(total), middle, most - len(taken)))
    where = "those around the violation" if explanation.core else "those around the place where the search stopped"
    if not spoken:
        where = "the first ones"
    return Chosen(sorted(taken), f"This page shows {len(taken):,} of {total:,} operations: {where}.")


def _spoken_of(explanation: Explanation) -> Iterable[int]:
    yield from explanation.core
    if explanation.stuck is not None:
        yield from (each.position for each in explanation.stuck.blocked)
    for key in explanation.verdict.keys:
        if key.reached is not None:
            yield from key.reached.open


def _in_violation(explanation: Explanation) -> list[KeyVerdict]:
    bad = [key for key in explanation.verdict.keys if key.status is Status.VIOLATION]
    return sorted(bad, key=lambda key: key in explanation.others)


def _around(positions: Sequence[int], middle: int, room: int) -> Sequence[int]:
    """So many of the positions, in ascending order, around one of them."""
    at = bisect_left(positions, middle)
    start = max(0, min(at - room // 2, len(positions) - room))
    return [positions[index] for index in range(start, min(start + max(room, 0), len(positions)))]
