# SPDX-License-Identifier: Apache-2.0
"""``linpoint check --junit FILE``: the verdicts as JUnit XML, which GitHub, GitLab and Jenkins show as test results.

A file is a suite, a key is a case. Guarantee: what is not known to be right is a failure (violation) or an error
(unknown, bad input), never a pass; the XML is well formed whatever the history holds; the same check gives the same
file but for its times. Cost: O(keys + operations of the keys in violation).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final
from xml.sax.saxutils import escape

from linpoint.cli.outputs import Made
from linpoint.cli.reports import Report
from linpoint.errors import LinpointError
from linpoint.explain.explanation import Explanation
from linpoint.explain.keys import accusation, in_violation, key_name, line_of, reason, told
from linpoint.histories.commands import command_line
from linpoint.histories.printable import printable
from linpoint.histories.values import counted
from linpoint.verdicts import KeyVerdict, Status

_LONGEST_NAME: Final = 500
_LONGEST_MESSAGE: Final = 2_000
_LONGEST_TEXT: Final = 100_000


@dataclass(frozen=True, slots=True)
class _Case:
    """One key: what is wrong with it, if anything is, as the element that says so."""

    name: str
    seconds: float = 0.0
    line: int | None = None
    wrong: str = ""
    """``failure`` or ``error``."""
    kind: str = ""
    message: str = ""
    text: str = ""
    replay: Sequence[str] = ()


def as_junit(reports: Sequence[Report], spec: str) -> Made:
    """The document; ``spec`` is what files were checked against that could not be read."""
    suites = [(report, list(_cases(report))) for report in reports]
    everything = [case for _, cases in suites for case in cases]
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f'<testsuites name="linpoint check"{_counts(everything)}>',
        *(line for report, cases in suites for line in _suite(report, cases, spec)),
        "</testsuites>\n",
    ]
    failures, errors = (sum(case.wrong == wrong for case in everything) for wrong in ("failure", "error"))
    size = f"{counted(len(everything), 'case')}, {counted(failures, 'failure')}, {counted(errors, 'error')}"
    return Made("\n".join(lines), size, {"tests": len(everything), "failures": failures, "errors": errors})


def _suite(report: Report, cases: list[_Case], spec: str) -> Iterator[str]:
    name = _attribute(report.file)
    yield f'  <testsuite name="{name}"{_counts(cases)}>'
    warnings: tuple[str, ...] = ()
    if report.explanation is not None:
        verdict = report.explanation.verdict
        spec, warnings = verdict.spec.name, verdict.warnings
        yield "    <properties>"
        for field in ("condition", "checker", "why"):
            yield f'      <property name="{field}" value="{_attribute(getattr(verdict, field), _LONGEST_MESSAGE)}"/>'
        yield "    </properties>"
    head = f'    <testcase classname="{_attribute(spec)}: {name}" file="{name}"'
    for case in cases:
        line = "" if case.line is None else f' line="{case.line}"'
        start = f'{head}{line} name="{_attribute(case.name)}" time="{case.seconds:.6f}"'
        yield f"{start}>{_content(case)}</testcase>" if case.wrong else f"{start}/>"
    if warnings:
        yield f"    <system-out>{_text(chr(10).join(f'Warning: {warning}.' for warning in warnings))}</system-out>"
    yield "  </testsuite>"


def _content(case: _Case) -> str:
    message = _attribute(case.message, _LONGEST_MESSAGE)
    wrong = f'<{case.wrong} type="{case.kind}" message="{message}">{_text(case.text)}</{case.wrong}>'
    if not case.replay:
        return wrong
    return f"{wrong}<system-out>{_text(f'Show it again: linpoint {command_line(case.replay)}')}</system-out>"


def _cases(report: Report) -> Iterator[_Case]:
    if report.explanation is None:
        if report.error is not None:
            yield _bad_input(report.error)
        return
    explanation, verdict = report.explanation, report.explanation.verdict
    explained = next(iter(in_violation(explanation)), None)
    # Keys are checked together, so each gets the part of the time that its operations are of all.
    whole = sum(len(key.positions) for key in verdict.keys) or 1
    for key in verdict.keys:
        seconds = verdict.statistics.seconds * (len(key.positions) / whole if len(verdict.keys) > 1 else 1)
        yield _case(explanation, key, report.replay, seconds, explained=key is explained)


def _case(
    explanation: Explanation, key: KeyVerdict, replay: Sequence[str], seconds: float, *, explained: bool
) -> _Case:
    name, verdict = key_name(key.key), explanation.verdict
    if key.status is Status.LINEARIZABLE:
        return _Case(name, seconds)
    why = reason(verdict, key)
    if key.status is Status.UNKNOWN:
        text = explanation.text if verdict.status is Status.UNKNOWN and len(verdict.keys) == 1 else why
        return _Case(name, seconds, None, "error", "unknown", why, text)
    if explained:
        message = accusation(explanation)
        return _Case(
            name,
            seconds,
            line_of(explanation),
            "failure",
            "linearizability",
            message,
            explanation.text,
            replay,
        )
    line = line_of(explanation, key=key)
    return _Case(name, seconds, line, "failure", "linearizability", why, told(verdict, key))


def _bad_input(error: LinpointError) -> _Case:
    return _Case(key_name(None), wrong="error", kind=error.code, message=error.message, text=str(error))


def _counts(cases: Sequence[_Case]) -> str:
    failures, errors = (sum(case.wrong == wrong for case in cases) for wrong in ("failure", "error"))
    seconds = sum(case.seconds for case in cases)
    return f' tests="{len(cases)}" failures="{failures}" errors="{errors}" skipped="0" time="{seconds:.6f}"'


def _attribute(text: str, longest: int = _LONGEST_NAME) -> str:
    """In an attribute a line end would be read as a space, so it is seen as an escape like the others."""
    return escape(printable(_cut(text, longest), lines=False), {'"': "&quot;"})


def _text(text: str) -> str:
    return escape(printable(_cut(text, _LONGEST_TEXT)))


def _cut(text: str, longest: int) -> str:
    return text if len(text) <= longest else f"{text[:longest]}... ({len(text) - longest:,} more letters)"
