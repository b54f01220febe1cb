# SPDX-License-Identifier: Apache-2.0
"""Multi-word writes that do not report the overwritten values, in the precedence graph: against the oracle, and by
hand.
"""

from __future__ import annotations

import random
from collections import Counter

import pytest

import linpoint
from linpoint import Status
from linpoint.checkers.blind_write_scope import certify_blind_scope
from linpoint.checkers.brute_force import brute_force
from linpoint.errors import CertificateError
from linpoint.options.choices import CONDITIONS
from linpoint.verdicts import Pattern
from tests.checkers.plain_certify import refusals
from tests.checkers.test_differential import describe
from tests.checkers.test_precedence_decider import op
from tests.random_memories import random_memory
from tests.volume import SEED, seeds

LOCAL = [condition for condition in CONDITIONS if condition != "buffered-durable"]
DAY_HISTORIES = 600
LONG_HISTORIES = 100_000
LONG_CHUNKS = 10


def compare(seed: str, histories: int, condition: str) -> None:
    rng = random.Random(seed)
    seen: Counter[str] = Counter()
    for number in range(histories):
        share = rng.choice([0.1, 0.3, 0.5])
        forms = ("values",) if rng.random() < 0.8 else ("false", "at", "values")  # seeing other values is no failure
        history, spec = random_memory(rng, operations=9, writes=share, swaps=0.2, forms=forms)
        story = f"{seed}, history {number}\n{describe(history)}"
        expected = brute_force(history, range(len(history)), spec, condition)[0]
        found = linpoint.check(history, spec, checker="graph", condition=condition)
        seen[found.status.value] += 1
        if found.status is Status.UNKNOWN:
            seen["failures"] += "failed" in found.why
            continue
        assert (found.status is Status.LINEARIZABLE) is expected, story
        if found.witness is not None:
            assert not refusals(history, range(len(history)), spec, condition, found.witness), story
        if isinstance(found.refutation, Pattern):
            seen["patterns"] += 1
            alone = history.select(found.refutation.scope)
            assert not brute_force(alone, range(len(alone)), spec, condition)[0], story
    assert seen["unknown"] < histories / 6, seen
    assert min(seen["linearizable"], seen["violation"]) > histories / 8, seen
    assert seen["patterns"] > histories / 20, seen


@pytest.mark.parametrize("condition", LOCAL)
def test_graphs_with_blind_writes_agree_with_the_oracle(condition: str) -> None:
    compare(f"{SEED} blind {condition}", DAY_HISTORIES, condition)


