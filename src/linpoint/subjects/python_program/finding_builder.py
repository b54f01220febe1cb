# SPDX-License-Identifier: Apache-2.0
"""A failure of a Python program as a finding, with the steps of its run or without them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from linpoint.subjects.interface import NONDETERMINISM, Failure
from linpoint.traces.trace import StepKind, Trace, TraceFailure
from linpoint.verdicts.program import ProgramFinding
from linpoint.verdicts.schedule import schedule_text

_SHOWN_BY: Final = {
    "assertion": StepKind.ASSERTION,
    "exception": StepKind.EXCEPTION,
    "crash": StepKind.EXCEPTION,
    "deadlock": StepKind.BLOCK,
}


def build_finding(failure: Failure, trace: Trace | None, *, minimal: bool, replay: Mapping[str, Any]) -> ProgramFinding:
    """The finding of a failure; ``replay`` is the content of its token."""
    if failure.kind == NONDETERMINISM:
        return ProgramFinding(failure.kind, failure.message, failure.schedule, 0, None, minimal=False, replay=replay)
    if trace is not None:
        shown = TraceFailure(failure.kind, _failing_step(trace, failure.kind), "")
        trace = Trace(trace.threads, trace.steps, trace.memory_model, schedule_text(failure.schedule), shown)
    return ProgramFinding(
        failure.kind,
        failure.message,
        failure.schedule,
        failure.preemptions,
        trace,
        failure.run.printed,
        minimal,
        replay,
    )


def _failing_step(trace: Trace, kind: str) -> int | None:
    """Where it shows: the exception, or the first thread that is blocked."""
    wanted = _SHOWN_BY.get(kind)
    return next((position for position, step in enumerate(trace.steps) if step.kind is wanted), None)
