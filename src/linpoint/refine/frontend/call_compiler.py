# SPDX-License-Identifier: Apache-2.0
"""Calls of modelling functions, cell methods, classes of nodes, and the supported Python functions."""

from __future__ import annotations

import ast
from collections.abc import Callable
from types import FunctionType
from typing import Any, Final

from linpoint.refine import dsl
from linpoint.refine.frontend.builtin_functions import FUNCTIONS, positional_arguments
from linpoint.refine.frontend.code_writer import StorageSlot
from linpoint.refine.frontend.condition_compiler import may_read
from linpoint.refine.frontend.expression_compiler import compile_parts, compile_row
from linpoint.refine.frontend.method_compiler import MethodCompiler
from linpoint.refine.frontend.method_inlining import inline_value
from linpoint.refine.frontend.shared_accesses import (
    compile_operand,
    compile_value,
    constants_of,
    locations,
    require_shape,
    write_load,
)
from linpoint.refine.program_ir import OpCode, PlaceKind
from linpoint.refine.symbolic_values import (
    PLAIN,
    CompiledValue,
    PlaceReference,
    SymbolicCellMethod,
    SymbolicConstant,
    SymbolicMethod,
    SymbolicNodeClass,
    SymbolicValue,
    ValueShape,
    in_registers,
    literal,
)
from linpoint.scenarios.tested_operation import nearest

_ARGUMENTS: Final = {
    "load": 0,
    "store": 1,
    "cas": 2,
    "swap": 1,
    "fetch_add": 1,
    "ll": 0,
    "sc": 1,
    "acquire": 0,
    "release": 0,
}
_OTHERS: Final[dict[str, str]] = {
    "print": "Remove it: a counterexample shows every step.",
    "super": "Call the method by another name, or write the constant that differs into the class.",
    "list": "Declare linpoint.array(...).",
    "dict": "Declare linpoint.array(...).",
    "set": "Declare linpoint.array(...).",
    "sorted": "Compare the values one by one.",
    "sum": "Add in a for loop over a range.",
    "any": "Write `or`.",
    "all": "Write `and`.",
    "enumerate": "Write for i in range(...).",
    "zip": "Write for i in range(...).",
    "bool": "Write `not not x`, or use it as a condition.",
    "int": "Write 1 if x else 0.",
    "float": "Count in integers.",
    "str": "Return the value itself.",
    "sleep": "Use `pass`: other processes may run at any step.",
    "sched_yield": "Use `pass`: other processes may run at any step.",
    "range": "Use it after `in` or in linpoint.choose(...), with constants.",
}

_CODES: Final = {
    "cas": OpCode.CAS,
    "swap": OpCode.SWAP,
    "fetch_add": OpCode.FETCH_ADD,
    "sc": OpCode.STORE_CONDITIONAL,
}


def compile_call(compiler: MethodCompiler, node: ast.Call, slot: StorageSlot | None = None) -> SymbolicValue:
    """The result of a call."""
    called = compiler.evaluate(node.func)
    if isinstance(called, SymbolicMethod):
        return inline_value(compiler, called, node, slot)
    if isinstance(called, SymbolicCellMethod):
        return _call_cell(compiler, called, node, slot)
    if isinstance(called, SymbolicNodeClass):
        return _allocate(compiler, called, node, slot)
    if isinstance(called, SymbolicConstant) and isinstance(called.value, type | FunctionType | type(len)):
        if (word := _WORDS.get(called.value)) is not None:
            return word(compiler, node, slot)
        if (function := FUNCTIONS.get(called.value)) is not None:
            return function(compiler, node, slot)
        if isinstance(called.value, type) and hasattr(called.value, "__linpoint_fields__"):
            name = called.value.__name__
            raise compiler.refused("LP-M008", node, f"{name} must be called through self.", f"Write self.{name}(...).")
        name = getattr(called.value, "__name__", "this")
        is_declaration = called.value in (dsl.atomic, dsl.array, dsl.lock)
        remedy = "Call methods of the model and modelling primitives of linpoint."
        if is_declaration:
            remedy = "Declare it in the class."
        elif isinstance(called.value, type):
            remedy = f"If it is a class of nodes, define it inside the model, and call self.{name}(...)."
        raise compiler.refused("LP-M008", node, f"models cannot call {name}.", _OTHERS.get(name, remedy))
    raise compiler.refused(
        "LP-M008", node, "this cannot be called.", "Call methods of the model and modelling primitives of linpoint."
    )


