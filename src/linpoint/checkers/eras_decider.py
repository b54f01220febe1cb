# SPDX-License-Identifier: Apache-2.0
"""Decides buffered durability object by object and era by era, for objects of any spec.

Guarantee: an order is certified by the definition of the condition; a refutation rests on the exhaustive search. Cost:
exponential only in the number of operations on one object that are open concurrently; see ``era_search.hpp``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from linpoint.checkers._native_search import EraAnswer, StopToken, search_eras
from linpoint.checkers.certify import certify_witness
from linpoint.checkers.conditions import BUFFERED
from linpoint.checkers.exact_decision import ExactDecision
from linpoint.checkers.history_interpretation import HistoryInterpretation
from linpoint.verdicts.refutation import StuckFrontier
from linpoint.verdicts.witness import Witness

ERAS: Final = "eras"
_WHY: Final = "each object is decided alone, era by era, for each point at which its state can have been saved"
_NOT_BUFFERED: Final = "it supports the condition buffered-durable only"
_CONSTRAINED: Final = "constraints other than times apply (order values, clock skew, touching operations)"
_TOO_WIDE: Final = "more than 64 operations of one object are open at a time, or span a crash in too many ways"


def exclusion_reason(reading: HistoryInterpretation) -> str | None:
    """The reason that excludes the decision era by era for a whole history; None if it can be run."""
    return None if reading.condition == BUFFERED else _NOT_BUFFERED


def decide_by_eras(reading: HistoryInterpretation, positions: Sequence[int], stop: StopToken) -> ExactDecision | None:
    """Decide all objects of a history; None if the search was stopped."""
    local = HistoryInterpretation(reading.history, reading.spec, "durable", divided=False)
    keys = reading.members_by_key()
    found = search_eras(
        reading.columns,
        positions,
        keys,
        [local.initial(members) for members in keys],
        local.alphabet,
        local.machine,
        reading.spec.key_argument,
        stop,
    )
    if local.error is not None:
        raise local.error
    if found.constrained:
        return ExactDecision(ERAS, _CONSTRAINED)
    match found.answer:
        case EraAnswer.FOUND:
            witness = Witness(tuple(found.order), tuple(found.survivors) or None, tuple(found.eras) or None)
            certify_witness(reading.history, positions, reading.spec, reading.condition, witness, reading=reading)
            return ExactDecision(ERAS, _WHY, witness=witness, configurations=found.configurations)
        case EraAnswer.REFUTED:
            stuck = StuckFrontier((), ())
            return ExactDecision(ERAS, _WHY, refutation=stuck, configurations=found.configurations)
        case EraAnswer.EXCLUDED:
            return ExactDecision(ERAS, _TOO_WIDE)
    return None
