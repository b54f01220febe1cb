# SPDX-License-Identifier: Apache-2.0
"""Decisions that the language leaves open, made in one place, so that a comparison can vary them."""

from __future__ import annotations

import enum
from dataclasses import dataclass


class Local(enum.Enum):
    """The treatment of accesses that other processes cannot observe.

    They are: accesses to nodes to which no pointer was ever stored in a cell or in such a published node; reads of
    fields that no operation writes; accesses to cells (arrays as a whole, locks too) that only one process can access,
    or that no operation writes. Under TSO only loads and stores are among them, since all others wait for the buffer;
    such stores go directly to memory.
    """

    COMPRESSED = "compressed"
    """They happen together with the step before them, like other local computation."""
    FREE = "free"
    """They are transitions of their own without cost. Nothing is reduced; lengths are as with COMPRESSED."""
    STEPS = "steps"
    """They are steps like any other, also under TSO."""


@dataclass(frozen=True, slots=True)
class Rules:
    """Costs and choices.

    ``flush_cost``: the cost of a buffered store reaching memory. ``fence_cost`` and ``fence_under_sc``: the cost of a
    fence, and whether it is a step at all without buffers. ``release_waits``: whether releasing a lock waits for the
    buffer, as acquiring does, or is a buffered store.
    """

    flush_cost: int = 1
    fence_cost: int = 1
    fence_under_sc: bool = False
    release_waits: bool = True


class ModelError(Exception):
    """A forbidden action of a model: it reads a field of None, leaves an array, or computes forever."""


class TooLargeError(Exception):
    """More states than allowed."""
