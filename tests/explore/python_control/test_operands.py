# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: PLW0603, FLY002, SIM300 - every way to write it is tried here
"""The accesses that the hook reports for instructions, against a manual reading of the source.

The operands are found by a stack depth that was computed in advance (3.12 and later) or read from the frame (3.11): a
wrong depth or position shows as a wrong object.
"""

from __future__ import annotations

import collections
import sys
from collections.abc import Callable
from typing import Any

import pytest

from linpoint.explore import _native_control as native
from linpoint.explore.python_control import bytecode_accesses, run_abort  # noqa: F401 - defines what the control raises
from linpoint.explore.python_control.control_session import ControlSession
from linpoint.histories.values import freeze
from linpoint.judging.scenario_run import RunEnding

MODES = {0: "read", 1: "write"}
counter = 0


class Box:
    __match_args__ = ("x",)
    shared = 0

    def __init__(self) -> None:
        self.x = 1
        self.y = 2

    def method(self, *args: Any, **names: Any) -> int:
        return len(args) + len(names)

    @property
    def twice(self) -> int:
        return self.x * 2


class Child(Box):
    def inherited(self) -> Any:
        return super().shared

    def called(self) -> Any:
        return super().method(self.y)


class World:
    """The shared objects of the functions in the corpus."""

    def __init__(self) -> None:
        self.box = Box()
        self.child = Child()
        self.d = {"k": 1, "n": 2}
        self.l = [3, 1, 2]
        self.s = {1, 2}
        self.q = collections.deque([1, 2])
        self.Box = Box
        self.globals = globals()

    def label(self, thing: Any) -> str | None:
        return next((name for name, value in vars(self).items() if value is thing), None)


CORPUS: list[tuple[Callable[..., Any], str]] = []


