# SPDX-License-Identifier: Apache-2.0
"""Containers in arrays and in single cells: sets, a stack, queues."""

from __future__ import annotations

import random
from collections.abc import Callable

from tests.refine.oracle.families.counters import LOCK
from tests.refine.oracle.families.draft import Draft
from tests.refine.oracle.language import ArrayDeclaration, Body, Const, Statement
from tests.refine.oracle.model_builder import (
    POINT,
    cas,
    cell,
    during,
    element,
    fetch_add,
    forever,
    give,
    holding,
    let,
    load,
    op,
    operation,
    plain_load,
    plain_store,
    soft,
    store,
    swap,
    when,
)

_SET = """
initial = frozenset()

def add(state, x):
    return x not in state, state | {x}

def remove(state, x):
    return x in state, state - {x}

def contains(state, x):
    return x in state, state
"""


def array_set(rng: random.Random) -> Draft:
    """A flag for each of two elements."""
    style = rng.choice(["cas", "swap"])
    at = element("a", "x")
    contains: Body = (let("there", load(at)), POINT, give("there"))
    if rng.random() < 0.4:
        contains = (give(plain_load(at)),)
    if style == "cas":
        adding: Body = (when(cas(at, False, True), POINT, give(True)), give(False))
        adding = rng.choice([adding, (give(cas(at, False, True)),)])
        removing: Body = (give(cas(at, True, False)),)
    else:
        adding = (let("old", swap(at, True)), POINT, give(op("old", "==", False)))
        removing = (let("old", swap(at, False)), POINT, give("old"))
    return Draft(
        style,
        (ArrayDeclaration("a", Const(value=False), 2),),
        (
            operation("add", *adding, x=range(2)),
            operation("remove", *removing, x=range(2)),
            operation("contains", *contains, x=range(2)),
        ),
        _SET,
        ((2, 2), (3, 1)),
        tso=True,
    )


def mask_set(rng: random.Random) -> Draft:
    """The elements 1 and 2 as bits of one cell."""
    style = rng.choice(["cas", "lock"])
    bit = op(op("now", "//", "x"), "%", 2)

    def changing(wanted: int, operator: str) -> Body:
        fails, changed = op(bit, "!=", wanted), op("now", operator, "x")
        if style == "lock":
            inner = (when(fails, give(False)), store("mask", changed), give(True))
            return (holding("m", let("now", load("mask")), *inner),)
        return (
            forever(
                let("now", load("mask")),
                when(fails, POINT, give(False)),
                when(cas("mask", "now", changed), POINT, give(True)),
            ),
        )

    return Draft(
        style,
        (cell("mask"), LOCK) if style == "lock" else (cell("mask"),),
        (
            operation("add", *changing(0, "+"), x=range(1, 3)),
            operation("remove", *changing(1, "-"), x=range(1, 3)),
            operation("contains", let("now", load("mask")), POINT, give(op(bit, "==", soft(1))), x=range(1, 3)),
        ),
        _SET,
        ((2, 2), (3, 1)) if style == "cas" else ((2, 1), (3, 1)),
        tso=style == "cas",
    )


def array_stack(rng: random.Random) -> Draft:
    """A height and an array, with a lock."""
    handed = rng.random() < 0.5
    at = element("a", "n")
    put: Statement = plain_store(at, "v") if handed else store(at, "v")
    got = plain_load(element("a", op("n", "-", 1)))
    return Draft(
        "lock",
        (cell("height"), ArrayDeclaration("a", Const(0), 7), LOCK),
        (
            operation("push", holding("m", let("n", load("height")), put, store("height", op("n", "+", 1))), v=(1, 3)),
            operation(
                "pop",
                holding(
                    "m",
                    let("n", load("height")),
                    when(op("n", "==", 0), give()),
                    store("height", op("n", "-", 1)),
                    give(got),
                ),
            ),
        ),
        """
initial = ()

def push(state, v):
    return None, (*state, v)

def pop(state):
    return (state[-1], state[:-1]) if state else (None, state)
""",
        ((2, 2), (3, 1)),
    )


def ring(rng: random.Random) -> Draft:
    """Lamport's queue: one producer, one consumer, no lock."""
    size = rng.choice([1, 2])
    slot = op("t", "%", size) if size > 1 else 0
    other = op("h", "%", size) if size > 1 else 0
    return Draft(
        f"size {size}",
        (cell("head"), cell("tail"), ArrayDeclaration("a", Const(0), size)),
        (
            operation(
                "enqueue",
                let("t", load("tail")),
                when(op(op("t", "-", load("head")), "==", size), give(False)),
                plain_store(element("a", slot), "v"),
                store("tail", op("t", "+", 1)),
                give(True),
                role="producer",
                v=range(1, 3),
            ),
            operation(
                "dequeue",
                let("h", load("head")),
                when(op("h", "==", load("tail")), give()),
                let("value", plain_load(element("a", other))),
                store("head", op("h", "+", 1)),
                give("value"),
                role="consumer",
            ),
        ),
        f"""
initial = ()

def enqueue(state, v):
    return (True, (*state, v)) if len(state) < {size} else (False, state)

def dequeue(state):
    return (state[0], state[1:]) if state else (None, state)
""",
        ((2, 2), (2, 3)),
        tso=True,
    )


def numbered_queue(rng: random.Random) -> Draft:
    """Herlihy and Wing's queue: take a number, put the value there. A dequeue of an empty queue waits, or (broken)
    returns.
    """
    waits = rng.random() < 0.5
    many = rng.random() < 0.5
    scan: Body = (
        let("n", load("back")),
        let("i", 0),
        during(
            op("i", "<", "n"),
            let("value", swap(element("slots", "i"), None)),
            when(op("value", "is not", None), give("value")),
            let("i", op("i", "+", 1)),
        ),
    )
    empty = "[]" if waits else "(None, state)"
    return Draft(
        "waits" if waits else "broken: one scan",
        (cell("back"), ArrayDeclaration("slots", Const(None), 6)),
        (
            operation(
                "enqueue", let("i", fetch_add("back", 1)), store(element("slots", "i"), "v"), v=(1,) if many else (1, 2)
            ),
            operation("dequeue", *((forever(*scan),) if waits else (*scan, give()))),
        ),
        f"""
initial = ()

def enqueue(state, v):
    return None, (*state, v)

def dequeue(state):
    return (state[0], state[1:]) if state else {empty}
""",
        ((2, 3),) if many else ((2, 2), (3, 1)),
    )


FAMILIES: dict[str, Callable[[random.Random], Draft]] = {
    "ArraySet": array_set,
    "MaskSet": mask_set,
    "ArrayStack": array_stack,
    "Ring": ring,
    "NumberedQueue": numbered_queue,
}
