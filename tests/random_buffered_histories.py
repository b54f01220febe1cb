# SPDX-License-Identifier: Apache-2.0
"""Random histories of registers on several keys whose servers lose their latest operations at each crash.

The registers are run at hidden points. Now and then all keys are saved, and a crash restores that state. A faulty crash
saves the keys at different moments, restores an older value, or loses a write in the middle. Values are unique unless
they may repeat.
"""

from __future__ import annotations

import random
from typing import Any

from linpoint.histories.history import History
from linpoint.histories.operation import Crash, Operation, Outcome
from linpoint.specs import BUILT_IN
from linpoint.specs.spec import Spec
from tests.random_monitored_histories import with_processes

_STEP = 10


class _Server:
    """A register for each key, with its saved value and all values that each key has held."""

    def __init__(self, rng: random.Random, keys: list[Any], faulty: float) -> None:
        self._rng = rng
        self._faulty = faulty
        self.state: dict[Any, Any] = dict.fromkeys(keys)
        self._saved = dict(self.state)
        self._moments = [dict(self.state)]

    def apply(self, name: str, key: Any, args: tuple[Any, ...]) -> Any:
        before = self.state[key]
        if name == "cas":
            if before != args[0]:
                return False
            self.state[key] = args[1]
        elif name in ("write", "swap"):
            self.state[key] = args[0]
        self._moments.append(dict(self.state))
        return {"write": None, "cas": True}.get(name, before)

    def save(self) -> None:
        self._saved = dict(self.state)

    def crash(self) -> None:
        rng = self._rng
        if rng.random() < self._faulty:
            since = rng.randrange(len(self._moments)) if rng.random() < 0.5 else 0
            self._saved = {key: rng.choice(self._moments[since:])[key] for key in self.state}
        self.state = dict(self._saved)
        self._moments = [*self._moments[-3:], dict(self.state)] if rng.random() < 0.3 else [dict(self.state)]


def buffered_history(
    rng: random.Random,
    *,
    operations: int = 9,
    keys: int = 2,
    crashes: int = 3,
    repeats: bool = False,
    faulty: float = 0.7,
    stretch: int | None = None,
    long: bool = False,
) -> tuple[History, Spec]:
    """A history of up to ``operations`` operations (exactly that many if ``long``), with its cas-register spec."""
    names = [*"klmnopqr"[: keys if long else rng.randint(1, keys)]]
    count = operations if long else rng.randint(2, operations)
    instants = sorted(
        rng.sample(range(1, 2 * count), min(crashes if long else rng.choice([0, *range(1, crashes + 1), 1]), count))
    )
    crashed = [Crash(at * _STEP // 2) for at in instants]
    server = _Server(rng, names, faulty if long or rng.random() < 0.8 else 0.0)
    stretch = rng.choice([0, 0, 4, 9, 20, 45]) if stretch is None else stretch
    ops: list[Operation] = []
    left = list(crashed)
    for number in range(count):
        point = number * _STEP + 3
        while left and left[0].time <= point:
            server.crash()
            left.pop(0)
        key = rng.choice(names)
        fresh = number + 1
        value = rng.randint(1, 3) if repeats and rng.random() < 0.7 else fresh
        name, args = rng.choices(
            [("read", ()), ("write", (value,)), ("cas", (server.state[key], value)), ("swap", (value,))],
            weights=[10 if crashed and number > crashed[0].time // _STEP else 3, 4, 1.5, 0.5],
        )[0]
        if name == "cas" and rng.random() < 0.3:
            args = (rng.randint(1, max(1, fresh - 1)), value)
        lost = 0.02 if long else 0.8
        outcome = rng.choices([Outcome.OK, Outcome.UNKNOWN, Outcome.FAILED], [16, lost, 0.5])[0]
        took_effect = outcome is Outcome.OK or (outcome is Outcome.UNKNOWN and rng.random() < 0.5)
        result = server.apply(name, key, args) if took_effect else None
        if outcome is Outcome.OK and name == "read" and not long and rng.random() < 0.1:
            result = rng.choice([None, rng.randint(1, fresh)])
        call, end = point - rng.randint(0, stretch), point + rng.randint(0, stretch)
        if rng.random() < 0.2:
            call, end = min(point, round(call / 5) * 5), max(point, round(end / 5) * 5)
        call = max([call, *(crash.time for crash in crashed if crash.time <= point)])
        cut = [crash.time for crash in crashed if call < crash.time < end]
        if cut and outcome is Outcome.OK:
            outcome, result = Outcome.UNKNOWN, None
        ops.append(
            Operation(
                0,
                name,
                args,
                result if outcome is Outcome.OK else None,
                call,
                None if outcome is Outcome.UNKNOWN else min([end, *cut]),
                outcome,
                key=key,
            )
        )
        if rng.random() < (0.01 if long else 0.35):
            server.save()
    rng.shuffle(ops)
    return History(with_processes(ops), crashes=crashed), BUILT_IN["cas-register"]


def reads_after_a_crash(rng: random.Random) -> tuple[History, Spec]:
    """Writes to two or three keys, a crash, and the value of each key after it: whether such a moment exists."""
    names = [*"klm"[: rng.randint(2, 3)]]
    stretch = rng.choice([0, 4, 12, 30])
    held: dict[str, list[Any]] = {name: [None] for name in names}
    ops: list[Operation] = []
    count = rng.randint(2, 7)
    end = count * _STEP
    for number in range(count):
        key, point = rng.choice(names), number * _STEP + 3
        held[key].append(number + 1)
        call, over = point - rng.randint(0, stretch), point + rng.randint(0, stretch)
        unknown = over > end or rng.random() < 0.05
        ops.append(
            Operation(
                0,
                "write",
                (number + 1,),
                None,
                call,
                None if unknown else over,
                Outcome.UNKNOWN if unknown else Outcome.OK,
                key=key,
            )
        )
    for name in [*names, *rng.sample(names, rng.randint(0, 2))]:
        call = end + 2 * len(ops)
        ops.append(Operation(0, "read", (), rng.choice(held[name][-3:]), call, call + rng.randint(0, 3), key=name))
    return History(with_processes(ops), crashes=[Crash(end)]), BUILT_IN["cas-register"]
