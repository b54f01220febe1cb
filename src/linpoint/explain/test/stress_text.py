# SPDX-License-Identifier: Apache-2.0
"""The result of a stress test as text: the verdict, its evidence, the coverage, and what a pass proves."""

from __future__ import annotations

import platform

from linpoint.text.phrases import count_noun
from linpoint.verdicts.result import Result
from linpoint.verdicts.status import Status


def stress_text(result: Result) -> str:
    """The result of a stress test as text; for a recheck of a history, the explanation of its verdict."""
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
        runs = count_noun(result.coverage.runs, "stress run")
        return f"LINEARIZABLE: no violation in {runs} of {result.name} (spec {result.spec}; {result.why})."
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
        f"Overlap: {pairs / runs:.1f} pairs of concurrent operations per run on average; "
        f"{overlapping / runs:.0%} of the runs had any. Runs without overlap do not test concurrency."
    )
    return [covered, overlap]


def _worth(result: Result) -> str:
    counts = result.coverage.counts
    if "clock" in counts:
        return (
            "Threads ran on real cores, so the interleavings depended on chance and on this machine. `linpoint test` "
            "without --stress explores them systematically."
        )
    python = f"{platform.python_implementation()} {platform.python_version()}"
    if not counts["gil"]:
        return (
            f"On {python} without the interpreter lock, threads run in parallel, but the interleavings depend on "
            "chance. `linpoint test` without --stress explores them systematically."
        )
    interval = "1 to 100 microseconds here" if counts["erratic"] else f"{counts['switch_interval'] * 1000:g} ms here"
    return (
        f"On {python} with the interpreter lock, one thread runs at a time and switches only at calls and loops, after "
        f"the switch interval ({interval}). Most interleavings that other builds and versions allow never occur. "
        "`linpoint test` without --stress explores them systematically."
    )
