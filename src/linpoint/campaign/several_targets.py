# SPDX-License-Identifier: Apache-2.0
"""The campaigns of a command over several targets, which share its time.

Guarantee: each target gets an equal share of the time that is left when its turn comes, so time that one does not need is
for those after it. Ctrl-C ends the campaign that runs, and none is begun after it. Every target has an entry in the report.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

from linpoint.limits.budget import Budget

EntryT = TypeVar("EntryT")

REPORT_TIME_S: Final = 0.5
"""Of the time, for the report."""
MIN_TARGET_TIME_S: Final = 0.1


class CampaignTarget(ABC, Generic[EntryT]):
    """A target that was found and built, so that its campaign can begin."""

    @abstractmethod
    def run(self, seconds: float) -> tuple[EntryT, bool]:
        """Make its campaign; its entry, and whether Ctrl-C ended it."""

    @abstractmethod
    def skipped(self) -> EntryT:
        """Its entry where Ctrl-C came before it was begun."""


@dataclass(frozen=True, slots=True)
class PlannedEntry(Generic[EntryT]):
    """A target without a campaign, such as one that could not be loaded or built."""

    entry: EntryT


def run_targets(
    plan: Sequence[CampaignTarget[EntryT] | PlannedEntry[EntryT]], limits: Budget
) -> tuple[list[EntryT], bool]:
    """The entries of all targets, in their order, and whether Ctrl-C was pressed."""
    left = sum(isinstance(each, CampaignTarget) for each in plan)
    entries: list[EntryT] = []
    interrupted = False
    for each in plan:
        if isinstance(each, PlannedEntry):
            entries.append(each.entry)
        elif interrupted:
            entries.append(each.skipped())
        else:
            entry, interrupted = each.run(_share(limits, left))
            entries.append(entry)
            left -= 1
    return entries, interrupted


def _share(limits: Budget, left: int) -> float:
    """The seconds of the next of ``left`` targets."""
    seconds = limits.remaining()
    if seconds is None:
        return math.inf
    return max(MIN_TARGET_TIME_S, max(seconds / 2, seconds - REPORT_TIME_S) / left)
