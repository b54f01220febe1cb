# SPDX-License-Identifier: Apache-2.0
"""Comparisons and conditions. In an ``if`` or a ``while`` they jump at once, and no bool is made that nobody asks for.

A condition that is known is no condition: it jumps always or never, and the branch that is left out is dead code.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from typing import Final

from linpoint.refine.frontend.code_writer import Label, Slot, Variable
from linpoint.refine.frontend.shared_accesses import Accesses
from linpoint.refine.frontend.symbolic_values import (
    PLAIN,
    Known,
    Literal,
    Operand,
    Shape,
    Thing,
    Value,
    in_registers,
    literal,
)
from linpoint.refine.program_ir import Constant, OpCode
from linpoint.refine.python_cells import same

_ORDER: Final[dict[type[ast.cmpop], tuple[OpCode, bool]]] = {
    ast.Lt: (OpCode.LESS, False),
    ast.LtE: (OpCode.AT_MOST, False),
    ast.Gt: (OpCode.LESS, True),
    ast.GtE: (OpCode.AT_MOST, True),
}
"""The code, and whether its operands are exchanged."""
_OPPOSITE: Final[dict[type[ast.cmpop], ast.cmpop]] = {
    ast.Eq: ast.NotEq(),
    ast.NotEq: ast.Eq(),
    ast.Is: ast.IsNot(),
    ast.IsNot: ast.Is(),
    ast.In: ast.NotIn(),
    ast.NotIn: ast.In(),
}


class Conditions(Accesses):
    """Writes conditions."""

    def jump_on_call(self, node: ast.Call, label: Label, when: bool) -> bool:
        """Jump on what a call gives, if it can be done without making a value of it; whether it was."""
        raise NotImplementedError

    def constants(self, thing: Thing, node: ast.AST, what: str) -> list[Constant]:
        """Plain constants in a row, of a tuple or a range."""
        raise NotImplementedError

    # As values

    def negation(self, node: ast.UnaryOp, slot: Slot | None) -> Value:
        """``not x``."""
        inner = node.operand
        if isinstance(inner, ast.Compare) and len(inner.ops) == 1 and (op := _OPPOSITE.get(type(inner.ops[0]))):
            return self.comparison(ast.copy_location(ast.Compare(inner.left, [op], inner.comparators), node), slot)
        if isinstance(inner, ast.BoolOp | ast.Compare):
            return self.truth(node, slot, lambda label: self.jump(inner, label, True))
        operand = self.operand(inner)
        if isinstance(operand, Literal):
            return literal(not operand.value)
        base = self.base(slot, PLAIN, node)
        self.emit(OpCode.NOT, node, a=base, b=operand)
        return in_registers(PLAIN, base)

    def comparison(self, node: ast.Compare, slot: Slot | None) -> Value:
        """``a < b``, also ``a < b < c`` and ``a in (1, 2)``."""
        op = node.ops[0]
        if len(node.ops) > 1:
            return self.truth(node, slot, lambda label: self._jump_if_compared(node, label, False))
        left, right = self._compared(node.left), self._compared(node.comparators[0])
        if isinstance(op, ast.In | ast.NotIn):
            return self.truth(
                node, slot, lambda label: self._test(op, left, right, node.comparators[0], node, label, False)
            )
        first, second = self.value_of(left, node.left), self.value_of(right, node.comparators[0])
        if type(op) in _ORDER:
            return self._order(op, first, second, node, slot)
        pairs = self._pairs(op, first, second, node)
        is_equality = isinstance(op, ast.Eq | ast.Is)
        if len(pairs) > 1:
            return self.truth(node, slot, lambda label: self._test_equal(pairs, node, label, not is_equality))
        return self._equality(*pairs[0], node, slot, OpCode.EQUAL if is_equality else OpCode.DIFFERENT)

    def truth(self, node: ast.AST, slot: Slot | None, jump_if_false: Callable[[Label], None]) -> Value:
        """True or False, from a condition that jumps."""
        false, end = Label(), Label()
        jump_if_false(false)
        if false.assigned is None:
            return literal(True)
        if self.is_dead:
            self.place(false)
            return literal(False)
        base = self.base(slot, PLAIN, node)
        self.constant(base, True, node)
        self.goto(end, node)
        self.place(false)
        self.constant(base, False, node)
        self.place(end)
        return in_registers(PLAIN, base)

    def either(self, node: ast.BoolOp, slot: Slot | None) -> Value:
        """``a and b``, ``a or b``: the value that decides."""
        if slot is None or self.reads(node.values, slot):
            slot = self.temporary_slot("this")
        stops = isinstance(node.op, ast.Or)
        end = Label()
        for n, each in enumerate(node.values):
            value = self.value(each, slot)
            part = self.plain(value, each)
            is_last = n == len(node.values) - 1
            if isinstance(part, Literal) and bool(part.value) != stops and not is_last:
                continue
            if end.assigned is None and (is_last or isinstance(part, Literal)):
                return value
            base = slot.base(self, PLAIN, each)
            self.move(base, value.parts, each)
            if is_last or isinstance(part, Literal):
                break
            self.branch(base, end, stops, each)
        self.place(end)
        return in_registers(PLAIN, slot.base(self, PLAIN, node))

    def conditional(self, node: ast.IfExp, slot: Slot | None) -> Thing:
        """``a if condition else b``."""
        other, end = Label(), Label()
        self.jump(node.test, other, False)
        if other.assigned is None:
            return self.evaluate(node.body, slot)
        if self.is_dead:
            self.place(other)
            return self.evaluate(node.orelse, slot)
        if slot is None:
            slot = self.temporary_slot("this")
        shape = self._put(node.body, slot)
        self.goto(end, node)
        self.place(other)
        self._put(node.orelse, slot)
        self.place(end)
        return in_registers(shape, slot.base(self, shape, node))

    def _put(self, node: ast.expr, slot: Slot) -> Shape:
        value = self.value(node, slot)
        self.move(slot.base(self, value.shape, node), value.parts, node)
        return value.shape

    def reads(self, nodes: Iterable[ast.AST], slot: Slot) -> bool:
        """Whether expressions name a variable that has registers of ``slot``."""
        taken = slot.taken()
        for node in nodes:
            for each in ast.walk(node):
                found = self.scope.names.get(each.id) if isinstance(each, ast.Name) else None
                if isinstance(found, Variable) and found.shape is not None:
                    found = in_registers(found.shape, found.base)
                if isinstance(found, Value) and found.registers & taken:
                    return True
        return False

    # As jumps

    def jump(self, node: ast.expr, label: Label, when: bool) -> None:
        """Jump to ``label`` if the truth of ``node`` is ``when``; else go on."""
        match node:
            case ast.UnaryOp(op=ast.Not()):
                self.jump(node.operand, label, not when)
            case ast.BoolOp():
                # `a or b` jumps when true as soon as one is; when false only past both, and the other way round for `and`.
                at_once = isinstance(node.op, ast.Or)
                if at_once == when:
                    for each in node.values:
                        self.jump(each, label, when)
                else:
                    past = Label()
                    for each in node.values[:-1]:
                        self.jump(each, past, at_once)
                    self.jump(node.values[-1], label, when)
                    self.place(past)
            case ast.Compare():
                self._jump_if_compared(node, label, when)
            case ast.Call() if self.jump_on_call(node, label, when):
                pass
            case _:
                with self.temporaries():
                    self.branch_on(self.value(node), label, when, node)

    def branch_on(self, value: Value, label: Label, when: bool, node: ast.AST) -> None:
        """Jump if the truth of a plain value is ``when``."""
        if not value.shape.is_plain:
            raise self.refused("LP-M005", node, f"{value.shape} is always true.", "Compare it, or take a part of it.")
        (part,) = value.parts
        if isinstance(part, int):
            self.branch(part, label, when, node)
        elif bool(part.value) == when:
            self.goto(label, node)

    def _jump_if_compared(self, node: ast.Compare, label: Label, when: bool) -> None:
        past = Label()
        with self.temporaries():
            left = self._compared(node.left)
            for n, (op, right_node) in enumerate(zip(node.ops, node.comparators, strict=True)):
                right = self._compared(right_node)
                if n < len(node.ops) - 1:
                    self._test(op, left, right, right_node, node, past if when else label, False)
                else:
                    self._test(op, left, right, right_node, node, label, when)
                left = right
                if self.is_dead:
                    break
        self.place(past)

    def _compared(self, node: ast.expr) -> Thing:
        thing = self.evaluate(node)
        return thing if isinstance(thing, Known) else self.value_of(thing, node)

    def _test(
        self, op: ast.cmpop, left: Thing, right: Thing, right_node: ast.expr, node: ast.AST, label: Label, when: bool
    ) -> None:
        """Jump if one comparison has the outcome ``when``."""
        if isinstance(op, ast.In | ast.NotIn):
            operand = self.plain(self.value_of(left, node), node)
            wanted = when == isinstance(op, ast.In)
            past = Label()
            for each in self.constants(right, right_node, "what follows `in`"):
                self._test_equal([(operand, Literal(each))], node, label if wanted else past, True)
            if not wanted:
                self.goto(label, node)
            self.place(past)
            return
        first, second = self.value_of(left, node), self.value_of(right, right_node)
        if type(op) in _ORDER:
            outcome = self._order(op, first, second, node)
            self.branch_on(outcome, label, when, node)
            return
        pairs = self._pairs(op, first, second, node)
        self._test_equal(pairs, node, label, when == isinstance(op, ast.Eq | ast.Is))

    def _pairs(self, op: ast.cmpop, left: Value, right: Value, node: ast.AST) -> list[tuple[Operand, Operand]]:
        if left.shape != right.shape:
            raise self.refused(
                "LP-M005", node, f"{left.shape} is compared with {right.shape}.", "Compare a part of it."
            )
        if isinstance(op, ast.Is | ast.IsNot):
            for value in (left, right):
                if not value.shape.is_plain:
                    raise self.refused("LP-M005", node, f"`is` compares plain values, not {value.shape}.", "Write ==.")
                (part,) = value.parts
                if isinstance(part, Literal) and type(part.value) is int:
                    raise self.refused("LP-M002", node, "`is` compares an integer.", "Write ==.")
        return list(zip(left.parts, right.parts, strict=True))

    def _test_equal(self, pairs: list[tuple[Operand, Operand]], node: ast.AST, label: Label, when: bool) -> None:
        """Jump if whether all pairs are equal is ``when``."""
        past = Label()
        for n, (left, right) in enumerate(pairs):
            last = n == len(pairs) - 1
            target, wanted = (label, when) if last or not when else (past, False)
            with self.temporaries():
                self.branch_on(self._equality(left, right, node), target, wanted, node)
        self.place(past)

    def _equality(
        self, left: Operand, right: Operand, node: ast.AST, slot: Slot | None = None, code: OpCode = OpCode.EQUAL
    ) -> Value:
        if isinstance(left, Literal) and isinstance(right, Literal):
            return literal(same(left.value, right.value) == (code is OpCode.EQUAL))
        base = self.base(slot, PLAIN, node)
        self.emit(code, node, a=base, b=self.register(left, node), c=self.register(right, node))
        return in_registers(PLAIN, base)

    def _order(self, op: ast.cmpop, first: Value, second: Value, node: ast.AST, slot: Slot | None = None) -> Value:
        code, exchanged = _ORDER[type(op)]
        left, right = self.plain(first, node), self.plain(second, node)
        if exchanged:
            left, right = right, left
        return self.ordered(code, left, right, node, slot)

    def ordered(self, code: OpCode, left: Operand, right: Operand, node: ast.AST, slot: Slot | None = None) -> Value:
        """Whether one integer is less than another, or at most."""
        for part in (left, right):
            if isinstance(part, Literal) and (isinstance(part.value, bool) or not isinstance(part.value, int)):
                raise self.refused("LP-M014", node, f"{part.value!r} is no integer.", "Only integers have an order.")
        if isinstance(left, Literal) and isinstance(right, Literal):
            assert isinstance(left.value, int) and isinstance(right.value, int)  # noqa: PT018 - narrows both
            return literal(left.value < right.value if code is OpCode.LESS else left.value <= right.value)
        base = self.base(slot, PLAIN, node)
        self.emit(code, node, a=base, b=self.register(left, node), c=self.register(right, node))
        return in_registers(PLAIN, base)
