# SPDX-License-Identifier: Apache-2.0
"""The result for a whole program as text: the failure, its schedule step by step, the coverage.

Guarantee: the text is safe to print; the steps take at most ``MAX_TRACE_LINES`` lines, with the failure among them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from linpoint.explain.test.result_text import trace_lines
from linpoint.text.phrases import count_noun, one_line
from linpoint.text.printable import printable
from linpoint.text.terminal_text import fit
from linpoint.verdicts.evidence import ProgramEvidence
from linpoint.verdicts.finding import Finding
from linpoint.verdicts.result import Result

_WIDTH: Final = 100
_MOST_OUTCOMES: Final = 50


def program_text(result: Result) -> str:
    """A result as text."""
    finding = result.findings[0] if result.findings else None
    why = result.why if finding is None else one_line(finding.message)
    lines = [f"{result.status.name}: {result.file}: {why}."]
    if finding is not None:
        lines += ["", *program_finding_lines(finding)]
    if result.findings[1:]:
        lines += ["", *(f"Also: {one_line(each.message)}." for each in result.findings[1:])]
    lines += ["", _covered(result)]
    lines += [f"Warning: {warning}." for warning in result.warnings]
    lines += [] if result.outcomes is None else ["", *_outcomes(result.outcomes)]
    return printable("\n".join(lines))


def _outcomes(outcomes: Mapping[str, int]) -> list[str]:
    """The outputs of complete runs, most frequent first."""
    if not outcomes:
        return ["No run completed."]
    lines = [f"{count_noun(len(outcomes), 'outcome')} of complete runs:"]
    for text, count in sorted(outcomes.items(), key=lambda each: (-each[1], each[0]))[:_MOST_OUTCOMES]:
        lines.append(f"  {count_noun(count, 'run')}: {fit(one_line(text.rstrip()) or '(no output)', _WIDTH)}")
    more = len(outcomes) - _MOST_OUTCOMES
    return [*lines, f"  ... and {more:,} more"] if more > 0 else lines


def program_finding_lines(finding: Finding) -> list[str]:
    """A finding: its schedule, its steps, and the program's output."""
    if finding.kind == "nondeterminism":
        return ["No steps are shown, since the next run would have different ones."]
    few = "no schedule with fewer fails" if finding.minimal else "not all schedules with fewer were tried"
    lines = [f"The schedule has {count_noun(finding.preemptions, 'preemption')} ({few})."]
    lines += (
        ["The time did not suffice to record its steps."]
        if finding.trace is None
        else ["", *trace_lines(finding.trace)]
    )
    printed = finding.evidence_as(ProgramEvidence).printed
    if printed:
        lines += ["", "Last output:", *(f"  {fit(line, _WIDTH)}" for line in printed)]
    return lines


def _covered(result: Result) -> str:
    coverage = result.coverage
    parts = [count_noun(coverage.bounded_schedules, "schedule") + " with few preemptions"]
    if "preemptions" in result.bounds and not result.findings:
        parts = [f"{parts[0]} (all with up to {result.bounds['preemptions']})"]
    if coverage.schedules:
        parts.append(f"{coverage.schedules:,} without a bound")
    parts.append(f"{coverage.seconds:.1f} s")
    end = "; every schedule, up to the order of independent steps" if result.exhaustive else ""
    return f"Explored: {', '.join(parts)}{end}."
