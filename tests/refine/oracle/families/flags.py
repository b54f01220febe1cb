# SPDX-License-Identifier: Apache-2.0
"""Objects made of flags: test-and-set, spin locks, and objects that store buffers break."""

from __future__ import annotations

import random
from collections.abc import Callable

from tests.refine.oracle.families.draft import Draft
from tests.refine.oracle.language import Body, Declaration, Statement
from tests.refine.oracle.model_builder import (
    FENCE,
    POINT,
    both,
    cas,
    cell,
    during,
    fetch_add,
    forever,
    give,
    let,
    load,
    op,
    operation,
    soft,
    store,
    swap,
    when,
)

_MUTEX = """
initial = 0

def acquire(state):
    return [(None, 1)] if state == 0 else []

def release(state):
    return [(None, 0)] if state == 1 else []
"""


def flag(rng: random.Random) -> Draft:
    """``test_and_set`` returns the old value."""
    style = rng.choice(["swap", "swap", "cas", "cas", "broken"])
    bodies: dict[str, Body] = {
        "swap": (let("old", swap("x", True)), POINT, give("old")),
        "cas": (when(cas("x", False, True), POINT, give(False)), give(True)),
        "broken": (when(load("x"), give(True)), store("x", True), give(False)),
    }
    resetting: Body = (store("x", False), POINT, give())
    if rng.random() < 0.5:
        resetting = (store("x", False), FENCE, give())
    return Draft(
        style,
        (cell("x", False),),
        (operation("test_and_set", *bodies[style]), operation("reset", *resetting)),
        """
initial = False

def test_and_set(state):
    return state, True

def reset(state):
    return None, False
""",
        ((2, 2), (2, 3), (3, 1)),
        tso=True,
    )


def spinning(rng: random.Random) -> Draft:
    """A lock whose waiters spin."""
    style = rng.choice(["swap", "ticket", "broken"])
    cells: tuple[Declaration, ...] = (cell("busy", False),)
    release: Body = (store("busy", False), POINT, *_maybe_fence(rng))
    if style == "swap":
        acquire: Body = (during(swap("busy", True)),)
    elif style == "ticket":
        cells = (cell("tickets"), cell("serving"))
        acquire = (let("mine", fetch_add("tickets", 1)), during(op(load("serving"), "!=", "mine")))
        release = (store("serving", op(load("serving"), "+", 1)), POINT, *_maybe_fence(rng))
    else:
        acquire = (during(load("busy")), store("busy", True), POINT, *_maybe_fence(rng))
    return Draft(
        style,
        cells,
        (operation("acquire", *acquire), operation("release", *release, pairs_with="acquire")),
        _MUTEX,
        ((2, 2), (3, 1), (3, 2)),
        tso=True,
    )


def peterson(rng: random.Random) -> Draft:
    """A counter behind Peterson's lock for two processes; buffers break it unless there are fences."""
    fence: tuple[Statement, ...] = (FENCE,) if rng.random() < 0.5 else ()

    def counting(mine: str, other: str, turn: int) -> Body:
        waiting = during(both(op(load(other), "==", 1), op(load("turn"), "==", turn)))
        inside = (let("old", load("x")), store("x", op("old", "+", soft(1))))
        return (store(mine, 1), store("turn", turn), *fence, waiting, *inside, store(mine, 0), *fence, give("old"))

    return Draft(
        "with fences" if fence else "without fences",
        (cell("up_left"), cell("up_right"), cell("turn"), cell("x")),
        (
            operation("left", *counting("up_left", "up_right", 1), role="left"),
            operation("right", *counting("up_right", "up_left", 0), role="right"),
        ),
        """
initial = 0

def left(state):
    return state, state + 1

def right(state):
    return state, state + 1
""",
        ((2, 1), (2, 2), (2, 2)),
        tso=True,
    )


def claim(rng: random.Random) -> Draft:
    """Write my name until it stays: one process alone finishes, but two may hinder each other forever.

    Broken: with a reader, since the name of one claim may be seen twice.
    """
    looks = rng.random() < 0.4

    def claiming(name: int) -> Body:
        return (forever(store("x", name), when(op(load("x"), "==", name), give())),)

    operations = (
        operation("left", *claiming(1), role="left"),
        operation("right", *claiming(2), role="right"),
        *((operation("look", give(load("x")), role="looker"),) if looks else ()),
    )
    return Draft(
        "broken: seen" if looks else "right",
        (cell("x"),),
        operations,
        """
initial = 0

def left(state):
    return None, 1

def right(state):
    return None, 2

def look(state):
    return state, state
""",
        ((3, 2), (3, 3)) if looks else ((2, 2), (3, 1), (3, 2)),
        tso=True,
    )


def flags(rng: random.Random) -> Draft:
    """Raise my flag, look at yours: it is impossible that neither sees a flag. (Seeing one is always allowed.)"""
    fence: tuple[Statement, ...] = (FENCE,) if rng.random() < 0.5 else ()
    return Draft(
        "with fences" if fence else "without fences",
        (cell("x"), cell("y")),
        (
            operation("left", store("x", 1), *fence, give(load("y")), role="left"),
            operation("right", store("y", 1), *fence, give(load("x")), role="right"),
        ),
        """
initial = (0, 0)

def left(state):
    seen = [(1, (1, state[1]))]
    return seen if state[1] else [*seen, (0, (1, 0))]

def right(state):
    seen = [(1, (state[0], 1))]
    return seen if state[0] else [*seen, (0, (0, 1))]
""",
        ((2, 1), (2, 2), (3, 1), (3, 2)),
        tso=True,
    )


def message(rng: random.Random) -> Draft:
    """Data first, then the flag that announces it."""
    counting: Body = ()
    cells: tuple[Declaration, ...] = (cell("data"), cell("ready"))
    if rng.random() < 0.5:  # only the sender accesses this one
        cells = (*cells, cell("sent"))
        counting = (store("sent", op(load("sent"), "+", 1)),)
    receiving: Body = (when(op(load("ready"), "==", 0), give()), give(load("data")))
    return Draft(
        "one writer",
        cells,
        (
            operation(
                "send",
                *counting,
                store("data", "v"),
                store("ready", 1),
                *_maybe_fence(rng),
                role="sender",
                v=range(1, 3),
            ),
            operation("receive", *receiving, role="receiver"),
        ),
        """
initial = None

def send(state, v):
    return None, v

def receive(state):
    return state, state
""",
        ((2, 2), (2, 3)),
        tso=True,
    )


def _maybe_fence(rng: random.Random) -> tuple[Statement, ...]:
    return (FENCE,) if rng.random() < 0.6 else ()


FAMILIES: dict[str, Callable[[random.Random], Draft]] = {
    "Flag": flag,
    "Spinning": spinning,
    "Peterson": peterson,
    "Claim": claim,
    "Flags": flags,
    "Message": message,
}
