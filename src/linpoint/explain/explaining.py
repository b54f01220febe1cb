# SPDX-License-Identifier: Apache-2.0
"""Making an explanation: minimise, find what could have been, put it into words."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Iterator, Sequence
from typing import Any, Final

from linpoint.checkers.certify import scoped
from linpoint.checkers.frontier import extended, stuck_frontier
from linpoint.checkers.search.decider import Decider
from linpoint.explain.allowed import allowed_in_place
from linpoint.explain.explanation import Culprit, Explanation
from linpoint.explain.initial import other_initial
from linpoint.explain.minimise import Core, minimise
from linpoint.explain.picture import picture
from linpoint.explain.text import in_words
from linpoint.histories.history import History
from linpoint.histories.operation import Outcome
from linpoint.specs.protocol import Spec
from linpoint.verdicts import Blocked, KeyVerdict, Pattern, Precedence, Status, StuckFrontier, Verdict

DEFAULT_SECONDS: Final = 10.0
_LONG: Final = 48
"""Of more operations than these only those of a pattern are looked at, where there is one."""
_SHORT: Final = 5_000
"""Where more operations were called, nobody looks whether a contradiction was complete by then."""
_LONGEST: Final = 20_000
"""In longer histories no other first value is looked for."""


def explain(verdict: Verdict, *, seconds: float = DEFAULT_SECONDS) -> Explanation:
    """Explain a verdict. ``seconds`` limits the work of minimising; the explanation is true with any limit."""
    explanation = _explain(verdict, seconds)
    return dataclasses.replace(explanation, text=in_words(explanation))


def unexplained(verdict: Verdict) -> Explanation:
    """What can be said without asking the spec again: the evidence of the verdict itself."""
    bad = [key for key in verdict.keys if key.status is Status.VIOLATION]
    if not bad:
        explanation = Explanation(verdict)
    else:
        pattern, stuck = _evidence(bad[0])
        precedence = _precedence(bad[0])
        core = tuple(bad[0].positions if pattern is None else pattern.scope)
        if precedence is not None:
            core = precedence.operations
        explanation = Explanation(
            verdict,
            bad[0].key,
            core,
            core,
            pattern=pattern,
            precedence=precedence,
            stuck=stuck,
            others=tuple(bad[1:]),
        )
    return dataclasses.replace(explanation, text=in_words(explanation))


def _evidence(key: KeyVerdict) -> tuple[Pattern | None, StuckFrontier | None]:
    found = key.refutation
    if isinstance(found, Pattern):
        return found, None
    return None, found if isinstance(found, StuckFrontier) else None


def _precedence(key: KeyVerdict) -> Precedence | None:
    return key.refutation if isinstance(key.refutation, Precedence) else None


def _explain(verdict: Verdict, seconds: float) -> Explanation:
    bad = [key for key in verdict.keys if key.status is Status.VIOLATION]
    if not bad:
        return Explanation(verdict)
    worst = min(bad, key=lambda key: len(key.positions))  # the shortest is the quickest to understand
    pattern, _ = _evidence(worst)
    history, condition = verdict.history, verdict.condition
    scene = _Scene(history, verdict.spec, worst.positions)
    others = tuple(key for key in bad if key is not worst)
    if pattern is not None and len(worst.positions) > _LONG:
        if pattern.counted:  # there is nothing to leave out: all the others were counted
            told = pattern.operations
            shown = picture(history, told)
            return Explanation(verdict, worst.key, told, told, pattern=pattern, picture=shown, others=others)
        # The few operations of the pattern stand for all the others.
        part, spec = scoped(history, worst.positions, pattern.scope, verdict.spec)
        scene = _Scene(part, spec, range(len(part)), pattern.scope)
    deadline = time.monotonic() + seconds
    precedence = _precedence(worst)
    if precedence is not None:
        return _circular(verdict, worst, precedence, scene, others, deadline)
    # Half of the time for the operations, a quarter each for what could have been and for another first value.
    core = minimise(scene.history, scene.positions, scene.spec, condition, seconds=seconds / 2)
    stuck = _stuck(scene, core.positions, condition, worst, seconds=deadline - time.monotonic())
    culprit = _culprit(scene, core, condition, deadline=min(deadline, time.monotonic() + seconds / 4))
    positions = scene.back(core.positions)
    other = _other_first_value(verdict, worst, positions, deadline)
    return Explanation(
        verdict,
        worst.key,
        positions,
        scene.back(core.needed),
        core.minimal,
        core.verified,
        pattern,
        None,
        culprit,
        stuck,
        other,
        picture=picture(history, positions),
        others=others,
    )


def _other_first_value(
    verdict: Verdict, worst: KeyVerdict, positions: Sequence[int], deadline: float
) -> tuple[Any] | None:
    """A first value without the violation, looked for while there is time."""
    if len(worst.positions) > _LONGEST:
        return None
    left = max(0.0, deadline - time.monotonic())
    return other_initial(verdict.history, worst.positions, positions, verdict.spec, verdict.condition, seconds=left)


def _circular(
    verdict: Verdict,
    worst: KeyVerdict,
    precedence: Precedence,
    scene: _Scene,
    others: tuple[KeyVerdict, ...],
    deadline: float,
) -> Explanation:
    """The operations that contradict each other are known already, and so is why."""
    history, condition = verdict.history, verdict.condition
    positions = tuple(sorted(precedence.operations, key=lambda position: history.operations[position].call))
    culprit = other = None
    if precedence.certified and len(worst.positions) <= _LONGEST:
        half = time.monotonic() + (deadline - time.monotonic()) / 2
        for last in _ends(scene, positions, condition, half):
            core = Core(positions, positions, last, minimal=False, verified=True)
            culprit = _culprit(scene, core, condition, deadline=half)
            if culprit is not None:
                break
        other = _other_first_value(verdict, worst, positions, deadline)
    return Explanation(
        verdict,
        worst.key,
        positions,
        positions,
        precedence=precedence,
        culprit=culprit,
        other_initial=other,
        picture=picture(history, positions),
        others=others,
    )


def _ends(scene: _Scene, positions: Sequence[int], condition: str, deadline: float) -> Iterator[int | None]:
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
    decider = Decider(scene.history, scene.spec, condition)
    for last in by_end[1:]:
        end = ops[last].end
        called = [position for position in scene.positions if ops[position].call <= end + skew]
        still_open = {position for position in called if ops[position].end > end}
        left = min(deadline - time.monotonic(), 0.5)
        if left <= 0 or len(called) > _SHORT:
            continue
        if decider.decide(called, seconds=left, relaxed=still_open).found is False:
            yield last


class _Scene:
    """The operations that an explanation is looked for among: those of a key, or those of a pattern by themselves."""

    def __init__(
        self, history: History, spec: Spec, positions: Sequence[int], original: Sequence[int] | None = None
    ) -> None:
        self.history = history
        self.spec = spec
        self.positions = positions
        self._original = original

    @property
    def whole(self) -> bool:
        """Whether these are all operations of the key."""
        return self._original is None

    def back(self, positions: Sequence[int]) -> tuple[int, ...]:
        """Positions in the history that was checked."""
        return tuple(positions) if self._original is None else tuple(self._original[p] for p in positions)


def _stuck(
    scene: _Scene, core: Sequence[int], condition: str, key: KeyVerdict, *, seconds: float
) -> StuckFrontier | None:
    known = _evidence(key)[1]
    if seconds <= 0:
        return known
    answer = Decider(scene.history, scene.spec, condition).decide(core, seconds=min(seconds, 1.0))
    if answer.found is not False:  # there was no time; a wrong word would be worse than a long one
        return known
    prefix = answer.witness.order
    if len(core) <= _LONG:
        prefix = extended(scene.history, core, scene.spec, condition, prefix)
    stuck = stuck_frontier(scene.history, core, scene.spec, condition, prefix)
    if scene.whole:
        return stuck
    return StuckFrontier(
        scene.back(stuck.prefix), tuple(Blocked(scene.back([each.position])[0], each.allowed) for each in stuck.blocked)
    )


def _culprit(scene: _Scene, core: Core, condition: str, *, deadline: float) -> Culprit | None:
    """The operation with whose return the violation was complete, if another result would have been fine."""
    ops = scene.history.operations
    end = None if core.last is None else ops[core.last].end
    by_end = sorted(core.positions, key=lambda p: ops[p].end, reverse=True)
    for position in by_end if end is None else [p for p in by_end if ops[p].end == end]:
        if time.monotonic() >= deadline:
            return None
        allowed, complete = allowed_in_place(
            scene.history, scene.positions, core.positions, scene.spec, condition, position, deadline=deadline
        )
        if allowed:
            return Culprit(scene.back([position])[0], allowed, complete and scene.whole)
    return None
