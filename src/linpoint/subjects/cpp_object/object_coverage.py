# SPDX-License-Identifier: Apache-2.0
"""What the searches of a C++ object have covered, and what that proves without a failure."""

from __future__ import annotations

from dataclasses import dataclass, field

from linpoint.hosts.search_messages import HostFinding, SearchResult
from linpoint.judging.scenario_coverage import ScenarioCoverage
from linpoint.scenarios.scenario import Scenario
from linpoint.text.phrases import count_noun
from linpoint.verdicts.schedule import FEW_PREEMPTIONS


@dataclass(frozen=True, slots=True)
class ExploredScenario:
    """A scenario, and what was explored of it."""

    scenario: Scenario
    covered: ScenarioCoverage = field(default_factory=ScenarioCoverage)

    @property
    def begun(self) -> bool:
        """Whether any schedule of it was run."""
        return bool(self.covered.unbounded or self.covered.bounded)

    def learn(self, search: str, result: SearchResult) -> HostFinding | None:
        """Count what one search came to; the problem of a run, if it ended with one."""
        covered = self.covered
        covered.steps += result.steps
        covered.cut += result.cut
        self.count(search, result.schedules)
        if search.startswith("bounded"):
            covered.few = covered.few or result.completed >= FEW_PREEMPTIONS
        else:
            covered.exhaustive = covered.exhaustive or (result.ended == "exhausted" and result.exhaustive)
        if result.ended == "lost":
            return HostFinding("crash", f"the test took its process with it: {result.reason}", lost=True)
        return result.finding

    def count(self, search: str, schedules: int) -> None:
        """Count schedules of a search."""
        if search.startswith("bounded"):
            self.covered.bounded += schedules
        else:
            self.covered.unbounded += schedules


@dataclass(slots=True)
class CppObjectCoverage:
    """What was explored of all scenarios of a test under one memory model."""

    scenarios: list[ExploredScenario] = field(default_factory=list)
    complete: bool = False
    """Every scenario within the bounds was begun."""
    qualified: dict[str, None] = field(default_factory=dict)
    """Sentences that say why a clean end proves less."""
    given_up: str = ""
    """Why nothing more can be found out, which ended the search."""
    peak_memory_bytes: int = 0

    @property
    def open(self) -> list[ExploredScenario]:
        """The scenarios that no search has exhausted."""
        return [each for each in self.scenarios if not each.covered.exhaustive]

    @property
    def begun(self) -> int:
        """The number of scenarios that were begun."""
        return sum(each.begun for each in self.scenarios)

    @property
    def bounded(self) -> int:
        """Schedules of bounded searches."""
        return sum(each.covered.bounded for each in self.scenarios)

    @property
    def unbounded(self) -> int:
        """Schedules of all other searches."""
        return sum(each.covered.unbounded for each in self.scenarios)

    @property
    def steps(self) -> int:
        """Steps of all schedules."""
        return sum(each.covered.steps for each in self.scenarios)

    def learn(self, result: SearchResult) -> None:
        """Note what the result of a search says of the whole test."""
        self.qualified |= dict.fromkeys(each.rstrip(".") for each in result.qualified)
        if result.ended in ("refused", "error"):
            self.given_up = result.reason or "the host gives no reason"

    def exhaustive(self, *, interrupted: bool) -> bool:
        """Whether every schedule of every scenario within the bounds was explored and judged."""
        whole = self.complete and bool(self.scenarios) and not self.open
        return whole and not self.doubt(interrupted=interrupted)

    def enough(self, *, interrupted: bool) -> bool:
        """Whether every scenario that was begun had all its schedules with few preemptions."""
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
        """What keeps a search without a failure from being a pass."""
        if self.given_up:
            return self.given_up
        if interrupted:
            return "the run was interrupted"
        if any(each.covered.undecided for each in self.scenarios):
            return "some histories could not be decided in time"
        cut = sum(each.covered.cut for each in self.scenarios)
        if cut:
            return f"{count_noun(cut, 'run')} had no end after very many steps"
        if self.qualified:
            return f"no schedule shows a violation, but that proves less: {'; '.join(self.qualified)}"
        returned = {name for each in self.scenarios for name in each.covered.returned}
        stuck = sorted({name for each in self.scenarios for name in each.covered.stuck} - returned)
        return f"{stuck[0]} waits for ever in every schedule" if stuck else ""
