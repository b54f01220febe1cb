# SPDX-License-Identifier: Apache-2.0
"""The state of compiling one operation, and the dispatch from a syntax node to the function that compiles it.

The functions of the other modules take a ``MethodCompiler`` and write code through it. They call each other downwards;
nested operands and statements are reached through the two tables by syntax node.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from linpoint.errors import ModelError
from linpoint.refine.frontend.class_declarations import ClassDeclarations
from linpoint.refine.frontend.code_writer import (
    CodeWriter,
    JumpLabel,
    StorageSlot,
    TemporarySlot,
    Variable,
    VariableSlot,
)
from linpoint.refine.frontend.method_scope import MethodScope
from linpoint.refine.frontend.unsupported_syntax import of_expression, of_statement
from linpoint.refine.symbolic_values import CompiledValue, Literal, PlaceReference, SymbolicValue, ValueShape

ExpressionCompiler = Callable[["MethodCompiler", Any, StorageSlot | None], SymbolicValue]
ConditionCompiler = Callable[["MethodCompiler", Any, JumpLabel, bool], bool]
"""Jumps to a label if the truth of an expression is as given. Returns whether it could, without creating a value."""
StatementCompiler = Callable[["MethodCompiler", Any], None]


@dataclass(eq=False)
class MethodCompiler(CodeWriter):
    """The code of one operation, with the method that is being compiled and the locks that it holds."""

    declarations: ClassDeclarations = field(kw_only=True)
    scope: MethodScope = field(kw_only=True)
    expressions: Mapping[type[ast.expr], ExpressionCompiler] = field(kw_only=True)
    conditions: Mapping[type[ast.expr], ConditionCompiler] = field(kw_only=True)
    statements: Mapping[type[ast.stmt], StatementCompiler] = field(kw_only=True)
    locks: list[tuple[PlaceReference, ast.AST]] = field(default_factory=list)
    """The locks held here by ``with``."""

    @property
    def held(self) -> int:
        """The number of locks held."""
        return len(self.locks)

    def refused(self, code: str, node: ast.AST, fact: str, remedy: str) -> ModelError:
        """The error for ``node``, to be raised by the caller."""
        return self.source.refused(code, node, fact, remedy)

    def evaluate(self, node: ast.expr, slot: StorageSlot | None = None) -> SymbolicValue:
        """Compile an expression; a value may be put into ``slot``."""
        compile_node = self.expressions.get(type(node))
        if compile_node is None:
            raise self.refused("LP-M002", node, *of_expression(node))
        return compile_node(self, node, slot)

    def block(self, nodes: list[ast.stmt]) -> None:
        """Compile statements, up to the first unreachable one."""
        for node in nodes:
            if self.is_dead:
                return
            with self.temporaries():
                compile_node = self.statements.get(type(node))
                if compile_node is None:
                    raise self.refused("LP-M002", node, *of_statement(node))
                compile_node(self, node)

    def temporary_slot(self, what: str) -> TemporarySlot:
        """Registers for a value whose shape is not known yet, until the current statement ends."""
        return TemporarySlot(self.owner, what)

    def base(self, slot: StorageSlot | None, shape: ValueShape, node: ast.AST) -> int:
        """The first register of the location for a value."""
        return self.temporary(shape.width) if slot is None else slot.base(self, shape, node)

    def set_variable(self, variable: Variable, value: CompiledValue, node: ast.AST) -> None:
        """Assign a variable."""
        self.move(VariableSlot(variable).base(self, value.shape, node), value.parts, node)
        self.assign(variable, value)

    def assign(self, variable: Variable, value: CompiledValue | None = None) -> None:
        """Record that a variable has a value from here on, perhaps a known one."""
        if self.assigned is not None:
            self.assigned |= {variable}
            self.known = {each: known for each, known in self.known.items() if each is not variable}
            if value is not None and value.shape.is_plain and isinstance(value.parts[0], Literal):
                self.known[variable] = value.parts[0].value
