# SPDX-License-Identifier: Apache-2.0
"""Calls of the modelling words, of cells, of classes of nodes, and of the few functions of Python that models have."""

from __future__ import annotations

import ast
from collections.abc import Callable
from types import FunctionType
from typing import Any, Final

from linpoint.refine import dsl
from linpoint.refine.frontend.builtin_functions import FUNCTIONS, Functions
from linpoint.refine.frontend.code_writer import Slot
from linpoint.refine.frontend.symbolic_values import (
    PLAIN,
    CellMethod,
    Known,
    Method,
    NodeClassThing,
    Reference,
    Shape,
    Thing,
    Value,
    in_registers,
    literal,
)
from linpoint.refine.program_ir import OpCode, PlaceKind
from linpoint.scenarios.tested_operation import nearest

_ARGUMENTS: Final = {
    "load": 0,
    "store": 1,
    "cas": 2,
    "swap": 1,
    "fetch_add": 1,
    "ll": 0,
    "sc": 1,
    "acquire": 0,
    "release": 0,
}
_OTHERS: Final[dict[str, str]] = {
    "print": "Leave it out: a counterexample shows every step.",
    "super": "Call the method by another name, or write the constant that differs into the class.",
    "list": "Declare linpoint.array(...).",
    "dict": "Declare linpoint.array(...).",
    "set": "Declare linpoint.array(...).",
    "sorted": "Compare the values one by one.",
    "sum": "Add in a for loop over a range.",
    "any": "Write `or`.",
    "all": "Write `and`.",
    "enumerate": "Write for i in range(...).",
    "zip": "Write for i in range(...).",
    "bool": "Write `not not x`, or use it as a condition.",
    "int": "Write 1 if x else 0.",
    "float": "Count in integers.",
    "str": "Return the value itself.",
    "sleep": "`pass` is enough: others may run at any step.",
    "sched_yield": "`pass` is enough: others may run at any step.",
    "range": "It stands after `in`, or in linpoint.choose(...), with constants.",
}

_CODES: Final = {
    "cas": OpCode.CAS,
    "swap": OpCode.SWAP,
    "fetch_add": OpCode.FETCH_ADD,
    "sc": OpCode.STORE_CONDITIONAL,
}


