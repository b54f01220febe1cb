# SPDX-License-Identifier: Apache-2.0
"""The searches of one scenario of a Python object, with the judgement of each run and their coverage.

Guarantee: ``exhaustive`` is set only if the explorer has run every schedule, or one equivalent to it, and each of them
was judged. The first failure of the bounded search has the fewest preemptions of all failures.
"""

from __future__ import annotations

from linpoint.explore import _native_control as native
from linpoint.explore.schedule_search import ScheduleSearch, begin_replay, explorer_of
from linpoint.judging.scenario_coverage import ScenarioCoverage
from linpoint.judging.spec_judge import RunJudge
from linpoint.limits.search_limits import SearchLimits
from linpoint.scenarios.scenario import Scenario
from linpoint.subjects.interface import Failure, Reproduction
from linpoint.subjects.python_object.scenario_runner import ScenarioRunner
from linpoint.verdicts.schedule import FEW_PREEMPTIONS, Schedule


class ScenarioSearch:
    """Explores one scenario by several searches."""

    def __init__(self, runner: ScenarioRunner, judge: RunJudge, *, sleep_sets: bool = True) -> None:
        self.runner = runner
        self.judge = judge
        self.coverage = ScenarioCoverage()
        self._sleep_sets = sleep_sets

    @property
    def scenario(self) -> Scenario:
        """The explored scenario."""
        return self.runner.scenario

    def first_failure(self, search: str, limits: SearchLimits, *, seed: int = 0) -> Failure | None:
        """The first failure of the search with this name (see ``explorer_of``); adds to ``coverage``."""
        explorer = explorer_of(search, seed=seed, sleep_sets=self._sleep_sets)
        native.control_overlooked()  # reset: earlier overlooked or missed accesses do not count
        native.control_missed()
        failure, ended = self._run(explorer, limits)
        coverage = self.coverage
        if isinstance(explorer, native.BoundedExplorer):
            coverage.bounded += explorer.runs
            complete = ended and not explorer.cut
            coverage.few = coverage.few or (complete and int(search.partition(":")[2]) >= FEW_PREEMPTIONS)
        else:
            coverage.unbounded += explorer.runs
            # The death of a weakly referenced object, and the time that loops with sleeps read, are not accesses:
            # schedules that differ in them may seem equivalent.
            complete = search == "dpor" and ended and not native.control_overlooked()
        # If methods or module attributes are replaced, code that reads them may have had no switch point.
        all_judged = explorer.exhaustive and not coverage.undecided and not native.control_missed()
        coverage.exhaustive = coverage.exhaustive or (complete and all_judged)
        return failure

    def rerun(self, schedule: Schedule) -> Reproduction:
        """Run one schedule and judge it."""
        explorer = begin_replay(schedule)
        run, failure = self.runner.run(explorer), None
        judgement = None if run is None else self.judge.judge(run)
        if judgement is not None and judgement.kind is not None:
            failure = Failure(judgement.kind, self.scenario, schedule, explorer.preemptions, run, judgement.verdict)
        return Reproduction(run, failure, explorer.diverged_at)

    def warm_up(self) -> None:
        """Make one uncounted run, so that later runs find its imports and caches."""
        self.runner.run(begin_replay(()))

    def _run(self, explorer: native.Explorer, limits: SearchLimits) -> tuple[Failure | None, bool]:
        """The first failure, and whether the search completed."""
        coverage, scenario = self.coverage, self.scenario
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
