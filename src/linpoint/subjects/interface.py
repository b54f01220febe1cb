# SPDX-License-Identifier: Apache-2.0
"""What the campaign knows of a thing under test, whatever kind of thing it is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from linpoint.verdicts import Verdict
from linpoint.verdicts.schedule import Schedule


@dataclass(frozen=True, slots=True)
class Failure:
    """A run that is wrong, and the schedule that shows it again."""

    kind: str
    """The kind of finding, a key of ``FAILURES``."""
    case: Any
    """What was run: a scenario, a workload, or None for a subject that has only one case."""
    schedule: Schedule
    preemptions: int
    run: Any
    """What the subject knows of the run."""
    verdict: Verdict | None = None
    """Of the run's history, where there is one."""
