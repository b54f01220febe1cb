# SPDX-License-Identifier: Apache-2.0
"""The schedules of a search, one after another: an iterator of native explorers, each of which has begun a run.

The caller that iterates makes the run and judges it; no code of this package calls back. Guarantee: ``ended`` is set
only when the explorer has nothing left to show. It stays unset if the loop is left early or reaches its limits.
"""

from __future__ import annotations

from collections.abc import Iterator

from linpoint.explore import _native_control as native
from linpoint.limits.search_limits import SearchLimits
from linpoint.verdicts.schedule import Schedule


class ScheduleSearch:
    """One search. Iterating gives its explorer once per run, as long as the limits allow a run."""

    def __init__(self, explorer: native.Explorer, limits: SearchLimits) -> None:
        self.explorer = explorer
        self.limits = limits
        self.ended = False
        """Whether every schedule of the search was begun."""

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


def explorer_of(search: str, *, seed: int = 0, sleep_sets: bool = True) -> native.Explorer:
    """The explorer of a search by its name, such as ``bounded:2``, ``dpor``, ``random:1000`` or ``pct:3:1000``.

    The last number of a sampling search is its number of runs; ``pct`` gives its depth before that.
    """
    name, *numbers = search.split(":")
    given = tuple(map(int, numbers))
    if name == "dpor":
        return native.explore_dpor(sleep_sets)
    if name == "bounded":
        return native.explore_bounded(given[0])
    if name == "pct":
        return native.explore_pct(seed, given[1], given[0])
    return {"pos": native.explore_pos, "random": native.explore_random}[name](seed, given[0])
