# SPDX-License-Identifier: Apache-2.0
"""The function that compiles each kind of syntax node. A node that is not listed is rejected."""

from __future__ import annotations

import ast
from typing import Final

from linpoint.refine.frontend.assignment_compiler import compile_augmented_assignment
from linpoint.refine.frontend.attribute_compiler import compile_attribute
from linpoint.refine.frontend.call_compiler import compile_call
from linpoint.refine.frontend.condition_compiler import compile_boolean, compile_comparison, compile_conditional
from linpoint.refine.frontend.expression_compiler import (
    compile_binary,
    compile_constant,
    compile_name,
    compile_subscript,
    compile_tuple,
    compile_unary,
)
from linpoint.refine.frontend.loop_compiler import compile_for, compile_while
from linpoint.refine.frontend.method_compiler import ConditionCompiler, ExpressionCompiler, StatementCompiler
from linpoint.refine.frontend.method_inlining import inline_condition
from linpoint.refine.frontend.statement_compiler import (
    compile_annotated_assign,
    compile_assert,
    compile_assign,
    compile_expression_statement,
    compile_if,
    compile_loop_jump,
    compile_pass,
    compile_return,
    compile_with,
)

EXPRESSIONS: Final[dict[type[ast.expr], ExpressionCompiler]] = {
    ast.Name: compile_name,
    ast.Constant: compile_constant,
    ast.Attribute: compile_attribute,
    ast.Subscript: compile_subscript,
    ast.Call: compile_call,
    ast.BinOp: compile_binary,
    ast.UnaryOp: compile_unary,
    ast.Compare: compile_comparison,
    ast.BoolOp: compile_boolean,
    ast.IfExp: compile_conditional,
    ast.Tuple: compile_tuple,
}

CONDITIONS: Final[dict[type[ast.expr], ConditionCompiler]] = {ast.Call: inline_condition}
"""Expressions that can jump without a value, in addition to those that always do."""

STATEMENTS: Final[dict[type[ast.stmt], StatementCompiler]] = {
    ast.Pass: compile_pass,
    ast.Expr: compile_expression_statement,
    ast.Assign: compile_assign,
    ast.AnnAssign: compile_annotated_assign,
    ast.AugAssign: compile_augmented_assignment,
    ast.If: compile_if,
    ast.While: compile_while,
    ast.For: compile_for,
    ast.Break: compile_loop_jump,
    ast.Continue: compile_loop_jump,
    ast.Return: compile_return,
    ast.Assert: compile_assert,
    ast.With: compile_with,
}