class Calls(Functions):
    """Writes calls. Calls of methods of the model are for those that inherit from it."""

    def call_method(self, method: Method, node: ast.Call, slot: Slot | None) -> Thing:
        """The value that a method of the model gives."""
        raise NotImplementedError

    def call(self, node: ast.Call, slot: Slot | None = None) -> Thing:
        """What a call gives."""
        called = self.evaluate(node.func)
        if isinstance(called, Method):
            return self.call_method(called, node, slot)
        if isinstance(called, CellMethod):
            return self._call_cell(called, node, slot)
        if isinstance(called, NodeClassThing):
            return self._allocate(called, node, slot)
        if isinstance(called, Known) and isinstance(called.value, type | FunctionType | type(len)):
            if (word := _WORDS.get(called.value)) is not None:
                return word(self, node, slot)
            if (function := FUNCTIONS.get(called.value)) is not None:
                return function(self, node, slot)
            if isinstance(called.value, type) and hasattr(called.value, "__linpoint_fields__"):
                name = called.value.__name__
                raise self.refused("LP-M008", node, f"{name} is called by its bare name.", f"Write self.{name}(...).")
            name = getattr(called.value, "__name__", "this")
            is_declaration = called.value in (dsl.atomic, dsl.array, dsl.lock)
            remedy = "Call methods of the model and the modelling words."
            if is_declaration:
                remedy = "Declare it in the class."
            elif isinstance(called.value, type):
                remedy = f"If it is a class of nodes, write it inside the model, and self.{name}(...)."
            raise self.refused("LP-M008", node, f"models cannot call {name}.", _OTHERS.get(name, remedy))
        raise self.refused(
            "LP-M008", node, "this cannot be called.", "Call methods of the model and the modelling words."
        )

    # Cells and locks

    def _call_cell(self, called: CellMethod, node: ast.Call, slot: Slot | None) -> Value:
        reference, name = called.reference, called.name
        shape = reference.shape
        given = self.arguments(node, f".{name}()", _ARGUMENTS[name])
        if name in {"acquire", "release"}:
            code = OpCode.ACQUIRE if name == "acquire" else OpCode.RELEASE
            self.access([reference], lambda where: self.emit(code, node, where=where), node)
            return literal(None)
        if name in {"load", "ll"}:
            return self.load(reference, node, slot, OpCode.LOAD if name == "load" else OpCode.LOAD_LINKED)
        if name == "fetch_add" and not shape.is_plain:
            raise self.refused(
                "LP-M005", node, f"{reference.shown} holds {shape}, which has no .fetch_add().", "Use .cas()."
            )
        rows = [self.row_at(each, shape, reference.shown) for each in given]
        if name == "store":
            self.access([reference], lambda where: self.emit(OpCode.STORE, node, a=rows[0], where=where), node)
            return literal(None)
        result = shape if name in {"swap", "fetch_add"} else PLAIN
        code = _CODES[name]
        base = self.base(slot, result, node)
        last = rows[1] if name == "cas" else -1
        self.access([reference], lambda where: self.emit(code, node, a=base, b=rows[0], c=last, where=where), node)
        return in_registers(result, base)

    def cell(self, node: ast.expr, what: str) -> Reference:
        """An expression that is a cell."""
        thing = self.evaluate(node)
        if not isinstance(thing, Reference) or thing.is_lock:
            raise self.refused(
                "LP-M004", node, f"{what} takes a cell here.", "Write the cell itself: self.x, or node.next."
            )
        return thing

    def dcas(self, node: ast.Call, slot: Slot | None) -> Value:
        """``linpoint.dcas(...)``: its six values stand in registers in a row."""
        given = self.arguments(node, "linpoint.dcas()", 6)
        cells = [self.cell(each, "linpoint.dcas()") for each in given[:2]]
        if cells[0].where is PlaceKind.CELL and cells[0] == cells[1]:
            raise self.refused(
                "LP-M008", given[1], "linpoint.dcas() is of two different cells.", "Use .cas(...) for one."
            )
        widths = [cell.shape.width for cell in cells]
        rows = self.temporary(2 * sum(widths))
        at = rows
        for n, each in enumerate(given[2:]):
            shape = cells[n % 2].shape
            self._into(each, shape, at, cells[n % 2].shown)
            at += shape.width
        base = self.base(slot, PLAIN, node)
        self.access(
            cells, lambda where, other: self.emit(OpCode.DCAS, node, a=base, b=rows, where=where, other=other), node
        )
        return in_registers(PLAIN, base)

    def _into(self, node: ast.expr, shape: Shape, base: int, what: str) -> None:
        """An expression of a given shape, in given registers."""
        if shape.is_plain:
            self.row_of([(0, node)], base, what)
        elif isinstance(node, ast.Tuple) and len(node.elts) == shape.width and shape.is_tuple:
            self.row_of(enumerate(node.elts), base, "a part of a tuple")
        else:
            self.move(base, self.shaped(self.value(node), shape, node, what).parts, node)

    # Nodes and records

    def _allocate(self, called: NodeClassThing, node: ast.Call, slot: Slot | None) -> Value:
        declared = self.declarations
        fields = declared.classes[called.number].fields
        offsets, width = {}, 0
        for number in fields:
            offsets[declared.fields[number].name] = width, number
            width += declared.fields[number].width
        if node.args:
            example = f"Write self.{called.name}({', '.join(f'{name}=...' for name in offsets)})."
            raise self.refused("LP-M008", node.args[0], f"the fields of a {called.name} are given by name.", example)
        base = self.temporary(max(width, 1))
        given = set()
        for keyword in node.keywords:
            at, number = offsets.get(keyword.arg or "", (0, -1))
            if number < 0 or declared.fields[number].is_lock or keyword.arg in given:
                near = "" if number >= 0 else nearest(str(keyword.arg), offsets)
                remedy = f"{near}It has: {', '.join(offsets)}; each is given once, and locks never are."
                raise self.refused(
                    "LP-M008", keyword, f"a {called.name} cannot be given {keyword.arg or '**'}.", remedy
                )
            given.add(keyword.arg)
            self._into(keyword.value, declared.field_shapes[number], base + at, f"{called.name}.{keyword.arg}")
        for name, (at, number) in offsets.items():
            default = declared.defaults[number]
            if name not in given:
                if default is None:
                    fact = f"the field {name} of a {called.name} is a tuple without a default."
                    raise self.refused("LP-M008", node, fact, f"Give it: self.{called.name}({name}=(...)).")
                self.move(base + at, default.parts, node)
        result = self.base(slot, PLAIN, node)
        self.emit(OpCode.ALLOCATE, node, a=result, b=base, c=called.number)
        return in_registers(PLAIN, result)

    def record(self, node: ast.Call, slot: Slot | None) -> Value:
        """``linpoint.record(...)`` in a method: a value."""
        names = tuple(keyword.arg for keyword in node.keywords if keyword.arg)
        if node.args or not names or len(names) < len(node.keywords):
            raise self.refused(
                "LP-M008", node, "the fields of a record have names.", "Write linpoint.record(name=value)."
            )
        shape = Shape(len(names), names)
        if slot is None or self.reads(node.keywords, slot):
            slot = self.temporary_slot("this")
        base = slot.base(self, shape, node)
        self.row_of(enumerate(keyword.value for keyword in node.keywords), base, "a field of a record")
        return in_registers(shape, base)

    # Words

    def fence(self, node: ast.Call, _: Slot | None) -> Value:
        """``linpoint.fence()``."""
        self.arguments(node, "linpoint.fence()", 0)
        self.emit(OpCode.FENCE, node)
        return literal(None)

    def point(self, node: ast.Call, _: Slot | None) -> Value:
        """``linpoint.point()``."""
        self.arguments(node, "linpoint.point()", 0)
        self.emit(OpCode.POINT, node)
        return literal(None)

    def assume(self, node: ast.Call, _: Slot | None) -> Value:
        """``linpoint.assume(condition)``: nothing where that is known to be true."""
        (condition,) = self.arguments(node, "linpoint.assume()", 1)
        operand = self.operand(condition)
        if isinstance(operand, int) or not operand.value:
            self.emit(OpCode.ASSUME, node, a=self.register(operand, node))
        return literal(None)

    def choose(self, node: ast.Call, slot: Slot | None) -> Value:
        """``linpoint.choose(domain)``, of constants."""
        (domain,) = self.arguments(node, "linpoint.choose()", 1)
        values = tuple(
            dict.fromkeys((type(each), each) for each in self.constants(self.evaluate(domain), domain, "this"))
        )
        if not values:
            raise self.refused("LP-M008", domain, "there is nothing to choose from.", "Give at least one value.")
        if len(values) == 1:
            return literal(values[0][1])
        base = self.base(slot, PLAIN, node)
        self.emit(OpCode.CHOOSE, node, a=base, values=tuple(each for _, each in values))
        return in_registers(PLAIN, base)


_WORDS: Final[dict[Any, Callable[[Calls, ast.Call, Slot | None], Thing]]] = {
    dsl.fence: Calls.fence,
    dsl.point: Calls.point,
    dsl.assume: Calls.assume,
    dsl.choose: Calls.choose,
    dsl.dcas: Calls.dcas,
    dsl.record: Calls.record,
}
