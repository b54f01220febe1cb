# SPDX-License-Identifier: Apache-2.0
"""Values of expressions, and accesses to shared memory: one instruction each."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import Any, Final

from linpoint.errors import ModelError
from linpoint.refine.frontend.code_writer import JumpLabel, StorageSlot
from linpoint.refine.frontend.method_compiler import MethodCompiler
from linpoint.refine.program_ir import Constant, OpCode, PlaceKind
from linpoint.refine.symbolic_values import (
    CompiledValue,
    Literal,
    Operand,
    PlaceReference,
    SymbolicArray,
    SymbolicCellMethod,
    SymbolicConstant,
    SymbolicMethod,
    SymbolicNodeClass,
    SymbolicSelf,
    SymbolicValue,
    ValueShape,
    constant_value,
    in_registers,
    length_of,
    plain_constant,
)

MOST_CONSTANTS: Final = 1000
"""Maximum number of constants that are compared one by one, or chosen from."""


def compile_value(compiler: MethodCompiler, node: ast.expr, slot: StorageSlot | None = None) -> CompiledValue:
    """The value of an expression."""
    return value_of(compiler, compiler.evaluate(node, slot), node, slot)


def value_of(
    compiler: MethodCompiler, thing: SymbolicValue, node: ast.AST, slot: StorageSlot | None = None
) -> CompiledValue:
    """An expression's meaning as a value: elements of arrays are loaded, constants are known."""
    if isinstance(thing, CompiledValue):
        return thing
    if isinstance(thing, PlaceReference) and thing.where is PlaceKind.ELEMENT and not thing.is_lock:
        return write_load(compiler, thing, node, slot)
    if isinstance(thing, SymbolicConstant) and (found := constant_value(thing.value)) is not None:
        return found
    raise not_a_value(compiler, thing, node)


def compile_operand(compiler: MethodCompiler, node: ast.expr, slot: StorageSlot | None = None) -> Operand:
    """The plain value of an expression: a register or a known value."""
    return plain_operand(compiler, compile_value(compiler, node, slot), node)


def plain_operand(compiler: MethodCompiler, value: CompiledValue, node: ast.AST) -> Operand:
    """The only part of a plain value."""
    if not value.shape.is_plain:
        remedy = f"Use a field: .{value.shape.names[0]}" if value.shape.names else "Use a part: [0]"
        raise compiler.refused("LP-M005", node, f"this is {value.shape}, but a plain value is required.", f"{remedy}.")
    return value.parts[0]


def require_shape(
    compiler: MethodCompiler, value: CompiledValue, shape: ValueShape, node: ast.AST, what: str
) -> CompiledValue:
    """The value, if it has the required shape; otherwise raises an error."""
    if value.shape != shape:
        raise compiler.refused(
            "LP-M005", node, f"{what} holds {shape}, but this is {value.shape}.", _how_to_make(shape)
        )
    return value


def constants_of(compiler: MethodCompiler, thing: SymbolicValue, node: ast.AST, what: str) -> list[Constant]:
    """The plain constants of a tuple or a range."""
    found: list[tuple[Constant] | None] = [None]
    if isinstance(thing, SymbolicConstant) and isinstance(thing.value, tuple | range):
        if length_of(thing.value) > MOST_CONSTANTS:
            fact = f"{what} has {length_of(thing.value):,} values."
            raise compiler.refused("LP-M011", node, fact, f"Use at most {MOST_CONSTANTS:,}, or compare with < and >.")
        found = list(map(plain_constant, thing.value))
    elif isinstance(thing, CompiledValue) and thing.shape.is_tuple:
        found = [(part.value,) if isinstance(part, Literal) else None for part in thing.parts]
    if not all(found):
        raise compiler.refused(
            "LP-M002", node, f"{what} is not a tuple or range of constants.", "Write a literal: (1, 2, 3)."
        )
    return [each[0] for each in found if each]


def locations(
    compiler: MethodCompiler, references: Sequence[PlaceReference], node: ast.AST
) -> Iterator[tuple[int, ...]]:
    """The location numbers of the given places; the caller writes its access for each.

    If several classes of nodes have such a field, there are several locations, each after a test of the class.
    """
    if not references:
        yield ()
        return
    first, *rest = references
    end = JumpLabel()
    for target in first.targets:
        location = compiler.declarations.location(first.where, target, first.register)
        following: JumpLabel | None = None
        if target != first.targets[-1]:
            test, following = compiler.temporary(), JumpLabel()
            number = compiler.declarations.fields[target].node_class
            compiler.emit(OpCode.IS_NODE, node, a=test, b=first.register, c=number)
            compiler.branch(test, following, False, node)
        for others in locations(compiler, rest, node):
            yield location, *others
        if following is not None:
            compiler.goto(end, node)
            compiler.place(following)
    compiler.place(end)


def write_load(
    compiler: MethodCompiler,
    reference: PlaceReference,
    node: ast.AST,
    slot: StorageSlot | None = None,
    code: OpCode = OpCode.LOAD,
) -> CompiledValue:
    """Load the value of a place, into ``slot`` if given."""
    base = compiler.base(slot, reference.shape, node)
    for (where,) in locations(compiler, [reference], node):
        compiler.emit(code, node, a=base, where=where)
    return in_registers(reference.shape, base)


def write_store(compiler: MethodCompiler, reference: PlaceReference, value: CompiledValue, node: ast.AST) -> None:
    """Store a value of the right shape."""
    row = compiler.row(value, node)
    for (where,) in locations(compiler, [reference], node):
        compiler.emit(OpCode.STORE, node, a=row, where=where)


def not_a_value(compiler: MethodCompiler, thing: SymbolicValue, node: ast.AST) -> ModelError:
    """The error for something that is used as a value but is not one."""
    code = "LP-M004"
    if isinstance(thing, PlaceReference) and thing.is_lock:
        fact, remedy = f"{thing.shown} is a lock.", f"Write with {thing.shown}: or {thing.shown}.acquire()."
    elif isinstance(thing, PlaceReference):
        fact, remedy = f"{thing.shown} is a cell, not its value.", f"Write {thing.shown}.load()."
    elif isinstance(thing, SymbolicArray):
        fact, remedy = f"self.{thing.name} is a whole array.", f"Write self.{thing.name}[i]."
    elif isinstance(thing, SymbolicCellMethod):
        fact, remedy = f".{thing.name} is a method of a cell.", f"Call it: .{thing.name}(...)."
    elif isinstance(thing, SymbolicMethod):
        fact, remedy = f"self.{thing.name} is a method.", f"Call it: self.{thing.name}(...)."
    elif isinstance(thing, SymbolicNodeClass):
        fact, remedy = f"{thing.name} is a class of nodes.", f"Create a node: self.{thing.name}(...)."
    elif isinstance(thing, SymbolicSelf):
        fact, remedy = "the model itself is not a value.", "Use a part of it: self.x.load()."
    else:
        assert isinstance(thing, SymbolicConstant)
        code = "LP-M005"
        fact = f"{object_name(thing.value)} is not a value that a variable or cell can hold."
        remedy = "Use one of its values." if isinstance(thing.value, tuple | range) else "Use a constant."
    return compiler.refused(code, node, fact, remedy)


def _how_to_make(shape: ValueShape) -> str:
    if shape.names:
        return f"Use linpoint.record({', '.join(f'{name}=...' for name in shape.names)})."
    return f"Write ({', '.join(['...'] * shape.width)})." if shape.is_tuple else "Store the parts one by one."


def object_name(value: Any) -> str:
    """The name of a Python object in messages."""
    return value.__name__ if hasattr(value, "__name__") else repr(value)
