# SPDX-License-Identifier: Apache-2.0
"""A failure of a program as a finding: with few preemptions, run again, twice, and narrated."""

from __future__ import annotations

import os
import time
from typing import Any, Final

from linpoint.explore.programs.exploring import Exploration, Failure
from linpoint.explore.python_control.trace_recorder import TraceRecorder
from linpoint.limits.search_limits import SearchLimits
from linpoint.traces.trace import StepKind, Trace, TraceFailure
from linpoint.verdicts.program import ProgramFinding
from linpoint.verdicts.schedule import Schedule, another_run, schedule_text

_SHRINKING: Final = 0.5
"""Of what is left of the time, for making a schedule simpler."""
_AT_LEAST: Final = 0.5
_SHOWN_BY: Final = {
    "assertion": StepKind.ASSERTION,
    "exception": StepKind.EXCEPTION,
    "crash": StepKind.EXCEPTION,
    "deadlock": StepKind.BLOCK,
}


def simplest(failure: Failure, exploration: Exploration) -> tuple[Failure, bool]:
    """A failure of the same kind with as few preemptions as can be found, and whether no fewer are possible."""
    left = max(_AT_LEAST, _SHRINKING * (exploration.deadline - time.monotonic()))
    limits = SearchLimits(time.monotonic() + left)
    best = failure
    try:
        if failure.preemptions > exploration.coverage.completed + 1:
            best = _without_deviations(failure, exploration, limits)
        if best.preemptions > exploration.coverage.completed + 1:
            found = exploration.bounded(best.preemptions - 1, limits)
            best = found if found is not None and found.kind == failure.kind else best
    except KeyboardInterrupt:
        exploration.interrupted = True
    return best, best.preemptions <= exploration.coverage.completed + 1


def _without_deviations(failure: Failure, exploration: Exploration, limits: SearchLimits) -> Failure:
    """Leave out departures from the default schedule as long as the failure stays."""
    best, at = failure, 0
    while at < len(best.schedule) and not limits.over():
        _, found, _ = exploration.again(best.schedule[:at] + best.schedule[at + 1 :])
        fewer = found is not None and len(found.schedule) < len(best.schedule)
        if found is not None and fewer and found.kind == failure.kind and found.preemptions <= best.preemptions:
            best = found
        else:
            at += 1
    return best


def build_finding(failure: Failure, exploration: Exploration, *, minimal: bool) -> ProgramFinding:
    """The finding of a failure. A run that cannot be repeated is a finding of its own kind."""
    try:
        return _told(failure, exploration, minimal=minimal)
    except KeyboardInterrupt:  # what is known is told without its steps
        exploration.interrupted = True
    assert failure.run.problem is not None
    return ProgramFinding(
        failure.kind,
        failure.run.problem.message,
        failure.schedule,
        failure.preemptions,
        None,
        failure.run.printed,
        minimal,
        replay_content(failure.schedule, failure.kind, exploration),
    )


def _told(failure: Failure, exploration: Exploration, *, minimal: bool) -> ProgramFinding:
    key = failure.run.key()
    run, _, diverged = exploration.again(failure.schedule)
    if run is None or diverged is not None or run.key() != key:
        return nondeterminism(diverged, failure.schedule, exploration)
    narrator = TraceRecorder(run.names[:1], (), os.getcwd())  # noqa: PTH109 - to make paths relative
    with narrator.listening():
        run, _, diverged = exploration.again(failure.schedule, narrator)
    if run is None or run.problem is None or diverged is not None or run.key() != key:
        return nondeterminism(diverged, failure.schedule, exploration)
    for each in run.waiting:
        narrator.block(each.process, None if each.owner == each.process else each.owner, each.place)
    trace = narrator.trace()
    shown = TraceFailure(failure.kind, _telling_step(trace, failure.kind), "")
    return ProgramFinding(
        failure.kind,
        run.problem.message,
        failure.schedule,
        failure.preemptions,
        Trace(trace.threads, trace.steps, trace.memory_model, schedule_text(failure.schedule), shown),
        run.printed,
        minimal,
        replay_content(failure.schedule, failure.kind, exploration),
    )


def nondeterminism(step: int | None, schedule: Schedule, exploration: Exploration) -> ProgramFinding:
    """The same schedule gave another run."""
    return ProgramFinding(
        "nondeterminism",
        another_run(step),
        schedule,
        0,
        None,
        minimal=False,
        replay=replay_content(schedule, "nondeterminism", exploration),
    )


def replay_content(schedule: Schedule, kind: str, exploration: Exploration) -> dict[str, Any]:
    """What a token holds by which a failure is shown again."""
    settings = exploration.settings
    return settings.replay | {
        "schedule": [list(each) for each in schedule],
        "finding": kind,
        "granularity": settings.granularity,
        "backend": settings.backend,
    }


def _telling_step(trace: Trace, kind: str) -> int | None:
    """Where it shows: the exception, or the first thread that is blocked."""
    wanted = _SHOWN_BY.get(kind)
    return next((position for position, step in enumerate(trace.steps) if step.kind is wanted), None)
