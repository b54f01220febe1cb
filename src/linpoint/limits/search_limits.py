# SPDX-License-Identifier: Apache-2.0
"""When one search is to stop: at a moment, or after a number of runs."""

from __future__ import annotations

import time
from dataclasses import dataclass

MAX_SEARCH_RUNS = 1_000_000


@dataclass(frozen=True, slots=True)
class SearchLimits:
    """A moment on the monotonic clock, and a number of runs for each search."""

    deadline: float
    runs: int = MAX_SEARCH_RUNS

    def over(self) -> bool:
        """Whether there is no time left."""
        return time.monotonic() >= self.deadline

    def seconds(self) -> float:
        """The time that is left, never negative."""
        return max(0.0, self.deadline - time.monotonic())
