# SPDX-License-Identifier: Apache-2.0
"""The meaning of names inside one method: its variables, and the constants and functions that it sees from outside."""

from __future__ import annotations

import ast
import builtins
import types
from collections.abc import Callable
from dataclasses import dataclass, field
from types import FunctionType, ModuleType
from typing import Any

from linpoint.refine.frontend.code_writer import JumpLabel, Variable
from linpoint.refine.method_source import FunctionNode, MethodSource, definition_of, source_of
from linpoint.refine.symbolic_values import (
    CompiledValue,
    SymbolicConstant,
    SymbolicValue,
    symbolic_constant_of,
)


@dataclass(slots=True)
class ReturnTarget:
    """The effect of a ``return`` in an inlined method: with its expression, or with an existing value."""

    expression: Callable[[ast.expr | None, ast.AST], None]
    value: Callable[[CompiledValue, ast.AST], None]


@dataclass(slots=True)
class EnclosingLoop:
    """A loop around the current statement. ``held`` is the number of locks held at its beginning."""

    again: JumpLabel
    end: JumpLabel
    held: int


@dataclass(slots=True, eq=False)
class MethodScope:
    """One call of a method, while its body is compiled."""

    function: FunctionType
    caller: MethodScope | None = None
    names: dict[str, Variable | SymbolicValue] = field(default_factory=dict)
    returning: ReturnTarget | None = None
    """None in the operation itself."""
    end: JumpLabel = field(default_factory=JumpLabel)
    held: int = 0
    loops: list[EnclosingLoop] = field(default_factory=list)
    source: MethodSource = field(init=False)
    node: FunctionNode = field(init=False)

    def __post_init__(self) -> None:
        self.source = source_of(self.function)
        self.node = definition_of(self.function)

    @property
    def is_recursive(self) -> bool:
        """Whether the method is called while it runs."""
        caller = self.caller
        while caller is not None:
            if caller.function is self.function:
                return True
            caller = caller.caller
        return False

    def is_local(self, name: str) -> bool:
        """Whether a name is local to this method."""
        return name in self.function.__code__.co_varnames or name in self.function.__code__.co_cellvars

    def outer(self, name: str) -> tuple[Any] | None:
        """The object that an outer name denotes, in a 1-tuple; None if no such name exists."""
        code = self.function.__code__
        if name in code.co_freevars:
            cell = (self.function.__closure__ or ())[code.co_freevars.index(name)]
            try:
                return (cell.cell_contents,)
            except ValueError:
                return None
        for namespace in (self.function.__globals__, vars(builtins)):
            if name in namespace:
                return (namespace[name],)
        return None


def symbolic_value_of(value: Any) -> SymbolicValue | None:
    """An object from outside as expressions see it; None if models cannot use it."""
    found = symbolic_constant_of(value)
    if found is not None:
        return found
    known = ModuleType, type, types.FunctionType, types.BuiltinFunctionType
    return SymbolicConstant(value) if isinstance(value, known) else None


def assigned_names(nodes: list[ast.stmt]) -> frozenset[str]:
    """The names that statements set."""
    return frozenset(
        each.id
        for node in nodes
        for each in ast.walk(node)
        if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)
    )


def loaded_outside(function: FunctionNode, name: str) -> bool:
    """Whether a name is read anywhere except in loops that use it as their counter."""

    def reads(node: ast.AST) -> bool:
        if isinstance(node, ast.Name):
            return node.id == name and isinstance(node.ctx, ast.Load)
        if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name) and node.target.id == name:
            return True
        children = ast.iter_child_nodes(node)
        if isinstance(node, ast.For) and isinstance(node.target, ast.Name) and node.target.id == name:
            children = iter([node.iter, *node.orelse])
        return any(map(reads, children))

    return any(map(reads, function.body))


def returns_once(function: FunctionNode) -> bool:
    """Whether a method returns at one place only: it has one return, and its end is not reached otherwise."""
    nodes = list(ast.walk(function))
    returns = sum(isinstance(each, ast.Return) for each in nodes)
    if any(isinstance(each, ast.For) for each in nodes):  # its body may be written several times
        return returns == 0
    return returns == 0 or (returns == 1 and _never_ends(function.body[-1]))


def _never_ends(node: ast.stmt) -> bool:
    """Whether the code after a statement is obviously unreachable."""
    if isinstance(node, ast.While):
        is_endless = isinstance(node.test, ast.Constant) and bool(node.test.value)
        return is_endless and not any(isinstance(each, ast.Break) for each in ast.walk(node))
    if isinstance(node, ast.With):
        return _never_ends(node.body[-1])
    return isinstance(node, ast.Return)
