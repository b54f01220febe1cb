# SPDX-License-Identifier: Apache-2.0
"""The Python functions that models support: ``len``, ``range``, ``min``, ``max``, ``abs`` and ``isinstance``."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable
from typing import Any, Final

from linpoint.refine.frontend.code_writer import JumpLabel, RegisterSlot, StorageSlot
from linpoint.refine.frontend.condition_compiler import branch_on_value, compile_order
from linpoint.refine.frontend.expression_compiler import compile_arithmetic
from linpoint.refine.frontend.method_compiler import MethodCompiler
from linpoint.refine.frontend.shared_accesses import compile_operand
from linpoint.refine.program_ir import OpCode
from linpoint.refine.symbolic_values import (
    PLAIN,
    CompiledValue,
    Literal,
    Operand,
    SymbolicArray,
    SymbolicConstant,
    SymbolicNodeClass,
    SymbolicValue,
    in_registers,
    length_of,
    literal,
)


def positional_arguments(
    compiler: MethodCompiler, node: ast.Call, shown: str, least: int, most: float = -1
) -> list[ast.expr]:
    """The arguments of a call that takes only positional arguments."""
    most = max(least, most)
    for each in node.args:
        if isinstance(each, ast.Starred):
            raise compiler.refused("LP-M002", each, "models do not support *.", "List the arguments.")
    if node.keywords:
        raise compiler.refused(
            "LP-M008", node.keywords[0], f"{shown} takes no keywords.", "Pass the arguments by position."
        )
    if not least <= len(node.args) <= most:
        wanted = f"{least}" if least == most else f"{least} to {most}" if most < math.inf else f"at least {least}"
        s = "" if wanted == "1" else "s"
        raise compiler.refused(
            "LP-M008", node, f"{shown} takes {wanted} argument{s}, not {len(node.args)}.", f"Pass {wanted} argument{s}."
        )
    return node.args


def compile_len(compiler: MethodCompiler, node: ast.Call, _: StorageSlot | None) -> CompiledValue:
    """``len(...)`` of arrays and tuples."""
    (of,) = positional_arguments(compiler, node, "len()", 1)
    thing = compiler.evaluate(of)
    if isinstance(thing, SymbolicArray):
        return literal(compiler.declarations.cells[thing.cell].size)
    if isinstance(thing, SymbolicConstant) and isinstance(thing.value, tuple | range):
        return literal(length_of(thing.value))
    if isinstance(thing, CompiledValue) and thing.shape.is_tuple:
        return literal(thing.shape.width)
    raise compiler.refused("LP-M008", node, "len() supports only arrays and tuples.", "Keep a count in a cell.")


def compile_range(compiler: MethodCompiler, node: ast.Call, _: StorageSlot | None) -> SymbolicValue:
    """``range(...)`` of constants."""
    operands = [compile_operand(compiler, each) for each in positional_arguments(compiler, node, "range()", 1, 3)]
    known = [part.value for part in operands if isinstance(part, Literal) and type(part.value) is int]
    if len(known) < len(operands):
        raise compiler.refused("LP-M002", node, "this range is not constant.", "Use constants, or a for loop over it.")
    if len(known) == 3 and known[2] == 0:
        raise compiler.refused("LP-M014", node, "the step of a range is 0.", "Use another step.")
    return SymbolicConstant(range(*known))


def compile_min(compiler: MethodCompiler, node: ast.Call, slot: StorageSlot | None) -> CompiledValue:
    """``min(...)``."""
    return _compile_extreme(compiler, node, slot, "min()", least=True)


def compile_max(compiler: MethodCompiler, node: ast.Call, slot: StorageSlot | None) -> CompiledValue:
    """``max(...)``."""
    return _compile_extreme(compiler, node, slot, "max()", least=False)


def _compile_extreme(
    compiler: MethodCompiler, node: ast.Call, slot: StorageSlot | None, shown: str, *, least: bool
) -> CompiledValue:
    operands = [compile_operand(compiler, each) for each in positional_arguments(compiler, node, shown, 2, math.inf)]
    known = [part.value for part in operands if isinstance(part, Literal) and type(part.value) is int]
    if len(known) == len(operands):
        return literal(min(known) if least else max(known))
    kept = compiler.temporary_slot("this")
    base = kept.base(compiler, PLAIN, node)
    compiler.move(base, operands[:1], node)
    for other in operands[1:]:
        keep_extreme(compiler, base, other, node, least=least)
    if slot is None:
        return in_registers(PLAIN, base)
    compiler.move(slot.base(compiler, PLAIN, node), [base], node)
    return in_registers(PLAIN, slot.base(compiler, PLAIN, node))


def keep_extreme(compiler: MethodCompiler, base: int, other: Operand, node: ast.AST, *, least: bool) -> None:
    """Set a register to another integer if that integer is less, or greater."""
    past = JumpLabel()
    one, two = (other, base) if least else (base, other)
    with compiler.temporaries():
        branch_on_value(compiler, compile_order(compiler, OpCode.LESS, one, two, node), past, False, node)
    compiler.move(base, [other], node)
    compiler.place(past)


def compile_abs(compiler: MethodCompiler, node: ast.Call, _: StorageSlot | None) -> CompiledValue:
    """``abs(...)``."""
    (operand,) = (compile_operand(compiler, each) for each in positional_arguments(compiler, node, "abs()", 1))
    if isinstance(operand, Literal):
        return compile_arithmetic(compiler, ast.Mult(), operand, Literal(-1 if (operand.value or 0) < 0 else 1), node)  # type: ignore[operator]
    result = compiler.temporary()
    past = JumpLabel()
    compiler.move(result, [operand], node)
    branch_on_value(compiler, compile_order(compiler, OpCode.LESS, operand, Literal(0), node), past, False, node)
    compile_arithmetic(compiler, ast.Sub(), Literal(0), operand, node, RegisterSlot(result, "abs()"))
    compiler.place(past)
    return in_registers(PLAIN, result)


def compile_isinstance(compiler: MethodCompiler, node: ast.Call, slot: StorageSlot | None) -> CompiledValue:
    """``isinstance(x, self.Node)``, also with several classes."""
    of, kind = positional_arguments(compiler, node, "isinstance()", 2)
    operand = compile_operand(compiler, of)
    kinds = kind.elts if isinstance(kind, ast.Tuple) else [kind]
    numbers = []
    for each in kinds:
        thing = compiler.evaluate(each)
        if not isinstance(thing, SymbolicNodeClass):
            remedy = "Write isinstance(x, self.Node), and compare values by ==."
            raise compiler.refused("LP-M008", each, "isinstance() supports only classes of nodes.", remedy)
        numbers.append(thing.number)
    if isinstance(operand, Literal):
        return literal(False)
    if len(numbers) == 1:
        base = compiler.base(slot, PLAIN, node)
        compiler.emit(OpCode.IS_NODE, node, a=base, b=operand, c=numbers[0])
        return in_registers(PLAIN, base)
    kept = compiler.temporary()
    end = JumpLabel()
    for number in numbers:
        compiler.emit(OpCode.IS_NODE, node, a=kept, b=operand, c=number)
        if number != numbers[-1]:
            compiler.branch(kept, end, True, node)
    compiler.place(end)
    return in_registers(PLAIN, kept)


FUNCTIONS: Final[dict[Any, Callable[[MethodCompiler, ast.Call, StorageSlot | None], SymbolicValue]]] = {
    len: compile_len,
    range: compile_range,
    min: compile_min,
    max: compile_max,
    abs: compile_abs,
    isinstance: compile_isinstance,
}
