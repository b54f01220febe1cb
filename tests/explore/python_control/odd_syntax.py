# SPDX-License-Identifier: Apache-2.0
# mypy: ignore-errors
"""Functions that use all of Python's syntax, and record the order of evaluation."""

from __future__ import annotations

import collections
import contextlib
import sys
import traceback

CASES = []
total = 10


def case(function):
    CASES.append(function)
    return function


class Noted:
    """Records every use of it."""

    def __init__(self, log, name="it"):
        object.__setattr__(self, "log", log)
        object.__setattr__(self, "name", name)

    def __getattr__(self, name):
        self.log.append(("get", name))
        return 5

    def __setattr__(self, name, value):
        self.log.append(("set", name, value))

    def __delattr__(self, name):
        self.log.append(("del", name))

    def __getitem__(self, key):
        self.log.append(("item", key))
        return 7

    def __setitem__(self, key, value):
        self.log.append(("put", key, value))

    def __delitem__(self, key):
        self.log.append(("drop", key))

    def __bool__(self):
        self.log.append(("bool", self.name))
        return self.name == "true"

    def __contains__(self, item):
        self.log.append(("in", item))
        return item == 1

    def __lt__(self, other):
        self.log.append(("lt", self.name, getattr(other, "name", other)))
        return Noted(self.log, "true")

    def __eq__(self, other):
        self.log.append(("eq", self.name))
        return NotImplemented

    def __hash__(self):
        return 1

    def __iadd__(self, other):
        self.log.append(("iadd", other))
        return self

    def __call__(self, *args, **names):
        self.log.append(("call", args, names))
        return self

    def __enter__(self):
        self.log.append("enter")
        return self

    def __exit__(self, *details):
        self.log.append(("exit", details[0]))
        return details[0] is KeyError

    def __repr__(self):
        return f"<{self.name}>"


def say(log, value):
    log.append(value)
    return value


@case
def order_of_assignment():
    log = []
    one, other = Noted(log), Noted(log)
    say(log, one).x = say(log, other)[say(log, 1)] = say(log, 3)
    say(log, one).y, (say(log, other)[say(log, 2)], *rest) = say(log, 4), say(log, [5, 6, 7])
    one.z: int = say(log, 8)
    one.nothing: int
    return log, rest


@case
def order_of_changes_in_place():
    log = []
    one = Noted(log)
    say(log, one).x += say(log, 1)
    say(log, one)[say(log, "k")] -= say(log, 2)
    one += say(log, 3)
    return log


@case
def all_operators_in_place():
    box = collections.UserDict(v=7)
    results = []
    for text in ("+=", "-=", "*=", "//=", "%=", "**=", "<<=", ">>=", "&=", "|=", "^=", "/="):
        names = {"box": box}
        exec(f"box['v'] {text} 3", names)
        results.append(box["v"])
        box["v"] = 7
    box["v"] += 1
    box["v"] -= 2
    box["v"] *= 3
    box["v"] //= 2
    box["v"] %= 5
    box["v"] **= 2
    box["v"] <<= 3
    box["v"] >>= 1
    box["v"] |= 9
    box["v"] &= 13
    box["v"] ^= 2
    box["v"] /= 4
    value = 7
    value += 1
    value **= 2
    try:
        value @= 3
    except TypeError as error:
        results.append(str(error))
    return results, box, value


