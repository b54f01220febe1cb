# SPDX-License-Identifier: Apache-2.0
"""Every built-in spec and every operation of the design's table: legal and illegal results."""

from __future__ import annotations

import collections

import pytest

import linpoint
from linpoint.specs import BUILT_IN
from tests.specs.one_process_histories import ILLEGAL, LEGAL, alone, each

FITS: dict[str, list[str]] = {
    "register": [
        "read()->null",
        "write(1); read()->1; read()->1; write(2); read()->2",
        "write(null); read()->null",
        "write(1); read()->1.0",
        "write(1.0); read()->1",
        "write(true); read()->true",
        'write("a"); read()->"a"',
        'write([1, [2, {"a": null}]]); read()->[1, [2, {"a": null}]]',
        'write({"a": 1, "b": 2}); read()->{"b": 2, "a": 1.0}',
    ],
    "cas-register": [
        "read()->null; write(1); read()->1",
        "cas(null, 1)->true; read()->1",
        "cas(0, 1)->false; read()->null",
        "write(1); cas(1, 2)->true; cas(1, 3)->false; read()->2",
        "write(1); cas(1.0, 2)->true; read()->2",
        "write(1); cas(true, 2)->false; read()->1",
        "write([1]); cas([1], {})->true; cas({}, 1)->true; read()->1",
        "write(1); cas(1, 2)->null; read()->2",
        "write(1); cas(7, 2)->null; read()->1",
        "swap(1)->null; swap(2)->1; read()->2",
    ],
    "multi-register": [
        'txn([["read", "x", null]])->[["read", "x", null]]',
        (
            'txn([["write", "x", 1], ["write", "y", 2]])->[["write", "x", 1], ["write", "y", 2]];'
            ' txn([["read", "y", null], ["read", "x", null]])->[["read", "y", 2], ["read", "x", 1]]'
        ),
        'txn([["write", "x", 1], ["read", "x", null]])->[["write", "x", 1], ["read", "x", 1]]',
        'txn([["read", "x", null], ["write", "x", 1]])->[["read", "x", null], ["write", "x", 1]]',
        (
            'txn([["write", "x", 1], ["write", "x", 2]])->[["write", "x", 1], ["write", "x", 2]];'
            ' txn([["read", "x", null]])->[["read", "x", 2.0]]'
        ),
        'txn([["write", 1, "a"]])->[["write", 1, "a"]]; txn([["read", 1.0, null]])->[["read", 1, "a"]]',
        "txn([])->[]",
    ],
    "map": [
        'get("a")->null; put("a", 1); get("a")->1; put("a", 2); get("a")->2; get("b")->null',
        'insert("a", 1)->true; get("a")->1; insert("a", 2)->false; get("a")->1',
        'put("a", 1); delete("a")->true; get("a")->null; delete("a")->false',
        'put("a", 1); erase("a")->true; erase("a")->false; contains("a")->false',
        'put("a", 1); remove("a")->true; remove("a")->false; insert("a", 1)->true',
        'append("a", "x"); append("a", "y"); get("a")->"xy"',
        'put("a", "x"); append("a", ""); append("a", "z"); get("a")->"xz"',
        'put("a", "x"); delete("a")->true; append("a", "z"); get("a")->"z"',
        'put("a", 1); cas("a", 1, 2)->true; cas("a", 1, 3)->false; get("a")->2',
        'contains("a")->false; put("a", null); contains("a")->true; get("a")->null',
        'put(1, "n"); get(1.0)->"n"; get(true)->null; get("1")->null',
        'put([1], {"a": 1}); get([1.0])->{"a": 1.0}',
    ],
    "counter": [
        "read()->0; increment(); read()->1; decrement(); decrement(); read()->-1",
        "add(5); read()->5; add(-2); read()->3.0; add(0.5); read()->3.5",
    ],
    "fetch-add": ["fetch-add(1)->0; fetch-add(2)->1; fetch-add(-3)->3; fetch-add(0)->0.0"],
    "queue": [
        "dequeue()->null; peek()->null; enqueue(1); enqueue(2); peek()->1; dequeue()->1; dequeue()->2; dequeue()->null",
        "enqueue(1); enqueue(1); dequeue()->1; dequeue()->1.0",
        'enqueue(null); enqueue([1]); enqueue({"a": 1}); dequeue()->null; dequeue()->[1]; dequeue()->{"a": 1}',
    ],
    "queue(capacity=2)": [
        "enqueue(1)->true; enqueue(2)->true; enqueue(3)->false; dequeue()->1; enqueue(4)->true; dequeue()->2; dequeue()->4",
        "enqueue(1)->null; enqueue(2)->null; enqueue(3)->null; dequeue()->1; dequeue()->2; dequeue()->null",
    ],
    "stack": [
        "pop()->null; peek()->null; push(1); push(2); peek()->2; pop()->2; pop()->1; pop()->null",
        "push(null); push([1]); pop()->[1]; pop()->null",
    ],
    "deque": [
        "push-back(1); push-back(2); push-front(0); pop-front()->0; pop-back()->2; pop-back()->1; pop-back()->null",
        "pop-front()->null; push-front(1); push-front(2); pop-back()->1; pop-front()->2; pop-front()->null",
    ],
    "priority-queue": [
        "peek()->null; delete-max()->null; insert(1); insert(3); insert(2); peek()->3; delete-max()->3; delete-max()->2",
        "insert(1); insert(1); insert(1.0); delete-max()->1; delete-max()->1; delete-max()->1; delete-max()->null",
        "insert(-1); insert(0.5); insert(0); delete-max()->0.5; delete-max()->0; delete-max()->-1",
        'insert("a"); insert("b"); delete-max()->"b"; delete-max()->"a"',
    ],
    "set": [
        "contains(1)->false; add(1)->true; contains(1)->true; add(1)->false; remove(1)->true; remove(1)->false",
        "add(1)->true; add(true)->true; add(1.0)->false; contains(true)->true; remove(1)->true; contains(true)->true",
        'add([1])->true; add([1.0])->false; add({"a": 1})->true; contains({"a": 1})->true; add(null)->true',
    ],
    "multiset": [
        "count(1)->0; add(1); add(1); count(1)->2; remove(1)->true; count(1)->1; remove(1)->true; remove(1)->false",
        "add(1); add(true); count(1.0)->1; count(true)->1; remove(2)->false",
    ],
    "mutex": [
        "acquire(); release(); acquire(); release()",
        "try-acquire()->true; try-acquire()->false; release(); try-acquire()->true",
        "try-acquire()->null; release(); acquire()",
        "acquire(); try-acquire()->null; release(); acquire()",
    ],
    "rw-lock": [
        "acquire-read(); acquire-read(); release-read(); release-read(); acquire-write(); release-write()",
        "acquire-write(); release-write(); acquire-read(); release-read()",
    ],
    "semaphore(2)": [
        "acquire(); acquire(); release(); acquire(); release(); release()",
        "try-acquire()->true; try-acquire()->true; try-acquire()->false; release(); try-acquire()->true",
        "try-acquire()->null; try-acquire()->null; try-acquire()->null; release(); acquire()",
    ],
    "semaphore": ["acquire(); release(); acquire()"],
    "log": [
        'read()->[]; append("a")->0; append("b")->1; read()->["a", "b"]; append("a")->2.0; read()->["a", "b", "a"]',
        'append("a")->null; append("b")->1; read()->["a", "b"]',
    ],
    "mwcas": [
        'read(["x", "y"])->[0, 0]; read([])->[]',
        'mwcas([["x", 0, 1], ["y", 0, 2]])->true; read(["y", "x"])->[2, 1]',
        'mwcas([["x", 1, 5]])->false; read(["x"])->[0]',
        'mwcas([["x", 0, 1], ["y", 1, 2]])->{"at": "y"}; read(["x", "y"])->[0, 0]',
        'mwcas([["x", 1, 1], ["y", 1, 2]])->{"at": "x"}',
        'mwcas([["x", 1, 1], ["y", 1, 2]])->{"at": "y"}',
        'mwwrite([["x", 3]]); mwcas([["x", 0, 1], ["y", 0, 2]])->[3, 0]; read(["x", "y"])->[3, 0]',
        'mwcas([["x", 0, 1], ["y", 0, 2]])->[0, 0]; read(["x", "y"])->[1, 2]',
        'mwcas([["x", 0, 1]])->null; read(["x"])->[1]',
        'mwcas([["x", 9, 1]])->null; read(["x"])->[0]',
        'mwswap([["x", 1], ["y", 2]])->[0, 0]; mwswap([["x", 3]])->[1]; read(["x", "y"])->[3, 2]',
        'mwwrite([["x", 1], [2, [3]]]); read(["x", 2])->[1, [3]]',
        'mwwrite([["x", true]]); mwcas([["x", 1, 2]])->false; mwcas([["x", true, 2]])->true',
    ],
}

