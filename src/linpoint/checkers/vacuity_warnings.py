# SPDX-License-Identifier: Apache-2.0
"""Warnings for histories whose verdict is vacuous."""

from __future__ import annotations

from linpoint.histories.history import History
from linpoint.histories.operation import Outcome
from linpoint.specs.spec import Spec


def vacuity_warnings(history: History, spec: Spec, effective: int) -> tuple[str, ...]:
    """The reasons why a pass of this history proves little: only reads, only failures, or no overlap.

    ``effective`` is the number of operations that did not fail.
    """
    ops = history.operations
    if not ops:
        return ("the history has no operations: nothing was tested",)
    if not effective:
        return ("every operation failed: nothing was tested",)
    warnings = []
    if not _changes_the_state(history, spec):
        warnings.append("no operation changed the state: an object that ignores every call would pass")
    if effective > 1 and not history.columns.timed.overlaps():
        warnings.append("no two operations overlap: concurrency was not tested")
    return tuple(warnings)


def _changes_the_state(history: History, spec: Spec) -> bool:
    """Whether an operation that did not fail can change the state."""
    ops, name_at = history.operations, history.columns.timed.name_at
    rules = [spec.step_named(name).reads for name in history.columns.names]
    # One by one: the first operation that changes the state is usually near the start, and the rest need not be
    # created.
    for position in range(len(ops)):
        if rules[name_at(position)] is not True:
            op = ops[position]
            if op.outcome is not Outcome.FAILED and not spec.reads(op):
                return True
    return False
