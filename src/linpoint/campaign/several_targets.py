# SPDX-License-Identifier: Apache-2.0
"""Runs the campaigns of a command with several targets, which share its time.

Guarantee: each target gets an equal share of the remaining time, so unused time passes to later targets. Ctrl-C ends
the running campaign, and no further one starts. Every target has an entry in the report.
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
"""The time that is reserved for the report."""
MIN_TARGET_TIME_S: Final = 0.1


class CampaignTarget(ABC, Generic[EntryT]):
    """A built target, whose campaign can start."""

    @abstractmethod
    def run(self, seconds: float) -> tuple[EntryT, bool]:
        """Run its campaign; returns its entry, and whether Ctrl-C ended it."""

    @abstractmethod
    def skipped(self) -> EntryT:
        """Its entry if Ctrl-C came before its campaign."""


@dataclass(frozen=True, slots=True)
class PlannedEntry(Generic[EntryT]):
    """A target without a campaign, such as one that could not be loaded or built."""

    entry: EntryT


def run_targets(
    plan: Sequence[CampaignTarget[EntryT] | PlannedEntry[EntryT]], limits: Budget
) -> tuple[list[EntryT], bool]:
    """Run all targets in order; returns their entries, and whether Ctrl-C was pressed."""
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
    """The seconds for the next target if ``left`` targets remain."""
    seconds = limits.remaining()
    if seconds is None:
        return math.inf
    return max(MIN_TARGET_TIME_S, max(seconds / 2, seconds - REPORT_TIME_S) / left)
