# SPDX-License-Identifier: Apache-2.0
"""Syntax and names that models do not support: the fact, and what to write instead."""

from __future__ import annotations

import ast
from typing import Final

_Refusal = tuple[str, str]

_EXPRESSIONS: Final[dict[type[ast.AST], _Refusal]] = {
    ast.Lambda: ("models have no lambda.", "Write a method, and call it: self.name(...)."),
    ast.ListComp: ("models have no comprehensions.", "Write a for loop over a range."),
    ast.SetComp: ("models have no comprehensions.", "Write a for loop over a range."),
    ast.DictComp: ("models have no comprehensions.", "Write a for loop over a range."),
    ast.GeneratorExp: ("models have no generators.", "Write a for loop over a range."),
    ast.List: (
        "models have no lists.",
        "Declare linpoint.array(...) for what is shared, and use a tuple for a few values.",
    ),
    ast.Dict: ("models have no dicts.", "Declare linpoint.array(...), or use a record or a node with fields."),
    ast.Set: ("models have no sets.", "Use a tuple of constants after `in`, or bools in a linpoint.array(...)."),
    ast.JoinedStr: ("models have no f-strings.", "Return the values themselves: return a, b."),
    ast.NamedExpr: ("models have no :=.", "Assign on a line of its own."),
    ast.Yield: ("models have no generators.", "Return the value, or store it in a cell."),
    ast.YieldFrom: ("models have no generators.", "Return the value, or store it in a cell."),
    ast.Await: ("models have no await.", "Each shared access is a step as it is; leave it out."),
    ast.Starred: ("models have no *.", "Write the values out."),
    ast.Slice: ("models have no slices.", "Name the elements one by one."),
    ast.Invert: ("models have no ~.", "Count with + - * // %, or use not."),
    ast.Div: ("models have no /: their numbers are integers.", "Write // to round down."),
    ast.Pow: ("models have no **.", "Multiply."),
    ast.MatMult: ("models have no @.", "Multiply by *."),
    ast.LShift: ("models have no <<.", "Multiply by a constant."),
    ast.RShift: ("models have no >>.", "Divide by a constant: x // 2."),
    ast.BitAnd: ("models have no &.", "Write `and` for conditions, % for the low bits."),
    ast.BitOr: ("models have no |.", "Write `or` for conditions, and a record for several flags."),
    ast.BitXor: ("models have no ^.", "Write != for conditions."),
}
_STATEMENTS: Final[dict[type[ast.AST], _Refusal]] = {
    ast.Try: ("models have no try.", "Nothing raises in a model: test for the case with if."),
    ast.TryStar: ("models have no try.", "Nothing raises in a model: test for the case with if."),
    ast.Raise: ("models have no raise.", "Write assert False for what must not happen, or return a value."),
    ast.Delete: ("models have no del.", "Leave it out, or set the variable to None."),
    ast.Global: ("models have no global.", "Declare a cell in the class: x = linpoint.atomic(0)."),
    ast.Nonlocal: ("models have no nonlocal.", "Declare a cell in the class: x = linpoint.atomic(0)."),
    ast.Import: ("models have no import.", "Import at the top of the file, and use constants of it."),
    ast.ImportFrom: ("models have no import.", "Import at the top of the file, and use constants of it."),
    ast.FunctionDef: ("models have no functions inside methods.", "Write a method, and call it: self.name(...)."),
    ast.AsyncFunctionDef: ("models have no functions inside methods.", "Write a method, and call it: self.name(...)."),
    ast.ClassDef: ("models have no classes inside methods.", "Write the class inside the model."),
    ast.AsyncFor: ("models have no async.", "Leave it out: each shared access is a step as it is."),
    ast.AsyncWith: ("models have no async.", "Leave it out: each shared access is a step as it is."),
    ast.Match: ("models have no match.", "Write if and elif."),
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
            return "the numbers of models are integers.", "Count in smaller units."
        return f"models have no {type(node.value).__name__}.", "Use None, a bool, an integer or a text."
    return _EXPRESSIONS.get(type(node), ("models have no such expression.", "Use simpler ones."))


def of_statement(node: ast.stmt) -> _Refusal:
    """The message for a statement."""
    return _STATEMENTS.get(type(node), ("models have no such statement.", "Use simpler ones."))
