# SPDX-License-Identifier: Apache-2.0
"""Calls of methods of the model: their bodies are written in the place of the call.

An argument costs nothing where the method does not assign its parameter: the parameter is then another name for the
caller's value, which may be a constant, or a cell. A ``return`` becomes a jump past the body; where the call is a
condition, it jumps on the returned expression at once.
"""

from __future__ import annotations

import ast
from types import FunctionType
from typing import Any

from linpoint.refine.frontend.call_compiler import Calls
from linpoint.refine.frontend.code_writer import Label, Slot, Variable, VariableSlot, misfit
from linpoint.refine.frontend.method_scope import Returning, Scope, assigned_names, returns_once, thing_of
from linpoint.refine.frontend.symbolic_values import (
    ArrayThing,
    Known,
    Literal,
    Method,
    Reference,
    SelfThing,
    Thing,
    Value,
    in_registers,
    literal,
)
from linpoint.refine.program_ir import PlaceKind
from linpoint.scenarios.tested_operation import mark_of, nearest


class Inlining(Calls):
    """Writes calls of methods. Statements are for those that inherit from it."""

    def block(self, nodes: list[ast.stmt]) -> None:
        """Write statements."""
        raise NotImplementedError

    def call_method(self, method: Method, node: ast.Call, slot: Slot | None) -> Thing:
        """The value that a method gives."""
        scope = self._scope_of(method, node)
        wanted = self.temporary_slot(f"what {method.name} returns") if slot is None else slot
        results: list[Value] = []

        def put(value: Value, at: ast.AST) -> None:
            if results and results[0].shape != value.shape:
                raise misfit(self.source, at, f"what {method.name} returns", value.shape, results[0].shape)
            self.move(wanted.base(self, value.shape, at), value.parts, at)
            results.append(in_registers(value.shape, wanted.base(self, value.shape, at)))

        def keep(value: Value, at: ast.AST) -> None:
            if self.is_temporary(value.registers):
                put(value, at)  # which end with the statement that returns
            else:
                results.append(value)

        give = keep if returns_once(scope.node) else put
        self._inline(scope, node, Returning(lambda each, at: give(self._returned(each, wanted), at), give))
        return results[0] if results else literal(None)

    def _returned(self, expression: ast.expr | None, slot: Slot) -> Value:
        return literal(None) if expression is None else self.value(expression, slot)

    def run_method(self, node: ast.Call) -> bool:
        """Write a call whose value nobody asks for, if it is one of a method; whether it was."""
        method = self._method(node)
        if method is None:
            return False

        def evaluate(expression: ast.expr | None, _: ast.AST) -> None:
            if expression is not None:
                self.value(expression)

        self._inline(self._scope_of(method, node), node, Returning(evaluate, lambda *_: None))
        return True

    def jump_on_call(self, node: ast.Call, label: Label, when: bool) -> bool:
        """Jump on what a method returns."""
        method = self._method(node)
        if method is None:
            return False

        def jump(expression: ast.expr | None, at: ast.AST) -> None:
            if expression is None:
                decide(literal(None), at)
            else:
                self.jump(expression, label, when)

        def decide(value: Value, at: ast.AST) -> None:
            self.branch_on(value, label, when, at)

        with self.temporaries():
            self._inline(self._scope_of(method, node), node, Returning(jump, decide))
        return True

    def _method(self, node: ast.Call) -> Method | None:
        called = node.func
        if not isinstance(called, ast.Attribute) or not isinstance(called.value, ast.Name):
            return None
        is_own = isinstance(self.scope.names.get(called.value.id), SelfThing)
        found = self.declarations.attribute(called.attr) if is_own else None
        return found if isinstance(found, Method) else None

    def _scope_of(self, method: Method, node: ast.Call) -> Scope:
        scope = Scope(method.function, self.scope)
        if scope.source.file != self.source.file:
            fact = f"{method.name} is written in another file: {scope.source.shown}."
            raise self.refused("LP-M010", node, fact, "Write all methods of a model in one file.")
        if scope.is_recursive:
            raise self.refused(
                "LP-M007", node, f"{method.name} calls itself, here or further down.", "Write a loop instead."
            )
        check_signature(scope, is_operation=mark_of(method.function) is not None)
        return scope

    def _inline(self, scope: Scope, node: ast.Call, returning: Returning) -> None:
        self._bind(scope, node)
        scope.returning = returning
        scope.held = self.held
        self.scope, self.source = scope, scope.source
        self.block(scope.node.body)
        if not self.is_dead:
            returning.expression(None, scope.node.body[-1])
        self.place(scope.end)
        assert scope.caller is not None
        self.scope, self.source = scope.caller, scope.caller.source
        for each in scope.names.values():
            if isinstance(each, Variable) and each.shape is not None:
                self.owner.append((each.base, each.shape.width))

    @property
    def held(self) -> int:
        """How many locks are held."""
        raise NotImplementedError

    # Arguments

    def _bind(self, scope: Scope, node: ast.Call) -> None:
        function, own = scope.function, scope.node.args
        positional = [each.arg for each in [*own.posonlyargs, *own.args]]
        names = positional[1:]
        every = [*names, *(each.arg for each in own.kwonlyargs)]
        shown = f"{function.__name__}({', '.join(every)})"
        scope.names[positional[0]] = SelfThing()
        assigned = assigned_names(scope.node.body)
        given: dict[str, ast.expr] = {}
        for n, each in enumerate(node.args):
            if isinstance(each, ast.Starred):
                raise self.refused("LP-M002", each, "models have no *.", "Write the arguments out.")
            if n >= len(names):
                raise self.refused("LP-M008", each, f"there are too many arguments for {shown}.", "Leave it out.")
            given[names[n]] = each
        for keyword in node.keywords:
            if keyword.arg is None:
                raise self.refused("LP-M002", keyword.value, "models have no **.", "Write the arguments out.")
            if keyword.arg not in every or keyword.arg in given:
                fact = f"{shown} cannot be given {keyword.arg}{' twice' if keyword.arg in given else ''}."
                near = "" if keyword.arg in given else nearest(keyword.arg, every)
                raise self.refused("LP-M008", keyword, fact, f"{near}Give each parameter once.")
            given[keyword.arg] = keyword.value
        defaults = _defaults(function)
        bound: dict[str, Variable | Thing] = {}
        for name, expression in given.items():
            variable = Variable(name) if name in assigned else None
            thing = self._argument(expression, variable)
            bound[name] = variable if variable is not None else thing
        for name in every:
            if name in bound:
                continue
            if name not in defaults:
                raise self.refused("LP-M008", node, f"{shown} is called without {name}.", "Give it, or a default.")
            found = thing_of(defaults[name])
            if found is None:
                raise scope.source.refused(
                    "LP-M010", scope.node, f"the default of {name} is no constant.", "Give a constant."
                )
            bound[name] = found
            if name in assigned:
                bound[name] = variable = Variable(name)
                self.set_variable(variable, self.value_of(found, node), node)
        scope.names.update(bound)

    def _argument(self, node: ast.expr, variable: Variable | None) -> Thing:
        slot = None if variable is None else VariableSlot(variable)
        thing = self.evaluate(node, slot)
        if variable is None and isinstance(thing, ArrayThing | Known):
            return thing
        if (
            variable is None
            and isinstance(thing, Reference)
            and (thing.where is not PlaceKind.ELEMENT or thing.is_lock)
        ):
            return thing
        value = self.value_of(thing, node, slot)
        if variable is not None:
            self.set_variable(variable, value, node)
        return value

    def set_variable(self, variable: Variable, value: Value, node: ast.AST) -> None:
        """Assign a variable."""
        self.move(VariableSlot(variable).base(self, value.shape, node), value.parts, node)
        self.assign(variable, value)

    def assign(self, variable: Variable, value: Value | None = None) -> None:
        """From here on a variable has a value, perhaps a known one."""
        if self.assigned is not None:
            self.assigned |= {variable}
            self.known = {each: known for each, known in self.known.items() if each is not variable}
            if value is not None and value.shape.is_plain and isinstance(value.parts[0], Literal):
                self.known[variable] = value.parts[0].value


