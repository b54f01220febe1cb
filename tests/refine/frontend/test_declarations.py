# SPDX-License-Identifier: Apache-2.0
"""Declarations of a class: cells, nodes, constants, operations, setup; and the errors of invalid ones."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

import linpoint
from linpoint.refine.frontend import compile_model
from linpoint.refine.program_ir import Cell, Field, NodeClass, Parameter
from linpoint.scenarios import definition_of
from linpoint.scenarios.tested_operation import mark_of
from tests.refine.frontend.running import load

READ = """
@linpoint.operation
def read(self):
    return 1
"""


def model(body: str, folder: Path, name: str = "model") -> type[linpoint.Model]:
    source = f"import enum\nimport linpoint\n\nclass Example(linpoint.Model):\n{textwrap.indent(textwrap.dedent(body), '    ')}"
    return load(source, folder, name).Example


# Valid declarations


def test_cells_are_declared(tmp_path: Path) -> None:
    program = compile_model(
        model(
            """
            class Node: value: int
            class State(enum.Enum): IDLE = 1
            size = 2
            plain = linpoint.atomic(0)
            head = linpoint.atomic(Node)
            state = linpoint.atomic(State.IDLE)
            marked = linpoint.atomic((Node, False))
            r = linpoint.record(c=0, v="x")
            same = linpoint.atomic(linpoint.record(c=0))
            a = linpoint.array(None, size=size)
            slots = linpoint.array(linpoint.record(val=None, ref=0), size=2)
            m = linpoint.lock()
            locks = linpoint.array(linpoint.lock(), size=2)

            @linpoint.operation
            def read(self):
                return 1
            """,
            tmp_path,
        )
    )
    assert program.cells == (
        Cell("plain", (0,)),
        Cell("head", (None,)),
        Cell("state", ("State.IDLE",)),
        Cell("marked", (None, False), width=2),
        Cell("r", (0, "x"), width=2, parts=("c", "v")),
        Cell("same", (0,), parts=("c",)),
        Cell("a", (None, None), size=2, is_array=True),
        Cell("slots", (None, 0, None, 0), size=2, width=2, parts=("val", "ref"), is_array=True),
        Cell("m", (False,), is_lock=True),
        Cell("locks", (False, False), size=2, is_array=True, is_lock=True),
    )


def test_nodes_are_declared(tmp_path: Path) -> None:
    program = compile_model(
        model(
            """
            class Node:
                '''A node of a list.'''
                key: int
                marked: bool = False
                next: linpoint.Atomic[tuple["Node", bool]]
                lock = linpoint.lock()
                r = linpoint.record(c=0, v=0)
                cell = linpoint.atomic(None)

            class Empty:
                pass

            @linpoint.operation
            def make(self):
                node = self.Node(key=1, next=(None, True))
                return isinstance(node, self.Empty), self.Empty() is None
            """,
            tmp_path,
        )
    )
    assert program.classes == (NodeClass("Node", (0, 1, 2, 3, 4, 5)), NodeClass("Empty", ()))
    assert program.fields == (
        Field("key", 0),
        Field("marked", 0),
        Field("next", 0, width=2),
        Field("lock", 0, is_lock=True),
        Field("r", 0, width=2, parts=("c", "v")),
        Field("cell", 0),
    )


@pytest.mark.parametrize("future", ["", "from __future__ import annotations\n"])
def test_annotations_of_nodes_may_be_objects_or_strings(future: str, tmp_path: Path) -> None:
    source = f"""{future}
import linpoint
from linpoint import Atomic

class Example(linpoint.Model):
    class Node:
        a: Atomic[int]
        b: "linpoint.Atomic[Node]"
        c: Atomic["tuple[Node, int, bool]"]
        d: tuple[int, int]
        e: linpoint.Atomic
    @linpoint.operation
    def make(self):
        node = self.Node(c=(None, 1, True), d=(3, 4))
        x, y = node.d
        return node.a.load(), node.b.load(), x + y, node.e.load()
