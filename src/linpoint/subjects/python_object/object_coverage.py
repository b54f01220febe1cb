# SPDX-License-Identifier: Apache-2.0
"""The joint coverage of a test's scenarios, and the reasons why a search without a failure is not a pass."""

from __future__ import annotations

from dataclasses import dataclass, field

from linpoint.explore.python_control.control_session import MAX_RUN_STEPS
from linpoint.judging.scenario_coverage import ScenarioCoverage
from linpoint.scenarios.concurrent_test import ConcurrentTestDefinition


@dataclass(slots=True)
class ObjectCoverage:
    """The coverage of each started scenario of a test."""

    definition: ConcurrentTestDefinition
    scenarios: list[ScenarioCoverage] = field(default_factory=list)
    complete: bool = False
    """Whether these are all scenarios within the bounds."""

    @property
    def bounded(self) -> int:
        """The number of runs of bounded searches."""
        return sum(each.bounded for each in self.scenarios)

    @property
    def unbounded(self) -> int:
        """The number of runs of all other searches."""
        return sum(each.unbounded for each in self.scenarios)

    @property
    def steps(self) -> int:
        """The number of steps of all runs."""
        return sum(each.steps for each in self.scenarios)

    @property
    def few(self) -> bool:
        """Whether all schedules with few preemptions were explored in every scenario; False without scenarios."""
        return bool(self.scenarios) and all(each.few or each.exhaustive for each in self.scenarios)

    @property
    def exhaustive(self) -> bool:
        """Whether every schedule of every scenario within the bounds was explored."""
        return self.complete and self.few and all(each.exhaustive for each in self.scenarios)

    @property
    def doubt(self) -> str:
        """The reason why a search without a failure is not a pass; empty if it is one."""
        if any(each.diverged is not None for each in self.scenarios):
            return "the code behaves differently when the same schedule runs again"
        if any(each.undecided and each.cut for each in self.scenarios):
            return f"operations did not finish within {MAX_RUN_STEPS:,} steps: they are long or do not terminate"
        if any(each.undecided for each in self.scenarios):
            return "some histories could not be decided in time"
        stuck = self._never_returned()
        if stuck:
            return (
                f"{stuck} blocks forever in every schedule; if it may wait for other operations, mark it blocking=True"
            )
        return ""

    def _never_returned(self) -> str:
        """An operation that never returned in any run, so that the test does not cover it; empty if there is none."""
        returned = {name for each in self.scenarios for name in each.returned}
        stuck = sorted({name for each in self.scenarios for name in each.stuck} - returned)
        return next((name for name in stuck if not self.definition.operations[name].blocking), "")
