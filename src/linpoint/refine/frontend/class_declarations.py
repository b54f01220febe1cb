# SPDX-License-Identifier: Apache-2.0
"""The declarations in the class of a model: cells, classes of nodes, constants, methods; and the meaning of
``self.name``.

Declarations are taken as Python has evaluated them, so a class may compute its constants in any way. The source is used
only for the places in messages.
"""

from __future__ import annotations

import ast
import enum
from dataclasses import dataclass, field
from types import FunctionType
from typing import Any

from linpoint.errors import ModelError
from linpoint.refine.dsl import Model, declarations_of
from linpoint.refine.method_source import class_definition, declaration_of
from linpoint.refine.node_classes import NodeField, fields_of, is_node_class
from linpoint.refine.program_ir import Cell, Constant, Field, Location, NodeClass, PlaceKind
from linpoint.refine.python_cells import CELL_METHODS, LOCK_METHODS, Array, Atomic, Lock, Record
from linpoint.refine.symbolic_values import (
    PLAIN,
    CompiledValue,
    Literal,
    PlaceReference,
    SymbolicArray,
    SymbolicConstant,
    SymbolicMethod,
    SymbolicNodeClass,
    SymbolicValue,
    ValueShape,
    constant_value,
    symbolic_constant_of,
)


@dataclass(slots=True)
class ClassDeclarations:
    """All declarations of a model by number, as in ``CompiledModel``."""

    model: type[Model]
    cells: list[Cell] = field(default_factory=list)
    shapes: list[ValueShape] = field(default_factory=list)
    classes: list[NodeClass] = field(default_factory=list)
    fields: list[Field] = field(default_factory=list)
    field_shapes: list[ValueShape] = field(default_factory=list)
    atomic_fields: set[int] = field(default_factory=set)
    declared_fields: list[NodeField] = field(default_factory=list)
    defaults: list[CompiledValue | None] = field(default_factory=list)
    """The default of each field; None if the field must be given."""
    locations: dict[Location, int] = field(default_factory=dict)
    attributes: dict[str, Any] = field(default_factory=dict)
    _cell_numbers: dict[str, int] = field(default_factory=dict)
    _class_numbers: dict[type, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for each in reversed(self.model.__mro__):
            if each not in Model.__mro__:
                self.attributes.update(vars(each))
        for name, thing in self.attributes.items():
            if is_node_class(thing):
                self._add_class(name, thing)
        for name, declared in declarations_of(self.model).items():
            self._add_cell(name, declared)

    def location(self, where: PlaceKind, target: int, register: int = -1) -> int:
        """The number of a location."""
        return self.locations.setdefault(Location(where, target, register), len(self.locations))

    def attribute(self, name: str) -> SymbolicValue | None:
        """The meaning of ``self.name``; None if models cannot use it."""
        if name in self._cell_numbers:
            number = self._cell_numbers[name]
            cell = self.cells[number]
            if cell.is_array:
                return SymbolicArray(number, name)
            return PlaceReference(PlaceKind.CELL, (number,), self.shapes[number], f"self.{name}", is_lock=cell.is_lock)
        thing = self.attributes.get(name)
        if isinstance(thing, FunctionType):
            return SymbolicMethod(name, thing)
        if isinstance(thing, type):
            if issubclass(thing, enum.Enum):
                return SymbolicConstant(thing)
            return SymbolicNodeClass(self._class_numbers[thing], name) if thing in self._class_numbers else None
        return symbolic_constant_of(thing) if name in self.attributes else None

    def fields_named(self, name: str) -> list[int]:
        """The fields of that name, in all classes of nodes."""
        return [number for number, each in enumerate(self.fields) if each.name == name]

    # Reading declarations

    def _add_cell(self, name: str, declared: Any) -> None:
        is_array = isinstance(declared, Array)
        one = declared.of if isinstance(declared, Array) else declared
        size = len(declared) if isinstance(declared, Array) else 1
        if isinstance(one, Lock):
            shape: ValueShape = PLAIN
            initial: tuple[Constant, ...] = (False,)
        else:
            shape, initial = self._initial(name, f"self.{name}", one.initial if isinstance(one, Atomic) else one)
        self._cell_numbers[name] = len(self.cells)
        self.shapes.append(shape)
        self.cells.append(
            Cell(name, initial * size, size, shape.width, shape.names, is_array, is_lock=isinstance(one, Lock))
        )

    def _add_class(self, name: str, thing: type) -> None:
        self._check_class(name, thing)
        number = len(self.classes)
        self._class_numbers[thing] = number
        first = len(self.fields)
        for each in fields_of(thing):
            if isinstance(each.default, Array):
                raise self._misfit(name, f"{name}.{each.name} is an array.", "Use plain fields, cells and locks.")
            default: CompiledValue | None = None
            if each.is_lock:
                shape, default = PLAIN, CompiledValue(PLAIN, (Literal(value=False),))
            elif each.must:
                shape = ValueShape(each.width, is_tuple=True)
            else:
                shape, initial = self._initial(name, f"{name}.{each.name}", each.default)
                default = CompiledValue(shape, tuple(map(Literal, initial)))
            if each.atomic:
                self.atomic_fields.add(len(self.fields))
            self.fields.append(Field(each.name, number, shape.width, shape.names, each.is_lock))
            self.field_shapes.append(shape)
            self.defaults.append(default)
            self.declared_fields.append(each)
        self.classes.append(NodeClass(name, tuple(range(first, len(self.fields)))))

    def _initial(self, owner: str, shown: str, value: Any) -> tuple[ValueShape, tuple[Constant, ...]]:
        """The shape and the constants of an initial value."""
        found = constant_value(_without_classes(value))
        if found is None:
            raise self._misfit(
                owner,
                f"{shown} starts with {value!r}, which is not a value of a model.",
                "Use None, a bool, an integer, a text, a member of an enumeration, or a tuple or record of these.",
            )
        if isinstance(value, str) and is_node_class(self.attributes.get(value)):
            raise self._misfit(
                owner, f'{shown} starts with the text "{value}".', f"Write {value} without the quotes, or None."
            )
        for each in found.shape.names:
            if each in CELL_METHODS + LOCK_METHODS:
                raise self._misfit(
                    owner, f'a field of {shown} is named "{each}", like a method of cells.', "Rename it."
                )
        return found.shape, tuple(part.value for part in found.parts if isinstance(part, Literal))

    def _check_class(self, name: str, thing: type) -> None:
        if thing.__bases__ != (object,):
            raise self._misfit(name, f"the class of nodes {name} has a base class.", "List its fields instead.")
        found = class_definition(thing)
        if found is None:
            return
        source, body = found
        if body.decorator_list:
            raise source.refused(
                "LP-M010", body.decorator_list[0], f"the class of nodes {name} is decorated.", "Remove the decorator."
            )
        for each in body.body:
            is_text = isinstance(each, ast.Expr) and isinstance(each.value, ast.Constant)
            if not isinstance(each, ast.Assign | ast.AnnAssign | ast.Pass) and not is_text:
                raise source.refused(
                    "LP-M010",
                    each,
                    f"the class of nodes {name} contains more than fields.",
                    "Move methods to the model, and write fields as name: type, or name = default.",
                )

    def _misfit(self, name: str, fact: str, remedy: str) -> ModelError:
        found = declaration_of(self.model, name)
        if found is not None:
            return found[0].refused("LP-M010", found[1], fact, remedy)
        return ModelError("LP-M010", f"{self.model.__name__}: {fact}", remedy=remedy)


def _without_classes(value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(map(_without_classes, value))
    if isinstance(value, Record):
        return Record(**dict(zip(value.names(), map(_without_classes, value.values()), strict=True)))
    return None if isinstance(value, type) else value
