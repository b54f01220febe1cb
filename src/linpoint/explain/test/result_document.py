# SPDX-License-Identifier: Apache-2.0
"""The JSON documents of tests of objects and of programs."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from linpoint.explain.json_document import finding_document, result_document
from linpoint.explain.test.program_text import program_finding_lines
from linpoint.explain.test.result_text import finding_lines
from linpoint.histories.values import thaw
from linpoint.text.printable import printable
from linpoint.verdicts.evidence import ProgramEvidence, ScenarioEvidence, ShownOperation
from linpoint.verdicts.finding import Finding
from linpoint.verdicts.result import Result
from linpoint.verdicts.status import Status


def test_document(result: Result) -> dict[str, Any]:
    """The JSON document of a test."""
    return result_document(result, [finding_document(each, _scenario_explanation(each)) for each in result.findings])


def program_document(result: Result) -> dict[str, Any]:
    """The JSON document of a program."""
    return result_document(result, [finding_document(each, _program_explanation(each)) for each in result.findings])


def stress_document(result: Result) -> dict[str, Any]:
    """The JSON document of a stress test. It omits a run whose checks disagree, which is not the object's fault."""
    findings = result.findings if result.status is Status.VIOLATION else ()
    documents = [finding_document(each, {"text": result.text}) for each in findings]
    document = result_document(replace(result, findings=findings), documents)
    return {name: value for name, value in document.items() if name not in ("spec", "bounds")}


def _scenario_explanation(finding: Finding) -> dict[str, Any]:
    evidence = finding.evidence_as(ScenarioEvidence)
    threads = {each.thread for each in evidence.operations if each.thread is not None}
    return {
        "text": printable("\n".join([f"{finding.message}.", "", *finding_lines(finding)])),
        "scenario": evidence.scenario,
        "operations": [_operation(each) for each in evidence.operations],
        "orders": [[thaw(value) for value in results] for results in evidence.orders],
        "preemptions": finding.preemptions,
        "minimal": finding.minimal,
        **({"advice": list(finding.advice)} if finding.advice else {}),
        "schedule": [list(each) for each in finding.schedule],
        "counts": {
            "threads": len(threads),
            "operations": len(evidence.operations),
            "preemptions": finding.preemptions,
            "steps": 0 if finding.trace is None else len(finding.trace.steps),
        },
        **({} if finding.trace is None else {"trace": finding.trace.as_dict()}),
    }


def _program_explanation(finding: Finding) -> dict[str, Any]:
    trace = finding.trace
    return {
        "text": printable("\n".join([f"{finding.message}.", "", *program_finding_lines(finding)])),
        "preemptions": finding.preemptions,
        "minimal": finding.minimal,
        "schedule": [list(each) for each in finding.schedule],
        "printed": list(finding.evidence_as(ProgramEvidence).printed),
        "counts": {
            "threads": 0 if trace is None else len(trace.threads),
            "preemptions": finding.preemptions,
            "steps": 0 if trace is None else len(trace.steps),
        },
        **({} if trace is None else {"trace": trace.as_dict()}),
    }


def _operation(each: ShownOperation) -> dict[str, Any]:
    when = "after" if each.after else "before" if each.thread is None else each.thread
    found: dict[str, Any] = {"thread": when, "call": each.call, "returned": each.returned}
    if each.returned:
        found["result"] = thaw(each.result)
    if each.allowed is not None:
        found["allowed"] = [thaw(value) for value in each.allowed]
    return found
