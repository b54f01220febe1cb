# SPDX-License-Identifier: Apache-2.0
"""Selects the algorithms that decide a part of a history, and gives the reason."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from linpoint.checkers._native_search import Problem
from linpoint.checkers.portfolio import PortfolioAnswer
from linpoint.errors import UsageError
from linpoint.options.choices import CHECKERS
from linpoint.text.phrases import join_words

_MAX_SEARCH_THREADS: Final = 8
FIRST_TURN_REASONS: Final = {
    "wing-gong": "only one order is possible",
    "dfs": "it finished before a second search was started",
    "linear": "it finished before the searches were run in parallel; dfs had taken unusually long",
}
"""The reason for each search that can answer before others join."""


@dataclass(frozen=True, slots=True)
class CheckerSelection:
    """The searches for a part: the first begins, and the others join it if it takes long, or immediately."""

    checker: str
    searches: tuple[str, ...]
    at_once: bool = False
    why_frontier: str = ""
    """The reason why the search over frontiers applies to the part, if it begins."""

    def checker_and_reason(self, answer: PortfolioAnswer) -> tuple[str, str]:
        """The name of the checker that answered, and the reason why it did."""
        if self.checker == "competition":
            return "competition", f"requested; of wing-gong and dfs, {answer.by} finished first"
        if self.checker != "auto":
            return self.checker, "requested"
        if answer.by == "frontier":
            raced = "; it ran in parallel with other searches and finished first" if answer.raced else ""
            return answer.by, self.why_frontier + raced
        if answer.by == "wing-gong" or not answer.raced:
            return answer.by or "dfs", FIRST_TURN_REASONS[answer.by or "dfs"]
        if answer.by == self.searches[0]:
            return answer.by, f"it ran in parallel with {self.searches[1]} and finished first"
        return answer.by, f"it ran in parallel with {self.searches[0]} and finished first"


def validate(checker: str) -> None:
    """Raise a coded error unless a checker of that name exists."""
    if checker not in CHECKERS:
        raise UsageError("LP-U002", f'unknown checker "{checker}".', remedy=f"Use {join_words(CHECKERS, 'or')}.")


def select_checkers(checker: str, problem: Problem, *, threads: int, why_frontier: str = "") -> CheckerSelection:
    """The searches for this problem, which may use ``threads``. ``why_frontier`` is set if one over frontiers fits."""
    # Further depth-first searches gain nothing from shared configurations if an operation settles the state or is
    # optional.
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
