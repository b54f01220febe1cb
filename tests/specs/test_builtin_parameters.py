# SPDX-License-Identifier: Apache-2.0
"""Built-in specs with parameters and first values, with overlapping operations, with keys, and with bad input."""

from __future__ import annotations

from typing import Any

import pytest

import linpoint
from linpoint.specs import BUILT_IN
from tests.specs.one_process_histories import ILLEGAL, LEGAL, alone

FIRST_VALUES: list[tuple[str, Any, str, str]] = [
    ("register(initial=0)", linpoint.specs.register(initial=0), "read()->0", "read()->null"),
    ("register(initial=[1, 2])", linpoint.specs.register(initial=[1, 2]), "read()->[1, 2]", "read()->null"),
    ('register(initial="a, b")', linpoint.specs.register(initial="a, b"), 'read()->"a, b"', 'read()->"a"'),
    ("cas-register(initial=0)", linpoint.specs.cas_register(initial=0), "cas(0, 1)->true", "cas(null, 1)->true"),
    (
        'multi-register(initial={"x": 0, "y": 0})',
        linpoint.specs.multi_register(initial={"x": 0, "y": 0}),
        'txn([["read", "x", null], ["read", "y", null]])->[["read", "x", 0], ["read", "y", 0]]',
        'txn([["read", "x", null]])->[["read", "x", null]]',
    ),
    (
        'multi-register(initial={"x": 0, "y": 0})',
        linpoint.specs.multi_register(initial={"x": 0, "y": 0}),
        'txn([["read", "z", null]])->[["read", "z", null]]',
        'txn([["read", "z", null]])->[["read", "z", 0]]',
    ),
    ('map(initial={"a": 1})', linpoint.specs.map(initial={"a": 1}), 'get("a")->1; get("b")->null', 'get("a")->null'),
    ('map(initial={"a": 1})', linpoint.specs.map(initial={"a": 1}), 'insert("a", 2)->false', 'get("b")->1'),
    ("counter(initial=5)", linpoint.specs.counter(initial=5), "increment(); read()->6", "read()->0"),
    ("fetch-add(initial=5)", linpoint.specs.fetch_add(initial=5), "fetch-add(1)->5", "fetch-add(1)->0"),
    ("queue(initial=[1, 2])", linpoint.specs.queue(initial=[1, 2]), "dequeue()->1; dequeue()->2", "dequeue()->2"),
    (
        "queue(capacity=2, initial=[1])",
        linpoint.specs.queue(capacity=2, initial=[1]),
        "enqueue(2)->true; enqueue(3)->false",
        "enqueue(2)->false",
    ),
    ("queue(2)", linpoint.specs.queue(2), "enqueue(1)->true; enqueue(2)->true; enqueue(3)->false", "enqueue(1)->false"),
    ("stack(initial=[7])", linpoint.specs.stack(initial=[7]), "peek()->7; pop()->7; pop()->null", "pop()->null"),
    ("deque(initial=[1, 2])", linpoint.specs.deque(initial=[1, 2]), "pop-front()->1; pop-back()->2", "pop-back()->1"),
    (
        "priority-queue(initial=[1, 3, 2])",
        linpoint.specs.priority_queue(initial=[1, 3, 2]),
        "delete-max()->3; delete-max()->2",
        "delete-max()->1",
    ),
    ("set(initial=[1])", linpoint.specs.set(initial=[1]), "add(1)->false; contains(2)->false", "contains(1)->false"),
    ("multiset(initial=[1, 1])", linpoint.specs.multiset(initial=[1, 1]), "count(1)->2", "count(1)->1"),
    ("mutex(initial=true)", linpoint.specs.mutex(initial=True), "release(); acquire()", "acquire()"),
    ("rw-lock(initial=1)", linpoint.specs.rw_lock(initial=1), "release-read(); acquire-write()", "acquire-write()"),
    ("semaphore(2)", linpoint.specs.semaphore(2), "acquire(); acquire()", "acquire(); acquire(); acquire()"),
    ('log(initial=["a"])', linpoint.specs.log(initial=["a"]), 'append("b")->1; read()->["a", "b"]', 'append("b")->0'),
    ('mwcas(initial={"x": 5})', linpoint.specs.mwcas(initial={"x": 5}), 'read(["x", "y"])->[5, 0]', 'read(["x"])->[0]'),
    ("mwcas(initial=7)", linpoint.specs.mwcas(initial=7), 'read(["x", "y"])->[7, 7]', 'read(["x"])->[0]'),
]


@pytest.mark.parametrize(("text", "spec", "fits", "does_not"), FIRST_VALUES)
def test_parameters_and_first_values_are_used(text: str, spec: linpoint.Spec, fits: str, does_not: str) -> None:
    for one in (text, spec):
        assert linpoint.check(alone(fits), one).status is LEGAL
        assert linpoint.check(alone(does_not), one).status is ILLEGAL


