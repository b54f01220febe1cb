# SPDX-License-Identifier: Apache-2.0
"""Properties of every explanation, on random violations: it is a violation, it is minimal, its picture is correct."""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Callable, Iterable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import linpoint
from linpoint.checkers.brute_force import brute_force
from linpoint.explain.wording.ascii_timeline import ascii_timeline
from linpoint.specs.spec_lookup import find
from tests.random_histories import MAKERS, random_history
from tests.volume import volume

VIOLATION = linpoint.Status.VIOLATION
CONDITIONS = ("strict", "recoverable", "durable", "buffered-durable", "sequential")
SEEDS = st.integers(0, 2**32)
FEW = settings(max_examples=volume(25, least=5))


def violation(
    seed: int, name: str, *, crashes: bool = False, keyed: bool = False, hints: bool = False, skew: bool = False
) -> linpoint.Verdict | None:
    """A violation made from the seed, if one is found soon."""
    rng = random.Random(seed)
    for _ in range(15):
        history, spec = random_history(rng, name, operations=7, crashes=crashes, keyed=keyed, hints=hints, skew=skew)
        condition = rng.choice(CONDITIONS) if crashes else None
        verdict = linpoint.check(history, spec, condition=condition)
        if verdict.status is VIOLATION:
            return verdict
    return None


def holds(verdict: linpoint.Verdict, positions: Iterable[int], history: linpoint.History | None = None) -> bool:
    """Whether these operations satisfy the verdict's condition, by definition."""
    return brute_force(history or verdict.history, list(positions), verdict.spec, verdict.condition)[0]


def everything_called_by(verdict: linpoint.Verdict, position: int, end: float) -> list[int]:
    """The operations on the object of ``position`` that were called by the time ``end``."""
    key = next(key for key in verdict.keys if position in key.positions)
    return [p for p in key.positions if verdict.history[p].call <= end + verdict.history.clock_skew]


def the_core_is_a_violation(verdict: linpoint.Verdict, found: linpoint.Explanation) -> None:
    assert found.core
    assert list(found.core) == sorted(found.core, key=lambda p: verdict.history[p].call)
    assert not holds(verdict, found.core)


def the_core_is_this_violation(verdict: linpoint.Verdict, found: linpoint.Explanation) -> None:
    """When the last operation of the core returned, the history was already a violation.

    Otherwise only an omission made the core a violation, and it would blame the wrong operations.
    """
    if verdict.condition != "sequential":  # if a read may be explained by a later operation
        end = max(verdict.history[p].end for p in found.core)
        assert not holds(verdict, everything_called_by(verdict, found.core[0], end)), found.text


def nothing_can_be_dropped_from_a_minimal_core(verdict: linpoint.Verdict, found: linpoint.Explanation) -> None:
    """If any single needed operation might not have happened, the shown operations would have an order.

    Operations shown in addition to the needed ones are no evidence: they may have happened or not.
    """
    assert set(found.needed) <= set(found.core)
    assert found.verified
    calls = [(verdict.history[p].process, verdict.history[p].call) for p in found.core]
    if len(set(calls)) < len(calls):
        return  # without its return an operation would lose its place among others of the same instant
    for position in found.needed if found.minimal else ():
        history = verdict.history
        for loose in {*found.core} - {*found.needed} | {position}:
            history = history.replace(loose, dataclasses.replace(history[loose], outcome=linpoint.Outcome.UNKNOWN))
        assert holds(verdict, found.core, history), f"{verdict.history[position]} is not needed"


def statements_about_the_rest_are_true(verdict: linpoint.Verdict, found: linpoint.Explanation) -> None:
    if "without any one of them the rest would be fine" in found.text:
        for position in found.core:
            assert holds(verdict, [p for p in found.core if p != position]), found.text


def no_order_allows_the_result_of_the_culprit(verdict: linpoint.Verdict, found: linpoint.Explanation) -> None:
    if found.culprit is not None and verdict.condition != "sequential":
        position = found.culprit.position
        called = everything_called_by(verdict, position, verdict.history[position].end)
        assert not holds(verdict, called), found.text


def results_reported_as_allowed_are_legal(verdict: linpoint.Verdict, found: linpoint.Explanation) -> None:
    """Every result reported as allowed would have been legal: for all operations of the object, or for those called by
    then, whatever the effects of those that returned later.
    """
    if found.culprit is None:
        return
    position = found.culprit.position
    op = verdict.history[position]
    key = next(key for key in verdict.keys if position in key.positions)
    called = everything_called_by(verdict, position, op.end) if found.culprit.at_return else list(key.positions)
    assert found.culprit.allowed
    for result in found.culprit.allowed:
        assert not verdict.spec.allows(op, result)
        other = verdict.history.replace(position, dataclasses.replace(op, result=result))
        for p in called if found.culprit.at_return else ():
            if verdict.history[p].end > op.end:
                other = other.replace(p, dataclasses.replace(other[p], outcome=linpoint.Outcome.UNKNOWN))
        assert holds(verdict, called, other), found.text


