# SPDX-License-Identifier: Apache-2.0
"""Claims about the minimal history: that it is a violation by itself, and that its operations are needed.

Removing an operation gives a different history, in which a value may have lost its source. So "none of them can be left
out" is claimed only if removing any single one gives the rest an order. The result of relaxing is claimed literally: if
the outcome of the operation was unknown, the others would have an order.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from linpoint.explain.history.claim import Claim
from linpoint.explain.history.claims.whole_object import WholeObject

_MAX_OPERATIONS: Final = 48
"""With more operations, the need for single ones is not evaluated."""


def core_claims(whole: WholeObject, core: Sequence[int], needed: Sequence[int]) -> Iterator[Claim]:
    """The claims that hold of the operations of a minimal history."""
    core, needed = tuple(core), tuple(needed)
    if len(core) == 1 and _alone(whole, core[0]):
        yield Claim("impossible", core)
    if whole.has_order(core) is not False:
        return
    yield Claim("by-themselves", core)
    if len(core) > _MAX_OPERATIONS:
        return
    if len(core) > 1 and all(whole.has_order([p for p in core if p != left_out]) for left_out in core):
        yield Claim("irreducible", core)
    others = tuple(p for p in core if p not in needed)
    for among in dict.fromkeys(((), others)):  # the others as recorded if that suffices, else also unknown
        if all(whole.has_order(core, unknown=[each, *among]) for each in needed):
            yield Claim("needed", needed, among)
            return


def _alone(whole: WholeObject, position: int) -> bool:
    """Whether the operation has no place in any order even if the outcomes of all others are unknown."""
    return whole.has_order(unknown=[p for p in whole.positions if p != position]) is False
