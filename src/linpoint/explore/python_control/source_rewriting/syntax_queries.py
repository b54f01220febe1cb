# SPDX-License-Identifier: Apache-2.0
"""Small queries about syntax trees, answered as the compiler would."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import Any, cast

Function = ast.FunctionDef | ast.AsyncFunctionDef


def statement(value: ast.expr) -> ast.stmt:
    """An expression as a statement, evaluated for its effect."""
    return ast.copy_location(ast.Expr(value), value)


def first_line(node: Function | ast.ClassDef) -> int:
    """The first line of a function or class: that of its first decorator, if any."""
    return min([node.lineno, *(each.lineno for each in node.decorator_list)])


def must_be_first(node: ast.stmt) -> bool:
    """Whether a statement has a meaning only at the beginning, or none at all."""
    if isinstance(node, ast.ImportFrom):
        return node.module == "__future__"
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def flat(targets: Iterable[ast.expr]) -> Iterator[ast.expr]:
    """Targets without nesting."""
    for each in targets:
        if isinstance(each, (ast.Tuple, ast.List)):
            yield from flat(each.elts)
        else:
            yield each.value if isinstance(each, ast.Starred) else each


def names_in(targets: Iterable[ast.expr]) -> Iterator[ast.Name]:
    """The names that are assigned to."""
    return (each for each in flat(targets) if isinstance(each, ast.Name))


def is_constant(node: ast.expr) -> bool:
    """Whether the compiler computes the value."""
    if isinstance(node, ast.BinOp):
        return is_constant(node.left) and is_constant(node.right)
    return isinstance(node, ast.Constant) or (isinstance(node, ast.UnaryOp) and is_constant(node.operand))


def folded(node: ast.expr) -> ast.expr:
    """A constant container of a membership test in the immutable form that the compiler stores."""
    if isinstance(node, (ast.List, ast.Set)) and all(isinstance(each, ast.Constant) for each in node.elts):
        values = [cast("ast.Constant", each).value for each in node.elts]
        folded = tuple(values) if isinstance(node, ast.List) else frozenset(values)
        return ast.copy_location(ast.Constant(cast("Any", folded)), node)
    return node


def without_list(node: ast.expr) -> ast.expr:
    """An iterated expression in the form that the compiler gives it: a list without a name can never change."""
    if isinstance(node, ast.List) and not any(isinstance(each, ast.Starred) for each in node.elts):
        return ast.copy_location(ast.Tuple(node.elts, ast.Load()), node)
    return folded(node)