DOES_NOT_FIT: dict[str, list[str]] = {
    "register": [
        "read()->0",
        "write(1); read()->2",
        "write(1); read()->null",
        "write(1); read()->true",
        "write(true); read()->1",
        "write(0); read()->false",
        'write(1); read()->"1"',
        "write([1]); read()->[true]",
        'write({"a": 1}); read()->{"a": true}',
        'write({"a": 1}); read()->{"a": 1, "b": null}',
        "write([1, 2]); read()->[2, 1]",
        "write([]); read()->{}",
        "write([]); read()->null",
        "write(1); write(2); read()->1",
    ],
    "cas-register": [
        "cas(0, 1)->true",
        "cas(null, 1)->false",
        "write(1); cas(true, 2)->true",
        "write(1); cas(1, 2)->false",
        "write(1); cas(1, 2)->null; read()->1",
        "write(1); cas(7, 2)->null; read()->2",
        "write(1); cas(1, 2)->1",
        "write(1); cas(2, 2)->0",
        "swap(1)->null; swap(2)->null",
        "swap(1)->1",
        "swap(1)->true",
    ],
    "multi-register": [
        'txn([["read", "x", null]])->[["read", "x", 0]]',
        'txn([["read", "x", null]])->null',
        'txn([["write", "x", 1]])->true',
        'txn([["write", "x", 1]])->[["write", "x", 2]]',
        'txn([["write", "x", 1]])->[]',
        (
            'txn([["write", "x", 1], ["write", "y", 2]])->[["write", "x", 1], ["write", "y", 2]];'
            ' txn([["read", "x", null], ["read", "y", null]])->[["read", "x", 1], ["read", "y", null]]'
        ),
        'txn([["read", "x", null], ["write", "x", 1]])->[["read", "x", 1], ["write", "x", 1]]',
    ],
    "map": [
        'get("a")->0',
        'get("a")->""',
        'put("a", 1); get("a")->null',
        'put("a", 1); get("b")->1',
        'insert("a", 1)->false',
        'put("a", 1); insert("a", 2)->true',
        'put("a", 1); insert("a", 2)->null; get("a")->2',
        'insert("a", 1)->1',
        'delete("a")->true',
        'put("a", 1); erase("a")->false',
        'put("a", 1); remove("a")->null; get("a")->1',
        'put("a", 1); remove("a")->1',
        'append("a", "x"); get("a")->null',
        'append("a", "x"); append("a", "y"); get("a")->"yx"',
        'cas("a", 1, 2)->true',
        'put("a", 1); cas("a", 1, 2)->false',
        'put("a", 1); cas("a", true, 2)->true',
        'put("a", 1); cas("a", 1, 2)->null; get("a")->1',
        'contains("a")->true',
        'contains("a")->null',
        'put("a", null); contains("a")->false',
        'put("a", 1); contains("a")->1',
        'put(1, "n"); get(true)->"n"',
    ],
    "counter": [
        "read()->null",
        "read()->1",
        "increment(); read()->0",
        "increment(); read()->true",
        "add(2); read()->1",
    ],
    "fetch-add": ["fetch-add(1)->1", "fetch-add(1)->null", "fetch-add(1)->false", "fetch-add(1)->0; fetch-add(1)->0"],
    "queue": [
        "dequeue()->1",
        "enqueue(1); dequeue()->null",
        "enqueue(1); peek()->null",
        "enqueue(1); enqueue(2); dequeue()->2",
        "enqueue(1); enqueue(2); peek()->2",
        "enqueue(1); dequeue()->1; dequeue()->1",
        "enqueue(1); dequeue()->true",
    ],
    "queue(capacity=2)": [
        "enqueue(1)->false",
        "enqueue(1)->true; enqueue(2)->true; enqueue(3)->true",
        "enqueue(1)->null; enqueue(2)->null; enqueue(3)->null; dequeue()->1; dequeue()->2; dequeue()->3",
        "enqueue(1)->1",
    ],
    "stack": ["push(1); push(2); pop()->1", "push(1); pop()->null", "pop()->0", "push(1); push(2); peek()->1"],
    "deque": [
        "push-back(1); push-back(2); pop-front()->2",
        "push-front(1); push-front(2); pop-front()->1",
        "push-back(1); push-back(2); pop-back()->1",
        "push-front(1); push-front(2); pop-back()->2",
        "push-front(1); pop-back()->null",
        "push-front(1); pop-front()->null",
    ],
    "priority-queue": [
        "insert(1); insert(3); delete-max()->1",
        "insert(1); delete-max()->null",
        "insert(1); insert(1); delete-max()->1; delete-max()->1; delete-max()->1",
        "insert(2); peek()->1",
        'insert("a"); insert("b"); delete-max()->"a"',
    ],
    "set": [
        "add(1)->false",
        "add(1)->true; add(1)->true",
        "add(1)->null; add(1)->true",
        "remove(1)->true",
        "add(1)->true; remove(1)->false",
        "contains(1)->true",
        "contains(1)->null",
        "add(1)->true; contains(true)->true",
        "add(1)->1",
    ],
    "multiset": [
        "count(1)->1",
        "count(1)->null",
        "add(1); count(1)->0",
        "add(1); add(1); count(1)->1",
        "add(1); count(1)->true",
        "remove(1)->true",
        "add(1); remove(1)->false",
    ],
    "mutex": [
        "release()",
        "acquire(); acquire()",
        "acquire(); release(); release()",
        "try-acquire()->false",
        "acquire(); try-acquire()->true",
        "try-acquire()->null; acquire()",
        "try-acquire()->1",
    ],
    "rw-lock": [
        "release-read()",
        "release-write()",
        "acquire-read(); acquire-write()",
        "acquire-write(); acquire-read()",
        "acquire-write(); acquire-write()",
        "acquire-write(); release-read()",
        "acquire-read(); release-write()",
        "acquire-read(); acquire-read(); release-read(); acquire-write()",
    ],
    "semaphore(2)": [
        "acquire(); acquire(); acquire()",
        "try-acquire()->false",
        "acquire(); acquire(); try-acquire()->true",
        "try-acquire()->null; try-acquire()->null; acquire()",
    ],
    "semaphore": ["acquire(); acquire()"],
    "semaphore(0)": ["acquire()", "try-acquire()->true"],
    "log": [
        'append("a")->1',
        'append("a")->true',
        'append("a")->0; append("b")->0',
        'append("a")->0; read()->[]',
        "read()->null",
        'append("a")->0; append("b")->1; read()->["b", "a"]',
        'append("a")->false',
    ],
    "mwcas": [
        'read(["x"])->[null]',
        'read(["x"])->0',
        'read(["x"])->[false]',
        'mwcas([["x", 0, 1]])->false',
        'mwcas([["x", 1, 5]])->true',
        'mwcas([["x", 0, 1], ["y", 1, 2]])->{"at": "x"}',
        'mwcas([["x", 0, 1], ["y", 1, 2]])->{"at": "z"}',
        'mwcas([["x", 0, 1]])->{"at": "x"}',
        'mwcas([["x", 0, 1], ["y", 1, 2]])->true',
        'mwcas([["x", 0, 1], ["y", 1, 2]])->false; read(["x"])->[1]',
        'mwcas([["x", 5, 1]])->[5]',
        'mwcas([["x", 5, 1]])->[0]; read(["x"])->[1]',
        'mwcas([["x", 0, 1]])->[0]; read(["x"])->[0]',
        'mwcas([["x", 0, 1]])->null; read(["x"])->[0]',
        'mwswap([["x", 1]])->null',
        'mwswap([["x", 1]])->[1]',
        'mwwrite([["x", 1]]); read(["x"])->[0]',
    ],
}


