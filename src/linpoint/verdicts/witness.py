# SPDX-License-Identifier: Apache-2.0
"""The evidence for LINEARIZABLE: an order of the operations that is one legal run of the spec."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Witness:
    """Positions of the operations in the order in which they take effect.

    Operations with an unknown outcome that are not in ``order`` had no effect. Under ``buffered-durable``
    ``survivors`` says, for each era that a crash ends, how many operations of that era survive: the first so many
    of its part of the order.
    """

    order: Sequence[int]
    survivors: tuple[int, ...] | None = None
    certified: bool = True
    """False for an order that does not hold, by the rules of a paper that are wrong at times."""
