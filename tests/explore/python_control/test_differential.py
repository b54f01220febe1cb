# SPDX-License-Identifier: Apache-2.0
"""Different ways to explore the same object find the same outcomes.

An access that the hook misses is found by schedules that switch before each instruction, without any reduction: they
show outcomes that the reduction, which relies on the accesses, does not.
"""

from __future__ import annotations

import functools

import pytest

from linpoint.explore import _native_control as native
from tests.explore.python_control.outcomes import Explored, explore
from tests.explore.python_control.shared_objects import SMALL, Subject

MOST_RUNS = 4_000
PATIENCE = 120.0


@functools.cache
def reduced(index: int) -> Explored:
    subject = SMALL[index]
    found = explore(subject.make, subject.threads, state=subject.state, patience=PATIENCE)
    assert found.exhaustive
    assert len(found.results) == subject.results
    return found


def everything(subject: Subject, most: int, **options) -> Explored | None:
    """Without any reduction, up to a number of preemptions."""
    return explore(
        subject.make,
        subject.threads,
        state=subject.state,
        explorer=native.explore_bounded(most),
        most_runs=MOST_RUNS,
        patience=PATIENCE,
        **options,
    )


NUMBERED = pytest.mark.parametrize("index", range(len(SMALL)), ids=[each.name for each in SMALL])


@NUMBERED
def test_reduction_loses_no_outcome(index):
    """Every schedule if feasible; otherwise all schedules with few preemptions."""
    whole = everything(SMALL[index], 100)
    if whole.exhaustive:
        assert whole.outcomes == reduced(index).outcomes
        assert whole.runs >= reduced(index).runs
    else:
        assert whole.outcomes <= reduced(index).outcomes


@NUMBERED
def test_no_shared_access_is_missed(index):
    """Switching before each instruction, up to two preemptions, finds no outcome that the reduction has not found."""
    assert everything(SMALL[index], 2, granularity="opcode").results <= reduced(index).results


@NUMBERED
def test_steps_of_single_instructions_reduce_to_the_same_results(index):
    subject = SMALL[index]
    fine = explore(subject.make, subject.threads, state=subject.state, granularity="opcode", patience=PATIENCE)
    assert fine.exhaustive
    assert fine.results == reduced(index).results


@NUMBERED
@pytest.mark.parametrize("options", [{"granularity": "line"}, {"gil": True}], ids=["lines", "gil"])
def test_coarser_steps_find_a_subset_of_the_outcomes(index, options):
    subject = SMALL[index]
    coarse = explore(subject.make, subject.threads, state=subject.state, patience=PATIENCE, **options)
    assert coarse.exhaustive
    assert coarse.results <= reduced(index).results


def test_some_results_need_fine_steps():
    names = [each.name for each in SMALL]
    counter = SMALL[names.index("Counter: increment | increment")]
    of_lines = explore(counter.make, counter.threads, granularity="line")
    assert {results for _, results, _ in of_lines.results} == {(("1",), ("2",)), (("2",), ("1",)), (("2",), ("2",))}
    with_lock = explore(counter.make, counter.threads, gil=True)
    assert {results for _, results, _ in with_lock.results} == {(("1",), ("2",)), (("2",), ("1",))}
