# SPDX-License-Identifier: Apache-2.0
"""The JSON document of the result of crash tests."""

from __future__ import annotations

from typing import Any

from linpoint.explain.crash.cache_lines import place_text
from linpoint.explain.crash.crash_text import advice_text, crash_finding_lines
from linpoint.explain.json_document import finding_document, result_document
from linpoint.explain.json_values import as_json
from linpoint.text.printable import printable
from linpoint.verdicts.evidence import CrashEvidence, CrashOperation, CrashStore, NeedlessInstruction
from linpoint.verdicts.finding import Finding
from linpoint.verdicts.result import Result


def crash_document(result: Result) -> dict[str, Any]:
    """The JSON document of a crash test's result."""
    findings = [finding_document(each, _explanation(each), **_durability_facts(each)) for each in result.findings]
    return result_document(result, findings, advice=[_advice(each) for each in result.advice])


def _durability_facts(finding: Finding) -> dict[str, Any]:
    evidence = finding.evidence_as(CrashEvidence)
    if finding.kind != "durability":
        return {}
    return {"class": list(evidence.classes), "violates": list(evidence.violates)}


def _explanation(finding: Finding) -> dict[str, Any]:
    """The explanation of a finding as JSON."""
    evidence = finding.evidence_as(CrashEvidence)
    counts = {"operations": sum(each.when != "after" for each in evidence.operations), "crash_states": evidence.count}
    return {
        "text": printable("\n".join([f"{finding.message}.", "", *crash_finding_lines(finding)])),
        **({"remedy": evidence.remedy} if evidence.remedy else {}),
        "proven": evidence.proven,
        "minimal": finding.minimal,
        "counts": counts,
        "operations": [_operation(each) for each in evidence.operations],
        "stores": [_store(each) for each in evidence.stores],
    }


def _operation(each: CrashOperation) -> dict[str, Any]:
    return {
        "call": each.call,
        "when": each.when,
        "returned": each.returned,
        **({"result": as_json(each.result)} if each.returned else {}),
        **({} if each.allowed is None else {"allowed": [as_json(value) for value in each.allowed]}),
    }


def _store(store: CrashStore) -> dict[str, Any]:
    return {
        "place": None if store.place is None else f"{store.place.file}:{store.place.line}",
        "name": store.name,
        "operation": store.operation,
        "thread": store.thread,
        "address": store.address,
        "size": store.size,
        "value": store.value,
        "line": store.line,
        "kind": store.kind,
        "persisted": store.persisted,
        "kept": store.kept,
        "role": store.role,
    }


def _advice(each: NeedlessInstruction) -> dict[str, Any]:
    return {"kind": each.kind, "place": place_text(each.place), "count": each.count, "text": advice_text(each)}
