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

_RATE_WINDOW_S: Final = 3.0
"""Seconds of the past that the rates are taken over."""
_STALL_S: Final = 0.5
"""Seconds without a step forward after which no estimate is honest."""


class SearchEstimate:
    """Follows the counts of a search."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._samples: deque[tuple[float, int, int]] = deque()
        self._moved = clock()
        self._furthest = 0

    def progress_text(self, placed: int, total: int, configurations: int, memory: int) -> str:
        """The counts, the rate and what is to be expected, in a few words."""
        now = self._clock()
        if placed > self._furthest:
            self._furthest, self._moved = placed, now
        self._samples.append((now, placed, configurations))
        while now - self._samples[0][0] > _RATE_WINDOW_S:
            self._samples.popleft()
        began, placed_then, configurations_then = self._samples[0]
        elapsed = now - began
        rate = (configurations - configurations_then) / elapsed if elapsed > 0 else 0.0
        search = f"{_short(configurations)} configurations ({_short(rate)}/s), {memory / 2**20:,.0f} MB"
        return f"{placed:,} of {total:,} placed{self._outlook(now, placed, total, elapsed, placed_then)}, {search}"

    def _outlook(self, now: float, placed: int, total: int, elapsed: float, placed_then: int) -> str:
        still = now - self._moved
        if still > _STALL_S:
            return f", no progress for {still:.1f} s"
        pace = (placed - placed_then) / elapsed if elapsed > 0 else 0.0
        return f", about {(total - placed) / pace:.0f} s left" if pace > 0 else ""


def _short(number: float) -> str:
    """A number in at most five characters."""
    for unit in ("", "k", "M", "G"):
        if number < 1000:
            return f"{number:.0f}{unit}" if not unit or number >= 100 else f"{number:.1f}{unit}"
        number /= 1000
    return f"{number:.0f}T"