def stuck_operations_could_not_come_next(verdict: linpoint.Verdict, found: linpoint.Explanation) -> None:
    """An operation is not reported as stuck if the spec allows its result, unless its order holds it back."""
    for blocked in found.stuck.blocked if found.stuck else ():
        op = verdict.history[blocked.position]
        held_back = op.order is not None and "an operation with a smaller order value must come first" in found.text
        assert held_back or not [given for given in blocked.allowed if verdict.spec.allows(op, given)], found.text


def the_picture_is_at_most_100_columns_wide(_verdict: linpoint.Verdict, found: linpoint.Explanation) -> None:
    assert all(len(row) <= 100 for row in found.picture.splitlines())


ASPECTS = [
    the_core_is_a_violation,
    the_core_is_this_violation,
    nothing_can_be_dropped_from_a_minimal_core,
    statements_about_the_rest_are_true,
    no_order_allows_the_result_of_the_culprit,
    results_reported_as_allowed_are_legal,
    stuck_operations_could_not_come_next,
    the_picture_is_at_most_100_columns_wide,
]


@pytest.mark.parametrize("aspect", ASPECTS, ids=lambda aspect: aspect.__name__)
@pytest.mark.parametrize("kind", ["plain", "crashes", "keyed", "hints", "skew"])
@settings(max_examples=volume(80))
@given(name=st.sampled_from(list(MAKERS)), seed=SEEDS)
def test_every_explanation_has_the_property(kind: str, aspect: Callable[..., None], name: str, seed: int) -> None:
    if kind == "keyed" and name == "map":
        return  # its key is an argument
    verdict = violation(seed, name, **{} if kind == "plain" else {kind: True})
    if verdict is not None:
        aspect(verdict, verdict.explain())


def test_violations_are_common_enough() -> None:
    found = {name: sum(violation(seed, name) is not None for seed in range(6)) for name in MAKERS}
    assert all(count >= 3 for count in found.values()), found


def test_a_search_that_backtracks_early_reports_no_operation_that_could_come_next() -> None:
    verdict = violation(357, "map", crashes=True)
    assert verdict is not None
    stuck_operations_could_not_come_next(verdict, verdict.explain())


# The same, by example.

INNOCENT: list[tuple[str, str, int]] = [
    ("mutex", "A: |--acquire()--| |--try-acquire()->false--| |--acquire()--|", 2),
    ("cas-register", "A: |--write(3)--| |--read()->3--| |--write(3)--| |--cas(3, 3)->false--|", 3),
    ("log", 'A: |--append("a")->0--| |--append("b")->1--| |--append("c")->1--|', 2),
    ("counter", "A: |--increment()--| |--read()->1--| |--read()->0--|", 2),
    ("counter", "A: |--increment()--...\nB:                    |--read()->1--| |--read()->0--|", 2),
    ("set", "A: |--add(1)->true--| |--contains(1)->true--| |--remove(1)->true--| |--contains(1)->true--|", 3),
    ("set", "A: |--add(1)->true--| |--add(1)->false--| |--add(1)->true--|", 2),
    ("multiset", "A: |--add(7)--| |--count(7)->1--| |--count(7)->0--|", 2),
    ("semaphore(1)", "A: |--acquire()--| |--try-acquire()->false--| |--acquire()--|", 2),
    ("rw-lock", "A: |--acquire-read()--| |--release-read()--| |--release-read()--|", 2),
    ("fetch-add", "A: |--fetch-add(1)->0--| |--fetch-add(1)->1--| |--fetch-add(1)->1--|", 2),
    ("map", 'A: |--put("k", 1)--| |--insert("k", 2)->false--| |--get("k")->2--|', 2),
    ("map", 'A: |--put("k", 1)--| |--delete("k")->true--| |--contains("k")->true--|', 2),
    ("queue(capacity=1)", "A: |--enqueue(1)->true--| |--enqueue(2)->false--| |--dequeue()->2--|", 2),
]


