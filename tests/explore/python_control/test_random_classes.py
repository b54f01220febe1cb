# SPDX-License-Identifier: Apache-2.0
"""Random classes: exploration finds exactly the outcomes of an oracle that visits states."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterator

import pytest

from tests.explore.python_control.outcomes import explore
from tests.explore.python_control.random_classes import Oracle, Program, generate
from tests.volume import seed_numbers

MOST_STATES = 3_000
CHUNK = 25
CHUNKS = 8
DAY_CHUNKS = 1
LONG_CHUNKS = 160
PATIENCE = 120.0


@functools.cache
def chunk(number: int, *, fresh: bool) -> tuple[tuple[Program, Oracle], ...]:
    """Programs with few enough states; each chunk has its own seeds, of this commit or fixed ones."""

    def fitting() -> Iterator[tuple[Program, Oracle]]:
        for seed in itertools.count(seed_numbers(1, f"chunk {number}").start if fresh else number * 1_000):
            program = generate(seed)
            oracle = Oracle(program, MOST_STATES)
            if oracle.run():
                yield program, oracle

    return tuple(itertools.islice(fitting(), CHUNK))


def check(number: int) -> dict[int, int]:
    """The number of executions that each program needed, by seed."""
    executions = {}
    for program, oracle in chunk(number, fresh=True):
        found = explore(program.load(), program.threads, patience=PATIENCE)
        assert found.exhaustive
        assert found.outcomes == oracle.outcomes, program.source
        executions[program.seed] = found.runs
    return executions


@pytest.mark.parametrize("number", range(DAY_CHUNKS))
def test_exploration_finds_exactly_the_outcomes_of_the_oracle(number):
    check(number)


@pytest.mark.long
@pytest.mark.parametrize("number", range(DAY_CHUNKS, DAY_CHUNKS + LONG_CHUNKS))
def test_exploration_finds_exactly_the_outcomes_of_the_oracle_at_length(number):
    check(number)


def test_most_programs_have_many_outcomes_and_locks():
    programs = [each for number in range(CHUNKS) for each in chunk(number, fresh=False)]
    rich = [program for program, oracle in programs if program.locks and len(oracle.outcomes) >= 5]
    stuck = [program for program, oracle in programs if any(each.ending == "STUCK" for each in oracle.outcomes)]
    raising = [program for program, oracle in programs if "raises" in repr(oracle.outcomes)]
    assert len(rich) >= 100
    assert len(stuck) >= 10
    assert len(raising) >= 20
    assert sum(len(program.threads) == 3 for program, _ in programs) >= 20


EXECUTIONS = {
    2: 168,
    5: 11,
    6: 31,
    9: 109,
    13: 242,
    28: 134,
    1002: 200,
    1005: 57,
    1011: 90,
    1026: 192,
    2018: 86,
    2026: 154,
}
"""The same on every version of Python, like the accesses of these statements."""


@pytest.mark.parametrize("seed", EXECUTIONS)
def test_the_number_of_executions_is_pinned(seed):
    program = generate(seed)
    assert explore(program.load(), program.threads, patience=PATIENCE).runs == EXECUTIONS[seed]
