# SPDX-License-Identifier: Apache-2.0
"""Objects that count: a counter, a semaphore, an indicator, a maximum."""

from __future__ import annotations

import random
from collections.abc import Callable

from tests.refine.oracle.families.draft import Draft
from tests.refine.oracle.language import Acquire, Body, Declaration, LockDeclaration, Release
from tests.refine.oracle.model_builder import (
    POINT,
    cas,
    cell,
    do,
    during,
    fetch_add,
    forever,
    give,
    holding,
    let,
    load,
    load_linked,
    no,
    op,
    operation,
    soft,
    store,
    store_conditional,
    swap,
    when,
)

LOCK = LockDeclaration("m")


def changed_by(style: str, name: str, number: int, answer: str | None) -> Body:
    """Add to a cell and return its old value, in one of the styles."""
    sum_ = op("old", "+", soft(number))
    told = give(answer)
    bodies: dict[str, Body] = {
        "cas": (forever(let("old", load(name)), when(cas(name, "old", sum_), POINT, told)),),
        "cas in the condition": (
            let("old", load(name)),
            during(no(cas(name, "old", sum_)), let("old", load(name))),
            told,
        ),
        "fetch_add": (let("old", fetch_add(name, soft(number))), POINT, told),
        "linked": (forever(let("old", load_linked(name)), when(store_conditional(name, sum_), POINT, told)),),
        "lock": (holding("m", let("old", load(name)), store(name, sum_), POINT, told),),
        "lock by hand": (
            Acquire("m"),
            let("old", load(name)),
            store(name, sum_),
            POINT,
            Release("m"),
            told,
        ),
        "broken": (let("old", load(name)), store(name, sum_), POINT, told),
        "broken, nested": (store(name, op(load(name), "+", soft(number))), POINT, give()),
    }
    return bodies[style]


def counter(rng: random.Random) -> Draft:
    """``increment`` returns the old value or nothing."""
    styles = ["cas", "cas in the condition", "fetch_add", "linked", "lock", "lock by hand", "broken", "broken, nested"]
    style = rng.choice(styles)
    answer = rng.choice([None, "old"]) if style != "broken, nested" else None
    reading: Body = (let("value", load("x")), POINT, give("value"))
    if style == "lock" and rng.random() < 0.5:
        reading = (holding("m", *reading),)
    elif rng.random() < 0.3:
        reading = (give(load("x")),)
    told = "state" if answer else "None"
    return Draft(
        style,
        (cell("x"), LOCK) if style.startswith("lock") else (cell("x"),),
        (operation("increment", *changed_by(style, "x", 1, answer)), operation("read", *reading)),
        f"""
initial = 0

def increment(state):
    return {told}, state + 1

def read(state):
    return state, state
""",
        ((2, 2), (2, 3), (3, 1)),
        tso=style != "linked",
    )


def semaphore(rng: random.Random) -> Draft:
    """``take`` a permit if there is one; ``put`` one back."""
    first = rng.choice([0, 1, 2])
    style = rng.choice(["cas", "cas", "lock", "broken: taken back"])
    less = op("n", "-", 1)
    take: Body
    if style == "cas":
        take = (
            forever(
                let("n", load("x")),
                when(op("n", "==", soft(0)), POINT, give(False)),
                when(cas("x", "n", less), POINT, give(True)),
            ),
        )
    elif style == "lock":
        inner = (when(op("n", "==", 0), give(False)), store("x", less), give(True))
        take = (holding("m", let("n", load("x")), *inner),)
    else:
        take = (
            let("n", fetch_add("x", -1)),
            when(op("n", "<=", soft(0)), do(fetch_add("x", 1)), give(False)),
            give(True),
        )
    put = changed_by("lock" if style == "lock" else rng.choice(["cas", "fetch_add"]), "x", 1, None)
    return Draft(
        style,
        (cell("x", first), LOCK) if style == "lock" else (cell("x", first),),
        (operation("take", *take), operation("put", *put)),
        f"""
initial = {first}

def take(state):
    return (True, state - 1) if state > 0 else (False, state)

def put(state):
    return None, state + 1
""",
        ((2, 2), (2, 3), (3, 1)),
        tso=style == "cas",
    )


def indicator(rng: random.Random) -> Draft:
    """Is any process present? A process departs only after it has arrived."""
    style = rng.choice(["cas", "cas", "fetch_add", "fetch_add", "lock", "broken: flag"])
    if style == "broken: flag":
        arriving: Body = (when(op(fetch_add("x", 1), "==", 0), store("there", True)), give())
        departing: Body = (when(op(fetch_add("x", -1), "==", 1), store("there", False)), give())
        asking: Body = (give(load("there")),)
    else:
        arriving, departing = changed_by(style, "x", 1, None), changed_by(style, "x", -1, None)
        asking = (let("n", load("x")), POINT, give(op("n", ">", soft(0))))
    cells: dict[str, tuple[Declaration, ...]] = {
        "lock": (cell("x"), LOCK),
        "broken: flag": (cell("x"), cell("there", False)),
    }
    return Draft(
        style,
        cells.get(style, (cell("x"),)),
        (
            operation("arrive", *arriving),
            operation("depart", *departing, pairs_with="arrive"),
            operation("query", *asking),
        ),
        """
initial = 0

def arrive(state):
    return None, state + 1

def depart(state):
    return None, state - 1

def query(state):
    return state > 0, state
""",
        ((2, 2), (2, 3)) if style != "lock" else ((2, 2),),
        tso=style in {"cas", "broken: flag"},
    )


def maximum(rng: random.Random) -> Draft:
    """``write`` a value that is larger than everything before."""
    style = rng.choice(["cas", "cas", "lock", "lock", "broken: swapped back"])
    if style == "cas":
        writing: Body = (
            forever(
                let("now", load("x")),
                when(op("now", ">=", "v"), POINT, give()),
                when(cas("x", "now", "v"), POINT, give()),
            ),
        )
    elif style == "lock":
        writing = (holding("m", let("now", load("x")), when(op("now", "<", "v"), store("x", "v")), give()),)
    else:
        again = let("now", swap("x", "now"))
        writing = (let("now", swap("x", "v")), when(op("now", ">", "v"), again), give())
    reading = (let("value", load("x")), POINT, give("value"))
    return Draft(
        style,
        (cell("x"), LOCK) if style == "lock" else (cell("x"),),
        (operation("write", *writing, v=range(1, rng.choice([3, 4]))), operation("read", *reading)),
        """
initial = 0

def write(state, v):
    return None, max(state, v)

def read(state):
    return state, state
""",
        ((2, 2), (3, 1)),
        tso=style == "cas",
    )


FAMILIES: dict[str, Callable[[random.Random], Draft]] = {
    "Counter": counter,
    "Semaphore": semaphore,
    "Indicator": indicator,
    "Maximum": maximum,
}