@case
def all_operators():
    a, b = 13, 3
    return [a + b, a - b, a * b, a / b, a // b, a % b, a**b, a << b, a >> b, a & b, a | b, a ^ b, -a, ~a, +a, not a]


@case
def order_of_deleting():
    log = []
    one = Noted(log)
    local = 1
    del one.x, one[say(log, 2)], (local, one.y)
    return log, sorted(locals())


@case
def chains_of_comparisons():
    log = []
    one, other = Noted(log, "one"), Noted(log, "other")
    results = [
        say(log, one) < say(log, other) < say(log, 3),
        1 < say(log, 2) < say(log, 0) < say(log, 9),
        one is one < other,
        one is not other is other,
        one is other is say(log, "never"),
        1 in one in [one],
        2 not in one,
        1 < 2 in (1, 2) in [True, (1, 2)],
        one == other,
        one != other,
        one is one == other,
    ]
    return log, results


@case
def truth_is_asked_once():
    log = []
    true, false = Noted(log, "true"), Noted(log, "false")
    results = [true and false, false and true, true or false, false or true, not true, not false]
    results.append(1 if true and (false or true) else 2)
    results.append(1 if (true if false else false) else 2)
    if not (true and not false):
        results.append("no")
    while false or false and true:
        pass
    assert true, say(log, "never")
    results.append([each for each in (1, 2) if true if false or true])
    return log, results


@case
def order_in_calls():
    log = []
    one = Noted(log)

    def made():
        log.append("begins")
        yield 1
        log.append("ends")

    one(say(log, 1), *say(log, [2]), say(log, 3), k=say(log, 4), **say(log, {"m": 5}))
    one(*made(), **say(log, {"m": 5}))
    one(*made(), *made(), k=say(log, 6))
    one(*())(*"ab", **{})
    return log


@case
def calls_that_fail():
    found = []
    for call in (
        lambda: len(),
        lambda: len(*[[1], [2]]),
        lambda: int("x"),
        lambda: (lambda a: a)(),
        lambda: (lambda *, a: a)(b=1),
        lambda: total(),
        lambda: list()[0],
        lambda: {}["k"],
        lambda: total.x,
        lambda: total + "a",
        lambda: "a" < total,
        lambda: 1 in total,
        lambda: undefined,
        lambda: [*1],
        lambda: {**1},
        lambda: [x for x in 5],
        lambda: f"{1:x!}",
    ):
        try:
            call()
        except Exception as error:
            found.append((type(error).__name__, str(error)))
    for call in (lambda: len(*1), lambda: dict(**1), lambda: dict(a=1, **{"a": 2})):
        try:
            call()
        except TypeError as error:
            found.append(type(error).__name__)
    return found


class Base:
    __hidden = 1
    shared = []

    def __init__(self, value):
        self.__value = value
        self.__value += 1

    def get(self):
        return self.__value, self.__hidden, __class__.__name__

    @property
    def twice(self):
        return self.__value * 2

    @twice.setter
    def twice(self, value):
        self.__value = value // 2

    @classmethod
    def made(cls):
        return cls(3)

    @staticmethod
    def plain(a, b=shared):
        return a, b

    def forget(self):
        del self.__value
        return hasattr(self, "_Base__value"), sorted(vars(self))


class Derived(Base):
    def __init__(self):
        super().__init__(9)
        super(Derived, self).__init__(4)

    def get(self):
        return [super().get() for _ in (1,)] if False else super().get()

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        return f"no {name}"


@case
def classes_and_private_names():
    one = Derived()
    one.twice += 4
    return one.get(), one.twice, Derived.plain(1), one.other, Base.made().get(), one.forget()


@case
def a_class_in_a_function():
    here = 3

    class Inner:
        """Documented."""

        count: int = here
        doubled = [count_ * 2 for count_ in range(here)]
        count += 1
        there = count
        names = sorted(name for name in locals() if not name.startswith("__"))

        def method(self, *, other=count):
            return other, here

    return Inner.__doc__, Inner.count, Inner.doubled, Inner.names, Inner().method(), Inner.__annotations__


@case
def globals_and_nonlocals():
    global total
    total = 1
    total += 1
    first = 0
    seen = []

    def inner():
        nonlocal first
        global total
        first, total = first + 1, total + 1
        for first in (first, 5):
            seen.append(first)
        if (first := first + 1) > 3:
            del first
        try:
            return first
        except NameError as error:
            return type(error).__name__

    return inner(), total, seen, [n for n in ("first", "inner") if n in locals()]


@case
def walrus():
    if (n := len("abc")) > 2 and (m := n + 1):
        found = [last := each for each in range(m)]
    return n, m, found, last


@case
def variables_are_just_those_of_the_source():
    a = 1
    b = [a for a in (2, 3)]
    a += 1
    if 1 < a < 5:
        b[0] += 1
    for c, (d, *e) in [(1, (2, 3))]:
        pass
    with contextlib.nullcontext(7) as f:
        pass
    return sorted(locals().items()), sorted(vars()), dir()


@case
def unpacking():
    first, *middle, last = range(5)
    [a, (b, c)] = 1, "xy"
    for i, (j, k) in enumerate([(1, 2), (3, 4)]):
        middle.append((i, j, k))
    return first, middle, last, a, b, c, [*middle, *{1: 2}], {**{"a": 1}, "b": 2}, {*"a"}, (*(), 1)


@case
def slices():
    items = list(range(10))
    items[2:4], items[::5] = "ab", ["x", "y"]
    del items[-2:]
    log = []
    noted = Noted(log)
    noted[1:2], noted[1:2:3, ..., None], noted[:, 1]
    noted[::2] = 3
    return items, items[1:3], items[::-1], log


def numbers(n):
    """Yields."""
    try:
        while n:
            n -= 1
            if n == 2:
                continue
            got = yield n
            if got:
                yield ("got", got)
        return "end"
    finally:
        n = None


def outer():
    result = yield from numbers(4)
    yield result
    yield from [7, 8]
    try:
        yield from numbers(2)
    except ValueError as error:
        yield ("caught", error.args)
    yield (lambda: (yield))


@case
def generators():
    one = outer()
    found = [next(one), one.send("hello"), next(one), next(one), next(one), next(one), next(one)]
    found += [next(one), one.throw(ValueError("x"))]
    other = outer()
    next(other)
    other.close()
    empty = (each for each in ())
    return found, list(other), list(empty), sum(x * y for x in range(3) for y in range(x)), list(numbers(0))


@case
def comprehensions():
    table = {k: v for k, v in zip("abc", range(3)) if v}
    nested = [[y * x for y in range(x)] for x in [1, 2, 3] if x > 1]
    functions = [lambda: x for x in range(3)]
    return table, nested, {x % 2 for x in (1, 2, 3)}, [f() for f in functions], [x for x in {1: 2}.items()]


@case
def context_managers():
    log = []
    with Noted(log, "a") as a, Noted(log, "b") as a.x:
        say(log, "inside")
    with Noted(log):
        raise KeyError

    def left():
        for _ in (1, 2):
            with Noted(log):
                return "returned"

    def broken():
        while True:
            with Noted(log):
                break
        return "broken"

    return log, left(), broken()


@case
def matching():
    found = []
    for subject in ([1, 2, 3], {"k": 1, "m": 2}, Base(1), 5, "s", (1, Base(0)), None, [1, [2]]):
        match subject:
            case [1, [inner]]:
                found.append(inner)
            case [first, *rest] if rest[0] == 2:
                found.append((first, rest))
            case {"k": value, **others}:
                found.append((value, others))
            case Base(twice=twice):
                found.append(twice)
            case int() | str() as plain:
                found.append(plain)
            case (1, Base(_Base__value=value)):
                found.append(value)
            case _:
                found.append("other")
    match 1, [2]:
        case a, [b]:
            found.append(a + b)
    return found


@case
def coroutines():
    class Ready:
        def __await__(self):
            got = yield "waits"
            return got

    class Several:
        def __aiter__(self):
            self.left = 2
            return self

        async def __anext__(self):
            self.left -= 1
            if self.left < 0:
                raise StopAsyncIteration
            return self.left

        async def __aenter__(self):
            return self

        async def __aexit__(self, *details):
            return False

    async def produced():
        yield 1
        yield 2

    async def work():
        got = await Ready()
        async with Several() as several:
            items = [each async for each in several]
            async for items[0] in several:
                pass
        return got, items, [each async for each in produced()]

    running = work()
    found = [running.send(None)]
    try:
        running.send("answer")
    except StopIteration as end:
        found.append(end.value)
    return found


def raising(depth):
    if depth:
        return [
            raising(
                depth - 1,
            )
        ]
    values = {"a": 1}
    return (
        values["a"]
        + values["b"]
        + values["a"]
    )  # fmt: skip


@case
def lines_of_tracebacks():
    try:
        raising(2)
    except KeyError as error:
        return [(each.name, each.lineno) for each in traceback.extract_tb(error.__traceback__)][1:]


@case
def exceptions():
    found = []
    try:
        try:
            raise ValueError("a") from KeyError("b")
        except ValueError as error:
            found.append((repr(error), repr(error.__cause__)))
            raise
        finally:
            found.append("finally")
    except (KeyError, ValueError):
        found.append(sys.exc_info()[0].__name__)
    else:
        found.append("never")

    def returns():
        try:
            return 1
        finally:
            found.append(2)

    try:
        raise ExceptionGroup("g", [ValueError(1), TypeError(2)])
    except* ValueError as group:
        found.append(len(group.exceptions))
    except* TypeError:
        found.append("type")
    return found, returns()


@case
def frames():
    def who():
        return sys._getframe(1).f_code.co_name, sys._getframe().f_code.co_qualname, who.__code__.co_argcount

    return who(), frames.__name__, [name for name in sorted(sys._getframe().f_locals)]


@case
def deep_recursion():
    def down(n):
        return n if n == 0 else down(n - 1)

    def for_ever():
        return for_ever()

    try:
        for_ever()
    except RecursionError as error:
        return down(300), str(error)


@case
def texts():
    width, value = 8, {"k": 1.5}
    return f"{value!r:>{width}}|{value['k']:.3f}|{len('abc')=}|{'%s-%d' % ('x', 3)}|{value}"


@case
def decorated():
    def twice(function):
        def wrapper(*args, **names):
            return function(*args, **names), function(*args, **names)

        return wrapper

    @twice
    @twice
    def add(a, /, b=2, *c, d=4, **e):
        return a + b + d, c, e

    return add(1), add(1, 5, 6, d=7, f=8), (lambda a, b=3, *c, d=5: (a, b, c, d))(1, d=2)
