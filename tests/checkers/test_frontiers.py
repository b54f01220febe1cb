# SPDX-License-Identifier: Apache-2.0
"""Searches over frontiers against the oracle, on random small histories of every object that they support.

Values repeat, results are unknown, calls and returns touch, objects crash and begin with values. `plain_certify` checks
the evidence: a witness is run on the Python specs, and for a refuted start the oracle decides every choice among the
operations that were still open.
"""

from __future__ import annotations

import random
from collections import Counter

import pytest

import linpoint
from linpoint import History, Spec, Status
from linpoint.executors.thread_executor import resident_memory
from linpoint.verdicts import RefutedStart
from tests.checkers.test_differential import describe, objections
from tests.random_histories import random_history
from tests.random_monitored_histories import DRAWS, monitored_history
from tests.timed_histories import timed
from tests.volume import SEED, least_of, seeds

DAY_HISTORIES = 250
LONG_HISTORIES = 20_000
LONG_CHUNKS = 10

KINDS = (
    *("queue", "stack", "priority-queue", "register", "cas-register", "map", "set", "multiset"),
    *("counter", "fetch-add", "mutex", "semaphore(2)"),
)
SEARCH_BYTES = 8 << 20
"""The memory limit of a search on a longer history; most need less."""


def drawn(rng: random.Random, kind: str) -> tuple[History, Spec, str]:
    """A history with repeated values, for the default condition or another one with a problem of the same form."""
    crashes = rng.random() < 0.3
    condition = rng.choice(["durable", "recoverable", "strict"]) if crashes else "linearizable"
    keyed = kind != "map" and rng.random() < 0.15
    history, spec = random_history(rng, kind, crashes=crashes, keyed=keyed, noise=rng.choice([0.0, 0.05, 0.15]))
    return history, spec, condition


def compare(kind: str, seed: str, histories: int) -> None:
    rng = random.Random(f"{kind} {seed}")
    seen: Counter[str] = Counter()
    for number in range(histories):
        history, spec, condition = drawn(rng, kind)
        story = f"{kind}, {condition}, seed {seed}, history {number}\n{describe(history)}"
        expected = linpoint.check(history, spec, checker="brute-force", condition=condition, jobs=1).status
        verdict = linpoint.check(history, spec, checker="frontier", condition=condition, jobs=1)
        seen[verdict.status.value] += 1
        assert verdict.status in (expected, Status.UNKNOWN), story
        assert verdict.checker == "frontier"
        assert not (wrong := objections(verdict, set())), f"{story}\n{verdict.refutation}\n{wrong}"
        for key in verdict.keys:
            if key.status is Status.VIOLATION:
                assert isinstance(key.refutation, RefutedStart), story
                assert key.refutation.confirmed, story
    assert seen["unknown"] <= histories * 0.45, seen
    assert min(seen["violation"], seen["linearizable"]) >= least_of(1 / 10, histories), seen


@pytest.mark.parametrize("kind", KINDS)
def test_frontiers_agree_with_the_oracle(kind: str) -> None:
    compare(kind, SEED, DAY_HISTORIES)


