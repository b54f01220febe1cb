# SPDX-License-Identifier: Apache-2.0
"""What the language leaves open, decided in one place, so that a comparison can decide it otherwise."""

from __future__ import annotations

import enum
from dataclasses import dataclass


class Local(enum.Enum):
    """What becomes of accesses that nobody else can notice.

    They are: accesses to nodes of which no pointer was ever stored in a cell or in such a published node; reads of
    fields that no operation writes; accesses to cells (arrays as a whole, locks too) that only one process can touch, or
    that no operation writes.
    Under TSO only loads and stores are among them, since all others wait for the buffer; such stores go to memory at once.
    """

    COMPRESSED = "compressed"
    """They happen together with the step before them, as other local computation does."""
    FREE = "free"
    """They are transitions of their own that cost nothing. Nothing is reduced, lengths are as with COMPRESSED."""
    STEPS = "steps"
    """They are steps like any other, also under TSO."""


@dataclass(frozen=True, slots=True)
class Rules:
    """Costs and choices.

    ``flush_cost``: what it counts when a buffered store reaches memory. ``fence_cost`` and ``fence_under_sc``: what a
    fence counts, and whether it is a step at all where there are no buffers. ``release_waits``: whether releasing a lock
    waits for the buffer, as acquiring does, or is a buffered store.
    """

    flush_cost: int = 1
    fence_cost: int = 1
    fence_under_sc: bool = False
    release_waits: bool = True


class ModelError(Exception):
    """A model does what no model here should: it reads a field of None, leaves an array, or computes for ever."""


class TooLargeError(Exception):
    """More states than allowed."""
