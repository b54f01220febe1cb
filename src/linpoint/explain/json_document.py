# SPDX-License-Identifier: Apache-2.0
"""The JSON documents of results: the fields that all subjects share, in the order of the contract."""

from __future__ import annotations

from typing import Any, Final

from linpoint.traces.trace import SourcePlace, Trace
from linpoint.verdicts.finding import Finding
from linpoint.verdicts.result import Result

_NAMES: Final = {"test": "test", "crash": "test", "stress": "test", "model": "model"}
"""The field with the name of the subject. A program has only its file."""


def result_document(
    result: Result, findings: list[dict[str, Any]], *, advice: list[dict[str, Any]] | None = None
) -> dict[str, Any]:
    """The document of a result, with the documents of its findings."""
    name = _NAMES.get(result.subject_kind)
    tested = result.subject_kind == "test"
    optional = {"remedy": result.remedy, "spec": result.spec, "condition": result.condition}
    return {
        **({name: result.name} if name else {}),
        **({"file": result.file} if result.file else {}),
        "verdict": result.status.value,
        "exhaustive": result.exhaustive,
        "why": result.why,
        **{field: value for field, value in optional.items() if value},
        **({"models": {model: status.value for model, status in result.models.items()}} if tested else {}),
        "bounds": dict(result.bounds),
        "statistics": result.coverage.as_dict(),
        "findings": findings,
        **({} if advice is None else {"advice": advice}),
        "warnings": list(result.warnings),
        **({} if result.outcomes is None else {"outcomes": dict(result.outcomes)}),
    }


def finding_document(finding: Finding, explanation: dict[str, Any], **facts: Any) -> dict[str, Any]:
    """The document of one finding; ``facts`` are the fields that findings of its kind have besides the common ones."""
    place = finding.place or place_of(finding.trace)
    return {
        "kind": finding.kind,
        "message": finding.message,
        **({} if place is None else {"place": f"{place.file}:{place.line}"}),
        **facts,
        "explanation": explanation,
        "replay": finding.replay_words,
    }


def place_of(trace: Trace | None) -> SourcePlace | None:
    """The line that shows a failure: the line of its step, or the last line before it in the same thread."""
    if trace is None or trace.failure is None or trace.failure.step is None:
        return None
    at = trace.failure.step
    thread = trace.steps[at].thread
    steps = (step for step in reversed(trace.steps[: at + 1]) if step.thread == thread)
    return next((step.place for step in steps if step.place is not None), None)
