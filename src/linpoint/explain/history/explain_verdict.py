# SPDX-License-Identifier: Apache-2.0
"""Builds an explanation: minimises the violation, finds allowed results, an argument and likely causes."""

from __future__ import annotations

import dataclasses
import functools
import time
from collections.abc import Sequence
from typing import Any, Final

from linpoint.explain.history.causes.likely_causes import likely_causes
from linpoint.explain.history.claim import Claim
from linpoint.explain.history.claims.earliest_violation import earliest_pattern
from linpoint.explain.history.claims.legal_order import frontier_claims
from linpoint.explain.history.claims.necessity import core_claims
from linpoint.explain.history.claims.pattern_facts import PatternFacts
from linpoint.explain.history.claims.refused_result import Refusal, refused_operation
from linpoint.explain.history.claims.value_uses import ValueUses, uses_of
from linpoint.explain.history.claims.whole_object import WholeObject
from linpoint.explain.history.contradiction_argument import (
    cycle_argument,
    dead_end_argument,
    holds_for_whole_object,
    short_names,
)
from linpoint.explain.history.explanation import Explanation
from linpoint.explain.history.history_text import explanation_text
from linpoint.explain.history.initial_value_hint import initial_value_hint
from linpoint.explain.history.minimise import MinimalCore, minimise
from linpoint.explain.history.precedence_text import precedence_steps
from linpoint.explain.history.reasons import ArgumentStep
from linpoint.explain.history.single_fact_steps import impossible_operation, no_order, pattern_step
from linpoint.explain.history.step_text import StepText
from linpoint.explain.history.subproblem import LONG_OPERATIONS, Subproblem, stuck_among
from linpoint.explain.wording.ascii_timeline import ascii_timeline
from linpoint.verdicts import KeyVerdict, Pattern, Precedence, Status, StuckFrontier, Verdict

EXPLANATION_S: Final = 10.0
_MAX_SEARCHED_OPERATIONS: Final = 20_000
"""In longer histories no other initial value is tried."""
_MAX_FOLLOWED_OPERATIONS: Final = 100_000
"""In longer histories only the values of a pattern are tracked."""
_MAX_KEYS: Final = 8
"""The number of keys in violation, the shortest ones, among which the explained key is chosen."""
_SMALL_CORE_OPERATIONS: Final = 3
"""A core with up to this number of operations is simple enough, so no other key is tried."""


def explain(verdict: Verdict, *, seconds: float = EXPLANATION_S, key: KeyVerdict | None = None) -> Explanation:
    """Explain a verdict. ``seconds`` limits the work; the explanation is true with any limit.

    With several keys in violation, it explains ``key``, or the one with the fewest operations to show.
    """
    bad = [each for each in verdict.keys if each.status is Status.VIOLATION]
    if not bad:
        return _worded(Explanation(verdict))
    deadline = time.monotonic() + seconds
    candidates = sorted(bad, key=lambda each: len(each.positions))[:_MAX_KEYS] if key is None else [key]
    # Half of the time is for the core, the rest for allowed results, the argument and another initial value.
    found = _quickest(verdict, candidates, time.monotonic() + seconds / 2)
    bad = [found.key, *(each for each in bad if each is not found.key)]
    explanation = dataclasses.replace(found.explanation(deadline), others=tuple(bad[1:]))
    return _worded(dataclasses.replace(explanation, causes=likely_causes(explanation, bad, deadline=deadline)))


def explanation_without_reasons(verdict: Verdict) -> Explanation:
    """The explanation that the evidence of the verdict supports, without further calls of the spec."""
    bad = [key for key in verdict.keys if key.status is Status.VIOLATION]
    if not bad:
        return _worded(Explanation(verdict))
    found = bad[0].refutation
    core: Sequence[int] = bad[0].positions
    if isinstance(found, Pattern):
        core = found.scope
    elif isinstance(found, Precedence):
        core = found.operations
    evidence = _evidence(bad[0])
    evidence.pop("pattern", None)  # its sentence was not evaluated
    whole = () if evidence.get("stuck") is None else (Claim("by-themselves", tuple(core)),)
    explanation = Explanation(
        verdict, bad[0].key, tuple(core), tuple(core), claims=whole, others=tuple(bad[1:]), **evidence
    )
    return _worded(explanation)