def test_a_parameter_makes_a_new_spec_without_changing_the_built_in() -> None:
    assert linpoint.check(alone("read()->0"), linpoint.specs.register(initial=0)).status is LEGAL
    assert linpoint.check(alone("read()->0"), linpoint.specs.register).status is ILLEGAL


def test_changing_a_given_first_value_does_not_change_the_spec() -> None:
    values = [1]
    spec = linpoint.specs.register(initial=values)
    values.append(2)
    assert linpoint.check(alone("read()->[1]"), spec).status is LEGAL


# Overlapping operations, unknown and failed outcomes, keys

CONCURRENT = [
    (
        "register",
        LEGAL,
        """
        A: |--write(1)--|   |--read()->2--|
        B:      |--write(2)--|
        """,
    ),
    (
        "register",
        ILLEGAL,
        """
        A: |--write(1)--|                    |--read()->1--|
        B:                |--write(2)--|
        """,
    ),
    (
        "queue",
        ILLEGAL,
        """
        A: |--enqueue(1)--|                    |--dequeue()->2--|
        B:                   |--enqueue(2)--|
        """,
    ),
    (
        "queue",
        LEGAL,
        """
        A: |--enqueue(1)--|          |--dequeue()->2--|
        B:        |--enqueue(2)--|
        """,
    ),
    (
        "mutex",
        ILLEGAL,
        """
        A: |--acquire()--|                     |--release()--|
        B:                  |--acquire()--|
        """,
    ),
    (
        "mutex",
        LEGAL,
        """
        A: |--acquire()--|         |--release()--|
        B:                  |--acquire()---------------|
        """,
    ),
    (
        "counter",
        LEGAL,
        """
        A: |--increment()--...
        B:                       |--read()->0--| |--read()->1--|
        """,
    ),
    (
        "counter",
        ILLEGAL,
        """
        A: |--increment()--...
        B:                       |--read()->1--| |--read()->0--|
        """,
    ),
    (
        "counter",
        ILLEGAL,
        """
        A: |--increment()->failed--|
        B:                             |--read()->1--|
        """,
    ),
    (
        "map",
        LEGAL,
        """
        A: |--put("a", 1)--|  |--get("b")->null--|
        B:      |--put("b", 1)------...
        """,
    ),
    (
        "mwcas",
        ILLEGAL,
        """
        A: |--mwcas([["x", 0, 1], ["y", 0, 1]])->true--|
        B:   |--read(["x", "y"])->[1, 0]--|
        """,
    ),
]


@pytest.mark.parametrize(("spec", "status", "drawing"), CONCURRENT)
def test_overlapping_operations_are_decided(spec: str, status: linpoint.Status, drawing: str) -> None:
    assert linpoint.check(drawing, spec).status is status


def _keyed(*operations: tuple[str, list[Any], Any, Any]) -> list[dict[str, Any]]:
    return [
        {"process": 0, "op": name, "args": args, "result": result, "key": key, "call": 2 * n, "return": 2 * n + 1}
        for n, (name, args, result, key) in enumerate(operations)
    ]


def test_the_key_of_a_map_may_be_a_field_instead_of_an_argument() -> None:
    good = _keyed(
        ("put", [1], None, "a"),
        ("get", [], 1, "a"),
        ("get", [], None, "b"),
        ("cas", [1, 2], True, "a"),
        ("append", ["x"], None, "c"),
        ("get", [], "x", "c"),
        ("insert", [5], False, "a"),
        ("delete", [], True, "a"),
        ("contains", [], False, "a"),
    )
    assert linpoint.check(good, "map").status is LEGAL
    assert linpoint.check(_keyed(("put", [1], None, "a"), ("get", [], 1, "b")), "map").status is ILLEGAL
    with pytest.raises(linpoint.SpecError, match="LP-S003"):
        linpoint.check(_keyed(("get", ["a"], None, "a")), "map")


def test_first_values_of_a_map_apply_to_the_key_field() -> None:
    verdict = linpoint.check(_keyed(("get", [], 1, "a"), ("get", [], None, "b")), 'map(initial={"a": 1})')
    assert verdict.status is LEGAL
    assert [(key.key, key.status) for key in verdict.keys] == [("a", LEGAL), ("b", LEGAL)]


def test_objects_with_keys_are_independent() -> None:
    verdict = linpoint.check(
        _keyed(("write", [1], None, "x"), ("read", [], None, "y"), ("read", [], 2, "z")), "register"
    )
    assert {key.key: key.status for key in verdict.keys} == {"x": LEGAL, "y": LEGAL, "z": ILLEGAL}
    assert verdict.status is ILLEGAL


