# SPDX-License-Identifier: Apache-2.0
"""Whether operations that never returned may wait for ever, and whether exceptions are what is wrong with a run.

A blocking operation, such as ``acquire`` of a mutex that is held, has no step in the spec: it waits rightly. Where there
is an order of the others after which no operation that hangs has a step, all is well; where one has, it should have gone
on. Only the order that the check shows is looked at, so for an object whose order decides who may go on, an operation
that waits rightly may be called a deadlock; never the other way round.
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
    """Whether the spec lets every operation of unknown outcome wait, once the others have taken effect."""
    complete = [at for at, op in enumerate(history) if op.outcome is not Outcome.UNKNOWN]
    hanging = [op for op in history if op.outcome is Outcome.UNKNOWN]
    if not hanging:
        return False  # it hangs outside of any operation
    verdict = check(history.select(complete))
    if verdict.status is not Status.LINEARIZABLE or verdict.witness is None:
        return False  # one of them did take effect, and yet did not return
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
        # Under a name of its own: what is unknown stays open, and its process went on.
        process = f"raised {at}"
        op = dataclasses.replace(history[at], process=process, result=None, outcome=Outcome.UNKNOWN, return_=None)
        excused = excused.replace(at, op)
    return excused if raised else None
