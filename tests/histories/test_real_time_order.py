# SPDX-License-Identifier: Apache-2.0
"""Real-time order: closed intervals, consecutive operations of one process that touch, crashes at the same instant."""

import itertools
import random

import pytest

import linpoint
from linpoint.histories.integer_columns import NEVER_RANK, RealTimeOrder, Span, real_time_order
from linpoint.histories.partition_by_key import partition_by_key
from tests.volume import seeds, volume


def precedes(ranks: RealTimeOrder, a: int, b: int) -> bool:
    chained = any(a in chain and b in chain and chain.index(a) < chain.index(b) for chain in ranks.chains)
    return ranks.returns[a] < ranks.calls[b] or chained


def spans(*intervals: tuple[str, float, float | None]) -> list[Span]:
    return [Span(process, call, return_) for process, call, return_ in intervals]


def test_touching_operations_of_two_processes_overlap() -> None:
    ranks = real_time_order(spans(("A", 0, 5), ("B", 5, 9)))
    assert not precedes(ranks, 0, 1)
    assert not precedes(ranks, 1, 0)


def test_touching_operations_of_one_process_are_sequential() -> None:
    ranks = real_time_order(spans(("A", 0, 5), ("A", 5, 9), ("B", 5, 6), ("C", 1, 5)))
    assert precedes(ranks, 0, 1)
    assert not any(precedes(ranks, a, b) for a, b in itertools.permutations(range(4), 2) if (a, b) != (0, 1))
    assert not ranks.chains


def test_touching_operations_of_two_processes_at_one_instant_need_chains() -> None:
    ranks = real_time_order(spans(("A", 1, 5), ("A", 5, 9), ("B", 1, 5), ("B", 5, 9)))
    assert [pair for pair in itertools.permutations(range(4), 2) if precedes(ranks, *pair)] == [(0, 1), (2, 3)]


def test_points_at_one_instant_keep_the_order_of_their_process() -> None:
    ranks = real_time_order(spans(("A", 5, 5), ("A", 5, 5), ("A", 5, 7), ("B", 5, 5)))
    assert precedes(ranks, 0, 1)
    assert precedes(ranks, 1, 2)
    assert precedes(ranks, 0, 2)
    assert not precedes(ranks, 0, 3)


def test_an_operation_that_never_returns_precedes_nothing() -> None:
    ranks = real_time_order(spans(("A", 0, None), ("B", 3, 4)))
    assert ranks.returns[0] == NEVER_RANK
    assert not precedes(ranks, 0, 1)


@pytest.mark.random
@pytest.mark.parametrize("seed", seeds(volume(20)))
def test_ranks_agree_with_the_definition(seed: str) -> None:
    rng = random.Random(seed)
    for _ in range(200):
        made = []
        for process in "ABC":
            now = rng.randint(0, 3)
            for _ in range(rng.randint(0, 4)):
                end = now + rng.choice([0, 1, 2, 5])
                made.append(Span(process, now, end))
                now = end + rng.choice([0, 0, 1, 3])
        ranks = real_time_order(made)
        for a, b in itertools.permutations(range(len(made)), 2):
            first, second = made[a], made[b]
            earlier = first.process == second.process and a < b
            expected = first.return_ < second.call or earlier
            assert precedes(ranks, a, b) == expected


def test_a_crash_separates_operations_that_touch_it() -> None:
    crashed = linpoint.history(
        [
            {"process": 0, "op": "write", "args": [1], "result": None, "call": 0, "return": 5},
            {"process": 1, "op": "read", "result": None, "call": 5, "return": 9},
            {"crash": True, "time": 5},
        ]
    )
    assert linpoint.check(crashed, "register").status is linpoint.Status.VIOLATION
    assert linpoint.check(crashed, "register", condition="linearizable").status is linpoint.Status.LINEARIZABLE


def test_a_crash_of_one_process_separates_its_operations_from_others() -> None:
    """It separates no operations of other processes: the crash of an idle process does not matter."""
    for crashed, verdict in ((0, "violation"), (1, "linearizable"), (2, "linearizable")):
        history = linpoint.history(
            [
                {"process": 0, "op": "write", "args": [1], "result": None, "call": 0, "return": 5},
                {"process": 1, "op": "read", "result": None, "call": 5, "return": 9},
                {"crash": True, "process": crashed, "time": 5},
            ]
        )
        assert linpoint.check(history, "register").status.value == verdict
        assert linpoint.check(history, "register", condition="linearizable").status is linpoint.Status.LINEARIZABLE


def test_histories_are_partitioned_by_key() -> None:
    history = linpoint.history("""
        A: |--write(1)--|                    |--read()->2--|
        B:      |--write(2)--|                   |--read()->2--|
    """)
    assert partition_by_key(history, range(4), lambda op: op.name) == [("write", (0, 2)), ("read", (1, 3))]
