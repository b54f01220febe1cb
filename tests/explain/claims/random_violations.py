# SPDX-License-Identifier: Apache-2.0
"""Random violations of all built-in specs: 3 to 2,000 operations, with crashes, unknown outcomes, hints and clock skew.

A run of the spec at hidden points is stretched to intervals and then corrupted: results are swapped or replaced, times
moved, operations dropped. Values are mostly unique or mostly repeated, drawn per history.
"""

from __future__ import annotations

import bisect
import dataclasses
import random
from collections.abc import Callable, Iterator
from typing import Any

import linpoint
from linpoint.histories.history import History
from linpoint.histories.operation import Annotation, Crash, Operation, Outcome
from linpoint.histories.values import freeze
from linpoint.options.choices import CONDITIONS
from linpoint.specs import BUILT_IN
from linpoint.specs.spec import Spec
from tests.random_histories import MAKERS, random_history
from tests.random_memories import random_memory

VIOLATION = linpoint.Status.VIOLATION
_VALUES = {"write", "put", "enqueue", "push", "push-front", "push-back", "insert", "add", "append", "swap"}
BUDGET = "10s"

Draw = Callable[[random.Random, Callable[[], int]], tuple[str, list[Any]]]

LONG: dict[str, Draw] = {
    "register": lambda r, v: r.choice([("read", []), ("read", []), ("write", [v()])]),
    "cas-register": lambda r, v: r.choice([("read", []), ("write", [v()]), ("swap", [v()]), ("cas", [v(), v()])]),
    "map": lambda r, v: r.choice(
        [
            ("get", [r.choice("ab")]),
            ("put", [r.choice("ab"), v()]),
            ("insert", [r.choice("ab"), v()]),
            ("delete", [r.choice("ab")]),
            ("contains", [r.choice("ab")]),
            ("cas", [r.choice("ab"), v(), v()]),
        ]
    ),
    "queue": lambda r, v: r.choice([("enqueue", [v()]), ("dequeue", []), ("peek", [])]),
    "stack": lambda r, v: r.choice([("push", [v()]), ("pop", []), ("peek", [])]),
    "deque": lambda r, v: r.choice([("push-front", [v()]), ("push-back", [v()]), ("pop-front", []), ("pop-back", [])]),
    "priority-queue": lambda r, v: r.choice([("insert", [v()]), ("delete-max", []), ("peek", [])]),
    "set": lambda r, _: r.choice(
        [("add", [r.randint(1, 4)]), ("remove", [r.randint(1, 4)]), ("contains", [r.randint(1, 4)])]
    ),
    "multiset": lambda r, _: r.choice(
        [("add", [r.randint(1, 3)]), ("remove", [r.randint(1, 3)]), ("count", [r.randint(1, 3)])]
    ),
    "counter": lambda r, _: r.choice([("increment", []), ("increment", []), ("read", [])]),
    "fetch-add": lambda _r, _v: ("fetch-add", [1]),
    "mutex": lambda r, _: r.choice([("try-acquire", []), ("release", []), ("acquire", [])]),
    "rw-lock": lambda r, _: r.choice(
        [("acquire-read", []), ("release-read", []), ("acquire-write", []), ("release-write", [])]
    ),
    "semaphore": lambda r, _: r.choice([("try-acquire", []), ("release", [])]),
    "log": lambda r, v: r.choice([("append", [v()]), ("append", [v()]), ("read", [])]),
    "multi-register": lambda r, v: (
        "txn",
        [[["read", w, None] if r.random() < 0.5 else ["write", w, v()] for w in r.sample("xy", r.randint(1, 2))]],
    ),
    "mwcas": lambda r, v: r.choice(
        [("read", [["x", "y"]]), ("mwswap", [[["x", v()]]]), ("mwcas", [[["x", v(), v()], ["y", v(), v()]]])]
    ),
}


def violations(seed: str, *, share_long: float = 0.02) -> Iterator[linpoint.Verdict]:
    """An endless stream of random violations."""
    rng = random.Random(seed)
    while True:
        history, spec, condition = random_case(rng, share_long)
        verdict = linpoint.check(history, spec, condition=condition, budget=BUDGET, jobs=1)
        if verdict.status is VIOLATION:
            yield verdict


def random_case(rng: random.Random, share_long: float) -> tuple[History, Spec, str | None]:
    """A history that usually violates its spec."""
    drawn = rng.random()
    condition = rng.choice([None, None, None, *CONDITIONS])
    if drawn < share_long:
        size = int(10 ** rng.uniform(1.5, 3.3))
        history, spec = long_history(rng, rng.choice(list(LONG)), size)
        if len(history) > 60 and condition in ("sequential", "buffered-durable"):
            condition = None
    elif drawn < 0.15:
        history, spec = random_memory(rng, operations=rng.randint(3, 12), register=rng.random() < 0.4)
    elif drawn < 0.55:
        name = rng.choice(list(MAKERS))
        history, spec = random_history(
            rng,
            name,
            operations=rng.choice([5, 8, 12]),
            crashes=rng.random() < 0.3,
            keyed=rng.random() < 0.15 and not MAKERS[name][0].key_argument,
            hints=rng.random() < 0.15,
            skew=rng.random() < 0.1,
            return_anew=rng.random() < 0.5,
        )
    else:
        history, spec = long_history(rng, rng.choice(list(LONG)), rng.randint(3, 25))
    return _annotated(rng, history), spec, condition


