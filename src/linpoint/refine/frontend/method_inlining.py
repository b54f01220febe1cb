# SPDX-License-Identifier: Apache-2.0
"""Calls of methods of the model: their bodies are inlined at the call.

An argument costs nothing if the method does not assign its parameter: the parameter is then another name for the value
of the caller, which may be a constant or a cell. A ``return`` becomes a jump past the body. If the call is a condition,
the ``return`` jumps directly on the returned expression.
"""

from __future__ import annotations

import ast
from types import FunctionType
from typing import Any

from linpoint.refine.frontend.code_writer import JumpLabel, StorageSlot, Variable, VariableSlot, misfit
from linpoint.refine.frontend.condition_compiler import branch_on_value, compile_jump
from linpoint.refine.frontend.method_compiler import MethodCompiler
from linpoint.refine.frontend.method_scope import (
    MethodScope,
    ReturnTarget,
    assigned_names,
    returns_once,
    symbolic_value_of,
)
from linpoint.refine.frontend.shared_accesses import compile_value, value_of
from linpoint.refine.program_ir import PlaceKind
from linpoint.refine.symbolic_values import (
    CompiledValue,
    PlaceReference,
    SymbolicArray,
    SymbolicConstant,
    SymbolicMethod,
    SymbolicSelf,
    SymbolicValue,
    in_registers,
    literal,
)
from linpoint.scenarios.tested_operation import mark_of, nearest


def inline_value(
    compiler: MethodCompiler, method: SymbolicMethod, node: ast.Call, slot: StorageSlot | None
) -> SymbolicValue:
    """The value that a method returns."""
    scope = _scope_of(compiler, method, node)
    wanted = compiler.temporary_slot(f"the result of {method.name}") if slot is None else slot
    results: list[CompiledValue] = []

    def put(value: CompiledValue, at: ast.AST) -> None:
        if results and results[0].shape != value.shape:
            raise misfit(compiler.source, at, f"the result of {method.name}", value.shape, results[0].shape)
        compiler.move(wanted.base(compiler, value.shape, at), value.parts, at)
        results.append(in_registers(value.shape, wanted.base(compiler, value.shape, at)))

    def keep(value: CompiledValue, at: ast.AST) -> None:
        if compiler.is_temporary(value.registers):
            put(value, at)  # these registers are released with the returning statement
        else:
            results.append(value)

    give = keep if returns_once(scope.node) else put
    _inline(compiler, scope, node, ReturnTarget(lambda each, at: give(_returned(compiler, each, wanted), at), give))
    return results[0] if results else literal(None)


def _returned(compiler: MethodCompiler, expression: ast.expr | None, slot: StorageSlot) -> CompiledValue:
    return literal(None) if expression is None else compile_value(compiler, expression, slot)


def inline_statement(compiler: MethodCompiler, node: ast.Call) -> bool:
    """Inline a call whose value is unused, if it calls a method; return whether it does."""
    method = _method(compiler, node)
    if method is None:
        return False

    def evaluate(expression: ast.expr | None, _: ast.AST) -> None:
        if expression is not None:
            compile_value(compiler, expression)

    _inline(compiler, _scope_of(compiler, method, node), node, ReturnTarget(evaluate, lambda *_: None))
    return True


def inline_condition(compiler: MethodCompiler, node: ast.Call, label: JumpLabel, when: bool) -> bool:
    """Jump on the returned value of a method."""
    method = _method(compiler, node)
    if method is None:
        return False

    def jump(expression: ast.expr | None, at: ast.AST) -> None:
        if expression is None:
            decide(literal(None), at)
        else:
            compile_jump(compiler, expression, label, when)

    def decide(value: CompiledValue, at: ast.AST) -> None:
        branch_on_value(compiler, value, label, when, at)

    with compiler.temporaries():
        _inline(compiler, _scope_of(compiler, method, node), node, ReturnTarget(jump, decide))
    return True


def _method(compiler: MethodCompiler, node: ast.Call) -> SymbolicMethod | None:
    called = node.func
    if not isinstance(called, ast.Attribute) or not isinstance(called.value, ast.Name):
        return None
    is_own = isinstance(compiler.scope.names.get(called.value.id), SymbolicSelf)
    found = compiler.declarations.attribute(called.attr) if is_own else None
    return found if isinstance(found, SymbolicMethod) else None


def _scope_of(compiler: MethodCompiler, method: SymbolicMethod, node: ast.Call) -> MethodScope:
    scope = MethodScope(method.function, compiler.scope)
    if scope.source.file != compiler.source.file:
        fact = f"{method.name} is written in another file: {scope.source.shown}."
        raise compiler.refused("LP-M010", node, fact, "Write all methods of a model in one file.")
    if scope.is_recursive:
        raise compiler.refused(
            "LP-M007", node, f"{method.name} calls itself, directly or indirectly.", "Write a loop instead."
        )
    check_signature(scope, is_operation=mark_of(method.function) is not None)
    return scope


