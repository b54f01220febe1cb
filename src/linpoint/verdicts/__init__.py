# SPDX-License-Identifier: Apache-2.0
"""Verdicts and results with their evidence, replay tokens, and budgets."""

from linpoint.limits.budget import Budget
from linpoint.verdicts.partial_search import PartialSearch
from linpoint.verdicts.refutation import (
    PATTERNS,
    PRECEDENCE,
    Blocked,
    Link,
    Pattern,
    Precedence,
    Refutation,
    RefutedStart,
    StuckFrontier,
)
from linpoint.verdicts.status import Status
from linpoint.verdicts.verdict import KeyVerdict, Statistics, Verdict
from linpoint.verdicts.witness import Witness

__all__ = [
    "PATTERNS",
    "PRECEDENCE",
    "Blocked",
    "Budget",
    "KeyVerdict",
    "Link",
    "PartialSearch",
    "Pattern",
    "Precedence",
    "Refutation",
    "RefutedStart",
    "Statistics",
    "Status",
    "StuckFrontier",
    "Verdict",
    "Witness",
]
