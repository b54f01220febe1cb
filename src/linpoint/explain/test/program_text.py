# SPDX-License-Identifier: Apache-2.0
"""The result for a whole program in words: what goes wrong, how it happens step by step, what was covered.

Guarantee: every word is safe to print; the steps take at most ``MOST_LINES`` lines, with the failure among them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from linpoint.explain.test.result_text import finding_document, steps_of
from linpoint.histories.values import counted, one_line
from linpoint.text.printable import printable
from linpoint.text.terminal_text import fitted
from linpoint.verdicts.program import ProgramFinding, ProgramResult

_WIDTH: Final = 100
_MOST_OUTCOMES: Final = 50


def program_text(result: ProgramResult) -> str:
    """A result in words, for people."""
    finding = result.findings[0] if result.findings else None
    why = result.why if finding is None else one_line(finding.message)
    lines = [f"{result.answer.name}: {result.file}: {why}."]
    if finding is not None:
        lines += ["", *finding_lines(finding)]
    if result.findings[1:]:
        lines += ["", *(f"And also: {one_line(each.message)}." for each in result.findings[1:])]
    lines += ["", _covered(result)]
    lines += [f"Warning: {warning}." for warning in result.warnings]
    lines += [] if result.outcomes is None else ["", *_outcomes(result.outcomes)]
    return printable("\n".join(lines))


def _outcomes(outcomes: Mapping[str, int]) -> list[str]:
    """What complete runs printed, the most frequent first."""
    if not outcomes:
        return ["No run was complete."]
    lines = [f"{counted(len(outcomes), 'outcome')} of complete runs:"]
    for text, count in sorted(outcomes.items(), key=lambda each: (-each[1], each[0]))[:_MOST_OUTCOMES]:
        lines.append(f"  {counted(count, 'run')}: {fitted(one_line(text.rstrip()) or 'nothing printed', _WIDTH)}")
    more = len(outcomes) - _MOST_OUTCOMES
    return [*lines, f"  ... and {more:,} more"] if more > 0 else lines


def finding_lines(finding: ProgramFinding) -> list[str]:
    """A finding: its schedule, its steps, and what the program printed."""
    if finding.kind == "nondeterminism":
        return ["There are no steps to show, since they would be others the next time."]
    few = (
        "no schedule with fewer shows anything wrong" if finding.minimal else "there was no time to try all with fewer"
    )
    lines = [f"The schedule has {counted(finding.preemptions, 'preemption')} ({few})."]
    lines += ["There was no time to show its steps."] if finding.trace is None else ["", *steps_of(finding.trace)]
    if finding.printed:
        lines += ["", "What it printed last:", *(f"  {fitted(line, _WIDTH)}" for line in finding.printed)]
    return lines


def _covered(result: ProgramResult) -> str:
    explored = result.explored
    parts = [counted(explored.bounded_schedules, "schedule") + " with few preemptions"]
    if "preemptions" in result.bounds and not result.findings:
        parts = [f"{parts[0]} (all with up to {result.bounds['preemptions']})"]
    if explored.schedules:
        parts.append(f"{explored.schedules:,} without a bound")
    parts.append(f"{explored.seconds:.1f} s")
    end = "; every schedule, up to the order of steps that do not touch the same" if result.exhaustive else ""
    return f"Explored: {', '.join(parts)}{end}."


def program_document(result: ProgramResult) -> dict[str, Any]:
    """The JSON document of a program, as the contract has it; whoever makes tokens adds how findings replay."""
    return {
        "file": result.file,
        "verdict": result.answer.value,
        "exhaustive": result.exhaustive,
        "why": result.why,
        "bounds": dict(result.bounds),
        "statistics": result.explored.as_dict(),
        "findings": [finding_document(each, _explanation(each), []) for each in result.findings],
        "warnings": list(result.warnings),
        **({} if result.outcomes is None else {"outcomes": dict(result.outcomes)}),
    }


def _explanation(finding: ProgramFinding) -> dict[str, Any]:
    trace = finding.trace
    return {
        "text": printable("\n".join([f"{finding.message}.", "", *finding_lines(finding)])),
        "preemptions": finding.preemptions,
        "minimal": finding.minimal,
        "schedule": [list(each) for each in finding.schedule],
        "printed": list(finding.printed),
        "counts": {
            "threads": 0 if trace is None else len(trace.threads),
            "preemptions": finding.preemptions,
            "steps": 0 if trace is None else len(trace.steps),
        },
        **({} if trace is None else {"trace": trace.as_dict()}),
    }
