# SPDX-License-Identifier: Apache-2.0
"""Minimal histories are 1-minimal, by brute force: dropping any further operation makes them linearizable.

An operation is dropped from the record, not from the run: its result and whether it took effect are no longer known,
but if it did, then within its times. (If it were dropped from the run, the readers of a dropped write would have read a
value without a writer, and every violation would shrink to such a reader.) As a history: its outcome is unknown, and
its process crashed when it returned; under the condition ``strict`` that has exactly this meaning.

Operations that are not evidence are shown only if some operation of the evidence could not be dropped without them.
"""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Collection, Iterable, Sequence

import pytest

import linpoint
from linpoint.checkers.brute_force import brute_force
from linpoint.explain.history import minimise
from linpoint.explain.history.reasons import REASONS
from linpoint.histories.operation import Crash
from tests.random_histories import MAKERS, random_history
from tests.random_monitored_histories import DRAWS, monitored_history
from tests.volume import seeds

VIOLATION = linpoint.Status.VIOLATION
BATCH = 250
DAY_BATCHES = 4
LONG_BATCHES = 400


def explained(
    verdict: linpoint.Verdict, kept: Iterable[int], dropped: Collection[int], *, in_order: Sequence[int] = ()
) -> bool:
    """Whether some order explains the kept operations, with or without the dropped ones.

    The operations ``in_order`` must take effect in that order.
    """
    ops, crashes = [], []
    for position in [*kept, *dropped]:
        op = verdict.history[position]
        if position in in_order:
            op = dataclasses.replace(op, order=in_order.index(position))
        if position in dropped:
            op = dataclasses.replace(op, process=f"dropped {position}", outcome=linpoint.Outcome.UNKNOWN, result=None)
            if op.return_ is not None and verdict.history[position].outcome is linpoint.Outcome.OK:
                crashes.append(Crash(op.return_, op.process))
        ops.append(op)
    history = linpoint.History(ops, crashes=crashes)
    return brute_force(history, range(len(ops)), verdict.spec, "strict")[0]


def violations(seed: str) -> Iterable[linpoint.Verdict]:
    """Random violations: of all specs with random results, and of legal runs with one change."""
    rng = random.Random(seed)
    while True:
        if rng.random() < 0.15:
            history, spec = random_history(rng, rng.choice(list(MAKERS)), operations=7)
        else:
            history, spec = monitored_history(rng, rng.choice(list(DRAWS)), size=rng.randint(5, 9))
        times = [op.call for op in history] + [op.return_ for op in history if op.return_ is not None]
        if len(set(times)) < len(times):
            continue  # operations touching a crash are on its side of it, so the crashes above would claim too much
        verdict = linpoint.check(history, spec)
        if verdict.status is VIOLATION:
            yield verdict


def steps_are_true(verdict: linpoint.Verdict, found: linpoint.Explanation) -> None:
    """Each step of a cycle holds by the times alone, or because no order has the two the other way round."""
    everything = next(key.positions for key in verdict.keys if set(found.core) <= set(key.positions))
    for step in found.steps:
        assert step.reason in REASONS
        assert set(step.operations) <= {*found.core}, found.text
        if step.before is None or step.after is None:
            continue
        first, second = verdict.history[step.before], verdict.history[step.after]
        if step.reason == "real-time":
            assert first.end < second.call
            continue
        changes = {p for p in everything if not verdict.spec.reads(verdict.history[p])}  # as recorded, no other matters
        pair = (step.after, step.before)
        kept = {*pair, *(step.operations[2:] if step.reason == "last-written" else ())}
        if step.reason == "last-written":
            assert first.end < verdict.history[step.operations[2]].call, (found.text, step)
        if step.reason == "overwritten":  # a third operation may show that the value was present before
            kept |= {p for premise in found.steps[:-2] for p in premise.operations} - {*step.operations[2:]}
        assert not explained(verdict, kept, changes - kept, in_order=pair), (found.text, step)
    circular = [step for step in found.steps if step.before is not None]
    if circular:
        assert {step.before for step in circular[-2:]} <= {step.after for step in circular}, found.text


@pytest.mark.parametrize("seed", seeds(DAY_BATCHES))
def test_minimal_histories_are_1_minimal_on_1_000_violations(seed: str) -> None:
    minimal_histories_are_1_minimal(seed)


@pytest.mark.long
@pytest.mark.parametrize("seed", seeds(LONG_BATCHES, "long"))
def test_minimal_histories_are_1_minimal_on_100_000_violations(seed: str) -> None:
    minimal_histories_are_1_minimal(seed)


def minimal_histories_are_1_minimal(seed: str) -> None:
    several = 0
    for _, verdict in zip(range(BATCH), violations(seed), strict=False):
        found = verdict.explain()
        core, needed = set(found.core), set(found.needed)
        if found.precedence is not None:  # it may show a longer cycle that is easier to follow
            assert not explained(verdict, core, ()), found.text
            continue
        others = core - needed
        assert found.minimal
        assert not explained(verdict, core, ()), found.text
        assert not explained(verdict, needed, others), found.text
        for position in needed:
            assert explained(verdict, needed - {position}, others | {position}), (found.text, position)
        for position in others:
            rest = others - {position}
            stuck = [p for p in needed if not explained(verdict, needed - {p}, rest | {p})]
            assert stuck, (found.text, position)
        steps_are_true(verdict, found)
        several += len(core) > 1
    assert several > BATCH / 10  # of about a quarter; the seeds differ from commit to commit


def test_a_reduction_interrupted_by_the_deadline_is_not_called_minimal(monkeypatch: pytest.MonkeyPatch) -> None:
    """If a decision takes too long, the operation stays; that does not prove that it is needed."""
    verdict = linpoint.check("A: |--write(1)--| |--write(2)--| |--read()->2--| |--read()->1--|", "register")
    assert verdict.explain().minimal
    decide = minimise._Minimiser._decide

    def slow(self: minimise._Minimiser, positions: Sequence[int], *args: object, **options: object) -> object:
        answer = decide(self, positions, *args, **options)  # type: ignore[arg-type]
        return dataclasses.replace(answer, found=None) if len(positions) == 3 else answer

    monkeypatch.setattr(minimise._Minimiser, "_decide", slow)
    found = verdict.explain()
    assert not found.minimal
    assert "none of them can be removed" not in found.text