"""
    example = load(source, tmp_path).Example
    program = compile_model(example)
    assert [each.width for each in program.fields] == [1, 1, 3, 2, 1]
    assert example().make() == (None, None, 7, None)


def test_operations_have_domains_roles_and_pairs(tmp_path: Path) -> None:
    program = compile_model(
        model(
            """
            @linpoint.operation(v=[None, True, 1, "x"], w=range(2), role="writer", name="put-in")
            def put(self, v, w, fixed=3):
                return fixed

            @linpoint.operation(pairs_with="put", role="writer")
            def take(self):
                pass

            @linpoint.operation(role="reader")
            def look(self):
                pass
            """,
            tmp_path,
        )
    )
    put, take, look = program.operations
    assert put.name == "put-in"
    assert put.parameters == (Parameter("v", (None, True, 1, "x")), Parameter("w", (0, 1)))
    assert put.registers[:2] == ("v", "w")
    assert (put.role, take.role, look.role) == ("writer", "writer", "reader")
    assert take.pairs_with == "put-in"
    assert program.roles == ("writer", "reader")
    assert (put.line, take.line, program.line) == (7, 11, 4)
    assert program.source[3] == "class Example(linpoint.Model):"
    assert program.file == str(tmp_path / "model.py")


def test_setup_is_not_an_operation(tmp_path: Path) -> None:
    program = compile_model(model("x = linpoint.atomic(0)\ndef setup(self):\n    self.x.store(3)\n" + READ, tmp_path))
    assert program.setup is not None
    assert [each.name for each in program.operations] == ["read"]


def test_subclasses_inherit_override_and_remove(tmp_path: Path) -> None:
    source = """
import linpoint

class Base(linpoint.Model):
    limit = 2
    x = linpoint.atomic(0)
    @linpoint.operation(v=range(3))
    def put(self, v):
        return self.bound()
    @linpoint.operation
    def get(self):
        return self.x.load()
    def bound(self):
        return self.limit

class Derived(Base):
    limit = 5
    y = linpoint.atomic(1)
    get = None
    def put(self, v):
        return v + self.bound() + self.y.load()
    @linpoint.operation
    def more(self):
        return self.limit
"""
    module = load(source, tmp_path)
    program = compile_model(module.Derived)
    assert [each.name for each in program.operations] == ["put", "more"]
    assert program.operations[0].parameters == (Parameter("v", (0, 1, 2)),)
    assert [each.name for each in program.cells] == ["x", "y"]
    assert {each.value for each in program.code if each.code.name == "CONSTANT"} == {5}
    assert module.Derived().put(1) == 7
    assert [each.name for each in compile_model(module.Base).operations] == ["put", "get"]


def test_a_class_in_a_function_uses_enclosing_constants(tmp_path: Path) -> None:
    source = """
import linpoint

def make(limit):
    class Example(linpoint.Model):
        x = linpoint.atomic(limit)
        @linpoint.operation
        def read(self):
            return self.x.load() + limit
    return Example
