# SPDX-License-Identifier: Apache-2.0
"""The schedules of a search, one after another: an iterator of native explorers, each of which has begun a run.

Whoever iterates makes the run and decides what it shows; no code of this package calls back. Guarantee: ``ended`` is set
only when the explorer has nothing left to show; a loop that is left early, or that ran out of its limits, leaves it unset.
"""

from __future__ import annotations

from collections.abc import Iterator

from linpoint.explore import _native_control as native
from linpoint.limits.search_limits import SearchLimits
from linpoint.verdicts.schedule import Schedule


class ScheduleSearch:
    """One search. Iterating gives its explorer once for each run, as long as the limits allow one."""

    def __init__(self, explorer: native.Explorer, limits: SearchLimits) -> None:
        self.explorer = explorer
        self.limits = limits
        self.ended = False
        """Every schedule of the search was begun."""

    def __iter__(self) -> Iterator[native.Explorer]:
        explorer, limits = self.explorer, self.limits
        while explorer.runs < limits.runs and not limits.over():
            if not explorer.begin():
                self.ended = True
                return
            yield explorer


def begin_replay(schedule: Schedule) -> native.Explorer:
    """An explorer that has begun the run of one schedule; the empty one is the default schedule."""
    explorer = native.explore_again(list(schedule))
    explorer.begin()
    return explorer


def sampling_explorers(seed: int, runs: int) -> tuple[native.Explorer, ...]:
    """Random schedules of three kinds, so many of each."""
    return native.explore_pos(seed, runs), native.explore_random(seed, runs), native.explore_pct(seed, runs, 3)
