# SPDX-License-Identifier: Apache-2.0
"""Comparisons and conditions. In an ``if`` or a ``while`` they jump directly, and no unused bool is created.

A condition with a known value does not test anything: it jumps always or never, and the other branch is dead code.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from typing import Final

from linpoint.refine.frontend.code_writer import JumpLabel, StorageSlot, Variable
from linpoint.refine.frontend.method_compiler import MethodCompiler
from linpoint.refine.frontend.shared_accesses import (
    compile_operand,
    compile_value,
    constants_of,
    plain_operand,
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
    SymbolicValue,
    ValueShape,
    in_registers,
    literal,
)

_ORDER: Final[dict[type[ast.cmpop], tuple[OpCode, bool]]] = {
    ast.Lt: (OpCode.LESS, False),
    ast.LtE: (OpCode.AT_MOST, False),
    ast.Gt: (OpCode.LESS, True),
    ast.GtE: (OpCode.AT_MOST, True),
}
"""The instruction, and whether its operands are exchanged."""
_OPPOSITE: Final[dict[type[ast.cmpop], ast.cmpop]] = {
    ast.Eq: ast.NotEq(),
    ast.NotEq: ast.Eq(),
    ast.Is: ast.IsNot(),
    ast.IsNot: ast.Is(),
    ast.In: ast.NotIn(),
    ast.NotIn: ast.In(),
}


def compile_negation(compiler: MethodCompiler, node: ast.UnaryOp, slot: StorageSlot | None) -> CompiledValue:
    """``not x``."""
    inner = node.operand
    if isinstance(inner, ast.Compare) and len(inner.ops) == 1 and (op := _OPPOSITE.get(type(inner.ops[0]))):
        return compile_comparison(
            compiler, ast.copy_location(ast.Compare(inner.left, [op], inner.comparators), node), slot
        )
    if isinstance(inner, ast.BoolOp | ast.Compare):
        return value_of_jump(compiler, node, slot, lambda label: compile_jump(compiler, inner, label, True))
    operand = compile_operand(compiler, inner)
    if isinstance(operand, Literal):
        return literal(not operand.value)
    base = compiler.base(slot, PLAIN, node)
    compiler.emit(OpCode.NOT, node, a=base, b=operand)
    return in_registers(PLAIN, base)


def compile_comparison(compiler: MethodCompiler, node: ast.Compare, slot: StorageSlot | None) -> CompiledValue:
    """``a < b``, also ``a < b < c`` and ``a in (1, 2)``."""
    op = node.ops[0]
    if len(node.ops) > 1:
        return value_of_jump(compiler, node, slot, lambda label: _jump_if_compared(compiler, node, label, False))
    left, right = _compared(compiler, node.left), _compared(compiler, node.comparators[0])
    if isinstance(op, ast.In | ast.NotIn):
        return value_of_jump(
            compiler,
            node,
            slot,
            lambda label: _test(compiler, op, left, right, node.comparators[0], node, label, False),
        )
    first, second = value_of(compiler, left, node.left), value_of(compiler, right, node.comparators[0])
    if type(op) in _ORDER:
        return _order(compiler, op, first, second, node, slot)
    pairs = _pairs(compiler, op, first, second, node)
    is_equality = isinstance(op, ast.Eq | ast.Is)
    if len(pairs) > 1:
        return value_of_jump(
            compiler, node, slot, lambda label: _test_equal(compiler, pairs, node, label, not is_equality)
        )
    return _equality(compiler, *pairs[0], node, slot, OpCode.EQUAL if is_equality else OpCode.DIFFERENT)


def value_of_jump(
    compiler: MethodCompiler, node: ast.AST, slot: StorageSlot | None, jump_if_false: Callable[[JumpLabel], None]
) -> CompiledValue:
    """True or False, from a condition that jumps."""
    false, end = JumpLabel(), JumpLabel()
    jump_if_false(false)
    if false.assigned is None:
        return literal(True)
    if compiler.is_dead:
        compiler.place(false)
        return literal(False)
    base = compiler.base(slot, PLAIN, node)
    compiler.constant(base, True, node)
    compiler.goto(end, node)
    compiler.place(false)
    compiler.constant(base, False, node)
    compiler.place(end)
    return in_registers(PLAIN, base)


def compile_boolean(compiler: MethodCompiler, node: ast.BoolOp, slot: StorageSlot | None) -> CompiledValue:
    """``a and b``, ``a or b``: the value of the deciding operand."""
    if slot is None or may_read(compiler, node.values, slot):
        slot = compiler.temporary_slot("this")
    stops = isinstance(node.op, ast.Or)
    end = JumpLabel()
    for n, each in enumerate(node.values):
        value = compile_value(compiler, each, slot)
        part = plain_operand(compiler, value, each)
        is_last = n == len(node.values) - 1
        if isinstance(part, Literal) and bool(part.value) != stops and not is_last:
            continue
        if end.assigned is None and (is_last or isinstance(part, Literal)):
            return value
        base = slot.base(compiler, PLAIN, each)
        compiler.move(base, value.parts, each)
        if is_last or isinstance(part, Literal):
            break
        compiler.branch(base, end, stops, each)
    compiler.place(end)
    return in_registers(PLAIN, slot.base(compiler, PLAIN, node))


def compile_conditional(compiler: MethodCompiler, node: ast.IfExp, slot: StorageSlot | None) -> SymbolicValue:
    """``a if condition else b``."""
    other, end = JumpLabel(), JumpLabel()
    compile_jump(compiler, node.test, other, False)
    if other.assigned is None:
        return compiler.evaluate(node.body, slot)
    if compiler.is_dead:
        compiler.place(other)
        return compiler.evaluate(node.orelse, slot)
    if slot is None:
        slot = compiler.temporary_slot("this")
    shape = _put(compiler, node.body, slot)
    compiler.goto(end, node)
    compiler.place(other)
    _put(compiler, node.orelse, slot)
    compiler.place(end)
    return in_registers(shape, slot.base(compiler, shape, node))


def _put(compiler: MethodCompiler, node: ast.expr, slot: StorageSlot) -> ValueShape:
    value = compile_value(compiler, node, slot)
    compiler.move(slot.base(compiler, value.shape, node), value.parts, node)
    return value.shape


def may_read(compiler: MethodCompiler, nodes: Iterable[ast.AST], slot: StorageSlot) -> bool:
    """Whether expressions use a variable that shares registers with ``slot``."""
    taken = slot.taken()
    for node in nodes:
        for each in ast.walk(node):
            found = compiler.scope.names.get(each.id) if isinstance(each, ast.Name) else None
            if isinstance(found, Variable) and found.shape is not None:
                found = in_registers(found.shape, found.base)
            if isinstance(found, CompiledValue) and found.registers & taken:
                return True
    return False


def compile_jump(compiler: MethodCompiler, node: ast.expr, label: JumpLabel, when: bool) -> None:
    """Jump to ``label`` if the truth of ``node`` is ``when``; otherwise continue."""
    match node:
        case ast.UnaryOp(op=ast.Not()):
            compile_jump(compiler, node.operand, label, not when)
        case ast.BoolOp():
            # `a or b` jumps on true as soon as one operand is true, on false only after both; `and` the other way
            # round.
            is_or = isinstance(node.op, ast.Or)
            if is_or == when:
                for each in node.values:
                    compile_jump(compiler, each, label, when)
            else:
                past = JumpLabel()
                for each in node.values[:-1]:
                    compile_jump(compiler, each, past, is_or)
                compile_jump(compiler, node.values[-1], label, when)
                compiler.place(past)
        case ast.Compare():
            _jump_if_compared(compiler, node, label, when)
        case _:
            shortcut = compiler.conditions.get(type(node))
            if shortcut is None or not shortcut(compiler, node, label, when):
                with compiler.temporaries():
                    branch_on_value(compiler, compile_value(compiler, node), label, when, node)


def branch_on_value(
    compiler: MethodCompiler, value: CompiledValue, label: JumpLabel, when: bool, node: ast.AST
) -> None:
    """Jump if the truth of a plain value is ``when``."""
    if not value.shape.is_plain:
        raise compiler.refused("LP-M005", node, f"{value.shape} is always true.", "Compare it, or use a part of it.")
    (part,) = value.parts
    if isinstance(part, int):
        compiler.branch(part, label, when, node)
    elif bool(part.value) == when:
        compiler.goto(label, node)


def _jump_if_compared(compiler: MethodCompiler, node: ast.Compare, label: JumpLabel, when: bool) -> None:
    past = JumpLabel()
    with compiler.temporaries():
        left = _compared(compiler, node.left)
        for n, (op, right_node) in enumerate(zip(node.ops, node.comparators, strict=True)):
            right = _compared(compiler, right_node)
            if n < len(node.ops) - 1:
                _test(compiler, op, left, right, right_node, node, past if when else label, False)
            else:
                _test(compiler, op, left, right, right_node, node, label, when)
            left = right
            if compiler.is_dead:
                break
    compiler.place(past)


def _compared(compiler: MethodCompiler, node: ast.expr) -> SymbolicValue:
    thing = compiler.evaluate(node)
    return thing if isinstance(thing, SymbolicConstant) else value_of(compiler, thing, node)


def _test(
    compiler: MethodCompiler,
    op: ast.cmpop,
    left: SymbolicValue,
    right: SymbolicValue,
    right_node: ast.expr,
    node: ast.AST,
    label: JumpLabel,
    when: bool,
) -> None:
    """Jump if one comparison has the outcome ``when``."""
    if isinstance(op, ast.In | ast.NotIn):
        operand = plain_operand(compiler, value_of(compiler, left, node), node)
        wanted = when == isinstance(op, ast.In)
        past = JumpLabel()
        for each in constants_of(compiler, right, right_node, "the operand after `in`"):
            _test_equal(compiler, [(operand, Literal(each))], node, label if wanted else past, True)
        if not wanted:
            compiler.goto(label, node)
        compiler.place(past)
        return
    first, second = value_of(compiler, left, node), value_of(compiler, right, right_node)
    if type(op) in _ORDER:
        outcome = _order(compiler, op, first, second, node)
        branch_on_value(compiler, outcome, label, when, node)
        return
    pairs = _pairs(compiler, op, first, second, node)
    _test_equal(compiler, pairs, node, label, when == isinstance(op, ast.Eq | ast.Is))


def _pairs(
    compiler: MethodCompiler, op: ast.cmpop, left: CompiledValue, right: CompiledValue, node: ast.AST
) -> list[tuple[Operand, Operand]]:
    if left.shape != right.shape:
        raise compiler.refused(
            "LP-M005", node, f"{left.shape} cannot be compared with {right.shape}.", "Compare a part of it."
        )
    if isinstance(op, ast.Is | ast.IsNot):
        for value in (left, right):
            if not value.shape.is_plain:
                raise compiler.refused("LP-M005", node, f"`is` compares plain values, not {value.shape}.", "Write ==.")
            (part,) = value.parts
            if isinstance(part, Literal) and type(part.value) is int:
                raise compiler.refused("LP-M002", node, "`is` compares an integer.", "Write ==.")
    return list(zip(left.parts, right.parts, strict=True))


def _test_equal(
    compiler: MethodCompiler, pairs: list[tuple[Operand, Operand]], node: ast.AST, label: JumpLabel, when: bool
) -> None:
    """Jump if the equality of all pairs is ``when``."""
    past = JumpLabel()
    for n, (left, right) in enumerate(pairs):
        last = n == len(pairs) - 1
        target, wanted = (label, when) if last or not when else (past, False)
        with compiler.temporaries():
            branch_on_value(compiler, _equality(compiler, left, right, node), target, wanted, node)
    compiler.place(past)


def _equality(
    compiler: MethodCompiler,
    left: Operand,
    right: Operand,
    node: ast.AST,
    slot: StorageSlot | None = None,
    code: OpCode = OpCode.EQUAL,
) -> CompiledValue:
    if isinstance(left, Literal) and isinstance(right, Literal):
        return literal(same(left.value, right.value) == (code is OpCode.EQUAL))
    base = compiler.base(slot, PLAIN, node)
    compiler.emit(code, node, a=base, b=compiler.register(left, node), c=compiler.register(right, node))
    return in_registers(PLAIN, base)


def _order(
    compiler: MethodCompiler,
    op: ast.cmpop,
    first: CompiledValue,
    second: CompiledValue,
    node: ast.AST,
    slot: StorageSlot | None = None,
) -> CompiledValue:
    code, exchanged = _ORDER[type(op)]
    left, right = plain_operand(compiler, first, node), plain_operand(compiler, second, node)
    if exchanged:
        left, right = right, left
    return compile_order(compiler, code, left, right, node, slot)


def compile_order(
    compiler: MethodCompiler,
    code: OpCode,
    left: Operand,
    right: Operand,
    node: ast.AST,
    slot: StorageSlot | None = None,
) -> CompiledValue:
    """Whether one integer is less than another, or at most equal to it."""
    for part in (left, right):
        if isinstance(part, Literal) and (isinstance(part.value, bool) or not isinstance(part.value, int)):
            raise compiler.refused("LP-M014", node, f"{part.value!r} is not an integer.", "Compare integers only.")
    if isinstance(left, Literal) and isinstance(right, Literal):
        assert isinstance(left.value, int) and isinstance(right.value, int)  # noqa: PT018 - narrows both
        return literal(left.value < right.value if code is OpCode.LESS else left.value <= right.value)
    base = compiler.base(slot, PLAIN, node)
    compiler.emit(code, node, a=base, b=compiler.register(left, node), c=compiler.register(right, node))
    return in_registers(PLAIN, base)
