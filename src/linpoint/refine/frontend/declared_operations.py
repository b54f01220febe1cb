# SPDX-License-Identifier: Apache-2.0
"""The operations of a model: the marked methods, their argument values, their roles, and the operations they follow."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from types import FunctionType
from typing import Any

from linpoint.errors import ModelError
from linpoint.refine.dsl import Model
from linpoint.refine.frontend.class_declarations import ClassDeclarations
from linpoint.refine.frontend.method_scope import MethodScope
from linpoint.refine.method_source import declaration_of, source_of
from linpoint.refine.program_ir import Constant, Parameter
from linpoint.refine.symbolic_values import SymbolicValue, symbolic_constant_of
from linpoint.scenarios.argument_sources import is_strategy
from linpoint.scenarios.tested_operation import OperationMark, mark_of, nearest


@dataclass(frozen=True, slots=True)
class DeclaredOperation:
    """An operation, before it is compiled. ``constants`` are parameters with a default and without values."""

    name: str
    function: FunctionType
    parameters: tuple[Parameter, ...] = ()
    role: str | None = None
    pairs_with: str | None = None
    line: int = 0
    constants: dict[str, SymbolicValue] = field(default_factory=dict)


def operations_of(declarations: ClassDeclarations) -> list[DeclaredOperation]:
    """The operations, in the order of the source. A method that overrides an operation keeps its mark."""
    found: dict[str, DeclaredOperation] = {}
    methods: dict[str, str] = {}
    for name, function in declarations.attributes.items():
        mark = _mark(declarations.model, name)
        if mark is None or not isinstance(function, FunctionType):
            continue
        operation = _operation(name, function, mark)
        if operation.name in found:
            raise _misfit(
                declarations, name, f'two operations are named "{operation.name}".', "Rename one with name=..."
            )
        found[operation.name] = operation
        methods[name] = operation.name
    model = declarations.model.__name__
    if not found:
        place = declaration_of(declarations.model, next(iter(declarations.attributes), ""))
        raise ModelError(
            "LP-M012",
            f"{model} has no operations.",
            place=None if place is None else place[0].place(place[1]),
            remedy="Mark the methods that processes call: @linpoint.operation",
        )
    for name, operation_name in methods.items():
        wanted = found[operation_name].pairs_with
        if wanted is not None and methods.get(wanted, wanted) not in found:
            raise _misfit(
                declarations,
                name,
                f'{operation_name} pairs with "{wanted}", which is not an operation of {model}.',
                f"{nearest(wanted, found)}Use one of: {', '.join(found)}.",
            )
    first, *others = found.values()
    for each in others:
        if source_of(each.function).file != source_of(first.function).file:
            raise MethodScope(each.function).source.refused(
                "LP-M010",
                MethodScope(each.function).node,
                f"{each.name} is not written in the file of {first.name}, {source_of(first.function).shown}.",
                "Write all methods of a model in one file.",
            )
    return [
        each if each.pairs_with is None else replace(each, pairs_with=methods.get(each.pairs_with, each.pairs_with))
        for each in found.values()
    ]


def setup_of(declarations: ClassDeclarations) -> DeclaredOperation | None:
    """The setup method, if the model has one."""
    for name in ("__init__", "__new__"):
        if name in declarations.attributes:
            raise _misfit(declarations, name, f"a model cannot have {name}.", "Write def setup(self):")
    setup = declarations.attributes.get("setup")
    if setup is None:
        return None
    own = MethodScope(setup).node.args if isinstance(setup, FunctionType) else None
    if own is None or len([*own.posonlyargs, *own.args, *own.kwonlyargs]) != 1 or mark_of(setup) is not None:
        raise _misfit(
            declarations, "setup", "setup must be a plain method without parameters.", "Write def setup(self):"
        )
    return DeclaredOperation("setup", setup, line=setup.__code__.co_firstlineno)


def _mark(model: type, name: str) -> OperationMark | None:
    """The mark of an operation, from this class or from the one that first defines the method."""
    for each in model.__mro__:
        if each in Model.__mro__:
            continue
        if (mark := mark_of(vars(each).get(name))) is not None:
            return mark
    return None


def _operation(name: str, function: FunctionType, mark: OperationMark) -> DeclaredOperation:
    scope = MethodScope(function)
    own = scope.node.args
    names = [each.arg for each in [*own.posonlyargs, *own.args]][1:] + [each.arg for each in own.kwonlyargs]
    shown = mark.name or name
    for each in mark.sources:
        if each not in names:
            raise scope.source.refused(
                "LP-M009",
                scope.node,
                f'there are values for "{each}", but {shown}({", ".join(names)}) has no such parameter.',
                f"{nearest(each, names)}Use the names of the parameters in @linpoint.operation.",
            )
    defaults = dict(zip(reversed(names), reversed(function.__defaults__ or ()), strict=False))
    defaults |= function.__kwdefaults__ or {}
    parameters: list[Parameter] = []
    constants: dict[str, SymbolicValue] = {}
    for each in names:
        if each in mark.sources:
            parameters.append(Parameter(each, _domain(scope, shown, each, mark.sources[each])))
        elif each in defaults and (constant := symbolic_constant_of(defaults[each])) is not None:
            constants[each] = constant
        else:
            raise scope.source.refused(
                "LP-M009",
                scope.node,
                f'the parameter "{each}" of {shown}({", ".join(names)}) has no values.',
                f"Add them: @linpoint.operation({each}=range(1, 3)).",
            )
    return DeclaredOperation(
        shown, function, tuple(parameters), mark.role, mark.pairs_with, scope.node.lineno, constants
    )


def _domain(scope: MethodScope, operation: str, parameter: str, given: Any) -> tuple[Constant, ...]:
    fact = f'the values of "{parameter}" of {operation} are a strategy, which does not list all values.'
    if not is_strategy(given):
        wrong = [each for each in given if each is not None and not isinstance(each, bool | int | str)]
        if not wrong:
            return tuple(given)
        fact = f'"{parameter}" of {operation} may be {wrong[0]!r}, which is not a value of a model.'
    raise scope.source.refused(
        "LP-M009", scope.node, fact, "Use a list, tuple or range of None, bools, integers and texts."
    )


def _misfit(declarations: ClassDeclarations, name: str, fact: str, remedy: str) -> ModelError:
    place = declaration_of(declarations.model, name)
    return ModelError("LP-M010", fact, place=None if place is None else place[0].place(place[1]), remedy=remedy)
