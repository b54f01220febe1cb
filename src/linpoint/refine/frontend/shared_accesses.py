# SPDX-License-Identifier: Apache-2.0
"""Accesses to shared memory, one instruction each, and what ``.name`` and ``[index]`` stand for."""

from __future__ import annotations

import ast
import enum
import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

from linpoint.errors import ModelError
from linpoint.refine.frontend.class_declarations import Declarations
from linpoint.refine.frontend.code_writer import Emission, Label, Slot, TemporarySlot
from linpoint.refine.frontend.method_scope import Scope, thing_of
from linpoint.refine.frontend.symbolic_values import (
    PLAIN,
    ArrayThing,
    CellMethod,
    Known,
    Literal,
    Method,
    NodeClassThing,
    Operand,
    Reference,
    SelfThing,
    Shape,
    Thing,
    Value,
    constant_value,
    in_registers,
)
from linpoint.refine.frontend.unsupported_syntax import OTHER_NAMES
from linpoint.refine.program_ir import OpCode, PlaceKind
from linpoint.refine.python_cells import CELL_METHODS, LOCK_METHODS
from linpoint.scenarios.tested_operation import nearest


@dataclass(eq=False)
class Accesses(Emission):
    """Writes accesses. What expressions are is for those that inherit from it."""

    declarations: Declarations = field(kw_only=True)
    scope: Scope = field(kw_only=True)

    def refused(self, code: str, node: ast.AST, fact: str, remedy: str) -> ModelError:
        """What is wrong at ``node``, to be raised."""
        return self.source.refused(code, node, fact, remedy)

    def evaluate(self, node: ast.expr, slot: Slot | None = None) -> Thing:
        """What an expression is; a value may be put into ``slot``."""
        raise NotImplementedError

    def temporary_slot(self, what: str) -> TemporarySlot:
        """Registers for a value of a shape that is not known yet, until the statement at hand ends."""
        return TemporarySlot(self.owner, what)

    def base(self, slot: Slot | None, shape: Shape, node: ast.AST) -> int:
        """Where to put a value."""
        return self.temporary(shape.width) if slot is None else slot.base(self, shape, node)

    # Values

    def value(self, node: ast.expr, slot: Slot | None = None) -> Value:
        """The value of an expression."""
        return self.value_of(self.evaluate(node, slot), node, slot)

    def value_of(self, thing: Thing, node: ast.AST, slot: Slot | None = None) -> Value:
        """A thing as a value: elements of arrays are loaded, constants are known."""
        if isinstance(thing, Value):
            return thing
        if isinstance(thing, Reference) and thing.where is PlaceKind.ELEMENT and not thing.is_lock:
            return self.load(thing, node, slot)
        if isinstance(thing, Known) and (found := constant_value(thing.value)) is not None:
            return found
        raise self._no_value(thing, node)

    def operand(self, node: ast.expr, slot: Slot | None = None) -> Operand:
        """The plain value of an expression: a register or a known value."""
        return self.plain(self.value(node, slot), node)

    def plain(self, value: Value, node: ast.AST) -> Operand:
        """The only part of a plain value."""
        if not value.shape.is_plain:
            remedy = f"Take a field: .{value.shape.names[0]}" if value.shape.names else "Take a part: [0]"
            raise self.refused("LP-M005", node, f"this is {value.shape}, and a plain value is needed.", f"{remedy}.")
        return value.parts[0]

    def shaped(self, value: Value, shape: Shape, node: ast.AST, what: str) -> Value:
        """A value that has the shape of a place."""
        if value.shape != shape:
            raise self.refused(
                "LP-M005", node, f"{what} holds {shape}, and this is {value.shape}.", _how_to_make(shape)
            )
        return value

    def _no_value(self, thing: Thing, node: ast.AST) -> ModelError:
        code = "LP-M004"
        if isinstance(thing, Reference) and thing.is_lock:
            fact, remedy = f"{thing.shown} is a lock.", f"Write with {thing.shown}: or {thing.shown}.acquire()."
        elif isinstance(thing, Reference):
            fact, remedy = f"{thing.shown} is a cell, not its value.", f"Write {thing.shown}.load()."
        elif isinstance(thing, ArrayThing):
            fact, remedy = f"self.{thing.name} is a whole array.", f"Write self.{thing.name}[i]."
        elif isinstance(thing, CellMethod):
            fact, remedy = f".{thing.name} is a method of a cell.", f"Call it: .{thing.name}(...)."
        elif isinstance(thing, Method):
            fact, remedy = f"self.{thing.name} is a method.", f"Call it: self.{thing.name}(...)."
        elif isinstance(thing, NodeClassThing):
            fact, remedy = f"{thing.name} is a class of nodes.", f"Make a node: self.{thing.name}(...)."
        elif isinstance(thing, SelfThing):
            fact, remedy = "the model itself is no value.", "Name what you want of it: self.x.load()."
        else:
            assert isinstance(thing, Known)
            code = "LP-M005"
            fact = f"{_shown(thing.value)} is no value that a variable or cell can hold."
            remedy = "Take one of its values." if isinstance(thing.value, tuple | range) else "Use a constant."
        return self.refused(code, node, fact, remedy)

    # Accesses

    def access(self, references: Sequence[Reference], write: Callable[..., None], node: ast.AST) -> None:
        """Call ``write`` with the numbers of the locations.

        Where several classes of nodes have such a field it is called for each, after a test of which class it is.
        """
        if not references:
            write()
            return
        first, *rest = references
        end = Label()
        for target in first.targets:
            location = self.declarations.location(first.where, target, first.register)
            following: Label | None = None
            if target != first.targets[-1]:
                test, following = self.temporary(), Label()
                number = self.declarations.fields[target].node_class
                self.emit(OpCode.IS_NODE, node, a=test, b=first.register, c=number)
                self.branch(test, following, False, node)
            self.access(rest, lambda *others, at=location: write(at, *others), node)
            if following is not None:
                self.goto(end, node)
                self.place(following)
        self.place(end)

    def load(self, reference: Reference, node: ast.AST, slot: Slot | None = None, code: OpCode = OpCode.LOAD) -> Value:
        """Load, into ``slot`` if there is one."""
        base = self.base(slot, reference.shape, node)
        self.access([reference], lambda where: self.emit(code, node, a=base, where=where), node)
        return in_registers(reference.shape, base)

    def store(self, reference: Reference, value: Value, node: ast.AST) -> None:
        """Store a value of the right shape."""
        row = self.row(value, node)
        self.access([reference], lambda where: self.emit(OpCode.STORE, node, a=row, where=where), node)

    # .name and [index]

    def attribute(self, node: ast.Attribute, slot: Slot | None = None) -> Thing:
        """What ``something.name`` is. Of a plain field it is the value, which is loaded."""
        inner = self.evaluate(node.value)
        name = node.attr
        if isinstance(inner, SelfThing):
            return self._of_model(node)
        if isinstance(inner, Reference):
            if name in (LOCK_METHODS if inner.is_lock else CELL_METHODS):
                return CellMethod(inner, name)
            if inner.where is not PlaceKind.ELEMENT or inner.is_lock or self._is_method(inner, name):
                raise self._not_of_cell(inner, node)
            inner = self.load(inner, node.value)
        if isinstance(inner, Value):
            return self._of_value(inner, node, slot)
        if isinstance(inner, Known) and isinstance(inner.value, ModuleType | enum.EnumMeta):
            if (found := thing_of(getattr(inner.value, name, _Missing))) is None or not hasattr(inner.value, name):
                is_ours = getattr(inner.value, "__name__", "") == "linpoint"
                known = [each for each in (WORDS if is_ours else dir(inner.value)) if not each.startswith("_")]
                raise self.refused(
                    "LP-M003",
                    node,
                    f"{_shown(inner.value)}.{name} is nothing that a model knows.",
                    f"{nearest(name, known)}Use a constant or one of the modelling words.",
                )
            return found
        if isinstance(inner, Known):
            is_model = hasattr(inner.value, "__linpoint_model__")
            remedy = f"Write self.{name}." if is_model else "Use one of the modelling words."
            raise self.refused("LP-M003", node, f"{_shown(inner.value)} has no .{name} here.", remedy)
        raise self._no_value(inner, node.value)

    def _of_model(self, node: ast.Attribute) -> Thing:
        found = self.declarations.attribute(node.attr)
        if found is None:
            attributes = self.declarations.attributes
            if isinstance(attributes.get(node.attr), _KINDS_OF_METHODS):
                fact = f"self.{node.attr} is no plain method."
                remedy = f"Write def {node.attr}(self, ...): without a decorator."
            elif node.attr in attributes:
                fact = f"self.{node.attr} is neither shared nor a constant of a model."
                remedy = "Constants are integers, bools, texts, None, tuples and ranges of them, and enumerations."
            else:
                known = [each for each in attributes if not each.startswith("__")]
                fact = f"{self.declarations.model.__name__} declares no {node.attr}."
                remedy = f"{nearest(node.attr, known)}Declare it in the class: {node.attr} = linpoint.atomic(...)."
            raise self.refused("LP-M003", node, fact, remedy)
        return found

    def _of_value(self, value: Value, node: ast.Attribute, slot: Slot | None) -> Thing:
        name = node.attr
        if value.shape.names:
            if name not in value.shape.names:
                remedy = f"{nearest(name, value.shape.names)}It has: {', '.join(value.shape.names)}."
                raise self.refused("LP-M003", node, f"the record has no field {name}.", remedy)
            return Value(PLAIN, (value.parts[value.shape.names.index(name)],))
        if name in {*CELL_METHODS, *LOCK_METHODS, *OTHER_NAMES} and not self.declarations.fields_named(name):
            raise self.refused(
                "LP-M004",
                node,
                f"this is a value, not a cell, and has no .{name}().",
                'A field of a node is a cell if it is declared so: next: linpoint.Atomic["Node"].',
            )
        if value.shape.is_tuple:
            raise self.refused("LP-M005", node, f"{value.shape} has no .{name}.", "Take a part: [0].")
        reference = self.field(value, node)
        first = reference.targets[0]
        return reference if first in self.declarations.atomic_fields else self.load(reference, node, slot)

    def field(self, value: Value, node: ast.Attribute) -> Reference:
        """The field of a node."""
        declared = self.declarations
        fields = declared.fields_named(node.attr)
        (part,) = value.parts
        if not fields or isinstance(part, Literal):
            known = [each.name for each in declared.fields]
            fact = (
                f"{part.value!r} has no fields." if isinstance(part, Literal) else f"no node has a field {node.attr}."
            )
            near = "" if fields else nearest(node.attr, known)
            raise self.refused("LP-M003", node, fact, f"{near}Fields are declared in a class of nodes.")
        kinds = {
            (declared.field_shapes[each], each in declared.atomic_fields, declared.fields[each].is_lock)
            for each in fields
        }
        if len(kinds) > 1:
            names = " and ".join(declared.classes[declared.fields[each].node_class].name for each in fields)
            fact = f"{names} both have a field {node.attr}, and it is not alike."
            raise self.refused("LP-M005", node, fact, "Give the fields different names.")
        ((shape, _, is_lock),) = kinds
        return Reference(PlaceKind.FIELD, tuple(fields), shape, ast.unparse(node), part, is_lock)

    def element(self, array: ArrayThing, index: ast.expr, node: ast.AST) -> Reference:
        """An element of an array. Its index is in a register from here on."""
        operand = self.operand(index)
        cell = self.declarations.cells[array.cell]
        if isinstance(operand, Literal):
            at = operand.value
            if isinstance(at, bool) or not isinstance(at, int) or not 0 <= at < cell.size:
                fact = f"{at!r} is no index of self.{array.name}, which has {cell.size}."
                raise self.refused("LP-M014", index, fact, f"Indices are 0 to {cell.size - 1}.")
        register = self.register(operand, index)
        shape = self.declarations.shapes[array.cell]
        return Reference(PlaceKind.ELEMENT, (array.cell,), shape, ast.unparse(node), register, cell.is_lock)

    def _not_of_cell(self, cell: Reference, node: ast.Attribute) -> ModelError:
        if cell.is_lock:
            remedy = f"Write with {cell.shown}:, {cell.shown}.acquire() or {cell.shown}.release()."
            return self.refused("LP-M004", node, f"{cell.shown} is a lock, and has no .{node.attr}.", remedy)
        remedy = f"Load it first: {cell.shown}.load().{node.attr}"
        if self._is_method(cell, node.attr):
            other = OTHER_NAMES.get(node.attr)
            near = nearest(node.attr, CELL_METHODS) if other is None else f"Write {cell.shown}.{other}. "
            remedy = f"{near}A cell has: {', '.join(CELL_METHODS)}."
        return self.refused("LP-M004", node, f"{cell.shown} is a cell, and has no .{node.attr}.", remedy)

    def _is_method(self, cell: Reference, name: str) -> bool:
        """Whether a name that cells do not have was meant as a method: nothing in the cell has such a field."""
        if name in cell.shape.names or self.declarations.fields_named(name):
            return False
        return name in OTHER_NAMES or not cell.shape.names


WORDS = ("assume", "choose", "dcas", "fence", "point", "record")
_KINDS_OF_METHODS = staticmethod, classmethod, property, functools.cached_property, type(functools.cache(len))


class _Missing:
    """No value of a model."""


def _shown(value: Any) -> str:
    return value.__name__ if hasattr(value, "__name__") else repr(value)


def _how_to_make(shape: Shape) -> str:
    if shape.names:
        return f"Make one: linpoint.record({', '.join(f'{name}=...' for name in shape.names)})."
    return f"Write ({', '.join(['...'] * shape.width)})." if shape.is_tuple else "Store the parts one by one."
