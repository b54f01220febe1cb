# SPDX-License-Identifier: Apache-2.0
"""The meaning of ``.name`` and ``[index]``: parts of the model, cells, fields and elements."""

from __future__ import annotations

import ast
import enum
import functools
from types import ModuleType

from linpoint.errors import ModelError
from linpoint.refine.frontend.code_writer import StorageSlot
from linpoint.refine.frontend.method_compiler import MethodCompiler
from linpoint.refine.frontend.method_scope import symbolic_value_of
from linpoint.refine.frontend.shared_accesses import compile_operand, not_a_value, object_name, write_load
from linpoint.refine.frontend.unsupported_syntax import OTHER_NAMES
from linpoint.refine.program_ir import PlaceKind
from linpoint.refine.python_cells import CELL_METHODS, LOCK_METHODS
from linpoint.refine.symbolic_values import (
    PLAIN,
    CompiledValue,
    Literal,
    PlaceReference,
    SymbolicArray,
    SymbolicCellMethod,
    SymbolicConstant,
    SymbolicSelf,
    SymbolicValue,
)
from linpoint.scenarios.tested_operation import nearest

WORDS = ("assume", "choose", "dcas", "fence", "point", "record")
_KINDS_OF_METHODS = staticmethod, classmethod, property, functools.cached_property, type(functools.cache(len))


class _Missing:
    """A marker that is not a value of a model."""


def compile_attribute(compiler: MethodCompiler, node: ast.Attribute, slot: StorageSlot | None = None) -> SymbolicValue:
    """The meaning of ``something.name``. A plain field is loaded."""
    inner = compiler.evaluate(node.value)
    name = node.attr
    if isinstance(inner, SymbolicSelf):
        return _of_model(compiler, node)
    if isinstance(inner, PlaceReference):
        if name in (LOCK_METHODS if inner.is_lock else CELL_METHODS):
            return SymbolicCellMethod(inner, name)
        if inner.where is not PlaceKind.ELEMENT or inner.is_lock or _is_method(compiler, inner, name):
            raise _not_of_cell(compiler, inner, node)
        inner = write_load(compiler, inner, node.value)
    if isinstance(inner, CompiledValue):
        return _of_value(compiler, inner, node, slot)
    if isinstance(inner, SymbolicConstant) and isinstance(inner.value, ModuleType | enum.EnumMeta):
        if (found := symbolic_value_of(getattr(inner.value, name, _Missing))) is None or not hasattr(inner.value, name):
            is_ours = getattr(inner.value, "__name__", "") == "linpoint"
            known = [each for each in (WORDS if is_ours else dir(inner.value)) if not each.startswith("_")]
            raise compiler.refused(
                "LP-M003",
                node,
                f"{object_name(inner.value)}.{name} is unknown in a model.",
                f"{nearest(name, known)}Use a constant or a modelling primitive of linpoint.",
            )
        return found
    if isinstance(inner, SymbolicConstant):
        is_model = hasattr(inner.value, "__linpoint_model__")
        remedy = f"Write self.{name}." if is_model else "Use a modelling primitive of linpoint."
        raise compiler.refused("LP-M003", node, f"{object_name(inner.value)} has no .{name} here.", remedy)
    raise not_a_value(compiler, inner, node.value)


def _of_model(compiler: MethodCompiler, node: ast.Attribute) -> SymbolicValue:
    found = compiler.declarations.attribute(node.attr)
    if found is None:
        attributes = compiler.declarations.attributes
        if isinstance(attributes.get(node.attr), _KINDS_OF_METHODS):
            fact = f"self.{node.attr} is not a plain method."
            remedy = f"Write def {node.attr}(self, ...): without a decorator."
        elif node.attr in attributes:
            fact = f"self.{node.attr} is neither shared nor a constant of a model."
            remedy = "Use integers, bools, texts, None, tuples or ranges of them, or enumerations."
        else:
            known = [each for each in attributes if not each.startswith("__")]
            fact = f"{compiler.declarations.model.__name__} declares no {node.attr}."
            remedy = f"{nearest(node.attr, known)}Declare it in the class: {node.attr} = linpoint.atomic(...)."
        raise compiler.refused("LP-M003", node, fact, remedy)
    return found


