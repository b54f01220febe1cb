# SPDX-License-Identifier: Apache-2.0
"""The coverage of the searches of one scenario, and what its runs have shown besides failures."""

from __future__ import annotations

from dataclasses import dataclass, field

from linpoint.judging.scenario_run import RunEnding, ScenarioRun
from linpoint.judging.spec_judge import Judgement


@dataclass(slots=True)
class ScenarioCoverage:
    """The explored part of a scenario."""

    bounded: int = 0
    """Runs of the bounded search."""
    unbounded: int = 0
    """Runs of all other searches."""
    few: bool = False
    """Whether all schedules with up to ``FEW_PREEMPTIONS`` preemptions were run."""
    exhaustive: bool = False
    undecided: int = 0
    diverged: int | None = None
    """The first step at which the program behaved differently with the same choices."""
    cut: int = 0
    steps: int = 0
    returned: set[str] = field(default_factory=set)
    """Operations that returned in some run."""
    stuck: set[str] = field(default_factory=set)
    """Operations that were called in some run and did not return in it."""

    def note(self, run: ScenarioRun, judgement: Judgement, names: int) -> None:
        """Count a run of a scenario whose operations have ``names`` different names."""
        self.undecided += not judgement.decided
        self.cut += run.ending is RunEnding.CUT
        if len(self.returned) < names:
            self.returned |= run.operations(returned=True)
            self.stuck |= run.operations(returned=False)