def touches(expected: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    def add(function: Callable[..., Any]) -> Callable[..., Any]:
        CORPUS.append((function, expected))
        return function

    return add


@touches("read box.x")
def load_attribute(box, d, l, s, q, child):
    return box.x


@touches("write box.x; write box.y")
def store_and_delete_attribute(box, d, l, s, q, child):
    box.x = 5
    del box.y


@touches("read box.x; write box.x")
def in_place_attribute(box, d, l, s, q, child):
    box.x += 1


@touches("read box.x")
def a_property_is_code(box, d, l, s, q, child):
    return box.twice


@touches("read d; write d; write d; read d")
def subscripts(box, d, l, s, q, child):
    d["z"] = d["k"]
    del d["k"]
    return "k" in d


@touches("read l; write l; read l")
def slices(box, d, l, s, q, child):
    a = l[1:2]
    l[0:1] = a
    return l[::2]


@touches("read box.x; read d; write d")
def a_value_under_operands(box, d, l, s, q, child):
    return (1, [2, (box.x, d["k"] + len([7]), d.setdefault("q", 4))])


@touches("read l; read d; read s; read q")
def lengths(box, d, l, s, q, child):
    return len(l) + len(d) + len(s) + len(q)


@touches("write l; write l; write q; write q; write s; write d")
def methods_that_write(box, d, l, s, q, child):
    l.append(1)
    l.pop()
    q.append(9)
    q.popleft()
    s.add(5)
    d.update(w=1)


@touches("read d; read d; read l; read l")
def methods_that_read(box, d, l, s, q, child):
    return d.get("k", 0), d.items(), l.index(3), l.copy()


@touches("read d; write d; read l; write l; read l")
def calls_with_names(box, d, l, s, q, child):
    d.update(other=1, **d)
    l.sort(key=len, reverse=True) if not l else l.sort(reverse=True)
    return sorted(l, reverse=True)


@touches("read d; read l; write l; read l")
def starred_calls(box, d, l, s, q, child):
    box.method(*l, **d)
    l.extend(*[[1]])
    return max(*l)


@touches("read l; read d; read d")
def starred_displays(box, d, l, s, q, child):
    return [*l, 1], {**d, "u": 2}, {*d}


@touches("read l; read l")
def unpacking(box, d, l, s, q, child):
    a, b, c = l
    e, *rest = l
    return a + b + c + e, rest


@touches("write l; write s; read l; write d")
def in_place_operators(box, d, l, s, q, child):
    l += [4]
    s |= {9}
    a = l * 2
    d |= {}
    return a


@touches("read l; read l; read d")
def comparisons(box, d, l, s, q, child):
    return l == [1], [1] < l, d != {}


@touches("read l; read d; read s; read q")
def truth(box, d, l, s, q, child):
    if l and not d:
        return 1
    while not s:
        break
    return 3 if q else 4


@touches("read l; read d")
def negation(box, d, l, s, q, child):
    return not l, not d


@touches("read l; read l; read l; read l; read l")
def a_loop(box, d, l, s, q, child):
    total = 0
    for each in l:
        total += each
    return total


@touches("read l; read l; read l; read l; read l")
def a_comprehension(box, d, l, s, q, child):
    return [each + 1 for each in l]


@touches("read l; read l; read l; read l; read l")
def a_generator_expression(box, d, l, s, q, child):
    return sum(each for each in l)


@touches("read d; write d; write d")
def a_nested_loop_in_an_expression(box, d, l, s, q, child):
    return [1, {key: d.pop(key) for key in list(d)}]  # no other thread has the list


@touches("read box.x; read d; write box.y")
def try_except(box, d, l, s, q, child):
    try:
        a = box.x
        return [a, d["absent"]]
    except KeyError as error:
        box.y = str(error)
    finally:
        a = 0


@touches("read d; read box.x; write d")
def finally_after_raise(box, d, l, s, q, child):
    try:
        try:
            raise ValueError(len(d))
        finally:
            a = box.x
    except (ValueError, TypeError):
        d["a"] = a


class Manager:
    def __init__(self, l: list[int]) -> None:
        self.l = l

    def __enter__(self) -> list[int]:
        self.l.append(1)
        return self.l

    def __exit__(self, *_: object) -> bool:
        self.l.pop()
        return True


@touches("read l; write l; read box.x; write l")  # a class is given l: it might read it
def with_block(box, d, l, s, q, child):
    with Manager(l):
        return [1, box.x]


@touches("read l; write l; read l; write l; read box.y; write l; write l")
def nested_with_and_raise(box, d, l, s, q, child):
    with Manager(l), Manager(l) as other:
        if other is l:
            raise ValueError(box.y)


@touches("read Box.shared")
def super_attribute(box, d, l, s, q, child):
    return child.inherited()


@touches("read child.y")
def super_method(box, d, l, s, q, child):
    return child.called()


@touches("read Box.shared; write Box.shared")
def class_attribute(box, d, l, s, q, child):
    Box.shared = Box.shared + 0


@touches("read box.shared; read Box.shared")
def class_attribute_of_an_object(box, d, l, s, q, child):
    return box.shared


@touches("read globals.counter; write globals.counter")
def a_global(box, d, l, s, q, child):
    global counter
    counter = counter + 1


@touches("read box.x; write box.x; write box.z; write box.z")
def by_name(box, d, l, s, q, child):
    setattr(box, "".join(["x"]), getattr(box, "".join(["x"])))
    object.__setattr__(box, "z", 1)
    delattr(box, "z")


@touches("read d; read d; read d; read d; read box.x; read box.y")
def matching(box, d, l, s, q, child):
    match d:
        case {"k": 1, "absent": _}:
            return 1
        case {"k": 1}:
            match box:
                case Box(5):
                    return 2
                case Box(y=2):
                    return 3
    return 4


@touches("read l; read l")
def matching_sequences(box, d, l, s, q, child):
    match l:
        case [_, _, x]:
            return x
    return None


@touches("read d; read l")
def walrus(box, d, l, s, q, child):
    if (n := len(d)) > 1 and (m := l[0]):
        return n + m
    return 0


@touches("read l; read d; read box.x; read box.y; read s")
def formats(box, d, l, s, q, child):
    return f"{l} {d!r:>20} {box.x:{box.y}} {s!s}"


@touches("read l; read l; read l; read l; read l")
def yield_from(box, d, l, s, q, child):
    def inner():
        yield from l

    total = 0
    for each in inner():
        total += each
    return total


@touches("read box.x; write box.x; read box.x; read box.y")
def send_and_throw(box, d, l, s, q, child):
    def inner():
        while True:
            try:
                box.x = (yield box.x) or 0
            except ValueError:
                return box.y

    generator = inner()
    next(generator)
    try:
        generator.send(4)
        generator.throw(ValueError)
    except StopIteration as stopped:
        return stopped.value


@touches("read d; read box.x")
def coroutine(box, d, l, s, q, child):
    async def inner():
        return d["k"]

    async def outer():
        return await inner() + box.x

    try:
        outer().send(None)
    except StopIteration as stopped:
        return stopped.value


@touches("write l; write l; read l; read l; read l; read l; read l")
def async_for_and_with(box, d, l, s, q, child):
    class Both:
        async def __aenter__(self):
            l.append(1)

        async def __aexit__(self, *_):
            l.pop()

    async def items():
        for each in l:
            yield each

    async def outer():
        async with Both():
            pass
        return [each async for each in items()]

    try:
        outer().send(None)
    except StopIteration as stopped:
        return stopped.value


@touches("write cell; write cell; read cell")
def nonlocal_variable(box, d, l, s, q, child):
    total = 0

    def add():
        nonlocal total
        total = 5

    add()
    return total


@touches("read l; write l; write d; read l")
def descriptors_of_types(box, d, l, s, q, child):
    list.index(l, 3)
    list.append(l, 4)
    dict.__setitem__(d, "k", 1)
    return list.__len__(l)


@touches("write d; read l")
def bound_methods(box, d, l, s, q, child):
    put = d.__setitem__
    look = l.__getitem__
    put("a", 1)
    return look(0)


@touches("read l; read l; read l")
def iterators(box, d, l, s, q, child):
    it = iter(l)
    return next(it), next(it)


@touches("read box.x")
def conditional_stack(box, d, l, s, q, child):
    return [1, 2, (3 if child is None else 4), box.x if child else None, 5 if not child else 6]


@touches("read box.x; read d; read l")
def chained_comparison(box, d, l, s, q, child):
    return [0, 0 < box.x < d["k"] + 3 < l[0] + 90]


MANY = 300


def _many_names() -> Callable[..., Any]:
    """So many names and constants that instructions, including jumps over them, need prefixes."""
    lines = [f"            box.attribute{i} = {i + 1000}" for i in range(MANY)]
    source = "\n".join(
        [
            "def many(box, d, l, s, q, child):",
            "    for each in (1,):",
            "        if d:",
            *lines,
            "        if not l:",
            *lines,
            "    return [9, d['k'], box.attribute299]",
        ]
    )
    names: dict[str, Any] = {}
    exec(compile(source, __file__, "exec"), names)
    return names["many"]


CORPUS.append(
    (
        _many_names(),
        "; ".join(
            ["read d", *(f"write box.attribute{i}" for i in range(MANY)), "read l; read d; read box.attribute299"]
        ),
    )
)


def touched(function: Callable[..., Any], **options: Any) -> tuple[list[str], Any, World]:
    """The accesses that the hook reports for a call, object by object, and the result of the call."""
    world = World()
    told: list[str] = []

    def on_access(process, code, offset, action, operands, objects):
        for thing, name, mode in objects:
            label = "cell" if type(thing).__name__ == "cell" else world.label(thing)
            if label is not None:
                told.append(f"{MODES[mode]} {label}" + ("" if name is None else f".{name}"))

    arguments = (world.box, world.d, world.l, world.s, world.q, world.child)
    explorer = native.explore_again([])
    with ControlSession(**options) as session:
        native.narrate(on_access)
        assert explorer.begin()
        session.prepare()
        assert session.run(explorer, [((function, arguments),)]) is RunEnding.COMPLETE
        ((_, _, value, raised),) = native.control_operations()[0]
        native.narrate(None)
    assert not raised, value
    return told, value, world


@pytest.mark.parametrize(("function", "expected"), CORPUS, ids=lambda each: getattr(each, "__name__", ""))
def test_instructions_report_their_accesses(function, expected):
    told, value, world = touched(function)
    assert "; ".join(told) == expected
    plain = World()
    expected_value = function(plain.box, plain.d, plain.l, plain.s, plain.q, plain.child)
    assert repr(value) == repr(freeze(expected_value))
    assert [vars(world.box), world.d, world.l, world.s] == [vars(plain.box), plain.d, plain.l, plain.s]


ONE_STEP = frozenset(("matching", "matching_sequences"))
"""A ``match`` reports its subject as a whole."""
IN_NO_FILE = "many"


@pytest.mark.parametrize(("function", "expected"), CORPUS, ids=lambda each: getattr(each, "__name__", ""))
def test_rewritten_code_reports_the_same_accesses(function, expected):
    """The same accesses in the same order, without inspecting frames."""
    if function.__name__ == IN_NO_FILE:
        pytest.skip("it has no source")
    told, value, world = touched(function, backend="ast")
    if function.__name__ in ONE_STEP:
        assert set(told) == set(expected.split("; "))
    else:
        assert "; ".join(told) == expected
    plain = World()
    expected_value = function(plain.box, plain.d, plain.l, plain.s, plain.q, plain.child)
    assert repr(value) == repr(freeze(expected_value))
    assert [vars(world.box), world.d, world.l, world.s] == [vars(plain.box), plain.d, plain.l, plain.s]


@pytest.mark.parametrize("backend", ["native", "ast"])
@pytest.mark.parametrize(
    "options",
    [{"granularity": "opcode"}, pytest.param({"granularity": "line"}, marks=pytest.mark.long), {"gil": True}],
    ids=str,
)
def test_the_granularity_does_not_change_the_reported_accesses(options, backend):
    for function, expected in CORPUS:
        if backend == "native" or function.__name__ not in (*ONE_STEP, IN_NO_FILE):
            assert "; ".join(touched(function, backend=backend, **options)[0]) == expected, function.__name__


def test_every_instruction_of_the_table_is_in_the_corpus():
    seen: set[str] = set()

    def collect(code):
        seen.update(one.opname for one in bytecode_accesses.dis.get_instructions(code))
        for each in code.co_consts:
            if hasattr(each, "co_code"):
                collect(each)

    for function in [*(each for each, _ in CORPUS), Child.inherited, Child.called, Manager.__enter__]:
        collect(function.__code__)
    known = {
        name for name in bytecode_accesses._AT if bytecode_accesses.dis.opmap.get(name, 256) < 256
    }  # the others are the compiler's own
    assert known <= seen
    assert {
        name for name in (*bytecode_accesses._CALLS, "MATCH_CLASS", "BINARY_OP") if name in bytecode_accesses.dis.opmap
    } <= seen
    assert sys.version_info < (3, 12) or "LOAD_SUPER_ATTR" in seen
