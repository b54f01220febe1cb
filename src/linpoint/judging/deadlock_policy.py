# SPDX-License-Identifier: Apache-2.0
"""Whether operations that never returned may block forever, and whether exceptions explain the failure of a run.

A blocking operation, such as ``acquire`` of a held mutex, has no step in the spec: it blocks rightly. If an order of
the other operations leaves no hanging operation a step, the run is correct; otherwise one should have proceeded. Only
the witness order of the check is examined. So where the order decides which operation may proceed, an operation that
blocks rightly may be reported as a deadlock; never the other way round.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping

from linpoint.histories.history import History
from linpoint.histories.operation import Outcome
from linpoint.histories.values import canonical
from linpoint.specs.spec import Spec
from linpoint.verdicts import Status, Verdict


def may_wait_forever(history: History, spec: Spec, check: Callable[[History], Verdict]) -> bool:
    """Whether the spec lets every operation of unknown outcome block, once the others have taken effect."""
    complete = [at for at, op in enumerate(history) if op.outcome is not Outcome.UNKNOWN]
    hanging = [op for op in history if op.outcome is Outcome.UNKNOWN]
    if not hanging:
        return False  # it hangs outside of any operation
    verdict = check(history.select(complete))
    if verdict.status is not Status.LINEARIZABLE or verdict.witness is None:
        return False  # one of them took effect and did not return
    states = {canonical(spec.initial): spec.initial}
    for at in verdict.witness.order:
        op = verdict.history[at]
        after = [state for each in states.values() for state in spec.successors(each, op)]
        states = {canonical(state): state for state in after}
    return any(not any(spec.outcomes(state, op) for op in hanging) for state in states.values())


def without_exceptions(history: History) -> History | None:
    """The history with an unknown outcome for each operation that raised; None if none did."""
    raised = [at for at, op in enumerate(history) if isinstance(op.result, Mapping) and set(op.result) == {"raises"}]
    excused = history
    for at in raised:
        # In a separate process: an operation of unknown outcome stays open, but its process continued.
        process = f"raised {at}"
        op = dataclasses.replace(history[at], process=process, result=None, outcome=Outcome.UNKNOWN, return_=None)
        excused = excused.replace(at, op)
    return excused if raised else None
