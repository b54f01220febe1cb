# SPDX-License-Identifier: Apache-2.0
"""Statements: assignments, branches, loops, locks and returns."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from linpoint.refine.frontend.assignment_compiler import Assignments
from linpoint.refine.frontend.code_writer import Label, RegisterSlot, Variable, VariableSlot
from linpoint.refine.frontend.method_scope import Loop, assigned_names, loaded_outside, thing_of
from linpoint.refine.frontend.symbolic_values import (
    PLAIN,
    Known,
    Literal,
    Operand,
    Reference,
    SelfThing,
    Value,
    in_registers,
    literal,
)
from linpoint.refine.frontend.unsupported_syntax import of_statement
from linpoint.refine.program_ir import OpCode, PlaceKind
from linpoint.refine.python_cells import same


@dataclass(eq=False)
class Statements(Assignments):
    """Writes the body of an operation."""

    locks: list[tuple[Reference, ast.AST]] = field(default_factory=list)
    """Those held here, by ``with``."""

    @property
    def held(self) -> int:
        """How many locks are held."""
        return len(self.locks)

    def block(self, nodes: list[ast.stmt]) -> None:
        """Write statements, as far as anything gets there."""
        for node in nodes:
            if self.is_dead:
                return
            with self.temporaries():
                self._statement(node)

    def _statement(self, node: ast.stmt) -> None:
        match node:
            case ast.Pass():
                pass
            case ast.Expr():
                self._expression(node)
            case ast.Assign():
                self.assign_targets(node.targets, node.value)
            case ast.AnnAssign():
                if node.value is not None:
                    self.assign_targets([node.target], node.value)
            case ast.AugAssign():
                self.augment(node)
            case ast.If():
                self._if(node)
            case ast.While():
                self._while(node)
            case ast.For():
                self._for(node)
            case ast.Break() | ast.Continue():
                loop = self.scope.loops[-1]
                self._release(loop.held)
                self.goto(loop.end if isinstance(node, ast.Break) else loop.again, node)
            case ast.Return():
                self._return(node)
            case ast.Assert():
                self._assert(node)
            case ast.With():
                self._with(node, node.items)
            case _:
                raise self.refused("LP-M002", node, *of_statement(node))

    def _expression(self, node: ast.Expr) -> None:
        if isinstance(node.value, ast.Constant) and (isinstance(node.value.value, str) or node.value.value is ...):
            return
        if not isinstance(node.value, ast.Call):
            self.evaluate(node.value)  # what is refused there says more
            raise self.refused("LP-M002", node, "this expression does nothing.", "Assign its value, or leave it out.")
        if not self.run_method(node.value):
            self.evaluate(node.value)

    def _assert(self, node: ast.Assert) -> None:
        if node.msg is not None and not isinstance(node.msg, ast.Constant):
            raise self.refused(
                "LP-M002", node.msg, "what an assert says must be a text.", "Write a plain text, or nothing."
            )
        operand = self.operand(node.test)
        if isinstance(operand, int) or not operand.value:
            self.emit(OpCode.ASSERT, node, a=self.register(operand, node))

    # Branches and loops

    def _if(self, node: ast.If) -> None:
        other, end = Label(), Label()
        self.jump(node.test, other, False)
        self.block(node.body)
        if node.orelse:
            self.goto(end, node.body[-1])
            self.place(other)
            self.block(node.orelse)
            self.place(end)
        else:
            self.place(other)

    def _while(self, node: ast.While) -> None:
        if node.orelse:
            raise self.refused(
                "LP-M002", node.orelse[0], "models have no else of a loop.", "Set a variable before break."
            )
        loop = Loop(Label(), Label(), self.held)
        if self._surely(node.test):  # at first, as of found = False; while not found: the body may set variables
            first = Label()
            self._forget(node.body)
            self.place(first)
            self._body(loop, node.body)
            self.place(loop.again)
            if not self.is_dead:
                self.jump(node.test, first, True)
        else:
            self._forget(node.body)
            self.place(loop.again)
            self.jump(node.test, loop.end, False)
            self._body(loop, node.body)
            self.goto(loop.again, node)
        self.place(loop.end)

    def _surely(self, node: ast.expr) -> bool:
        """Whether a condition on variables is known to be true here."""
        match node:
            case ast.UnaryOp(op=ast.Not(), operand=ast.Name(id=name)):
                found = self.scope.names.get(name)
                return isinstance(found, Variable) and found in self.known and not self.known[found]
            case ast.Name():
                found = self.scope.names.get(node.id)
                return isinstance(found, Variable) and bool(self.known.get(found))
            case ast.Compare(left=ast.Name(id=name), ops=[op], comparators=[other]):
                found = self.scope.names.get(name)
                if not isinstance(found, Variable) or found not in self.known or not self._is_constant(other):
                    return False
                (part,) = self.value(other).parts
                assert isinstance(part, Literal)
                if isinstance(op, ast.NotEq | ast.IsNot):
                    return not same(self.known[found], part.value)
                return isinstance(op, ast.Eq | ast.Is) and same(self.known[found], part.value)
            case _:
                return False

    def _is_constant(self, node: ast.expr) -> bool:
        """Whether an expression is plainly a constant: ``3``, ``DONE``, ``self.limit`` or ``State.DONE``."""
        root = node.value if isinstance(node, ast.Attribute) else node
        if isinstance(root, ast.Name):
            found = self.scope.names.get(root.id)
            if isinstance(found, Variable | Value) or self.scope.is_local(root.id) != isinstance(found, SelfThing):
                return False
        elif not isinstance(root, ast.Constant):
            return False
        thing = self.evaluate(node)
        return isinstance(thing, Value) and thing.shape.is_plain and isinstance(thing.parts[0], Literal)

    def _forget(self, body: list[ast.stmt]) -> None:
        """What a loop sets is not known where it begins again."""
        names = assigned_names(body)
        self.known = {each: value for each, value in self.known.items() if each.name not in names}

    def _body(self, loop: Loop, nodes: list[ast.stmt]) -> None:
        self.scope.loops.append(loop)
        self.block(nodes)
        self.scope.loops.pop()

    def _for(self, node: ast.For) -> None:
        if node.orelse:
            raise self.refused(
                "LP-M002", node.orelse[0], "models have no else of a loop.", "Set a variable before break."
            )
        called = node.iter.func if isinstance(node.iter, ast.Call) else None
        if isinstance(called, ast.Name) and self.evaluate(called) == Known(range) and isinstance(node.iter, ast.Call):
            bounds = [self.operand(each) for each in self.arguments(node.iter, "range()", 1, 3)]
            self._count(node, bounds)
            return
        thing = self.evaluate(node.iter)
        if isinstance(thing, Known) and isinstance(thing.value, range):
            self._count(node, [Literal(thing.value.start), Literal(thing.value.stop), Literal(thing.value.step)])
        elif isinstance(thing, Known) and isinstance(thing.value, tuple):
            self._unroll(node, list(thing.value))
        elif isinstance(thing, Value) and thing.shape.is_tuple:
            self._unroll(node, list(self.constants(thing, node.iter, "what a loop is over")))
        else:
            remedy = "Write for i in range(...), or over a tuple of constants."
            raise self.refused("LP-M002", node.iter, "models cannot loop over this.", remedy)

    def _unroll(self, node: ast.For, values: list[object]) -> None:
        """The body once for each of a few constants."""
        end = Label()
        for each in values:
            if self.is_dead:
                break
            thing = thing_of(each)
            assert thing is not None
            loop = Loop(Label(), end, self.held)
            with self.temporaries():
                self.set_target(node.target, self.value_of(thing, node.iter), node.target)
            self._body(loop, node.body)
            self.place(loop.again)
        self.place(end)

    def _count(self, node: ast.For, bounds: list[Operand]) -> None:
        """A loop over integers. Its variable is the counter itself where nobody could tell the difference."""
        target = node.target
        if not isinstance(target, ast.Name):
            raise self.refused(
                "LP-M002", target, "a loop over a range sets one variable.", "Write for i in range(...)."
            )
        start, stop, step = [Literal(0), *bounds, Literal(1)] if len(bounds) == 1 else [*bounds, Literal(1)][:3]
        by = step.value if isinstance(step, Literal) else None
        if isinstance(by, bool) or not isinstance(by, int) or by == 0:
            raise self.refused(
                "LP-M002", node.iter, "the step of a range must be a constant other than 0.", "Write it out."
            )
        for part in (start, stop):
            if isinstance(part, Literal) and (isinstance(part.value, bool) or not isinstance(part.value, int)):
                raise self.refused("LP-M014", node.iter, f"{part.value!r} is no integer.", "Count in integers.")
        stop = self._steady(stop, node)
        variable = self.variable(target)
        own = target.id in assigned_names(node.body) or loaded_outside(self.scope.node, target.id)
        counter = self.temporary() if own else VariableSlot(variable).base(self, PLAIN, target)
        self.move(counter, [start], node.iter)
        again, loop = Label(), Loop(Label(), Label(), self.held)
        is_run = isinstance(start, Literal) and isinstance(stop, Literal)
        if not is_run or not range(start.value, stop.value, by):  # type: ignore[union-attr, arg-type]
            self._leave_unless(counter, start, stop, by, loop.end, node)
        before = self.assigned
        self._forget([node])
        self.place(again)
        if own:
            self.move(VariableSlot(variable).base(self, PLAIN, target), [counter], target)
        self.assign(variable)
        self._body(loop, node.body)
        self.place(loop.again)
        with self.temporaries():
            self.arithmetic(ast.Add(), counter, Literal(by), node.iter, RegisterSlot(counter, "a counter"))
        self._leave_unless(counter, counter, stop, by, loop.end, node)
        if not self.is_dead:
            self.goto(again, node)
        self.place(loop.end)
        if not own and before is not None and self.assigned is not None:
            self.assigned -= {variable} - before

    def _steady(self, operand: Operand, node: ast.For) -> Operand:
        """A bound that the body cannot change."""
        if isinstance(operand, Literal):
            return operand
        for name in assigned_names([node]):
            found = self.scope.names.get(name)
            if isinstance(found, Variable) and found.shape and operand in in_registers(found.shape, found.base).parts:
                kept = self.temporary()
                self.move(kept, [operand], node.iter)
                return kept
        return operand

    def _leave_unless(self, counter: int, known: Operand, stop: Operand, by: int, end: Label, node: ast.For) -> None:
        """Jump to the end unless the counter is before ``stop``."""
        first = known if isinstance(known, Literal) else counter
        pair = (first, stop) if by > 0 else (stop, first)
        with self.temporaries():
            self.branch_on(self.ordered(OpCode.LESS, *pair, node.iter), end, False, node.iter)

    # What ends: locks that are held, and the call itself

    def _with(self, node: ast.With, items: list[ast.withitem]) -> None:
        if not items:
            self.block(node.body)
            return
        first, *rest = items
        thing = self.evaluate(first.context_expr)
        if not isinstance(thing, Reference) or not thing.is_lock:
            remedy = "Declare it in the class: m = linpoint.lock()."
            raise self.refused("LP-M004", first.context_expr, "`with` takes a lock.", remedy)
        if first.optional_vars is not None:
            raise self.refused("LP-M002", first.optional_vars, "a lock gives no value.", "Leave out `as`.")
        lock = self._steady_lock(thing, node)
        self.access([lock], lambda where: self.emit(OpCode.ACQUIRE, first.context_expr, where=where), node)
        self.locks.append((lock, first.context_expr))
        self._with(node, rest)
        self._release(self.held - 1)
        self.locks.pop()

    def _steady_lock(self, lock: Reference, node: ast.With) -> Reference:
        """The lock that is released is the one that was taken, whatever became of the variable that named it."""
        if lock.where is PlaceKind.CELL:
            return lock
        for name in assigned_names(node.body):
            found = self.scope.names.get(name)
            if (
                isinstance(found, Variable)
                and found.shape
                and lock.register in in_registers(found.shape, found.base).parts
            ):
                kept = self.temporary()
                self.move(kept, [lock.register], node)
                return Reference(lock.where, lock.targets, lock.shape, lock.shown, kept, lock.is_lock)
        return lock

    def _release(self, down_to: int) -> None:
        for lock, node in reversed(self.locks[down_to:]):
            self.access([lock], lambda where, at=node: self.emit(OpCode.RELEASE, at, where=where), node)

    def _return(self, node: ast.Return) -> None:
        scope = self.scope
        if scope.returning is None:
            value = literal(None) if node.value is None else self.value(node.value)
            if value.shape.width == 1 and not value.shape.is_plain:
                raise self.refused("LP-M005", node, f"{value.shape} is returned.", "Return the field itself.")
            row = self.row(value, node)
            self._release(0)
            self.emit(OpCode.RETURN, node, a=row, c=value.shape.width)
            self.assigned = None
            return
        if self.held > scope.held:
            value = literal(None) if node.value is None else self.value(node.value)
            self._release(scope.held)
            scope.returning.value(value, node)
        else:
            scope.returning.expression(node.value, node)
        if not self.is_dead:
            self.goto(scope.end, node)