@pytest.mark.parametrize(("spec", "drawing", "guilty"), INNOCENT)
def test_correct_operations_are_not_blamed(spec: str, drawing: str, guilty: int) -> None:
    """Only the last operation is wrong: all operations before it are a legal run."""
    verdict = linpoint.check(drawing, spec)
    assert linpoint.check(verdict.history[:guilty], spec).status is linpoint.Status.LINEARIZABLE
    found = verdict.explain()
    assert guilty in found.core
    if found.culprit is not None:
        assert found.culprit.position == guilty


def test_a_call_at_the_time_of_an_instantaneous_operation_can_be_drawn() -> None:
    history = linpoint.history(
        [
            {"process": 0, "op": "read", "result": 1, "call": 5, "return": 5},
            {"process": 0, "op": "write", "args": [1], "call": 5, "return": None},
        ]
    )
    verdict = linpoint.check(history, "register")
    assert verdict.status is VIOLATION
    assert verdict.explain().picture


@pytest.mark.parametrize("name", ["cas-register", "queue", "map", "mutex", "mwcas"])
@FEW
@given(seed=SEEDS, crashes=st.booleans())
def test_an_explanation_does_not_depend_on_the_checker(name: str, seed: int, crashes: bool) -> None:
    verdict = violation(seed, name, crashes=crashes)
    if verdict is None:
        return
    texts = set()
    for checker in ("dfs", "wing-gong", "brute-force"):
        other = linpoint.check(verdict.history, verdict.spec, condition=verdict.condition, checker=checker)
        texts.add(other.explain().text.rpartition("\n")[0])
    assert len(texts) == 1


@settings(max_examples=volume(150))
@given(name=st.sampled_from(list(MAKERS)), seed=SEEDS)
def test_the_picture_of_a_core_reads_back_as_a_violation(name: str, seed: int) -> None:
    verdict = violation(seed, name)
    if verdict is None:
        return
    found = verdict.explain()
    if "…" in found.picture or "too many" in found.picture:
        return
    again = linpoint.history(found.picture)
    assert len(again) == len(found.core)
    assert linpoint.check(again, verdict.spec).status is VIOLATION


@settings(max_examples=volume(150))
@given(name=st.sampled_from(list(MAKERS)), seed=SEEDS)
def test_a_picture_reads_back_with_the_same_verdict(name: str, seed: int) -> None:
    """This includes linearizable histories: the picture must not order overlapping operations."""
    rng = random.Random(seed)
    for _ in range(5):
        history, spec = random_history(rng, name, operations=6)
        if not history:
            continue
        drawn = ascii_timeline(history, range(len(history)), width=10_000)
        if "…" not in drawn:
            again = linpoint.history(drawn)
            assert linpoint.check(again, spec).status is linpoint.check(history, spec).status, drawn


def test_touching_operations_overlap_in_a_picture() -> None:
    history = linpoint.history(
        [
            {"process": "A", "op": "write", "args": [1], "result": None, "call": 0, "return": 5},
            {"process": "A", "op": "write", "args": [2], "result": None, "call": 5, "return": 9},
            {"process": "B", "op": "read", "args": [], "result": None, "call": 5, "return": 7},
        ]
    )
    assert linpoint.check(history, "register").status is linpoint.Status.LINEARIZABLE
    again = linpoint.history(ascii_timeline(history, range(3)))
    assert linpoint.check(again, "register").status is linpoint.Status.LINEARIZABLE


def test_two_operations_of_a_process_at_one_instant_are_drawn_in_their_order() -> None:
    """The write took no time and came first; the read was called at the same instant."""
    history = linpoint.history(
        [
            {"process": "A", "op": "read", "args": [], "result": 1, "call": 5, "return": 9},
            {"process": "A", "op": "write", "args": [1], "result": None, "call": 5, "return": 5},
        ]
    )
    assert linpoint.check(history, "register").status is linpoint.Status.LINEARIZABLE
    again = linpoint.history(ascii_timeline(history, range(2)))
    assert linpoint.check(again, "register").status is linpoint.Status.LINEARIZABLE


@pytest.mark.parametrize("process", ["worker 1", "n1:0", "crash", "object crash", "a|b", "été"])
def test_a_picture_reads_back_with_any_process_name(process: str) -> None:
    history = linpoint.history([{"process": process, "op": "read", "result": 1, "call": 0, "return": 5}])
    again = linpoint.history(linpoint.check(history, "register").explain().picture)
    assert [(op.process, op.name, op.result) for op in again] == [(process, "read", 1)]