def _worded(explanation: Explanation) -> Explanation:
    return dataclasses.replace(explanation, text=explanation_text(explanation))


def _evidence(key: KeyVerdict) -> dict[str, Any]:
    """The refutation of a key, as the field of an explanation."""
    match key.refutation:
        case Pattern() as found:
            return {"pattern": found}
        case Precedence() as found:
            return {"precedence": found}
        case StuckFrontier() as found:
            return {"stuck": found}
    return {}


def _quickest(verdict: Verdict, keys: Sequence[KeyVerdict], deadline: float) -> _Found:
    """The violation with the fewest operations, among the keys that were minimised in time."""
    best: _Found | None = None
    for key in keys:
        left = deadline - time.monotonic()
        if best is not None and (len(best.core.positions) <= _SMALL_CORE_OPERATIONS or left < 3 * best.seconds):
            break
        found = _Found(verdict, key, max(left, 0.0))
        if best is None or len(found.core.positions) < len(best.core.positions):
            best = found
    assert best is not None
    return best


class _Found:
    """The minimised violation of one key."""

    def __init__(self, verdict: Verdict, key: KeyVerdict, seconds: float) -> None:
        started = time.monotonic()
        self.verdict = verdict
        self.key = key
        self._last: int | None = None
        self._shown = key
        if len(key.positions) > LONG_OPERATIONS:
            whole = self._whole(started + seconds / 2)
            self._shown, self._last = earliest_pattern(whole, key)
        self.scene = Subproblem.of(verdict, self._shown)
        self.core = self._core(seconds - (time.monotonic() - started))
        self.seconds = time.monotonic() - started

    def _whole(self, deadline: float) -> WholeObject:
        verdict = self.verdict
        return WholeObject(verdict.history, self.key.positions, verdict.spec, verdict.condition, deadline=deadline)

    @functools.cached_property
    def uses(self) -> ValueUses:
        """The values of the object; in a long history those of the pattern, whose scope has all operations on them."""
        positions, pattern = self.key.positions, self._shown.refutation
        if len(positions) > _MAX_FOLLOWED_OPERATIONS:
            positions = pattern.scope if isinstance(pattern, Pattern) else ()
        conclusive = pattern.operations if isinstance(pattern, Pattern) else ()
        return uses_of(self.verdict.history, positions, self.verdict.spec, self.verdict.condition, conclusive)

    def _core(self, seconds: float) -> MinimalCore:
        found = self._shown.refutation
        if isinstance(found, Precedence):  # it names the contradicting operations
            ops = self.verdict.history.operations
            known = tuple(sorted(found.operations, key=lambda position: ops[position].call))
            return MinimalCore(known, known, None, minimal=False, verified=True)
        if self._counted:  # all other operations were counted, so none can be left out
            assert isinstance(found, Pattern)
            return MinimalCore(found.operations, found.operations, None, minimal=False, verified=True)
        scene = self.scene
        return minimise(scene.history, scene.positions, scene.spec, self.verdict.condition, seconds=max(seconds, 0.0))

    @property
    def _counted(self) -> bool:
        found = self._shown.refutation
        return isinstance(found, Pattern) and found.counted and len(self.key.positions) > LONG_OPERATIONS

    def explanation(self, deadline: float) -> Explanation:
        """The explanation that was computed until the deadline, without causes and text."""
        verdict, core = self.verdict, self.core
        history = verdict.history
        positions = self.scene.back(core.positions)
        names = short_names(history, positions)
        half = time.monotonic() + (deadline - time.monotonic()) / 2
        whole = self._whole(half)
        evidence = _evidence(self._shown)
        precedence = evidence.get("precedence")
        refusal = Refusal(None)
        if precedence is None or precedence.certified:
            refusal = refused_operation(whole, positions, self._last_return())
        pattern = evidence.pop("pattern", None)
        established = None
        if pattern is not None and not set(positions).isdisjoint(pattern.operations):  # else it is about others
            established = PatternFacts(self.uses, whole, refusal.position).established(pattern)
        if established is not None:
            evidence["pattern"] = established
        claims = [*refusal.claims(), *core_claims(whole, positions, self.scene.back(core.needed))]
        if established is not None:
            claims.append(Claim("reason", established.operations, values=(established.reason,)))
        kinds = {claim.kind for claim in claims}
        found = Explanation(
            verdict,
            self.key.key,
            positions,
            self.scene.back(core.needed),
            "needed" in kinds and (core.minimal or precedence is not None),
            "irreducible" in kinds,
            core.verified,
            names=tuple(names.values()),
            picture=ascii_timeline(history, positions),
            culprit=refusal.culprit,
            claims=tuple(claims),
            **evidence,
        )
        if precedence is not None:
            found = dataclasses.replace(found, steps=precedence_steps(history, precedence, names, verdict.condition))
            if not precedence.certified:
                return found
            return dataclasses.replace(found, other_initial=self._other_first_value(deadline))
        if self._counted:
            return dataclasses.replace(found, steps=self._counted_steps(found))
        left = (deadline - time.monotonic()) / 2
        stuck = stuck_among(self.scene, core.positions, verdict.condition, self.key, seconds=left)
        if stuck is not None and len(found.core) > 1:
            found = dataclasses.replace(found, claims=(*found.claims, *frontier_claims(stuck, found.core)))
        found = dataclasses.replace(found, stuck=stuck, other_initial=self._other_first_value(deadline))
        return dataclasses.replace(found, steps=self._argument(found, deadline))

    def _last_return(self) -> int | None:
        """The operation whose return completed the contradiction."""
        if self._last is not None:
            return self._last
        return None if self.core.last is None else self.scene.back([self.core.last])[0]

    def _counted_steps(self, found: Explanation) -> tuple[ArgumentStep, ...]:
        names = dict(zip(found.core, found.names, strict=True))
        return (pattern_step(found.pattern, names),) if found.pattern is not None else (no_order(found),)

    def _other_first_value(self, deadline: float) -> tuple[Any] | None:
        """An initial value without the violation, if one is found in time."""
        if len(self.key.positions) > _MAX_SEARCHED_OPERATIONS:
            return None
        verdict, core = self.verdict, self.scene.back(self.core.positions)
        left = max(0.0, deadline - time.monotonic())
        return initial_value_hint(
            verdict.history, self.key.positions, core, verdict.spec, verdict.condition, seconds=left
        )

    def _argument(self, found: Explanation, deadline: float) -> tuple[ArgumentStep, ...]:
        """The steps of the contradiction: a cycle if there is one, else the step of the pattern and the dead end."""
        verdict, scene = self.verdict, self.scene
        if len(found.core) == 1:
            return impossible_operation(found)
        inside = dict(zip(self.core.positions, found.names, strict=True))
        limit = min(deadline, time.monotonic() + 2.0)
        words = StepText(scene.history, scene.spec, inside, self.uses, scene.original)
        steps = cycle_argument(
            scene.history, scene.positions, self.core.positions, scene.spec, verdict.condition, words, deadline=limit
        )
        steps = tuple(scene.restored(step) for step in steps)
        if steps and (scene.whole or self._holds_for_whole_object(steps, limit)):
            return steps
        names = dict(zip(found.core, found.names, strict=True))
        is_named = found.pattern is not None and set(found.pattern.operations) <= set(names)
        first = (pattern_step(found.pattern, names),) if is_named and found.pattern is not None else ()
        ends = dead_end_argument(verdict.history, verdict.spec, found.stuck, names) if found.stuck is not None else ()
        return (*first, *ends) or (no_order(found),)

    def _holds_for_whole_object(self, steps: Sequence[ArgumentStep], deadline: float) -> bool:
        verdict = self.verdict
        return holds_for_whole_object(
            verdict.history, self.key.positions, verdict.spec, verdict.condition, steps, deadline=deadline
        )
