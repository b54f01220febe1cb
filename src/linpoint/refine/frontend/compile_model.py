# SPDX-License-Identifier: Apache-2.0
"""Compiles the class of a model to ``program_ir.CompiledModel``.

Guarantee: the compiled code has the meaning that Python gives it, one process at a time. Unsupported code is rejected
with its place, and nothing is omitted silently. Of several mistakes, the first in the file is reported.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from linpoint.errors import ModelError
from linpoint.refine.dsl import Model
from linpoint.refine.frontend.class_declarations import ClassDeclarations
from linpoint.refine.frontend.code_writer import Variable
from linpoint.refine.frontend.declared_operations import DeclaredOperation, operations_of, setup_of
from linpoint.refine.frontend.method_compiler import MethodCompiler
from linpoint.refine.frontend.method_inlining import check_signature
from linpoint.refine.frontend.method_scope import MethodScope
from linpoint.refine.frontend.node_compilers import CONDITIONS, EXPRESSIONS, STATEMENTS
from linpoint.refine.frontend.peephole import simplify_jumps
from linpoint.refine.frontend.register_allocation import Registers, TooManyRegistersError
from linpoint.refine.method_source import class_definition, source_of
from linpoint.refine.program_ir import MAX_REGISTERS, CompiledModel, Instruction, Location, OpCode, OperationCode
from linpoint.refine.symbolic_values import PLAIN, SymbolicSelf
from linpoint.scenarios.tested_operation import mark_of


def compile_model(model: type[Model]) -> CompiledModel:
    """The program of a model, or a ``ModelError`` at the place of the first mistake."""
    if not isinstance(model, type) or not issubclass(model, Model) or model is Model:
        name = getattr(model, "__name__", repr(model))
        raise ModelError("LP-M012", f"{name} is not a model.", remedy="Pass a class that inherits from linpoint.Model.")
    declarations = ClassDeclarations(model)
    declared = operations_of(declarations)
    setup = setup_of(declarations)
    code: list[Instruction] = []
    compiled: list[OperationCode] = []
    mistakes: list[ModelError] = []
    for each in [*declared, *([] if setup is None else [setup])]:
        try:
            compiled.append(_compile(declarations, each, code))
        except ModelError as error:
            mistakes.append(error)
    if mistakes:
        raise min(mistakes, key=_position)
    source = source_of(declared[0].function)
    found = class_definition(model)
    instructions, locations = _numbered(code, list(declarations.locations))
    return CompiledModel(
        model.__name__,
        source.file,
        instructions,
        tuple(compiled[: len(declared)]),
        tuple(declarations.cells),
        tuple(declarations.classes),
        tuple(declarations.fields),
        locations,
        None if setup is None else compiled[-1],
        found[1].lineno if found is not None and found[0].file == source.file else 0,
        source.lines,
    )


def _numbered(
    code: list[Instruction], all_locations: list[Location]
) -> tuple[tuple[Instruction, ...], tuple[Location, ...]]:
    """The code with only those locations that it uses."""
    used = sorted({number for each in code for number in (each.where, each.other) if number >= 0})
    numbers = {-1: -1, **{old: new for new, old in enumerate(used)}}
    renumbered = tuple(replace(each, where=numbers[each.where], other=numbers[each.other]) for each in code)
    return renumbered, tuple(all_locations[number] for number in used)


def _position(error: ModelError) -> tuple[int, ...]:
    """The position of a mistake, in the order of the file; one without a column comes before the others in its line."""
    numbers = [int(part) for part in str(error.place).split(":") if part.isdigit()]
    return (*numbers, 0, 0)[:2]


def _compile(declarations: ClassDeclarations, operation: DeclaredOperation, code: list[Instruction]) -> OperationCode:
    """Append the code of an operation."""
    instructions: list[Instruction] = []
    names: tuple[str, ...] = ()
    for frugal in (False, True):
        try:
            instructions, names = _written(declarations, operation, len(code), frugal=frugal)
            break
        except TooManyRegistersError:
            if frugal:
                fact = f"{operation.name} requires more than {MAX_REGISTERS} registers."
                raise _too_large(operation, fact) from None
        except RecursionError:
            raise _too_large(operation, f"{operation.name} is nested too deeply.") from None
    entry = len(code)
    code.extend(instructions)
    return OperationCode(
        operation.name,
        entry,
        operation.parameters,
        names,
        operation.role,
        operation.pairs_with,
        operation.line,
    )


def _too_large(operation: DeclaredOperation, fact: str) -> ModelError:
    scope = MethodScope(operation.function)
    remedy = "Use fewer variables, smaller records and shorter expressions; called methods count as well."
    return scope.source.refused("LP-M011", scope.node, fact, remedy)


def _written(
    declarations: ClassDeclarations, operation: DeclaredOperation, first: int, *, frugal: bool
) -> tuple[list[Instruction], tuple[str, ...]]:
    scope = MethodScope(operation.function)
    check_signature(scope, is_operation=mark_of(operation.function) is not None)
    registers = Registers(frugal)
    compiler = MethodCompiler(
        registers,
        scope.source,
        declarations=declarations,
        scope=scope,
        expressions=EXPRESSIONS,
        conditions=CONDITIONS,
        statements=STATEMENTS,
    )
    own = scope.node.args
    scope.names[[*own.posonlyargs, *own.args][0].arg] = SymbolicSelf()
    for each in operation.parameters:
        variable = Variable(each.name, PLAIN, registers.take_named((each.name,)))
        scope.names[each.name] = variable
        compiler.assign(variable)
    scope.names.update(operation.constants)
    compiler.block(scope.node.body)
    if not compiler.is_dead:
        last: Any = scope.node.body[-1]
        row = compiler.temporary()
        compiler.constant(row, None, last)
        compiler.emit(OpCode.RETURN, last, a=row, c=1)
    return simplify_jumps(compiler.drafts, first), registers.shown()
