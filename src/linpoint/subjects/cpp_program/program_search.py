# SPDX-License-Identifier: Apache-2.0
"""The schedules of a C++ program: a while for those with few preemptions, then all up to reordering, then samples.

Guarantee: ``exhaustive`` is said only when the unbounded search came to its end by itself, no run was cut, and nothing
qualifies it. The first failure of the bounded search has as few preemptions as any.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any, Final

from linpoint.explore.cpp.running import Host
from linpoint.explore.cpp.watching import GRACE, Outcome
from linpoint.hosts.search_messages import HostFinding, SearchResult
from linpoint.verdicts.schedule import FEW_PREEMPTIONS, Schedule, another_run

DEFAULT_BUDGET: Final = 30.0

_FOR_FEW: Final = 0.15
"""Of the time, for schedules with few preemptions: most mistakes show there."""
_FOR_ALL: Final = 0.6
"""Of what is left after that, for all schedules up to reordering."""
_FOR_FEW_AGAIN: Final = 0.5
_SAMPLES: Final = 20_000
_LEAST: Final = 0.05


@dataclass(frozen=True, slots=True)
class Settings:
    """How the schedules are gone through."""

    budget: float = DEFAULT_BUDGET
    """Seconds."""
    preemptions: int | None = None
    """Explore just the schedules with up to so many."""
    outcomes: bool = False
    """Collect what the program prints in complete runs."""
    seed: int = 0
    replay: dict[str, Any] = field(default_factory=dict)
    """What a replay token holds beside the schedule."""


@dataclass(slots=True)
class Coverage:
    """What was explored."""

    bounded: int = 0
    unbounded: int = 0
    steps: int = 0
    completed: int = -1
    """Every schedule with up to so many preemptions was run."""
    exhaustive: bool = False
    """The unbounded search came to its end, perhaps qualified."""
    qualified: dict[str, None] = field(default_factory=dict)
    """Sentences that say why a clean end proves less."""
    outcomes: dict[str, int] | None = None
    races: dict[object, HostFinding] = field(default_factory=dict)
    """Data races that were to be reported beside, each once."""
    given_up: str = ""
    """Why nothing more can be said, which ended the search."""
    peak_memory_bytes: int = 0


class Exploration:
    """The search through the schedules of one program."""

    def __init__(self, host: Host, settings: Settings) -> None:
        self.host = host
        self.settings = settings
        self.coverage = Coverage()
        self.interrupted = False
        self._alone = False
        """The search before could not be shared."""
        self.started = time.monotonic()

    @property
    def deadline(self) -> float:
        """When the time is up, on the monotonic clock."""
        return self.started + self.settings.budget

    def search(self) -> HostFinding | None:
        """The first failure. Ctrl-C ends the search with None, and ``interrupted`` says so."""
        try:
            return self._phases()
        except KeyboardInterrupt:
            self.interrupted = True
            return None

    def _phases(self) -> HostFinding | None:
        only = self.settings.preemptions
        if only is not None:
            return self.bounded(only, self._seconds(1.0))
        found = None
        if not self.settings.outcomes:
            found = self.bounded(FEW_PREEMPTIONS, self._seconds(_FOR_FEW))
        if not self._over(found):
            found = self._all(1.0 if self.settings.outcomes else _FOR_ALL)
        if not self._over(found) and self.coverage.completed < FEW_PREEMPTIONS:
            found = self.bounded(FEW_PREEMPTIONS, self._seconds(_FOR_FEW_AGAIN))
        return self._sampled(found)

    def _all(self, share: float) -> HostFinding | None:
        """Every schedule up to the order of independent steps: by all workers, or by one if they cannot share it."""
        until = time.monotonic() + self._seconds(share)
        found = self._run("dpor", until - time.monotonic(), shared=True)
        if self._alone:
            found = self._run("dpor", max(_LEAST, until - time.monotonic()))
        return found

    def _sampled(self, found: HostFinding | None) -> HostFinding | None:
        seed = self.settings.seed
        while not self._over(found) and time.monotonic() < self.deadline:
            for search in (f"pos:{_SAMPLES}", f"random:{_SAMPLES}", f"pct:3:{_SAMPLES}"):
                if not self._over(found):
                    found = self._run(search, self._seconds(1.0), seed)
            seed += 1
        return found

    def bounded(self, most: int, seconds: float) -> HostFinding | None:
        """Every schedule with up to ``most`` preemptions."""
        return self._run(f"bounded:{most}", seconds)

    def again(self, schedule: Schedule, seconds: float) -> Outcome:
        """The run of one schedule, with its steps; it is ended when the seconds are over."""
        text = ",".join(f"{step}.{process}" for step, process in schedule)
        outcome = self._noted(self.host.run(f"replay:{text}", seconds=seconds, patience=seconds, trace=True))
        if outcome.interrupted:
            raise KeyboardInterrupt
        return outcome

    def _over(self, found: HostFinding | None) -> bool:
        return found is not None or self.coverage.exhaustive or bool(self.coverage.given_up)

    def _seconds(self, share: float) -> float:
        return max(_LEAST, share * (self.deadline - time.monotonic()))

    def _run(self, search: str, seconds: float, seed: int = 0, *, shared: bool = False) -> HostFinding | None:
        """The first failure of one search. What it came to is in ``coverage``."""
        outcomes = self.settings.outcomes
        patience = max(seconds + GRACE, self.deadline - time.monotonic())
        done = self.host.run(search, seconds=seconds, patience=patience, seed=seed, outcomes=outcomes, shared=shared)
        outcome = self._noted(done)
        result = outcome.result
        self._alone = result is not None and result.ended == "alone"
        if result is None:
            self._count(search, outcome.reached.schedules, outcome.reached.steps)
            if outcome.interrupted:
                raise KeyboardInterrupt
            if outcome.by_itself:
                return HostFinding("crash", f"the program took its process with it: {outcome.died}", lost=True)
            self.coverage.given_up = outcome.died
            return None
        self._count(search, result.schedules, result.steps)
        self._learn(search, result)
        if result.diverged_at is not None and result.finding is None:
            return HostFinding("nondeterminism", another_run(result.diverged_at))
        return result.finding

    def _noted(self, outcome: Outcome) -> Outcome:
        covered = self.coverage
        covered.peak_memory_bytes = max(covered.peak_memory_bytes, outcome.peak_memory_bytes)
        return outcome

    def _count(self, search: str, schedules: int, steps: int) -> None:
        if search.startswith("bounded"):
            self.coverage.bounded += schedules
        else:
            self.coverage.unbounded += schedules
        self.coverage.steps += steps

    def _learn(self, search: str, result: SearchResult) -> None:
        covered = self.coverage
        covered.qualified |= dict.fromkeys(each.rstrip(".") for each in result.qualified)
        for race in result.races:
            covered.races.setdefault(race.key, race)
        if result.ended in ("refused", "error"):
            covered.given_up = result.reason or "the host gives no reason"
        if search.startswith("bounded"):
            covered.completed = max(covered.completed, result.completed)
        elif search == "dpor":
            covered.exhaustive = result.ended == "exhausted" and result.exhaustive
            covered.outcomes = result.outcomes
