# SPDX-License-Identifier: Apache-2.0
"""Expressions: names, constants, arithmetic and tuples.

Every access happens where Python would make it: left to right, and operands before the operation. Unneeded parts of
``and``, ``or``, ``a if b else c`` and chained comparisons are not evaluated. No expression sets a local variable, so
the register of a variable serves as its value in the enclosing expression.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from typing import Final

from linpoint.refine.frontend.attribute_compiler import element_of
from linpoint.refine.frontend.code_writer import RegisterSlot, StorageSlot, Variable
from linpoint.refine.frontend.condition_compiler import compile_negation, may_read
from linpoint.refine.frontend.method_compiler import MethodCompiler
from linpoint.refine.frontend.method_scope import symbolic_value_of
from linpoint.refine.frontend.shared_accesses import compile_operand, compile_value, require_shape, value_of
from linpoint.refine.frontend.unsupported_syntax import of_expression
from linpoint.refine.program_ir import OpCode
from linpoint.refine.symbolic_values import (
    PLAIN,
    CompiledValue,
    Literal,
    Operand,
    SymbolicArray,
    SymbolicConstant,
    SymbolicMethod,
    SymbolicNodeClass,
    SymbolicValue,
    ValueShape,
    in_registers,
    length_of,
    literal,
    plain_constant,
)
from linpoint.scenarios.tested_operation import nearest

_ARITHMETIC: Final[dict[type[ast.operator], tuple[OpCode, Callable[[int, int], int]]]] = {
    ast.Add: (OpCode.ADD, int.__add__),
    ast.Sub: (OpCode.SUBTRACT, int.__sub__),
    ast.Mult: (OpCode.MULTIPLY, int.__mul__),
    ast.FloorDiv: (OpCode.DIVIDE, int.__floordiv__),
    ast.Mod: (OpCode.MODULO, int.__mod__),
}


def compile_name(compiler: MethodCompiler, node: ast.Name, _: StorageSlot | None = None) -> SymbolicValue:
    """The meaning of a name."""
    scope = compiler.scope
    found = scope.names.get(node.id)
    if isinstance(found, Variable):
        if compiler.assigned is None or found in compiler.assigned:
            assert found.shape is not None
            return in_registers(found.shape, found.base)
    elif found is not None:
        return found
    if scope.is_local(node.id):
        raise compiler.refused(
            "LP-M006", node, f'"{node.id}" may have no value here.', f"Set it on every path: {node.id} = None."
        )
    outer = scope.outer(node.id)
    if outer is None:
        known = [*scope.function.__code__.co_varnames, *scope.function.__globals__]
        remedy = f"{nearest(node.id, known)}Use variables, parameters, constants and modelling primitives of linpoint."
        if (own := compiler.declarations.attribute(node.id)) is not None:
            remedy = f"Write self.{node.id}{'(...)' if isinstance(own, SymbolicMethod | SymbolicNodeClass) else ''}."
        raise compiler.refused("LP-M003", node, f'unknown name "{node.id}".', remedy)
    thing = symbolic_value_of(outer[0])
    if thing is None:
        raise compiler.refused(
            "LP-M003",
            node,
            f'a model cannot use "{node.id}".',
            "Use integers, bools, texts, None, tuples or ranges of them, or enumerations.",
        )
    return thing


def compile_constant(compiler: MethodCompiler, node: ast.Constant, _: StorageSlot | None = None) -> SymbolicValue:
    """A constant."""
    plain = plain_constant(node.value)
    if plain is None:
        raise compiler.refused("LP-M002", node, *of_expression(node))
    return literal(plain[0])


def compile_subscript(compiler: MethodCompiler, node: ast.Subscript, _: StorageSlot | None = None) -> SymbolicValue:
    """An element of an array, or a part of a tuple."""
    inner = compiler.evaluate(node.value)
    if isinstance(node.slice, ast.Slice):
        raise compiler.refused("LP-M002", node, "models do not support slices.", "Name the elements one by one.")
    if isinstance(inner, SymbolicArray):
        return element_of(compiler, inner, node.slice, node)
    if not isinstance(inner, SymbolicConstant):
        inner = value_of(compiler, inner, node.value)
    index = compile_operand(compiler, node.slice)
    size = (
        length_of(inner.value) if isinstance(inner, SymbolicConstant) and isinstance(inner.value, tuple | range) else 0
    )
    if isinstance(inner, CompiledValue) and inner.shape.is_tuple:
        size = inner.shape.width
    if not size:
        what = inner.shape if isinstance(inner, CompiledValue) else "this"
        remedy = (
            f"Write .{inner.shape.names[0]}."
            if isinstance(inner, CompiledValue) and inner.shape.names
            else "Use an array."
        )
        raise compiler.refused("LP-M005", node, f"{what} cannot be indexed.", remedy)
    if not isinstance(index, Literal):
        remedy = "Use linpoint.array(...), or compare the index."
        raise compiler.refused("LP-M005", node.slice, "the index of a tuple must be a constant.", remedy)
    at = index.value
    if isinstance(at, bool) or not isinstance(at, int) or not -size <= at < size:
        raise compiler.refused(
            "LP-M014", node.slice, f"{at!r} is out of range for a tuple of {size}.", f"Use 0 to {size - 1}."
        )
    if isinstance(inner, CompiledValue):
        return CompiledValue(PLAIN, (inner.parts[at],))
    found = symbolic_value_of(inner.value[at])
    assert found is not None
    return found


def compile_tuple(compiler: MethodCompiler, node: ast.Tuple, slot: StorageSlot | None) -> SymbolicValue:
    """A tuple of values or constants."""
    if len(node.elts) > 1 and slot is not None and slot.takes_rows and not may_read(compiler, node.elts, slot):
        shape = ValueShape(len(node.elts), is_tuple=True)
        base = slot.base(compiler, shape, node)
        compile_parts(compiler, enumerate(node.elts), base, "a part of a tuple")
        return in_registers(shape, base)
    parts: list[Operand] = []
    for each in node.elts:
        if isinstance(each, ast.Starred):
            raise compiler.refused("LP-M002", each, *of_expression(each))
        parts.append(compile_operand(compiler, each))
    known = tuple(part.value for part in parts if isinstance(part, Literal))
    if len(parts) < 2:
        if len(known) == len(parts):
            return SymbolicConstant(known)
        raise compiler.refused("LP-M005", node, "a tuple must have at least two values.", "Use the value itself.")
    return CompiledValue(ValueShape(len(parts), is_tuple=True), tuple(parts))


def compile_binary(compiler: MethodCompiler, node: ast.BinOp, slot: StorageSlot | None) -> CompiledValue:
    """``a + b`` and other binary operations."""
    left, right = compile_operand(compiler, node.left), compile_operand(compiler, node.right)
    return compile_arithmetic(compiler, node.op, left, right, node, slot)


def compile_unary(compiler: MethodCompiler, node: ast.UnaryOp, slot: StorageSlot | None) -> CompiledValue:
    """``not a``, ``-a`` and ``+a``."""
    if isinstance(node.op, ast.Not):
        return compile_negation(compiler, node, slot)
    if isinstance(node.op, ast.Invert):
        raise compiler.refused("LP-M002", node, *of_expression(node.op))
    op = ast.Sub() if isinstance(node.op, ast.USub) else ast.Add()
    return compile_arithmetic(compiler, op, Literal(0), compile_operand(compiler, node.operand), node, slot)


def compile_parts(compiler: MethodCompiler, nodes: Iterable[tuple[int, ast.expr]], base: int, what: str) -> None:
    """Evaluate plain expressions in order, each into its own register, starting at ``base``."""
    for n, node in nodes:
        if isinstance(node, ast.Starred):
            raise compiler.refused("LP-M002", node, *of_expression(node))
        operand = compile_operand(compiler, node, RegisterSlot(base + n, what))
        compiler.move(base + n, [operand], node)


def compile_row(compiler: MethodCompiler, node: ast.expr, shape: ValueShape, what: str) -> int:
    """An expression of a given shape, in consecutive registers."""
    if isinstance(node, ast.Tuple) and shape.is_tuple and len(node.elts) == shape.width:
        base = compiler.temporary(shape.width)
        compile_parts(compiler, enumerate(node.elts), base, "a part of a tuple")
        return base
    return compiler.row(require_shape(compiler, compile_value(compiler, node), shape, node, what), node)


def compile_arithmetic(
    compiler: MethodCompiler,
    op: ast.operator,
    left: Operand,
    right: Operand,
    node: ast.AST,
    slot: StorageSlot | None = None,
) -> CompiledValue:
    """The result of an operation on integers."""
    known = _ARITHMETIC.get(type(op))
    if known is None:
        raise compiler.refused("LP-M002", node, *of_expression(op))
    code, fold = known
    for part in (left, right):
        if isinstance(part, Literal) and (isinstance(part.value, bool) or not isinstance(part.value, int)):
            raise compiler.refused("LP-M014", node, f"{part.value!r} is not an integer.", "Use integers only.")
    if isinstance(left, Literal) and isinstance(right, Literal):
        assert isinstance(left.value, int) and isinstance(right.value, int)  # noqa: PT018 - narrows both
        if code in {OpCode.DIVIDE, OpCode.MODULO} and right.value == 0:
            raise compiler.refused("LP-M014", node, "this divides by zero.", "Use another divisor.")
        return literal(fold(left.value, right.value))
    base = compiler.base(slot, PLAIN, node)
    compiler.emit(code, node, a=base, b=compiler.register(left, node), c=compiler.register(right, node))
    return in_registers(PLAIN, base)
