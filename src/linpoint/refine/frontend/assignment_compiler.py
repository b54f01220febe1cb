# SPDX-License-Identifier: Apache-2.0
"""Assignments: to local variables, and to plain fields and elements of arrays, which are stores.

As in Python, the code evaluates the value first, and then the targets from left to right.
"""

from __future__ import annotations

import ast

from linpoint.errors import ModelError
from linpoint.refine.frontend.attribute_compiler import element_of, field_of
from linpoint.refine.frontend.code_writer import RowSlot, StorageSlot, Variable, VariableSlot
from linpoint.refine.frontend.condition_compiler import may_read
from linpoint.refine.frontend.expression_compiler import compile_arithmetic
from linpoint.refine.frontend.method_compiler import MethodCompiler
from linpoint.refine.frontend.shared_accesses import (
    compile_operand,
    compile_value,
    plain_operand,
    require_shape,
    value_of,
    write_load,
    write_store,
)
from linpoint.refine.frontend.unsupported_syntax import of_expression
from linpoint.refine.symbolic_values import (
    PLAIN,
    CompiledValue,
    PlaceReference,
    SymbolicArray,
    SymbolicSelf,
    ValueShape,
    in_registers,
)


def variable_of(compiler: MethodCompiler, node: ast.Name) -> Variable:
    """The variable for a name; created if the name is new."""
    found = compiler.scope.names.get(node.id)
    if isinstance(found, Variable):
        return found
    if isinstance(found, SymbolicSelf) or found is not None:
        raise compiler.refused("LP-M002", node, f"{node.id} cannot be assigned.", "Use another name.")
    variable = Variable(node.id)
    compiler.scope.names[node.id] = variable
    return variable


def compile_assignment(compiler: MethodCompiler, targets: list[ast.expr], expression: ast.expr) -> None:
    """``a = b = value``."""
    slot: StorageSlot | None = None
    first = targets[0]
    if isinstance(first, ast.Name):
        slot = VariableSlot(variable_of(compiler, first))
    elif isinstance(first, ast.Tuple):
        if len(targets) == 1 and isinstance(expression, ast.Tuple):
            _assign_parts(compiler, first, expression)
            return
        if all(isinstance(each, ast.Name) for each in first.elts):
            names = tuple(variable_of(compiler, each) for each in first.elts if isinstance(each, ast.Name))
            slot = RowSlot(names, compiler.temporary_slot("the assigned value"))
    value = compile_value(compiler, expression, slot)
    for target in targets:
        assign_target(compiler, target, value, expression)


def _assign_parts(compiler: MethodCompiler, target: ast.Tuple, expression: ast.Tuple) -> None:
    """``a, b = x, y``: all expressions on the right are evaluated before any target is set."""
    if len(target.elts) != len(expression.elts):
        raise _cannot_unpack(compiler, target, ValueShape(len(expression.elts), is_tuple=True))
    values: list[CompiledValue] = []
    for at, each in zip(target.elts, expression.elts, strict=True):
        slot: StorageSlot | None = None
        if isinstance(at, ast.Name):
            slot = VariableSlot(variable_of(compiler, at))
            again = sum(isinstance(other, ast.Name) and other.id == at.id for other in target.elts) > 1
            if again or may_read(compiler, expression.elts, slot):
                slot = None
        values.append(compile_value(compiler, each, slot))
    _set_parts(compiler, target, values, expression)


def _set_parts(compiler: MethodCompiler, target: ast.Tuple, values: list[CompiledValue], node: ast.AST) -> None:
    set_already: set[int] = set()
    kept: list[CompiledValue] = []
    for at, value in zip(target.elts, values, strict=True):  # as in a, b = b, a
        if value.registers & set_already:
            base = compiler.temporary(value.shape.width)
            compiler.move(base, value.parts, node)
            value = in_registers(value.shape, base)  # noqa: PLW2901
        kept.append(value)
        if isinstance(at, ast.Name) and (found := VariableSlot(variable_of(compiler, at)).taken()) != value.registers:
            set_already |= found
    for at, value in zip(target.elts, kept, strict=True):
        assign_target(compiler, at, value, node)


