# SPDX-License-Identifier: Apache-2.0
"""A failure as a ``Finding``: run again, twice, narrated, with what orders of its operations would have allowed."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from linpoint.explore.schedule_search import Deviations, Failure, ScheduleSearch
from linpoint.explore.testing.runs import Run
from linpoint.judging.failure_text import failure_sentence, orders_given, results_allowed, shown_operations
from linpoint.traces.trace import StepKind, Trace, TraceFailure
from linpoint.verdicts.finding import Finding


def build_finding(
    failure: Failure, exploration: ScheduleSearch, *, minimal: bool, replay: Mapping[str, Any]
) -> Finding:
    """The finding of a failure. A run that cannot be repeated is a finding of its own kind."""
    scenario = failure.run.scenario
    again, diverged = _repeat(failure, exploration)
    if again is None:
        return nondeterminism(failure, diverged, replay)
    run, trace = again
    allowed = results_allowed(exploration.judge, scenario)
    operations = tuple(shown_operations(run, allowed))
    orders = orders_given(failure, operations, exploration.judge)
    message = failure_sentence(failure, operations, orders)
    shown = TraceFailure(failure.kind, _telling_step(trace, failure), "")
    return Finding(
        failure.kind,
        message,
        operations,
        str(scenario),
        failure.schedule,
        failure.preemptions,
        Trace(trace.threads, trace.steps, trace.memory_model, schedule_text(failure.schedule), shown),
        failure.judgement.verdict,
        orders,
        minimal,
        replay,
    )


def schedule_text(schedule: Deviations) -> str:
    """The departures from the default schedule, as in ``4:1 9:0``: at step 4 thread 1 goes on."""
    return " ".join(f"{step}:{process}" for step, process in schedule) or "as the threads come"


def nondeterminism(failure: Failure, step: int | None, replay: Mapping[str, Any]) -> Finding:
    """A failure that the same schedule does not show again."""
    where = "" if step is None else f" from step {step} on"
    message = f"the same schedule gave another run{where}: the code depends on something that is not under control"
    return Finding(
        "nondeterminism",
        message,
        tuple(shown_operations(failure.run, {})),
        str(failure.run.scenario),
        failure.schedule,
        failure.preemptions,
        None,
        minimal=False,
        replay=replay,
    )


def _repeat(failure: Failure, exploration: ScheduleSearch) -> tuple[tuple[Run, Trace] | None, int | None]:
    """The run again, plain and narrated; both must be the same."""
    key = failure.run.key()
    run, _, diverged = exploration.again(failure.schedule)
    if run is None or diverged is not None or run.key() != key:
        return None, diverged
    scenario = failure.run.scenario
    calls = [[(call.operation, call.args) for call in thread] for thread in scenario.threads]
    narrator = exploration.runner.session.narrator(calls, os.getcwd())  # noqa: PTH109 - to make paths relative
    with narrator.listening():
        run, _, diverged = exploration.again(failure.schedule)
    if run is None or diverged is not None or run.key() != key:
        return None, diverged
    for each in run.waiting:
        narrator.block(each.thread, each.owner, each.place)
    return (run, narrator.trace()), None


def _telling_step(trace: Trace, failure: Failure) -> int | None:
    """Where it shows: the exception, the first thread that is blocked, or the last return."""
    kinds = {"exception": StepKind.EXCEPTION, "deadlock": StepKind.BLOCK}
    wanted = kinds.get(failure.kind, StepKind.RETURN)
    found = [position for position, step in enumerate(trace.steps) if step.kind is wanted]
    if not found:
        return None
    return found[0] if failure.kind in kinds else found[-1]
