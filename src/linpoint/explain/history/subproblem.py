# SPDX-License-Identifier: Apache-2.0
"""The operations that an explanation is looked for among, and what can be asked of them."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Iterator, Sequence
from typing import Final

from linpoint.checkers.certify import select_scope
from linpoint.checkers.stuck_frontier import extend_prefix, stuck_frontier
from linpoint.checkers.subhistory_decider import SubhistoryDecider
from linpoint.explain.history.allowed_results import results_allowed_at
from linpoint.explain.history.explanation import Culprit
from linpoint.explain.history.minimise import MinimalCore
from linpoint.explain.history.reasons import ArgumentStep
from linpoint.histories.history import History
from linpoint.histories.operation import Outcome
from linpoint.specs.spec import Spec
from linpoint.verdicts import Blocked, KeyVerdict, Pattern, StuckFrontier, Verdict

LONG_OPERATIONS: Final = 48
"""Of more operations than these only those of a pattern are looked at, where there is one."""
_MAX_PREFIX_OPERATIONS: Final = 5_000
"""Where more operations were called, nobody looks whether a contradiction was complete by then."""


class Subproblem:
    """The operations that an explanation is looked for among: those of a key, or those of a pattern by themselves."""

    def __init__(
        self, history: History, spec: Spec, positions: Sequence[int], original: Sequence[int] | None = None
    ) -> None:
        self.history = history
        self.spec = spec
        self.positions = positions
        self._original = original

    @classmethod
    def of(cls, verdict: Verdict, key: KeyVerdict) -> Subproblem:
        """All operations of the key, or the few of its pattern, which stand for all the others."""
        pattern = key.refutation
        if not isinstance(pattern, Pattern) or pattern.counted or len(key.positions) <= LONG_OPERATIONS:
            return cls(verdict.history, verdict.spec, key.positions)
        part, spec = select_scope(verdict.history, key.positions, pattern.scope, verdict.spec)
        return cls(part, spec, range(len(part)), pattern.scope)

    @property
    def whole(self) -> bool:
        """Whether these are all operations of the key."""
        return self._original is None

    def restored(self, step: ArgumentStep) -> ArgumentStep:
        """A step with positions of the history that was checked."""
        if self._original is None:
            return step
        before = None if step.before is None else self._original[step.before]
        after = None if step.after is None else self._original[step.after]
        return dataclasses.replace(step, operations=self.back(step.operations), before=before, after=after)

    def back(self, positions: Sequence[int]) -> tuple[int, ...]:
        """Positions in the history that was checked."""
        return tuple(positions) if self._original is None else tuple(self._original[p] for p in positions)


def stuck_among(
    scene: Subproblem, core: Sequence[int], condition: str, key: KeyVerdict, *, seconds: float
) -> StuckFrontier | None:
    """The longest legal order of a core, and who is stuck behind it; what the verdict says where there is no time."""
    known = key.refutation if isinstance(key.refutation, StuckFrontier) else None
    if seconds <= 0:
        return known
    answer = SubhistoryDecider(scene.history, scene.spec, condition).decide(core, seconds=min(seconds, 1.0))
    if answer.found is not False:  # there was no time; a wrong word would be worse than a long one
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


def culprit_among(scene: Subproblem, core: MinimalCore, condition: str, *, deadline: float) -> Culprit | None:
    """The operation with whose return the violation was complete, if another result would have been fine."""
    if len(core.positions) == 1 and not scene.whole:
        return None  # alone it tells nothing of what the others, which are not looked at, would have allowed
    ops = scene.history.operations
    end = None if core.last is None else ops[core.last].end
    by_end = sorted(core.positions, key=lambda p: ops[p].end, reverse=True)
    for position in by_end if end is None else [p for p in by_end if ops[p].end == end]:
        if time.monotonic() >= deadline:
            return None
        allowed, complete = results_allowed_at(
            scene.history, scene.positions, core.positions, scene.spec, condition, position, deadline=deadline
        )
        if allowed:
            return Culprit(scene.back([position])[0], allowed, complete and scene.whole)
    return None


def ends_of_violation(
    scene: Subproblem, positions: Sequence[int], condition: str, deadline: float
) -> Iterator[int | None]:
    """The operations with whose return the violation was complete: surely the last, and early ones that were so.

    What an operation returned may be fine until another is called that contradicts it. With order hints, one that
    returned before another was called contradicts that by its time and its order, whatever it returned.
    """
    if condition == "sequential":  # there a result may be explained by what comes later
        yield None
        return
    ops, skew = scene.history.operations, scene.history.clock_skew
    returned = (position for position in positions if ops[position].outcome is Outcome.OK)
    by_end = sorted(returned, key=lambda position: ops[position].end, reverse=True)
    yield from by_end[:1]
    decider = SubhistoryDecider(scene.history, scene.spec, condition)
    for last in by_end[1:]:
        end = ops[last].end
        called = [position for position in scene.positions if ops[position].call <= end + skew]
        still_open = {position for position in called if ops[position].end > end}
        left = min(deadline - time.monotonic(), 0.5)
        if left <= 0 or len(called) > _MAX_PREFIX_OPERATIONS:
            continue
        if decider.decide(called, seconds=left, relaxed=still_open).found is False:
            yield last