def _call_cell(
    compiler: MethodCompiler, called: SymbolicCellMethod, node: ast.Call, slot: StorageSlot | None
) -> CompiledValue:
    reference, name = called.reference, called.name
    shape = reference.shape
    given = positional_arguments(compiler, node, f".{name}()", _ARGUMENTS[name])
    if name in {"acquire", "release"}:
        code = OpCode.ACQUIRE if name == "acquire" else OpCode.RELEASE
        for (where,) in locations(compiler, [reference], node):
            compiler.emit(code, node, where=where)
        return literal(None)
    if name in {"load", "ll"}:
        return write_load(compiler, reference, node, slot, OpCode.LOAD if name == "load" else OpCode.LOAD_LINKED)
    if name == "fetch_add" and not shape.is_plain:
        raise compiler.refused(
            "LP-M005", node, f"{reference.shown} holds {shape}, which has no .fetch_add().", "Use .cas()."
        )
    rows = [compile_row(compiler, each, shape, reference.shown) for each in given]
    if name == "store":
        for (where,) in locations(compiler, [reference], node):
            compiler.emit(OpCode.STORE, node, a=rows[0], where=where)
        return literal(None)
    result = shape if name in {"swap", "fetch_add"} else PLAIN
    code = _CODES[name]
    base = compiler.base(slot, result, node)
    last = rows[1] if name == "cas" else -1
    for (where,) in locations(compiler, [reference], node):
        compiler.emit(code, node, a=base, b=rows[0], c=last, where=where)
    return in_registers(result, base)


def cell_argument(compiler: MethodCompiler, node: ast.expr, what: str) -> PlaceReference:
    """An expression that denotes a cell."""
    thing = compiler.evaluate(node)
    if not isinstance(thing, PlaceReference) or thing.is_lock:
        raise compiler.refused(
            "LP-M004", node, f"{what} requires a cell here.", "Write the cell itself: self.x, or node.next."
        )
    return thing


def compile_dcas(compiler: MethodCompiler, node: ast.Call, slot: StorageSlot | None) -> CompiledValue:
    """``linpoint.dcas(...)``: its six values are in consecutive registers."""
    given = positional_arguments(compiler, node, "linpoint.dcas()", 6)
    cells = [cell_argument(compiler, each, "linpoint.dcas()") for each in given[:2]]
    if cells[0].where is PlaceKind.CELL and cells[0] == cells[1]:
        raise compiler.refused(
            "LP-M008", given[1], "linpoint.dcas() requires two different cells.", "Use .cas(...) for one."
        )
    widths = [cell.shape.width for cell in cells]
    rows = compiler.temporary(2 * sum(widths))
    at = rows
    for n, each in enumerate(given[2:]):
        shape = cells[n % 2].shape
        _into(compiler, each, shape, at, cells[n % 2].shown)
        at += shape.width
    base = compiler.base(slot, PLAIN, node)
    for where, other in locations(compiler, cells, node):
        compiler.emit(OpCode.DCAS, node, a=base, b=rows, where=where, other=other)
    return in_registers(PLAIN, base)


def _into(compiler: MethodCompiler, node: ast.expr, shape: ValueShape, base: int, what: str) -> None:
    """Compile an expression of a given shape into given registers."""
    if shape.is_plain:
        compile_parts(compiler, [(0, node)], base, what)
    elif isinstance(node, ast.Tuple) and len(node.elts) == shape.width and shape.is_tuple:
        compile_parts(compiler, enumerate(node.elts), base, "a part of a tuple")
    else:
        compiler.move(base, require_shape(compiler, compile_value(compiler, node), shape, node, what).parts, node)


