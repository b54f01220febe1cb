# SPDX-License-Identifier: Apache-2.0
"""What stress found, and how little or how much a pass of it says."""

from __future__ import annotations

import platform
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NoReturn

from linpoint.errors import UndecidedError, ViolationError
from linpoint.histories.history import History
from linpoint.histories.values import counted
from linpoint.verdicts import Status, Verdict
from linpoint.verdicts.hung_thread import HungThread


@dataclass(frozen=True, slots=True, eq=False)
class StressResult:
    """The answer of a stress test; it never covers all interleavings, so a pass has ``exhaustive`` False.

    ``kind`` of a violation is ``"linearizability"``, ``"exception"``, ``"deadlock"`` or ``"livelock"``, in C++ also
    ``"crash"``, ``"race"`` or ``"memory"``; ``verdict`` and ``history`` are those of the run that was found in violation
    or could not be decided, ``stuck`` the threads that hang, ``report`` what a sanitizer said.
    """

    status: Status
    test: str
    spec: str
    runs: int
    operations: int
    seconds: float
    why: str
    kind: str | None = None
    verdict: Verdict | None = field(default=None, repr=False)
    history: History | None = field(default=None, repr=False)
    stuck: tuple[HungThread, ...] = field(default=(), repr=False)
    statistics: Mapping[str, Any] = field(default_factory=dict, repr=False)
    warnings: tuple[str, ...] = ()
    exhaustive: bool = False
    report: str = field(default="", repr=False)
    interrupted: bool = False
    """By Ctrl-C, so that it is only what was known by then."""

    def __bool__(self) -> NoReturn:
        raise TypeError("a result has three values: compare result.status, or call result.raise_for_violation()")

    @property
    def text(self) -> str:
        """The result in words."""
        return "\n".join(lines_of(self))

    def raise_for_violation(self) -> None:
        """Raise ``ViolationError`` for a violation and ``UndecidedError`` for UNKNOWN; else return."""
        if self.status is Status.VIOLATION:
            raise ViolationError(self.text)
        if self.status is Status.UNKNOWN:
            raise UndecidedError(self.text)


def has_interpreter_lock() -> bool:
    """Whether this interpreter runs one thread at a time."""
    enabled = getattr(sys, "_is_gil_enabled", None)
    return True if enabled is None else bool(enabled())


def lines_of(result: StressResult) -> list[str]:
    """The result in words, line by line: the answer, its evidence, what was covered, and what that is worth."""
    lines = [_sentence(result)]
    if result.stuck:
        lines += ["", *(line for each in result.stuck for line in str(each).splitlines())]
    if result.kind in ("linearizability", "exception") and result.verdict is not None:
        lines += ["", *result.verdict.explain().text.splitlines()]
    if result.report:
        lines += ["", *result.report.splitlines()]
    lines += ["", *_covered(result), "", _worth(result)]
    lines += [f"Warning: {warning}." for warning in result.warnings]
    return lines


def _sentence(result: StressResult) -> str:
    if result.status is Status.LINEARIZABLE:
        runs = f"{counted(result.runs, 'run')} of {result.test} fit" + "s" * (result.runs == 1)
        return f"LINEARIZABLE, as far as {runs} the spec {result.spec} ({result.why})."
    if result.status is Status.UNKNOWN:
        return f"UNKNOWN: {result.why}."
    return f"VIOLATION ({result.kind}): {result.why}."


def _covered(result: StressResult) -> list[str]:
    told = result.statistics
    pairs, overlapping = told["overlapping_pairs"], told["overlapping_runs"]
    runs = max(result.runs, 1)
    at_once = f", {told['instances']} objects at a time" if told["instances"] > 1 else ""
    covered = (
        f"Covered: {counted(result.runs, 'run')} with {counted(result.operations, 'operation')} "
        f"on {counted(told['threads'], 'thread')}{at_once}, in {result.seconds:.1f} s, seed {told['seed']}."
    )
    overlap = (
        f"Overlap: {pairs / runs:.1f} pairs of operations in a run were open at the same time on average; "
        f"{overlapping / runs:.0%} of the runs had any. Runs without overlap test nothing."
    )
    return [covered, overlap]


def _worth(result: StressResult) -> str:
    told = result.statistics
    if "clock" in told:
        return (
            "Threads ran on real cores, and which interleavings came up was left to chance and to this machine; "
            "`linpoint test` without --stress explores them one by one."
        )
    python = f"{platform.python_implementation()} {platform.python_version()}"
    if not told["gil"]:
        return (
            f"On {python} without the interpreter lock threads run at the same time, but which interleavings come up is "
            "left to chance; `linpoint test` without --stress explores them one by one."
        )
    interval = "1 to 100 microseconds here" if told["erratic"] else f"{told['switch_interval'] * 1000:g} ms here"
    return (
        f"On {python} one thread runs at a time (interpreter lock) and is interrupted at calls and loops only, after the "
        f"switch interval, {interval}: most interleavings that another build or version allows never come up. "
        "`linpoint test` without --stress explores them one by one."
    )
