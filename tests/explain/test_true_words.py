# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: N805 - the first argument of a step is the state
"""Sentences are true: earlier false sentences, and specs that explanations once failed on."""

from __future__ import annotations

import json
from typing import Any

import pytest

import linpoint
from tests.timed_histories import timed

Case = tuple[str, str, str]

NEVER_SAID: list[Case] = [
    # The write reported to have replaced the value had not been called yet.
    ("register", "write(1) [0, 1]\nread()->2 [2, 3]\nread()->1 [4, 5]\nwrite(2) [6, 7]", "had certainly replaced"),
    # An operation whose result was not observed may have failed.
    (
        "cas-register",
        "write(1) [0, 1]\nwrite(2) [2, 3]\ncas(1, 3) [4, 5]\nread()->2 [6, 7]\nread()->9 [8, 9]",
        "had certainly replaced",
    ),
    (
        "cas-register",
        "write(1) [0, 1]\ncas(1, 2) [2, 3]\ncas(1, 3) [2, 3]\nread()->9 [8, 9]",
        "replaced the same value",
    ),
    # The newer value was seen again.
    (
        "cas-register",
        "write(1) [0, 1]\nwrite(2) [2, 3]\ncas(1, 3)->true [4, 5]\nread()->2 [6, 7]\nread()->3 [8, 9]",
        "No later operation",
    ),
    ("counter", "read()->2 [0, 1]\nincrement() [10, 11]\nincrement() [20, 21]", "all operations together"),
    (
        "queue",
        "enqueue(1) [0, 1]\nenqueue(1) [2, 3]\ndequeue()->1 [4, 5]\ndequeue()->1 [6, 7]\ndequeue()->1 [8, 9]",
        "at most once",
    ),
    ("log", "append([1, 1]) [0, 1]\nappend(5) [2, 3]\nread()->[[1, 1]] [4, 5]", "twice"),
    ("set", "add(1)->true [0, 1]\ncontains(1)->false [2, 3]\ncontains(1)->true [4, 5]", "No later operation"),
    ("map", "contains(1)->false [0, 1]\nget(1)->1 [2, 3]", "would have stored"),
    # An index is not the appended value, and a count is not the step.
    ("log", "append(2)->0 [0, 3]\nappend(2)->1 [10, 14]\nappend(1)->1 [23, 24]", "observed the 1"),
    ("fetch-add", "fetch-add(1)->1 [-4, 0]\nfetch-add(1)->2 [0, 12]\nfetch-add(1)->3 [1, 16]", "observed the 1"),
    ("multiset", "add(1) [0, 1]\nadd(1) [2, 3]\ncount(1)->1 [4, 5]", "observed the 1"),
    # Two operations wrote the same value, so it is not certain which was seen.
    ("register", "write(1) [0, 1]\nwrite(1) [0.5, 1.5]\nwrite(2) [2, 3]\nread()->1 [4, 5]", "observed the 1"),
    ("mutex", "release() [0, 1]", "return null"),
    ("semaphore(2)", "acquire() [0, 1]\nacquire() [2, 3]\nacquire() [4, 5]", "both succeeded"),
]


@pytest.mark.parametrize(("spec", "history", "words"), NEVER_SAID)
def test_earlier_false_sentences_are_not_used(spec: str, history: str, words: str) -> None:
    verdict = linpoint.check(timed(history), spec)
    assert verdict.status is linpoint.Status.VIOLATION
    assert words not in verdict.explain().text


def test_a_map_with_initial_entries_is_not_reported_as_empty() -> None:
    spec = linpoint.specs.map(initial={"a": 1})
    found = linpoint.check(
        timed('cas("a", 1, 1)->true [0, 1]\nget("a")->1 [2, 3]\nget("a")->9 [14, 15]'), spec
    ).explain()
    assert "had certainly replaced" not in found.text


def test_times_that_do_not_apply_are_not_given_as_a_reason() -> None:
    drawing = """
        A: |--write(1)--| |--write(2)--|
        B:                                |--read()->2--| |--read()->1--|
    """
    found = linpoint.check(drawing, "register", condition="sequential").explain()
    assert "returned before" not in found.text
    assert "had certainly replaced" not in found.text


def test_a_pattern_about_other_operations_is_not_used_for_the_shown_one() -> None:
    lines = ["fetch-add(1)->5 [0, 1]", *(f"fetch-add(1)->{n} [{10 * n + 10}, {10 * n + 11}]" for n in range(5))]
    found = linpoint.check(timed("\n".join([*lines, "fetch-add(1)->6 [90, 91]"])), "fetch-add").explain()
    assert len(found.core) > 1 or "A: " not in found.steps[0].text


