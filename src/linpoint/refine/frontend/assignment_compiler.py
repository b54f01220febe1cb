# SPDX-License-Identifier: Apache-2.0
"""Assignments: to variables, which nobody else sees, and to plain fields and elements of arrays, which are stores.

Python evaluates the value first, then the targets from left to right, and so does the code.
"""

from __future__ import annotations

import ast

from linpoint.errors import ModelError
from linpoint.refine.frontend.code_writer import RowSlot, Slot, Variable, VariableSlot
from linpoint.refine.frontend.method_inlining import Inlining
from linpoint.refine.frontend.symbolic_values import PLAIN, ArrayThing, Reference, SelfThing, Shape, Value, in_registers
from linpoint.refine.frontend.unsupported_syntax import of_expression


class Assignments(Inlining):
    """Writes assignments."""

    def variable(self, node: ast.Name) -> Variable:
        """The variable that a name is, from here on at the latest."""
        found = self.scope.names.get(node.id)
        if isinstance(found, Variable):
            return found
        if isinstance(found, SelfThing) or found is not None:
            raise self.refused("LP-M002", node, f"{node.id} cannot be assigned.", "Use another name.")
        variable = Variable(node.id)
        self.scope.names[node.id] = variable
        return variable

    def assign_targets(self, targets: list[ast.expr], expression: ast.expr) -> None:
        """``a = b = value``."""
        slot: Slot | None = None
        first = targets[0]
        if isinstance(first, ast.Name):
            slot = VariableSlot(self.variable(first))
        elif isinstance(first, ast.Tuple):
            if len(targets) == 1 and isinstance(expression, ast.Tuple):
                self._assign_parts(first, expression)
                return
            if all(isinstance(each, ast.Name) for each in first.elts):
                names = tuple(self.variable(each) for each in first.elts if isinstance(each, ast.Name))
                slot = RowSlot(names, self.temporary_slot("what is assigned"))
        value = self.value(expression, slot)
        for target in targets:
            self.set_target(target, value, expression)

    def _assign_parts(self, target: ast.Tuple, expression: ast.Tuple) -> None:
        """``a, b = x, y``: what is on the right is all read before anything is set."""
        if len(target.elts) != len(expression.elts):
            raise self._cannot_unpack(target, Shape(len(expression.elts), is_tuple=True))
        values: list[Value] = []
        for at, each in zip(target.elts, expression.elts, strict=True):
            slot: Slot | None = None
            if isinstance(at, ast.Name):
                slot = VariableSlot(self.variable(at))
                again = sum(isinstance(other, ast.Name) and other.id == at.id for other in target.elts) > 1
                if again or self.reads(expression.elts, slot):
                    slot = None
            values.append(self.value(each, slot))
        self._set_parts(target, values, expression)

    def _set_parts(self, target: ast.Tuple, values: list[Value], node: ast.AST) -> None:
        set_already: set[int] = set()
        kept: list[Value] = []
        for at, value in zip(target.elts, values, strict=True):  # as of a, b = b, a
            if value.registers & set_already:
                base = self.temporary(value.shape.width)
                self.move(base, value.parts, node)
                value = in_registers(value.shape, base)  # noqa: PLW2901
            kept.append(value)
            if isinstance(at, ast.Name) and (found := VariableSlot(self.variable(at)).taken()) != value.registers:
                set_already |= found
        for at, value in zip(target.elts, kept, strict=True):
            self.set_target(at, value, node)

    def set_target(self, target: ast.expr, value: Value, node: ast.AST) -> None:
        """Set whatever stands on the left."""
        match target:
            case ast.Name():
                self.set_variable(self.variable(target), value, node)
            case ast.Tuple():
                if not value.shape.is_tuple or value.shape.width != len(target.elts):
                    raise self._cannot_unpack(target, value.shape)
                self._set_parts(target, [Value(PLAIN, (part,)) for part in value.parts], node)
            case ast.Attribute() | ast.Subscript():
                reference = self._stored(target)
                self.store(reference, self.shaped(value, reference.shape, node, reference.shown), target)
            case ast.Starred():
                raise self.refused("LP-M002", target, *of_expression(target))
            case _:
                raise self.refused(
                    "LP-M002", target, "models cannot assign to this.", "Assign to a variable or a field."
                )

    def _cannot_unpack(self, target: ast.Tuple, shape: Shape) -> ModelError:
        remedy = (
            f"Take its fields: .{shape.names[0]}." if shape.names else "Name as many variables as there are values."
        )
        return self.refused("LP-M005", target, f"{shape} does not fit into {len(target.elts)} variables.", remedy)

    def _stored(self, target: ast.Attribute | ast.Subscript, *, adds: bool = False) -> Reference:
        """The plain field or the element that an assignment stores to."""
        inner = self.evaluate(target.value)
        if isinstance(target, ast.Subscript):
            if isinstance(inner, ArrayThing):
                found = self.element(inner, target.slice, target)
                if not found.is_lock:
                    return found
            raise self.refused(
                "LP-M002", target, "models can set elements of arrays only.", "Declare linpoint.array(...)."
            )
        if isinstance(inner, SelfThing):
            shown = f"self.{target.attr}"
            known = self.declarations.attribute(target.attr)
            remedy = "What is shared is declared in the class, and all else is a local variable."
            if isinstance(known, Reference):
                word = "fetch_add" if adds else "store"
                remedy = f"Write with {shown}:." if known.is_lock else f"Write {shown}.{word}(...)."
            elif isinstance(known, ArrayThing):
                remedy = f"Set an element: {shown}[i] = ..."
            raise self.refused("LP-M004", target, f"{shown} cannot be set.", remedy)
        value = self.value_of(inner, target.value)
        if value.shape.names:
            fact = f"the field {target.attr} of a record cannot be set."
            raise self.refused("LP-M002", target, fact, "Make another record: x = linpoint.record(...).")
        reference = self.field(value, target)
        if reference.targets[0] in self.declarations.atomic_fields:
            word = "fetch_add" if adds else "store"
            remedy = f"Write with {reference.shown}:." if reference.is_lock else f"Write {reference.shown}.{word}(...)."
            raise self.refused("LP-M004", target, f"{reference.shown} is a cell.", remedy)
        return reference

    def augment(self, node: ast.AugAssign) -> None:
        """``x += 1``: of a field or an element it is a load and a store."""
        if isinstance(node.target, ast.Name):
            left = self.operand(ast.copy_location(ast.Name(node.target.id, ast.Load()), node.target))
            variable = self.variable(node.target)
            value = self.arithmetic(node.op, left, self.operand(node.value), node, VariableSlot(variable))
            self.set_variable(variable, value, node)
        elif isinstance(node.target, ast.Attribute | ast.Subscript):
            reference = self._stored(node.target, adds=True)
            left = self.plain(self.load(reference, node.target), node.target)
            self.store(reference, self.arithmetic(node.op, left, self.operand(node.value), node), node)
        else:
            raise self.refused("LP-M002", node, "models cannot assign to this.", "Assign to a variable or a field.")
