# SPDX-License-Identifier: Apache-2.0
"""Which algorithm decides a part of a history, and why."""

from __future__ import annotations

from typing import Final

from linpoint.checkers.conditions import Problem
from linpoint.errors import UsageError

CHECKERS: Final = ("auto", "wing-gong", "dfs", "brute-force")


def validate(checker: str) -> None:
    """A coded error unless there is a checker of that name."""
    if checker not in CHECKERS:
        raise UsageError("LP-U002", f'there is no checker "{checker}".', remedy=f"Use {', '.join(CHECKERS)}.")


def select(checker: str, problem: Problem) -> tuple[str, str]:
    """The algorithm for this problem and the reason for it."""
    if checker != "auto":
        return checker, "asked for"
    if _one_at_a_time(problem):
        return "wing-gong", "there is only one order to try"
    return "dfs", "there is more than one order to try; the search remembers where it has been"


def _one_at_a_time(problem: Problem) -> bool:
    """Whether each operation returned before the next one called: then every search walks one line."""
    returns = problem.returns
    return all(returns[index] < call for index, call in enumerate(problem.calls[1:]))
