# SPDX-License-Identifier: Apache-2.0
"""Objects on the heap: Treiber's stack, Michael and Scott's queue, a list that grows, values behind a pointer."""

from __future__ import annotations

import random
from collections.abc import Callable

from tests.refine.oracle.families.draft import Draft
from tests.refine.oracle.language import Access, Body, Field, FieldDeclaration, NodeDeclaration
from tests.refine.oracle.model_builder import (
    CONTINUE,
    POINT,
    cas,
    cell,
    do,
    field,
    forever,
    give,
    items,
    let,
    load,
    new,
    op,
    operation,
    store,
    when,
)

_STACK = """
initial = ()

def push(state, v):
    return None, (*state, v)

def pop(state):
    return (state[-1], state[:-1]) if state else (None, state)
"""

_QUEUE = """
initial = ()

def enqueue(state, v):
    return None, (*state, v)

def dequeue(state):
    return (state[0], state[1:]) if state else (None, state)
"""


def _node(*, atomic: bool) -> NodeDeclaration:
    return NodeDeclaration("Node", (FieldDeclaration("value", "int"), FieldDeclaration("next", "Node", atomic)))


def stack(rng: random.Random) -> Draft:
    """Treiber's; broken, it links the node only after it is visible to all processes."""
    style = rng.choice(["right", "right", "nested", "atomic next", "broken: linked late"])
    following = field("node", "next")
    many = rng.random() < 0.5
    if style == "broken: linked late":
        pushing: Body = (
            forever(let("top", load("top")), when(cas("top", "top", "node"), store(following, "top"), give())),
        )
    else:
        pushing = (
            forever(let("top", load("top")), store(following, "top"), when(cas("top", "top", "node"), POINT, give())),
        )
    value = load(field("top", "value"))
    seen: Body = (let("top", load("top")), when(op("top", "is", None), POINT, give()))
    if style == "nested":
        popping: Body = (forever(*seen, when(cas("top", "top", load(field("top", "next"))), POINT, give(value))),)
    else:
        below = let("below", load(field("top", "next")))
        popping = (forever(*seen, below, when(cas("top", "top", "below"), POINT, give(value))),)
    return Draft(
        style,
        (cell("top", None, of="Node"),),
        (
            operation("push", let("node", new(value="v")), *pushing, v=(1,) if many else (1, 2)),
            operation("pop", *popping),
        ),
        _STACK,
        ((2, 3), (3, 1)) if many else ((2, 2),),
        nodes=(_node(atomic=style == "atomic next"),),
    )


def queue(rng: random.Random) -> Draft:
    """Michael and Scott's."""
    following = field("last", "next")
    many = rng.random() < 0.7
    swing = do(cas("tail", "last", "node"))
    help_ = do(cas("tail", "last", "after"))
    enqueue: Body = (
        let("node", new(value="v")),
        forever(
            let("last", load("tail")),
            let("after", load(following)),
            when(op("last", "is not", load("tail")), CONTINUE),
            when(
                op("after", "is", None),
                when(cas(following, None, "node"), POINT, swing, give()),
                otherwise=(help_,),
            ),
        ),
    )
    dequeue: Body = (
        forever(
            let("first", load("head")),
            let("last", load("tail")),
            let("after", load(field("first", "next"))),
            when(op("first", "is not", load("head")), CONTINUE),
            when(
                op("first", "is", "last"),
                when(op("after", "is", None), give()),
                help_,
                otherwise=(
                    let("value", load(field("after", "value"))),
                    when(cas("head", "first", "after"), POINT, give("value")),
                ),
            ),
        ),
    )
    return Draft(
        "right",
        (cell("head", None, of="Node"), cell("tail", None, of="Node")),
        (operation("enqueue", *enqueue, v=(1,) if many else (1, 2)), operation("dequeue", *dequeue)),
        _QUEUE,
        ((2, 2), (2, 2), (3, 1)) if many else ((2, 1),),
        nodes=(_node(atomic=True),),
        setup=(let("dummy", new(value=0)), store("head", "dummy"), store("tail", "dummy")),
    )


def log(rng: random.Random) -> Draft:
    """A list that grows at its end: ``append`` returns the position, ``last`` the last value."""
    following = field("at", "next")
    many = rng.random() < 0.5
    append: Body = (
        let("node", new(value="v")),
        let("at", load("first")),
        let("n", 0),
        forever(
            let("after", load(following)),
            when(
                op("after", "is", None),
                when(cas(following, None, "node"), POINT, give("n")),
                otherwise=(let("at", "after"), let("n", op("n", "+", 1))),
            ),
        ),
    )
    last: Body = (
        let("at", load("first")),
        forever(
            let("after", load(following)),
            when(op("after", "is", None), POINT, give(load(field("at", "value")))),
            let("at", "after"),
        ),
    )
    return Draft(
        "right",
        (cell("first", None, of="Node"),),
        (operation("append", *append, v=(1,) if many else (1, 2)), operation("last", *last)),
        """
initial = ()

def append(state, v):
    return len(state), (*state, v)

def last(state):
    return state[-1] if state else 0, state
""",
        ((2, 3), (3, 1)) if many else ((2, 2),),
        nodes=(_node(atomic=True),),
        setup=(let("dummy", new(value=0)), store("first", "dummy")),
    )


def box(rng: random.Random) -> Draft:
    """Two values in a node that never changes, or (broken) changes while it is visible to all processes."""
    style = rng.choice(["right", "written before", "written before", "broken: written late"])
    left, right = field("node", "left", owner="Box"), field("node", "right", owner="Box")
    publish = store("p", "node")
    bodies: dict[str, Body] = {
        "right": (let("node", new("Box", left="v", right="v")), publish),
        "written before": (let("node", new("Box", left=0, right=0)), store(left, "v"), store(right, "v"), publish),
        "broken: written late": (let("node", new("Box", left="v", right=0)), publish, store(right, "v")),
    }
    if rng.random() < 0.5:
        reading: Body = (let("node", load("p")), give(items(load(left), load(right))))
    else:
        reading = (give(Access("load", Field("Box", load("p"), "right"))),)
    told = "(state, state)" if len(reading) == 2 else "state"
    return Draft(
        style,
        (cell("p", None, of="Box"),),
        (operation("write", *bodies[style], v=range(1, 3)), operation("read", *reading)),
        f"""
initial = 0

def write(state, v):
    return None, v

def read(state):
    return {told}, state
""",
        ((2, 2), (3, 1)),
        nodes=(NodeDeclaration("Box", (FieldDeclaration("left", "int"), FieldDeclaration("right", "int"))),),
        setup=(let("node", new("Box", left=0, right=0)), store("p", "node")),
        tso=True,
    )


FAMILIES: dict[str, Callable[[random.Random], Draft]] = {"Stack": stack, "Queue": queue, "Log": log, "Box": box}