def _of_value(
    compiler: MethodCompiler, value: CompiledValue, node: ast.Attribute, slot: StorageSlot | None
) -> SymbolicValue:
    name = node.attr
    if value.shape.names:
        if name not in value.shape.names:
            remedy = f"{nearest(name, value.shape.names)}Use one of: {', '.join(value.shape.names)}."
            raise compiler.refused("LP-M003", node, f"the record has no field {name}.", remedy)
        return CompiledValue(PLAIN, (value.parts[value.shape.names.index(name)],))
    if name in {*CELL_METHODS, *LOCK_METHODS, *OTHER_NAMES} and not compiler.declarations.fields_named(name):
        raise compiler.refused(
            "LP-M004",
            node,
            f"this is a value, not a cell, and has no .{name}().",
            'To make a field of a node a cell, declare it: next: linpoint.Atomic["Node"].',
        )
    if value.shape.is_tuple:
        raise compiler.refused("LP-M005", node, f"{value.shape} has no .{name}.", "Use a part: [0].")
    reference = field_of(compiler, value, node)
    first = reference.targets[0]
    return reference if first in compiler.declarations.atomic_fields else write_load(compiler, reference, node, slot)


def field_of(compiler: MethodCompiler, value: CompiledValue, node: ast.Attribute) -> PlaceReference:
    """The field of a node."""
    declared = compiler.declarations
    fields = declared.fields_named(node.attr)
    (part,) = value.parts
    if not fields or isinstance(part, Literal):
        known = [each.name for each in declared.fields]
        fact = f"{part.value!r} has no fields." if isinstance(part, Literal) else f"no node has a field {node.attr}."
        near = "" if fields else nearest(node.attr, known)
        raise compiler.refused("LP-M003", node, fact, f"{near}Declare fields in a class of nodes.")
    kinds = {
        (declared.field_shapes[each], each in declared.atomic_fields, declared.fields[each].is_lock) for each in fields
    }
    if len(kinds) > 1:
        names = " and ".join(declared.classes[declared.fields[each].node_class].name for each in fields)
        fact = f"{names} both have a field {node.attr}, of different kinds."
        raise compiler.refused("LP-M005", node, fact, "Give the fields different names.")
    ((shape, _, is_lock),) = kinds
    return PlaceReference(PlaceKind.FIELD, tuple(fields), shape, ast.unparse(node), part, is_lock)


def element_of(compiler: MethodCompiler, array: SymbolicArray, index: ast.expr, node: ast.AST) -> PlaceReference:
    """An element of an array. Its index is placed in a register."""
    operand = compile_operand(compiler, index)
    cell = compiler.declarations.cells[array.cell]
    if isinstance(operand, Literal):
        at = operand.value
        if isinstance(at, bool) or not isinstance(at, int) or not 0 <= at < cell.size:
            fact = f"{at!r} is out of range for self.{array.name}, which has size {cell.size}."
            raise compiler.refused("LP-M014", index, fact, f"Use 0 to {cell.size - 1}.")
    register = compiler.register(operand, index)
    shape = compiler.declarations.shapes[array.cell]
    return PlaceReference(PlaceKind.ELEMENT, (array.cell,), shape, ast.unparse(node), register, cell.is_lock)


def _not_of_cell(compiler: MethodCompiler, cell: PlaceReference, node: ast.Attribute) -> ModelError:
    if cell.is_lock:
        remedy = f"Write with {cell.shown}:, {cell.shown}.acquire() or {cell.shown}.release()."
        return compiler.refused("LP-M004", node, f"{cell.shown} is a lock, and has no .{node.attr}.", remedy)
    remedy = f"Load it first: {cell.shown}.load().{node.attr}"
    if _is_method(compiler, cell, node.attr):
        other = OTHER_NAMES.get(node.attr)
        near = nearest(node.attr, CELL_METHODS) if other is None else f"Write {cell.shown}.{other}. "
        remedy = f"{near}Use one of: {', '.join(CELL_METHODS)}."
    return compiler.refused("LP-M004", node, f"{cell.shown} is a cell, and has no .{node.attr}.", remedy)


def _is_method(compiler: MethodCompiler, cell: PlaceReference, name: str) -> bool:
    """Whether a name unknown to cells was meant as a method: no value of the cell has such a field."""
    if name in cell.shape.names or compiler.declarations.fields_named(name):
        return False
    return name in OTHER_NAMES or not cell.shape.names
