# SPDX-License-Identifier: Apache-2.0
"""Counterexamples to simpler monitors: each history shows why one shortcut is wrong."""

from __future__ import annotations

from typing import Any

import pytest

import linpoint
from linpoint import Status
from linpoint.checkers.brute_force import brute_force
from linpoint.specs import BUILT_IN
from linpoint.specs.spec import Spec
from linpoint.verdicts.refutation import Pattern
from tests.checkers.test_differential import objections
from tests.timed_histories import timed


def monitored(text: str, spec: Spec | str, *, together: bool = False) -> str:
    """The monitor's answer, which the oracle must confirm; for a violation, its reason."""
    found = BUILT_IN[spec] if isinstance(spec, str) else spec
    history = timed(text, together=together)
    verdict = linpoint.check(history, found, checker="monitor")
    assert not objections(verdict, set())
    assert linpoint.check(history, found).status is not Status.UNKNOWN
    if verdict.status is Status.UNKNOWN:
        return verdict.why
    holds = brute_force(history, range(len(history)), found, "linearizable")[0]
    assert (verdict.status is Status.LINEARIZABLE) is holds
    return verdict.refutation.reason if isinstance(verdict.refutation, Pattern) else "linearizable"


# Queues


def test_turns_at_the_front_may_form_a_cycle_of_three() -> None:
    """No two values are inverted; zones that reach into a longer turn at the front have to be cut there."""
    adds = "enqueue(1) [3, 4.5]\nenqueue(2) [0, 4.6]\nenqueue(3) [1, 2]\n"
    fronts = "peek()->2 [10, 12]\ndequeue()->2 [20, 22]\ndequeue()->1 [5, 16]\ndequeue()->3 [14, 30]"
    assert monitored(adds + fronts, "queue") == "order-inverted"
    for left_out in range(3):  # each pair of them alone is in order
        kept = [line for line in (adds + fronts).splitlines() if not line.strip().startswith(f"enqueue({left_out + 1}")]
        kept = [line for line in kept if f"->{left_out + 1} " not in line]
        assert monitored("\n".join(kept), "queue") == "linearizable"


def test_touching_operations_are_concurrent() -> None:
    """Closed intervals: the second enqueue is called at the time when the first returns."""
    both = "enqueue(1) [0, {}]\nenqueue(2) [5, 6]\ndequeue()->2 [7, 8]\ndequeue()->1 [9, 10]"
    assert monitored(both.format(5), "queue") == "linearizable"
    assert monitored(both.format(4.5), "queue") == "order-inverted"


def test_touching_operations_of_one_process_are_sequential() -> None:
    own = "enqueue(1) [0, 5]\nenqueue(2) [5, 6]\ndequeue()->2 [6, 8]\ndequeue()->1 [8, 10]"
    assert monitored(own, "queue", together=True) == "order-inverted"


def test_an_empty_result_must_fit_between_stays() -> None:
    """Neither of two values is inside all the time, but together they are, from 5 to 31."""
    stays = "{0}(2) [0, 5]\n{1}()->2 [20, 30]\n{0}(1) [10, 12]\n{1}()->1 [31, 35]\n{1}() [{2}, {3}]"
    for spec, adds, removes in (("queue", "enqueue", "dequeue"), ("priority-queue", "insert", "delete-max")):
        assert monitored(stays.format(adds, removes, 6, 30.5), spec) == "empty-while-inside"
        assert monitored(stays.format(adds, removes, 6, 31), spec) == "linearizable"
        assert monitored(stays.format(adds, removes, 5, 30.5), spec) == "linearizable"


def test_initial_values_come_out_first() -> None:
    out = "enqueue(3) [0, 1]\ndequeue()->{} [2, 3]\ndequeue()->{} [4, 5]"
    first = linpoint.specs.queue(initial=[1, 2])
    assert monitored(out.format(1, 2), first) == "linearizable"
    assert monitored(out.format(2, 1), first) == "order-inverted"
    assert monitored(out.format(1, 3), first) == "order-inverted"
    assert monitored("pop()->1 [0, 1]", linpoint.specs.stack(initial=[1, 2])) == "not-nested"
    assert monitored("pop()->2 [0, 1]\npop()->1 [2, 3]", linpoint.specs.stack(initial=[1, 2])) == "linearizable"


