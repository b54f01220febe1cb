# SPDX-License-Identifier: Apache-2.0
"""Random small histories for followers, and how they are streamed: event by event, forgetting at every opportunity.

Values are distinct in most histories, since the rules for forgetting depend on that; in the others they repeat.
"""

from __future__ import annotations

import dataclasses
import random
from typing import Any

from linpoint.checkers.brute_force import brute_force
from linpoint.checkers.online.online_checker import OnlineChecker
from linpoint.checkers.online.operation_window import OperationWindow
from linpoint.histories.history import History
from linpoint.histories.operation import Operation, Outcome
from linpoint.histories.streams.operation_line_stream import OperationLineStream
from linpoint.histories.values import freeze
from linpoint.specs import BUILT_IN
from linpoint.specs.spec import Spec
from linpoint.verdicts import Status

ADDS = {
    "queue": (("enqueue",), ("dequeue",), ("peek",)),
    "priority-queue": (("insert",), ("delete-max",), ("peek",)),
    "stack": (("push",), ("pop",), ("peek",)),
    "deque": (("push-front", "push_back"), ("pop-front", "pop-back"), ()),
    "register": (("write",), ("read",), ("read",)),
    "cas-register": (("write",), ("read",), ("read",)),
    "map": (("put",), ("get",), ("get",)),
}
WINDOWED = tuple(ADDS)


def windowed_history(rng: random.Random, name: str, *, operations: int = 12) -> tuple[History, Spec]:
    """A history of a spec with a rule for forgetting, run on the spec at hidden points, and perhaps corrupted."""
    adds, removes, looks = ADDS[name]
    spec = _spec(rng, name)
    distinct = rng.random() < 0.7
    stretch = rng.choice([1, 3, 8, 14, 25])
    processes = rng.randint(1, 5)
    names = [*range(processes)]
    free = dict.fromkeys(names, -100)
    state: Any = spec.initial
    ops: list[Operation] = []
    adding = rng.choice([0.4, 0.5, 0.6])
    unknown = rng.choice([0, 0, 0.08, 0.2])
    fresh = rng.sample(range(10, 40), 30)
    for number in range(rng.randint(operations // 2, operations)):
        point = number * 10 + 3
        slot = rng.randrange(processes)
        process = names[slot]
        value = fresh.pop() if distinct else rng.choice([1, 2, 3, 1.0, True, None] if name == "register" else [1, 2, 3])
        op = rng.choice(adds) if rng.random() < adding else rng.choice([*removes * 3, *looks])
        args: tuple[Any, ...] = (value,) if op in adds else ()
        args = ("k", *args) if name == "map" else args
        call = max(free[process], point - rng.randint(0, stretch * 2))
        if rng.random() < 0.2:
            call = max(free[process], round(call / 5) * 5)  # coarse clocks: operations touch
        return_: int | None = max(call, point + rng.randint(0, stretch * 2))
        outcome = Outcome.UNKNOWN if rng.random() < unknown else Outcome.OK
        if outcome is Outcome.OK and rng.random() < 0.04:
            outcome = Outcome.FAILED
        result: Any = None
        made = Operation(process, op, args, None, call, return_, outcome)
        if outcome is Outcome.OK or (outcome is Outcome.UNKNOWN and rng.random() < 0.5):
            result, state = spec.outcomes(state, made)[0]
        free[process] = return_
        if outcome is Outcome.UNKNOWN:
            return_ = None
            names[slot] = max(names) + 1
            free[names[slot]] = call
        result = freeze(result) if outcome is Outcome.OK else None
        ops.append(Operation(process, op, args, result, call, return_, outcome))
    if rng.random() < 0.6:
        _corrupt(rng, ops)
    rng.shuffle(ops)
    return History(ops), spec


def _spec(rng: random.Random, name: str) -> Spec:
    spec = BUILT_IN[name]
    if rng.random() < 0.75:
        return spec
    first: dict[str, Any] = {"register": 1, "cas-register": 1, "map": {"k": 1}}
    return spec(initial=first.get(name, rng.choice([[1], [1, 2], [41, 42]])))


def _corrupt(rng: random.Random, ops: list[Operation]) -> None:
    """Exchange two results, replace one, or end an operation early."""
    answered = [at for at, op in enumerate(ops) if op.outcome is Outcome.OK and op.name not in _SILENT]
    roll = rng.random()
    if roll < 0.5 and len(answered) > 1:
        a, b = rng.sample(answered, 2)
        ops[a], ops[b] = _with(ops[a], result=ops[b].result), _with(ops[b], result=ops[a].result)
    elif roll < 0.7 and answered:
        at = rng.choice(answered)
        ops[at] = _with(ops[at], result=None)
    elif roll < 0.75 and answered:
        at = rng.choice(answered)
        ops[at] = _with(ops[at], result=rng.randint(1, 12))
    else:
        at = rng.randrange(len(ops))
        if ops[at].return_ is not None:
            ops[at] = _with(ops[at], return_=ops[at].call)


_SILENT = {"enqueue", "insert", "push", "push-front", "push_back", "write", "put"}


def _with(op: Operation, **changes: Any) -> Operation:
    return dataclasses.replace(op, **changes)


def stream(
    rng: random.Random, history: History, spec: Spec, *, checker: str = "auto", switch: bool = False
) -> tuple[Status, int]:
    """The verdict of a follower that sees the history event by event, and the number of operations it forgot."""
    follower = OnlineChecker(spec, checker=checker, jobs=1)
    eagerness = rng.choice([0.15, 0.5, 1.0])
    reader = OperationLineStream(follower)
    for op in history:
        if op.outcome is not Outcome.FAILED:
            reader._take(op, 1)
    times = sorted({time for op in history for time in (op.call, op.return_) if time is not None})
    switched_at = rng.choice(times) if switch else None
    forgotten = 0
    for time in times:
        reader._pass_on(time)
        if rng.random() >= eagerness:
            continue
        if follower.decide() is not None:
            return Status.VIOLATION, forgotten
        for place, each in list(follower._objects.items()):
            if isinstance(each, OperationWindow):
                before = len(each.done) + len(each.lost)
                each.trim(at_once=True)
                forgotten += before - len(each.done) - len(each.lost)
                if switched_at is not None and time >= switched_at:
                    follower._objects[place] = follower._online(each)
    reader.end()
    return (Status.LINEARIZABLE if follower.decide(last=True) is None else Status.VIOLATION), forgotten


def expected(history: History, spec: Spec) -> Status:
    """The oracle's verdict on all objects of the whole history."""
    effective = [at for at, op in enumerate(history) if op.outcome is not Outcome.FAILED]
    found, _ = brute_force(history, effective, spec, "linearizable")
    return Status.LINEARIZABLE if found else Status.VIOLATION
