# SPDX-License-Identifier: Apache-2.0
"""The result of a test as one HTML document: what fails, the smallest scenario, how it happens step by step, in which
models, what was covered, how to see it again; then the history of that run, where there is one.

Guarantee: that of ``frame``; nothing of the code under test is markup: names, values and source lines are escaped text.
Nothing is guessed: whatever a run did is known, so there are no likely causes. Cost: that of the steps and of the history.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from linpoint.explain.history.explain_verdict import explain
from linpoint.explain.history.page_operations import choose
from linpoint.explain.history.page_summary import headline
from linpoint.explain.history.page_timeline import history_part
from linpoint.explain.pages.page_renderer import Part, document
from linpoint.explain.pages.script_data import escaped
from linpoint.explain.pages.sections import Section, again, facts, file_and_name, saved_document
from linpoint.explain.test import result_text as findings
from linpoint.explain.test.result_text import FEW, accusation, explored, meaning, models_told
from linpoint.explain.test.scenario_section import scenario_tables
from linpoint.explain.trace.trace_section import trace_fragment
from linpoint.verdicts.finding import Finding, TestResult
from linpoint.verdicts.verdict import Status

_STYLES: Final = ("tests.css",)
_WORDS: Final = {
    Status.LINEARIZABLE: "no violation",
    Status.VIOLATION: "a violation",
    Status.UNKNOWN: "not decided",
}
_BOUNDS: Final = {
    "preemptions": "Preemptions, at most",
    "threads": "Threads, at most",
    "operations": "Operations of a thread, at most",
}
_MODELS: Final = {
    "free-threaded": "Python without a global lock: threads switch at any access to what they share",
    "gil": "Python with the global lock: threads switch only between calls and jumps",
    "sc": "every store is seen by all threads at once (sequential consistency)",
    "tso": "stores wait in a buffer of their thread, as on x86 (TSO)",
    "pso": "stores to different places wait in buffers of their own (PSO)",
}


def page_of_test(result: TestResult, *, command: str = "", replay: str = "") -> str:
    """The result as an HTML document; ``command`` runs the test, ``replay`` shows its first finding again."""
    finding = result.findings[0] if result.findings else None
    parts = [
        Part(_first(result, finding)),
        _part(list(_sections(result, command, replay))),
        *_history(finding),
        *saved_document(findings.document(result)),
    ]
    name = file_and_name(result.file, result.name)
    return document(parts, title=f"{result.status.name}: {result.name}", name=name, styles=_STYLES)


def _part(sections: list[Section]) -> Part:
    """Sections one below the other."""
    return Part(
        "\n".join(section.html for section in sections), tuple((section.name, section.title) for section in sections)
    )


def _first(result: TestResult, finding: Finding | None) -> str:
    """The first screen: the verdict, the scenario, and the steps directly below."""
    parts = [headline(result.status, accusation(result))]
    if result.status is not Status.VIOLATION:
        parts.append(f'<p class="meaning">{escaped(meaning(result))}</p>')
    if finding is None:
        parts.append(f'<p class="facts">{escaped(f"Explored: {explored(result)}.")}</p>')
    else:
        parts.append(scenario_tables(finding))
        if finding.trace is not None:
            parts.append(f'<div class="steps"><h2>How it happens</h2>{trace_fragment(finding.trace)}</div>')
    advice = () if finding is None else finding.advice
    if advice:
        parts.append(f"<h2>How to mend it</h2>{''.join(f'<p>{escaped(sentence)}.</p>' for sentence in advice)}")
    parts += (f'<p class="note">{escaped(f"Warning: {warning}.")}</p>' for warning in result.warnings)
    return f'<section id="verdict" aria-labelledby="sentence">{"".join(parts)}</section>'


def _sections(result: TestResult, command: str, replay: str) -> Iterator[Section]:
    """What is the same for every result, as far as there is something to say."""
    if models_told(result):
        yield Section("models", "Where it happens", _models(result))
    yield Section("covered", "What was covered", facts(_numbers(result), _ended(result)))
    yield from again(
        ("replay", "This finding alone (from the same folder; it runs the code of the test again):", replay),
        ("command", "The whole test (from the same folder):", command),
    )


def _models(result: TestResult) -> str:
    rows = (
        f'<tr><td><span class="badge {status.value}">{_WORDS[status]}</span></td>'
        f'<th scope="row">{escaped(name)}</th><td>{escaped(_MODELS.get(name, ""))}</td></tr>'
        for name, status in result.models.items()
    )
    return f'<table class="models"><tbody>{"".join(rows)}</tbody></table>'


def _numbers(result: TestResult) -> Iterator[tuple[str, str]]:
    tested = result.tested
    for name, value in result.bounds.items():
        yield escaped(_BOUNDS.get(name, f"{name}, at most")), f"{value:,}"
    yield "Scenarios", f"{tested.scenarios:,}"
    if tested.bounded_schedules or not tested.schedules:
        yield f"Schedules, up to {FEW} preemptions", f"{tested.bounded_schedules:,}"
        yield "Schedules without that bound", f"{tested.schedules:,}"
    else:
        yield "Schedules", f"{tested.schedules:,}"
    yield "Steps", f"{tested.steps:,}"
    yield "Time", f"{tested.seconds:.1f} s"
    yield "Peak memory", f"{tested.peak_memory_bytes / 2**20:,.0f} MiB"


def _ended(result: TestResult) -> Iterator[tuple[str, str]]:
    if result.findings:
        yield "Exhaustive", "no: the search ends with the first finding"
    elif result.exhaustive:
        yield "Exhaustive", "yes: every schedule of every scenario within these bounds was run"
    else:
        yield "Exhaustive", "no: not every schedule of every scenario within these bounds was run"


def _history(finding: Finding | None) -> list[Part]:
    """The history of the run that fails. Of a deadlock it has only what came back, which is not what fails."""
    if finding is None or finding.verdict is None or finding.kind == "deadlock":
        return []
    explanation = explain(finding.verdict)
    return [history_part(explanation, choose(explanation))]
