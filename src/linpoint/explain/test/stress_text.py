# SPDX-License-Identifier: Apache-2.0
"""The result of a stress test in words: the answer, its evidence, what was covered, and what a pass is worth."""

from __future__ import annotations

import platform

from linpoint.text.phrases import count_noun
from linpoint.verdicts.result import Result
from linpoint.verdicts.status import Status


def stress_text(result: Result) -> str:
    """The result of a stress test in words; of a history that was checked again, the explanation of its verdict."""
    if "threads" not in result.coverage.counts:  # nothing was run
        return f"UNKNOWN: {result.why}." if result.verdict is None else result.verdict.explain().text
    lines = [_sentence(result)]
    if result.stuck:
        lines += ["", *(line for each in result.stuck for line in str(each).splitlines())]
    if result.kind in ("linearizability", "exception") and result.verdict is not None:
        lines += ["", *result.verdict.explain().text.splitlines()]
    if result.report:
        lines += ["", *result.report.splitlines()]
    lines += ["", *_covered(result), "", _worth(result)]
    lines += [f"Warning: {warning}." for warning in result.warnings]
    return "\n".join(lines)


def _sentence(result: Result) -> str:
    if result.status is Status.LINEARIZABLE:
        runs = f"{count_noun(result.coverage.runs, 'run')} of {result.name} fit" + "s" * (result.coverage.runs == 1)
        return f"LINEARIZABLE, as far as {runs} the spec {result.spec} ({result.why})."
    if result.status is Status.UNKNOWN:
        return f"UNKNOWN: {result.why}."
    return f"VIOLATION ({result.kind}): {result.why}."


def _covered(result: Result) -> list[str]:
    counts = result.coverage.counts
    pairs, overlapping = counts["overlapping_pairs"], counts["overlapping_runs"]
    runs = max(result.coverage.runs, 1)
    at_once = f", {counts['instances']} objects at a time" if counts["instances"] > 1 else ""
    covered = (
        f"Covered: {count_noun(result.coverage.runs, 'run')} with {count_noun(result.coverage.operations, 'operation')} "
        f"on {count_noun(counts['threads'], 'thread')}{at_once}, in {result.coverage.seconds:.1f} s, seed {counts['seed']}."
    )
    overlap = (
        f"Overlap: {pairs / runs:.1f} pairs of operations in a run were open at the same time on average; "
        f"{overlapping / runs:.0%} of the runs had any. Runs without overlap test nothing."
    )
    return [covered, overlap]


def _worth(result: Result) -> str:
    counts = result.coverage.counts
    if "clock" in counts:
        return (
            "Threads ran on real cores, and which interleavings came up was left to chance and to this machine; "
            "`linpoint test` without --stress explores them one by one."
        )
    python = f"{platform.python_implementation()} {platform.python_version()}"
    if not counts["gil"]:
        return (
            f"On {python} without the interpreter lock threads run at the same time, but which interleavings come up is "
            "left to chance; `linpoint test` without --stress explores them one by one."
        )
    interval = "1 to 100 microseconds here" if counts["erratic"] else f"{counts['switch_interval'] * 1000:g} ms here"
    return (
        f"On {python} one thread runs at a time (interpreter lock) and is interrupted at calls and loops only, after the "
        f"switch interval, {interval}: most interleavings that another build or version allows never come up. "
        "`linpoint test` without --stress explores them one by one."
    )
