# SPDX-License-Identifier: Apache-2.0
"""Loops: ``while``, and ``for`` over a range or a tuple of constants."""

from __future__ import annotations

import ast

from linpoint.refine.frontend.assignment_compiler import (
    assign_target,
    variable_of,
)
from linpoint.refine.frontend.builtin_functions import positional_arguments
from linpoint.refine.frontend.code_writer import JumpLabel, RegisterSlot, Variable, VariableSlot
from linpoint.refine.frontend.condition_compiler import branch_on_value, compile_jump, compile_order
from linpoint.refine.frontend.expression_compiler import compile_arithmetic
from linpoint.refine.frontend.method_compiler import MethodCompiler
from linpoint.refine.frontend.method_scope import EnclosingLoop, assigned_names, loaded_outside, symbolic_value_of
from linpoint.refine.frontend.shared_accesses import (
    compile_operand,
    compile_value,
    constants_of,
    value_of,
)
from linpoint.refine.program_ir import OpCode
from linpoint.refine.python_cells import same
from linpoint.refine.symbolic_values import (
    PLAIN,
    CompiledValue,
    Literal,
    Operand,
    SymbolicConstant,
    SymbolicSelf,
    in_registers,
)


def compile_while(compiler: MethodCompiler, node: ast.While) -> None:
    """``while``."""
    if node.orelse:
        raise compiler.refused(
            "LP-M002", node.orelse[0], "models do not support else of a loop.", "Set a variable before break."
        )
    loop = EnclosingLoop(JumpLabel(), JumpLabel(), compiler.held)
    if _is_surely_true(
        compiler, node.test
    ):  # initially, as in found = False; while not found: the body may set variables
        first = JumpLabel()
        _forget_assigned(compiler, node.body)
        compiler.place(first)
        _compile_loop_body(compiler, loop, node.body)
        compiler.place(loop.again)
        if not compiler.is_dead:
            compile_jump(compiler, node.test, first, True)
    else:
        _forget_assigned(compiler, node.body)
        compiler.place(loop.again)
        compile_jump(compiler, node.test, loop.end, False)
        _compile_loop_body(compiler, loop, node.body)
        compiler.goto(loop.again, node)
    compiler.place(loop.end)


def _is_surely_true(compiler: MethodCompiler, node: ast.expr) -> bool:
    """Whether a condition on variables is known to be true here."""
    match node:
        case ast.UnaryOp(op=ast.Not(), operand=ast.Name(id=name)):
            found = compiler.scope.names.get(name)
            return isinstance(found, Variable) and found in compiler.known and not compiler.known[found]
        case ast.Name():
            found = compiler.scope.names.get(node.id)
            return isinstance(found, Variable) and bool(compiler.known.get(found))
        case ast.Compare(left=ast.Name(id=name), ops=[op], comparators=[other]):
            found = compiler.scope.names.get(name)
            if not isinstance(found, Variable) or found not in compiler.known or not _is_constant(compiler, other):
                return False
            (part,) = compile_value(compiler, other).parts
            assert isinstance(part, Literal)
            if isinstance(op, ast.NotEq | ast.IsNot):
                return not same(compiler.known[found], part.value)
            return isinstance(op, ast.Eq | ast.Is) and same(compiler.known[found], part.value)
        case _:
            return False


def _is_constant(compiler: MethodCompiler, node: ast.expr) -> bool:
    """Whether an expression is obviously a constant: ``3``, ``DONE``, ``self.limit`` or ``State.DONE``."""
    root = node.value if isinstance(node, ast.Attribute) else node
    if isinstance(root, ast.Name):
        found = compiler.scope.names.get(root.id)
        if isinstance(found, Variable | CompiledValue) or compiler.scope.is_local(root.id) != isinstance(
            found, SymbolicSelf
        ):
            return False
    elif not isinstance(root, ast.Constant):
        return False
    thing = compiler.evaluate(node)
    return isinstance(thing, CompiledValue) and thing.shape.is_plain and isinstance(thing.parts[0], Literal)


def _forget_assigned(compiler: MethodCompiler, body: list[ast.stmt]) -> None:
    """The values of variables that a loop sets are unknown where it repeats."""
    names = assigned_names(body)
    compiler.known = {each: value for each, value in compiler.known.items() if each.name not in names}


def _compile_loop_body(compiler: MethodCompiler, loop: EnclosingLoop, nodes: list[ast.stmt]) -> None:
    compiler.scope.loops.append(loop)
    compiler.block(nodes)
    compiler.scope.loops.pop()