def test_the_tables_cover_every_operation_of_every_built_in() -> None:
    def covered(table: dict[str, list[str]]) -> dict[str, set[str]]:
        names = collections.defaultdict(set)
        for spec, operations in each(table):
            names[spec.partition("(")[0]] |= {op.name for op in alone(operations)}
        return names

    operations = {name: set(spec.steps) for name, spec in BUILT_IN.items()}
    assert covered(FITS) == operations


@pytest.mark.parametrize(("spec", "operations"), each(FITS))
def test_legal_results_are_accepted(spec: str, operations: str) -> None:
    assert linpoint.check(alone(operations), spec).status is LEGAL


@pytest.mark.parametrize(("spec", "operations"), each(DOES_NOT_FIT))
def test_illegal_results_are_violations(spec: str, operations: str) -> None:
    """A result that the spec never returns is a violation, not bad input."""
    assert linpoint.check(alone(operations), spec).status is ILLEGAL


# The design's table again, by the kind of result.

GIVES_NULL: dict[str, list[str]] = {
    "register": ["write(1)"],
    "cas-register": ["write(1)"],
    "map": ['put("k", 1)', 'append("k", "s")'],
    "counter": ["increment()", "decrement()", "add(1)"],
    "queue": ["enqueue(1)"],
    "stack": ["push(1)"],
    "deque": ["push-front(1)", "push-back(1)"],
    "priority-queue": ["insert(1)"],
    "multiset": ["add(1)"],
    "mutex": ["acquire()", "acquire(); release()"],
    "rw-lock": [
        "acquire-read()",
        "acquire-read(); release-read()",
        "acquire-write()",
        "acquire-write(); release-write()",
    ],
    "semaphore(1)": ["acquire()", "release()"],
    "mwcas": ['mwwrite([["x", 1]])'],
}


