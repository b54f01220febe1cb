# SPDX-License-Identifier: Apache-2.0
"""Syntax trees that call the announcing functions of the control, and code objects in which these calls are resolved.

A syntax tree can hold only plain constants, so a marker string that occurs in no program represents a function. In the
compiled code the function replaces the marker among the constants. So no name of the program is added or hidden.
"""

from __future__ import annotations

import ast
import types
import warnings
from collections.abc import Sequence
from typing import Any, Final

from linpoint.explore import _native_control as native
from linpoint.explore.python_control.bytecode_accesses import AccessAction

_MARK: Final = "\0linpoint "
_FUNCTIONS: Final[dict[str, Any]] = {
    f"{_MARK}{name}": function
    for name, function in (
        ("before", native.announce),
        ("call", native.announced_call),
        ("spread", native.announced_spread),
        ("item", native.announced_item),
        ("binary", native.announced_binary),
        ("compared", native.announced_compared),
        ("target", native.announced_target),
        ("iterate", native.announced_iterate),
        ("slice", slice),
    )
}
GENERATED_LINE: Final = 0
"""The line number of generated code, which exists in no source."""


def call(function: str, arguments: Sequence[ast.expr], at: ast.AST, keywords: Sequence[ast.keyword] = ()) -> ast.expr:
    """The call of an announcing function, at the position of ``at``."""
    called = ast.Call(ast.Constant(_MARK + function), list(arguments), list(keywords))
    return ast.copy_location(called, at)


def before(action: AccessAction, at: ast.AST, *operands: ast.expr, name: str | None = None) -> ast.expr:
    """Announce an access; the value is that of the first operand."""
    return call("before", [ast.Constant(int(action)), ast.Constant(name), *operands], at)


def unless_none(announcement: ast.expr, value: ast.expr) -> ast.expr:
    """Evaluate the announcement, which is None, and then ``value``, which is the result."""
    return ast.copy_location(ast.BoolOp(ast.Or(), [announcement, value]), value)


def cell_of(name: str) -> ast.expr:
    """A lambda that captures the cell of a variable: the only way to obtain the cell."""
    arguments = ast.arguments(posonlyargs=[], args=[], kwonlyargs=[], kw_defaults=[], defaults=[])
    found = ast.Lambda(arguments, ast.Name(name, ast.Load()))
    for node in ast.walk(found):
        if isinstance(node, ast.expr):
            node.lineno = node.end_lineno = GENERATED_LINE
            node.col_offset = node.end_col_offset = 0
    return found


def compiled(tree: ast.Module, file: str, flags: int = 0) -> types.CodeType:
    """The code of a tree, with functions in place of their markers."""
    ast.fix_missing_locations(tree)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SyntaxWarning)  # for the call of a string
        return with_constants(compile(tree, file, "exec", flags=flags, dont_inherit=True), _FUNCTIONS)


def with_constants(code: types.CodeType, instead: dict[str, Any]) -> types.CodeType:
    """A code object, including nested ones, with these constants in place of the markers."""
    constants = tuple(
        with_constants(each, instead)
        if isinstance(each, types.CodeType)
        else instead.get(each, each)
        if isinstance(each, str)
        else each
        for each in code.co_consts
    )
    return code.replace(co_consts=constants)
