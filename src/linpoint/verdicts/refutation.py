# SPDX-License-Identifier: Apache-2.0
"""The evidence for VIOLATION: why no order of the operations exists."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

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
    The reasons are found when they are asked for: that takes longer than many a search.
    """

    prefix: tuple[int, ...]
    _blocked: tuple[Blocked, ...] | Callable[[], tuple[Blocked, ...]] = field(compare=False, repr=False)

    kind = "stuck-frontier"

    @property
    def blocked(self) -> tuple[Blocked, ...]:
        """The operations that would have to come next and cannot."""
        found = self._blocked
        if callable(found):
            found = found()
            object.__setattr__(self, "_blocked", found)
        return found


Refutation = StuckFrontier
