# SPDX-License-Identifier: Apache-2.0
"""Warnings for histories that test nothing, whatever their verdict."""

from __future__ import annotations

from linpoint.histories.history import History
from linpoint.histories.operation import Outcome
from linpoint.specs.protocol import Spec


def warnings_of(history: History, spec: Spec) -> tuple[str, ...]:
    """Why a pass of this history would say little: nothing but reads, everything failed, no overlap at all."""
    ops = history.operations
    if not ops:
        return ("the history has no operations: nothing was tested",)
    effective = [op for op in ops if op.outcome is not Outcome.FAILED]
    if not effective:
        return ("every operation failed: nothing was tested",)
    warnings = []
    if all(map(spec.reads, effective)):
        warnings.append("no operation changed anything: an object that ignores all calls would pass")
    if len(effective) > 1 and not _overlap(history):
        warnings.append("no two operations overlap: concurrency was not tested")
    return tuple(warnings)


def _overlap(history: History) -> bool:
    """Whether any two operations that may have had an effect were open at the same time."""
    open_until = float("-inf")
    owner = None
    ops = [op for op in history.operations if op.outcome is not Outcome.FAILED]
    for op in sorted(ops, key=lambda op: op.call):
        if op.call < open_until or (op.call == open_until and op.process != owner):
            return True
        if op.end >= open_until:
            open_until, owner = op.end, op.process
    return False
