# SPDX-License-Identifier: Apache-2.0
"""Expressions: names, constants, arithmetic and tuples.

Every access happens where Python would make it: left to right, operands before the operation, and nothing of ``and``,
``or``, ``a if b else c`` and chained comparisons that is not needed. No expression sets a local variable, so a variable's
own register serves as its value in whatever is evaluated around it.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from typing import Final

from linpoint.refine.frontend.code_writer import RegisterSlot, Slot, Variable
from linpoint.refine.frontend.condition_compiler import Conditions
from linpoint.refine.frontend.method_scope import thing_of
from linpoint.refine.frontend.symbolic_values import (
    PLAIN,
    ArrayThing,
    Known,
    Literal,
    Method,
    NodeClassThing,
    Operand,
    Shape,
    Thing,
    Value,
    in_registers,
    length_of,
    literal,
    plain_constant,
)
from linpoint.refine.frontend.unsupported_syntax import of_expression
from linpoint.refine.program_ir import Constant, OpCode
from linpoint.scenarios.tested_operation import nearest

_ARITHMETIC: Final[dict[type[ast.operator], tuple[OpCode, Callable[[int, int], int]]]] = {
    ast.Add: (OpCode.ADD, int.__add__),
    ast.Sub: (OpCode.SUBTRACT, int.__sub__),
    ast.Mult: (OpCode.MULTIPLY, int.__mul__),
    ast.FloorDiv: (OpCode.DIVIDE, int.__floordiv__),
    ast.Mod: (OpCode.MODULO, int.__mod__),
}


MOST_CONSTANTS: Final = 1000
"""Of those that are compared one by one, or chosen from."""


class Expressions(Conditions):
    """Writes expressions. What calls are is for those that inherit from it."""

    def call(self, node: ast.Call, slot: Slot | None = None) -> Thing:
        """What a call gives."""
        raise NotImplementedError

    def evaluate(self, node: ast.expr, slot: Slot | None = None) -> Thing:
        """What an expression is; a value may be put into ``slot``, and is where it says it is."""
        match node:
            case ast.Name():
                return self.name(node)
            case ast.Constant():
                return self._constant(node)
            case ast.Attribute():
                return self.attribute(node, slot)
            case ast.Subscript():
                return self._subscript(node)
            case ast.Call():
                return self.call(node, slot)
            case ast.BinOp():
                left, right = self.operand(node.left), self.operand(node.right)
                return self.arithmetic(node.op, left, right, node, slot)
            case ast.UnaryOp(op=ast.Not()):
                return self.negation(node, slot)
            case ast.UnaryOp(op=ast.Invert()):
                raise self.refused("LP-M002", node, *of_expression(node.op))
            case ast.UnaryOp():
                op = ast.Sub() if isinstance(node.op, ast.USub) else ast.Add()
                return self.arithmetic(op, Literal(0), self.operand(node.operand), node, slot)
            case ast.Compare():
                return self.comparison(node, slot)
            case ast.BoolOp():
                return self.either(node, slot)
            case ast.IfExp():
                return self.conditional(node, slot)
            case ast.Tuple():
                return self._tuple(node, slot)
            case _:
                raise self.refused("LP-M002", node, *of_expression(node))

    # Names and constants

    def name(self, node: ast.Name) -> Thing:
        """What a name stands for."""
        scope = self.scope
        found = scope.names.get(node.id)
        if isinstance(found, Variable):
            if self.assigned is None or found in self.assigned:
                assert found.shape is not None
                return in_registers(found.shape, found.base)
        elif found is not None:
            return found
        if scope.is_local(node.id):
            raise self.refused(
                "LP-M006", node, f'"{node.id}" may have no value here.', f"Set it on every way here: {node.id} = None."
            )
        outer = scope.outer(node.id)
        if outer is None:
            known = [*scope.function.__code__.co_varnames, *scope.function.__globals__]
            remedy = f"{nearest(node.id, known)}Use variables, parameters, constants and the modelling words."
            if (own := self.declarations.attribute(node.id)) is not None:
                remedy = f"Write self.{node.id}{'(...)' if isinstance(own, Method | NodeClassThing) else ''}."
            raise self.refused("LP-M003", node, f'there is no "{node.id}".', remedy)
        thing = thing_of(outer[0])
        if thing is None:
            raise self.refused(
                "LP-M003",
                node,
                f'"{node.id}" is nothing that a model can use.',
                "Constants are integers, bools, texts, None, tuples and ranges of them, and enumerations.",
            )
        return thing

    def _constant(self, node: ast.Constant) -> Thing:
        plain = plain_constant(node.value)
        if plain is None:
            raise self.refused("LP-M002", node, *of_expression(node))
        return literal(plain[0])

    def constants(self, thing: Thing, node: ast.AST, what: str) -> list[Constant]:
        """Plain constants in a row, of a tuple or a range."""
        found: list[tuple[Constant] | None] = [None]
        if isinstance(thing, Known) and isinstance(thing.value, tuple | range):
            if length_of(thing.value) > MOST_CONSTANTS:
                fact = f"{what} has {length_of(thing.value):,} values."
                raise self.refused("LP-M011", node, fact, f"Use at most {MOST_CONSTANTS:,}, or compare with < and >.")
            found = list(map(plain_constant, thing.value))
        elif isinstance(thing, Value) and thing.shape.is_tuple:
            found = [(part.value,) if isinstance(part, Literal) else None for part in thing.parts]
        if not all(found):
            raise self.refused(
                "LP-M002", node, f"{what} is no tuple or range of constants.", "Write it out: (1, 2, 3)."
            )
        return [each[0] for each in found if each]

    def _subscript(self, node: ast.Subscript) -> Thing:
        inner = self.evaluate(node.value)
        if isinstance(node.slice, ast.Slice):
            raise self.refused("LP-M002", node, "models have no slices.", "Name the elements one by one.")
        if isinstance(inner, ArrayThing):
            return self.element(inner, node.slice, node)
        if not isinstance(inner, Known):
            inner = self.value_of(inner, node.value)
        index = self.operand(node.slice)
        size = length_of(inner.value) if isinstance(inner, Known) and isinstance(inner.value, tuple | range) else 0
        if isinstance(inner, Value) and inner.shape.is_tuple:
            size = inner.shape.width
        if not size:
            what = inner.shape if isinstance(inner, Value) else "this"
            remedy = (
                f"Write .{inner.shape.names[0]}." if isinstance(inner, Value) and inner.shape.names else "Use an array."
            )
            raise self.refused("LP-M005", node, f"{what} has no [...].", remedy)
        if not isinstance(index, Literal):
            remedy = "Use linpoint.array(...), or compare the index."
            raise self.refused("LP-M005", node.slice, "the index of a tuple must be a constant.", remedy)
        at = index.value
        if isinstance(at, bool) or not isinstance(at, int) or not -size <= at < size:
            raise self.refused(
                "LP-M014", node.slice, f"{at!r} is no index of a tuple of {size}.", f"Use 0 to {size - 1}."
            )
        if isinstance(inner, Value):
            return Value(PLAIN, (inner.parts[at],))
        found = thing_of(inner.value[at])
        assert found is not None
        return found

    def _tuple(self, node: ast.Tuple, slot: Slot | None) -> Thing:
        if len(node.elts) > 1 and slot is not None and slot.takes_rows and not self.reads(node.elts, slot):
            shape = Shape(len(node.elts), is_tuple=True)
            base = slot.base(self, shape, node)
            self.row_of(enumerate(node.elts), base, "a part of a tuple")
            return in_registers(shape, base)
        parts: list[Operand] = []
        for each in node.elts:
            if isinstance(each, ast.Starred):
                raise self.refused("LP-M002", each, *of_expression(each))
            parts.append(self.operand(each))
        known = tuple(part.value for part in parts if isinstance(part, Literal))
        if len(parts) < 2:
            if len(known) == len(parts):
                return Known(known)
            raise self.refused("LP-M005", node, "a tuple has at least two values.", "Use the value itself.")
        return Value(Shape(len(parts), is_tuple=True), tuple(parts))

    def row_of(self, nodes: Iterable[tuple[int, ast.expr]], base: int, what: str) -> None:
        """Evaluate plain expressions in their order, each into its own of the registers from ``base`` on."""
        for n, node in nodes:
            if isinstance(node, ast.Starred):
                raise self.refused("LP-M002", node, *of_expression(node))
            operand = self.operand(node, RegisterSlot(base + n, what))
            self.move(base + n, [operand], node)

    def row_at(self, node: ast.expr, shape: Shape, what: str) -> int:
        """An expression of a given shape, in registers in a row."""
        if isinstance(node, ast.Tuple) and shape.is_tuple and len(node.elts) == shape.width:
            base = self.temporary(shape.width)
            self.row_of(enumerate(node.elts), base, "a part of a tuple")
            return base
        return self.row(self.shaped(self.value(node), shape, node, what), node)

    # Arithmetic

    def arithmetic(
        self, op: ast.operator, left: Operand, right: Operand, node: ast.AST, slot: Slot | None = None
    ) -> Value:
        """The result of an operation on integers."""
        known = _ARITHMETIC.get(type(op))
        if known is None:
            raise self.refused("LP-M002", node, *of_expression(op))
        code, fold = known
        for part in (left, right):
            if isinstance(part, Literal) and (isinstance(part.value, bool) or not isinstance(part.value, int)):
                raise self.refused(
                    "LP-M014", node, f"{part.value!r} is no integer.", "Models count with integers only."
                )
        if isinstance(left, Literal) and isinstance(right, Literal):
            assert isinstance(left.value, int) and isinstance(right.value, int)  # noqa: PT018 - narrows both
            if code in {OpCode.DIVIDE, OpCode.MODULO} and right.value == 0:
                raise self.refused("LP-M014", node, "this divides by zero.", "Divide by something else.")
            return literal(fold(left.value, right.value))
        base = self.base(slot, PLAIN, node)
        self.emit(code, node, a=base, b=self.register(left, node), c=self.register(right, node))
        return in_registers(PLAIN, base)
