# SPDX-License-Identifier: Apache-2.0
"""Warnings for histories whose verdict is vacuous."""

from __future__ import annotations

from linpoint.histories.history import History
from linpoint.histories.operation import Outcome
from linpoint.specs.spec import Spec


def vacuity_warnings(history: History, spec: Spec, effective: int) -> tuple[str, ...]:
    """Why a pass of this history proves little: only reads, only failures, or no overlap.

    ``effective`` is how many operations did not fail.
    """
    ops = history.operations
    if not ops:
        return ("the history has no operations: nothing was tested",)
    if not effective:
        return ("every operation failed: nothing was tested",)
    warnings = []
    # One by one: the first that changes something is near the start, and the others need not be made for this.
    each = map(ops.__getitem__, range(len(ops)))
    if all(spec.reads(op) for op in each if op.outcome is not Outcome.FAILED):
        warnings.append("no operation changed the state: an object that ignores every call would pass")
    if effective > 1 and not history.columns.timed.overlaps():
        warnings.append("no two operations overlap: concurrency was not tested")
    return tuple(warnings)
