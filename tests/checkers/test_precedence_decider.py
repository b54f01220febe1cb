# SPDX-License-Identifier: Apache-2.0
"""The precedence graph against the oracle, on random memories with unique values, under every condition."""

from __future__ import annotations

import random
from collections import Counter

import pytest

import linpoint
from linpoint import Status
from linpoint.checkers.brute_force import brute_force
from linpoint.histories.history import History
from linpoint.options.choices import CONDITIONS
from linpoint.verdicts import Pattern, Precedence
from tests.checkers.plain_certify import refusals
from tests.checkers.test_differential import describe
from tests.random_memories import random_memory
from tests.volume import SEED, seeds, volume

DAY_HISTORIES = 2_000
LONG_HISTORIES = 100_000
LONG_CHUNKS = 10
CHOICE_HISTORIES = 8_000


def compare(seed: str, histories: int, condition: str) -> None:
    rng = random.Random(seed)
    seen: Counter[str] = Counter()
    for number in range(histories):
        history, spec = random_memory(rng, register=rng.random() < 0.2)
        story = f"{seed}, history {number}\n{describe(history)}"
        right, _ = brute_force(history, range(len(history)), spec, condition)
        expected = Status.LINEARIZABLE if right else Status.VIOLATION
        found = linpoint.check(history, spec, checker="graph", condition=condition)
        seen[found.status.value] += 1
        if found.status is Status.UNKNOWN:
            assert found.why, story
            assert linpoint.check(history, spec, condition=condition).status is expected, story
            continue
        assert found.status is expected, story
        if found.witness is not None:
            assert not refusals(history, range(len(history)), spec, condition, found.witness), story
            continue
        refutation = found.refutation
        if isinstance(refutation, Pattern):  # several swaps with unknown old values
            alone = history.select(refutation.scope)
            assert not brute_force(alone, range(len(alone)), spec, condition)[0], f"{story}\n{refutation}"
            continue
        assert isinstance(refutation, Precedence), story
        seen[refutation.reason] += 1
        alone = history.select(refutation.operations)
        assert not brute_force(alone, range(len(alone)), spec, condition)[0], f"{story}\n{refutation}"
    if condition == "buffered-durable":
        assert seen["unknown"] == histories
        return
    assert seen["unknown"] < histories / 20
    assert min(seen["violation"], seen["linearizable"]) >= histories / 5
    reasons = ("cycle", "fork", "dangling-read", "read-before-write", "disconnected-failure")
    assert min(seen[reason] for reason in reasons) > histories / 100


@pytest.mark.parametrize("condition", CONDITIONS)
def test_graphs_agree_with_the_oracle(condition: str) -> None:
    compare(f"{SEED} {condition}", DAY_HISTORIES, condition)


