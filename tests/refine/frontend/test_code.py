# SPDX-License-Identifier: Apache-2.0
"""The compiled code: it is short, has source lines, and its registers have readable names."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

import linpoint
from linpoint.refine.frontend import compile_model
from linpoint.refine.program_ir import CompiledModel, OpCode, PlaceKind
from tests.refine.frontend.interpreter import Machine, validate
from tests.refine.frontend.running import load
from tests.refine.frontend.test_words import Shelf, Treiber


def listing(program: CompiledModel, operation: str) -> str:
    """The code of an operation, one line per instruction; jump targets count from its entry."""
    every = [*program.operations, *([program.setup] if program.setup else [])]
    (wanted,) = (each for each in every if each.name == operation)
    entries = [*sorted(each.entry for each in every), len(program.code)]
    lines = []
    for each in program.code[wanted.entry : entries[entries.index(wanted.entry) + 1]]:
        parts = [each.code.name.lower()]
        parts += [f"{name}={getattr(each, name)}" for name in "abc" if getattr(each, name) >= 0]
        if each.where >= 0:
            place = program.locations[each.where]
            names = program.fields if place.where is PlaceKind.FIELD else program.cells
            inside = f"[{place.register}]" if place.register >= 0 else ""
            parts.append(f"{names[place.target].name}{inside}")
        if each.code is OpCode.CONSTANT:
            parts.append(repr(each.value))
        if each.target >= 0:
            parts.append(f"-> {each.target - wanted.entry}")
        lines.append(" ".join(parts))
    return "\n".join(lines)


def code_of(body: str, folder: Path, declared: str = "x = linpoint.atomic(0)") -> str:
    return listing(compile_model(model(body, folder, declared)), "run")


def model(body: str, folder: Path, declared: str = "x = linpoint.atomic(0)") -> type[linpoint.Model]:
    source = "import linpoint\nclass Example(linpoint.Model):\n"
    source += textwrap.indent(f"{declared}\n@linpoint.operation(p=[0, 1], q=[0, 1])\ndef run(self, p, q):\n", "    ")
    return load(source + textwrap.indent(textwrap.dedent(body), " " * 8), folder).Example


def test_the_code_of_the_treiber_stack() -> None:
    program = compile_model(Treiber)
    assert listing(program, "push") == textwrap.dedent("""\
        move a=1 b=0
        constant a=2 None
        allocate a=3 b=1 c=0
        load a=4 top
        store a=4 next[3]
        cas a=1 b=4 c=3 top
        jump_unless a=1 -> 3
        constant a=1 None
        return a=1 c=1""")
    assert listing(program, "pop") == textwrap.dedent("""\
        load a=0 top
        constant a=2 None
        equal a=1 b=0 c=2
        jump_unless a=1 -> 6
        constant a=1 None
        return a=1 c=1
        load a=1 next[0]
        cas a=2 b=0 c=1 top
        jump_unless a=2 -> 0
        load a=1 value[0]
        return a=1 c=1""")
    push, pop = program.operations
    assert push.registers == ("v", "", "", "node", "top")
    assert pop.registers == ("top", "", "")
    validate(program)


def test_instructions_have_their_source_places() -> None:
    program = compile_model(Treiber)
    source = Path(__file__).with_name("test_words.py").read_text(encoding="utf-8").split("\n")
    cas = [each for each in program.code if each.code is OpCode.CAS]
    assert [source[each.line - 1][each.column :] for each in cas] == [
        "self.top.cas(top, node):",
        "self.top.cas(top, top.next):",
    ]
    load_next = next(each for each in program.code if each.line == cas[1].line and each.code is OpCode.LOAD)
    assert source[load_next.line - 1][load_next.column :].startswith("top.next")
    assert list(program.source) == source[: len(program.source)]


def test_a_load_writes_to_its_target_register(tmp_path: Path) -> None:
    assert code_of("y = self.x.load()\nreturn y", tmp_path) == "load a=2 x\nreturn a=2 c=1"


def test_constant_expressions_are_not_computed(tmp_path: Path) -> None:
    body = "if self.on and 2 * 3 == 6:\n    self.x.store(p)\nelse:\n    self.x.store(q)\nreturn p"
    declared = "on = True\nx = linpoint.atomic(0)"
    assert code_of(body, tmp_path, declared) == "store a=0 x\nreturn a=0 c=1"


def test_a_comparison_is_followed_directly_by_its_jump(tmp_path: Path) -> None:
    returns = "return a=0 c=1\nreturn a=1 c=1"
    assert (
        code_of("if p < q:\n    return p\nreturn q", tmp_path) == f"less a=2 b=0 c=1\njump_unless a=2 -> 3\n{returns}"
    )
    opposite = code_of("if not q <= p:\n    return p\nreturn q", tmp_path)
    assert opposite == f"at_most a=2 b=1 c=0\njump_if a=2 -> 3\n{returns}"


def test_arguments_of_methods_are_not_copied(tmp_path: Path) -> None:
    declared = "x = linpoint.atomic(0)\ndef put(self, a, cell):\n    cell.store(a)\n    return a"
    assert code_of("return self.put(q, self.x)", tmp_path, declared) == "store a=1 x\nreturn a=1 c=1"


def test_a_method_as_a_condition_jumps_directly(tmp_path: Path) -> None:
    declared = "x = linpoint.atomic(0)\ndef small(self, a):\n    if a < 0:\n        return True\n    return a == 1"
    body = "if self.small(p):\n    return p\nreturn q"
    assert code_of(body, tmp_path, declared) == textwrap.dedent("""\
        constant a=3 0
        less a=2 b=0 c=3
        jump_unless a=2 -> 4
        return a=0 c=1
        constant a=3 1
        equal a=2 b=0 c=3
        jump_unless a=2 -> 8
        return a=0 c=1
        return a=1 c=1""")


def test_tuples_are_loaded_directly_into_variables(tmp_path: Path) -> None:
    declared = "x = linpoint.atomic((None, False))"
    assert code_of("a, b = self.x.load()\nreturn b", tmp_path, declared) == "load a=2 x\nreturn a=3 c=1"


def test_a_loop_counts_in_its_own_variable(tmp_path: Path) -> None:
    assert code_of("for i in range(3):\n    self.x.store(i)\nreturn p", tmp_path) == textwrap.dedent("""\
        constant a=2 0
        store a=2 x
        constant a=3 1
        add a=2 b=2 c=3
        constant a=4 3
        less a=3 b=2 c=4
        jump_if a=3 -> 1
        return a=0 c=1""")


def test_registers_have_the_names_of_variables(tmp_path: Path) -> None:
    declared = "r = linpoint.record(c=0, v=0)\npair = linpoint.atomic((0, 1))"
    body = "x = self.r.load()\nt = self.pair.load()\na, b = self.pair.load()\nreturn x.c + t[0] + a + b + p + q"
    names = compile_model(model(body, tmp_path, declared)).operations[0].registers
    assert [name for name in names if name] == ["p", "q", "x.c", "x.v", "t[0]", "t[1]", "a", "b"]


def test_repeated_calls_reuse_registers(tmp_path: Path) -> None:
    declared = (
        "x = linpoint.atomic(0)\ndef add(self):\n    old = self.x.load()\n    new = old + 1\n    self.x.store(new)"
    )
    once = compile_model(model("self.add()", tmp_path, declared)).operations[0].registers
    often = compile_model(model("self.add()\n" * 9, tmp_path, declared)).operations[0].registers
    assert once == often
    assert sorted(filter(None, once)) == ["new", "old", "p", "q"]


def test_a_register_has_several_names_only_if_registers_run_out(tmp_path: Path) -> None:
    methods = [
        f"def add{n}(self):\n    a{n} = self.x.load()\n    b{n} = a{n} + 1\n    self.x.store(b{n})" for n in range(40)
    ]
    declared = "\n".join(["x = linpoint.atomic(0)", *methods])
    body = "\n".join(f"self.add{n}()" for n in range(40)) + "\nreturn self.x.load()"
    program = compile_model(model(body, tmp_path, declared))
    validate(program)
    assert len(program.operations[0].registers) < 10
    assert Machine(program).call("run", 0, 0) == 40


def test_locations_are_shared_and_all_used(tmp_path: Path) -> None:
    declared = "off = False\nx = linpoint.atomic(0)\ny = linpoint.atomic(0)"
    body = "self.x.store(p)\nself.x.store(q)\nif self.off:\n    self.y.store(1)\nreturn self.x.load()"
    assert len(compile_model(model(body, tmp_path, declared)).locations) == 1


def test_a_linearization_point_is_an_instruction(tmp_path: Path) -> None:
    body = "if self.x.cas(p, q):\n    linpoint.point()\nreturn p"
    assert code_of(body, tmp_path) == "cas a=2 b=0 c=1 x\njump_unless a=2 -> 3\npoint\nreturn a=0 c=1"


@pytest.mark.parametrize("body", ["while True:\n    pass", "while True:\n    self.x.load()", "while p:\n    continue"])
def test_endless_loops_compile(body: str, tmp_path: Path) -> None:
    validate(compile_model(model(body, tmp_path)))


def test_setup_has_its_own_code(tmp_path: Path) -> None:
    declared = "x = linpoint.atomic(0)\ndef setup(self):\n    self.x.store(3)"
    program = compile_model(model("return self.x.load()", tmp_path, declared))
    assert listing(program, "setup") == "constant a=0 3\nstore a=0 x\nconstant a=0 None\nreturn a=0 c=1"
    assert Machine(program).call("run", 0, 0) == 3


def test_a_model_without_operations_is_rejected() -> None:
    with pytest.raises(linpoint.ModelError, match="LP-M012"):
        compile_model(Shelf)
