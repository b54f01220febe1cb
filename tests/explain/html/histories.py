# SPDX-License-Identifier: Apache-2.0
"""Histories of any length with one stale read in the middle, and one with markup in every field."""

from __future__ import annotations

import random
from typing import Any

import linpoint
from linpoint.histories.operation import Annotation, Crash, Operation, Outcome
from linpoint.specs.spec import Returns, Spec, Step

FIRST = 1_700_000_000_000_000_000  # nanoseconds: beyond the integers that JavaScript numbers represent exactly

HOSTILE = (
    "</script></style></title><img src=x onerror=\"document.title='owned';alert(1)\"><svg onload=alert(2)>"
    "<b class=injected>'\"&amp;`${alert(3)}{{4}} \x1b[31m\u202e\u2028\ud800]]>--><!--"
)


def with_a_stale_read(count: int, *, processes: int = 10, keys: int = 4) -> list[dict[str, Any]]:
    """Operation lines of overlapping reads and writes on registers; one read sees a value overwritten long before."""
    rng = random.Random(count)
    rows: list[dict[str, Any]] = []
    now: dict[int, int] = {}
    for n in range(count - 3):
        key, call = rng.randrange(keys), FIRST + 1000 * n
        row = {"process": n % processes, "call": call, "return": call + rng.randrange(200, 900), "key": f"k{key}"}
        if rng.random() < 0.5:
            now[key] = n
            rows.append(row | {"op": "write", "args": [n], "result": None})
        else:
            rows.append(row | {"op": "read", "args": [], "result": now.get(key)})
    end = FIRST + 1000 * count
    middle = FIRST + 1000 * (count // 2)
    rows += [
        {
            "process": "w",
            "op": "write",
            "args": [-1],
            "result": None,
            "call": middle + 10,
            "return": middle + 90,
            "key": "x",
        },
        {"process": "w", "op": "write", "args": [-2], "result": None, "call": middle + 3000, "return": end, "key": "x"},
        {"process": "r", "op": "read", "args": [], "result": -1, "call": end + 10, "return": end + 900, "key": "x"},
    ]
    return rows


def explained(count: int) -> linpoint.Explanation:
    return linpoint.check(linpoint.history(with_a_stale_read(count)), "register").explain()


def hostile_spec() -> Spec:
    """A register with operations that have hostile names."""

    def write(_state: Any, value: Any) -> tuple[None, Any]:
        return None, value

    def read(state: Any) -> tuple[Any, Any]:
        return state, state

    steps = {
        f"{HOSTILE}w": Step(f"{HOSTILE}w", write, ("v",), 1, Returns.NOTHING),
        f"{HOSTILE}r": Step(f"{HOSTILE}r", read),
    }
    return Spec(HOSTILE, {HOSTILE: HOSTILE}, steps)


def hostile_history() -> linpoint.History:
    """Markup in every field that can contain text."""
    key = (HOSTILE, {HOSTILE: HOSTILE})
    operations = [
        Operation(HOSTILE, f"{HOSTILE}w", (HOSTILE,), None, 10, 20, key=key, line=1),
        Operation(HOSTILE, f"{HOSTILE}w", ({HOSTILE: [HOSTILE]},), None, 30, 40, key=key, line=2),
        Operation("<i>", f"{HOSTILE}r", (), HOSTILE, 50, 60, key=key, line=3),
        Operation(f"{HOSTILE}2", f"{HOSTILE}w", ("lost",), None, 55, None, Outcome.UNKNOWN, key=key, line=4),
        Operation(f"{HOSTILE}3", f"{HOSTILE}w", ("no",), None, 55, 58, Outcome.FAILED, key=key, line=5),
    ]
    return linpoint.History(
        operations,
        crashes=[Crash(45, HOSTILE)],
        annotations=[Annotation(HOSTILE, 15, 35), Annotation(HOSTILE, 52)],
        source=HOSTILE,
    )