@settings(max_examples=volume(15, least=5))
@given(
    process=st.text(min_size=1, max_size=130),
    value=st.recursive(st.text(max_size=80) | st.integers(), st.lists, max_leaves=6),
    count=st.integers(1, 8),
)
def test_pictures_are_at_most_100_columns_wide(process: str, value: Any, count: int) -> None:
    lines = [
        {"process": f"{process}{n}", "op": "write", "args": [[value, n]], "result": None, "call": n, "return": n + 20}
        for n in range(count)
    ]
    drawn = ascii_timeline(linpoint.history(lines), range(count))
    assert drawn
    assert all(len(row) <= 100 for row in drawn.split("\n"))


# Another initial value

HELPS: list[tuple[str, str]] = [
    ("register", "A: |--read()->0--|"),
    ("register", "A: |--read()->[1, 2]--|"),
    ("cas-register", "A: |--cas(0, 1)->true--|"),
    ("cas-register", "A: |--swap(1)->0--|"),
    ("multi-register", 'A: |--txn([["read", "x", null]])->[["read", "x", 0]]--|'),
    (
        "multi-register",
        'A: |--txn([["read", "x", null], ["read", "y", null]])->[["read", "x", 0], ["read", "y", 1]]--|',
    ),
    ("map", 'A: |--get("a")->1--|'),
    ("map", 'A: |--contains("a")->true--|'),
    ("map", 'A: |--insert("a", 1)->false--|'),
    ("map", 'A: |--delete("a")->true--|'),
    ("map", 'A: |--remove("a")->true--|'),
    ("map", 'A: |--cas("a", 1, 2)->true--|'),
    ("map", 'A: |--append("a", "y")--| |--get("a")->"xy"--|'),
    ("counter", "A: |--read()->5--|"),
    ("counter", "A: |--increment()--| |--read()->5--|"),
    ("fetch-add", "A: |--fetch-add(1)->5--|"),
    ("fetch-add", "A: |--fetch-add(1)->5--| |--fetch-add(1)->6--|"),
    ("queue", "A: |--dequeue()->1--|"),
    ("queue", "A: |--dequeue()->1--| |--dequeue()->2--|"),
    ("queue", "A: |--peek()->[1]--|"),
    ("stack", "A: |--pop()->1--|"),
    ("stack", "A: |--push(2)--| |--pop()->2--| |--pop()->1--|"),
    ("deque", "A: |--pop-back()->1--|"),
    ("priority-queue", "A: |--delete-max()->3--|"),
    ("set", "A: |--contains(1)->true--|"),
    ("set", "A: |--add(1)->false--|"),
    ("set", "A: |--remove(1)->true--| |--remove(2)->true--|"),
    ("multiset", 'A: |--count("a")->1--|'),
    ("multiset", 'A: |--count("a")->2--|'),
    ("mutex", "A: |--release()--|"),
    ("mutex", "A: |--try-acquire()->false--|"),
    ("rw-lock", "A: |--release-read()--|"),
    ("rw-lock", "A: |--release-write()--|"),
    ("semaphore(1)", "A: |--acquire()--| |--acquire()--|"),
    ("log", 'A: |--read()->["a"]--|'),
    ("log", 'A: |--read()->["a", "b"]--|'),
    ("log", 'A: |--append("b")->1--|'),
    ("mwcas", 'A: |--read(["x"])->[5]--|'),
    ("mwcas", 'A: |--read(["x", "y"])->[1, 2]--|'),
    ("mwcas", 'A: |--mwcas([["x", 5, 1]])->true--|'),
]


@pytest.mark.parametrize(("spec", "drawing"), HELPS)
def test_a_helpful_other_initial_value_is_reported(spec: str, drawing: str) -> None:
    found = linpoint.check(drawing, spec).explain()
    assert found.verdict.status is VIOLATION
    assert found.other_initial is not None
    assert "--initial" in found.text
    (value,) = found.other_initial
    assert linpoint.check(drawing, find(spec, initial=value)).status is linpoint.Status.LINEARIZABLE


@pytest.mark.parametrize(
    ("spec", "drawing"),
    [
        ("register", "A: |--write(1)--| |--read()->2--|"),
        ("register", "A: |--read()->0--| |--read()->1--|"),
        ("queue", "A: |--enqueue(1)--| |--enqueue(2)--| |--dequeue()->2--| |--dequeue()->1--|"),
        ("map", 'A: |--put("a", 1)--| |--get("a")--|'),
        ("mutex", "A: |--acquire()--| |--acquire()--|"),
        ("counter", "A: |--read()->1--| |--read()->0--|"),
    ],
)
def test_no_initial_value_is_suggested_if_none_helps(spec: str, drawing: str) -> None:
    found = linpoint.check(drawing, spec).explain()
    assert found.verdict.status is VIOLATION
    assert found.other_initial is None
    assert "--initial" not in found.text
