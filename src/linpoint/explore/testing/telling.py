# SPDX-License-Identifier: Apache-2.0
"""A failure as a ``Finding``: run again, twice, narrated, with what orders of its operations would have allowed."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from linpoint.explore.testing.exploring import Deviations, Exploration, Failure
from linpoint.explore.testing.runs import Run
from linpoint.explore.testing.wording import message_of, orders_of, ran_of, results_allowed
from linpoint.histories.trace import Failure as TraceFailure
from linpoint.histories.trace import StepKind, Trace
from linpoint.verdicts.finding import Finding


def told(failure: Failure, exploration: Exploration, *, minimal: bool, replay: Mapping[str, Any]) -> Finding:
    """The finding of a failure. A run that cannot be repeated is a finding of its own kind."""
    scenario = failure.run.scenario
    again, diverged = _repeat(failure, exploration)
    if again is None:
        return nondeterminism(failure, diverged, replay)
    run, trace = again
    allowed = results_allowed(exploration.judge, scenario)
    operations = tuple(ran_of(run, allowed))
    orders = orders_of(failure, operations, exploration.judge)
    message = message_of(failure, operations, orders)
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
        tuple(ran_of(failure.run, {})),
        str(failure.run.scenario),
        failure.schedule,
        failure.preemptions,
        None,
        minimal=False,
        replay=replay,
    )


def _repeat(failure: Failure, exploration: Exploration) -> tuple[tuple[Run, Trace] | None, int | None]:
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