"""
    module = load(source, tmp_path)
    program = compile_model(module.make(4))
    assert program.cells == (Cell("x", (4,)),)
    assert module.make(4)().read() == 8
    assert module.make(4).with_  # and it can be queried


# Invalid declarations

REFUSED = {
    "a float": (
        "x = linpoint.atomic(0.5)" + READ,
        "LP-M010 5:5 self.x starts with 0.5, which is not a value of a model.",
    ),
    "a list": ("x = linpoint.array([1], size=2)" + READ, "LP-M010 5:5 self.x starts with [1], which is not a value"),
    "a name in quotes": (
        'class Node: pass\nx = linpoint.atomic("Node")' + READ,
        'LP-M010 6:5 self.x starts with the text "Node". Write Node without the quotes, or None.',
    ),
    "a record in a record": (
        "x = linpoint.record(a=linpoint.record(b=0))" + READ,
        "LP-M010 5:5 self.x starts with record(a=record(b=0)), which is not a value of a model.",
    ),
    "a field called load": ("x = linpoint.record(load=1)" + READ, 'LP-M010 5:5 a field of self.x is named "load"'),
    "a node with methods": (
        "class Node:\n    def next(self):\n        pass" + READ,
        "LP-M010 6:9 the class of nodes Node contains more than fields. Move methods to the model",
    ),
    "a node with a base": (
        "class Base: pass\nclass Node(Base): pass" + READ,
        "LP-M010 6:5 the class of nodes Node has a base class. List its fields instead.",
    ),
    "a decorated node": (
        "def same(c): return c\n@same\nclass Node: pass" + READ,
        "LP-M010 6:6 the class of nodes Node is decorated. Remove the decorator.",
    ),
    "a default of a field": (
        "class Node:\n    x = [1]" + READ,
        "LP-M010 5:5 Node.x starts with [1], which is not a value of a model.",
    ),
    "a node with an array": (
        "class Node:\n    a = linpoint.array(0, size=2)" + READ,
        "LP-M010 5:5 Node.a is an array. Use plain fields, cells and locks.",
    ),
    "no operations": ("x = linpoint.atomic(0)\ndef read(self):\n    pass", "LP-M012 4:1 Example has no operations."),
    "a parameter without values": (
        "@linpoint.operation\ndef put(self, v):\n    pass",
        'LP-M009 6:5 the parameter "v" of put(v) has no values. Add them: @linpoint.operation(v=range(1, 3)).',
    ),
    "values without a parameter": (
        "@linpoint.operation(value=[1])\ndef put(self, valu=1):\n    pass",
        'LP-M009 6:5 there are values for "value", but put(valu) has no such parameter. Did you mean valu?',
    ),
    "values that are not constants": (
        "@linpoint.operation(v=[[1]])\ndef put(self, v):\n    pass",
        'LP-M009 6:5 "v" of put may be (1,), which is not a value of a model.',
    ),
    "two operations of one name": (
        '@linpoint.operation(name="read")\ndef look(self):\n    pass\n' + READ,
        'LP-M010 10:5 two operations are named "read". Rename one with name=...',
    ),
    "pairs with nothing": (
        '@linpoint.operation(pairs_with="rea")\ndef look(self):\n    pass\n' + READ,
        'LP-M010 6:5 look pairs with "rea", which is not an operation of Example. Did you mean read? Use one of: look, read.',
    ),
    "an __init__": (
        "def __init__(self):\n    pass" + READ,
        "LP-M010 5:5 a model cannot have __init__. Write def setup(self):",
    ),
    "setup with parameters": (
        "def setup(self, n):\n    pass" + READ,
        "LP-M010 5:5 setup must be a plain method without",
    ),
    "an async operation": (
        "@linpoint.operation\nasync def read(self):\n    pass",
        "LP-M002 6:5 models do not support async. Write def: each shared access is already a step.",
    ),
    "stars": (
        "@linpoint.operation\ndef read(*args):\n    pass",
        "LP-M002 6:15 models do not support * and ** in parameters.",
    ),
    "no self": ("@linpoint.operation\ndef read():\n    pass", "LP-M002 6:5 read has no parameter for the model."),
    "a lambda": ("read = linpoint.operation(lambda self: 1)", "LP-M001 5 Example.<lambda> no longer exists"),
    "an invalid default": (
        "def f(self, n=[]):\n    return n\n@linpoint.operation\ndef read(self):\n    return self.f()",
        "LP-M010 5:5 the default of n is not a constant. Use a constant.",
    ),
    "fields that differ": (
        "class A: x: int\nclass B: x: linpoint.Atomic[int]\n@linpoint.operation\ndef f(self):\n    return self.A().x",
        "LP-M005 9:16 A and B both have a field x, of different kinds. Give the fields different names.",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_invalid_declarations_are_rejected(name: str, tmp_path: Path) -> None:
    body, expected = REFUSED[name]
    with pytest.raises(linpoint.ModelError) as caught:
        compile_model(model(body, tmp_path))
    code, place, said = expected.split(" ", 2)
    assert str(caught.value).startswith(f"{code} ")
    assert str(caught.value.place).endswith(f"model.py:{place}")
    assert f"{caught.value.message} {caught.value.remedy}".startswith(said)


def test_the_first_mistake_in_the_file_is_reported(tmp_path: Path) -> None:
    body = """
    @linpoint.operation
    def one(self):
        self.below()
    def above(self):
        return 1.5
    @linpoint.operation
    def two(self):
        self.above()
    def below(self):
        return 2.5
    """
    with pytest.raises(linpoint.ModelError) as caught:
        compile_model(model(body, tmp_path))
    assert str(caught.value.place).endswith(":10:16")


def test_columns_are_counted_in_characters(tmp_path: Path) -> None:
    with pytest.raises(linpoint.ModelError) as caught:
        compile_model(model("@linpoint.operation\ndef f(self):\n    return 'äöü→' == nowhere", tmp_path))
    assert str(caught.value.place).endswith(":7:26")


@pytest.mark.parametrize("size", [0, -1, 1.5, True, "2"])
def test_the_size_of_an_array_is_checked(size: object) -> None:
    with pytest.raises(linpoint.ModelError) as caught:
        linpoint.array(0, size=size)  # type: ignore[arg-type]
    assert caught.value.code == "LP-M010"
    assert "test_declarations.py" in str(caught.value.place)


def test_meaningless_declarations_are_rejected() -> None:
    for make in (lambda: linpoint.array(linpoint.array(0, size=1), size=1), linpoint.record):
        with pytest.raises(linpoint.ModelError) as caught:
            make()
        assert caught.value.code == "LP-M010"


@pytest.mark.parametrize("thing", [linpoint.Model, int, 3, "Model", linpoint.ConcurrentTest])
def test_objects_that_are_not_models_are_rejected(thing: object) -> None:
    with pytest.raises(linpoint.ModelError) as caught:
        compile_model(thing)  # type: ignore[arg-type]
    assert caught.value.code == "LP-M012"


def test_a_model_without_a_source_is_rejected() -> None:
    namespace: dict[str, object] = {}
    exec(f"import linpoint\nclass Example(linpoint.Model):{textwrap.indent(READ, '    ')}", namespace)
    with pytest.raises(linpoint.ModelError) as caught:
        compile_model(namespace["Example"])  # type: ignore[arg-type]
    assert caught.value.code == "LP-M001"


def test_methods_may_be_in_two_files(tmp_path: Path) -> None:
    base = load(
        "import linpoint\nclass Base(linpoint.Model):\n    def one(self):\n        return 1\n", tmp_path, "base"
    )
    derived = f"import sys\nimport linpoint\nBase = sys.modules[{base.__name__!r}].Base\nclass Derived(Base):\n"
    calling = "    @linpoint.operation\n    def read(self):\n        return self.one()\n"
    with pytest.raises(linpoint.ModelError) as caught:
        compile_model(load(derived + calling, tmp_path, "derived").Derived)
    assert caught.value.code == "LP-M010"
    assert "one is written in another file" in caught.value.message


def test_hypothesis_strategies_are_not_domains(tmp_path: Path) -> None:
    source = """
