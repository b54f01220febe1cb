# SPDX-License-Identifier: Apache-2.0
"""Shares the time of a campaign between its searches."""

from __future__ import annotations

import time
from dataclasses import dataclass

from linpoint.limits.search_limits import SearchLimits
from linpoint.subjects.interface import Search


@dataclass(frozen=True, slots=True)
class PhaseClock:
    """The seconds of a campaign and the end of its searches."""

    seconds: float
    until: float

    def over(self) -> bool:
        """Whether there is no time left."""
        return time.monotonic() >= self.until

    def limits(self, search: Search) -> SearchLimits:
        """The limits of one search that starts now."""
        now = time.monotonic()
        if search.of_whole:
            return SearchLimits(min(self.until, now + max(search.least_s, search.share * self.seconds)))
        return SearchLimits(now + max(search.least_s, search.share * (self.until - now)))