def test_an_initial_value_without_operations_of_its_key_stays() -> None:
    """Operations of another key on an equal value do not affect this one."""
    lines = [
        {"process": n, "op": name, "args": args, "result": result, "call": 10 * n, "return": 10 * n + 5, "key": key}
        for n, (name, args, result, key) in enumerate(
            [("enqueue", [2], None, "x"), ("dequeue", [], 2, "x"), ("dequeue", [], 1, "y")]
        )
    ]
    for checker in ("monitor", "auto"):
        verdict = linpoint.check(lines, linpoint.specs.queue(initial=[1]), checker=checker)
        assert [key.status for key in verdict.keys] == [Status.VIOLATION, Status.LINEARIZABLE]


# Unknown outcomes


@pytest.mark.parametrize(
    ("called", "found"), [(5, "linearizable"), (7.5, "linearizable"), (8, "linearizable"), (8.5, "order-inverted")]
)
def test_an_unknown_removal_has_a_deadline(called: float, found: str) -> None:
    """It may have taken the blocking 1 if it was called before the 2 came out."""
    history = f"enqueue(1) [0, 1]\nenqueue(2) [2, 3]\ndequeue() [{called}, ...]\ndequeue()->2 [7, 8]"
    assert monitored(history, "queue") == found


def test_the_second_unknown_removal_must_meet_the_second_deadline() -> None:
    history = (
        "enqueue(1) [0, 1]\nenqueue(2) [2, 3]\nenqueue(3) [4, 5]\ndequeue()->3 [6, 7]\n"
        "dequeue() [0, ...]\ndequeue() [{}, ...]"
    )
    assert monitored(history.format(6.5), "queue") == "linearizable"
    assert monitored(history.format(7.5), "queue") == "order-inverted"


def test_an_unknown_removal_may_take_a_blocking_value_of_a_stack_or_priority_queue() -> None:
    stack = "push(1) [0, 1]\npush(2) [2, 3]\npop() [{}, ...]\npop()->1 [6, 7]"
    assert monitored(stack.format(5), "stack") == "linearizable"
    assert monitored(stack.format(8), "stack") == "not-nested"
    larger = "insert(1) [0, 1]\ninsert(2) [2, 3]\ndelete-max() [{}, ...]\ndelete-max()->1 [6, 7]"
    assert monitored(larger.format(5), "priority-queue") == "linearizable"
    assert monitored(larger.format(8), "priority-queue") == "higher-inside"


def test_an_unknown_add_takes_effect_if_its_value_was_seen() -> None:
    assert monitored("enqueue(1) [0, ...]\ndequeue() [5, 6]\ndequeue()->1 [7, 8]", "queue") == "linearizable"
    assert monitored("enqueue(1) [0, ...]\npeek()->1 [3, 4]\ndequeue() [5, 6]", "queue") == "empty-while-inside"
    assert monitored("enqueue(1) [5, ...]\ndequeue()->1 [3, 4]", "queue") == "seen-before-added"


def test_an_unknown_write_takes_effect_only_if_it_was_read() -> None:
    unknown = "write(1) [0, 1]\nwrite(2) [2, ...]\nread()->1 [4, 5]\n"
    assert monitored(unknown, "register") == "linearizable"
    assert monitored(unknown + "read()->2 [6, 7]", "register") == "linearizable"
    assert monitored(unknown + "read()->2 [6, 7]\nread()->1 [8, 9]", "register") == "zone-inside"


def test_the_expected_value_of_a_kept_compare_and_set_was_present() -> None:
    """The read of 3 implies cas(2, 3), which implies cas(1, 2), which has seen 1: a value that no operation wrote."""
    kept = "cas(2, 3) [0, ...]\ncas(1, 2) [0, ...]\nread()->3 [5, 6]\n"
    assert monitored(kept, "cas-register") == "never-added"
    assert monitored(kept, linpoint.specs.cas_register(initial=1)) == "linearizable"
    assert monitored(kept + "write(1) [0, ...]", "cas-register") == "linearizable"
    assert monitored(kept + "write(1) [7, ...]", "cas-register") == "replaced-too-early"
    assert monitored("cas(2, 3) [0, ...]\ncas(1, 2) [0, ...]", "cas-register") == "linearizable"


# Registers


def test_the_first_value_was_written_before_everything() -> None:
    one = linpoint.specs.register(initial=1)
    assert monitored("write(2) [0, 5]\nread()->1 [3, 9]", one) == "linearizable"
    assert monitored("write(2) [0, 5]\nread()->1 [6, 9]", one) == "zone-inside"
    assert monitored("write(2) [0, 9]\nread()->2 [1, 2]\nread()->1 [3, 4]", one) == "zone-inside"
    assert monitored("read()->1 [0, 1]", one) == "linearizable"
    assert monitored("read()->1 [0, 1]", "register") == "never-added"


