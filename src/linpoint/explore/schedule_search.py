# SPDX-License-Identifier: Apache-2.0
"""The schedules of one scenario: those with few preemptions first, then all of them up to reordering, then samples.

Guarantee: ``exhaustive`` is said only when the explorer has shown every schedule, or one equivalent to it, and each of
them was judged. The first failure of the bounded search has as few preemptions as any.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from linpoint.explore import _native_control as native
from linpoint.explore.python_control.control_session import RunEnding
from linpoint.explore.testing.runs import Run, Runner
from linpoint.judging.spec_judge import Judgement, SpecJudge

FEW: Final = 2
"""Preemptions that are always explored first."""

Deviations = tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Failure:
    """A run that is wrong, and the schedule that shows it again."""

    run: Run
    judgement: Judgement
    schedule: Deviations
    preemptions: int

    @property
    def kind(self) -> str:
        """The kind of finding."""
        assert self.judgement.kind is not None
        return self.judgement.kind


@dataclass(slots=True)
class ScenarioCoverage:
    """What was explored of a scenario."""

    bounded: int = 0
    """Runs of the bounded search."""
    unbounded: int = 0
    """Runs of all other searches."""
    few: bool = False
    """All schedules with up to ``FEW`` preemptions were run."""
    exhaustive: bool = False
    undecided: int = 0
    diverged: int | None = None
    """The first step at which the program did something else than before with the same choices."""
    cut: int = 0
    steps: int = 0
    returned: set[str] = field(default_factory=set)
    """Operations that came to their end in some run."""
    stuck: set[str] = field(default_factory=set)
    """Operations that did not, in some run in which they were called."""


@dataclass(slots=True)
class SearchLimits:
    """When to stop: a moment on the monotonic clock, and a number of runs for each search."""

    deadline: float
    runs: int = 1_000_000
    interrupted: Callable[[], bool] = field(default=lambda: False)

    def over(self) -> bool:
        """Whether there is no time left."""
        return time.monotonic() >= self.deadline or self.interrupted()


class ScheduleSearch:
    """The exploration of one scenario; each of its searches can be asked for once."""

    def __init__(self, runner: Runner, judge: SpecJudge, *, reduces: bool = True) -> None:
        self.runner = runner
        self.judge = judge
        self.coverage = ScenarioCoverage()
        self.preemptions = 0
        """Of the run that ``again`` has shown last."""
        self._sleep_sets = reduces

    def bounded(self, limits: SearchLimits, most: int = FEW) -> Failure | None:
        """Every schedule with up to ``most`` preemptions."""
        explorer = native.explore_bounded(most)
        native.control_missed()  # what was before does not count
        failure, ended = self._search(explorer, limits)
        self.coverage.bounded += explorer.runs
        if ended and not explorer.cut:
            self.coverage.few = self.coverage.few or most >= FEW
            self.coverage.exhaustive = self.coverage.exhaustive or self._all_judged(explorer)
        return failure

    def reduced(self, limits: SearchLimits) -> Failure | None:
        """Every schedule up to the order of independent steps."""
        explorer = native.explore_dpor(self._sleep_sets)
        native.control_overlooked()  # what was before does not count
        native.control_missed()
        failure, ended = self._search(explorer, limits)
        self.coverage.unbounded += explorer.runs
        # When the object of a weak reference dies, and what time it is when others sleep in loops, is in no access:
        # schedules that differ in it may seem to be alike.
        if ended and not native.control_overlooked():
            self.coverage.exhaustive = self.coverage.exhaustive or self._all_judged(explorer)
        return failure

    def sampled(self, limits: SearchLimits, seed: int) -> Failure | None:
        """Random schedules, of three kinds."""
        third = max(1, limits.runs // 3)
        for explorer in (
            native.explore_pos(seed, third),
            native.explore_random(seed, third),
            native.explore_pct(seed, third, 3),
        ):
            failure, _ = self._search(explorer, limits)
            self.coverage.unbounded += explorer.runs
            if failure is not None or limits.over():
                return failure
        return None

    def again(self, schedule: Deviations) -> tuple[Run | None, Judgement | None, int | None]:
        """The run of one schedule, what is to be said of it, and where it went another way than asked for."""
        explorer = native.explore_again(list(schedule))
        explorer.begin()
        run = self.runner.run(explorer)
        self.preemptions = explorer.preemptions
        return run, None if run is None else self.judge.judge(run), explorer.diverged_at

    def warm_up(self) -> None:
        """A run that does not count: what the first one alone imports or caches is there from then on."""
        explorer = native.explore_again([])
        explorer.begin()
        self.runner.run(explorer)

    def _all_judged(self, explorer: native.Explorer) -> bool:
        # Where methods or names of modules are replaced, who reads them may have had no point.
        return explorer.exhaustive and not self.coverage.undecided and not native.control_missed()

    def _search(self, explorer: native.Explorer, limits: SearchLimits) -> tuple[Failure | None, bool]:
        """The first failure, and whether the search came to its end."""
        coverage = self.coverage
        names = len({call.operation for call in self.runner.scenario.calls})
        failure = None
        ended = False
        while failure is None:
            if explorer.runs >= limits.runs or limits.over():
                break
            if not explorer.begin():
                ended = True
                break
            run = self.runner.run(explorer)
            if run is None:
                continue
            judgement = self.judge.judge(run)
            coverage.undecided += not judgement.decided
            coverage.cut += run.ending is RunEnding.CUT
            if len(coverage.returned) < names:
                coverage.returned |= run.operations(returned=True)
                coverage.stuck |= run.operations(returned=False)
            if judgement.kind is not None:
                schedule = tuple(explorer.deviations)
                failure = Failure(run, judgement, schedule, explorer.preemptions)
        coverage.steps += explorer.steps
        if explorer.diverged_at is not None and coverage.diverged is None:
            coverage.diverged = explorer.diverged_at
        return failure, ended