def test_a_violation_always_has_steps() -> None:
    drawing = """
        A:     |--read()--|     |--write(2)--| |--read()--|
        crash:               X
    """
    for condition in ("buffered-durable", "durable", "strict", "recoverable", "sequential"):
        verdict = linpoint.check(drawing, "register", condition=condition)
        assert verdict.status is linpoint.Status.VIOLATION
        assert verdict.explain().steps


def test_an_earlier_crash_is_not_blamed_for_a_loss() -> None:
    history = linpoint.history(
        [
            *(
                {"process": 0, "op": "enqueue", "args": [n], "result": None, "call": 2 * n, "return": 2 * n + 1}
                for n in (1, 2, 3)
            ),
            {"process": 1, "op": "dequeue", "result": 1, "call": 10, "return": 11},
            {"process": 1, "op": "dequeue", "result": 3, "call": 12, "return": 13},
            {"crash": True, "time": 3.5},
        ]
    )
    found = linpoint.check(history, "queue", condition="recoverable").explain()
    assert all(step.reason != "lost-after-crash" for step in found.steps)


@linpoint.spec
class Board:
    initial = (("x", 0), ("y", 0))

    def write(state, cells):
        return None, tuple(sorted({**dict(state), **dict(cells)}.items()))

    def read(state, names):
        return [dict(state)[name] for name in names], state

    def reset(state):
        return None, (("x", 0), ("y", 0))


@linpoint.spec
class Pair:
    initial = (0, 0)

    def write(state, ab):
        return None, tuple(ab)

    def read(state, ab):
        _, _ = ab
        return list(state), state


@linpoint.spec
class Odd:
    initial = 0

    def mwcas(state, words=None):
        return state, state + 1


@linpoint.spec
class Bag:
    initial = frozenset()

    def add(state, value):
        return None, state | {value}

    def all(state):
        return state, state


USERS: list[tuple[Any, str]] = [
    (
        Board,
        'reset() [4, 9]\nwrite([["x", 1], ["y", 1]]) [0, 1]\nwrite([["x", 2], ["y", 2]]) [4, 8]\nread(["x", "y"])->[1, 2] [4, 9]',
    ),
    (Pair, 'write([1, 1]) [0, 1]\nread(["x", "y"])->[0, 1] [2, 3]'),
    (Odd, "mwcas()->0 [0, 1]\nmwcas()->0 [2, 3]"),
    (Odd, "mwcas(5)->0 [0, 1]\nmwcas(5)->0 [2, 3]"),
    (Bag, "add(1) [0, 1]\nall()->7 [2, 3]"),
]


@pytest.mark.parametrize(("spec", "history"), USERS)
def test_user_specs_are_explained_and_their_explanations_are_json(spec: Any, history: str) -> None:
    verdict = linpoint.check(timed(history), spec)
    assert verdict.status is linpoint.Status.VIOLATION
    assert json.loads(json.dumps(verdict.explain().as_dict()))["steps"]


def test_a_long_history_blames_the_right_operation_within_its_time() -> None:
    """A value removed long ago is removed again; the operations between are omitted, and no other operation is
    blamed.
    """
    lines: list[dict[str, Any]] = []
    for number in range(1_000):
        at = 4 * number
        lines.append({"process": 0, "op": "push-back", "args": [number], "result": None, "call": at, "return": at + 1})
        lines.append({"process": 1, "op": "pop-front", "result": number, "call": at + 2, "return": at + 3})
    lines.append({"process": 0, "op": "pop-front", "result": 77, "call": 5_000, "return": 5_001})
    found = linpoint.check(lines, "deque").explain()
    assert len(lines) - 1 in found.core
    assert len(found.core) <= 4
    assert found.culprit is None or found.culprit.position == len(lines) - 1


def test_text_of_a_history_cannot_reverse_the_output() -> None:
    evil = "\u202e\u2028\x1b[31m"
    lines = [
        {"process": evil, "op": "write", "args": [evil], "result": None, "call": 1, "return": 2, "key": evil},
        {"process": 1, "op": "read", "result": evil + "2", "call": 3, "return": 4, "key": evil},
        {"annotation": f"kill {evil}", "time": 0},
    ]
    text = linpoint.check(lines, "register").explain().text
    assert all(letter.isprintable() or letter == "\n" for letter in text)
