# SPDX-License-Identifier: Apache-2.0
"""Verdicts with their evidence, and the budgets under which they are found."""

from linpoint.verdicts.budget import Budget
from linpoint.verdicts.reached import Reached
from linpoint.verdicts.refutation import PATTERNS, Blocked, Pattern, Refutation, StuckFrontier
from linpoint.verdicts.verdict import KeyVerdict, Statistics, Status, Verdict
from linpoint.verdicts.witness import Witness

__all__ = [
    "PATTERNS",
    "Blocked",
    "Budget",
    "KeyVerdict",
    "Pattern",
    "Reached",
    "Refutation",
    "Statistics",
    "Status",
    "StuckFrontier",
    "Verdict",
    "Witness",
]
