# SPDX-License-Identifier: Apache-2.0
"""Compiled models behave like Python: one small body for each construct, run both ways."""

from __future__ import annotations

import itertools
import textwrap
from pathlib import Path

import pytest

from tests.refine.frontend.running import compare, load

MODEL = """
import enum
import linpoint

LIMIT = 2
NAMES = ("red", "green")

class Colour(enum.Enum):
    RED = 1
    GREEN = 2

class Level(enum.IntEnum):
    LOW = 1
    HIGH = 5

class Example(linpoint.Model):
    class Node:
        value: int
        next: "Node"

    class Link:
        to: linpoint.Atomic[tuple["Link", bool]]
        key: int = 7
        held = linpoint.lock()
        count = linpoint.atomic(0)

    class Other:
        value: int = 3
        mine: bool = True

    size = 3
    on = True
    off = False
    pairs = ((0, 1), (1, 2), (2, 0))
    table = (4, 5, 6)
    up_to = range(1, 3)

    x = linpoint.atomic(0)
    y = linpoint.atomic(5)
    flag = linpoint.atomic(False)
    head = linpoint.atomic(Node)
    pair = linpoint.atomic((None, False))
    state = linpoint.atomic(Colour.RED)
    r = linpoint.record(c=0, v=1)
    a = linpoint.array(0, size=size)
    slots = linpoint.array(linpoint.record(val=None, ref=0), size=2)
    tuples = linpoint.array((0, None), size=2)
    m = linpoint.lock()
    locks = linpoint.array(linpoint.lock(), size=2)

    @linpoint.operation(p=range(-1, 3), q=[0, 1, 2])
    def run(self, p, q):
{body}

    def twice(self, n):
        return n * 2

    def clamp(self, n, low=0, *, high=2):
        if n < low:
            return low
        if n > high:
            return high
        return n

    def bump(self, cell, by=1):
        old = cell.load()
        cell.store(old + by)
        return old

    def count_down(self, n):
        while n > 0:
            n -= 1
        return n

    def both(self, n):
        return n, self.x.load()

    def push(self, v):
        top = self.head.load()
        node = self.Node(value=v, next=top)
        self.head.store(node)

    def locked(self, n):
        with self.m:
            if n > 0:
                return self.x.fetch_add(n)
        return None

    def is_small(self, n):
        if n < 0:
            return True
        return n < 2 and self.y.load() > 0

    def last(self):
        node = self.head.load()
        while True:
            after = node.next
            if after is None:
                return node
            node = after
"""

