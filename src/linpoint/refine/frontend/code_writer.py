# SPDX-License-Identifier: Apache-2.0
"""Writes code: instructions, labels, and the variables that are definitely assigned at each point.

Guarantee: unreachable code is not written. ``is_dead`` is whether the current position is unreachable. From there on
``emit`` does nothing until a label is placed that some jump targets. So a branch that is never taken costs nothing, and
a compiler may skip it.
"""

from __future__ import annotations

import ast
import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from linpoint.errors import ModelError
from linpoint.refine.frontend.register_allocation import Registers
from linpoint.refine.method_source import MethodSource
from linpoint.refine.program_ir import Constant, Instruction, OpCode
from linpoint.refine.python_cells import same
from linpoint.refine.symbolic_values import PLAIN, CompiledValue, Literal, Operand, ValueShape, in_registers


@dataclass(eq=False, slots=True)
class Variable:
    """A local variable of one call. Its first assignment determines its shape, and from then on it has registers."""

    name: str
    shape: ValueShape | None = None
    base: int = -1


@dataclass(eq=False, slots=True)
class JumpLabel:
    """A jump target, and the variables that have a value at every jump to it."""

    at: int = -1
    assigned: frozenset[Variable] | None = None
    known: dict[Variable, Constant] = field(default_factory=dict)


@dataclass(slots=True)
class DraftCode:
    """An instruction whose target is still a label."""

    instruction: Instruction
    label: JumpLabel | None = None


@dataclass(eq=False)
class CodeWriter:
    """The code of one operation, as far as it is written."""

    registers: Registers
    source: MethodSource
    drafts: list[DraftCode] = field(default_factory=list)
    assigned: frozenset[Variable] | None = frozenset()
    """The variables that definitely have a value here; None if the position is unreachable."""
    known: dict[Variable, Constant] = field(default_factory=dict)
    """The variables whose value is known here. Only conditions use it; elsewhere the register serves as well."""
    _temporaries: list[list[tuple[int, int]]] = field(default_factory=lambda: [[]])

    @property
    def is_dead(self) -> bool:
        """Whether the current position is unreachable."""
        return self.assigned is None

    def emit(self, code: OpCode, node: ast.AST, *, label: JumpLabel | None = None, **parts: Any) -> None:
        """Write an instruction that comes from ``node``."""
        if not self.is_dead:
            line, column = getattr(node, "lineno", 0), self.source.column(node)
            self.drafts.append(DraftCode(Instruction(code, **parts, line=line, column=column), label))

    # Labels

    def place(self, label: JumpLabel) -> None:
        """Make ``label`` point to the next instruction."""
        label.at = len(self.drafts)
        if label.assigned is not None:
            self.known = label.known if self.assigned is None else _agreed(self.known, label.known)
            self.assigned = label.assigned if self.assigned is None else self.assigned & label.assigned

    def goto(self, label: JumpLabel, node: ast.AST) -> None:
        """Jump to ``label``."""
        self.emit(OpCode.JUMP, node, label=label)
        self._arrive(label)
        self.assigned = None

    def branch(self, register: int, label: JumpLabel, when: bool, node: ast.AST) -> None:
        """Jump to ``label`` if the truth of a register is ``when``."""
        self.emit(OpCode.JUMP_IF if when else OpCode.JUMP_UNLESS, node, label=label, a=register)
        self._arrive(label)

    def _arrive(self, label: JumpLabel) -> None:
        if self.assigned is not None and label.at < 0:
            label.known = dict(self.known) if label.assigned is None else _agreed(label.known, self.known)
            label.assigned = self.assigned if label.assigned is None else label.assigned & self.assigned

    # Registers

    @contextlib.contextmanager
    def temporaries(self) -> Iterator[None]:
        """Release the temporaries taken in the block at its end."""
        self._temporaries.append([])
        try:
            yield
        finally:
            for base, width in self._temporaries.pop():
                self.registers.release(base, width)

    @property
    def owner(self) -> list[tuple[int, int]]:
        """The list that releases temporaries taken now."""
        return self._temporaries[-1]

    def is_temporary(self, registers: frozenset[int]) -> bool:
        """Whether any of these registers is released at the end of the current statement."""
        return any(base <= register < base + width for base, width in self.owner for register in registers)

    def temporary(self, width: int = 1, owner: list[tuple[int, int]] | None = None) -> int:
        """Consecutive registers, until ``owner`` ends: by default the current statement."""
        base = self.registers.take(width)
        (self.owner if owner is None else owner).append((base, width))
        return base

    def register(self, operand: Operand, node: ast.AST) -> int:
        """A register that holds the operand."""
        if isinstance(operand, int):
            return operand
        base = self.temporary()
        self.constant(base, operand.value, node)
        return base

    def constant(self, register: int, value: Constant, node: ast.AST) -> None:
        """Set a register to a known value."""
        self.emit(OpCode.CONSTANT, node, a=register, value=value)

    def row(self, value: CompiledValue, node: ast.AST) -> int:
        """Consecutive registers that hold the parts of a value: its own, if they are already consecutive."""
        if all(isinstance(part, int) for part in value.parts):
            first = value.parts[0]
            assert isinstance(first, int)
            if value.parts == tuple(range(first, first + len(value.parts))):
                return first
        base = self.temporary(len(value.parts))
        self.move(base, value.parts, node)
        return base

    def move(self, base: int, parts: Sequence[Operand], node: ast.AST) -> None:
        """Set consecutive registers simultaneously: a register that one move overwrites is not read by a later one."""
        pending = {base + n: part for n, part in enumerate(parts) if part != base + n}
        while pending:
            for target, part in pending.items():
                if all(target != other for at, other in pending.items() if at != target):
                    if isinstance(part, Literal):
                        self.constant(target, part.value, node)
                    else:
                        self.emit(OpCode.MOVE, node, a=target, b=part)
                    del pending[target]
                    break
            else:  # a cycle, as in a, b = b, a
                target = next(iter(pending))
                kept = self.temporary()
                self.emit(OpCode.MOVE, node, a=kept, b=target)
                pending = {at: kept if part == target else part for at, part in pending.items()}


