# SPDX-License-Identifier: Apache-2.0
"""The certified refutation of a search over frontiers.

Guarantee: a certificate shows which operations may be left out of the history. A search of another kind checks the
remaining operations as far as its allowance permits. Cost: that allowance, a few steps per operation, spent once on
leaving out values and once on that search.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Final

from linpoint.checkers._native_search import Search, StopToken, last_of_refuted, refuted_part
from linpoint.checkers.certify import certify_refuted_start
from linpoint.checkers.history_interpretation import HistoryInterpretation
from linpoint.verdicts.refutation import RefutedStart

_STATES_PER_OPERATION: Final = 2
_LEAST_STATES: Final = 20_000


def certified_start(
    reading: HistoryInterpretation, positions: Sequence[int], search: Search, stop: StopToken
) -> RefutedStart:
    """The refutation of ``positions`` by a search over frontiers that found no order; larger if time runs out."""
    twin = reading.twin
    assert twin is not None
    allowance = _LEAST_STATES + _STATES_PER_OPERATION * len(positions)
    content = twin.content_of_part(positions)
    scope, still_open = refuted_part(reading.columns, positions, search, twin.blueprint, content, allowance, stop)
    start = RefutedStart(last_of_refuted(search), scope, still_open)
    confirmed = certify_refuted_start(reading, positions, start, stop=stop, allowance=allowance)
    return dataclasses.replace(start, confirmed=confirmed)
