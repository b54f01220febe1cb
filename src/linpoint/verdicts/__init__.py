# SPDX-License-Identifier: Apache-2.0
"""Verdicts with their evidence, and the budgets under which they are found."""

from linpoint.verdicts.budget import Budget
from linpoint.verdicts.reached import Reached
from linpoint.verdicts.refutation import (
    PATTERNS,
    PRECEDENCE,
    Blocked,
    Link,
    Pattern,
    Precedence,
    Refutation,
    StuckFrontier,
)
from linpoint.verdicts.verdict import KeyVerdict, Statistics, Status, Verdict
from linpoint.verdicts.witness import Witness

__all__ = [
    "PATTERNS",
    "PRECEDENCE",
    "Blocked",
    "Budget",
    "KeyVerdict",
    "Link",
    "Pattern",
    "Precedence",
    "Reached",
    "Refutation",
    "Statistics",
    "Status",
    "StuckFrontier",
    "Verdict",
    "Witness",
]
