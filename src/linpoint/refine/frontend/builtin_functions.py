# SPDX-License-Identifier: Apache-2.0
"""The few functions of Python that models have: ``len``, ``range``, ``min``, ``max``, ``abs`` and ``isinstance``."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable
from typing import Any, Final

from linpoint.refine.frontend.code_writer import Label, RegisterSlot, Slot
from linpoint.refine.frontend.expression_compiler import Expressions
from linpoint.refine.frontend.symbolic_values import (
    PLAIN,
    ArrayThing,
    Known,
    Literal,
    NodeClassThing,
    Operand,
    Thing,
    Value,
    in_registers,
    length_of,
    literal,
)
from linpoint.refine.program_ir import OpCode


class Functions(Expressions):
    """Writes calls of functions of Python."""

    def arguments(self, node: ast.Call, shown: str, least: int, most: float = -1) -> list[ast.expr]:
        """The arguments of a call that takes them by position alone."""
        most = max(least, most)
        for each in node.args:
            if isinstance(each, ast.Starred):
                raise self.refused("LP-M002", each, "models have no *.", "Write the arguments out.")
        if node.keywords:
            raise self.refused(
                "LP-M008", node.keywords[0], f"{shown} takes no keywords.", "Give the arguments in their order."
            )
        if not least <= len(node.args) <= most:
            wanted = f"{least}" if least == most else f"{least} to {most}" if most < math.inf else f"at least {least}"
            s = "" if wanted == "1" else "s"
            raise self.refused(
                "LP-M008", node, f"{shown} takes {wanted} argument{s}, not {len(node.args)}.", "Write as many."
            )
        return node.args

    def length(self, node: ast.Call, _: Slot | None) -> Value:
        """``len(...)`` of arrays and tuples."""
        (of,) = self.arguments(node, "len()", 1)
        thing = self.evaluate(of)
        if isinstance(thing, ArrayThing):
            return literal(self.declarations.cells[thing.cell].size)
        if isinstance(thing, Known) and isinstance(thing.value, tuple | range):
            return literal(length_of(thing.value))
        if isinstance(thing, Value) and thing.shape.is_tuple:
            return literal(thing.shape.width)
        raise self.refused("LP-M008", node, "len() is of arrays and tuples.", "Keep a count in a cell.")

    def range_of(self, node: ast.Call, _: Slot | None) -> Thing:
        """``range(...)`` of constants."""
        operands = [self.operand(each) for each in self.arguments(node, "range()", 1, 3)]
        known = [part.value for part in operands if isinstance(part, Literal) and type(part.value) is int]
        if len(known) < len(operands):
            raise self.refused("LP-M002", node, "this range is no constant.", "Use constants, or a for loop over it.")
        if len(known) == 3 and known[2] == 0:
            raise self.refused("LP-M014", node, "the step of a range is 0.", "Give another step.")
        return Known(range(*known))

    def least(self, node: ast.Call, slot: Slot | None) -> Value:
        """``min(...)``."""
        return self._extreme(node, slot, "min()", least=True)

    def greatest(self, node: ast.Call, slot: Slot | None) -> Value:
        """``max(...)``."""
        return self._extreme(node, slot, "max()", least=False)

    def _extreme(self, node: ast.Call, slot: Slot | None, shown: str, *, least: bool) -> Value:
        operands = [self.operand(each) for each in self.arguments(node, shown, 2, math.inf)]
        known = [part.value for part in operands if isinstance(part, Literal) and type(part.value) is int]
        if len(known) == len(operands):
            return literal(min(known) if least else max(known))
        kept = self.temporary_slot("this")
        base = kept.base(self, PLAIN, node)
        self.move(base, operands[:1], node)
        for other in operands[1:]:
            self.keep_unless(base, other, node, least=least)
        if slot is None:
            return in_registers(PLAIN, base)
        self.move(slot.base(self, PLAIN, node), [base], node)
        return in_registers(PLAIN, slot.base(self, PLAIN, node))

    def keep_unless(self, base: int, other: Operand, node: ast.AST, *, least: bool) -> None:
        """Set a register to another integer if that is less, or greater."""
        past = Label()
        one, two = (other, base) if least else (base, other)
        with self.temporaries():
            self.branch_on(self.ordered(OpCode.LESS, one, two, node), past, False, node)
        self.move(base, [other], node)
        self.place(past)

    def absolute(self, node: ast.Call, _: Slot | None) -> Value:
        """``abs(...)``."""
        (operand,) = (self.operand(each) for each in self.arguments(node, "abs()", 1))
        if isinstance(operand, Literal):
            return self.arithmetic(ast.Mult(), operand, Literal(-1 if (operand.value or 0) < 0 else 1), node)  # type: ignore[operator]
        result = self.temporary()
        past = Label()
        self.move(result, [operand], node)
        self.branch_on(self.ordered(OpCode.LESS, operand, Literal(0), node), past, False, node)
        self.arithmetic(ast.Sub(), Literal(0), operand, node, RegisterSlot(result, "abs()"))
        self.place(past)
        return in_registers(PLAIN, result)

    def is_instance(self, node: ast.Call, slot: Slot | None) -> Value:
        """``isinstance(x, self.Node)``, also with several classes."""
        of, kind = self.arguments(node, "isinstance()", 2)
        operand = self.operand(of)
        kinds = kind.elts if isinstance(kind, ast.Tuple) else [kind]
        numbers = []
        for each in kinds:
            thing = self.evaluate(each)
            if not isinstance(thing, NodeClassThing):
                remedy = "Write isinstance(x, self.Node), and compare values by ==."
                raise self.refused("LP-M008", each, "isinstance() tells classes of nodes apart, no others.", remedy)
            numbers.append(thing.number)
        if isinstance(operand, Literal):
            return literal(False)
        if len(numbers) == 1:
            base = self.base(slot, PLAIN, node)
            self.emit(OpCode.IS_NODE, node, a=base, b=operand, c=numbers[0])
            return in_registers(PLAIN, base)
        kept = self.temporary()
        end = Label()
        for number in numbers:
            self.emit(OpCode.IS_NODE, node, a=kept, b=operand, c=number)
            if number != numbers[-1]:
                self.branch(kept, end, True, node)
        self.place(end)
        return in_registers(PLAIN, kept)


FUNCTIONS: Final[dict[Any, Callable[[Functions, ast.Call, Slot | None], Thing]]] = {
    len: Functions.length,
    range: Functions.range_of,
    min: Functions.least,
    max: Functions.greatest,
    abs: Functions.absolute,
    isinstance: Functions.is_instance,
}