def test_a_chain_is_current_as_a_whole() -> None:
    """Neither 1 nor 2 lasts long, but together they leave no time for 3."""
    chain = "write(1) [0, 1]\ncas(1, 2)->true [4, 5]\nread()->2 [8, 9]\n"
    assert monitored(chain + "write(3) [2, 3]", "cas-register") == "zone-inside"
    assert monitored(chain + "write(3) [6, 7]", "cas-register") == "zone-inside"
    assert monitored(chain + "write(3) [2, 9]", "cas-register") == "linearizable"


def test_equal_values_are_distinguished_by_time() -> None:
    again = "write(1) [0, 1]\nwrite(2) [2, 3]\nwrite(1) [4, 5]\nread()->1 [6, 7]\n"
    assert monitored(again, "register") == "linearizable"
    assert monitored(again + "write(2) [8, 9]\nread()->1 [10, 11]", "register") == "overwritten"


def test_a_compare_and_set_cannot_see_its_own_write() -> None:
    """cas(1, 1) reads; cas(null, 1) also changes nothing if the value is 1 already."""
    assert monitored("cas(1, 1)->true [0, 1]", linpoint.specs.cas_register(initial=1)) == "linearizable"
    assert monitored("cas(1, 1)->true [0, 1]", "cas-register") == "never-added"
    assert monitored("swap(1)->1 [0, 1]", "cas-register") == "never-added"


# Duplicates in containers


def test_duplicates_are_distinguished_if_times_leave_one_assignment() -> None:
    twice = "enqueue(1) [0, 1]\ndequeue()->1 [2, 3]\nenqueue(1) [4, 5]\nenqueue(2) [6, 7]\ndequeue()->{} [8, 9]"
    assert monitored(twice.format(1), "queue") == "linearizable"
    assert monitored(twice.format(2), "queue") == "order-inverted"


def test_duplicates_are_assigned_in_order_of_return() -> None:
    """The removal called first returned last and gets the second 1."""
    history = "enqueue(1) [0, 1]\nenqueue(1) [10, 11]\ndequeue()->1 [2, 20]\ndequeue()->1 [5, 6]\n"
    assert monitored(history, "queue") == "linearizable"
    assert monitored(history + "dequeue() [8, 9]", "queue") == "linearizable"
    assert monitored(history + "enqueue(2) [7, 8]\ndequeue()->2 [21, 22]", "queue") == "order-inverted"


def test_a_guess_among_duplicates_can_prove_an_order_but_not_a_violation() -> None:
    both = "enqueue(1) [0, 9]\nenqueue(1) [0, 9]\nenqueue(2) [{}, {}]\ndequeue()->2 [30, 31]\ndequeue()->1 [32, 33]"
    assert monitored(both.format(0, 9), "queue") == "linearizable"
    assert "occurs more than once" in monitored(both.format(10, 11), "queue")


# Bits and counts


@pytest.mark.parametrize(
    ("spec", "text"),
    [
        (linpoint.specs.multiset(initial=[1]), "count(1)->0 [0, 10]\nremove(1)->true [0, 20]\nadd(1) [1, 2]"),
        (linpoint.specs.counter(initial=1), "read()->0 [0, 10]\ndecrement() [0, 20]\nincrement() [1, 2]"),
        (linpoint.specs.semaphore(1), "try-acquire()->false [0, 10]\nacquire() [0, 20]\nrelease() [1, 2]"),
    ],
    ids=["multiset", "counter", "semaphore"],
)
def test_counts_that_go_up_and_down_are_left_to_searches(spec: Any, text: str) -> None:
    """Delaying the removal until it must return leaves two at 2, and no other step reaches zero by 10."""
    history = timed(text)
    assert brute_force(history, range(3), spec, "linearizable")[0]
    assert linpoint.check(history, spec, checker="monitor").status is Status.UNKNOWN
    verdict = linpoint.check(history, spec)
    assert verdict.status is Status.LINEARIZABLE
    assert verdict.checker in ("dfs", "frontier")


