# SPDX-License-Identifier: Apache-2.0
"""Runs the native monitors, and gives the reason why one applies or the reason that excludes it.

Guarantee: every answer is certified. An order is replayed, and a separate search decides the operations of a
refutation. Cost: O(n log n); see ``monitor.hpp``.
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
    "register": "each read matches at most one write",
    "map": "each read matches at most one write",
    "queue": "values are distinct or matched by time",
    "stack": "values are distinct or matched by time",
    "priority-queue": "values are distinct or matched by time",
    "set": "each element alternates between present and absent",
    "mutex": "the lock alternates between held and free",
    "counter": "all steps are equal and all reads exact",
    "fetch-add": "each operation must return its own count",
}

EXCLUDED: Final = {
    Exclusion.KIND: "there is no monitor for {spec}",
    Exclusion.OPERATION: "the monitor for {spec} does not support {op}",
    Exclusion.RESULT: "the result of {op} was not observed, or the spec never gives it",
    Exclusion.DUPLICATE: "a value occurs more than once, and times do not identify the occurrence",
    Exclusion.NULL: "null is stored, which cannot be distinguished from absence",
    Exclusion.CAPACITY: "the queue has a capacity and can be full",
    Exclusion.AMOUNTS: "the steps of the counter differ ({op})",
    Exclusion.CUT_OFF: "{op} was interrupted by a crash and may have taken effect before it or not at all",
    Exclusion.UNKNOWN_REMOVALS: "removals with an unknown outcome, such as {op}, leave too many cases",
    Exclusion.FAILED_COMPARE: "an operation that observed a different value does not fit into the order that was found",
    Exclusion.SPANS_CRASH: "{op} may have taken effect before or after a crash of the object",
}
_UNMONITORED: Final = ("deque", "semaphore", "multiset")
CONSTRAINED: Final = (
    "constraints other than times apply (order values, clock skew, touching operations), and the order violates one"
)
UNDELETED: Final = "the order that was found deletes an absent entry"
NOT_CONFIRMED: Final = "the monitor found a violation, but the time did not suffice to confirm it by a search"


def exclusion_reason(reading: HistoryInterpretation) -> str | None:
    """The reason that excludes monitors for a whole history; None if they can be run."""
    if reading.condition in NOT_LOCAL:
        return f"monitors do not support the condition {reading.condition}"
    if reading.twin is None or reading.twin.kind in _UNMONITORED:
        return EXCLUDED[Exclusion.KIND].format(spec=reading.spec.name)
    return None


def decide_by_monitor(
    reading: HistoryInterpretation, positions: Sequence[int], stop: StopToken, seconds: float | None
) -> ExactDecision | None:
    """Run the monitor on one object; None if stopped. ``seconds`` limits the search that confirms a violation."""
    twin = reading.twin
    assert twin is not None
    found = monitor(reading.columns, positions, twin.content(positions), twin.blueprint, reading.native_condition, stop)
    match found.status:
        case MonitorStatus.LINEARIZABLE:
            return _ordered(reading, found, twin.kind)
        case MonitorStatus.VIOLATION:
            return _refuted(reading, positions, found, twin.kind, seconds)
    return (
        None
        if found.exclusion is Exclusion.STOPPED
        else ExactDecision(MONITOR, exclusion_text(reading.history, reading.spec, found.exclusion, found.culprit))
    )


def _ordered(reading: HistoryInterpretation, found: Monitored, kind: str) -> ExactDecision:
    flaw, position = found.flaw
    if flaw is Flaw.REJECTED and found.relaxed:
        return ExactDecision(MONITOR, UNDELETED)
    if flaw not in (Flaw.NONE, Flaw.REJECTED) and found.constrained:
        return ExactDecision(MONITOR, CONSTRAINED)
    refuse(reading.history, flaw, position)
    return ExactDecision(MONITOR, MONITOR_REASONS[kind], witness=Witness(found.order))


def _refuted(
    reading: HistoryInterpretation, positions: Sequence[int], found: Monitored, kind: str, seconds: float | None
) -> ExactDecision:
    pattern = Pattern(found.reason.name.lower().replace("_", "-"), tuple(found.evidence), found.scope)
    if not certify_pattern(reading, positions, pattern, seconds=seconds):
        return ExactDecision(MONITOR, NOT_CONFIRMED)
    return ExactDecision(MONITOR, MONITOR_REASONS[kind], refutation=pattern)


def exclusion_text(history: History, spec: Spec, exclusion: Exclusion, culprit: int) -> str:
    """The reason that excludes the monitor, as text."""
    text = EXCLUDED[exclusion]
    if "{op}" not in text:  # formatting an operation takes longer than many checks
        return text.format(spec=spec.name)
    op = format_value(None) if culprit < 0 else str(history.operations[culprit])
    return text.format(spec=spec.name, op=op)
