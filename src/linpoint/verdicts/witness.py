# SPDX-License-Identifier: Apache-2.0
"""The evidence for LINEARIZABLE: an order of the operations that is a legal run of the spec."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Witness:
    """Positions of the operations in the order in which they take effect.

    Operations with an unknown outcome that are not in ``order`` had no effect. Under ``buffered-durable``, ``eras``
    counts the operations that take effect in each era that a crash ends, and ``survivors`` counts how many of them
    survive: a prefix of the era's part of the order.
    """

    order: Sequence[int]
    """The positions, in the order in which the operations take effect."""
    survivors: tuple[int, ...] | None = None
    """With ``buffered-durable``, the number of surviving operations of each era that a crash ends; else None."""
    eras: tuple[int, ...] | None = None
    """With ``buffered-durable``, the number of operations of each era that a crash ends; else None."""
    certified: bool = True
    """False only with ``--paper-rules``, for an order that is wrong because these rules are."""

    def by_era(self) -> list[Sequence[int]]:
        """The order split at the crashes of the object: the operations of each era; no crash ends the last one."""
        order = tuple(self.order)
        cuts = [0, *itertools.accumulate(self.eras or ()), len(order)]
        return [order[start:end] for start, end in itertools.pairwise(cuts)]
