# SPDX-License-Identifier: Apache-2.0
"""Making an explanation: minimise, find what could have been, put it into words."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Sequence
from typing import Final

from linpoint.checkers.frontier import stuck_frontier
from linpoint.checkers.search.decider import Decider
from linpoint.explain.allowed import allowed_in_place
from linpoint.explain.explanation import Culprit, Explanation
from linpoint.explain.initial import other_initial
from linpoint.explain.minimise import Core, minimise
from linpoint.explain.picture import picture
from linpoint.explain.text import in_words
from linpoint.histories.history import History
from linpoint.specs.protocol import Spec
from linpoint.verdicts import KeyVerdict, Status, StuckFrontier, Verdict

DEFAULT_SECONDS: Final = 10.0


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
        explanation = Explanation(
            verdict, bad[0].key, bad[0].positions, bad[0].positions, stuck=bad[0].refutation, others=tuple(bad[1:])
        )
    return dataclasses.replace(explanation, text=in_words(explanation))


def _explain(verdict: Verdict, seconds: float) -> Explanation:
    bad = [key for key in verdict.keys if key.status is Status.VIOLATION]
    if not bad:
        return Explanation(verdict)
    spec: Spec = verdict.spec
    worst = min(bad, key=lambda key: len(key.positions))  # the shortest is the quickest to understand
    history, condition = verdict.history, verdict.condition
    deadline = time.monotonic() + seconds
    # Half of the time for the operations, a quarter each for what could have been and for another first value.
    core = minimise(history, worst.positions, spec, condition, seconds=seconds / 2)
    stuck = _stuck(history, core.positions, spec, condition, worst, seconds=deadline - time.monotonic())
    culprit = _culprit(
        history, worst.positions, core, spec, condition, deadline=min(deadline, time.monotonic() + seconds / 4)
    )
    left = max(0.0, deadline - time.monotonic())
    other = other_initial(history, worst.positions, core.positions, spec, condition, seconds=left)
    return Explanation(
        verdict,
        worst.key,
        core.positions,
        core.needed,
        core.minimal,
        core.verified,
        culprit,
        stuck,
        other,
        picture(history, core.positions),
        tuple(key for key in bad if key is not worst),
    )


def _stuck(
    history: History, core: Sequence[int], spec: Spec, condition: str, key: KeyVerdict, *, seconds: float
) -> StuckFrontier | None:
    if seconds <= 0:
        return key.refutation
    answer = Decider(history, spec, condition).decide(core, seconds=min(seconds, 1.0))
    if answer.found is not False:  # there was no time; a wrong word would be worse than a long one
        return key.refutation
    return stuck_frontier(history, core, spec, condition, answer.witness.order)


def _culprit(
    history: History, everything: Sequence[int], core: Core, spec: Spec, condition: str, *, deadline: float
) -> Culprit | None:
    """The operation with whose return the violation was complete, if another result would have been fine."""
    ops = history.operations
    end = None if core.last is None else ops[core.last].end
    by_end = sorted(core.positions, key=lambda p: ops[p].end, reverse=True)
    for position in by_end if end is None else [p for p in by_end if ops[p].end == end]:
        if time.monotonic() >= deadline:
            return None
        allowed, complete = allowed_in_place(
            history, everything, core.positions, spec, condition, position, deadline=deadline
        )
        if allowed:
            return Culprit(position, allowed, complete)
    return None
