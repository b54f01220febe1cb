# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: D102, N815 - the methods of a visitor carry the names of the nodes
"""Rewrites expressions so that each access to something shared announces itself immediately before it happens.

Guarantee: each operand is evaluated once and in the same order, and an announcement follows its operands. The
announcing function itself (``item``, ``call``, ``binary``) does everything else that an access needs, or an object that
replaces the operand does (``target``, ``compared``, ``iterate``). So the program gets no additional names. Limit: of
nested targets only the outermost unpacking is announced.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final, cast

from linpoint.explore.python_control.bytecode_accesses import AccessAction
from linpoint.explore.python_control.shared_names import SharedNames
from linpoint.explore.python_control.source_rewriting.hook_calls import before, call, cell_of, unless_none
from linpoint.explore.python_control.source_rewriting.name_scopes import MODULE, NameKind, PythonScope, ScopeTable
from linpoint.explore.python_control.source_rewriting.syntax_queries import folded, is_constant, names_in, without_list

OPERATORS: Final = (
    *(ast.Add, ast.BitAnd, ast.FloorDiv, ast.LShift, ast.MatMult, ast.Mult, ast.Mod),
    *(ast.BitOr, ast.Pow, ast.RShift, ast.Sub, ast.Div, ast.BitXor),
)
"""Operators in the order of the instruction ``BINARY_OP``; the in-place ones come after them."""
UNPACKS_ITEMS: Final = 1
"""Flag for iteration: each item is unpacked."""
_ENDS_GENERATOR: Final = 2
"""Flag for iteration: when no items are left, a generator ends."""
_SAME: Final = {ast.Is: 1, ast.IsNot: 2}

Comprehension = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp


class ExpressionRewriter(ast.NodeTransformer):
    """Rewrites expressions and assignment targets."""

    def __init__(self, scopes: ScopeTable, shared: SharedNames) -> None:
        self._scopes = scopes
        self._shared = shared
        self._scope = PythonScope(MODULE)

    @contextmanager
    def _inside(self, name: str, line: int, *, class_name: str = "") -> Iterator[None]:
        outer = self._scope
        self._scope = self._scopes.inner(outer, name, line, class_name=class_name)
        try:
            yield
        finally:
            self._scope = outer

    def _all(self, nodes: Iterable[ast.expr]) -> list[ast.expr]:
        return [self.visit(each) for each in nodes]

    def _defaults(self, arguments: ast.arguments) -> None:
        arguments.defaults = self._all(arguments.defaults)
        arguments.kw_defaults = [None if each is None else self.visit(each) for each in arguments.kw_defaults]

    def _generates(self) -> bool:
        return bool(self._scope.flags & inspect.CO_GENERATOR)

    def visit_Lambda(self, node: ast.Lambda) -> Any:
        self._defaults(node.args)
        with self._inside("<lambda>", node.lineno):
            node.body = unless_none(before(AccessAction.BREAK, node), self.visit(node.body))
        return node

    def _comprehension(self, node: Comprehension) -> Any:
        kind = {ast.ListComp: "list", ast.SetComp: "set", ast.DictComp: "dict", ast.GeneratorExp: "gen"}[type(node)]
        name = f"<{kind}comp>" if kind != "gen" else "<genexpr>"
        first, *others = node.generators
        outermost = self.visit(without_list(first.iter))
        with self._inside(name, node.lineno):
            generates = kind == "gen" and self._generates()
            for each in (first, *others):
                iterable = outermost if each is first else self.visit(without_list(each.iter))
                if not each.is_async:
                    flags = UNPACKS_ITEMS if isinstance(each.target, (ast.Tuple, ast.List)) else 0
                    flags |= _ENDS_GENERATOR if generates and each is first else 0
                    iterable = call("iterate", [ast.Constant(flags), iterable], iterable)
                each.iter = iterable
                each.target = self._target(each.target)
                each.ifs = [self._truth(condition) for condition in each.ifs]
            if isinstance(node, ast.DictComp):
                node.key, node.value = self.visit(node.key), self.visit(node.value)
            else:
                node.elt = self.visit(node.elt)
                if generates:
                    node.elt = before(AccessAction.YIELD, node.elt, node.elt)
        return node

    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = _comprehension

    def _variable(self, kind: NameKind, name: str) -> tuple[list[ast.expr], str | None]:
        """The operands to announce besides the value: the cell, or the name of a global."""
        return ([cell_of(name)], None) if kind is NameKind.CELL else ([], self._scope.mangled(name))

    def visit_Name(self, node: ast.Name) -> Any:
        kind = self._scope.kind(node.id, self._shared)
        if kind is NameKind.OWN or not isinstance(node.ctx, ast.Load):
            return node
        operands, name = self._variable(kind, node.id)
        action = AccessAction.READ_CELL if kind is NameKind.CELL else AccessAction.READ_GLOBAL
        return unless_none(before(action, node, *operands, name=name), node)

    def _stored(self, value: ast.expr, *targets: ast.expr) -> ast.expr:
        """A value to be assigned to targets, with announcements for unpacking and for shared variables."""
        if any(isinstance(each, (ast.Tuple, ast.List)) for each in targets) and not isinstance(value, ast.Tuple):
            value = before(AccessAction.READ_TOP, targets[0], value)
        for name in names_in(targets):
            kind = self._scope.kind(name.id, self._shared)
            if kind is not NameKind.OWN:
                operands, shown = self._variable(kind, name.id)
                action = AccessAction.WRITE_CELL if kind is NameKind.CELL else AccessAction.WRITE_GLOBAL
                value = before(action, name, value, *operands, name=shown)
        return value

    def _target(self, node: ast.expr) -> Any:
        """A target of an assignment or deletion: an attribute or item becomes the only item of an announcing object."""
        if isinstance(node, (ast.Tuple, ast.List)):
            node.elts = [self._target(each) for each in node.elts]
        elif isinstance(node, ast.Starred):
            node.value = self._target(node.value)
        elif isinstance(node, ast.Attribute):
            name = ast.Constant(self._scope.mangled(node.attr))
            return self._only_item(node, [name, self.visit(node.value)])
        elif isinstance(node, ast.Subscript):
            return self._only_item(node, [ast.Constant(None), self.visit(node.value), self._index(node.slice)])
        return node

    @staticmethod
    def _only_item(node: ast.Attribute | ast.Subscript, arguments: Sequence[ast.expr]) -> ast.expr:
        return ast.copy_location(ast.Subscript(call("target", arguments, node), ast.Constant(None), node.ctx), node)

    def _is_shared(self, name: ast.Name) -> bool:
        return self._scope.kind(name.id, self._shared) is not NameKind.OWN

    def _truth(self, node: ast.expr) -> ast.expr:
        """A value of which only the truth is used."""
        if isinstance(node, ast.BoolOp):
            node.values = [self._truth(each) for each in node.values]
            return node
        if isinstance(node, ast.IfExp):
            node.test, node.body, node.orelse = map(self._truth, (node.test, node.body, node.orelse))
            return node
        is_bool = isinstance(node, ast.Compare) or (isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not))
        if is_bool or isinstance(node, ast.Constant):
            return cast("ast.expr", self.visit(node))
        return before(AccessAction.READ_TOP, node, self.visit(node))

    def visit_BoolOp(self, node: ast.BoolOp) -> Any:
        node.values = [*(self._truth(each) for each in node.values[:-1]), self.visit(node.values[-1])]
        return node

    def visit_IfExp(self, node: ast.IfExp) -> Any:
        node.test, node.body, node.orelse = self._truth(node.test), self.visit(node.body), self.visit(node.orelse)
        return node

    def visit_UnaryOp(self, node: ast.UnaryOp) -> Any:
        node.operand = self._truth(node.operand) if isinstance(node.op, ast.Not) else self.visit(node.operand)
        return node

    def visit_NamedExpr(self, node: ast.NamedExpr) -> Any:
        node.value = self._stored(self.visit(node.value), node.target)
        return node

    def visit_Attribute(self, node: ast.Attribute) -> Any:
        action = (
            AccessAction.READ_ANY
            if self._scope.mangled(node.attr) in self._shared.attributes
            else AccessAction.READ_ATTRIBUTE
        )
        node.value = before(action, node, self.visit(node.value), name=self._scope.mangled(node.attr))
        return node

    def visit_Subscript(self, node: ast.Subscript) -> Any:
        return call("item", [self.visit(node.value), self._index(node.slice)], node)

    def _index(self, node: ast.expr) -> ast.expr:
        if isinstance(node, ast.Slice):
            parts = (node.lower, node.upper, node.step)
            return call("slice", [ast.Constant(None) if each is None else self.visit(each) for each in parts], node)
        if isinstance(node, ast.Tuple):
            node.elts = [self._index(each) for each in node.elts]
            return node
        return cast("ast.expr", self.visit(node))

    def visit_Call(self, node: ast.Call) -> Any:
        keywords = [self.visit(each) for each in node.keywords]
        if isinstance(node.func, ast.Name) and node.func.id == "super":
            node.args, node.keywords = self._all(node.args), keywords
            return node
        function = self.visit(node.func)
        if len(node.args) == 1 and isinstance(node.args[0], ast.Starred):  # unpacked after everything else is evaluated
            return call("spread", [function, self.visit(node.args[0].value)], node, keywords)
        return call("call", [function, *self._all(node.args)], node, keywords)

    def visit_keyword(self, node: ast.keyword) -> Any:
        value = self.visit(node.value)
        node.value = value if node.arg is not None else before(AccessAction.READ_TOP, value, value)
        return node

    def visit_Starred(self, node: ast.Starred) -> Any:
        node.value = before(AccessAction.READ_TOP, node, self.visit(node.value))
        return node

    def visit_Dict(self, node: ast.Dict) -> Any:
        for number, (key, value) in enumerate(zip(node.keys, node.values, strict=True)):
            node.keys[number] = None if key is None else self.visit(key)
            found = self.visit(value)
            node.values[number] = before(AccessAction.READ_TOP, found, found) if key is None else found
        return node

    def visit_BinOp(self, node: ast.BinOp) -> Any:
        if is_constant(node):
            return node
        number = ast.Constant(OPERATORS.index(type(node.op)))
        return call("binary", [number, self.visit(node.left), self.visit(node.right)], node)

    def visit_Compare(self, node: ast.Compare) -> Any:
        """Wrap each operand in an object that announces its comparison, as the left operand, with the next."""
        if all(type(each) in _SAME for each in node.ops):
            return self.generic_visit(node)
        values: list[ast.expr] = [node.left]
        for op, each in zip(node.ops, node.comparators, strict=True):
            values.append(folded(each) if isinstance(op, (ast.In, ast.NotIn)) else each)
        kinds = [*(_SAME.get(type(each), 0) for each in node.ops), 0]
        node.left, *node.comparators = [
            call("compared", [ast.Constant(kind), self.visit(each)], each)
            for kind, each in zip(kinds, values, strict=True)
        ]
        instead: dict[int, type[ast.cmpop]] = {1: ast.Eq, 2: ast.NotEq}
        node.ops = [instead[kind]() if kind else op for kind, op in zip(kinds, node.ops, strict=False)]
        return node

    def visit_FormattedValue(self, node: ast.FormattedValue) -> Any:
        node.value = before(AccessAction.READ_DEEPLY, node.value, self.visit(node.value))
        node.format_spec = None if node.format_spec is None else self.visit(node.format_spec)
        return node

    def visit_Yield(self, node: ast.Yield) -> Any:
        value = ast.Constant(None) if node.value is None else self.visit(node.value)
        node.value = before(AccessAction.YIELD, node, value) if self._generates() else value
        return before(AccessAction.BREAK, node, node)

    def visit_YieldFrom(self, node: ast.YieldFrom) -> Any:
        node.value = call("iterate", [ast.Constant(0), self.visit(node.value)], node)
        return node