def test_equal_keys_are_one_object_and_true_is_not_1() -> None:
    lines = _keyed(
        ("write", [1], None, 1),
        ("read", [], 1, 1.0),
        ("read", [], None, True),
        ("read", [], None, "1"),
        ("write", [2], None, [1]),
        ("read", [], 2, [1.0]),
    )
    verdict = linpoint.check(lines, "register")
    assert verdict.status is LEGAL
    assert [key.positions for key in verdict.keys] == [(0, 1), (2,), (3,), (4, 5)]


# Bad input: unknown operations, wrong numbers of arguments, invalid arguments and parameters


@pytest.mark.parametrize("name", BUILT_IN)
def test_unknown_operations_are_rejected(name: str) -> None:
    with pytest.raises(linpoint.SpecError) as caught:
        linpoint.check(alone("frobnicate()"), name)
    assert caught.value.code == "LP-S002"
    assert '"frobnicate"' in caught.value.message
    assert all(operation in caught.value.remedy for operation in BUILT_IN[name].steps)
    assert caught.value.place


@pytest.mark.parametrize(
    ("spec", "operation"),
    [
        ("register", "read(1)"),
        ("register", "write()"),
        ("register", "write(1, 2)"),
        ("cas-register", "cas(1)"),
        ("cas-register", "swap()"),
        ("multi-register", "txn()"),
        ("map", "get()"),
        ("map", 'put("k")'),
        ("map", 'delete("k", 1)'),
        ("map", 'cas("k", 1)'),
        ("counter", "increment(5)"),
        ("counter", "add()"),
        ("fetch-add", "fetch-add()"),
        ("queue", "enqueue()"),
        ("queue", "dequeue(1)"),
        ("stack", "pop(1)"),
        ("deque", "push-front()"),
        ("priority-queue", "insert()"),
        ("set", "add()"),
        ("multiset", "count()"),
        ("mutex", "acquire(1)"),
        ("rw-lock", "acquire-read(1)"),
        ("semaphore(2)", "acquire(1)"),
        ("log", "append()"),
        ("mwcas", 'read("x", "y")'),
    ],
)
def test_a_wrong_number_of_arguments_is_rejected(spec: str, operation: str) -> None:
    with pytest.raises(linpoint.SpecError) as caught:
        linpoint.check(alone(operation), spec)
    assert caught.value.code == "LP-S003"
    assert caught.value.remedy
    assert caught.value.place


@pytest.mark.parametrize(
    ("spec", "operation"),
    [
        ("multi-register", 'txn("x")'),
        ("multi-register", 'txn([["increment", "x", 1]])'),
        ("multi-register", 'txn([["read", "x"]])'),
        ("multi-register", 'txn([[["read"], "x", null]])'),
        ("map", 'append("k", 1)'),
        ("counter", 'add("1")'),
        ("counter", "add(true)"),
        ("counter", "add(null)"),
        ("fetch-add", "fetch-add([1])"),
        ("priority-queue", "insert(null)"),
        ("priority-queue", "insert(true)"),
        ("priority-queue", "insert([1])"),
        ("mwcas", 'read("x")'),
        ("mwcas", 'mwcas([["x", 1]])'),
        ("mwcas", 'mwcas("x")'),
        ("mwcas", 'mwcas([["x", 0, 1], ["x", 0, 2]])'),
        ("mwcas", 'mwswap([["x"]])'),
        ("mwcas", 'mwwrite([["x", 1, 2]])'),
    ],
)
def test_invalid_arguments_are_rejected(spec: str, operation: str) -> None:
    with pytest.raises(linpoint.SpecError) as caught:
        linpoint.check(alone(operation), spec)
    assert caught.value.code == "LP-S004"
    assert caught.value.remedy
    assert caught.value.place


@pytest.mark.parametrize(
    "spec",
    [
        "queue(capacity=0)",
        "queue(capacity=-1)",
        "queue(capacity=true)",
        'queue(capacity="8")',
        "queue(capacity=1.5)",
        "queue(size=8)",
        "queue(capacity=)",
        "queue(capacity=8 initial=[])",
        "queue(initial=1)",
        "register(1)",
        "register(initial=x)",
        "counter(initial=null)",
        "counter(initial=true)",
        'counter(initial="0")',
        "map(initial=1)",
        "mutex(initial=1)",
        "rw-lock(initial=-2)",
        "semaphore(-1)",
        "semaphore(true)",
        'semaphore("2")',
        "set(initial={})",
        "priority-queue(initial=[null])",
        "priority-queue(initial=[[1], [2]])",
        "register(initial=" + "[" * 100_000 + ")",
    ],
    ids=lambda text: text[:40],
)
def test_invalid_parameters_are_rejected(spec: str) -> None:
    with pytest.raises(linpoint.SpecError) as caught:
        linpoint.check(alone("read()->null"), spec)
    assert caught.value.code == "LP-S004"
    assert caught.value.remedy


def test_appending_to_a_value_that_is_not_a_string_is_illegal() -> None:
    assert linpoint.check(alone('put("k", 1); append("k", "x")'), "map").status is ILLEGAL
