# SPDX-License-Identifier: Apache-2.0
"""Finds the pattern of a long history's earliest violation, which is explained since later ones may follow from it."""

from __future__ import annotations

import dataclasses
from typing import Final

from linpoint.checkers.check import check
from linpoint.explain.history.claims.whole_object import WholeObject
from linpoint.verdicts import KeyVerdict, Pattern

MAX_BISECTED_OPERATIONS: Final = 20_000
"""In longer histories the pattern of the verdict is explained."""


def earliest_pattern(whole: WholeObject, key: KeyVerdict) -> tuple[KeyVerdict, int | None]:
    """The key with the pattern of its earliest violation, and the operation whose return completed it."""
    if not isinstance(key.refutation, Pattern) or len(whole.positions) > MAX_BISECTED_OPERATIONS:
        return key, None
    last = whole.first_violation()
    left = whole.seconds_left()
    if last is None or left <= 0:
        return key, None
    called, still_open = whole.called_by_return(last)
    verdict = check(whole.variant(called, still_open), whole.spec, condition=whole.condition, budget=left, jobs=1)
    found = verdict.refutation
    if not isinstance(found, Pattern):
        return key, last
    scope = tuple(called[place] for place in found.scope)
    pattern = Pattern(found.reason, tuple(called[place] for place in found.operations), scope)
    return dataclasses.replace(key, refutation=pattern), last