@pytest.mark.long
@pytest.mark.parametrize("seed", seeds(LONG_CHUNKS, "long"))
@pytest.mark.parametrize("kind", KINDS)
def test_frontiers_agree_with_the_oracle_at_length(kind: str, seed: str) -> None:
    compare(kind, seed, LONG_HISTORIES // LONG_CHUNKS)


# Longer histories, for which there is no oracle


def compare_longer(kind: str, seed: str, histories: int) -> None:
    rng = random.Random(f"{kind} {seed}")
    seen: Counter[str] = Counter()
    for number in range(histories):
        history, spec = monitored_history(rng, kind, size=rng.randint(30, 120))
        found = {}
        for checker in ("frontier", "monitor", "dfs", "linear", "linear-dfs"):
            limit = resident_memory() + SEARCH_BYTES  # unlike time, it does not depend on other work of the machine
            verdict = linpoint.check(history, spec, checker=checker, max_memory=limit, jobs=1)
            found[checker] = verdict.status
            assert not objections(verdict, set()), f"{checker}, {kind}, seed {seed}, longer history {number}"
        known = {*found.values()} - {Status.UNKNOWN}
        assert len(known) <= 1, f"{found}, {kind}, seed {seed}, longer history {number}\n{describe(history)}"
        seen["decided"] += found["frontier"] is not Status.UNKNOWN
    assert seen["decided"] >= histories * 0.7, seen


@pytest.mark.parametrize("kind", DRAWS)
def test_frontiers_agree_with_other_checkers_on_longer_histories(kind: str) -> None:
    compare_longer(kind, SEED, 20)


@pytest.mark.long
@pytest.mark.parametrize("seed", seeds(LONG_CHUNKS, "long"))
@pytest.mark.parametrize("kind", DRAWS)
def test_frontiers_agree_with_other_checkers_on_longer_histories_at_length(kind: str, seed: str) -> None:
    compare_longer(kind, seed, 300)


# Traps


TRAPS = {
    "a peek needs an insert that covers a value which another is to take first": (
        "priority-queue",
        """
        insert(1) [0, 10]
        insert(2) [1, 9]
        peek()->2 [2, 5]
        delete-max()->1 [3, 8]
        """,
        Status.LINEARIZABLE,
    ),
    "an equal value may have to be taken before the insert that is due": (
        "priority-queue",
        """
        insert(1) [0, 1]
        delete-max()->1 [2, 20]
        insert(1) [3, 6]
        peek() [4, 10]
        """,
        Status.LINEARIZABLE,
    ),
    "a later call that returns sooner needs the earlier of equal permits": (
        "semaphore(0)",
        """
        release() [0, 10]
        try-acquire()->false [1, 9]
        acquire() [2, 5]
        release() [6, 8]
        acquire() [7, 12]
        """,
        Status.LINEARIZABLE,
    ),
    "a cut needs the dequeue that was called earlier, although another returns sooner": (
        "queue",
        """
        enqueue(1) [0, 1]
        enqueue(1) [4, 9]
        dequeue()->1 [2, 12]
        dequeue()->1 [6, 8]
        dequeue() [3, 5]
        """,
        Status.LINEARIZABLE,
    ),
    "repeated values out of order": (
        "queue",
        """
        enqueue(1) [0, 1]
        enqueue(2) [2, 3]
        enqueue(1) [4, 5]
        dequeue()->1 [6, 7]
        dequeue()->1 [8, 9]
        """,
        Status.VIOLATION,
    ),
}


@pytest.mark.parametrize("name", TRAPS)
def test_trap_histories_have_their_verdicts(name: str) -> None:
    spec, text, expected = TRAPS[name]
    history = timed(text)
    assert linpoint.check(history, spec, checker="brute-force").status is expected
    assert linpoint.check(history, spec, checker="frontier").status is expected


# Reports


def repeated(count: int) -> History:
    """Enqueues of two values that overlap in pairs, and consecutive dequeues, the last of which are wrong."""
    lines = [f"enqueue({n % 2}) [{10 * (n // 2)}, {10 * (n // 2) + 5 + n % 2}]" for n in range(count)]
    for n in range(count):
        value = n % 2 if n < count - 4 else (1, 1, 0, 0)[n - count + 4]
        lines.append(f"dequeue()->{value} [{10 * count + 10 * n}, {10 * count + 10 * n + 8}]")
    return timed("\n".join(lines))


def test_frontiers_are_chosen_for_repeated_values_with_that_reason() -> None:
    good = linpoint.check(
        linpoint.history("""
            A:    |--peek()--|  |--enqueue(3)--|  |--peek()->3--|  |--dequeue()->3--|
            B:  |--enqueue(3)-----------------------------------------|
        """),
        "queue",
        condition="durable",  # a short history has a fast path under the default condition
    )
    assert (good.status, good.checker) == (Status.LINEARIZABLE, "frontier")
    assert good.why.startswith("values repeat; the applied enqueues and dequeues suffice as configurations")
    assert "monitor not used: a value occurs more than once" in good.why
    bad = linpoint.check(repeated(40), "queue", condition="durable")
    assert (bad.status, bad.checker) == (Status.VIOLATION, "frontier")


def test_a_violation_is_reported_with_its_shortest_start() -> None:
    history = repeated(12)
    found = linpoint.check(history, "queue", checker="frontier").refutation
    assert isinstance(found, RefutedStart)
    assert found.kind == "refuted-start"
    assert found.confirmed
    end = history[found.last].end
    sooner = [p for p in range(len(history)) if history[p].end < end]
    assert linpoint.check(history.select(sooner), "queue").status is Status.LINEARIZABLE
    assert linpoint.check(history.select(found.scope), "queue").status is Status.VIOLATION


def test_irrelevant_values_are_omitted() -> None:
    history = timed("""
        enqueue(7) [0, 1]
        enqueue(8) [0, 1]
        enqueue(7) [2, 3]
        enqueue(8) [2, 3]
        enqueue(1) [20, 21]
        enqueue(2) [22, 23]
        enqueue(1) [24, 25]
        dequeue()->7 [26, 27]
        dequeue()->7 [28, 29]
        dequeue()->2 [30, 31]
    """)
    found = linpoint.check(history, "queue", checker="frontier").refutation
    assert isinstance(found, RefutedStart)
    values = {value for position in found.scope for value in (*history[position].args, history[position].result)}
    assert len(values - {None}) <= 2


def test_elements_of_a_multiset_are_decided_separately() -> None:
    history = timed("""
        add(1) [0, 1]
        add(2) [2, 3]
        count(1)->1 [4, 5]
        count(2)->1 [4, 6]
        remove(1)->true [7, 9]
        count(2)->1 [8, 10]
    """)
    assert linpoint.check(history, "multiset").status is Status.LINEARIZABLE


EXCLUDED: dict[str, tuple[str, str]] = {
    "frontier searches do not support deque": ("deque", "push-front(1) [0, 1]\npush-back(2) [2, 3]"),
    "null is stored": ("queue", "enqueue(null) [0, 1]"),
    "the queue has a capacity and can be full": (
        "queue(capacity=1)",
        "enqueue(1)->true [0, 1]\nenqueue(2)->false [2, 3]",
    ),
    "more than 64 operations are open": ("queue", "\n".join(f"enqueue(1) [{n}, ...]" for n in range(70))),
    "one of the operations": ("map", 'append("k", "a") [0, 1]'),
}


@pytest.mark.parametrize("why", EXCLUDED)
def test_excluded_histories_are_reported_with_the_reason(why: str) -> None:
    spec, text = EXCLUDED[why]
    verdict = linpoint.check(timed(text), spec, checker="frontier")
    assert verdict.status is Status.UNKNOWN
    assert verdict.checker == "frontier"
    assert why in verdict.why
