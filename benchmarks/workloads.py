# SPDX-License-Identifier: Apache-2.0
"""Histories of any size, linearizable by construction: operations take effect at hidden points inside their spans."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from typing import Any


def cas_register_lines(
    operations: int, *, keys: int = 1, processes: int = 10, values: int = 5, seed: int = 1, bad: bool = False
) -> Iterator[str]:
    """Operation lines of CAS registers: each process calls, takes effect and returns at random moments.

    ``bad`` replaces the result of one read in the last tenth by a value that is never written.
    """
    rng = random.Random(seed)
    state: dict[int, int | None] = dict.fromkeys(range(keys))
    clock = 0
    open_calls: dict[int, dict[str, Any]] = {}
    started = 0
    spoilt = not bad
    while started < operations or open_calls:
        clock += 1
        process = rng.randrange(processes)
        call = open_calls.get(process)
        if call is None:
            if started < operations:
                started += 1
                open_calls[process] = {"call": clock, "key": rng.randrange(keys), "effect": False}
        elif not call["effect"]:
            call["effect"] = True
            _take_effect(rng, call, state, values)
            if not spoilt and started > operations * 9 // 10 and call["op"] == "read":
                call["result"], spoilt = values + 1, True
        else:
            del open_calls[process]
            yield json.dumps(
                {
                    "process": process,
                    "op": call["op"],
                    "args": call["args"],
                    "result": call["result"],
                    "call": call["call"],
                    "return": clock,
                    **({"key": call["key"]} if keys > 1 else {}),
                }
            )


def _take_effect(rng: random.Random, call: dict[str, Any], state: dict[int, int | None], values: int) -> None:
    key = call["key"]
    kind = rng.random()
    if kind < 0.4:
        call |= {"op": "read", "args": [], "result": state[key]}
    elif kind < 0.7:
        state[key] = rng.randrange(values)
        call |= {"op": "write", "args": [state[key]], "result": None}
    else:
        old, new = rng.randrange(values), rng.randrange(values)
        success = state[key] == old
        if success:
            state[key] = new
        call |= {"op": "cas", "args": [old, new], "result": success}
