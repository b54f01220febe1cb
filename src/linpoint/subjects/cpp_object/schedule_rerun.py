# SPDX-License-Identifier: Apache-2.0
"""Reruns one schedule of a scenario in the host."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from linpoint.hosts.scenario_histories import scenario_runs_of
from linpoint.hosts.search_messages import ScenarioHistory, SearchResult
from linpoint.judging.scenario_run import ScenarioRun
from linpoint.judging.spec_judge import Judge
from linpoint.scenarios.scenario import Scenario
from linpoint.subjects.cpp_object.blocked_operations import StoppedScenario, blocked_failure
from linpoint.subjects.cpp_object.object_under_test import CppObject
from linpoint.subjects.cpp_object.scenario_batches import process_failure
from linpoint.subjects.interface import Failure
from linpoint.verdicts.schedule import Schedule

_RERUN_TIMEOUT_S: Final = 10.0
"""More time than any run that terminates needs."""


@dataclass(frozen=True, slots=True)
class ScheduleRerun:
    """The host's report on the run."""

    result: SearchResult | None
    """None if the host died."""
    histories: list[ScenarioHistory]

    @property
    def diverged_at(self) -> int | None:
        """The first step at which the schedule could not be followed."""
        return None if self.result is None else self.result.diverged_at


def scenario_of(case: Scenario | StoppedScenario) -> Scenario:
    """The scenario of a failure's case."""
    return case.scenario if isinstance(case, StoppedScenario) else case


def rerun_schedule(
    target: CppObject, case: Scenario | StoppedScenario, schedule: Schedule, *, trace: bool
) -> ScheduleRerun:
    """Rerun one schedule, in which a thread may stop. Raises KeyboardInterrupt."""
    text = ",".join(f"{step}.{process}" for step, process in schedule)
    stop = case.stop.words if isinstance(case, StoppedScenario) else ""
    with target.host.search(
        [stop + target.text(scenario_of(case))],
        f"replay:{text}",
        seconds=_RERUN_TIMEOUT_S,
        trace=trace,
        more=target.host_options,
    ) as messages:
        histories = [message.history for message in messages if message.history is not None]
        return ScheduleRerun(messages.results.get(0), histories)
    raise KeyboardInterrupt  # the search has suppressed it


def shows_same_results(rerun: ScheduleRerun, run: ScenarioRun) -> bool:
    """Whether the operations gave the same results in the rerun."""
    runs = (each for history in rerun.histories for each in scenario_runs_of(run.scenario, history))
    shown = next(runs, None)
    return shown is not None and _results(shown) == _results(run)


def failure_shown(
    rerun: ScheduleRerun, case: Scenario | StoppedScenario, schedule: Schedule, judge: Judge
) -> Failure | None:
    """The failure that a replayed schedule shows; only the case and the schedule are known before."""
    if isinstance(case, StoppedScenario):
        return blocked_failure(case, rerun.histories)
    if rerun.result is not None and rerun.result.finding is not None:
        return process_failure(case, rerun.result.finding)
    for history in rerun.histories:
        for run in scenario_runs_of(case, history):
            judgement = judge.judge(run)
            if judgement.kind is not None:
                return Failure(judgement.kind, case, schedule, history.preemptions, run, judgement.verdict)
    return None


def _results(run: ScenarioRun) -> object:
    return [
        (each.call, each.result if each.returned is not None else ..., each.returned is None)
        for part in (run.before, *run.threads, run.after)
        for each in part
    ]
