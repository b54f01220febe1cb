# SPDX-License-Identifier: Apache-2.0
"""Expectations for an inhabitant of the zoo."""

from __future__ import annotations

from dataclasses import dataclass

import linpoint


@dataclass(frozen=True, slots=True)
class Target:
    """A broken class and its correct twin, each with its test, and the expected finding in the broken one."""

    broken: type[linpoint.ConcurrentTest]
    fixed: type[linpoint.ConcurrentTest]
    kind: str
    scenario: str
    """The scenario that an engineer would write by hand to show the bug."""
    line: str
    """The source line that causes the bug; the trace must show it."""
    steps: int
    """The maximum number of trace steps."""
    after: str = ""
    """Calls after the threads have ended."""
    preemptions: int = 1
    gil: linpoint.Status = linpoint.Status.VIOLATION
    """Whether an interpreter with a global lock has the bug too."""
    exhaustive: bool = True
    """Whether every schedule of the twin can be explored within the budget."""
    slow: bool = False
    """The twin needs more than the usual budget."""
