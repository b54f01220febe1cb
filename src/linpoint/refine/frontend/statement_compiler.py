# SPDX-License-Identifier: Apache-2.0
"""Statements: assignments, branches, loops, locks and returns."""

from __future__ import annotations

import ast

from linpoint.refine.frontend.assignment_compiler import (
    compile_assignment,
)
from linpoint.refine.frontend.code_writer import JumpLabel, Variable
from linpoint.refine.frontend.condition_compiler import compile_jump
from linpoint.refine.frontend.method_compiler import MethodCompiler
from linpoint.refine.frontend.method_inlining import inline_statement
from linpoint.refine.frontend.method_scope import assigned_names
from linpoint.refine.frontend.shared_accesses import (
    compile_operand,
    compile_value,
    locations,
)
from linpoint.refine.program_ir import OpCode, PlaceKind
from linpoint.refine.symbolic_values import (
    PlaceReference,
    in_registers,
    literal,
)


def compile_pass(_: MethodCompiler, __: ast.Pass) -> None:
    """``pass``: no code."""


def compile_assign(compiler: MethodCompiler, node: ast.Assign) -> None:
    """``a = b = value``."""
    compile_assignment(compiler, node.targets, node.value)


def compile_annotated_assign(compiler: MethodCompiler, node: ast.AnnAssign) -> None:
    """``a: int = value``; without a value there is no code."""
    if node.value is not None:
        compile_assignment(compiler, [node.target], node.value)


def compile_loop_jump(compiler: MethodCompiler, node: ast.Break | ast.Continue) -> None:
    """``break`` and ``continue``."""
    loop = compiler.scope.loops[-1]
    _release_locks(compiler, loop.held)
    compiler.goto(loop.end if isinstance(node, ast.Break) else loop.again, node)


def compile_with(compiler: MethodCompiler, node: ast.With) -> None:
    """``with lock:``."""
    _take_locks(compiler, node, node.items)


def compile_expression_statement(compiler: MethodCompiler, node: ast.Expr) -> None:
    """A call whose value is not used, or a docstring."""
    if isinstance(node.value, ast.Constant) and (isinstance(node.value.value, str) or node.value.value is ...):
        return
    if not isinstance(node.value, ast.Call):
        compiler.evaluate(node.value)  # errors raised there are more specific
        raise compiler.refused("LP-M002", node, "this expression does nothing.", "Assign its value, or remove it.")
    if not inline_statement(compiler, node.value):
        compiler.evaluate(node.value)


def compile_assert(compiler: MethodCompiler, node: ast.Assert) -> None:
    """``assert``."""
    if node.msg is not None and not isinstance(node.msg, ast.Constant):
        raise compiler.refused(
            "LP-M002", node.msg, "the message of an assert must be a text.", "Use a plain text, or omit it."
        )
    operand = compile_operand(compiler, node.test)
    if isinstance(operand, int) or not operand.value:
        compiler.emit(OpCode.ASSERT, node, a=compiler.register(operand, node))


def compile_if(compiler: MethodCompiler, node: ast.If) -> None:
    """``if`` with its branches."""
    other, end = JumpLabel(), JumpLabel()
    compile_jump(compiler, node.test, other, False)
    compiler.block(node.body)
    if node.orelse:
        compiler.goto(end, node.body[-1])
        compiler.place(other)
        compiler.block(node.orelse)
        compiler.place(end)
    else:
        compiler.place(other)


def _take_locks(compiler: MethodCompiler, node: ast.With, items: list[ast.withitem]) -> None:
    if not items:
        compiler.block(node.body)
        return
    first, *rest = items
    thing = compiler.evaluate(first.context_expr)
    if not isinstance(thing, PlaceReference) or not thing.is_lock:
        remedy = "Declare it in the class: m = linpoint.lock()."
        raise compiler.refused("LP-M004", first.context_expr, "`with` requires a lock.", remedy)
    if first.optional_vars is not None:
        raise compiler.refused("LP-M002", first.optional_vars, "a lock has no value.", "Remove `as`.")
    lock = _unchanging_lock(compiler, thing, node)
    for (where,) in locations(compiler, [lock], node):
        compiler.emit(OpCode.ACQUIRE, first.context_expr, where=where)
    compiler.locks.append((lock, first.context_expr))
    _take_locks(compiler, node, rest)
    _release_locks(compiler, compiler.held - 1)
    compiler.locks.pop()


def _unchanging_lock(compiler: MethodCompiler, lock: PlaceReference, node: ast.With) -> PlaceReference:
    """A reference to the lock that stays valid even if the body assigns the variable that names it."""
    if lock.where is PlaceKind.CELL:
        return lock
    for name in assigned_names(node.body):
        found = compiler.scope.names.get(name)
        if isinstance(found, Variable) and found.shape and lock.register in in_registers(found.shape, found.base).parts:
            kept = compiler.temporary()
            compiler.move(kept, [lock.register], node)
            return PlaceReference(lock.where, lock.targets, lock.shape, lock.shown, kept, lock.is_lock)
    return lock


def _release_locks(compiler: MethodCompiler, down_to: int) -> None:
    for lock, node in reversed(compiler.locks[down_to:]):
        for (where,) in locations(compiler, [lock], node):
            compiler.emit(OpCode.RELEASE, node, where=where)


def compile_return(compiler: MethodCompiler, node: ast.Return) -> None:
    """``return``, from the operation or from an inlined method."""
    scope = compiler.scope
    if scope.returning is None:
        value = literal(None) if node.value is None else compile_value(compiler, node.value)
        if value.shape.width == 1 and not value.shape.is_plain:
            raise compiler.refused("LP-M005", node, f"{value.shape} cannot be returned.", "Return the field itself.")
        row = compiler.row(value, node)
        _release_locks(compiler, 0)
        compiler.emit(OpCode.RETURN, node, a=row, c=value.shape.width)
        compiler.assigned = None
        return
    if compiler.held > scope.held:
        value = literal(None) if node.value is None else compile_value(compiler, node.value)
        _release_locks(compiler, scope.held)
        scope.returning.value(value, node)
    else:
        scope.returning.expression(node.value, node)
    if not compiler.is_dead:
        compiler.goto(scope.end, node)
