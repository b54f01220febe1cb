# SPDX-License-Identifier: Apache-2.0
"""Selects the operations of a page: all of them, or the most relevant ones of a very long history.

First come the operations that an explanation mentions, then those of the keys in violation, then those that were called
at about the same time. The page notes the omitted ones. Cost: none for a history that fits; else O(n log n), mostly
native. Only operations of the page are created.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from linpoint.checkers.history_interpretation import HistoryInterpretation
from linpoint.explain.history.explanation import Explanation
from linpoint.verdicts import KeyVerdict, Status

MAX_OPERATIONS: Final = 200_000
_MAX_MENTIONED: Final = 10_000


@dataclass(frozen=True, slots=True)
class PageOperations:
    """Positions in ascending order, and a note if some are omitted."""

    positions: Sequence[int]
    note: str = ""

    @property
    def places(self) -> dict[int, int]:
        """The index of each position on the page."""
        return {position: place for place, position in enumerate(self.positions)}


def choose_operations(explanation: Explanation, *, most: int = MAX_OPERATIONS) -> PageOperations:
    """Choose at most ``most`` operations for a page, including those that an explanation mentions."""
    verdict = explanation.verdict
    total = len(verdict.history)
    if total <= most:
        return PageOperations(range(total))
    mentioned = list(_mentioned(explanation))[: min(most, _MAX_MENTIONED)]
    by_call = HistoryInterpretation(verdict.history, verdict.spec, "linearizable").timing(range(total)).positions
    middle = mentioned[-1] if mentioned else by_call[0]
    if explanation.culprit is not None:
        middle = explanation.culprit.position
    taken = {*mentioned, middle}
    for key in in_violation(explanation):
        if len(key.positions) <= most - len(taken):
            taken.update(key.positions)
        else:
            members = {*key.positions, middle}
            _fill(taken, [position for position in by_call if position in members], middle, most)
            break
    _fill(taken, by_call, middle, most)
    where = "those around the violation" if explanation.core else "those around the point where the search stopped"
    if not mentioned:
        where = "the first ones"
    return PageOperations(sorted(taken), f"This page shows {len(taken):,} of {total:,} operations: {where}.")


def _mentioned(explanation: Explanation) -> Iterator[int]:
    if explanation.stuck is not None:
        yield from (each.position for each in explanation.stuck.blocked)
    for key in explanation.verdict.keys:
        if key.reached is not None:
            yield from key.reached.open
    yield from explanation.core


def in_violation(explanation: Explanation) -> list[KeyVerdict]:
    """The keys in violation, the one that is explained first."""
    bad = [key for key in explanation.verdict.keys if key.status is Status.VIOLATION]
    others = set(map(id, explanation.others))
    return sorted(bad, key=lambda key: id(key) in others)


def _fill(taken: set[int], by_call: Sequence[int], middle: int, most: int) -> None:
    """Add the operations nearest to ``middle`` on both sides, up to ``most``."""
    right = by_call.index(middle)
    left = right - 1
    while len(taken) < most and (left >= 0 or right < len(by_call)):
        if right < len(by_call):
            taken.add(by_call[right])
            right += 1
        if left >= 0 and len(taken) < most:
            taken.add(by_call[left])
            left -= 1
