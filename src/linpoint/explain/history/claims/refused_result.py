# SPDX-License-Identifier: Apache-2.0
"""The operation whose result is rejected, and the results that it was allowed to return.

A result is allowed if all operations of the object have an order with it. If the history has further violations, so
that no result is allowed, a prefix is considered: the operations called by the time the rejected one returned, whatever
those did that were still open.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from linpoint.explain.history.claim import Claim
from linpoint.explain.history.claims.earliest_violation import MAX_BISECTED_OPERATIONS
from linpoint.explain.history.claims.result_enumeration import PossibleResults, possible_results
from linpoint.explain.history.claims.whole_object import WholeObject
from linpoint.explain.history.explanation import Culprit
from linpoint.histories.operation import Outcome

_MAX_SUSPECTS: Final = 4


@dataclass(frozen=True, slots=True)
class Refusal:
    """The rejected operation: with its allowed results, or without a place in any order whatever it returned."""

    culprit: Culprit | None
    no_place: int | None = None

    @property
    def position(self) -> int | None:
        """The position of the operation."""
        return self.no_place if self.culprit is None else self.culprit.position

    def claims(self) -> Iterator[Claim]:
        """The claims about the operation."""
        if self.no_place is not None:
            yield Claim("no-place", (self.no_place,))
        if self.culprit is None:
            return
        kind = "refused-at-return" if self.culprit.at_return else "refused"
        kind = kind if self.culprit.complete else f"{kind}-for-example"
        yield Claim(kind, (self.culprit.position,), values=self.culprit.allowed)


def refused_operation(whole: WholeObject, core: Sequence[int], last: int | None) -> Refusal:
    """Choose the rejected operation of ``core``. ``last`` is the operation whose return completed the contradiction."""
    if whole.timely:
        bisect = last is None and len(whole.positions) <= MAX_BISECTED_OPERATIONS
        first = whole.first_violation() if bisect else last
        for each in _returned_with(whole, core, first):
            found = _at_return(whole, each)
            if found.culprit is not None or found.no_place is not None:
                return found
    for suspect in _suspects(whole, core):
        found_here = _in_whole(whole, suspect)
        if found_here.values:
            return Refusal(Culprit(suspect, found_here.values, found_here.complete))
    return Refusal(None)


def _returned_with(whole: WholeObject, core: Sequence[int], last: int | None) -> list[int]:
    """The operations of the core that returned at the same time as ``last``, which comes first."""
    ops = whole.history.operations
    if last is None:
        return []
    together = [p for p in core if ops[p].outcome is Outcome.OK and ops[p].end == ops[last].end]
    return sorted(together, key=lambda p: p != last)


def _suspects(whole: WholeObject, core: Sequence[int]) -> list[int]:
    """Operations of the core, by return, the latest first."""
    ops = whole.history.operations
    returned = [position for position in core if ops[position].outcome is Outcome.OK]
    return sorted(returned, key=lambda position: ops[position].end, reverse=True)[:_MAX_SUSPECTS]


def _in_whole(whole: WholeObject, position: int) -> PossibleResults:
    if whole.has_order(unknown=[position]) is False:  # there is another violation, whatever it returned
        return PossibleResults((), complete=True)
    return possible_results(whole, whole.positions, (), position)


def _at_return(whole: WholeObject, position: int) -> Refusal:
    """The allowed results of the operation whose return completed the violation."""
    found = _in_whole(whole, position)
    if found.values:
        return Refusal(Culprit(position, found.values, found.complete))
    called, still_open = whole.called_by_return(position)
    if whole.has_order(called, unknown=[*still_open, position]) is not True:
        return Refusal(None)  # there was an earlier violation
    if whole.has_order(called, unknown=still_open) is not False:
        return Refusal(None)
    found = possible_results(whole, called, still_open, position)
    if found.values:
        return Refusal(Culprit(position, found.values, found.complete, at_return=True))
    return Refusal(None, position if found.complete else None)
