# SPDX-License-Identifier: Apache-2.0
"""Random litmus programs of two to four threads, of every kind of operation and every memory order.

A waiting loop that overwrites its variable always writes 1: two loops that undo each other could run forever.
"""

from __future__ import annotations

import random
from collections.abc import Callable

from tests.hosts.litmus import ORDERS, Op, Program

_LOADING = ("relaxed", "acquire", "seq_cst")
_STORING = ("relaxed", "relaxed", "release", "seq_cst")
_FENCING = ("acquire", "release", "acq_rel", "seq_cst", "seq_cst")
_ALL = tuple(ORDERS)

_DATA = (0, 0, 0, 1, 1, 1, 3)
_LOCK = 2

_LENGTHS = {2: (2, 3, 4), 3: (2, 3), 4: (1, 2)}
"""Units per thread, by the number of threads: the oracle visits every state."""


def random_program(chance: random.Random) -> Program:
    """One random program."""
    count = chance.choice((2, 2, 2, 3, 3, 4))
    lengths = _LENGTHS[count]
    return tuple(
        tuple(op for _ in range(chance.choice(lengths)) for op in chance.choice(_UNITS)(chance)) for _ in range(count)
    )


def _store(chance: random.Random) -> tuple[Op, ...]:
    return (Op("S", chance.choice(_DATA), chance.randrange(1, 4), order=chance.choice(_STORING)),)


def _load(chance: random.Random) -> tuple[Op, ...]:
    return (Op("L", chance.choice(_DATA), order=chance.choice(_LOADING)),)


def _increment(chance: random.Random) -> tuple[Op, ...]:
    place = chance.randrange(2)
    return Op("L", place), Op("I", chance.choice((place, 1 - place)), order=chance.choice(_STORING))


def _fence(chance: random.Random) -> tuple[Op, ...]:
    return (Op("F", order=chance.choice(_FENCING)),)


def _update(chance: random.Random) -> tuple[Op, ...]:
    kind = chance.choice("XAC")
    value = 1 if kind == "A" else chance.randrange(1, 4)
    return (Op(kind, chance.randrange(2), value, chance.randrange(2), chance.choice(_ALL)),)


def _wait(chance: random.Random) -> tuple[Op, ...]:
    order = chance.choice(_LOADING)
    if chance.random() < 0.8:
        return (Op("N", chance.randrange(2), 0, order=order),)
    return (Op("E", chance.randrange(2), chance.randrange(4), order=order),)


def _spin_lock(chance: random.Random) -> tuple[Op, ...]:
    inside = chance.choice((_store, _load, _increment))(chance)
    return Op("W", _LOCK, 1, 0, chance.choice(_ALL)), *inside, Op("S", _LOCK, 0, order=chance.choice(_STORING))


def _mutex(chance: random.Random) -> tuple[Op, ...]:
    mutex = chance.randrange(2)
    inside = chance.choice((_store, _load, _increment))(chance)
    return Op("M", mutex), *inside, Op("U", mutex)


def _two_mutexes(chance: random.Random) -> tuple[Op, ...]:
    outer = chance.randrange(2)
    return Op("M", outer), Op("M", 1 - outer), *_store(chance), Op("U", 1 - outer), Op("U", outer)


_UNITS: tuple[Callable[[random.Random], tuple[Op, ...]], ...] = (
    *(_store,) * 4,
    *(_load,) * 4,
    _increment,
    _fence,
    _fence,
    _update,
    _update,
    _wait,
    _spin_lock,
    _mutex,
    _two_mutexes,
)
