# SPDX-License-Identifier: Apache-2.0
"""Random small histories for the monitors: run on the spec at hidden points, stretched, corrupted, interrupted.

Values are mostly unique, as monitors require; some repeat. Reads of the state, empty results, ties of time, unknown
outcomes and first values occur. Two generators aim at traps: turns at the front that only form a cycle of three, and
zones that are cut on both sides.
"""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Callable
from typing import Any

from linpoint.histories.history import History
from linpoint.histories.operation import Operation, Outcome
from linpoint.specs import BUILT_IN
from linpoint.specs.spec import Spec

Draw = Callable[[random.Random, Callable[[], int]], tuple[str, tuple[Any, ...]]]


def _choose(*choices: tuple[str, float, str]) -> Draw:
    """Operations with their weights; the letters stand for arguments: a fresh value, an old one, a key."""

    def draw(rng: random.Random, fresh: Callable[[], int]) -> tuple[str, tuple[Any, ...]]:
        name, _, letters = rng.choices(choices, weights=[weight for _, weight, _ in choices])[0]
        args: list[Any] = []
        for letter in letters:
            match letter:
                case "f":
                    args.append(fresh())
                case "o":
                    args.append(rng.randint(0, 6))
                case "p":  # ties are common at first
                    value = fresh()
                    args.append(rng.randint(1, 4) if value < 8 and rng.random() < 0.5 else value)
                case "k":
                    args.append(rng.choice("ab"))
                case "s":
                    args.append(rng.randint(1, 2))
        return name, tuple(args)

    return draw


DRAWS: dict[str, tuple[str, Draw, list[Any]]] = {
    "register": ("register", _choose(("read", 2, ""), ("write", 1, "f")), [None, 1]),
    "chains": (
        "cas-register",
        _choose(("read", 2, ""), ("write", 0.5, "f"), ("cas", 1.5, "of"), ("swap", 1, "f")),
        [None, 0, 1],
    ),
    "map": (
        "map",
        _choose(
            ("get", 3, "k"),
            ("put", 2, "kf"),
            ("insert", 0.6, "kf"),
            ("delete", 0.4, "k"),
            ("contains", 0.4, "k"),
            ("cas", 0.6, "kof"),
        ),
        [None, {"a": 1}],
    ),
    "queue": ("queue", _choose(("enqueue", 2, "f"), ("dequeue", 2, ""), ("peek", 0.7, "")), [None, [1], [1, 2]]),
    "stack": ("stack", _choose(("push", 2, "f"), ("pop", 2, ""), ("peek", 0.7, "")), [None, [1], [1, 2]]),
    "priority-queue": (
        "priority-queue",
        _choose(("insert", 2, "p"), ("delete-max", 2, ""), ("peek", 0.7, "")),
        [None, [1], [1, 2]],
    ),
    "set": ("set", _choose(("add", 2, "s"), ("remove", 2, "s"), ("contains", 1, "s")), [None, [1]]),
    "mutex": ("mutex", _choose(("acquire", 2, ""), ("release", 2, ""), ("try-acquire", 1, "")), [None, True]),
    "counter": ("counter", _choose(("increment", 2, ""), ("read", 2, "")), [None, 3]),
    "fetch-add": ("fetch-add", lambda _rng, _fresh: ("fetch-add", (1,)), [None, 3]),
}


def monitored_history(rng: random.Random, name: str, *, size: int | None = None) -> tuple[History, Spec]:
    """A history of ``size`` or up to 12 operations for a monitor, and the spec with its first value."""
    built_in, draw, firsts = DRAWS[name]
    first = rng.choice(firsts) if rng.random() < 0.3 else None
    spec: Spec = BUILT_IN[built_in] if first is None else BUILT_IN[built_in](initial=first)
    count = 0
    repeats = rng.random() < 0.25

    def fresh() -> int:
        nonlocal count
        count += 1
        return rng.randint(1, 3) if repeats and rng.random() < 0.4 else count

    lost_share = 0.2 if size is None else 3 / size
    size = size or rng.randint(2, 12)
    drawn = [draw(rng, fresh) for _ in range(size)]
    results = _run(rng, spec, drawn)
    corruption = rng.random()
    if corruption < 0.5:
        _corrupt(rng, results)
    spans = _spans(rng, len(results))
    if corruption > 0.7:  # moved in time
        a, b = rng.randrange(len(results)), rng.randrange(len(results))
        spans[a], spans[b] = spans[b], spans[a]
    unknown = rng.random() < 0.4
    ops = []
    for (op, result), (call, end) in zip(results, spans, strict=True):
        lost = unknown and rng.random() < lost_share
        ops.append(
            Operation(
                0,
                op[0],
                args=op[1],
                result=None if lost else result,
                call=call,
                return_=None if lost else end,
                outcome=Outcome.UNKNOWN if lost else Outcome.OK,
            )
        )
    return History(with_processes(ops)), spec


