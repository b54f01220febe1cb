# SPDX-License-Identifier: Apache-2.0
"""The progress of a stopped search: the evidence for UNKNOWN."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from linpoint.histories.operation import Time


@dataclass(frozen=True, slots=True)
class PartialSearch:
    """The longest legal order that a stopped search found, and the operations that could come next.

    ``prefix`` is the longest legal order found, and ``operations`` the number of all operations. ``open`` has the
    operations one of which had to take effect next. ``window`` is the time from the first of their calls to the first
    of their returns (None if none of them returned).
    """

    prefix: tuple[int, ...]
    operations: int
    window: tuple[Time, Time | None] | None
    open: tuple[int, ...]

    def as_dict(self) -> dict[str, Any]:
        """The progress as in the JSON of ``linpoint check``."""
        return {
            "placed": len(self.prefix),
            "operations": self.operations,
            "window": None if self.window is None else list(self.window),
            "open": list(self.open),
        }
