# SPDX-License-Identifier: Apache-2.0
"""The result for a whole program in words: what goes wrong, how it happens step by step, what was covered.

Guarantee: every word is safe to print; the steps take at most ``MAX_TRACE_LINES`` lines, with the failure among them.
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
    """A result in words, for people."""
    finding = result.findings[0] if result.findings else None
    why = result.why if finding is None else one_line(finding.message)
    lines = [f"{result.status.name}: {result.file}: {why}."]
    if finding is not None:
        lines += ["", *program_finding_lines(finding)]
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
    lines = [f"{count_noun(len(outcomes), 'outcome')} of complete runs:"]
    for text, count in sorted(outcomes.items(), key=lambda each: (-each[1], each[0]))[:_MOST_OUTCOMES]:
        lines.append(f"  {count_noun(count, 'run')}: {fit(one_line(text.rstrip()) or 'nothing printed', _WIDTH)}")
    more = len(outcomes) - _MOST_OUTCOMES
    return [*lines, f"  ... and {more:,} more"] if more > 0 else lines


def program_finding_lines(finding: Finding) -> list[str]:
    """A finding: its schedule, its steps, and the program's output."""
    if finding.kind == "nondeterminism":
        return ["There are no steps to show, since they would be others the next time."]
    few = (
        "no schedule with fewer shows anything wrong" if finding.minimal else "there was no time to try all with fewer"
    )
    lines = [f"The schedule has {count_noun(finding.preemptions, 'preemption')} ({few})."]
    lines += ["There was no time to show its steps."] if finding.trace is None else ["", *trace_lines(finding.trace)]
    printed = finding.evidence_as(ProgramEvidence).printed
    if printed:
        lines += ["", "What it printed last:", *(f"  {fit(line, _WIDTH)}" for line in printed)]
    return lines


def _covered(result: Result) -> str:
    coverage = result.coverage
    parts = [count_noun(coverage.bounded_schedules, "schedule") + " with few preemptions"]
    if "preemptions" in result.bounds and not result.findings:
        parts = [f"{parts[0]} (all with up to {result.bounds['preemptions']})"]
    if coverage.schedules:
        parts.append(f"{coverage.schedules:,} without a bound")
    parts.append(f"{coverage.seconds:.1f} s")
    end = "; every schedule, up to the order of steps that do not touch the same" if result.exhaustive else ""
    return f"Explored: {', '.join(parts)}{end}."
