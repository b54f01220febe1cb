# SPDX-License-Identifier: Apache-2.0
"""Random method bodies and the models of the examples behave the same compiled as in Python."""

from __future__ import annotations

import itertools
import random
import textwrap
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, note, settings
from hypothesis import strategies as st

import linpoint
from linpoint.refine.frontend import compile_model
from tests.refine.frontend.running import compare, load
from tests.volume import volume

ROOT = Path(__file__).parents[3]
MODEL = """
import linpoint
from tests.volume import volume

class Example(linpoint.Model):
    class Node:
        value: int = 0
        next: linpoint.Atomic["Node"]

    on = True
    table = (3, 1, 2)
    x = linpoint.atomic(0)
    y = linpoint.atomic(1)
    r = linpoint.record(c=0, v=1)
    t = linpoint.atomic((0, 1))
    a = linpoint.array(0, size=3)
    m = linpoint.lock()

    @linpoint.operation(p=range(3), q=range(3))
    def run(self, p, q):
        a = b = c = 0
        r = self.r.load()
        t = (p, q)
        n = self.Node(value=p)
{body}
        return a, b, c, r.c, r.v, t[0], t[1], n.value

    def pick(self, n, other=1):
        if n > other:
            return n
        n = n + self.x.load()
        return n

    def swap_parts(self, one, two):
        return two, one + self.y.fetch_add(1)

    def is_small(self, n):
        if n < 0:
            return False
        return n < 2 or self.y.load() > n

    def put(self, cell, value):
        with self.m:
            if value > 2:
                return cell.swap(value)
            cell.store(value)
        return value
"""


