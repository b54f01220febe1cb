# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: N805 - the first argument of a step is the state
"""Specs as users write them, one for each feature that built-ins lack, with makers of random operations."""

from __future__ import annotations

import random
from typing import Any

import linpoint
from linpoint.specs.spec import Spec
from linpoint.specs.spec_lookup import find


@linpoint.spec
class OwnedLock:
    """Uses the process."""

    initial = None

    def acquire(state, *, process):
        return [(None, process)] if state is None else []

    def release(state, *, process):
        return [(None, None)] if state == process else []


@linpoint.spec(reads=["look"])
class Bag:
    """Gives any of its items: several steps for one operation, sometimes with the same result."""

    initial = ()

    def put(state, x):
        return None, tuple(sorted((*state, x), key=repr))

    def take(state):
        return [(state[i], (*state[:i], *state[i + 1 :])) for i in range(len(state))]

    def spill(state):
        return [(True, ()), (True, state[:1]), (False, state)]

    def look(state):
        return len(state), state


@linpoint.spec(partition=lambda word, *_: word, reads=["get"])
class Words:
    """Has independent parts."""

    initial = frozenset()

    def put(state, word, value=1):
        return None, frozenset({pair for pair in state if pair[0] != word} | {(word, value)})

    def get(state, word):
        return dict(state).get(word), state


class TakeTurns:
    """Uses the whole operation: no process goes twice in a row, and results count the moves."""

    initial = (None, 0)
    name = "take-turns"

    def apply(self, state: Any, op: Any) -> Any:
        last, moves = state
        if op.name == "moves":
            return [(moves, state)]
        return [] if last == op.process else [(None, (op.process, moves + 1))]


class Ledger:
    """An ordinary class."""

    def __init__(self) -> None:
        self.entries: list[Any] = []

    def append(self, value: Any) -> int:
        self.entries.append(value)
        return len(self.entries)

    def last(self) -> Any:
        return self.entries[-1]


def _value(rng: random.Random) -> int:
    return rng.randint(1, 2)


def _lock(rng: random.Random) -> tuple[str, tuple[Any, ...]]:
    return rng.choice(["acquire", "release"]), ()


def _bag(rng: random.Random) -> tuple[str, tuple[Any, ...]]:
    return rng.choice([("put", (_value(rng),)), ("put", (_value(rng),)), ("take", ()), ("spill", ()), ("look", ())])


def _words(rng: random.Random) -> tuple[str, tuple[Any, ...]]:
    word = rng.choice("xy")
    return rng.choice([("put", (word, _value(rng))), ("put", (word,)), ("get", (word,)), ("get", (word,))])


def _turns(rng: random.Random) -> tuple[str, tuple[Any, ...]]:
    return rng.choice(["move", "move", "moves"]), ()


def _ledger(rng: random.Random) -> tuple[str, tuple[Any, ...]]:
    return rng.choice([("append", (_value(rng),)), ("last", ())])


USER_MAKERS: dict[str, tuple[Spec, Any]] = {
    "owned-lock": (OwnedLock, _lock),
    "bag": (Bag, _bag),
    "words": (Words, _words),
    "take-turns": (find(TakeTurns()), _turns),
    "ledger": (linpoint.sequential(Ledger, methods=["append", "last"]), _ledger),
}
