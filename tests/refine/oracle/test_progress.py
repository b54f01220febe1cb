# SPDX-License-Identifier: Apache-2.0
"""The oracle's answers about progress are correct on models that can be checked by hand."""

from __future__ import annotations

from tests.refine.oracle.language import LockDeclaration, Statement
from tests.refine.oracle.model_builder import (
    cas,
    cell,
    during,
    forever,
    give,
    holding,
    let,
    load,
    op,
    operation,
    store,
    swap,
    when,
)
from tests.refine.oracle.progress import progress_of
from tests.refine.oracle.small_models import small

REGISTER = "initial = 0\ndef swap(state, v):\n    return state, v"


def test_two_locks_taken_crosswise_deadlock_after_two_steps() -> None:
    spec = "initial = 0\ndef one(state):\n    return None, 0\ndef other(state):\n    return None, 0"
    locks = (LockDeclaration("m"), LockDeclaration("n"))
    one = operation("one", holding("m", holding("n", give())))
    other = operation("other", holding("n", holding("m", give())))
    found = progress_of(small(spec, *locks, one, other))
    assert (found.deadlock, found.deadlock_length, found.waits) == (True, 2, True)
    assert found.lock_free
    assert found.responds == {"none": False, "weak": False, "strong": False}
    assert not progress_of(small(spec, *locks, one)).deadlock


def test_a_swap_loop_starves_only_without_fairness() -> None:
    subject = small(REGISTER, cell("x"), operation("swap", give(swap("x", "v")), v=(1, 2)))
    found = progress_of(subject, operations=0)
    assert (found.lock_free, found.obstruction_free, found.deadlock) == (True, True, False)
    assert found.responds == {"none": False, "weak": True, "strong": True}
    assert progress_of(subject).responds["none"]  # with few operations no process continues forever


def test_retrying_a_cas_may_starve_despite_fairness() -> None:
    body = forever(let("old", load("x")), when(cas("x", "old", "v"), give("old")))
    found = progress_of(small(REGISTER, cell("x"), operation("swap", body, v=(1, 2))), operations=0)
    assert (found.lock_free, found.obstruction_free) == (True, True)
    assert found.responds == {"none": False, "weak": False, "strong": False}


def test_a_lock_needs_strong_fairness() -> None:
    body = holding("m", let("old", load("x")), store("x", "v"), give("old"))
    found = progress_of(small(REGISTER, cell("x"), LockDeclaration("m"), operation("swap", body, v=(1,))), operations=0)
    assert (found.waits, found.deadlock) == (True, False)
    assert found.responds == {"none": False, "weak": False, "strong": True}


def test_waiting_for_another_process_spins_alone() -> None:
    spec = "initial = 0\ndef wait(state):\n    return [(None, 1)] if state else []\ndef go(state):\n    return None, 1"
    wait = operation("wait", during(op(load("x"), "==", 0)), give(), role="waiter")
    go = operation("go", store("x", 1), give(), role="goer")
    found = progress_of(small(spec, cell("x"), wait, go))
    assert not found.lock_free
    assert not found.obstruction_free
    assert found.responds == {"none": False, "weak": True, "strong": True}
    assert progress_of(small(spec, cell("x"), wait, go, memory_model="tso")).responds["weak"]


def test_two_processes_that_make_each_other_retry_make_no_progress() -> None:
    # Raise my flag; if yours is up, take mine down and try again.
    def entering(mine: str, yours: str) -> tuple[Statement, ...]:
        return (forever(store(mine, 1), when(op(load(yours), "==", 0), store(mine, 0), give()), store(mine, 0)),)

    spec = "initial = 0\ndef left(state):\n    return None, 0\ndef right(state):\n    return None, 0"
    left = operation("left", *entering("x", "y"), role="left")
    right = operation("right", *entering("y", "x"), role="right")
    found = progress_of(small(spec, cell("x"), cell("y"), left, right))
    assert not found.lock_free
    # Not even alone: a process that runs while the other's flag is up keeps finding it up.
    assert not found.obstruction_free
    assert found.responds == {"none": False, "weak": False, "strong": False}


def test_writing_a_name_until_it_stays_is_only_obstruction_free() -> None:
    def claiming(name: int) -> Statement:
        return forever(store("x", name), when(op(load("x"), "==", name), give()))

    spec = "initial = 0\ndef left(state):\n    return None, 0\ndef right(state):\n    return None, 0"
    left, right = operation("left", claiming(1), role="left"), operation("right", claiming(2), role="right")
    found = progress_of(small(spec, cell("x"), left, right))
    assert (found.lock_free, found.obstruction_free) == (False, True)
    assert found.responds == {"none": False, "weak": False, "strong": False}
