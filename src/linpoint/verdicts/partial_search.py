# SPDX-License-Identifier: Apache-2.0
"""How far a search got that was stopped: the evidence for UNKNOWN."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from linpoint.histories.operation import Time


@dataclass(frozen=True, slots=True)
class PartialSearch:
    """The longest legal prefix that was found, and what came next when the search was stopped.

    ``open`` are the operations one of which had to take effect next, and ``window`` is the time from the first of
    their calls to the first of their returns (None: none of them returned).
    """

    prefix: tuple[int, ...]
    operations: int
    window: tuple[Time, Time | None] | None
    open: tuple[int, ...]

    def as_dict(self) -> dict[str, Any]:
        """As in the JSON of ``linpoint check``."""
        return {
            "placed": len(self.prefix),
            "operations": self.operations,
            "window": None if self.window is None else list(self.window),
            "open": list(self.open),
        }
