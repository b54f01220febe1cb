# SPDX-License-Identifier: Apache-2.0
"""The coverage of the searches of a C++ object, and the claim that it supports if there is no failure."""

from __future__ import annotations

from dataclasses import dataclass, field

from linpoint.hosts.search_messages import HostFinding, SearchResult
from linpoint.judging.scenario_coverage import ScenarioCoverage
from linpoint.scenarios.scenario import Scenario
from linpoint.text.phrases import count_noun
from linpoint.verdicts.schedule import FEW_PREEMPTIONS


@dataclass(frozen=True, slots=True)
class ExploredScenario:
    """A scenario and its coverage."""

    scenario: Scenario
    covered: ScenarioCoverage = field(default_factory=ScenarioCoverage)

    @property
    def begun(self) -> bool:
        """Whether any of its schedules was run."""
        return bool(self.covered.unbounded or self.covered.bounded)

    def learn(self, search: str, result: SearchResult) -> HostFinding | None:
        """Add the result of one search; returns the problem of a run, if the search ended with one."""
        covered = self.covered
        covered.steps += result.steps
        covered.cut += result.cut
        self.count(search, result.schedules)
        if search.startswith("bounded"):
            covered.few = covered.few or result.completed >= FEW_PREEMPTIONS
        else:
            covered.exhaustive = covered.exhaustive or (result.ended == "exhausted" and result.exhaustive)
        if result.ended == "lost":
            return HostFinding("crash", f"the test crashed: {result.reason}", lost=True)
        return result.finding

    def count(self, search: str, schedules: int) -> None:
        """Count schedules of a search."""
        if search.startswith("bounded"):
            self.covered.bounded += schedules
        else:
            self.covered.unbounded += schedules


@dataclass(slots=True)
class CppObjectCoverage:
    """The coverage of all scenarios of a test under one memory model."""

    scenarios: list[ExploredScenario] = field(default_factory=list)
    complete: bool = False
    """Whether every scenario within the bounds was started."""
    qualified: dict[str, None] = field(default_factory=dict)
    """The reasons why an end without a failure proves less, as sentences."""
    given_up: str = ""
    """The reason why the search was given up, if it was."""
    peak_memory_bytes: int = 0

    @property
    def open(self) -> list[ExploredScenario]:
        """The scenarios that no search has exhausted."""
        return [each for each in self.scenarios if not each.covered.exhaustive]

    @property
    def begun(self) -> int:
        """The number of scenarios that were started."""
        return sum(each.begun for each in self.scenarios)

    @property
    def bounded(self) -> int:
        """The number of schedules of bounded searches."""
        return sum(each.covered.bounded for each in self.scenarios)

    @property
    def unbounded(self) -> int:
        """The number of schedules of all other searches."""
        return sum(each.covered.unbounded for each in self.scenarios)

    @property
    def steps(self) -> int:
        """The number of steps of all schedules."""
        return sum(each.covered.steps for each in self.scenarios)

    def learn(self, result: SearchResult) -> None:
        """Record the parts of a search result that concern the whole test."""
        self.qualified |= dict.fromkeys(each.rstrip(".") for each in result.qualified)
        if result.ended in ("refused", "error"):
            self.given_up = result.reason or "the host gave no reason"

    def exhaustive(self, *, interrupted: bool) -> bool:
        """Whether every schedule of every scenario within the bounds was explored and judged."""
        whole = self.complete and bool(self.scenarios) and not self.open
        return whole and not self.doubt(interrupted=interrupted)

    def enough(self, *, interrupted: bool) -> bool:
        """Whether all schedules with few preemptions were explored in every started scenario."""
        begun = [each.covered for each in self.scenarios if each.begun]
        whole = bool(begun) and all(each.few or each.exhaustive for each in begun)
        return whole and not self.doubt(interrupted=interrupted)

    def why(self, *, interrupted: bool) -> str:
        """The reason for the verdict without a failure."""
        if self.enough(interrupted=interrupted):
            return "no schedule shows a violation"
        return (
            self.doubt(interrupted=interrupted)
            or f"the budget ended before all schedules with up to {FEW_PREEMPTIONS} preemptions were explored"
        )

    def doubt(self, *, interrupted: bool) -> str:
        """The reason why a search without a failure is not a pass; empty if it is one."""
        if self.given_up:
            return self.given_up
        if interrupted:
            return "the run was interrupted"
        if any(each.covered.undecided for each in self.scenarios):
            return "some histories could not be decided in time"
        cut = sum(each.covered.cut for each in self.scenarios)
        if cut:
            return f"{count_noun(cut, 'run')} did not finish within the step limit"
        if self.qualified:
            return f"no schedule shows a violation, but the result is weaker: {'; '.join(self.qualified)}"
        returned = {name for each in self.scenarios for name in each.covered.returned}
        stuck = sorted({name for each in self.scenarios for name in each.covered.stuck} - returned)
        return f"{stuck[0]} blocks forever in every schedule" if stuck else ""
