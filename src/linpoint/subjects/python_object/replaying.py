# SPDX-License-Identifier: Apache-2.0
"""A finding again: one schedule of one scenario, run twice and told."""

from __future__ import annotations

import time

from linpoint.executors.thread_executor import peak_memory
from linpoint.limits.search_limits import SearchLimits
from linpoint.scenarios.concurrent_test import ConcurrentTestDefinition
from linpoint.subjects.interface import Failure
from linpoint.subjects.python_object.finding_builder import build_finding
from linpoint.subjects.python_object.object_search import Search
from linpoint.subjects.python_object.settings import Settings
from linpoint.subjects.python_object.subject import replay_content, session_of
from linpoint.verdicts import Status
from linpoint.verdicts.finding import Tested, TestResult
from linpoint.verdicts.schedule import FEW_PREEMPTIONS, Schedule


def replay_test(
    definition: ConcurrentTestDefinition, settings: Settings, schedule: Schedule, *, changed: bool
) -> TestResult:
    """Run ``schedule`` of the one scenario in ``settings``. ``changed``: the code is not what it was when it was found.

    If the schedule shows no failure any more, as after a fix, the result is LINEARIZABLE, and a warning says what that
    means. Where the code has changed, the schedules with few preemptions are run too.
    """
    started = time.monotonic()
    warnings = []
    if changed:
        warnings.append("the code has changed since the finding was made, so the schedule may mean something else")
    with session_of(definition, settings) as session:
        reduces = settings.granularity == "access"
        search = Search(definition, settings, session, seconds=settings.budget, reduces=reduces)
        exploration = search.exploration(definition.accept(settings.scenarios[0]))
        exploration.warm_up()
        run, judgement, diverged = exploration.again(schedule)
        failure = None
        if run is not None and judgement is not None and judgement.kind is not None:
            preemptions = exploration.preemptions
            failure = Failure(judgement.kind, run.scenario, schedule, preemptions, run, judgement.verdict)
        if failure is None and (changed or diverged is not None):
            failure = exploration.bounded(SearchLimits(started + settings.budget), FEW_PREEMPTIONS)
        if diverged is not None and not changed:
            warnings.append(f"the schedule could not be followed from step {diverged} on")
        finding = None
        if failure is not None:
            finding = build_finding(failure, exploration, minimal=True, replay=replay_content(settings, failure))
    status = Status.LINEARIZABLE if finding is None else Status.VIOLATION
    if finding is not None and finding.kind == "nondeterminism":
        status = Status.UNKNOWN
    coverage = exploration.coverage
    tested = Tested(coverage.bounded, 1, coverage.steps, time.monotonic() - started, peak_memory(), scenarios=1)
    why = "the schedule shows it" if finding is not None else "this schedule shows no violation (any more)"
    return TestResult(
        definition.name,
        status,
        exhaustive=False,
        why=why,
        findings=() if finding is None else (finding,),
        models={"free-threaded": status},
        tested=tested,
        bounds={},
        warnings=tuple(warnings),
        file=definition.file,
    )
