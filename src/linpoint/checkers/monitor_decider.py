# SPDX-License-Identifier: Apache-2.0
"""Asking the native monitors, and saying in words why one applies or what excludes it.

Guarantee: an answer is certified: an order is replayed, the operations of a refutation are searched by themselves.
Cost: O(n log n); see ``monitor.hpp``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from linpoint.checkers._native_search import Exclusion, Flaw, Monitored, MonitorStatus, StopToken, monitor
from linpoint.checkers.certify import certify_pattern, refuse
from linpoint.checkers.conditions import NOT_LOCAL
from linpoint.checkers.exact_decision import ExactDecision
from linpoint.checkers.history_interpretation import HistoryInterpretation
from linpoint.histories.history import History
from linpoint.histories.values import format_value
from linpoint.specs.spec import Spec
from linpoint.verdicts.refutation import Pattern
from linpoint.verdicts.witness import Witness

MONITOR: Final = "monitor"
MONITOR_REASONS: Final = {
    "register": "the zones of values decide a register when reads can be traced to writes",
    "map": "the zones of values decide an entry when reads can be traced to writes",
    "queue": "a queue is decided by the order in which values enter and leave, each value told apart",
    "stack": "a stack is decided by nesting the stays of values, each value told apart",
    "priority-queue": "a priority queue is decided by the stays of larger values, each value told apart",
    "set": "elements of a set turn on and off, which is decided in one pass",
    "mutex": "a lock turns on and off, which is decided in one pass",
    "counter": "equal steps and exact reads are decided in one pass",
    "fetch-add": "everyone is given a count of its own, which orders them",
}

EXCLUDED: Final = {
    Exclusion.KIND: "there is no monitor for {spec}",
    Exclusion.OPERATION: "the monitor for {spec} does not know {op}",
    Exclusion.RESULT: "the result of {op} was not observed, or is one that the spec never gives",
    Exclusion.DUPLICATE: "a value occurs more than once, and times do not tell which is meant",
    Exclusion.NULL: "null is stored, which cannot be told from nothing",
    Exclusion.CAPACITY: "the queue can be full",
    Exclusion.AMOUNTS: "not all steps of the counter are the same ({op})",
    Exclusion.CUT_OFF: "{op} was cut off by a crash, and may have happened before it or not at all",
    Exclusion.UNKNOWN_REMOVALS: "removals with an unknown outcome, such as {op}, leave too many ways",
    Exclusion.FAILED_COMPARE: "an operation that saw another value finds no place in the order that was found",
    Exclusion.SPANS_CRASH: "{op} may have taken effect before or after a crash of the object",
}
_UNMONITORED: Final = ("deque", "semaphore", "multiset")
CONSTRAINED: Final = "more than times is to be respected (hints, clocks, touching operations), and the order breaks it"
UNDELETED: Final = "the order that was found deletes an entry that is not there"
NOT_CONFIRMED: Final = "the monitor found a violation, but there was no time to confirm it by a search"


def exclusion_reason(reading: HistoryInterpretation) -> str | None:
    """What excludes monitors for a whole history, in words; None if they may be asked."""
    if reading.condition in NOT_LOCAL:
        return f"monitors do not decide the condition {reading.condition}"
    if reading.twin is None or reading.twin.kind in _UNMONITORED:
        return EXCLUDED[Exclusion.KIND].format(spec=reading.spec.name)
    return None


def decide_by_monitor(
    reading: HistoryInterpretation, positions: Sequence[int], stop: StopToken, seconds: float | None
) -> ExactDecision | None:
    """Ask the monitor for one object; None if it was stopped. ``seconds`` limits the search that confirms a violation."""
    twin = reading.twin
    assert twin is not None
    said = monitor(reading.columns, positions, twin.content(positions), twin.blueprint, reading.native_condition, stop)
    match said.status:
        case MonitorStatus.LINEARIZABLE:
            return _ordered(reading, said, twin.kind)
        case MonitorStatus.VIOLATION:
            return _refuted(reading, positions, said, twin.kind, seconds)
    return (
        None
        if said.exclusion is Exclusion.STOPPED
        else ExactDecision(MONITOR, exclusion_text(reading.history, reading.spec, said.exclusion, said.culprit))
    )


def _ordered(reading: HistoryInterpretation, said: Monitored, kind: str) -> ExactDecision:
    flaw, position = said.flaw
    if flaw is Flaw.REJECTED and said.relaxed:
        return ExactDecision(MONITOR, UNDELETED)
    if flaw not in (Flaw.NONE, Flaw.REJECTED) and said.constrained:
        return ExactDecision(MONITOR, CONSTRAINED)
    refuse(reading.history, flaw, position)
    return ExactDecision(MONITOR, MONITOR_REASONS[kind], witness=Witness(said.order))


def _refuted(
    reading: HistoryInterpretation, positions: Sequence[int], said: Monitored, kind: str, seconds: float | None
) -> ExactDecision:
    pattern = Pattern(said.reason.name.lower().replace("_", "-"), tuple(said.telling), said.scope)
    if not certify_pattern(reading, positions, pattern, seconds=seconds):
        return ExactDecision(MONITOR, NOT_CONFIRMED)
    return ExactDecision(MONITOR, MONITOR_REASONS[kind], refutation=pattern)


def exclusion_text(history: History, spec: Spec, exclusion: Exclusion, culprit: int) -> str:
    """What excludes the monitor, in words."""
    text = EXCLUDED[exclusion]
    if "{op}" not in text:  # an operation in words takes longer than many a check
        return text.format(spec=spec.name)
    op = format_value(None) if culprit < 0 else str(history.operations[culprit])
    return text.format(spec=spec.name, op=op)