def _agreed(one: dict[Variable, Constant], other: dict[Variable, Constant]) -> dict[Variable, Constant]:
    return {each: value for each, value in one.items() if each in other and same(value, other[each])}


class StorageSlot:
    """A requested location for a value. Code that computes the value may ignore it, or request registers from it."""

    __slots__ = ()

    takes_rows: ClassVar[bool] = True
    """Whether a tuple may be created directly there, part by part."""

    def base(self, writer: CodeWriter, shape: ValueShape, node: ast.AST) -> int:
        """The first of as many registers as the shape needs."""
        raise NotImplementedError

    def taken(self) -> frozenset[int]:
        """The registers that the slot already has."""
        raise NotImplementedError


@dataclass(slots=True)
class TemporarySlot(StorageSlot):
    """Registers of a statement. Several branches may put their value there if it has the same shape in all of them."""

    owner: list[tuple[int, int]]
    what: str
    shape: ValueShape | None = None
    first: int = -1

    def base(self, writer: CodeWriter, shape: ValueShape, node: ast.AST) -> int:
        """See ``StorageSlot``."""
        if self.shape is None:
            self.shape, self.first = shape, writer.temporary(shape.width, self.owner)
        elif self.shape != shape:
            raise misfit(writer.source, node, self.what, shape, self.shape)
        return self.first

    def taken(self) -> frozenset[int]:
        """See ``StorageSlot``."""
        return frozenset(range(self.first, self.first + self.shape.width)) if self.shape else frozenset()


@dataclass(slots=True)
class RegisterSlot(StorageSlot):
    """One register that is already in use."""

    register: int
    what: str

    def base(self, writer: CodeWriter, shape: ValueShape, node: ast.AST) -> int:
        """See ``StorageSlot``."""
        if not shape.is_plain:
            raise misfit(writer.source, node, self.what, shape, PLAIN)
        return self.register

    def taken(self) -> frozenset[int]:
        """See ``StorageSlot``."""
        return frozenset({self.register})


@dataclass(slots=True)
class VariableSlot(StorageSlot):
    """A variable."""

    variable: Variable

    def base(self, writer: CodeWriter, shape: ValueShape, node: ast.AST) -> int:
        """See ``StorageSlot``."""
        variable = self.variable
        if variable.shape is None:
            variable.shape = shape
            variable.base = writer.registers.take_named(shape.labels(variable.name))
        elif variable.shape != shape:
            raise misfit(writer.source, node, f'"{variable.name}"', shape, variable.shape)
        return variable.base

    def taken(self) -> frozenset[int]:
        """See ``StorageSlot``."""
        variable = self.variable
        return in_registers(variable.shape, variable.base).registers if variable.shape else frozenset()


@dataclass(slots=True)
class RowSlot(StorageSlot):
    """Variables to be set from a tuple. If they are all new, or consecutive, the tuple may be put there directly."""

    takes_rows: ClassVar[bool] = False

    variables: tuple[Variable, ...]
    spare: TemporarySlot
    """The alternative location."""

    def base(self, writer: CodeWriter, shape: ValueShape, node: ast.AST) -> int:
        """See ``StorageSlot``."""
        if shape.is_tuple and shape.width == len(self.variables):
            first = self.variables[0]
            if all(each.shape is None for each in self.variables) and len(set(self.variables)) == shape.width:
                base = writer.registers.take_named(tuple(each.name for each in self.variables))
                for n, each in enumerate(self.variables):
                    each.shape, each.base = PLAIN, base + n
            if all(each.shape == PLAIN and each.base == first.base + n for n, each in enumerate(self.variables)):
                return first.base
        return self.spare.base(writer, shape, node)

    def taken(self) -> frozenset[int]:
        """See ``StorageSlot``."""
        return self.spare.taken().union(*(VariableSlot(each).taken() for each in self.variables))


def misfit(source: MethodSource, node: ast.AST, what: str, shape: ValueShape, other: ValueShape) -> ModelError:
    """The error for a value whose shape differs from the earlier one."""
    return source.refused(
        "LP-M005",
        node,
        f"{what} is {shape} here and {other} elsewhere.",
        "Use two variables, or a record with a field that distinguishes the cases.",
    )
