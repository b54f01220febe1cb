# SPDX-License-Identifier: Apache-2.0
"""Elements of arrays when a model runs in Python: ``self.a[i]`` is a value, but in ``self.a[i].cas(1, 2)`` it is a
cell.

Python evaluates ``[i]`` on the array in the same way in both cases. So before a model runs for the first time, those of
its methods that use a cell of an array are compiled again, with ``self.a.cells[i]`` in place of ``self.a[i]``. Lines
and columns stay the same. A method without an available source stays as it is, and then ``[i]`` is always a value.
"""

from __future__ import annotations
import __future__

import ast
import copy
from collections.abc import Iterator
from types import CodeType, FunctionType
from typing import Final
from weakref import WeakSet

from linpoint.errors import ModelError
from linpoint.refine.method_source import definition_of
from linpoint.refine.python_cells import CELL_METHODS, LOCK_METHODS

_METHODS: Final = frozenset(CELL_METHODS + LOCK_METHODS)
_FUTURE: Final = sum(getattr(__future__, name).compiler_flag for name in __future__.all_feature_names)

_read: Final[WeakSet[FunctionType]] = WeakSet()


def read_elements(model: type) -> None:
    """Let the methods of a model distinguish cells of arrays from their values."""
    for each in model.__mro__:
        for function in vars(each).values():
            if isinstance(function, FunctionType) and function not in _read:
                _read.add(function)
                _recompile(function)


def _recompile(function: FunctionType) -> None:
    try:
        node = definition_of(function)
    except ModelError:
        return
    changed = _CellsOfArrays()
    new = changed.visit(copy.deepcopy(node))
    if not changed.found:
        return
    body: ast.stmt = ast.ClassDef("Model", [], [], [new], [])  # for names that Python mangles inside a class
    free = function.__code__.co_freevars
    if free:
        outer = ast.parse(f"def outer({', '.join(name for name in free if name != '__class__')}): pass").body[0]
        assert isinstance(outer, ast.FunctionDef)
        outer.body = [body]
        body = outer
    module = ast.fix_missing_locations(ast.Module([body], []))
    flags = function.__code__.co_flags & _FUTURE
    compiled = compile(module, function.__code__.co_filename, "exec", flags=flags, dont_inherit=True)
    for code in _codes(compiled):
        same_place = code.co_firstlineno == function.__code__.co_firstlineno
        if code.co_name == node.name and same_place and code.co_freevars == free:
            function.__code__ = code


def _codes(code: CodeType) -> Iterator[CodeType]:
    for each in code.co_consts:
        if isinstance(each, CodeType):
            yield each
            yield from _codes(each)


class _CellsOfArrays(ast.NodeTransformer):
    """Replaces ``x[i]`` by ``x.cells[i]`` where a cell is meant."""

    def __init__(self) -> None:
        self.found = False

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        """The receiver of a method of cells."""
        self.generic_visit(node)
        if node.attr in _METHODS:
            node.value = self._cell(node.value)
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """The first two arguments of dcas."""
        self.generic_visit(node)
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", None)
        if name == "dcas":
            node.args[:2] = map(self._cell, node.args[:2])
        return node

    def visit_withitem(self, node: ast.withitem) -> ast.AST:
        """A lock in an array."""
        self.generic_visit(node)
        node.context_expr = self._cell(node.context_expr)
        return node

    def _cell(self, node: ast.expr) -> ast.expr:
        if not isinstance(node, ast.Subscript):
            return node
        self.found = True
        cells = ast.copy_location(ast.Attribute(node.value, "cells", ast.Load()), node.value)
        return ast.copy_location(ast.Subscript(cells, node.slice, node.ctx), node)