def _allocate(
    compiler: MethodCompiler, called: SymbolicNodeClass, node: ast.Call, slot: StorageSlot | None
) -> CompiledValue:
    declared = compiler.declarations
    fields = declared.classes[called.number].fields
    offsets, width = {}, 0
    for number in fields:
        offsets[declared.fields[number].name] = width, number
        width += declared.fields[number].width
    if node.args:
        example = f"Write self.{called.name}({', '.join(f'{name}=...' for name in offsets)})."
        raise compiler.refused(
            "LP-M008", node.args[0], f"the fields of a {called.name} must be passed by name.", example
        )
    base = compiler.temporary(max(width, 1))
    given = set()
    for keyword in node.keywords:
        at, number = offsets.get(keyword.arg or "", (0, -1))
        if number < 0 or declared.fields[number].is_lock or keyword.arg in given:
            near = "" if number >= 0 else nearest(str(keyword.arg), offsets)
            remedy = f"{near}Use {', '.join(offsets)}, each once; locks cannot be passed."
            raise compiler.refused(
                "LP-M008", keyword, f"a {called.name} does not accept {keyword.arg or '**'}.", remedy
            )
        given.add(keyword.arg)
        _into(compiler, keyword.value, declared.field_shapes[number], base + at, f"{called.name}.{keyword.arg}")
    for name, (at, number) in offsets.items():
        default = declared.defaults[number]
        if name not in given:
            if default is None:
                fact = f"the field {name} of a {called.name} is a tuple without a default."
                raise compiler.refused("LP-M008", node, fact, f"Pass it: self.{called.name}({name}=(...)).")
            compiler.move(base + at, default.parts, node)
    result = compiler.base(slot, PLAIN, node)
    compiler.emit(OpCode.ALLOCATE, node, a=result, b=base, c=called.number)
    return in_registers(PLAIN, result)


def compile_record(compiler: MethodCompiler, node: ast.Call, slot: StorageSlot | None) -> CompiledValue:
    """``linpoint.record(...)`` in a method: a value."""
    names = tuple(keyword.arg for keyword in node.keywords if keyword.arg)
    if node.args or not names or len(names) < len(node.keywords):
        raise compiler.refused(
            "LP-M008", node, "the fields of a record must be named.", "Write linpoint.record(name=value)."
        )
    shape = ValueShape(len(names), names)
    if slot is None or may_read(compiler, node.keywords, slot):
        slot = compiler.temporary_slot("this")
    base = slot.base(compiler, shape, node)
    compile_parts(compiler, enumerate(keyword.value for keyword in node.keywords), base, "a field of a record")
    return in_registers(shape, base)


def compile_fence(compiler: MethodCompiler, node: ast.Call, _: StorageSlot | None) -> CompiledValue:
    """``linpoint.fence()``."""
    positional_arguments(compiler, node, "linpoint.fence()", 0)
    compiler.emit(OpCode.FENCE, node)
    return literal(None)


def compile_point(compiler: MethodCompiler, node: ast.Call, _: StorageSlot | None) -> CompiledValue:
    """``linpoint.point()``."""
    positional_arguments(compiler, node, "linpoint.point()", 0)
    compiler.emit(OpCode.POINT, node)
    return literal(None)


def compile_assume(compiler: MethodCompiler, node: ast.Call, _: StorageSlot | None) -> CompiledValue:
    """``linpoint.assume(condition)``; no code if the condition is known to be true."""
    (condition,) = positional_arguments(compiler, node, "linpoint.assume()", 1)
    operand = compile_operand(compiler, condition)
    if isinstance(operand, int) or not operand.value:
        compiler.emit(OpCode.ASSUME, node, a=compiler.register(operand, node))
    return literal(None)


def compile_choose(compiler: MethodCompiler, node: ast.Call, slot: StorageSlot | None) -> CompiledValue:
    """``linpoint.choose(domain)`` of constants."""
    (domain,) = positional_arguments(compiler, node, "linpoint.choose()", 1)
    values = tuple(
        dict.fromkeys((type(each), each) for each in constants_of(compiler, compiler.evaluate(domain), domain, "this"))
    )
    if not values:
        raise compiler.refused("LP-M008", domain, "there is nothing to choose from.", "Pass at least one value.")
    if len(values) == 1:
        return literal(values[0][1])
    base = compiler.base(slot, PLAIN, node)
    compiler.emit(OpCode.CHOOSE, node, a=base, values=tuple(each for _, each in values))
    return in_registers(PLAIN, base)


_WORDS: Final[dict[Any, Callable[[MethodCompiler, ast.Call, StorageSlot | None], SymbolicValue]]] = {
    dsl.fence: compile_fence,
    dsl.point: compile_point,
    dsl.assume: compile_assume,
    dsl.choose: compile_choose,
    dsl.dcas: compile_dcas,
    dsl.record: compile_record,
}