@pytest.mark.parametrize(("spec", "operations"), each(GIVES_NULL))
@pytest.mark.parametrize(
    ("result", "status"),
    [("null", LEGAL), ("true", LEGAL), ("false", ILLEGAL), ("1", ILLEGAL), ('"ok"', ILLEGAL), ("[]", ILLEGAL)],
)
def test_operations_returning_null_may_also_return_true(
    spec: str, operations: str, result: str, status: linpoint.Status
) -> None:
    assert linpoint.check(alone(f"{operations}->{result}"), spec).status is status


GIVES_BOOL_AND_CHANGES: dict[str, list[tuple[str, bool]]] = {
    "cas-register": [("cas(null, 1)", True), ("cas(0, 1)", False)],
    "map": [
        ('insert("k", 1)', True),
        ('put("k", 1); insert("k", 2)', False),
        ('delete("k")', False),
        ('erase("k")', False),
        ('remove("k")', False),
        ('put("k", 1); delete("k")', True),
        ('put("k", 1); erase("k")', True),
        ('put("k", 1); remove("k")', True),
        ('cas("k", 1, 2)', False),
        ('put("k", 1); cas("k", 1, 2)', True),
    ],
    "queue(capacity=1)": [("enqueue(1)", True), ("enqueue(1); enqueue(2)", False)],
    "set": [("add(1)", True), ("add(1); add(1)", False), ("remove(1)", False), ("add(1); remove(1)", True)],
    "multiset": [("remove(1)", False), ("add(1); remove(1)", True)],
    "mutex": [("try-acquire()", True), ("acquire(); try-acquire()", False)],
    "semaphore(1)": [("try-acquire()", True), ("acquire(); try-acquire()", False)],
    "mwcas": [('mwcas([["x", 0, 1]])', True), ('mwcas([["x", 1, 2]])', False)],
}


