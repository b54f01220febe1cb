# SPDX-License-Identifier: Apache-2.0
"""A failure as a ``Finding``: run again, twice, narrated, with what orders of its operations would have allowed."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from linpoint.judging.failure_text import failure_sentence, orders_given, results_allowed, shown_operations
from linpoint.judging.scenario_run import ScenarioRun
from linpoint.subjects.interface import Failure
from linpoint.subjects.python_object.scenario_search import ScenarioSearch
from linpoint.traces.trace import StepKind, Trace, TraceFailure
from linpoint.verdicts.finding import Finding
from linpoint.verdicts.schedule import another_run, schedule_text


def build_finding(
    failure: Failure, exploration: ScenarioSearch, *, minimal: bool, replay: Mapping[str, Any]
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
        failure.verdict,
        orders,
        minimal,
        replay,
    )


def nondeterminism(failure: Failure, step: int | None, replay: Mapping[str, Any]) -> Finding:
    """A failure that the same schedule does not show again."""
    return Finding(
        "nondeterminism",
        another_run(step, what="the code"),
        tuple(shown_operations(failure.run, {})),
        str(failure.run.scenario),
        failure.schedule,
        failure.preemptions,
        None,
        minimal=False,
        replay=replay,
    )


def _repeat(failure: Failure, exploration: ScenarioSearch) -> tuple[tuple[ScenarioRun, Trace] | None, int | None]:
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
