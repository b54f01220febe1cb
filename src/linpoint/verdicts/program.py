# SPDX-License-Identifier: Apache-2.0
"""What running a whole program under many schedules found: whoever runs it fills this in, whoever explains shows it."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NoReturn

from linpoint.traces.trace import Trace
from linpoint.verdicts.finding import Explored


class Answer(enum.Enum):
    """The three answers for a program."""

    HOLDS = "holds"
    VIOLATION = "violation"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True, eq=False)
class ProgramFinding:
    """A schedule under which something goes wrong. ``kind`` is a key of ``FAILURES``."""

    kind: str
    message: str
    """One sentence."""
    schedule: tuple[tuple[int, int], ...]
    """Where the schedule departs from the default: steps and the threads that go on there."""
    preemptions: int
    trace: Trace | None = field(repr=False)
    printed: tuple[str, ...] = ()
    """The last lines that the program printed."""
    minimal: bool = True
    """No schedule with fewer preemptions shows anything wrong."""
    replay: Mapping[str, Any] = field(default_factory=dict, repr=False)
    """What a replay token holds."""


@dataclass(frozen=True, slots=True, eq=False)
class ProgramResult:
    """The answer for a program: three-valued, with what was covered and the finding, if there is one."""

    file: str
    answer: Answer
    exhaustive: bool
    """Every schedule was run, or one equivalent to it."""
    why: str
    findings: tuple[ProgramFinding, ...]
    explored: Explored
    bounds: Mapping[str, int] = field(default_factory=dict)
    """The preemptions up to which every schedule was run, unless all were."""
    warnings: tuple[str, ...] = ()
    outcomes: Mapping[str, int] | None = None
    """What the program printed in complete runs, and in how many of them, where that was asked for."""
    interrupted: bool = False
    """By Ctrl-C, so that it is only what was known by then."""

    def __bool__(self) -> NoReturn:
        raise TypeError("a result has three values: compare result.answer")
