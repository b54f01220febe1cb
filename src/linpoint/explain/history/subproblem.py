# SPDX-License-Identifier: Apache-2.0
"""The operations among which an explanation is searched."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Final

from linpoint.checkers.certify import select_scope
from linpoint.checkers.stuck_frontier import extend_prefix, stuck_frontier
from linpoint.checkers.subhistory_decider import SubhistoryDecider
from linpoint.explain.history.reasons import ArgumentStep
from linpoint.histories.history import History
from linpoint.specs.spec import Spec
from linpoint.verdicts import Blocked, KeyVerdict, Pattern, StuckFrontier, Verdict

LONG_OPERATIONS: Final = 48
"""With more operations, only those of a pattern are considered, if there is one."""


class Subproblem:
    """The operations among which an explanation is searched: those of a key, or those of a pattern alone."""

    def __init__(
        self, history: History, spec: Spec, positions: Sequence[int], original: Sequence[int] | None = None
    ) -> None:
        self.history = history
        self.spec = spec
        self.positions = positions
        self.original = original
        """The positions of these operations in the checked history; None if these are all operations of the key."""

    @classmethod
    def of(cls, verdict: Verdict, key: KeyVerdict) -> Subproblem:
        """All operations of the key, or only those of its pattern, which prove the violation of the whole."""
        pattern = key.refutation
        if not isinstance(pattern, Pattern) or pattern.counted or len(key.positions) <= LONG_OPERATIONS:
            return cls(verdict.history, verdict.spec, key.positions)
        part, spec = select_scope(verdict.history, key.positions, pattern.scope, verdict.spec)
        return cls(part, spec, range(len(part)), pattern.scope)

    @property
    def whole(self) -> bool:
        """Whether these are all operations of the key."""
        return self.original is None

    def restored(self, step: ArgumentStep) -> ArgumentStep:
        """A step with positions of the checked history."""
        if self.original is None:
            return step
        before = None if step.before is None else self.original[step.before]
        after = None if step.after is None else self.original[step.after]
        return dataclasses.replace(step, operations=self.back(step.operations), before=before, after=after)

    def back(self, positions: Sequence[int]) -> tuple[int, ...]:
        """Positions in the checked history."""
        return tuple(positions) if self.original is None else tuple(self.original[p] for p in positions)


def stuck_among(
    scene: Subproblem, core: Sequence[int], condition: str, key: KeyVerdict, *, seconds: float
) -> StuckFrontier | None:
    """A longest legal order of a core and the operations that cannot follow; the verdict's own one if time runs out."""
    known = key.refutation if isinstance(key.refutation, StuckFrontier) else None
    if seconds <= 0:
        return known
    answer = SubhistoryDecider(scene.history, scene.spec, condition).decide(core, seconds=min(seconds, 1.0))
    if answer.found is not False:  # time ran out; a long explanation is better than a wrong one
        return known
    prefix = answer.witness.order
    if len(core) <= LONG_OPERATIONS:
        prefix = extend_prefix(scene.history, core, scene.spec, condition, prefix)
    stuck = stuck_frontier(scene.history, core, scene.spec, condition, prefix)
    if scene.whole:
        return stuck
    return StuckFrontier(
        scene.back(stuck.prefix), tuple(Blocked(scene.back([each.position])[0], each.allowed) for each in stuck.blocked)
    )
