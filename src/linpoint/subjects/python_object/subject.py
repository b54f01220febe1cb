# SPDX-License-Identifier: Apache-2.0
"""A whole test: a search for a failure, the failure made small and told, and the verdicts of both models.

Made small: threads and operations go, then arguments become simpler, then preemptions go. The free-threaded model decides;
schedules of an interpreter with a global lock are among its schedules, so a pass holds for both.
"""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any, Final

from linpoint.executors.thread_executor import peak_memory
from linpoint.explore.python_control.control_session import ControlSession
from linpoint.explore.python_control.event_loop_session import EventLoopSession
from linpoint.limits.search_limits import SearchLimits
from linpoint.scenarios.concurrent_test import ConcurrentTestDefinition
from linpoint.scenarios.scenario import Scenario
from linpoint.scenarios.smaller_scenarios import shrink
from linpoint.subjects.interface import Failure
from linpoint.subjects.python_object.finding_builder import build_finding
from linpoint.subjects.python_object.object_search import Search, Watcher
from linpoint.subjects.python_object.scenario_runner import CoroutinesError, result_value
from linpoint.subjects.python_object.scenario_search import ScenarioSearch
from linpoint.subjects.python_object.settings import Settings
from linpoint.verdicts import Status
from linpoint.verdicts.finding import Finding, Tested, TestResult
from linpoint.verdicts.schedule import FEW_PREEMPTIONS

_SHRINKING: Final = 0.5
"""Of what is left of the budget, for making a failure small."""
_FOR_GIL: Final = 0.5
"""Of what is left after that, for the other model."""
_AT_LEAST: Final = 1.0
_RUNS_TO_SHRINK: Final = 3_000


def run_test(
    definition: ConcurrentTestDefinition, settings: Settings | None = None, *, watch: Watcher | None = None
) -> TestResult:
    """Test an object under many schedules; on an event loop if anything of it is, or turns out to be, a coroutine.

    Ctrl-C ends it with what is known.
    """
    settings = settings or Settings()
    try:
        return _run_test(definition, settings, watch)
    except CoroutinesError:  # methods of an object that a function makes cannot be seen before
        return _run_test(replace(definition, is_async=True), settings, watch)


def _run_test(definition: ConcurrentTestDefinition, settings: Settings, watch: Watcher | None) -> TestResult:
    started = time.monotonic()
    with session_of(definition, settings) as session:
        # Where a step is more than one access, what it touches is known only when it is over: nobody may sleep then.
        reduces = settings.granularity == "access"
        search = Search(definition, settings, session, seconds=settings.budget, reduces=reduces, watch=watch)
        failure = search.run()
        finding = None if failure is None else _tell(failure, search)
    status, gil = search.status, search.status
    if finding is not None:
        status = Status.UNKNOWN if finding.kind == "nondeterminism" else Status.VIOLATION
        gil = _under_gil(definition, settings, finding, search)
    covered = search.coverage
    bounds = {} if search.exhaustive else {"preemptions": FEW_PREEMPTIONS}
    if search.generated is not None:
        bounds |= {"threads": search.generated.bounds.threads, "operations": search.generated.bounds.operations}
    return TestResult(
        definition.name,
        status,
        finding is None and search.exhaustive,
        search.why if finding is None else "a schedule shows it",
        () if finding is None else (finding,),
        {"free-threaded": status, "gil": gil},
        Tested(
            sum(each.bounded for each in covered),
            sum(each.unbounded for each in covered),
            sum(each.steps for each in covered),
            time.monotonic() - started,
            peak_memory(),
            scenarios=len(covered),
        ),
        bounds,
        file=definition.file,
        interrupted=search.interrupted,
    )


def session_of(definition: ConcurrentTestDefinition, settings: Settings, *, gil: bool = False) -> ControlSession:
    """The session in which a test runs."""
    if definition.is_async:
        return EventLoopSession(instrument=definition.instrument, result=result_value)
    return ControlSession(
        instrument=definition.instrument,
        granularity=settings.granularity,
        gil=gil,
        result=result_value,
        backend=settings.backend,
    )


def _tell(failure: Failure, search: Search) -> Finding:
    left = max(_AT_LEAST, _SHRINKING * (search.deadline - time.monotonic()))
    best, exploration, minimal = _smallest(failure, search, SearchLimits(time.monotonic() + left, _RUNS_TO_SHRINK))
    return build_finding(best, exploration, minimal=minimal, replay=replay_content(search.settings, best))


def replay_content(settings: Settings, failure: Failure) -> dict[str, Any]:
    """What a token holds by which a failure is shown again."""
    return settings.replay | {
        "scenario": failure.run.scenario.as_dict(),
        "schedule": [list(each) for each in failure.schedule],
        "finding": failure.kind,
        "granularity": settings.granularity,
        "backend": settings.backend,
    }


def _smallest(failure: Failure, search: Search, limits: SearchLimits) -> tuple[Failure, ScenarioSearch, bool]:
    """A failure of the same kind of which nothing can be left out, and whether that is certain."""
    best = failure
    most = max(FEW_PREEMPTIONS, failure.preemptions)
    certain = True

    def fails(candidate: Scenario) -> bool:
        nonlocal best, certain
        exploration = search.exploration(candidate)
        found = exploration.bounded(limits, most)
        if found is None and not exploration.coverage.exhaustive:
            found = exploration.reduced(limits)
        if found is None and not exploration.coverage.exhaustive:
            certain = False
        if found is None or found.kind != failure.kind:
            return False
        best = found
        return True

    try:
        smallest = shrink(failure.run.scenario, search.definition, fails)
        exploration = search.exploration(smallest)
        # The bounded search begins without preemptions, so what it finds first has as few as can be.
        fewest = exploration.bounded(limits, best.preemptions)
    except KeyboardInterrupt:
        search.interrupted = True
        return best, search.exploration(best.run.scenario), False
    if fewest is not None and fewest.kind == best.kind:
        best = fewest
    return best, exploration, certain and fewest is not None


def _under_gil(definition: ConcurrentTestDefinition, settings: Settings, finding: Finding, search: Search) -> Status:
    """The verdict of the other model, as far as the time goes: the scenario that fails first, then all the others.

    A pass needs no more than the schedules with few preemptions, and without putting processes to sleep, which cannot be
    done here, all of them are many.
    """
    if definition.is_async:
        return Status.VIOLATION if finding.kind != "nondeterminism" else Status.UNKNOWN  # it makes no difference there
    if finding.kind == "nondeterminism" or not settings.gil or search.interrupted:
        return Status.UNKNOWN
    left = max(_AT_LEAST, _FOR_GIL * (search.deadline - time.monotonic()))
    with session_of(definition, settings, gil=True) as session:
        # What a step touches is known only when it is over, so no process can be put to sleep.
        other = Search(definition, settings, session, seconds=left, reduces=False)
        failure = other.run(first=(Scenario.from_dict(finding.replay["scenario"]),), few=True)
    search.interrupted |= other.interrupted
    return other.status if failure is None else Status.VIOLATION