@pytest.mark.long
@pytest.mark.parametrize("condition", CONDITIONS)
@pytest.mark.parametrize("chunk", range(LONG_CHUNKS))
def test_graphs_agree_with_the_oracle_on_many_more(condition: str, chunk: int) -> None:
    compare(f"{SEED} long {condition} {chunk}", LONG_HISTORIES // LONG_CHUNKS, condition)


def test_refutations_with_choices_agree_with_the_oracle() -> None:
    """Where an order has to be chosen, each choice has its own contradiction; this happens 3 times in 1,000."""
    rng = random.Random(f"{SEED} choices")
    seen = 0
    for _ in range(CHOICE_HISTORIES):
        history, spec = random_memory(rng, register=rng.random() < 0.2)
        condition = rng.choice([each for each in CONDITIONS if each != "buffered-durable"])
        refutation = linpoint.check(history, spec, checker="graph", condition=condition).refutation
        if isinstance(refutation, Precedence) and len(refutation.contradictions) > 1:
            assert not brute_force(history, range(len(history)), spec, condition)[0], describe(history)
            seen += 1
    assert seen > 0


@pytest.mark.random
@pytest.mark.parametrize("seed", seeds(volume(40), "longer"))
def test_longer_histories_agree_with_the_searches(seed: str) -> None:
    """For these there is no oracle. The number of threads must not matter either."""
    rng = random.Random(seed)
    for _ in range(5):
        history, spec = random_memory(rng, operations=60, crashes=0.02, spoiled=0.3, register=rng.random() < 0.2)
        condition = rng.choice([each for each in CONDITIONS if each not in ("buffered-durable", "sequential")])
        found = linpoint.check(history, spec, checker="graph", condition=condition)
        searched = linpoint.check(history, spec, checker="dfs", condition=condition, budget=1.0)
        assert len({found.status, searched.status} - {Status.UNKNOWN}) <= 1, describe(history)


# Errors of the paper: its rules are kept to show them


def op(process: object, name: str, cells: object, result: object, call: int, end: int | None) -> dict[str, object]:
    line: dict[str, object] = {"process": process, "op": name, "args": [cells], "call": call, "return": end}
    return line if end is None else {**line, "result": result}


SEEN_THROUGH_A_FAILURE = [
    op("p2", "read", ["x"], [0], 1, 3),
    op("p1", "mwcas", [["x", 0, 2]], None, 5, None),
    op("p2", "mwcas", [["x", 0, 1]], {"at": "x"}, 4, 7),
    {"crash": True, "process": "p1", "time": 9},
]
EXPECTED_TOO_EARLY = [
    op("p1", "mwcas", [["x", 1, 5]], {"at": "x"}, 1, 2),
    op("p2", "mwcas", [["x", 0, 1]], True, 3, 4),
    op("p1", "read", ["x"], [1], 5, 6),
]
NEXT_ONE_DROPPED = [
    op("p1", "mwcas", [["x", 0, 1]], None, 1, None),
    {"crash": True, "process": "p1", "time": 3},
    op("p1", "mwcas", [["y", 0, 1]], None, 4, None),
    {"crash": True, "process": "p1", "time": 6},
    op("p1", "read", ["x"], [0], 7, 8),
    op("p2", "read", ["x"], [1], 9, 10),
]
KEPT_FOR_ANOTHER = [
    op("p1", "mwcas", [["x", 0, 1]], None, 1, None),
    op("p2", "mwcas", [["x", 1, 2], ["y", 0, 5]], None, 2, None),
    {"crash": True, "time": 4},
    op("p3", "mwcas", [["y", 0, 9]], {"at": "y"}, 5, 6),
]


@pytest.mark.parametrize(
    ("lines", "condition", "right", "paper"),
    [
        pytest.param(SEEN_THROUGH_A_FAILURE, "durable", "linearizable", "violation", id="seen through a failure"),
        pytest.param(EXPECTED_TOO_EARLY, "linearizable", "linearizable", "violation", id="expected too early"),
        pytest.param(NEXT_ONE_DROPPED, "recoverable", "violation", "linearizable", id="next one dropped"),
        pytest.param(KEPT_FOR_ANOTHER, "durable", "linearizable", "violation", id="kept for another"),
    ],
)
def test_the_paper_is_wrong_on_these_histories(
    lines: list[dict[str, object]], condition: str, right: str, paper: str
) -> None:
    for checker in ("graph", "auto", "brute-force"):
        assert linpoint.check(lines, "mwcas", checker=checker, condition=condition).status.value == right
    published = by_the_paper(linpoint.history(lines), condition)
    assert published.status.value == paper
    assert published.why == "by the paper's rules as published, not certified, and wrong here"
    assert "certified" not in published.explain().text.partition("\n")[0]


def by_the_paper(history: History, condition: str) -> linpoint.Verdict:
    from linpoint.checkers.check import check_with_progress
    from linpoint.specs import mwcas

    return check_with_progress(history, mwcas(), checker="graph", condition=condition, paper_rules=True)[0]


def test_the_paper_is_right_under_its_assumptions() -> None:
    """On complete histories that satisfy its assumptions."""
    history = linpoint.history([op(0, "mwcas", [["x", 0, 1]], True, 1, 2), op(1, "read", ["x"], [0], 3, 4)])
    published = by_the_paper(history, "linearizable")
    assert published.status is Status.VIOLATION
    assert published.why.endswith("and correct here")


@pytest.mark.parametrize(
    ("lines", "why"),
    [
        ([op(0, "mwcas", [["x", 0, 0]], True, 1, 2)], 'mwcas([["x", 0, 0]]) -> true leaves a word unchanged'),
        ([op(0, "mwcas", [["x", 0, 1]], None, 1, 2)], "was not observed"),
        ([op(0, "mwcas", [["x", 0, 1]], {"at": "y"}, 1, 2)], "the graph does not support it"),
        ([op(0, "read", ["x"], 7, 1, 2)], "the graph does not support it"),
        ([op(0, "read", [["x", "y"]], [0], 1, 2)], "has words or values that are lists"),
        ([op(0, "mwcas", [["x", 0, [1]]], True, 1, 2)], "has words or values that are lists"),
        (
            [op(0, "mwcas", [["x", 0, 1]], True, 1, 2), op(0, "mwcas", [["x", 1, 0]], True, 3, 4)],
            "a value is written to a word more than once",
        ),
    ],
)
def test_histories_excluded_from_the_graph_are_reported_and_searched(lines: list[dict[str, object]], why: str) -> None:
    found = linpoint.check(lines, "mwcas", checker="graph")
    assert (found.status, found.checker) == (Status.UNKNOWN, "graph")
    assert why in found.why
    searched = linpoint.check(lines, "mwcas")
    assert searched.status is linpoint.check(lines, "mwcas", checker="brute-force").status
    assert "; graph not used: " in searched.why
    assert why in searched.why


def test_buffered_durability_is_decided_era_by_era() -> None:
    lines = [op(0, "mwcas", [["x", 0, 1]], True, 1, 2), {"crash": True, "time": 3}, op(0, "read", ["x"], [0], 4, 5)]
    found = linpoint.check(lines, "mwcas", condition="buffered-durable")
    assert found.status is Status.LINEARIZABLE
    assert found.checker == "eras"


def test_auto_uses_the_graph_for_cas_registers_without_writes() -> None:
    cas = {"process": 0, "op": "cas", "args": [None, 1], "result": True, "call": 1, "return": 2}
    write = {"process": 0, "op": "write", "args": [2], "result": None, "call": 3, "return": 4}
    assert linpoint.check([cas], "cas-register").checker == "graph"
    assert linpoint.check([cas, write], "cas-register").checker == "monitor"


def test_a_history_too_large_for_the_memory_is_not_started() -> None:
    history, spec = random_memory(random.Random(1), crashes=0)
    found = linpoint.check(history, spec, checker="graph", max_memory="1M")
    assert found.status is Status.UNKNOWN
    assert "memory" in found.why


# Shapes whose cost once grew quadratically, or that once ran out of rounds


def test_operations_at_one_instant_keep_their_process_order() -> None:
    lines = [op(p, "mwcas", [[f"w{p}", i, i + 1]], True, 5, 5) for p in range(2) for i in range(3000)]
    assert linpoint.check(lines, "mwcas", checker="graph", budget=20).status is Status.LINEARIZABLE


def test_one_operation_may_have_many_words() -> None:
    words = range(20_000)
    lines = [
        op(0, "mwcas", [[word, 0, 1] for word in words], True, 1, 2),
        op(0, "read", [*words], [1] * len(words), 3, 4),
        op(0, "mwcas", [[word, 0, 2] for word in words], False, 5, 6),
    ]
    assert linpoint.check(lines, "mwcas", checker="graph", budget=20).status is Status.LINEARIZABLE


def test_many_open_operations_may_read_a_value_that_another_replaces() -> None:
    lines = [op(i, "read", ["x"], [0], 1, 100) for i in range(5000)] + [op("w", "mwcas", [["x", 0, 1]], True, 2, 50)]
    assert linpoint.check(lines, "mwcas", checker="graph", budget=20).status is Status.LINEARIZABLE


def test_a_chain_of_interrupted_operations_explains_a_chain_of_failures() -> None:
    length = 300
    lines = [op(f"u{i}", "mwcas", [["x", i, i + 1]], None, i, None) for i in range(length)]
    lines += [op("f", "mwcas", [["x", i, -i - 1]], False, 5000 + 2 * i, 5001 + 2 * i) for i in range(length)]
    assert linpoint.check(lines, "mwcas", checker="graph", budget=60).status is Status.LINEARIZABLE


def test_a_failure_that_needs_no_explanation_causes_no_contradiction() -> None:
    """One value that it expected was never present, and hints put it before the operation that replaced another."""
    lines = [
        {**op(0, "mwcas", [["x", 0, 1]], True, 1, 2), "order": 5},
        {**op(1, "mwcas", [["x", 0, 9], ["y", 7, 9]], False, 3, 4), "order": 1},
    ]
    for checker in ("graph", "brute-force"):
        assert linpoint.check(lines, "mwcas", checker=checker).status is Status.VIOLATION
        reordered = [{**line, "order": 1} for line in lines]
        assert linpoint.check(reordered, "mwcas", checker=checker).status is Status.LINEARIZABLE
