# SPDX-License-Identifier: Apache-2.0
"""The searches of one scenario of a Python object, each of its runs judged, and what they have covered.

Guarantee: ``exhaustive`` is said only when the explorer has shown every schedule, or one equivalent to it, and each of
them was judged. The first failure of the bounded search has as few preemptions as any.
"""

from __future__ import annotations

from linpoint.explore import _native_control as native
from linpoint.explore.schedule_search import ScheduleSearch, begin_replay, explorer_of
from linpoint.judging.scenario_coverage import ScenarioCoverage
from linpoint.judging.scenario_run import ScenarioRun
from linpoint.judging.spec_judge import Judgement, SpecJudge
from linpoint.limits.search_limits import SearchLimits
from linpoint.subjects.interface import Failure
from linpoint.subjects.python_object.scenario_runner import ScenarioRunner
from linpoint.verdicts.schedule import FEW_PREEMPTIONS, Schedule


class ScenarioSearch:
    """The exploration of one scenario; each of its searches can be asked for once."""

    def __init__(self, runner: ScenarioRunner, judge: SpecJudge, *, reduces: bool = True) -> None:
        self.runner = runner
        self.judge = judge
        self.coverage = ScenarioCoverage()
        self.preemptions = 0
        """Of the run that ``again`` has shown last."""
        self._sleep_sets = reduces

    def bounded(self, limits: SearchLimits, most: int = FEW_PREEMPTIONS) -> Failure | None:
        """Every schedule with up to ``most`` preemptions."""
        explorer = native.explore_bounded(most)
        native.control_missed()  # what was before does not count
        failure, ended = self._search(explorer, limits)
        self.coverage.bounded += explorer.runs
        if ended and not explorer.cut:
            self.coverage.few = self.coverage.few or most >= FEW_PREEMPTIONS
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
        runs = max(1, limits.runs // 3)
        for name in (f"pos:{runs}", f"random:{runs}", f"pct:3:{runs}"):
            explorer = explorer_of(name, seed=seed)
            failure, _ = self._search(explorer, limits)
            self.coverage.unbounded += explorer.runs
            if failure is not None or limits.over():
                return failure
        return None

    def again(self, schedule: Schedule) -> tuple[ScenarioRun | None, Judgement | None, int | None]:
        """The run of one schedule, what is to be said of it, and where it went another way than asked for."""
        explorer = begin_replay(schedule)
        run = self.runner.run(explorer)
        self.preemptions = explorer.preemptions
        return run, None if run is None else self.judge.judge(run), explorer.diverged_at

    def warm_up(self) -> None:
        """A run that does not count: what the first one alone imports or caches is there from then on."""
        self.runner.run(begin_replay(()))

    def _all_judged(self, explorer: native.Explorer) -> bool:
        # Where methods or names of modules are replaced, who reads them may have had no point.
        return explorer.exhaustive and not self.coverage.undecided and not native.control_missed()

    def _search(self, explorer: native.Explorer, limits: SearchLimits) -> tuple[Failure | None, bool]:
        """The first failure, and whether the search came to its end."""
        coverage, scenario = self.coverage, self.runner.scenario
        names = len({call.operation for call in scenario.calls})
        search, failure = ScheduleSearch(explorer, limits), None
        for begun in search:
            run = self.runner.run(begun)
            if run is None:
                continue
            judgement = self.judge.judge(run)
            coverage.note(run, judgement, names)
            if judgement.kind is not None:
                schedule = tuple(begun.deviations)
                failure = Failure(judgement.kind, scenario, schedule, begun.preemptions, run, judgement.verdict)
                break
        coverage.steps += explorer.steps
        if explorer.diverged_at is not None and coverage.diverged is None:
            coverage.diverged = explorer.diverged_at
        return failure, search.ended