class Writer:
    """Writes bodies. They have no type errors, but divisions by zero occur, and must occur both ways."""

    def __init__(self, source: random.Random) -> None:
        self.one_of = source.choice
        self.source = source

    def atom(self) -> str:
        names = ["a", "b", "c", "p", "q", "r.c", "r.v", "t[0]", "t[1]", "n.value", "self.table[1]", "len(self.a)"]
        return self.one_of([*names, "0", "1", "2", "-1", "self.x.load()", "self.y.fetch_add(1)"])

    def number(self, depth: int) -> str:
        if depth == 0 or self.source.random() < 0.3:
            return self.atom()
        one, two = self.number(depth - 1), self.number(depth - 1)
        return self.one_of(
            [
                f"({one} {self.one_of(['+', '-'])} {two})",
                f"({one} * {two} % 97)",  # so that numbers stay within memory
                f"({one} {self.one_of(['//', '%'])} {two})",
                f"-{one}",
                f"({one} {self.one_of(['and', 'or'])} {two})",
                f"({one} if {self.condition(depth - 1)} else {two})",
                f"{self.one_of(['min', 'max'])}({one}, {two})",
                f"abs({one})",
                f"self.a[{one} % 3]",
                f"self.pick({one})",
                f"self.pick({one}, other={two})",
                f"self.swap_parts({one}, {two})[1]",
                f"self.put(self.x, {one})",
                f"self.x.swap({one})",
                f"self.r.swap(linpoint.record(c={one}, v={two})).v",
                f"self.a[{one} % 3].fetch_add({two})",
            ]
        )

    def condition(self, depth: int) -> str:
        one, two = self.number(max(depth - 1, 0)), self.number(max(depth - 1, 0))
        if depth > 0 and self.source.random() < 0.4:
            inner, other = self.condition(depth - 1), self.condition(depth - 1)
            return self.one_of([f"not ({inner})", f"({inner}) and ({other})", f"({inner}) or ({other})"])
        return self.one_of(
            [
                f"{one} {self.one_of(['==', '!=', '<', '<=', '>', '>='])} {two}",
                f"{one} <= {two} < {self.atom()}",
                f"{one} {self.one_of(['in', 'not in'])} (0, 1, 3)",
                f"self.x.cas({one}, {two})",
                f"({one}, {two}) {self.one_of(['==', '!='])} t",
                "self.on",
                "self.is_small(" + one + ")",
                one,
            ]
        )

    def simple(self) -> str:
        target, other = self.one_of("abc"), self.one_of("abc")
        one, two = self.number(2), self.number(2)
        return self.one_of(
            [
                f"{target} = {one}",
                f"{target} {self.one_of(['+=', '-=', '//=', '%='])} {one}",
                f"{target}, {other} = {one}, {two}",
                f"{target}, {other} = self.swap_parts(p, {one})",
                f"{target}, {other} = self.t.swap(({one}, {two}))",
                f"t = ({one}, {two})",
                f"r = linpoint.record(c={one}, v={two})",
                f"self.a[{one} % 3] = {two}",
                f"self.a[{one} % 3] += {two}",
                f"n.value {self.one_of(['=', '+='])} {one}",
                f"n = self.Node(value={one}, next=n)",
                f"self.put(self.y, {one})",
                f"self.t.store(({one}, {two}))",
                f"p = {one}",
                "r = self.r.load()",
                "t = self.t.load()",
                "a, b = t",
                "b, a = self.t.load()",
            ]
        )

    def block(self, depth: int, *, loop: bool = False, least: int = 1) -> str:
        lines = [self.statement(depth, loop=loop) for _ in range(self.source.randint(least, 3))]
        return "\n".join(lines)

    def statement(self, depth: int, *, loop: bool) -> str:
        if depth == 0 or self.source.random() < 0.4:
            if loop and self.source.random() < 0.3:
                return f"if {self.condition(1)}:\n    {self.one_of(['break', 'continue'])}"
            return self.simple()
        kind = self.source.randrange(9)
        body = textwrap.indent(self.block(depth - 1, loop=loop or 2 <= kind <= 6), "    ")
        if kind == 0:
            return f"if {self.condition(2)}:\n{body}"
        if kind == 1:
            return (
                f"if {self.condition(2)}:\n{body}\nelse:\n{textwrap.indent(self.block(depth - 1, loop=loop), '    ')}"
            )
        if kind == 2:
            return f"for i in range(3):\n    c += i\n{body}"
        if kind == 3:
            return f"for i in range({self.number(1)} % 4, {self.one_of(['5', 'q', '-1, -1'])}):\n    b += i\n{body}"
        if kind == 4:
            return f"for i in (2, 0, 1):\n    c += i\n{body}"
        if kind == 5:
            return f"w{depth} = 0\nwhile w{depth} < 3 and ({self.condition(1)}):\n    w{depth} += 1\n{body}"
        if kind == 6:
            again = f"    d{depth} += 1\n    done{depth} = d{depth} > 2\n    last{depth} = d{depth}"
            return f"done{depth} = False\nd{depth} = 0\nwhile not done{depth}:\n{again}\n{body}\nc += last{depth}"
        if kind == 7:
            return f"with self.m:\n    {self.one_of(['pass', 'a += 1', 'self.x.store(b)', 'return a'])}"
        return f"if {self.condition(1)}:\n    return {self.number(1)}"


SOME_CALLS = [[("run", (0, 0)), ("run", (2, 1)), ("run", (1, 2))], [("run", (1, 1)), ("run", (0, 2)), ("run", (2, 2))]]


@settings(max_examples=volume(200), suppress_health_check=list(HealthCheck))
@given(source=st.randoms(use_true_random=False))
def test_random_bodies_do_what_python_does(source: random.Random, tmp_path_factory: pytest.TempPathFactory) -> None:
    body = Writer(source).block(2)
    note(body)
    text = MODEL.replace("{body}", textwrap.indent(body, " " * 8))
    example = load(text, tmp_path_factory.mktemp("random")).Example
    try:
        compile_model(example)
    except linpoint.ModelError as error:
        assert error.code == "LP-M014", error  # like 1 // 0, which never has a value
        return
    compare(example, SOME_CALLS)


EXAMPLES = sorted((ROOT / "examples" / "models").glob("*.py"))


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_the_examples_do_what_python_does(path: Path, tmp_path: Path) -> None:
    module = load(path.read_text(encoding="utf-8"), tmp_path)
    models = [
        each
        for each in vars(module).values()
        if isinstance(each, type) and issubclass(each, linpoint.Model) and each.__module__ == module.__name__
    ]
    assert models
    generator = random.Random(7)
    for model in models:
        calls = [
            (operation.name, args)
            for operation in compile_model(model).operations
            for args in itertools.product(*(each.domain for each in operation.parameters))
        ]
        compare(model, [[generator.choice(calls) for _ in range(6)] for _ in range(10)])