def test_the_flip_that_must_return_first_is_used() -> None:
    adds = "add(1)->true [0, 30]\nadd(1)->true [0, 3]\nremove(1)->true [{}, 20]"
    assert monitored(adds.format(2), "set") == "linearizable"
    assert monitored("add(1)->true [0, 3]\nadd(1)->true [0, 4]\nremove(1)->true [5, 6]", "set") == "nobody-flips"


def test_an_unknown_flip_is_used_last() -> None:
    """The remove that returned at 5 serves the second add; the unknown one is left for the third."""
    adds = "add(1)->true [0, 1]\nremove(1) [2, ...]\nremove(1)->true [3, 5]\nadd(1)->true [4, 6]\nadd(1)->true [7, 8]"
    assert monitored(adds, "set") == "linearizable"
    assert monitored(adds + "\nadd(1)->true [9, 10]", "set") == "nobody-flips"


def test_unknown_steps_fill_the_gaps_between_counts() -> None:
    holes = "fetch-add(1)->0 [0, 1]\nfetch-add(1)->2 [4, 5]\nfetch-add(1) [{}, ...]"
    assert monitored(holes.format(3), "fetch-add") == "linearizable"
    assert monitored(holes.format(6), "fetch-add") == "count-too-high"
    assert monitored("increment() [3, ...]\nread()->0 [4, 5]\nread()->1 [6, 7]", "counter") == "linearizable"
    assert monitored("increment() [6, ...]\nread()->1 [4, 5]", "counter") == "count-too-high"


def test_steps_of_other_sizes_are_counted() -> None:
    assert monitored("add(3) [0, 1]\nadd(3) [2, 3]\nread()->6 [4, 5]", "counter") == "linearizable"
    assert monitored("add(3) [0, 1]\nadd(3) [2, 3]\nread()->3 [4, 5]", "counter") == "count-too-low"
    assert monitored("decrement() [0, 1]\nread()->-1 [4, 5]", "counter") == "linearizable"
    assert monitored("decrement() [0, 1]\nread()->1 [4, 5]", "counter") == "count-too-low"
    assert monitored("fetch-add(-2)->4 [0, 9]\nfetch-add(-2)->2 [0, 9]", linpoint.specs.fetch_add(initial=4)) == (
        "linearizable"
    )


def test_a_queue_that_cannot_be_full_is_like_one_without_a_capacity() -> None:
    """The certificate took every capacity for one that could be reached, and rejected a correct verdict (LP-V001)."""
    lost = "dequeue() [0, 18]\nenqueue(1)->true [4, 11]\ndequeue() [19, 24]"
    assert monitored(lost, "queue") == monitored(lost, linpoint.specs.queue(capacity=10))
    assert monitored(lost, linpoint.specs.queue(capacity=3)) != "linearizable"
    assert linpoint.check(timed(lost), "queue(capacity=2)").status is Status.VIOLATION


def test_a_contradicted_read_need_not_be_the_last_one_that_required_steps() -> None:
    """The monitor blamed read()->2 [4, 8], which requires a step that had to return anyway (LP-V001).

    That the pending increment took effect follows from read()->1, and two further increments follow it.
    """
    steps = "increment() [0, ...]\nincrement() [3, 10]\nincrement() [3.5, 20]\n"
    assert monitored(steps + "read()->1 [1, 2]\nread()->2 [4, 8]\nread()->2 [21, 22]", "counter") == "count-too-low"
    assert monitored(steps + "read()->2 [4, 8]\nread()->2 [21, 22]", "counter") == "linearizable"


def test_a_read_of_a_value_never_written_is_found_among_repeated_values() -> None:
    """The values of other reads can only be guessed then, but this read alone is a violation and needs no search."""
    history = """
        A: |--write(1)--| |--write(2)--| |--cas(1, 2)->true--|  |--read()->9--|
        B:   |--write(1)--|  |--cas(2, 1)->true--|  |--read()->2--|
        C:   |--write(2)--|  |--read()->1--|
    """
    verdict = linpoint.check(history, "cas-register")
    assert (verdict.status, verdict.checker) == (Status.VIOLATION, "monitor")
    pattern = verdict.refutation
    assert isinstance(pattern, Pattern)
    (position,) = pattern.operations
    assert (pattern.reason, str(verdict.history[position])) == ("never-added", "read() -> 9")
    assert tuple(pattern.scope) == (position,)
    later = history.rstrip() + "\n        D:" + " " * 75 + "|--write(9)--|"
    assert linpoint.check(later, "cas-register").status is Status.VIOLATION
