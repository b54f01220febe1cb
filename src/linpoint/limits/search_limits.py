# SPDX-License-Identifier: Apache-2.0
"""The limits of one search: a moment and a number of runs."""

from __future__ import annotations

import time
from dataclasses import dataclass

MAX_SEARCH_RUNS = 1_000_000


@dataclass(frozen=True, slots=True)
class SearchLimits:
    """A moment on the monotonic clock, and a maximum number of runs per search."""

    deadline: float
    runs: int = MAX_SEARCH_RUNS

    def over(self) -> bool:
        """Whether no time is left."""
        return time.monotonic() >= self.deadline

    def seconds(self) -> float:
        """Seconds left, never negative."""
        return max(0.0, self.deadline - time.monotonic())
