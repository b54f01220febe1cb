# SPDX-License-Identifier: Apache-2.0
"""Descriptions of tests with any operations, as the host reports them for a file."""

from __future__ import annotations

from typing import Any

from linpoint.crash.operation_purposes import OperationPurposes, find_purposes
from linpoint.scenarios.cpp_test_description import object_tests
from linpoint.specs.spec_lookup import find

INT = {"kind": "integer", "least": -(2**31), "most": 2**31 - 1}
BYTE = {"kind": "integer", "least": 0, "most": 255}
BOOL = {"kind": "boolean"}
NOTHING = {"kind": "nothing"}


def maybe(kind: dict[str, Any]) -> dict[str, Any]:
    return {"kind": "optional", "parts": [kind]}


def many(kind: dict[str, Any]) -> dict[str, Any]:
    return {"kind": "list", "parts": [kind]}


def several(*kinds: dict[str, Any]) -> dict[str, Any]:
    return {"kind": "tuple", "parts": list(kinds)}


OPERATIONS: dict[str, dict[str, tuple[list[Any], Any]]] = {
    "map": {
        "insert": ([INT, INT], BOOL),
        "get": ([INT], maybe(INT)),
        "erase": ([INT], BOOL),
        "put": ([INT, INT], NOTHING),
    },
    "set": {"add": ([INT], BOOL), "remove": ([INT], BOOL), "contains": ([INT], BOOL)},
    "queue": {"enqueue": ([INT], NOTHING), "dequeue": ([], maybe(INT))},
    "queue(capacity=4)": {"enqueue": ([INT], BOOL), "dequeue": ([], maybe(INT)), "peek": ([], maybe(INT))},
    "stack": {"push": ([INT], NOTHING), "pop": ([], maybe(INT))},
    "deque": {
        "push-front": ([INT], NOTHING),
        "push-back": ([INT], NOTHING),
        "pop-front": ([], maybe(INT)),
        "pop-back": ([], maybe(INT)),
    },
    "priority-queue": {"insert": ([INT], NOTHING), "delete-max": ([], maybe(INT)), "peek": ([], maybe(INT))},
    "log": {"append": ([INT], INT), "read": ([], many(INT))},
    "register(initial=0)": {"read": ([], INT), "write": ([INT], NOTHING)},
    "cas-register(initial=0)": {"read": ([], INT), "cas": ([INT, INT], BOOL), "write": ([INT], NOTHING)},
    "counter": {"increment": ([], NOTHING), "add": ([INT], NOTHING), "read": ([], INT)},
    "fetch-add": {"fetch-add": ([INT], INT)},
    "multiset": {"add": ([INT], NOTHING), "remove": ([INT], BOOL), "count": ([INT], INT)},
    "mwcas": {"read": ([many(INT)], many(INT)), "mwcas": ([many(several(INT, INT, INT))], BOOL)},
    "multi-register(initial=0)": {
        "txn": (
            [many(several({"kind": "string"}, INT, maybe(INT)))],
            many(several({"kind": "string"}, INT, maybe(INT))),
        )
    },
    "mutex": {"acquire": ([], NOTHING), "release": ([], NOTHING), "try-acquire": ([], BOOL)},
}


def purposes(spec: Any, operations: dict[str, tuple[list[Any], Any]] | None = None, **given: Any) -> OperationPurposes:
    """The operations of a spec, described as those of a test."""
    told = operations if operations is not None else OPERATIONS[spec]
    said = {
        "tests": [
            {
                "name": "Test",
                "operations": [
                    {"name": name, "parameters": parameters, "result": result}
                    for name, (parameters, result) in told.items()
                ],
            }
        ]
    }
    test = object_tests(said, "test.cpp")["Test"]
    return find_purposes(find(spec), test, given)