@pytest.mark.long
@pytest.mark.parametrize("condition", LOCAL)
@pytest.mark.parametrize("chunk", range(LONG_CHUNKS))
def test_graphs_with_blind_writes_agree_with_the_oracle_on_many_more(condition: str, chunk: int) -> None:
    compare(f"{SEED} long blind {condition} {chunk}", LONG_HISTORIES // LONG_CHUNKS, condition)


@pytest.mark.random
@pytest.mark.parametrize("seed", seeds(6, "longer blind"))
def test_longer_histories_agree_with_the_searches(seed: str) -> None:
    rng = random.Random(seed)
    for _ in range(5):
        history, spec = random_memory(rng, operations=60, writes=0.4, crashes=0.02, spoiled=0.3, forms=("values",))
        condition = rng.choice(["linearizable", "durable", "strict", "recoverable"])
        found = linpoint.check(history, spec, checker="graph", condition=condition)
        searched = linpoint.check(history, spec, checker="dfs", condition=condition, budget=1.0)
        assert len({found.status, searched.status} - {Status.UNKNOWN}) <= 1, describe(history)


OVERWRITTEN = [
    op("A", "mwwrite", [["x", 1], ["y", 1]], None, 1, 2),
    op("B", "mwwrite", [["x", 2]], None, 3, 4),
    op("C", "read", ["y"], [1], 5, 6),
    op("C", "read", ["x"], [1], 7, 8),
]
TORN = [
    op("A", "mwwrite", [["x", 1], ["y", 1]], None, 1, 20),
    op("B", "mwwrite", [["x", 2], ["y", 2]], None, 1, 20),
    op("C", "read", ["x", "y"], [1, 2], 21, 22),
]
ANY_ORDER = [
    op("A", "mwwrite", [["x", 1], ["y", 1]], None, 1, 20),
    op("B", "mwwrite", [["x", 2], ["z", 2]], None, 1, 20),
    op("C", "mwwrite", [["y", 3], ["z", 3]], None, 1, 20),
    op("D", "read", ["x", "y", "z"], [2, 1, 2], 21, 22),
]
CIRCLE = [*ANY_ORDER[:3], op("D", "read", ["x", "y", "z"], [1, 3, 2], 21, 22)]
UNKNOWN_ONES = [
    op("A", "mwwrite", [["x", 1]], None, 1, None),
    op("B", "mwswap", [["x", 2]], None, 2, None),
    op("C", "read", ["x"], [2], 3, 4),
    op("C", "read", ["x"], [1], 5, 6),
]


@pytest.mark.parametrize(
    ("lines", "status"),
    [
        pytest.param(OVERWRITTEN, Status.VIOLATION, id="overwritten"),
        pytest.param(TORN, Status.VIOLATION, id="torn"),
        pytest.param(ANY_ORDER, Status.LINEARIZABLE, id="any order"),
        pytest.param(CIRCLE, Status.VIOLATION, id="circle"),
        pytest.param(UNKNOWN_ONES, Status.LINEARIZABLE, id="unknown"),
        pytest.param([*UNKNOWN_ONES, op("C", "read", ["x"], [2], 7, 8)], Status.VIOLATION, id="back again"),
    ],
)
@pytest.mark.parametrize("checker", ["graph", "auto"])
def test_hand_written_histories_have_their_verdicts(
    lines: list[dict[str, object]], status: Status, checker: str
) -> None:
    verdict = linpoint.check(lines, "mwcas", checker=checker)
    assert (verdict.status, verdict.checker) == (status, "graph")
    text = verdict.explain().text
    assert text.startswith(status.value.upper())
    if status is Status.VIOLATION:
        assert isinstance(verdict.refutation, Pattern)
        assert verdict.refutation.reason == "overwritten"


def test_failed_operations_are_left_to_searches() -> None:
    lines = [*ANY_ORDER, op("E", "mwcas", [["x", 7, 8]], False, 23, 24)]
    assert linpoint.check(lines, "mwcas", checker="graph").status is Status.UNKNOWN
    assert linpoint.check(lines, "mwcas").status is Status.LINEARIZABLE
    torn = [*TORN, op("E", "mwcas", [["x", 7, 8]], False, 23, 24)]
    verdict = linpoint.check(torn, "mwcas", checker="graph")
    assert isinstance(verdict.refutation, Pattern)
    assert verdict.refutation.scope == (0, 1, 2)


def test_a_scope_is_certified() -> None:
    history, spec = linpoint.history(OVERWRITTEN), linpoint.specs.mwcas
    positions = range(len(history))

    def certify(scope: tuple[int, ...]) -> bool:
        return certify_blind_scope(history, spec, "linearizable", positions, scope, seconds=30.0)

    assert certify((0, 1, 3))
    assert certify((0, 1, 2, 3))
    for scope in [(1, 3), (0, 3), (0, 1, 2), (0, 1, 7)]:
        with pytest.raises(CertificateError):
            certify(scope)
    failed = linpoint.history([*OVERWRITTEN, op("E", "mwcas", [["x", 7, 8]], False, 23, 24)])
    with pytest.raises(CertificateError):
        certify_blind_scope(failed, spec, "linearizable", range(5), (0, 1, 3, 4), seconds=30.0)
