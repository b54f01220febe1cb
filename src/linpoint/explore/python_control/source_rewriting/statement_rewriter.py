# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: N802, N815 - the methods of a visitor carry the names of the nodes
"""Rewrites the statements of a module so that each access announces itself; extends ``expression_rewriter.py``.

Guarantee: as there. Points at which an interpreter with a global lock lets other threads run are announced too. Limit:
a ``match`` announces its subject as a whole, before it begins.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import Any, cast

from linpoint.explore.python_control.bytecode_accesses import AccessAction
from linpoint.explore.python_control.shared_names import SharedNames
from linpoint.explore.python_control.source_rewriting.expression_rewriter import (
    OPERATORS,
    UNPACKS_ITEMS,
    ExpressionRewriter,
)
from linpoint.explore.python_control.source_rewriting.hook_calls import before, call
from linpoint.explore.python_control.source_rewriting.name_scopes import NameKind, ScopeTable
from linpoint.explore.python_control.source_rewriting.syntax_queries import (
    Function,
    first_line,
    flat,
    must_be_first,
    names_in,
    statement,
    without_list,
)


def rewrite(tree: ast.Module, scopes: ScopeTable, shared: SharedNames, *, lines: bool = False) -> ast.Module:
    """The announcing tree of a module; with ``lines`` each statement is announced too. The tree is changed in place."""
    return cast("ast.Module", _Rewriter(scopes, shared, lines=lines).visit(tree))


class _Rewriter(ExpressionRewriter):
    def __init__(self, scopes: ScopeTable, shared: SharedNames, *, lines: bool) -> None:
        super().__init__(scopes, shared)
        self._lines = lines
        self._loops: list[bool] = []
        """For each enclosing loop, whether it is a ``while``."""

    def visit(self, node: ast.AST) -> Any:
        """Rewrite a node. With ``lines``, statements are scheduling points."""
        found = super().visit(node)
        if not self._lines or not isinstance(node, ast.stmt) or must_be_first(node):
            return found
        return [statement(before(AccessAction.LINE, node)), *(found if isinstance(found, list) else [found])]

    def _body(self, statements: Iterable[ast.stmt]) -> list[ast.stmt]:
        found: list[ast.stmt] = []
        for each in statements:
            new = self.visit(each)
            found += new if isinstance(new, list) else [new]
        return found

    def visit_FunctionDef(self, node: Function) -> Any:
        first = first_line(node)
        node.decorator_list = self._all(node.decorator_list)
        self._defaults(node.args)
        with self._inside(node.name, first):
            documented = 1 if ast.get_docstring(node, clean=False) is not None else 0
            first_statement, last = node.body[min(documented, len(node.body) - 1)], node.body[-1]
            body = self._body(node.body[documented:])
            begins = statement(before(AccessAction.BREAK, first_statement))
            ends = [statement(before(AccessAction.YIELD, last))] if self._generates() else []
            node.body = [*node.body[:documented], begins, *body, *ends]
        return node

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_ClassDef(self, node: ast.ClassDef) -> Any:
        first = first_line(node)
        node.decorator_list = self._all(node.decorator_list)
        node.bases = self._all(node.bases)
        node.keywords = [self.visit(each) for each in node.keywords]
        with self._inside(node.name, first, class_name=node.name):
            node.body = self._body(node.body)
        return node

    def visit_Assign(self, node: ast.Assign) -> Any:
        node.value = self._stored(self.visit(node.value), *node.targets)
        node.targets = [self._target(each) for each in node.targets]
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> Any:
        if node.value is not None:
            node.value = self._stored(self.visit(node.value), node.target)
            node.target = self._target(node.target)
        return node

    def visit_AugAssign(self, node: ast.AugAssign) -> Any:
        value = self.visit(node.value)
        if not isinstance(node.target, ast.Name):
            node.target, node.value = self._target(node.target), value
            return node
        old = self.visit(ast.copy_location(ast.Name(node.target.id, ast.Load()), node.target))
        number = len(OPERATORS) + OPERATORS.index(type(node.op))
        changed = call("binary", [ast.Constant(number), old, value], node)
        return ast.copy_location(ast.Assign([node.target], self._stored(changed, node.target)), node)

    def visit_Delete(self, node: ast.Delete) -> Any:
        found: list[ast.stmt] = []
        for each in flat(node.targets):
            if isinstance(each, ast.Name) and (kind := self._scope.kind(each.id, self._shared)) is not NameKind.OWN:
                operands, name = self._variable(kind, each.id)
                action = AccessAction.WRITE_CELL if kind is NameKind.CELL else AccessAction.DELETE_GLOBAL
                found.append(statement(before(action, each, *operands, name=name)))
            found.append(ast.copy_location(ast.Delete([self._target(each)]), node))
        return found

    def visit_For(self, node: ast.For | ast.AsyncFor) -> Any:
        node.iter = self.visit(without_list(node.iter))
        if isinstance(node, ast.For):
            node.iter = self._iterate(node.iter, node.target)
        node.target = self._target(node.target)
        self._loops.append(False)
        node.body = self._body(node.body)
        self._loops.pop()
        node.orelse = self._body(node.orelse)
        return node

    visit_AsyncFor = visit_For

    def _iterate(self, iterable: ast.expr, target: ast.expr) -> ast.expr:
        """Announce each item. ``target`` is not rewritten yet."""
        shared: list[ast.expr] = []
        for name in names_in([target]):
            kind = self._scope.kind(name.id, self._shared)
            if kind is not NameKind.OWN:
                operands, shown = self._variable(kind, name.id)
                shared += operands or [ast.Constant(shown)]
        flags = UNPACKS_ITEMS if isinstance(target, (ast.Tuple, ast.List)) else 0
        return call("iterate", [ast.Constant(flags), iterable, *shared], iterable)

    def visit_While(self, node: ast.While) -> Any:
        node.test = self._truth(node.test)
        self._loops.append(True)
        node.body = [*self._body(node.body), statement(before(AccessAction.BREAK, node))]
        self._loops.pop()
        node.orelse = self._body(node.orelse)
        return node

    def visit_Continue(self, node: ast.Continue) -> Any:
        return [statement(before(AccessAction.BREAK, node)), node] if self._loops[-1] else node

    def visit_With(self, node: ast.With | ast.AsyncWith) -> Any:
        stored: list[ast.expr] = []
        for each in node.items:
            each.context_expr = before(AccessAction.ENTER, each.context_expr, self.visit(each.context_expr))
            if each.optional_vars is not None:
                names = [name for name in names_in([each.optional_vars]) if self._is_shared(name)]
                stored += [self._stored(ast.copy_location(ast.Name(name.id, ast.Load()), name), name) for name in names]
                each.optional_vars = self._target(each.optional_vars)
        node.body = [*map(statement, stored), *self._body(node.body)]
        if isinstance(node, ast.AsyncWith):
            return node
        return [node, statement(before(AccessAction.BREAK, node))]  # leaving the block is a call

    visit_AsyncWith = visit_With

    def visit_If(self, node: ast.If) -> Any:
        node.test, node.body, node.orelse = self._truth(node.test), self._body(node.body), self._body(node.orelse)
        return node

    def visit_Assert(self, node: ast.Assert) -> Any:
        node.test = self._truth(node.test)
        node.msg = None if node.msg is None else self.visit(node.msg)
        return node

    def visit_Match(self, node: ast.Match) -> Any:
        classes = [each for each in ast.walk(node) if isinstance(each, ast.MatchClass)]
        names = ast.Constant(cast("Any", tuple(dict.fromkeys(name for each in classes for name in each.kwd_attrs))))
        subject = self.visit(node.subject)
        if isinstance(subject, ast.Tuple):
            subject.elts = [
                each if isinstance(each, ast.Starred) else before(AccessAction.MATCH, each, each, names)
                for each in subject.elts
            ]
        else:
            subject = before(AccessAction.MATCH, subject, subject, names)
        node.subject = subject
        for case in node.cases:
            case.guard = None if case.guard is None else self._truth(case.guard)
            case.body = self._body(case.body)
        return node

    def visit_Return(self, node: ast.Return) -> Any:
        value = None if node.value is None else self.visit(node.value)
        if self._generates():
            value = before(AccessAction.YIELD, node, value or ast.Constant(None))
        node.value = value
        return node

    def visit_TypeAlias(self, node: Any) -> Any:
        return node
