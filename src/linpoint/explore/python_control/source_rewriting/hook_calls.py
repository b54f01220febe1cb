# SPDX-License-Identifier: Apache-2.0
"""Syntax trees that call the announcing functions of the control, and code in which these calls have become such.

A syntax tree can hold plain constants only, so a function stands in it as a word that no program has; in the compiled code
its place among the constants is taken by the function. So no name of the program is added or hidden.
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
"""The line of what is ours, and in no source."""


def call(function: str, arguments: Sequence[ast.expr], at: ast.AST, keywords: Sequence[ast.keyword] = ()) -> ast.expr:
    """The call of an announcing function, at the place of ``at``."""
    called = ast.Call(ast.Constant(_MARK + function), list(arguments), list(keywords))
    return ast.copy_location(called, at)


def before(action: AccessAction, at: ast.AST, *operands: ast.expr, name: str | None = None) -> ast.expr:
    """Announce an access; the value is that of the first operand."""
    return call("before", [ast.Constant(int(action)), ast.Constant(name), *operands], at)


def unless_none(announcement: ast.expr, value: ast.expr) -> ast.expr:
    """First one that is None, then the other, which is the value."""
    return ast.copy_location(ast.BoolOp(ast.Or(), [announcement, value]), value)


def cell_of(name: str) -> ast.expr:
    """A function that holds the cell of a variable: the one way to get at it."""
    arguments = ast.arguments(posonlyargs=[], args=[], kwonlyargs=[], kw_defaults=[], defaults=[])
    found = ast.Lambda(arguments, ast.Name(name, ast.Load()))
    for node in ast.walk(found):
        if isinstance(node, ast.expr):
            node.lineno = node.end_lineno = GENERATED_LINE
            node.col_offset = node.end_col_offset = 0
    return found


def compiled(tree: ast.Module, file: str, flags: int = 0) -> types.CodeType:
    """The code of a tree, with functions where their words were."""
    ast.fix_missing_locations(tree)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SyntaxWarning)  # that a word is called
        return with_constants(compile(tree, file, "exec", flags=flags, dont_inherit=True), _FUNCTIONS)


def with_constants(code: types.CodeType, instead: dict[str, Any]) -> types.CodeType:
    """A code object, and all those inside, with other constants instead of these words."""
    constants = tuple(
        with_constants(each, instead)
        if isinstance(each, types.CodeType)
        else instead.get(each, each)
        if isinstance(each, str)
        else each
        for each in code.co_consts
    )
    return code.replace(co_consts=constants)