def _inline(compiler: MethodCompiler, scope: MethodScope, node: ast.Call, returning: ReturnTarget) -> None:
    _bind(compiler, scope, node)
    scope.returning = returning
    scope.held = compiler.held
    compiler.scope, compiler.source = scope, scope.source
    compiler.block(scope.node.body)
    if not compiler.is_dead:
        returning.expression(None, scope.node.body[-1])
    compiler.place(scope.end)
    assert scope.caller is not None
    compiler.scope, compiler.source = scope.caller, scope.caller.source
    for each in scope.names.values():
        if isinstance(each, Variable) and each.shape is not None:
            compiler.owner.append((each.base, each.shape.width))


def _bind(compiler: MethodCompiler, scope: MethodScope, node: ast.Call) -> None:
    function, own = scope.function, scope.node.args
    positional = [each.arg for each in [*own.posonlyargs, *own.args]]
    names = positional[1:]
    every = [*names, *(each.arg for each in own.kwonlyargs)]
    shown = f"{function.__name__}({', '.join(every)})"
    scope.names[positional[0]] = SymbolicSelf()
    assigned = assigned_names(scope.node.body)
    given: dict[str, ast.expr] = {}
    for n, each in enumerate(node.args):
        if isinstance(each, ast.Starred):
            raise compiler.refused("LP-M002", each, "models do not support *.", "List the arguments.")
        if n >= len(names):
            raise compiler.refused("LP-M008", each, f"too many arguments for {shown}.", "Remove this one.")
        given[names[n]] = each
    for keyword in node.keywords:
        if keyword.arg is None:
            raise compiler.refused("LP-M002", keyword.value, "models do not support **.", "List the arguments.")
        if keyword.arg not in every or keyword.arg in given:
            fact = f"{shown} does not accept {keyword.arg}{' twice' if keyword.arg in given else ''}."
            near = "" if keyword.arg in given else nearest(keyword.arg, every)
            raise compiler.refused("LP-M008", keyword, fact, f"{near}Pass each parameter once.")
        given[keyword.arg] = keyword.value
    defaults = _defaults(function)
    bound: dict[str, Variable | SymbolicValue] = {}
    for name, expression in given.items():
        variable = Variable(name) if name in assigned else None
        thing = _argument(compiler, expression, variable)
        bound[name] = variable if variable is not None else thing
    for name in every:
        if name in bound:
            continue
        if name not in defaults:
            raise compiler.refused("LP-M008", node, f"{shown} is called without {name}.", "Pass it, or add a default.")
        found = symbolic_value_of(defaults[name])
        if found is None:
            raise scope.source.refused(
                "LP-M010", scope.node, f"the default of {name} is not a constant.", "Use a constant."
            )
        bound[name] = found
        if name in assigned:
            bound[name] = variable = Variable(name)
            compiler.set_variable(variable, value_of(compiler, found, node), node)
    scope.names.update(bound)


def _argument(compiler: MethodCompiler, node: ast.expr, variable: Variable | None) -> SymbolicValue:
    slot = None if variable is None else VariableSlot(variable)
    thing = compiler.evaluate(node, slot)
    if variable is None and isinstance(thing, SymbolicArray | SymbolicConstant):
        return thing
    if (
        variable is None
        and isinstance(thing, PlaceReference)
        and (thing.where is not PlaceKind.ELEMENT or thing.is_lock)
    ):
        return thing
    value = value_of(compiler, thing, node, slot)
    if variable is not None:
        compiler.set_variable(variable, value, node)
    return value


def check_signature(scope: MethodScope, *, is_operation: bool) -> None:
    """Reject unsupported methods: decorated ones, async ones, those with ``*args``, and those without ``self``."""
    node, source = scope.node, scope.source
    if isinstance(node, ast.AsyncFunctionDef):
        raise source.refused(
            "LP-M002", node, "models do not support async.", "Write def: each shared access is already a step."
        )
    for decorator in node.decorator_list[1 if is_operation else 0 :]:
        raise source.refused("LP-M002", decorator, f"{node.name} is decorated.", "Use only @linpoint.operation.")
    own = node.args
    for star in (own.vararg, own.kwarg):
        if star is not None:
            raise source.refused(
                "LP-M002", star, "models do not support * and ** in parameters.", "Name each parameter."
            )
    if not [*own.posonlyargs, *own.args]:
        raise source.refused(
            "LP-M002", node, f"{node.name} has no parameter for the model.", f"Write def {node.name}(self):"
        )


def _defaults(function: FunctionType) -> dict[str, Any]:
    """The defaults of parameters, as Python has evaluated them."""
    code = function.__code__
    values = function.__defaults__ or ()
    names = code.co_varnames[code.co_argcount - len(values) : code.co_argcount]
    return {**dict(zip(names, values, strict=True)), **(function.__kwdefaults__ or {})}
