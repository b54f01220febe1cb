# SPDX-License-Identifier: Apache-2.0
"""Histories that once had a wrong verdict."""

import pytest

import linpoint
from linpoint.options.choices import CHECKERS

UNKNOWN_POINT = {"process": 0, "op": "write", "args": [1], "call": 5, "return": 5, "outcome": "unknown"}
CASES = {
    # At one instant an operation with an unknown outcome is the last of its process, wherever its line is.
    "unknown at the instant of a read": (
        [
            UNKNOWN_POINT,
            {"process": 0, "op": "read", "args": [], "result": None, "call": 5, "return": 5},
            {"process": 1, "op": "read", "args": [], "result": 1, "call": 6, "return": 7},
        ],
        {"sequential": "linearizable", "recoverable": "linearizable"},
    ),
    "read at the instant of an unknown write": (
        [UNKNOWN_POINT, {"process": 0, "op": "read", "args": [], "result": 1, "call": 5, "return": 5}],
        {"sequential": "violation", "recoverable": "violation", "linearizable": "violation"},
    ),
    # At the time of a crash, interrupted operations come before it and calls after it, of any process.
    "a call at the crash of another process": (
        [
            {"process": 0, "op": "write", "args": [1], "call": 3},
            {"crash": True, "process": 0, "time": 5},
            {"process": 1, "op": "read", "result": None, "call": 5, "return": 6},
            {"process": 1, "op": "read", "result": 1, "call": 7, "return": 8},
        ],
        {"strict": "violation", "durable": "linearizable"},
    ),
    # A matching read may not be chosen immediately if that rules out an interrupted operation.
    "a read that rules out a write": (
        [
            {"process": 0, "op": "write", "args": [1], "call": 0},
            {"crash": True, "time": 5},
            {"process": 0, "op": "read", "result": None, "call": 6, "return": 20},
            {"process": 1, "op": "read", "result": 1, "call": 7, "return": 9},
        ],
        {"recoverable": "violation", "durable": "linearizable", "strict": "violation"},
    ),
    "a crash of the object may precede a crash of a process at the same time": (
        [
            {"process": 1, "op": "write", "args": [4], "result": None, "call": 3, "return": 5},
            {"process": 0, "op": "read", "result": 4, "call": 15, "return": 15},
            {"process": 0, "op": "swap", "args": [5], "result": None, "call": 23, "return": 25},
            {"crash": True, "process": 1, "time": 5},
            {"crash": "object", "time": 5},
            {"crash": True, "time": 20},
        ],
        {"buffered-durable": "linearizable", "durable": "violation"},
    ),
}


def has_verdict(verdict: linpoint.Verdict, expected: str, checker: str) -> bool:
    """Whether the verdict is the expected one. An exact checker may also not apply, if it states a reason."""
    if checker in ("monitor", "frontier", "graph", "eras") and verdict.status is linpoint.Status.UNKNOWN:
        return verdict.why != ""
    return verdict.status.value == expected


@pytest.mark.parametrize("checker", CHECKERS)
@pytest.mark.parametrize("name", CASES)
def test_histories_have_their_verdicts(name: str, checker: str) -> None:
    lines, expected = CASES[name]
    for condition, verdict in expected.items():
        spec = "cas-register" if any(line.get("op") == "swap" for line in lines) else "register"
        found = linpoint.check(lines, spec, checker=checker, condition=condition)
        assert has_verdict(found, verdict, checker), condition


@pytest.mark.parametrize("checker", CHECKERS)
def test_a_write_that_changes_nothing_now_may_be_needed_later(checker: str) -> None:
    history = linpoint.history("""
        A: |--write(1)--|  |--write(1)-------------------------|  |--read()->1--|
        B:                         |--write(2)--|
    """)
    assert has_verdict(linpoint.check(history, "register", checker=checker), "linearizable", checker)


def test_a_read_may_wait_for_a_read_that_is_called_later() -> None:
    """Linear once placed a read at its call or never, although the read it waited for could enable it afterwards."""
    same_call = [
        {"process": 0, "op": "read", "result": None, "call": 50, "return": 70},
        {"process": 0, "op": "read", "result": None, "call": 50, "return": 50},
    ]
    hinted = [
        {"process": 1, "op": "read", "result": 0, "call": 0, "return": 28, "order": 1},
        {"process": 0, "op": "read", "result": 0, "call": 19, "return": 31, "order": 0},
    ]
    for checker in CHECKERS:
        verdict = linpoint.check(same_call, "register", condition="sequential", checker=checker)
        assert has_verdict(verdict, "linearizable", checker)
        assert has_verdict(linpoint.check(hinted, "counter", checker=checker), "linearizable", checker)
