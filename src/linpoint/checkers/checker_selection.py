# SPDX-License-Identifier: Apache-2.0
"""Which algorithms decide a part of a history, and why."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from linpoint.checkers._native_search import Problem
from linpoint.checkers.portfolio import PortfolioAnswer
from linpoint.errors import UsageError
from linpoint.options.choices import CHECKERS

_MAX_SEARCH_THREADS: Final = 8
FIRST_TURN_REASONS: Final = {
    "wing-gong": "there is only one order to try",
    "dfs": "it had the answer before another search was worth starting",
    "linear": "dfs took longer than most such histories do, and this search answered before a race was worth starting",
}
"""Why a search was the one that answered, where it had no rival."""


@dataclass(frozen=True, slots=True)
class CheckerSelection:
    """The searches for a part: the first begins, the others join it if it takes long (or at once)."""

    checker: str
    searches: tuple[str, ...]
    at_once: bool = False
    why_frontier: str = ""
    """Why the search over frontiers decides the part, if it begins."""

    def checker_and_reason(self, answer: PortfolioAnswer) -> tuple[str, str]:
        """The name of the checker that answered, and why it was that one."""
        if self.checker == "competition":
            return "competition", f"asked for: wing-gong against dfs, and {answer.by} answered first"
        if self.checker != "auto":
            return self.checker, "asked for"
        if answer.by == "frontier":
            raced = "; it took long, so others were raced against it, but it answered first" if answer.raced else ""
            return answer.by, self.why_frontier + raced
        if answer.by == "wing-gong" or not answer.raced:
            return answer.by or "dfs", FIRST_TURN_REASONS[answer.by or "dfs"]
        if answer.by == self.searches[0]:
            return answer.by, f"it took long, so {self.searches[1]} was raced against it, but it answered first"
        return answer.by, f"{self.searches[0]} took long, so it was raced against that, and it answered first"


def validate(checker: str) -> None:
    """A coded error unless there is a checker of that name."""
    if checker not in CHECKERS:
        raise UsageError("LP-U002", f'there is no checker "{checker}".', remedy=f"Use {', '.join(CHECKERS)}.")


def select_checkers(checker: str, problem: Problem, *, threads: int, why_frontier: str = "") -> CheckerSelection:
    """The searches for this problem, which may have ``threads`` to itself. ``why_frontier``: one over frontiers applies."""
    # A walker behind a settled moment would only repeat what is decided.
    walkers = max(1, min(threads, _MAX_SEARCH_THREADS)) if problem.shareable else 1
    match checker:
        case "auto":
            if problem.one_at_a_time:
                return CheckerSelection(checker, ("wing-gong",))
            if why_frontier:
                return CheckerSelection(checker, ("frontier", "linear", "dfs"), why_frontier=why_frontier)
            return CheckerSelection(checker, ("dfs", "linear", *("dfs",) * max(0, walkers - 2)))
        case "competition":
            return CheckerSelection(checker, ("wing-gong", "dfs"), at_once=True)
        case "dfs":
            return CheckerSelection(checker, ("dfs",) * walkers)
        case _:
            return CheckerSelection(checker, (checker,))
