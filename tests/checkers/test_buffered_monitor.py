# SPDX-License-Identifier: Apache-2.0
"""The monitor of buffered durability against the oracle on random small histories, and on hand-written histories.

Each of its answers must be correct; its orders and the scopes of its refutations must hold for `plain_certify`, which
is independent of the native core.
"""

from __future__ import annotations

import random
from collections import Counter

import pytest

import linpoint
from linpoint import Status
from linpoint.checkers.brute_force import brute_force
from linpoint.checkers.certify import certify_witness
from linpoint.verdicts.refutation import Pattern
from tests.checkers.test_differential import describe, objections
from tests.random_buffered_histories import buffered_history, reads_after_a_crash
from tests.volume import least_of, seeds

CONDITION = "buffered-durable"
DAY_HISTORIES = 800
LONG_HISTORIES = 200_000
LONG_CHUNKS = 20


def compare(seed: str, histories: int) -> None:
    rng = random.Random(seed)
    seen: Counter[str] = Counter()
    for number in range(histories):
        if rng.random() < 0.4:
            history, spec = reads_after_a_crash(rng)
        else:
            history, spec = buffered_history(rng, keys=3, repeats=rng.random() < 0.1)
        verdict = linpoint.check(history, spec, checker="monitor", condition=CONDITION, jobs=1)
        story = f"seed {seed}, history {number}\n{describe(history)}\n{verdict.why}"
        seen["asked"] += 1
        if verdict.status is Status.UNKNOWN:
            continue
        effective = [p for p, op in enumerate(history.operations) if op.outcome is not linpoint.Outcome.FAILED]
        expected = brute_force(history, effective, spec, CONDITION)[0]
        assert (verdict.status is Status.LINEARIZABLE) is expected, story
        wrong = objections(verdict, set())
        assert not wrong, f"{story}\n{verdict.refutation}\n{wrong}"
        seen["answered"] += 1
        seen["crashed"] += bool(history.crashes)
        seen[verdict.status.value] += 1
        if isinstance(verdict.refutation, Pattern):
            seen[verdict.refutation.reason] += 1
    assert seen["answered"] >= 0.7 * seen["asked"], seen
    assert seen["crashed"] >= 0.5 * seen["answered"], seen
    assert min(seen["linearizable"], seen["violation"]) >= 0.05 * seen["answered"], seen
    assert min(seen["survivors-differ"], seen["no-common-moment"]) >= least_of(0.04, seen["answered"]), seen


@pytest.mark.parametrize("seed", seeds(2, "buffered"))
def test_the_monitor_of_eras_agrees_with_the_oracle(seed: str) -> None:
    compare(seed, DAY_HISTORIES // 2)


# Long recordings: a server that loses its latest operations, and one that does not lose them in order

LONG_OPERATIONS = 6_000


@pytest.mark.parametrize("keys", [1, 4])
def test_long_histories_are_decided_with_their_survivors(keys: int) -> None:
    history, spec = buffered_history(
        random.Random(keys), operations=LONG_OPERATIONS, keys=keys, crashes=5, faulty=0, stretch=60, long=True
    )
    verdict = linpoint.check(history, spec, condition=CONDITION)
    assert (verdict.status, verdict.checker) == (Status.LINEARIZABLE, "monitor"), verdict.why
    assert verdict.witness is not None
    assert len(verdict.witness.survivors or ()) == 5
    certify_witness(history, verdict.keys[0].positions, spec, CONDITION, verdict.witness)
    assert linpoint.check(history, spec, condition="durable").status is Status.VIOLATION


def test_a_long_violation_is_reduced_to_few_operations() -> None:
    history, spec = buffered_history(
        random.Random(2), operations=LONG_OPERATIONS, keys=4, crashes=5, faulty=1, stretch=60, long=True
    )
    verdict = linpoint.check(history, spec, condition=CONDITION)
    assert (verdict.status, verdict.checker) == (Status.VIOLATION, "monitor"), verdict.why
    assert isinstance(verdict.refutation, Pattern)
    assert len(verdict.refutation.scope) <= 12
    assert not objections(verdict, set())


@pytest.mark.parametrize("keys", [1, 4])
def test_long_histories_with_repeated_values_are_decided_era_by_era(keys: int) -> None:
    history, spec = buffered_history(
        random.Random(keys), operations=1_000, keys=keys, crashes=4, faulty=0, stretch=25, long=True, repeats=True
    )
    verdict = linpoint.check(history, spec, condition=CONDITION)
    assert (verdict.status, verdict.checker) == (Status.LINEARIZABLE, "eras"), verdict.why


@pytest.mark.long
@pytest.mark.parametrize("seed", seeds(LONG_CHUNKS, "long buffered"))
def test_the_monitor_of_eras_agrees_with_the_oracle_at_length(seed: str) -> None:
    compare(seed, LONG_HISTORIES // LONG_CHUNKS)