def _annotated(rng: random.Random, history: History) -> History:
    if rng.random() < 0.8 or not len(history):
        return history
    times = sorted(op.call for op in history)
    texts = ["kill -9 n1", "start workload", "stop nemesis", "network split", "reboot n2", "no crash here"]
    notes = [Annotation(rng.choice(texts), rng.choice(times)) for _ in range(rng.randint(1, 2))]
    return History(
        history.operations,
        crashes=history.crashes,
        annotations=notes,
        clock_skew=history.clock_skew,
        by_position=history.by_position,
    )


def long_history(rng: random.Random, name: str, size: int) -> tuple[History, Spec]:
    """A history of the given length, corrupted in a few places."""
    spec = BUILT_IN[name](2) if name == "semaphore" else BUILT_IN[name]
    few = rng.random() < 0.4
    fresh = iter(range(1, 10**9))

    def value() -> int:
        return rng.randint(1, 3) if few else next(fresh)

    processes = rng.choice([2, 3, 4, 6])
    hints = rng.random() < 0.1
    state, ops, free = spec.initial, [], [0.0] * processes
    point = 0.0
    stretch = rng.choice([0.5, 2.0, 5.0])
    recent: list[int] = []
    while len(ops) < size:
        process = rng.randrange(processes)
        point = max(point, free[process]) + rng.random() + 0.01
        op_name, args = LONG[name](rng, value)
        if op_name in ("cas", "mwcas") and recent and rng.random() < 0.7:
            args = _expecting(op_name, args, state, name)
        op = Operation(
            process, op_name, tuple(freeze(a) for a in args), call=max(free[process], point - rng.random() * stretch)
        )
        outcomes = spec.outcomes(state, op)
        if not outcomes:
            continue
        result, after = rng.choice(outcomes)
        recent.append(len(ops))
        unknown = rng.random() < 0.02
        if not unknown or rng.random() < 0.5:
            state = after
        end = point + rng.random() * stretch
        outcome = Outcome.UNKNOWN if unknown else Outcome.OK
        ops.append(
            dataclasses.replace(
                op,
                result=None if unknown else freeze(result),
                return_=None if unknown else end,
                outcome=outcome,
                order=len(ops) if hints and rng.random() < 0.5 else None,
            )
        )
        free[process] = float("inf") if unknown else end + 0.001
        if unknown:
            free[process] = end + 0.001
            ops[-1] = dataclasses.replace(ops[-1], process=f"u{len(ops)}")
    _spoil(rng, ops, rng.choice([1, 1, 1, 2, 3]))
    crashes = []
    if rng.random() < 0.15 and size < 200:
        time = rng.choice([op.call for op in ops])
        if rng.random() < 0.5:
            crashes.append(Crash(time, of_object=True))
        elif not any(op.outcome is Outcome.OK and op.call < time < op.end for op in ops):
            crashes.append(Crash(time))
    if rng.random() < 0.3:
        rng.shuffle(ops)
    return History(ops, crashes=crashes), spec


def _expecting(op_name: str, args: list[Any], state: Any, name: str) -> list[Any]:
    """Arguments that expect the current value."""
    if name == "cas-register":
        return [state, args[1]]
    if name == "map":
        return [args[0], state.get(args[0]), args[2]]
    if op_name == "mwcas":
        return [[[word, state.get((True, word), state["default"]), new] for word, _, new in args[0]]]
    return args


def _spoil(rng: random.Random, ops: list[Operation], times: int) -> None:
    for _ in range(times):
        seen = [i for i, op in enumerate(ops) if op.outcome is Outcome.OK and op.result is not None]
        if not seen:
            return
        a = rng.choice(seen)
        drawn = rng.random()
        if drawn < 0.4:
            near = seen[max(0, bisect.bisect(seen, a) - 8) : bisect.bisect(seen, a) + 8]
            b = rng.choice([i for i in near if ops[i].name == ops[a].name] or [a])
            one, other = ops[a].result, ops[b].result
            ops[a], ops[b] = dataclasses.replace(ops[a], result=other), dataclasses.replace(ops[b], result=one)
        elif drawn < 0.7:
            old = rng.choice([i for i in seen if ops[i].name == ops[a].name])
            ops[a] = dataclasses.replace(ops[a], result=ops[old].result)
        elif isinstance(ops[a].result, bool):
            ops[a] = dataclasses.replace(ops[a], result=not ops[a].result)
        elif isinstance(ops[a].result, int):
            ops[a] = dataclasses.replace(ops[a], result=ops[a].result + rng.choice([-2, -1, 1, 7]))
        else:
            ops[a] = dataclasses.replace(ops[a], result=None)
