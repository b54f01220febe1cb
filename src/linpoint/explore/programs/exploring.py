# SPDX-License-Identifier: Apache-2.0
"""The schedules of a program: those with few preemptions first, then all of them up to reordering, then samples.

Guarantee: ``exhaustive`` is said only when an explorer has shown every schedule, or one equivalent to it, and no run was
cut, given up or diverged. The first failure of the bounded search has as few preemptions as any.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

from linpoint.explore import _native_control as native
from linpoint.explore.python_control.trace_recorder import TraceRecorder
from linpoint.limits.search_limits import SearchLimits
from linpoint.subjects.python_program.program import cannot_be_loaded
from linpoint.subjects.python_program.program_runner import ProgramRun, ProgramRunner
from linpoint.verdicts.schedule import FEW_PREEMPTIONS, Schedule

DEFAULT_BUDGET: Final = 30.0
MOST_STEPS: Final = 100_000
"""A run of so many steps is cut: its threads seem to run for ever."""

_FOR_FEW: Final = 0.4
"""Of the time, for schedules with few preemptions."""
_FOR_ALL: Final = 0.75
"""Of what is left after that, for all schedules; the rest is for samples."""
_SAMPLES: Final = 1_000
_TICK: Final = 0.1


@dataclass(frozen=True, slots=True)
class Settings:
    """How a program is explored."""

    budget: float = DEFAULT_BUDGET
    """Seconds."""
    granularity: str = "access"
    preemptions: int | None = None
    """Explore just the schedules with up to so many."""
    backend: str = "auto"
    seed: int = 0
    replay: dict[str, Any] = field(default_factory=dict)
    """What a replay token holds beside the schedule."""


@dataclass(frozen=True, slots=True)
class Failure:
    """A run that is wrong, and the schedule that shows it again."""

    run: ProgramRun
    schedule: Schedule
    preemptions: int

    @property
    def kind(self) -> str:
        """The kind of finding."""
        assert self.run.problem is not None
        return self.run.problem.kind


@dataclass(slots=True)
class Coverage:
    """What was explored."""

    bounded: int = 0
    unbounded: int = 0
    steps: int = 0
    completed: int = -1
    """Every schedule with up to so many preemptions was run."""
    exhaustive: bool = False
    diverged: tuple[int, Schedule] | None = None
    """The step at which the program did something else than before with the same choices, and those choices."""
    given_up: str = ""
    """Why nothing could be said of a run, which ended the search."""


Watcher = Callable[[int], None]
"""Told now and then how many schedules were run."""


class Exploration:
    """The search through the schedules of one program."""

    def __init__(self, runner: ProgramRunner, settings: Settings, *, watch: Watcher | None = None) -> None:
        self.runner = runner
        self.settings = settings
        self.coverage = Coverage()
        self.interrupted = False
        self.started = time.monotonic()
        self._watch = watch
        self._told = 0.0

    @property
    def deadline(self) -> float:
        """When the time is up, on the monotonic clock."""
        return self.started + self.settings.budget

    def warm_up(self) -> None:
        """One run that counts for nothing: what the standard library makes when it is first used is there after it."""
        run, _, _ = self.again(())
        if run is None or run.problem is None:
            return
        if run.problem.unloaded is not None:
            raise cannot_be_loaded(self.runner.program, run.problem.unloaded)
        self.coverage.given_up = run.given_up

    def search(self) -> Failure | None:
        """The first failure. Ctrl-C ends the search with None, and ``interrupted`` says so."""
        try:
            self.warm_up()
            return None if self.coverage.given_up else self._phases()
        except KeyboardInterrupt:
            # Whoever started us sends the same signal when the time is up.
            self.interrupted = time.monotonic() < self.deadline
            return None

    def _phases(self) -> Failure | None:
        only = self.settings.preemptions
        failure = self.bounded(
            FEW_PREEMPTIONS if only is None else only, self._limits(_FOR_FEW if only is None else 1.0)
        )
        if only is not None or self._over(failure):
            return failure
        failure = self._search(native.explore_dpor(), self._limits(_FOR_ALL))
        seed = self.settings.seed
        while not self._over(failure) and time.monotonic() < self.deadline:
            failure = self._sampled(seed)
            seed += 1
        return failure

    def bounded(self, most: int, limits: SearchLimits) -> Failure | None:
        """Every schedule with up to ``most`` preemptions."""
        explorer = native.explore_bounded(most)
        failure = self._search(explorer, limits)
        self.coverage.completed = max(self.coverage.completed, explorer.completed)
        return failure

    def again(
        self, schedule: Schedule, narrator: TraceRecorder | None = None
    ) -> tuple[ProgramRun | None, Failure | None, int | None]:
        """The run of one schedule, the failure if it is one, and where it went another way than asked for."""
        explorer = native.explore_again(list(schedule))
        explorer.begin()
        run = self.runner.run(explorer, narrator)
        return run, _failure(run, explorer), explorer.diverged_at

    def _sampled(self, seed: int) -> Failure | None:
        for explorer in (
            native.explore_pos(seed, _SAMPLES),
            native.explore_random(seed, _SAMPLES),
            native.explore_pct(seed, _SAMPLES, 3),
        ):
            failure = self._search(explorer, self._limits(1.0))
            if self._over(failure):
                return failure
        return None

    def _over(self, failure: Failure | None) -> bool:
        covered = self.coverage
        return failure is not None or covered.exhaustive or covered.diverged is not None or bool(covered.given_up)

    def _limits(self, share: float) -> SearchLimits:
        now = time.monotonic()
        return SearchLimits(now + share * (self.deadline - now))

    def _search(self, explorer: native.Explorer, limits: SearchLimits) -> Failure | None:
        """The first failure. What the search came to is in ``coverage``."""
        failure = None
        try:
            while failure is None and not limits.over():
                if not explorer.begin():
                    self.coverage.exhaustive = self.coverage.exhaustive or explorer.exhaustive
                    break
                run = self.runner.run(explorer)
                self._tick(explorer)
                if explorer.diverged_at is not None:
                    self.coverage.diverged = explorer.diverged_at, tuple(explorer.deviations)
                    break
                if run is not None and run.given_up:
                    self.coverage.given_up = run.given_up
                    break
                failure = _failure(run, explorer)
        finally:
            self._count(explorer)
        return failure

    def _count(self, explorer: native.Explorer) -> None:
        if isinstance(explorer, native.BoundedExplorer):
            self.coverage.bounded += explorer.runs
        else:
            self.coverage.unbounded += explorer.runs
        self.coverage.steps += explorer.steps

    def _tick(self, explorer: native.Explorer) -> None:
        now = time.monotonic()
        if self._watch is not None and now - self._told >= _TICK:
            self._told = now
            self._watch(self.coverage.bounded + self.coverage.unbounded + explorer.runs)


def _failure(run: ProgramRun | None, explorer: native.Explorer) -> Failure | None:
    if run is None or run.problem is None or run.given_up:
        return None
    return Failure(run, tuple(explorer.deviations), explorer.preemptions)