def _run(rng: random.Random, spec: Spec, drawn: list[tuple[str, tuple[Any, ...]]]) -> list[tuple[Any, Any]]:
    """The legal operations, one after the other, with their results."""
    state = spec.initial
    results = []
    for op in drawn:
        outcomes = spec.outcomes(state, Operation(0, op[0], args=op[1]))
        if not outcomes:
            continue
        result, state = rng.choice(outcomes)
        results.append((op, result))
    return results or [(drawn[0], None)]


def _corrupt(rng: random.Random, results: list[tuple[Any, Any]]) -> None:
    """Exchange results, change one, or drop an operation: mostly of those that have seen a value."""
    for _ in range(rng.randint(1, 2)):
        answered = [i for i, (_, result) in enumerate(results) if result is not None]
        a, b = rng.randrange(len(results)), rng.randrange(len(results))
        if answered and rng.random() < 0.7:
            a, b = rng.choice(answered), rng.choice(answered)
        if len(results) > 2 and rng.random() < 0.2:
            del results[a]
        elif results[a][0][0] == results[b][0][0] and results[a][1] != results[b][1]:
            results[a], results[b] = (results[a][0], results[b][1]), (results[b][0], results[a][1])
        elif type(results[a][1]) is bool:
            results[a] = (results[a][0], not results[a][1])
        elif results[a][1] is not None:
            results[a] = (results[a][0], rng.choice([None, results[a][1] - 1, results[a][1] + 1, 1, 2]))


def _spans(rng: random.Random, size: int) -> list[tuple[int, int]]:
    stretch = rng.choice([0, 1, 3, 6, 12])
    scale = rng.choice([1, 3])  # with 1 there are many ties
    points = sorted(rng.randint(0, 4 * size * scale) for _ in range(size))
    return [(point - rng.randint(0, stretch * scale), point + rng.randint(0, stretch * scale)) for point in points]


def with_processes(ops: list[Operation]) -> list[Operation]:
    """The operations, each assigned to a process that is free at the time."""
    free: list[float] = []
    placed = list(ops)
    for position in sorted(range(len(ops)), key=lambda p: (ops[p].call, ops[p].end)):
        op = ops[position]
        process = next((number for number, end in enumerate(free) if end < op.call), len(free))
        if process == len(free):
            free.append(op.end)
        free[process] = op.end
        placed[position] = dataclasses.replace(op, process=process)
    return placed


def three_at_the_front(rng: random.Random) -> tuple[History, Spec]:
    """Few values, early reads and long dequeues: cycles of three that no two values reveal."""
    values = range(rng.choice([3, 3, 4]))
    kinds = [(kind, value) for value in values for kind in ("enqueue", "dequeue")]
    kinds += [("peek", rng.choice(values)) for _ in range(rng.randint(1, 2))]
    spans = []
    for kind, _ in kinds:
        start, longest = {"enqueue": (0, 4), "peek": (5, 2), "dequeue": (4, 10)}[kind]
        call = start + rng.random() * {"enqueue": 4, "peek": 8, "dequeue": 12}[kind]
        spans.append((call, call + rng.random() * longest))
    ops = [
        Operation(
            0,
            kind,
            args=(value,) if kind == "enqueue" else (),
            result=None if kind == "enqueue" else value,
            call=call,
            return_=end,
        )
        for (kind, value), (call, end) in zip(kinds, spans, strict=True)
    ]
    return History(with_processes(ops)), BUILT_IN["queue"]


def cut_zones(rng: random.Random) -> tuple[History, Spec]:
    """Values with long reads, one after the other, and others that must leave before, between or after them."""
    ops: list[Operation] = []

    def add(name: str, value: int, call: float, end: float) -> None:
        adds = name == "enqueue"
        ops.append(
            Operation(0, name, args=(value,) if adds else (), result=None if adds else value, call=call, return_=end)
        )

    at = 10.0
    for value in (1, 2):
        add("enqueue", value, rng.random() * 5, 5 + rng.random() * 3)
        add("peek", value, at - rng.random() * 3, at + rng.random() * 2)
        end = at + 2 + rng.random() * 8
        add("dequeue", value, end - rng.random() * 2, end + rng.random() * 4)
        at = end + rng.random() * 4
    for value in range(3, rng.choice([4, 5]) + 1):
        call = rng.random() * 8
        add("enqueue", value, call, call + rng.random() * 6)
        call = 5 + rng.random() * (at - 5)
        add("dequeue", value, call, call + rng.random() * 14)
    return History(with_processes(ops[:12])), BUILT_IN["queue"]


TRAPS = {"three at the front": three_at_the_front, "cut zones": cut_zones}