def compile_for(compiler: MethodCompiler, node: ast.For) -> None:
    """``for`` over a range or a tuple of constants."""
    if node.orelse:
        raise compiler.refused(
            "LP-M002", node.orelse[0], "models do not support else of a loop.", "Set a variable before break."
        )
    called = node.iter.func if isinstance(node.iter, ast.Call) else None
    if (
        isinstance(called, ast.Name)
        and compiler.evaluate(called) == SymbolicConstant(range)
        and isinstance(node.iter, ast.Call)
    ):
        bounds = [
            compile_operand(compiler, each) for each in positional_arguments(compiler, node.iter, "range()", 1, 3)
        ]
        _compile_counting_loop(compiler, node, bounds)
        return
    thing = compiler.evaluate(node.iter)
    if isinstance(thing, SymbolicConstant) and isinstance(thing.value, range):
        _compile_counting_loop(
            compiler, node, [Literal(thing.value.start), Literal(thing.value.stop), Literal(thing.value.step)]
        )
    elif isinstance(thing, SymbolicConstant) and isinstance(thing.value, tuple):
        _compile_unrolled_loop(compiler, node, list(thing.value))
    elif isinstance(thing, CompiledValue) and thing.shape.is_tuple:
        _compile_unrolled_loop(compiler, node, list(constants_of(compiler, thing, node.iter, "the iterable of a loop")))
    else:
        remedy = "Write for i in range(...), or over a tuple of constants."
        raise compiler.refused("LP-M002", node.iter, "models cannot loop over this.", remedy)


def _compile_unrolled_loop(compiler: MethodCompiler, node: ast.For, values: list[object]) -> None:
    """Compile the body once for each of a few constants."""
    end = JumpLabel()
    for each in values:
        if compiler.is_dead:
            break
        thing = symbolic_value_of(each)
        assert thing is not None
        loop = EnclosingLoop(JumpLabel(), end, compiler.held)
        with compiler.temporaries():
            assign_target(compiler, node.target, value_of(compiler, thing, node.iter), node.target)
        _compile_loop_body(compiler, loop, node.body)
        compiler.place(loop.again)
    compiler.place(end)


def _compile_counting_loop(compiler: MethodCompiler, node: ast.For, bounds: list[Operand]) -> None:
    """A loop over integers. Its variable is the counter itself if no code can observe the difference."""
    target = node.target
    if not isinstance(target, ast.Name):
        raise compiler.refused(
            "LP-M002", target, "a loop over a range must set one variable.", "Write for i in range(...)."
        )
    start, stop, step = [Literal(0), *bounds, Literal(1)] if len(bounds) == 1 else [*bounds, Literal(1)][:3]
    by = step.value if isinstance(step, Literal) else None
    if isinstance(by, bool) or not isinstance(by, int) or by == 0:
        raise compiler.refused(
            "LP-M002", node.iter, "the step of a range must be a constant other than 0.", "Use such a constant."
        )
    for part in (start, stop):
        if isinstance(part, Literal) and (isinstance(part.value, bool) or not isinstance(part.value, int)):
            raise compiler.refused("LP-M014", node.iter, f"{part.value!r} is not an integer.", "Use integers.")
    stop = _unchanging_bound(compiler, stop, node)
    variable = variable_of(compiler, target)
    own = target.id in assigned_names(node.body) or loaded_outside(compiler.scope.node, target.id)
    counter = compiler.temporary() if own else VariableSlot(variable).base(compiler, PLAIN, target)
    compiler.move(counter, [start], node.iter)
    again, loop = JumpLabel(), EnclosingLoop(JumpLabel(), JumpLabel(), compiler.held)
    is_run = isinstance(start, Literal) and isinstance(stop, Literal)
    if not is_run or not range(start.value, stop.value, by):  # type: ignore[union-attr, arg-type]
        _leave_unless(compiler, counter, start, stop, by, loop.end, node)
    before = compiler.assigned
    _forget_assigned(compiler, [node])
    compiler.place(again)
    if own:
        compiler.move(VariableSlot(variable).base(compiler, PLAIN, target), [counter], target)
    compiler.assign(variable)
    _compile_loop_body(compiler, loop, node.body)
    compiler.place(loop.again)
    with compiler.temporaries():
        compile_arithmetic(compiler, ast.Add(), counter, Literal(by), node.iter, RegisterSlot(counter, "a counter"))
    _leave_unless(compiler, counter, counter, stop, by, loop.end, node)
    if not compiler.is_dead:
        compiler.goto(again, node)
    compiler.place(loop.end)
    if not own and before is not None and compiler.assigned is not None:
        compiler.assigned -= {variable} - before


def _unchanging_bound(compiler: MethodCompiler, operand: Operand, node: ast.For) -> Operand:
    """A bound that the body cannot change."""
    if isinstance(operand, Literal):
        return operand
    for name in assigned_names([node]):
        found = compiler.scope.names.get(name)
        if isinstance(found, Variable) and found.shape and operand in in_registers(found.shape, found.base).parts:
            kept = compiler.temporary()
            compiler.move(kept, [operand], node.iter)
            return kept
    return operand


def _leave_unless(
    compiler: MethodCompiler, counter: int, known: Operand, stop: Operand, by: int, end: JumpLabel, node: ast.For
) -> None:
    """Jump to the end unless the counter is before ``stop``."""
    first = known if isinstance(known, Literal) else counter
    pair = (first, stop) if by > 0 else (stop, first)
    with compiler.temporaries():
        branch_on_value(compiler, compile_order(compiler, OpCode.LESS, *pair, node.iter), end, False, node.iter)