def assign_target(compiler: MethodCompiler, target: ast.expr, value: CompiledValue, node: ast.AST) -> None:
    """Assign to any target on the left."""
    match target:
        case ast.Name():
            compiler.set_variable(variable_of(compiler, target), value, node)
        case ast.Tuple():
            if not value.shape.is_tuple or value.shape.width != len(target.elts):
                raise _cannot_unpack(compiler, target, value.shape)
            _set_parts(compiler, target, [CompiledValue(PLAIN, (part,)) for part in value.parts], node)
        case ast.Attribute() | ast.Subscript():
            reference = _stored(compiler, target)
            write_store(
                compiler, reference, require_shape(compiler, value, reference.shape, node, reference.shown), target
            )
        case ast.Starred():
            raise compiler.refused("LP-M002", target, *of_expression(target))
        case _:
            raise compiler.refused(
                "LP-M002", target, "models cannot assign to this.", "Assign to a variable or a field."
            )


def _cannot_unpack(compiler: MethodCompiler, target: ast.Tuple, shape: ValueShape) -> ModelError:
    remedy = f"Use its fields: .{shape.names[0]}." if shape.names else "Use one variable for each value."
    return compiler.refused("LP-M005", target, f"{shape} cannot be unpacked into {len(target.elts)} variables.", remedy)


def _stored(compiler: MethodCompiler, target: ast.Attribute | ast.Subscript, *, adds: bool = False) -> PlaceReference:
    """The plain field or element to which an assignment stores."""
    inner = compiler.evaluate(target.value)
    if isinstance(target, ast.Subscript):
        if isinstance(inner, SymbolicArray):
            found = element_of(compiler, inner, target.slice, target)
            if not found.is_lock:
                return found
        raise compiler.refused(
            "LP-M002", target, "models can set only elements of arrays.", "Declare linpoint.array(...)."
        )
    if isinstance(inner, SymbolicSelf):
        shown = f"self.{target.attr}"
        known = compiler.declarations.attribute(target.attr)
        remedy = "Declare shared state in the class, and use local variables for the rest."
        if isinstance(known, PlaceReference):
            word = "fetch_add" if adds else "store"
            remedy = f"Write with {shown}:." if known.is_lock else f"Write {shown}.{word}(...)."
        elif isinstance(known, SymbolicArray):
            remedy = f"Set an element: {shown}[i] = ..."
        raise compiler.refused("LP-M004", target, f"{shown} cannot be set.", remedy)
    value = value_of(compiler, inner, target.value)
    if value.shape.names:
        fact = f"the field {target.attr} of a record cannot be set."
        raise compiler.refused("LP-M002", target, fact, "Create another record: x = linpoint.record(...).")
    reference = field_of(compiler, value, target)
    if reference.targets[0] in compiler.declarations.atomic_fields:
        word = "fetch_add" if adds else "store"
        remedy = f"Write with {reference.shown}:." if reference.is_lock else f"Write {reference.shown}.{word}(...)."
        raise compiler.refused("LP-M004", target, f"{reference.shown} is a cell.", remedy)
    return reference


def compile_augmented_assignment(compiler: MethodCompiler, node: ast.AugAssign) -> None:
    """``x += 1``; for a field or an element, a load and a store."""
    if isinstance(node.target, ast.Name):
        left = compile_operand(compiler, ast.copy_location(ast.Name(node.target.id, ast.Load()), node.target))
        variable = variable_of(compiler, node.target)
        value = compile_arithmetic(
            compiler, node.op, left, compile_operand(compiler, node.value), node, VariableSlot(variable)
        )
        compiler.set_variable(variable, value, node)
    elif isinstance(node.target, ast.Attribute | ast.Subscript):
        reference = _stored(compiler, node.target, adds=True)
        left = plain_operand(compiler, write_load(compiler, reference, node.target), node.target)
        write_store(
            compiler,
            reference,
            compile_arithmetic(compiler, node.op, left, compile_operand(compiler, node.value), node),
            node,
        )
    else:
        raise compiler.refused("LP-M002", node, "models cannot assign to this.", "Assign to a variable or a field.")
