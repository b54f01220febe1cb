# SPDX-License-Identifier: Apache-2.0
"""Objects that hold values: pairs, swaps, the first value, snapshots, transfers between two cells."""

from __future__ import annotations

import random
from collections.abc import Callable

from tests.refine.oracle.families.counters import LOCK
from tests.refine.oracle.families.draft import Draft
from tests.refine.oracle.language import Body, Declaration, LockDeclaration, Unpack
from tests.refine.oracle.model_builder import (
    CONTINUE,
    POINT,
    both,
    cas,
    cell,
    dcas,
    do,
    forever,
    give,
    holding,
    items,
    let,
    load,
    load_linked,
    op,
    operation,
    part,
    record,
    soft,
    store,
    store_conditional,
    swap,
    when,
)


def pair(rng: random.Random) -> Draft:
    """``write`` a value into both halves, ``read`` both."""
    style = rng.choice(["lock", "sequence", "record", "tuple", "broken"])
    halves = (store("a", "v"), store("b", "v"))
    both_read: Body = (let("a", load("a")), let("b", load("b")))
    told = give(items("a", "b"))
    cells: tuple[Declaration, ...] = (cell("a"), cell("b"))
    roles: tuple[str | None, str | None] = (None, None)
    if style == "lock":
        cells = (*cells, LOCK)
        writing: Body = (holding("m", *halves),)
        reading: Body = (holding("m", *both_read, told),)
    elif style == "sequence":
        cells = (cell("s"), *cells)
        roles = ("reader", "writer")
        number = "s"
        if rng.random() < 0.5:  # the writer has the number in a cell of its own
            number = "own"
            cells = (*cells, cell("own"))
        then: Body = (store("s", op("s", "+", 2)),)
        then = (*then, store("own", op("s", "+", 2))) if number == "own" else then
        writing = (let("s", load(number)), store("s", op("s", "+", 1)), *halves, *then, give())
        reading = (
            forever(
                let("s", load("s")),
                when(op(op("s", "%", 2), "==", 1), CONTINUE),
                *both_read,
                when(op(load("s"), "!=", "s"), CONTINUE),
                told,
            ),
        )
    elif style == "record":
        cells = (cell("r", record(c=0, v=0)),)
        writing = (store("r", record(c="v", v="v")), POINT)
        reading = (let("r", load("r")), POINT, give(items(part("r", "c"), part("r", "v"))))
    elif style == "tuple":
        cells = (cell("t", items(0, 0)),)
        writing = (store("t", items("v", "v")), POINT)
        reading = (Unpack(("a", "b"), load("t")), POINT, give(items("a", "b")))
    else:
        writing, reading = halves, (*both_read, told)
        roles = rng.choice([(None, None), ("reader", "writer")])
    return Draft(
        style,
        cells,
        (operation("read", *reading, role=roles[0]), operation("write", *writing, role=roles[1], v=range(1, 3))),
        """
initial = 0

def write(state, v):
    return None, v

def read(state):
    return (state, state), state
""",
        ((2, 2),) if style != "sequence" else ((2, 2), (3, 1)),
        tso=style != "lock",
    )


def exchange(rng: random.Random) -> Draft:
    """``swap`` returns the old value."""
    style = rng.choice(["swap", "cas", "linked", "lock", "tagged"])
    cells: tuple[Declaration, ...] = (cell("x"),)
    reading: Body = (let("value", load("x")), POINT, give("value"))
    if style == "swap":
        swapping: Body = (let("old", swap("x", "v")), POINT, give("old"))
        swapping = rng.choice([swapping, (give(swap("x", "v")),)])
    elif style == "cas":
        swapping = (forever(let("old", load("x")), when(cas("x", "old", "v"), POINT, give("old"))),)
    elif style == "linked":
        swapping = (forever(let("old", load_linked("x")), when(store_conditional("x", "v"), POINT, give("old"))),)
    elif style == "lock":
        cells = (*cells, LOCK)
        swapping = (holding("m", let("old", load("x")), store("x", "v"), give("old")),)
    else:
        cells = (cell("x", record(tag=0, v=0)),)
        changed = record(tag=op(part("old", "tag"), "+", 1), v="v")
        swapping = (forever(let("old", load("x")), when(cas("x", "old", changed), POINT, give(part("old", "v")))),)
        reading = (let("value", load("x")), POINT, give(part("value", "v")))
    return Draft(
        style,
        cells,
        (operation("swap", *swapping, v=range(1, 3)), operation("read", *reading)),
        """
initial = 0

def swap(state, v):
    return state, v

def read(state):
    return state, state
""",
        ((2, 2), (3, 1)),
        tso=style in {"swap", "cas"},
    )


