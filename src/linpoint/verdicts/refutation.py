# SPDX-License-Identifier: Apache-2.0
"""The evidence for VIOLATION: why no order of the operations exists."""

from __future__ import annotations

from dataclasses import dataclass

from linpoint.histories.values import Value


@dataclass(frozen=True, slots=True)
class Blocked:
    """An operation that would have to come next and cannot: what the spec would have allowed it to return.

    ``allowed`` is empty when the operation is not a legal step at all in that state.
    """

    position: int
    allowed: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class StuckFrontier:
    """A longest legal prefix and the operations that cannot come next, each with the spec's reason.

    It is evidence to look at, and the prefix is certified; that *no* order exists is the exhausted search's word alone.
    """

    prefix: tuple[int, ...]
    blocked: tuple[Blocked, ...]

    kind = "stuck-frontier"


Refutation = StuckFrontier
