# SPDX-License-Identifier: Apache-2.0
"""What a progress line says of a search: where it is, how fast, and how long it may take if it goes on like this.

A search may stand still for as long as it likes and then go through in an instant, so there is an estimate only while
it has been moving lately, and otherwise the time for which it has not.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from typing import Final

_WINDOW: Final = 5.0
"""Seconds of the past that the rates are taken over."""
_STILL: Final = 2.0
"""Seconds without a step forward after which no estimate is honest."""


class Estimate:
    """Follows the counts of a search."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._samples: deque[tuple[float, int, int]] = deque()
        self._moved = clock()
        self._furthest = 0

    def words(self, placed: int, total: int, configurations: int, memory: int) -> str:
        """The counts, the rate and what is to be expected, in a few words."""
        now = self._clock()
        if placed > self._furthest:
            self._furthest, self._moved = placed, now
        self._samples.append((now, placed, configurations))
        while now - self._samples[0][0] > _WINDOW:
            self._samples.popleft()
        began, placed_then, configurations_then = self._samples[0]
        elapsed = now - began
        rate = (configurations - configurations_then) / elapsed if elapsed > 0 else 0.0
        words = f"{placed:,} of {total:,} operations placed, {configurations:,} configurations"
        words += f" ({rate:,.0f}/s), {memory / 2**20:,.0f} MB"
        still = now - self._moved
        if still > _STILL:
            return f"{words}, no further for {still:.0f} s"
        pace = (placed - placed_then) / elapsed if elapsed > 0 else 0.0
        return f"{words}, about {(total - placed) / pace:.0f} s left at this pace" if pace > 0 else words
