# SPDX-License-Identifier: Apache-2.0
"""The JSON document of the result for a model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from linpoint.explain.json_document import finding_document, result_document
from linpoint.explain.json_values import as_json, operation_fields
from linpoint.explain.model.model_text import culprit_of, drawing, history_of, model_finding_lines, names_of, trace_of
from linpoint.histories.operation import Operation
from linpoint.text.printable import printable
from linpoint.verdicts.evidence import AllowedConfiguration, ModelStep
from linpoint.verdicts.finding import Finding
from linpoint.verdicts.result import Result


def model_document(result: Result) -> dict[str, Any]:
    """The JSON document of a model."""
    return result_document(result, [finding_document(each, _explanation(each)) for each in result.findings])


def _explanation(finding: Finding) -> dict[str, Any]:
    """The explanation of a finding as JSON."""
    operations = history_of(finding).operations
    counts = {
        "processes": len(trace_of(finding).threads),
        "operations": len(operations),
        "steps": finding.length,
        "switches": finding.switches,
        "preemptions": trace_of(finding).preemptions,
    }
    culprit = culprit_of(finding)
    return {
        "text": printable("\n".join([f"{finding.message}.", *model_finding_lines(finding)])),
        **({} if culprit is None else {"refused": _refused(finding, culprit)}),
        "length": finding.length,
        "shortest": finding.shortest,
        "switches": finding.switches,
        "preemptions": trace_of(finding).preemptions,
        "counts": counts,
        "operations": [operation_fields(each) for each in operations],
        "drawing": drawing(finding),
        "steps": [_step(each, names_of(finding)) for each in finding.steps],
        "trace": trace_of(finding).as_dict(),
    }


def _refused(finding: Finding, culprit: Operation) -> dict[str, Any]:
    return {
        "process": culprit.process,
        "op": culprit.name,
        "args": [as_json(each) for each in culprit.args],
        "result": as_json(culprit.result),
        "allowed": [as_json(each) for each in finding.allowed],
        "why": finding.refused,
    }


def _step(step: ModelStep, names: Mapping[int | str, int | str]) -> dict[str, Any]:
    return {
        "process": names[step.process],
        "first": step.first,
        "last": step.last,
        "changes": [
            {"place": place, "before": as_json(before), "after": as_json(after)}
            for place, before, after in step.changes
        ],
        "survivors": [_survivor(each, names) for each in step.survivors],
        "more_survivors": step.more_survivors,
    }


def _survivor(survivor: AllowedConfiguration, names: Mapping[int | str, int | str]) -> dict[str, Any]:
    return {
        "state": as_json(survivor.state),
        "pending": {str(names[process]): call for process, call in survivor.pending.items()},
        "done": {
            str(names[process]): {"call": call, "result": as_json(result)}
            for process, (call, result) in survivor.done.items()
        },
    }
