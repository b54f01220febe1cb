# SPDX-License-Identifier: Apache-2.0
"""Syntax and names that models do not support: the fact, and what to write instead."""

from __future__ import annotations

import ast
from typing import Final

_Refusal = tuple[str, str]

_EXPRESSIONS: Final[dict[type[ast.AST], _Refusal]] = {
    ast.Lambda: ("models do not support lambda.", "Write a method, and call it: self.name(...)."),
    ast.ListComp: ("models do not support comprehensions.", "Write a for loop over a range."),
    ast.SetComp: ("models do not support comprehensions.", "Write a for loop over a range."),
    ast.DictComp: ("models do not support comprehensions.", "Write a for loop over a range."),
    ast.GeneratorExp: ("models do not support generators.", "Write a for loop over a range."),
    ast.List: (
        "models do not support lists.",
        "Declare linpoint.array(...) for shared values, or use a tuple for a few.",
    ),
    ast.Dict: ("models do not support dicts.", "Declare linpoint.array(...), or use a record or a node with fields."),
    ast.Set: ("models do not support sets.", "Use a tuple of constants after `in`, or bools in a linpoint.array(...)."),
    ast.JoinedStr: ("models do not support f-strings.", "Return the values themselves: return a, b."),
    ast.NamedExpr: ("models do not support :=.", "Assign on a line of its own."),
    ast.Yield: ("models do not support generators.", "Return the value, or store it in a cell."),
    ast.YieldFrom: ("models do not support generators.", "Return the value, or store it in a cell."),
    ast.Await: ("models do not support await.", "Remove it: each shared access is already a step."),
    ast.Starred: ("models do not support *.", "Write the values out."),
    ast.Slice: ("models do not support slices.", "Name the elements one by one."),
    ast.Invert: ("models do not support ~.", "Count with + - * // %, or use not."),
    ast.Div: ("models do not support /, since their numbers are integers.", "Write // to round down."),
    ast.Pow: ("models do not support **.", "Multiply."),
    ast.MatMult: ("models do not support @.", "Multiply by *."),
    ast.LShift: ("models do not support <<.", "Multiply by a constant."),
    ast.RShift: ("models do not support >>.", "Divide by a constant: x // 2."),
    ast.BitAnd: ("models do not support &.", "Write `and` for conditions, % for the low bits."),
    ast.BitOr: ("models do not support |.", "Write `or` for conditions, and a record for several flags."),
    ast.BitXor: ("models do not support ^.", "Write != for conditions."),
}
_STATEMENTS: Final[dict[type[ast.AST], _Refusal]] = {
    ast.Try: ("models do not support try.", "Test for the case with if; nothing raises in a model."),
    ast.TryStar: ("models do not support try.", "Test for the case with if; nothing raises in a model."),
    ast.Raise: ("models do not support raise.", "Write assert False for an impossible case, or return a value."),
    ast.Delete: ("models do not support del.", "Remove it, or set the variable to None."),
    ast.Global: ("models do not support global.", "Declare a cell in the class: x = linpoint.atomic(0)."),
    ast.Nonlocal: ("models do not support nonlocal.", "Declare a cell in the class: x = linpoint.atomic(0)."),
    ast.Import: ("models do not support import.", "Import at the top of the file, and use constants of it."),
    ast.ImportFrom: ("models do not support import.", "Import at the top of the file, and use constants of it."),
    ast.FunctionDef: (
        "models do not support functions inside methods.",
        "Write a method, and call it: self.name(...).",
    ),
    ast.AsyncFunctionDef: (
        "models do not support functions inside methods.",
        "Write a method, and call it: self.name(...).",
    ),
    ast.ClassDef: ("models do not support classes inside methods.", "Write the class inside the model."),
    ast.AsyncFor: ("models do not support async.", "Remove it: each shared access is already a step."),
    ast.AsyncWith: ("models do not support async.", "Remove it: each shared access is already a step."),
    ast.Match: ("models do not support match.", "Write if and elif."),
}
OTHER_NAMES: Final[dict[str, str]] = {
    "get": "load()",
    "read": "load()",
    "value": "load()",
    "put": "store(v)",
    "set": "store(v)",
    "write": "store(v)",
    "exchange": "swap(v)",
    "get_and_set": "swap(v)",
    "test_and_set": "swap(True)",
    "compare_and_set": "cas(old, new)",
    "compare_and_swap": "cas(old, new)",
    "compare_exchange": "cas(old, new)",
    "compare_exchange_strong": "cas(old, new)",
    "compare_exchange_weak": "cas(old, new)",
    "add": "fetch_add(n)",
    "increment": "fetch_add(1)",
    "decrement": "fetch_add(-1)",
    "fetch_sub": "fetch_add(-n)",
    "sub": "fetch_add(-n)",
    "load_linked": "ll()",
    "store_conditional": "sc(v)",
}
"""Common other names for methods of cells, and what to write instead."""


def of_expression(node: ast.AST) -> _Refusal:
    """The message for an expression or an operator."""
    if isinstance(node, ast.Constant):
        if isinstance(node.value, float | complex):
            return "models support only integers as numbers.", "Count in smaller units."
        return f"models do not support {type(node.value).__name__}.", "Use None, a bool, an integer or a text."
    return _EXPRESSIONS.get(type(node), ("models do not support this expression.", "Use simpler expressions."))


def of_statement(node: ast.stmt) -> _Refusal:
    """The message for a statement."""
    return _STATEMENTS.get(type(node), ("models do not support this statement.", "Use simpler statements."))