import linpoint
from hypothesis import strategies as st
class Example(linpoint.Model):
    @linpoint.operation(v=st.integers())
    def put(self, v):
        pass
"""
    with pytest.raises(linpoint.ModelError) as caught:
        compile_model(load(source, tmp_path).Example)
    assert caught.value.code == "LP-M009"
    assert "strategy" in caught.value.message


@pytest.mark.parametrize("body", ["return " + "(" * 80 + "1" + "+v)" * 80, "return " + "+".join(["v"] * 2000)])
def test_deep_expressions_are_compiled_or_rejected(body: str, tmp_path: Path) -> None:
    """The error is never a traceback."""
    source = f"import linpoint\nclass Example(linpoint.Model):\n    @linpoint.operation(v=[1])\n    def f(self, v):\n        {body}\n"
    try:
        compile_model(load(source, tmp_path).Example)
    except linpoint.ModelError as error:
        assert error.code == "LP-M011"


def test_too_many_registers_are_rejected(tmp_path: Path) -> None:
    lines = [f"    x{n} = self.x.load()" for n in range(65)]
    total = "    return " + " + ".join(f"x{n}" for n in range(65))
    body = "\n".join(["x = linpoint.atomic(0)", "@linpoint.operation", "def f(self):", *lines, total])
    with pytest.raises(linpoint.ModelError) as caught:
        compile_model(model(body, tmp_path))
    assert caught.value.code == "LP-M011"
    assert caught.value.message == "f requires more than 64 registers."


# The operation decorator


def test_parameters_may_be_named_like_options_of_models() -> None:
    class TestRoles(linpoint.ConcurrentTest):
        def setup(self):
            return {}

        @linpoint.operation(role=["reader", "writer"], pairs_with="ab")
        def grant(self, roles, role, pairs_with):
            roles[role] = pairs_with

    (grant,) = definition_of(TestRoles).operations.values()
    assert grant.parameters == ("role", "pairs_with")
    assert [list(each) for each in grant.sources] == [["reader", "writer"], ["a", "b"]]


@pytest.mark.parametrize("given", [{"role": 3}, {"pairs_with": ["enter"]}])
def test_roles_must_be_strings(given: dict[str, object]) -> None:
    with pytest.raises(linpoint.TestError) as caught:
        linpoint.operation(**given)(lambda self: None)
    assert caught.value.code == "LP-T010"
    assert mark_of(linpoint.operation(role="reader")(lambda self: None)).role == "reader"
