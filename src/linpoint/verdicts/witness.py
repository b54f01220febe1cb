# SPDX-License-Identifier: Apache-2.0
"""The evidence for LINEARIZABLE: an order of the operations that is one legal run of the spec."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Witness:
    """Positions of the operations in the order in which they take effect.

    Operations with an unknown outcome that are not in ``order`` had no effect. Under ``buffered-durable`` ``eras`` says,
    for each era that a crash ends, how many operations take effect in it, and ``survivors`` how many of them survive: the
    first so many of its part of the order.
    """

    order: Sequence[int]
    survivors: tuple[int, ...] | None = None
    eras: tuple[int, ...] | None = None
    certified: bool = True
    """False for an order that does not hold, by the rules of a paper that are wrong at times."""

    def by_era(self) -> list[Sequence[int]]:
        """The order cut at the crashes of the object: the operations of each era, the last of which no crash ends."""
        order = tuple(self.order)
        cuts = [0, *itertools.accumulate(self.eras or ()), len(order)]
        return [order[start:end] for start, end in itertools.pairwise(cuts)]
