# SPDX-License-Identifier: Apache-2.0
"""Runs the register monitor for buffered durability, which is decided for all keys together.

Guarantee: every answer is certified. An order is replayed era by era, and a separate search decides the operations of a
refutation. Cost: O(n log n); see ``buffered_registers.hpp``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from linpoint.checkers._native_search import Exclusion, Flaw, MonitoredEras, MonitorStatus, StopToken, monitor_eras
from linpoint.checkers.certify import certify_keyed_pattern, refuse
from linpoint.checkers.exact_decision import ExactDecision
from linpoint.checkers.history_interpretation import HistoryInterpretation
from linpoint.checkers.monitor_decider import CONSTRAINED, EXCLUDED, MONITOR, NOT_CONFIRMED, UNDELETED
from linpoint.checkers.native_spec_twin import NativeTwin
from linpoint.histories.values import format_value
from linpoint.verdicts.refutation import Pattern
from linpoint.verdicts.witness import Witness

_KINDS: Final = ("register", "map")
_WHY: Final = "each value is written once, so reads identify the values that survived each crash"
_DUPLICATE: Final = "a value is written more than once, for example by {op}, and a crash may have restored it"


def exclusion_reason(reading: HistoryInterpretation) -> str | None:
    """The reason that excludes the monitor for a whole history; None if it can be run."""
    if reading.spec.twin is None or reading.spec.twin.kind not in _KINDS:
        return f"there is no monitor for {reading.spec.name} under the condition {reading.condition}"
    return None


def decide_eras(
    reading: HistoryInterpretation, positions: Sequence[int], stop: StopToken, seconds: float | None
) -> ExactDecision | None:
    """Run the monitor on all keys; None if it was stopped. ``seconds`` limits the search that confirms a violation."""
    twin = NativeTwin.of(reading.history, reading.spec)
    if twin is None:
        return ExactDecision(MONITOR, EXCLUDED[Exclusion.OPERATION].format(spec=reading.spec.name, op="append"))
    keys = reading.members_by_key()
    contents = [twin.content(members) for members in keys]
    found = monitor_eras(reading.columns, positions, keys, contents, twin.blueprint, stop)
    match found.status:
        case MonitorStatus.LINEARIZABLE:
            return _ordered(reading, found, twin)
        case MonitorStatus.VIOLATION:
            pattern = Pattern(found.reason.name.lower().replace("_", "-"), tuple(found.scope), found.scope)
            if not certify_keyed_pattern(reading, keys, twin, pattern, seconds=seconds):
                return ExactDecision(MONITOR, NOT_CONFIRMED)
            return ExactDecision(MONITOR, _WHY, refutation=pattern)
    if found.exclusion is Exclusion.STOPPED:
        return None
    words = _DUPLICATE if found.exclusion is Exclusion.DUPLICATE else EXCLUDED[found.exclusion]
    op = format_value(None) if found.culprit < 0 else str(reading.history.operations[found.culprit])
    return ExactDecision(MONITOR, words.format(spec=reading.spec.name, op=op))


def _ordered(reading: HistoryInterpretation, found: MonitoredEras, twin: NativeTwin) -> ExactDecision:
    flaw, position = found.flaw
    if flaw is Flaw.REJECTED and twin.kind == "map":
        return ExactDecision(MONITOR, UNDELETED)
    if flaw not in (Flaw.NONE, Flaw.REJECTED) and found.constrained:
        return ExactDecision(MONITOR, CONSTRAINED)
    refuse(reading.history, flaw, position)
    witness = Witness(tuple(found.order), tuple(found.survivors) or None, tuple(found.eras) or None)
    return ExactDecision(MONITOR, _WHY, witness=witness)
