# SPDX-License-Identifier: Apache-2.0
"""Builds the ``Finding`` of a Python object's failure: its steps, and the results that some order allows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from linpoint.judging.failure_text import failure_sentence, orders_given, results_allowed, shown_operations
from linpoint.judging.scenario_run import ScenarioRun
from linpoint.judging.spec_judge import SequentialOrders
from linpoint.subjects.interface import NONDETERMINISM, Failure
from linpoint.traces.trace import StepKind, Trace, TraceFailure
from linpoint.verdicts.evidence import ScenarioEvidence
from linpoint.verdicts.finding import Finding
from linpoint.verdicts.replay_token import ReplayToken
from linpoint.verdicts.schedule import schedule_text


def build_finding(
    failure: Failure,
    run: ScenarioRun,
    trace: Trace | None,
    orders_of: SequentialOrders,
    *,
    minimal: bool,
    replay: Mapping[str, Any],
) -> Finding:
    """Build the finding of a failure. ``run`` is the run whose trace was recorded."""
    if failure.kind == NONDETERMINISM:
        return _nondeterminism(failure, replay)
    operations = tuple(shown_operations(run, results_allowed(orders_of, failure.case)))
    orders = orders_given(failure, operations, orders_of)
    message = failure_sentence(failure, operations, orders)
    if trace is not None:
        shown = TraceFailure(failure.kind, _failing_step(trace, failure.kind), "")
        trace = replace(trace, schedule=schedule_text(failure.schedule), failure=shown)
    return Finding(
        kind=failure.kind,
        message=message,
        evidence=ScenarioEvidence(str(failure.case), operations, orders),
        schedule=failure.schedule,
        preemptions=failure.preemptions,
        trace=trace,
        verdict=failure.verdict,
        minimal=minimal,
        replay_token=ReplayToken.from_dict({"kind": "test", **replay}),
    )


def _nondeterminism(failure: Failure, replay: Mapping[str, Any]) -> Finding:
    """Build the finding of a failure that its schedule does not reproduce."""
    return Finding(
        kind=NONDETERMINISM,
        message=failure.message,
        evidence=ScenarioEvidence(str(failure.case), tuple(shown_operations(failure.run, {}))),
        schedule=failure.schedule,
        preemptions=failure.preemptions,
        minimal=False,
        replay_token=ReplayToken.from_dict({"kind": "test", **replay}),
    )


def _failing_step(trace: Trace, kind: str) -> int | None:
    """The step that shows the failure: the exception, the first blocked thread, or the last return."""
    kinds = {"exception": StepKind.EXCEPTION, "deadlock": StepKind.BLOCK}
    wanted = kinds.get(kind, StepKind.RETURN)
    found = [position for position, step in enumerate(trace.steps) if step.kind is wanted]
    if not found:
        return None
    return found[0] if kind in kinds else found[-1]
