# SPDX-License-Identifier: Apache-2.0
"""Random small histories for every built-in spec: run on the spec at hidden points, then stretched, cut and corrupted.

Half of the histories satisfy their condition by construction or nearly so. In the rest a result was replaced, times
moved or operations dropped, so that both verdicts are common. Order hints come from the hidden points. With a clock
skew each process has a clock of its own.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from linpoint.histories.history import History
from linpoint.histories.operation import Crash, Operation, Outcome
from linpoint.histories.values import freeze
from linpoint.specs import BUILT_IN
from linpoint.specs.spec import Spec
from tests.user_specs import USER_MAKERS

Maker = Callable[[random.Random], tuple[str, tuple[Any, ...]]]


def _one_of(*choices: tuple[str, Callable[[random.Random], tuple[Any, ...]]]) -> Maker:
    def make(rng: random.Random) -> tuple[str, tuple[Any, ...]]:
        name, args = rng.choice(choices)
        return name, freeze(args(rng))

    return make


def _none(_rng: random.Random) -> tuple[Any, ...]:
    return ()


def _v(rng: random.Random) -> Any:
    return rng.choice([0, 1, 2, 2, 3, True, None, "a", [1]]) if rng.random() < 0.2 else rng.randint(1, 3)


def _value(rng: random.Random) -> tuple[Any, ...]:
    return (_v(rng),)


def _number(rng: random.Random) -> tuple[Any, ...]:
    return (rng.randint(1, 2),)


def _key(rng: random.Random) -> str:
    return rng.choice("xxy")


def _cells(rng: random.Random, make: Callable[[str], list[Any]]) -> tuple[Any, ...]:
    return ([make(word) for word in rng.sample("xy", rng.randint(1, 2))],)


MAKERS: dict[str, tuple[Spec, Maker]] = {
    "register": (BUILT_IN["register"], _one_of(("read", _none), ("read", _none), ("write", _value))),
    "cas-register": (
        BUILT_IN["cas-register"],
        _one_of(("read", _none), ("write", _value), ("cas", lambda r: (_v(r), _v(r))), ("swap", _value)),
    ),
    "multi-register": (
        BUILT_IN["multi-register"],
        _one_of(
            (
                "txn",
                lambda r: (
                    [
                        ["read", _key(r), None] if r.random() < 0.5 else ["write", _key(r), r.randint(1, 2)]
                        for _ in range(r.randint(1, 2))
                    ],
                ),
            )
        ),
    ),
    "map": (
        BUILT_IN["map"],
        _one_of(
            ("get", lambda r: (_key(r),)),
            ("get", lambda r: (_key(r),)),
            ("put", lambda r: (_key(r), _v(r))),
            ("insert", lambda r: (_key(r), _v(r))),
            ("delete", lambda r: (_key(r),)),
            ("erase", lambda r: (_key(r),)),
            ("remove", lambda r: (_key(r),)),
            ("append", lambda r: (_key(r), r.choice("ab"))),
            ("cas", lambda r: (_key(r), r.choice([None, 1, 2]), _v(r))),
            ("contains", lambda r: (_key(r),)),
        ),
    ),
    "counter": (
        BUILT_IN["counter"],
        _one_of(("increment", _none), ("decrement", _none), ("add", _number), ("read", _none), ("read", _none)),
    ),
    "fetch-add": (BUILT_IN["fetch-add"], _one_of(("fetch-add", _number))),
    "queue": (BUILT_IN["queue"], _one_of(("enqueue", _value), ("dequeue", _none), ("peek", _none))),
    "queue(capacity=1)": (
        BUILT_IN["queue"](capacity=1),
        _one_of(("enqueue", _value), ("dequeue", _none), ("peek", _none)),
    ),
    "stack": (BUILT_IN["stack"], _one_of(("push", _value), ("pop", _none), ("peek", _none))),
    "deque": (
        BUILT_IN["deque"],
        _one_of(("push-front", _value), ("push_back", _value), ("pop-front", _none), ("pop_back", _none)),
    ),
    "priority-queue": (
        BUILT_IN["priority-queue"],
        _one_of(("insert", lambda r: (r.choice([1, 2, 3, 2.5]),)), ("delete-max", _none), ("peek", _none)),
    ),
    "set": (BUILT_IN["set"], _one_of(("add", _value), ("remove", _value), ("contains", _value))),
    "multiset": (BUILT_IN["multiset"], _one_of(("add", _number), ("remove", _number), ("count", _number))),
    "mutex": (BUILT_IN["mutex"], _one_of(("acquire", _none), ("release", _none), ("try-acquire", _none))),
    "rw-lock": (
        BUILT_IN["rw-lock"],
        _one_of(("acquire-read", _none), ("release-read", _none), ("acquire-write", _none), ("release-write", _none)),
    ),
    "semaphore(2)": (
        BUILT_IN["semaphore"](2),
        _one_of(("acquire", _none), ("release", _none), ("try-acquire", _none)),
    ),
    "log": (BUILT_IN["log"], _one_of(("append", _number), ("append", _number), ("read", _none))),
    "mwcas": (
        BUILT_IN["mwcas"],
        _one_of(
            ("read", lambda r: (r.sample("xy", r.randint(1, 2)),)),
            ("mwcas", lambda r: _cells(r, lambda m: [m, r.randint(0, 1), r.randint(1, 2)])),
            ("mwswap", lambda r: _cells(r, lambda m: [m, r.randint(1, 2)])),
            ("mwwrite", lambda r: _cells(r, lambda m: [m, r.randint(1, 2)])),
        ),
    ),
}


def random_history(
    rng: random.Random,
    name: str,
    *,
    operations: int = 8,
    processes: int = 4,
    noise: float = 0.15,
    return_anew: bool = False,
    crashes: bool = False,
    keyed: bool = False,
    hints: bool = False,
    skew: bool = False,
) -> tuple[History, Spec]:
    """A random history of at most ``operations`` operations of the spec ``name``, a built-in or a user's.

    ``noise`` is the share of results that are replaced. A process whose operation never returned continues under a new
    name if ``return_anew``, and otherwise only after a crash. Crashes are of everything, of one process (perhaps
    idle), and of the object alone.
    """
    spec, make = MAKERS[name] if name in MAKERS else USER_MAKERS[name]
    count = rng.randint(1, operations)
    processes = rng.randint(2 if hints or skew else 1, processes)
    crash_times: list[Crash] = []
    if crashes:
        crash_times = [
            _crash(rng, rng.choice([x * 10, x * 10 + 5]), processes)
            for x in rng.sample(range(1, count + 1), rng.randint(1, min(2, count)))
        ]
    state: dict[Any, Any] = {}
    saved: dict[Any, Any] = {}
    ops: list[Operation] = []
    stretch = rng.choice([0, 2, 6] if skew else [2, 6, 12, 25])
    free_from = dict.fromkeys(range(processes), -100.0)
    clock_skew = rng.choice([1, 5, 7.5, 10, 12, 20, 25]) if skew else 0
    drift = [rng.choice([0, clock_skew, rng.randint(0, 25)]) if skew else 0 for _ in range(processes)]
    points: list[int] = []
    names = [*range(processes)]
    for number in range(count):
        point = number * 10 + 3
        for crash in crash_times:
            if crash.ends_era and point - 10 < crash.time <= point and rng.random() < 0.3:
                state = dict(saved)  # a buffered object may lose everything after some moment
        if rng.random() < 0.4:
            saved = dict(state)
        slot = rng.randrange(processes)
        if free_from[names[slot]] == float("inf") and return_anew:
            names[slot] = max(names) + 1
            free_from[names[slot]] = -100.0
        process = names[slot]
        if free_from[process] == float("inf"):
            continue  # its last operation never returned, and no crash ended it
        op = _operation(rng, make, process, point + drift[slot], stretch, free_from[process], keyed=keyed)
        op, late = _cut(rng, op, crash_times)
        where = None if spec.key_argument else op.key
        outcomes = spec.outcomes(state.get(where, spec.initial), op)
        if outcomes and not late:
            result, after = rng.choice(outcomes)
            state[where] = after
        else:
            result = rng.choice([None, True, 1])
        if op.outcome is Outcome.OK:
            op = _with(op, result=_noise(rng, freeze(result), noise))
        ends = [crash.time for crash in crash_times if crash.interrupts(process) and crash.time > op.call]
        if op.outcome is Outcome.UNKNOWN:
            free_from[process] = min(ends, default=float("inf"))
        else:
            free_from[process] = op.return_ if op.return_ is not None else op.call
        ops.append(op)
        points.append(point)
    if hints:
        ops = _hinted(rng, ops, points)
    rng.shuffle(ops)
    return History(ops, crashes=crash_times, clock_skew=clock_skew), spec


def _crash(rng: random.Random, time: float, processes: int) -> Crash:
    kind = rng.choices(["object", "everything", "process"], [4, 4, 2])[0]
    process = rng.randrange(processes + 1) if kind == "process" else None
    return Crash(time, process, of_object=kind == "object")


def _hinted(rng: random.Random, ops: list[Operation], points: list[int]) -> list[Operation]:
    """Some operations with the order of their points: exact or coarse, sometimes with two of them exchanged."""
    share = rng.choice([0.4, 0.7, 1.0])
    coarse = rng.choice([1, 1, 20, 30.0])
    orders = [point // coarse if rng.random() < share else None for point in points]
    if len(orders) > 1 and rng.random() < 0.4:
        a, b = rng.sample(range(len(orders)), 2)
        orders[a], orders[b] = orders[b], orders[a]
    return [_with(op, order=order) for op, order in zip(ops, orders, strict=True)]


def _with(op: Operation, **changes: Any) -> Operation:
    fields = {name: getattr(op, name) for name in Operation.__slots__}
    return Operation(**(fields | changes))


def _operation(
    rng: random.Random, make: Maker, process: int, point: float, stretch: int, free: float, *, keyed: bool
) -> Operation:
    name, args = make(rng)
    call = max(free, point - rng.randint(0, stretch))
    if rng.random() < 0.3:
        call = max(free, float(round(call / 5) * 5))  # coarse clocks: many operations touch
    return_ = max(call, point + rng.randint(0, stretch))
    if rng.random() < 0.3:
        return_ = max(call, float(round(return_ / 5) * 5))
    outcome = rng.choices([Outcome.OK, Outcome.UNKNOWN, Outcome.FAILED], [8, 1, 0.5])[0]
    return Operation(
        process,
        name,
        args,
        None,
        call,
        None if outcome is Outcome.UNKNOWN else return_,
        outcome,
        key=rng.choice(["k", "l"]) if keyed else None,
    )


def _cut(rng: random.Random, op: Operation, crashes: list[Crash]) -> tuple[Operation, bool]:
    """Interrupt an operation at the first crash it spans; the bool says that its effect is to be omitted."""
    for crash in sorted(crashes, key=lambda crash: crash.time):
        if crash.covers(op.process) and op.return_ is not None and op.call < crash.time < op.return_:
            if op.outcome is Outcome.FAILED:
                return _with(op, return_=crash.time), True
            return _with(op, outcome=Outcome.UNKNOWN, return_=None), rng.random() < 0.5
        spans = op.outcome is Outcome.OK and op.return_ is not None and op.call < crash.time < op.return_
        if crash.of_object and spans and rng.random() < 0.3:
            return _with(op, outcome=Outcome.UNKNOWN, return_=None), rng.random() < 0.5
    return op, op.outcome is not Outcome.OK and rng.random() < 0.5


def _noise(rng: random.Random, result: Any, share: float) -> Any:
    """Mostly the correct result; sometimes unobserved, sometimes another one."""
    roll = rng.random()
    if roll < 1 - share:
        return result
    if roll < 1 - share * 2 / 3:
        return None
    if isinstance(result, bool):
        return not result
    if isinstance(result, tuple) and result:
        return (*result[:-1], rng.randint(0, 3))
    return rng.choice([None, True, False, 0, 1, 2, 3, "a", 1.0])