def once(rng: random.Random) -> Draft:
    """Consensus: every process gets the first value."""
    style = rng.choice(["cas", "cas, then load", "broken"])
    if style == "cas":
        deciding: Body = (when(cas("x", None, "v"), POINT, give("v")), let("won", load("x")), POINT, give("won"))
    elif style == "cas, then load":
        deciding = (do(cas("x", None, "v")), give(load("x")))
    else:
        deciding = (when(op(load("x"), "is", None), store("x", "v")), give(load("x")))
    looking = (let("won", load("x")), POINT, give("won"))
    return Draft(
        style,
        (cell("x", None),),
        (operation("decide", *deciding, v=range(1, 3)), operation("look", *looking)),
        """
initial = None

def decide(state, v):
    winner = v if state is None else state
    return winner, winner

def look(state):
    return state, state
""",
        ((2, 2), (3, 1)),
        tso=True,
    )


def snapshot(rng: random.Random) -> Draft:
    """Two cells, each with one writer (or many), and a scan of both."""
    style = rng.choice(["double", "double", "double, only values", "broken: single"])
    counted = style == "double"
    start = record(c=0, v=0) if counted else 0

    def updating(name: str) -> Body:
        if not counted:
            return (store(name, "v"), give())
        changed = record(c=op(part("x", "c"), "+", soft(1)), v="v")
        return (forever(let("x", load(name)), when(cas(name, "x", changed), give())),)

    told = give(items(part("x", "v"), part("y", "v")) if counted else items("x", "y"))
    collect: Body = (let("x", load("left")), let("y", load("right")))
    if style == "broken: single":
        scanning: Body = (*collect, told)
    else:
        same = both(op(load("left"), "==", "x"), op(load("right"), "==", "y"))
        scanning = (forever(*collect, when(same, told)),)
    writer, reader = rng.choice([(None, None), ("writer", "reader")])
    return Draft(
        style,
        (cell("left", start), cell("right", start)),
        (
            operation("put_left", *updating("left"), role=writer, v=range(1, 3)),
            operation("scan", *scanning, role=reader),
            operation("put_right", *updating("right"), role=writer, v=range(1, 2)),
        ),
        """
initial = (0, 0)

def put_left(state, v):
    return None, (v, state[1])

def put_right(state, v):
    return None, (state[0], v)

def scan(state):
    return state, state
""",
        ((2, 2), (3, 1)) if writer is None else ((2, 2), (2, 3), (3, 1)),
        tso=style == "double",
    )


def transfer(rng: random.Random) -> Draft:
    """Move one unit between two cells; read both."""
    style = rng.choice(["dcas", "locks", "locks, crossed"])
    cells: tuple[Declaration, ...] = (cell("a", rng.choice([1, 2])), cell("b", rng.choice([0, 1])))
    seen: Body = (let("x", load("a")), let("y", load("b")))

    def moving(source: str, less: str, target: str, more: str, *, crossed: bool) -> Body:
        if style == "dcas":
            step = dcas("a", "b", "x", "y", *(_moved("x", less), _moved("y", less)))
            return (forever(*seen, when(op(less, "==", 0), give(False)), when(step, POINT, give(True))),)
        outer, inner = ("n", "m") if crossed else ("m", "n")
        stores = (store(source, op(less, "-", 1)), store(target, op(more, "+", soft(1))))
        return (holding(outer, holding(inner, *seen, when(op(less, "==", 0), give(False)), *stores, give(True))),)

    told = give(items("x", "y"))
    if style == "dcas":
        looking: Body = (forever(*seen, when(dcas("a", "b", "x", "y", "x", "y"), POINT, told)),)
    else:
        cells = (*cells, LOCK, LockDeclaration("n"))
        looking = (holding("m", holding("n", *seen, told)),)
    crossed = style == "locks, crossed"
    first = tuple(each.initial.value for each in cells[:2])  # type: ignore[union-attr]
    return Draft(
        style,
        cells,
        (
            operation("there", *moving("a", "x", "b", "y", crossed=False)),
            operation("back", *moving("b", "y", "a", "x", crossed=crossed)),
            operation("look", *looking),
        ),
        f"""
initial = {first}

def there(state):
    a, b = state
    return (True, (a - 1, b + 1)) if a > 0 else (False, state)

def back(state):
    a, b = state
    return (True, (a + 1, b - 1)) if b > 0 else (False, state)

def look(state):
    return state, state
""",
        ((2, 2), (3, 1)) if style == "dcas" else ((2, 1), (3, 1), (2, 2)),
    )


def _moved(name: str, less: str) -> object:
    return op(name, "-" if name == less else "+", 1)


FAMILIES: dict[str, Callable[[random.Random], Draft]] = {
    "Pair": pair,
    "Exchange": exchange,
    "Once": once,
    "Snapshot": snapshot,
    "Transfer": transfer,
}
