# SPDX-License-Identifier: Apache-2.0
"""Builds the finding of a Python program's failure, with or without the steps of its run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from linpoint.subjects.interface import NONDETERMINISM, Failure
from linpoint.traces.trace import StepKind, Trace, TraceFailure
from linpoint.verdicts.evidence import ProgramEvidence
from linpoint.verdicts.finding import Finding
from linpoint.verdicts.replay_token import ReplayToken
from linpoint.verdicts.schedule import schedule_text

_SHOWN_BY: Final = {
    "assertion": StepKind.ASSERTION,
    "exception": StepKind.EXCEPTION,
    "crash": StepKind.EXCEPTION,
    "deadlock": StepKind.BLOCK,
}


def build_finding(failure: Failure, trace: Trace | None, *, minimal: bool, replay: Mapping[str, Any]) -> Finding:
    """Build the finding of a failure; ``replay`` is the content of its token."""
    repeated = failure.kind != NONDETERMINISM
    if trace is not None:
        shown = TraceFailure(failure.kind, _failing_step(trace, failure.kind), "")
        trace = Trace(trace.threads, trace.steps, trace.memory_model, schedule_text(failure.schedule), shown)
    return Finding(
        kind=failure.kind,
        message=failure.message,
        evidence=ProgramEvidence(failure.run.printed if repeated else ()),
        schedule=failure.schedule,
        preemptions=failure.preemptions if repeated else 0,
        trace=trace,
        minimal=minimal and repeated,
        replay_token=ReplayToken.from_dict({"kind": "explore", **replay}),
    )


def _failing_step(trace: Trace, kind: str) -> int | None:
    """The step that shows the failure: the exception, or the first blocked thread."""
    wanted = _SHOWN_BY.get(kind)
    return next((position for position, step in enumerate(trace.steps) if step.kind is wanted), None)