@pytest.mark.parametrize(
    ("spec", "operations", "right"),
    [(spec, operations, right) for spec, rows in GIVES_BOOL_AND_CHANGES.items() for operations, right in rows],
)
def test_null_is_an_unobserved_result_of_boolean_updates(spec: str, operations: str, right: bool) -> None:
    def status(result: str) -> linpoint.Status:
        return linpoint.check(alone(f"{operations}->{result}"), spec).status

    assert status("true") is (LEGAL if right else ILLEGAL)
    assert status("false") is (ILLEGAL if right else LEGAL)
    assert status("null") is LEGAL
    assert status("1" if right else "0") is ILLEGAL


NAMES = [
    ("fetch-add", "fetch_add(1)->0; fetch-add(1)->1"),
    ("fetch_add", "fetch_add(1)->0; fetch-add(1)->1"),
    ("cas_register", "cas(null, 1)->true"),
    ("multi_register", "txn([])->[]"),
    ("priority_queue", "insert(1); delete_max()->1"),
    ("rw_lock", "acquire_read(); release_read(); acquire_write(); release_write()"),
    ("deque", "push_back(1); push_front(2); pop_back()->1; pop_front()->2"),
    ("mutex", "try_acquire()->true"),
    ("semaphore(1)", "try_acquire()->true; try-acquire()->false"),
]


@pytest.mark.parametrize(("spec", "operations"), NAMES)
def test_underscores_and_hyphens_are_equivalent_in_names(spec: str, operations: str) -> None:
    assert linpoint.check(alone(operations), spec).status is LEGAL


@pytest.mark.parametrize("name", BUILT_IN)
def test_specs_have_the_same_name_on_the_command_line_and_in_python(name: str) -> None:
    spec = getattr(linpoint.specs, name.replace("-", "_"))
    assert isinstance(spec, linpoint.Spec)
    assert spec is BUILT_IN[name]
    assert name.replace("-", "_") in linpoint.specs.__all__