def check_signature(scope: Scope, *, is_operation: bool) -> None:
    """Refuse what methods of models cannot be: decorated, async, with ``*args``, without ``self``."""
    node, source = scope.node, scope.source
    if isinstance(node, ast.AsyncFunctionDef):
        raise source.refused(
            "LP-M002", node, "models have no async.", "Write def: each shared access is a step as it is."
        )
    for decorator in node.decorator_list[1 if is_operation else 0 :]:
        raise source.refused(
            "LP-M002", decorator, f"{node.name} is decorated.", "Only @linpoint.operation may stand there."
        )
    own = node.args
    for star in (own.vararg, own.kwarg):
        if star is not None:
            raise source.refused("LP-M002", star, "models have no * and ** in parameters.", "Name each parameter.")
    if not [*own.posonlyargs, *own.args]:
        raise source.refused("LP-M002", node, f"{node.name} does not take the model.", f"Write def {node.name}(self):")


def _defaults(function: FunctionType) -> dict[str, Any]:
    """The defaults of parameters, as Python has evaluated them."""
    code = function.__code__
    values = function.__defaults__ or ()
    names = code.co_varnames[code.co_argcount - len(values) : code.co_argcount]
    return {**dict(zip(names, values, strict=True)), **(function.__kwdefaults__ or {})}