BODIES = {
    "nothing": "pass",
    "return nothing": "return",
    "return a constant": "return 3",
    "return a text": "return 'full'",
    "return a parameter": "return p",
    "return a pair": "return p, q",
    "return a record": "return linpoint.record(c=p, v=q)",
    "arithmetic": "return (p + q * 3 - 2) // (q + 1) + p % (q + 1)",
    "negative numbers round down": "return -7 // 2, -7 % 2, p // -2, p % -2",
    "minus": "return -p, - -q, +p",
    "division by a value that may be zero": "return p // q",
    "modulo by a value that may be zero": "return p % q",
    "constants are folded": "return 2 * 3 + LIMIT - self.size",
    "assignment": "a = p\nb = a\na = b + 1\nreturn a, b",
    "several targets": "a = b = p + q\nreturn a, b",
    "annotated": "a: int = p\nb: int\nb = a\nreturn b",
    "augmented": "a = p\na += q\na *= 3\na -= 1\na //= 2\na %= 5\nreturn a",
    "exchange": "a, b = p, q\na, b = b, a\nreturn a, b",
    "rotation of three": "a, b, c = p, q, 9\na, b, c = c, a, b\nreturn a * 100 + b * 10 + c, a",
    "exchange with arithmetic": "a, b = p, q\na, b = b, a + b\nb, a = a, b\nreturn a, b",
    "the same target twice": "a, a = p, q\nreturn a",
    "targets see earlier assignments": "i, self.a[i] = 1, p\nreturn self.a[1], i",
    "if": "if p > q:\n    return 1\nreturn 2",
    "if else": "if p == q:\n    a = 1\nelse:\n    a = 2\nreturn a",
    "elif": "if p < 0:\n    a = 1\nelif p == 0:\n    a = 2\nelif q:\n    a = 3\nelse:\n    a = 4\nreturn a",
    "truth": "if p:\n    return 'yes'\nreturn 'no'",
    "truth of None and texts": "a = None if p else 'x'\nreturn 1 if a else 2",
    "not": "return not p, not q, not (p and q), not p == q, not p < q",
    "comparisons": "return p == q, p != q",
    "order": "a = p < q\nb = p <= q\nc = p > q\nd = p >= q\nreturn a, b, c, d",
    "is": "a = None\nreturn a is None, a is not None",
    "chained": "return 0 <= p < q, p < q < 2, p != q != 1",
    "chained loads once": "return 0 <= self.x.fetch_add(1) < 2",
    "chained stops early": "return p < q < self.x.fetch_add(1)",
    "chained in a condition": "if 0 <= p <= q:\n    return 1\nif not 0 < q < 2:\n    return 2\nreturn 3",
    "in": "return p in (1, 2), p not in (0, 1), q in self.table, p in range(1, 2)",
    "in of a condition": "if p in (0, 2):\n    return 1\nif q not in self.up_to:\n    return 2",
    "in nothing": "return p in (), p not in ()",
    "and or": "return p and q, p or q",
    "and or of three": "return p and q and 7, p or 0 or q",
    "and or stop early": "return p and self.x.fetch_add(1), q or self.y.fetch_add(1)",
    "and or in a condition": "if p and (q or self.x.fetch_add(1)) or self.y.fetch_add(1) > 6:\n    return 1\nreturn 0",
    "or into its own operand": "x = p\nx = q or x\nreturn x",
    "and into its own operand": "x = p\nx = self.y.load() and x\nx = x or q or x\nreturn x",
    "conditional": "return p if q else -p",
    "conditional into its own operand": "x = p\nx = q if x > 0 else x + 1\nreturn x",
    "conditional of pairs": "a, b = (p, q) if p < q else (q, p)\nreturn a, b",
    "switched on": "if self.on:\n    return 1\nreturn nowhere",
    "switched off": "if self.off:\n    return nowhere.at_all(1)\nelif self.off or not self.on:\n    import nothing\nreturn 2",
    "switched off in an expression": "return (p if self.on else nowhere), self.off and nowhere, self.on or nowhere",
    "switched off in a loop": "while self.off:\n    nowhere()\nreturn 1",
    "dead code": "return p\nnowhere()",
    "while": "i = 0\nwhile i < p + 2:\n    i += 1\n    self.x.fetch_add(i)\nreturn i",
    "while true": "i = 0\nwhile True:\n    i += 1\n    if i > q:\n        break\n    if i == 1:\n        continue\n    self.x.fetch_add(1)\nreturn i",
    "while not found": "found = False\nwhile not found:\n    last = self.x.fetch_add(1)\n    found = last >= q\nreturn last",
    "while of a comparison": "state = 'try'\nwhile state != 'done':\n    seen = self.x.fetch_add(1)\n    if seen > p:\n        state = 'done'\nreturn seen",
    "while of a named constant": "state = Colour.RED\nlast = LIMIT\nwhile state is not Colour.GREEN:\n    seen = self.x.fetch_add(1)\n    if seen > p:\n        state = Colour.GREEN\nwhile last == LIMIT:\n    other = seen\n    last = p\n    if p == LIMIT:\n        break\nreturn seen, other",
    "while of an unknown value": "state = p\nwhile state != q:\n    state = q\nreturn state",
    "while and continue": "i = 0\nn = 0\nwhile i < 4:\n    i += 1\n    if i % 2 == p % 2:\n        continue\n    n += i\nreturn n",
    "nested loops": "n = 0\nfor i in range(3):\n    for j in range(i):\n        if j == p:\n            break\n        n += 10 * i + j\n    else_ = n\nreturn n",
    "for": "n = 0\nfor i in range(p + 2):\n    n = n * 10 + i\nreturn n",
    "for from to": "n = 0\nfor i in range(q, 5):\n    n = n * 10 + i\nreturn n",
    "for by steps": "n = 0\nfor i in range(q, 7, 2):\n    n = n * 10 + i\nreturn n",
    "for downwards": "n = 0\nfor i in range(q, -1, -1):\n    n = n * 10 + i + 1\nreturn n",
    "for of a constant range": "n = 0\nfor i in range(3):\n    n = n * 10 + i\nfor i in self.up_to:\n    n = n * 10 + i\nfor i in range(0):\n    n = 99\nreturn n",
    "for whose variable is used afterwards": "i = 9\nfor i in range(q):\n    pass\nreturn i",
    "for whose variable is set inside": "n = 0\nfor i in range(4):\n    n = n * 10 + i\n    i = 7\n    n += i\nreturn n, i",
    "for whose bound is changed inside": "n = q\nc = 0\nfor i in range(n):\n    n = 0\n    c += 1\nreturn n, c",
    "for with break and continue": "n = 0\nfor i in range(5):\n    if i == p:\n        continue\n    if i == q + 2:\n        break\n    n = n * 10 + i\nreturn n",
    "for always runs": "for i in range(2):\n    last = i * p\nreturn last",
    "for over a tuple": "n = 0\nfor i in (3, 1, 2):\n    if i == q:\n        continue\n    n = n * 10 + i\nreturn n",
    "for over a tuple, with break": "for i in self.table:\n    if i == 4 + q:\n        break\nreturn i",
    "for over pairs": "n = 0\nfor i, j in self.pairs:\n    n = n * 10 + i * j\nreturn n",
    "for over texts": "n = 0\nfor name in NAMES:\n    if name == 'green':\n        n += 1\nreturn n, name",
    "for over an empty tuple": "for i in ():\n    return 1\nreturn 2",
    "return inside a for over a tuple": "for i in (1, 2, 3):\n    if i > q:\n        return i\nreturn 0",
    "the counter as a condition": "for i in range(3):\n    if i and i == q:\n        return i",
    "load and store": "self.x.store(p)\nself.y.store(self.x.load() + q)\nreturn self.y.load()",
    "cas": "return self.x.cas(0, p), self.x.cas(p, q), self.y.cas(p, 1)",
    "cas in a condition": "if self.x.cas(p, q) and not self.y.cas(5, p):\n    return 1\nreturn self.x.load()",
    "cas tells True from 1": "self.x.store(1)\nreturn self.x.cas(True, 7), self.flag.cas(0, 1), self.flag.cas(False, True)",
    "swap": "old = self.x.swap(p)\nreturn old, self.y.swap(old)",
    "fetch_add": "self.x.fetch_add(p)\nreturn self.x.fetch_add(q), self.x.load()",
    "ll and sc": "old = self.x.ll()\nif p:\n    self.x.store(9)\nreturn self.x.sc(q), old, self.x.sc(4)",
    "fence and point": "self.x.store(p)\nlinpoint.fence()\nself.y.store(q)\nlinpoint.point()",
    "dcas": "return linpoint.dcas(self.x, self.y, 0, 5, p, q), linpoint.dcas(self.x, self.a[1], p, 0, q, 3)",
    "dcas of wide cells": "return linpoint.dcas(self.pair, self.r, (None, False), self.r.load(), (p, True), linpoint.record(c=q, v=9))",
    "arguments are read left to right": "return self.x.cas(self.y.load(), self.a[0] + self.x.fetch_add(1))",
    "operands are read left to right": "return self.x.fetch_add(1) - self.x.fetch_add(1) * self.x.fetch_add(1)",
    "the value is read before the index": "self.a[self.x.fetch_add(1) % 3] = self.x.fetch_add(1)\nreturn self.a[0], self.a[1]",
    "array elements": "self.a[q] = p\nself.a[(q + 1) % 3] += 5\nreturn self.a[q] * 10 + self.a[0], len(self.a)",
    "array cells": "self.a[q].store(p)\nreturn self.a[q].cas(p, 7), self.a[q].swap(2), self.a[0].fetch_add(1)",
    "array out of range": "return self.a[p]",
    "array out of range, stored": "self.a[p + q] = 1\nreturn self.a[p + q].load()",
    "whole records": "x = self.r.load()\nself.r.store(linpoint.record(c=x.c + 1, v=x.v * 2))\nreturn self.r.load()",
    "records are compared whole": "x = self.r.load()\nreturn self.r.cas(linpoint.record(c=p, v=1), x), x == linpoint.record(c=0, v=1), x != x",
    "a record from itself": "x = self.r.load()\nx = linpoint.record(c=x.v, v=x.c)\nself.r.store(x)\nreturn x.c, x.v",
    "records in arrays": "x = self.slots[q % 2].load()\nok = self.slots[q % 2].cas(x, linpoint.record(val=p, ref=x.ref + 1))\nreturn ok, self.slots[0].val, self.slots[q % 2].ref",
    "a plain element that is a record": "x = self.slots[0]\nself.slots[1] = x\nself.slots[0] = linpoint.record(val='v', ref=p)\nreturn self.slots[0].val",
    "swapped records": "x = self.r.swap(linpoint.record(c=p, v=q))\nreturn x.c, x.v",
    "linked records": "x = self.r.ll()\nok = self.r.sc(linpoint.record(c=q, v=x.c))\nreturn ok, x.c",
    "tuples": "t = self.pair.load()\nself.pair.store((p, True))\nreturn t[0], t[1], t[-1], self.pair.cas((p, True), t)",
    "tuples are unpacked": "a, b = self.pair.load()\nc, d = self.pair.swap((q, b))\na, b = self.pair.load()\nreturn a, b, c, d",
    "tuples are unpacked the other way round": "a = p\nb = q\nb, a = self.pair.swap((a, b))\nreturn a, b",
    "tuples in arrays": "self.tuples[0] = (p, q)\na, b = self.tuples[0]\nreturn self.tuples[1].cas((0, None), (b, a)), self.tuples[1][0]",
    "tuple variables": "t = (p, q)\nt = (t[1], t[0])\nu = t\nreturn u == t, u == (q, p), u != (p, p), len(u), u[0]",
    "constant tuples": "return self.table[1], self.pairs[1][0], len(self.table), self.table[-1]",
    "enumerations": "old = self.state.swap(Colour.GREEN)\nreturn old is Colour.RED, old == Colour.GREEN, self.state.load()",
    "integer enumerations": "return p + Level.HIGH, Level.LOW < q",
    "texts": "a = 'up' if p else 'down'\nreturn a == 'up', a != 'down', a",
    "nodes": "n = self.Node(value=p)\nn.next = self.head.load()\nself.head.store(n)\nreturn n.value, n.next is None",
    "nodes in a row": "self.push(p)\nself.push(q)\ntop = self.head.load()\nreturn top.value, top.next.value, self.last().value",
    "nodes are themselves": "a = self.Node(value=1)\nb = self.Node(value=1)\nself.head.store(a)\nreturn a is b, a == b, a != b, self.head.cas(b, a), self.head.cas(a, b)",
    "nodes with cells": "l = self.Link(to=(None, False))\nk = self.Link(to=(l, True), key=p)\nto, mark = k.to.load()\nreturn to is l, mark, k.key, l.key, l.to.cas((None, False), (k, True)), l.count.fetch_add(q)",
    "fields of nodes are set": "n = self.Node()\nn.value = p\nn.value += q\nn.next = n\nn.next.next.value *= 2\nself.head.store(n)\nreturn n.value",
    "the field of None": "n = self.head.load()\nreturn n.value",
    "isinstance": "a = self.Node() if p else self.Other()\nreturn isinstance(a, self.Node), isinstance(a, self.Other), isinstance(None, self.Node), isinstance(q, (self.Node, self.Other)), isinstance(a, (self.Node, self.Other))",
    "a field that two classes have": "a = self.Node(value=p) if q else self.Other()\na.value += 1\nreturn a.value",
    "with": "with self.m:\n    self.x.store(p)\nreturn self.x.load()",
    "return inside with": "with self.m:\n    if p > 0:\n        return self.x.load()\n    self.x.store(1)\nreturn 2",
    "two locks": "with self.m, self.locks[q % 2]:\n    with self.locks[(q + 1) % 2]:\n        return self.x.fetch_add(1)",
    "break inside with": "for i in range(4):\n    with self.m:\n        if i == p:\n            break\n        if i == q:\n            continue\n        self.x.fetch_add(i)\nself.m.acquire()\nself.m.release()\nreturn self.x.load()",
    "with in a loop around": "with self.m:\n    for i in range(3):\n        if i == p:\n            break\n    self.x.store(q)\nself.m.acquire()\nself.m.release()",
    "locks of nodes": "n = self.Link(to=(None, False))\nk = n\nwith n.held:\n    n = self.Link(to=(None, True))\n    with n.held:\n        pass\nk.held.acquire()\nk.held.release()\nreturn n.key",
    "acquire and release": "self.locks[q % 2].acquire()\nself.x.fetch_add(1)\nself.locks[q % 2].release()",
    "a lock that is taken twice": "self.m.acquire()\nif p > 0:\n    self.m.acquire()\nself.m.release()",
    "a lock that is released twice": "if p > 0:\n    self.m.release()\nwith self.m:\n    pass",
    "methods": "return self.twice(p) + self.twice(self.x.fetch_add(1) + 1)",
    "methods with defaults and keywords": "return self.clamp(p), self.clamp(p, 1), self.clamp(p, high=1), self.clamp(n=p, low=q)",
    "methods with cells": "a = self.bump(self.x)\nb = self.bump(self.y, by=p)\nreturn a, b, self.bump(self.x, self.y.load())",
    "methods with several returns": "x = self.clamp(p + q)\nx = self.clamp(x - 1)\nreturn x",
    "methods that set their parameters": "n = q\nm = self.count_down(n)\nreturn n, m, self.count_down(3)",
    "methods that return pairs": "a, b = self.both(p)\nt = self.both(b)\nreturn a, b, t[0]",
    "methods whose results are not used": "self.twice(p)\nself.clamp(q)\nself.bump(self.x)\nreturn self.x.load()",
    "methods as conditions": "if self.is_small(p) and not self.is_small(q):\n    return 1\nwhile not self.is_small(self.x.fetch_add(1)):\n    return 2\nreturn 3",
    "methods with locks": "a = self.locked(p)\nif self.locked(q):\n    return a, 1\nreturn a, 2",
    "methods in methods": "return self.clamp(self.twice(self.clamp(p, -1)), high=self.twice(q))",
    "operations call methods only once for each use": "a = self.bump(self.x) or self.bump(self.y)\nreturn a, self.x.load(), self.y.load()",
    "min max abs": "return min(p, q), max(p, q, 1), abs(p), abs(-3), min(2, 1), max(q, self.x.load())",
    "min into its own operand": "x = p\nx = max(x, q)\nx = min(q, x, 1)\nx = abs(x - 2)\nreturn x",
    "choose": "a = linpoint.choose((1, 2, 3))\nb = linpoint.choose(range(2))\nc = linpoint.choose((7,))\nreturn a, b, c",
    "assume": "linpoint.assume(p != 1)\nlinpoint.assume(self.on)\nreturn p",
    "assume false": "linpoint.assume(False)",
    "assert": "assert p < 2, 'too much'\nassert True\nreturn p",
    "assert with and": "assert p < 2 and q < 3\nreturn p",
    "assert false": "assert False",
    "closures and globals": "return LIMIT + p, self.size",
    "docstring and dots": "'''It does nothing.'''\n...\nreturn 1",
    "adding to None": "a = self.head.load()\nreturn a + p",
    "comparing None": "a = self.head.load()\nreturn a < p",
    "multiplying None": "a = p if q else self.slots[0].val\nreturn a * 2",
    "a long expression": "return ((p + 1) * (q + 2) - (p - q) * (p + q)) % 7 + (p * p + q * q) // (1 + q) - -p",
}


def model_with(body: str) -> str:
    return MODEL.replace("{body}", textwrap.indent(body, " " * 8))


@pytest.mark.parametrize("name", BODIES)
def test_a_body_does_what_python_does(name: str, tmp_path: Path) -> None:
    module = load(model_with(BODIES[name]), tmp_path)
    arguments = list(itertools.product(range(-1, 3), range(3)))
    alone = [[("run", args)] * 2 for args in arguments]
    mixed = [[("run", args) for args in arguments[start : start + 4]] for start in range(0, len(arguments), 4)]
    compare(module.Example, alone + mixed)
