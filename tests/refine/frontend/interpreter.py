# SPDX-License-Identifier: Apache-2.0
"""A reference interpreter of ``ir.Program`` for one process: a line per instruction, and no optimisations.

It is written only from the description of ``ir``, so errors of the front end are not repeated here.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from linpoint.refine.program_ir import CompiledModel, Instruction, OpCode, OperationCode, PlaceKind


class FaultError(Exception):
    """An error in the model."""


class AssertionFaultError(Exception):
    """An assertion that failed."""


class EndlessError(Exception):
    """A run that takes too long."""


class StuckError(Exception):
    """An assumption that is false, or a lock that is never released."""


@dataclass(eq=False)
class Node:
    number: int
    fields: dict[int, list[Any]]


def same(a: Any, b: Any) -> bool:
    return a is b or (type(a) is type(b) and not isinstance(a, Node) and a == b)


def integer(value: Any) -> int:
    if type(value) is not int:
        raise FaultError(f"{value!r} is no integer")
    return value


@dataclass
class Machine:
    """The shared memory of a program, and one process that runs its operations one after another."""

    program: CompiledModel
    choose: Callable[[tuple[Any, ...]], Any] = lambda values: values[0]
    budget: int = 20_000
    cells: list[list[list[Any]]] = field(init=False)
    trace: list[tuple[str, str]] = field(default_factory=list)
    links: set[int] = field(default_factory=set)
    points: int = 0

    def __post_init__(self) -> None:
        self.cells = [
            [list(each.initial[n * each.width : (n + 1) * each.width]) for n in range(each.size)]
            for each in self.program.cells
        ]
        if self.program.setup is not None:
            self.run(self.program.setup)
        self.trace.clear()

    def call(self, name: str, *args: Any) -> Any:
        (operation,) = (each for each in self.program.operations if each.name == name)
        return self.run(operation, *args)

    def run(self, operation: OperationCode, *args: Any) -> Any:
        registers: list[Any] = [Unset] * len(operation.registers)
        registers[: len(args)] = args
        at = operation.entry
        for _ in range(self.budget):
            each = self.program.code[at]
            if each.code is OpCode.RETURN:
                values = registers[each.a : each.a + each.c]
                return values[0] if each.c == 1 else tuple(values)
            following = self.step(each, registers)
            at = at + 1 if following is None else following
        raise EndlessError

    def place(self, location: int, registers: list[Any]) -> list[Any]:
        where = self.program.locations[location]
        if where.where is PlaceKind.CELL:
            return self.cells[where.target][0]
        holder = registers[where.register]
        if where.where is PlaceKind.ELEMENT:
            if not 0 <= integer(holder) < self.program.cells[where.target].size:
                raise FaultError("index")
            return self.cells[where.target][holder]
        if not isinstance(holder, Node) or where.target not in holder.fields:
            raise FaultError("no such node")
        return holder.fields[where.target]

    def name(self, location: int) -> str:
        where = self.program.locations[location]
        if where.where is PlaceKind.FIELD:
            return f".{self.program.fields[where.target].name}"
        return self.program.cells[where.target].name

    def step(self, i: Instruction, r: list[Any]) -> int | None:
        for register in reads(self.program, i):
            if r[register] is Unset:
                raise SystemError(f"register {register} is read before it is written, at line {i.line}")
        if i.code.is_access:
            return self.access(i, r)
        match i.code:
            case OpCode.CONSTANT:
                r[i.a] = i.value
            case OpCode.MOVE:
                r[i.a] = r[i.b]
            case OpCode.ADD:
                r[i.a] = integer(r[i.b]) + integer(r[i.c])
            case OpCode.SUBTRACT:
                r[i.a] = integer(r[i.b]) - integer(r[i.c])
            case OpCode.MULTIPLY:
                r[i.a] = integer(r[i.b]) * integer(r[i.c])
            case OpCode.DIVIDE | OpCode.MODULO:
                if integer(r[i.c]) == 0:
                    raise FaultError("division by zero")
                r[i.a] = divmod(integer(r[i.b]), r[i.c])[i.code is OpCode.MODULO]
            case OpCode.EQUAL:
                r[i.a] = same(r[i.b], r[i.c])
            case OpCode.DIFFERENT:
                r[i.a] = not same(r[i.b], r[i.c])
            case OpCode.LESS:
                r[i.a] = integer(r[i.b]) < integer(r[i.c])
            case OpCode.AT_MOST:
                r[i.a] = integer(r[i.b]) <= integer(r[i.c])
            case OpCode.NOT:
                r[i.a] = not r[i.b]
            case OpCode.IS_NODE:
                r[i.a] = isinstance(r[i.b], Node) and r[i.b].number == i.c
            case OpCode.JUMP:
                return i.target
            case OpCode.JUMP_IF:
                return i.target if r[i.a] else None
            case OpCode.JUMP_UNLESS:
                return None if r[i.a] else i.target
            case OpCode.CHOOSE:
                r[i.a] = self.choose(i.values)
            case OpCode.ASSUME:
                if not r[i.a]:
                    raise StuckError
            case OpCode.ASSERT:
                if not r[i.a]:
                    raise AssertionFaultError
            case OpCode.POINT:
                self.points += 1
            case OpCode.ALLOCATE:
                node, at = Node(i.c, {}), i.b
                for number in self.program.classes[i.c].fields:
                    width = self.program.fields[number].width
                    node.fields[number] = r[at : at + width]
                    at += width
                r[i.a] = node
            case _:
                raise AssertionError(i)
        return None

    def access(self, i: Instruction, r: list[Any]) -> None:
        if i.code is OpCode.FENCE:
            self.trace.append(("", "fence"))
            return
        place, width = self.place(i.where, r), self.program.width(i.where)
        self.trace.append((self.name(i.where), WORDS[i.code]))
        before = list(place)
        match i.code:
            case OpCode.LOAD:
                r[i.a : i.a + width] = before
            case OpCode.LOAD_LINKED:
                self.links.add(id(place))
                r[i.a : i.a + width] = before
                return
            case OpCode.STORE:
                place[:] = r[i.a : i.a + width]
            case OpCode.CAS:
                new = r[i.c : i.c + width]
                r[i.a] = all(map(same, before, r[i.b : i.b + width]))
                if not r[i.a]:
                    return
                place[:] = new
            case OpCode.SWAP:
                place[:] = r[i.b : i.b + width]
                r[i.a : i.a + width] = before
            case OpCode.FETCH_ADD:
                place[0] = integer(before[0]) + integer(r[i.b])
                r[i.a] = before[0]
            case OpCode.STORE_CONDITIONAL:
                new = r[i.b : i.b + width]
                r[i.a] = id(place) in self.links
                if r[i.a]:
                    place[:] = new
            case OpCode.DCAS:
                other, more = self.place(i.other, r), self.program.width(i.other)
                if other is place:
                    raise FaultError("one cell twice")
                widths = list(itertools.accumulate((width, more, width, more), initial=i.b))
                old1, old2, new1, new2 = (r[a:b] for a, b in itertools.pairwise(widths))
                r[i.a] = all(map(same, place, old1)) and all(map(same, other, old2))
                if not r[i.a]:
                    return
                place[:], other[:] = new1, new2
                self.links.discard(id(other))
            case OpCode.ACQUIRE:
                if place[0]:
                    raise StuckError
                place[0] = True
            case OpCode.RELEASE:
                if not place[0]:
                    raise FaultError("the lock is free")
                place[0] = False
        if i.code is not OpCode.LOAD:
            self.links.discard(id(place))


class Unset:
    """The value of an unassigned register."""


WORDS = {
    OpCode.LOAD: "load",
    OpCode.LOAD_LINKED: "ll",
    OpCode.STORE: "store",
    OpCode.CAS: "cas",
    OpCode.SWAP: "swap",
    OpCode.FETCH_ADD: "fetch_add",
    OpCode.STORE_CONDITIONAL: "sc",
    OpCode.DCAS: "dcas",
    OpCode.ACQUIRE: "acquire",
    OpCode.RELEASE: "release",
}

BINARY = {OpCode.ADD, OpCode.SUBTRACT, OpCode.MULTIPLY, OpCode.DIVIDE, OpCode.MODULO}
BINARY |= {OpCode.EQUAL, OpCode.DIFFERENT, OpCode.LESS, OpCode.AT_MOST}


def reads(program: CompiledModel, i: Instruction) -> list[int]:
    """The registers that an instruction reads."""
    width = program.width(i.where) if i.where >= 0 else 0
    places = [program.locations[location] for location in (i.where, i.other) if location >= 0]
    found = [place.register for place in places if place.register >= 0]
    if i.code in BINARY:
        found += [i.b, i.c]
    elif i.code in {OpCode.MOVE, OpCode.NOT, OpCode.IS_NODE, OpCode.FETCH_ADD}:
        found.append(i.b)
    elif i.code in {OpCode.JUMP_IF, OpCode.JUMP_UNLESS, OpCode.ASSUME, OpCode.ASSERT}:
        found.append(i.a)
    elif i.code is OpCode.RETURN:
        found += range(i.a, i.a + i.c)
    elif i.code is OpCode.ALLOCATE:
        found += range(i.b, i.b + sum(program.fields[each].width for each in program.classes[i.c].fields))
    elif i.code is OpCode.STORE:
        found += range(i.a, i.a + width)
    elif i.code is OpCode.CAS:
        found += [*range(i.b, i.b + width), *range(i.c, i.c + width)]
    elif i.code in {OpCode.SWAP, OpCode.STORE_CONDITIONAL}:
        found += range(i.b, i.b + width)
    elif i.code is OpCode.DCAS:
        found += range(i.b, i.b + 2 * (width + program.width(i.other)))
    return found


def writes(program: CompiledModel, i: Instruction) -> list[int]:
    """The registers that an instruction writes."""
    if i.code in {OpCode.LOAD, OpCode.SWAP, OpCode.LOAD_LINKED}:
        return list(range(i.a, i.a + program.width(i.where)))
    silent = {
        OpCode.JUMP,
        OpCode.JUMP_IF,
        OpCode.JUMP_UNLESS,
        OpCode.ASSUME,
        OpCode.ASSERT,
        OpCode.POINT,
        OpCode.RETURN,
    }
    silent |= {OpCode.STORE, OpCode.ACQUIRE, OpCode.RELEASE, OpCode.FENCE}
    return [] if i.code in silent else [i.a]


def validate(program: CompiledModel) -> None:
    """Invariants of every program: jumps and registers are in range, no instruction is unreachable, no jump leads to a
    jump, and no register is read that may have no value.
    """
    reached: set[int] = set()
    operations = [*program.operations, *([program.setup] if program.setup is not None else [])]
    for operation in operations:
        states: dict[int, frozenset[int]] = {}
        pending = [(operation.entry, frozenset(range(len(operation.parameters))))]
        assert len(operation.registers) <= 64
        assert operation.registers[: len(operation.parameters)] == tuple(each.name for each in operation.parameters)
        while pending:
            at, has = pending.pop()
            if at in states:
                if states[at] <= has:
                    continue
                has &= states[at]
            states[at] = has
            each = program.code[at]
            assert set(reads(program, each)) <= has, f"{each} reads what may have no value"
            written = writes(program, each)
            assert all(0 <= register < len(operation.registers) for register in written)
            has |= set(written)
            if each.target >= 0:
                is_jump = program.code[each.target].code is OpCode.JUMP and each.target != at
                assert not is_jump, f"{at}: a jump to a jump"
                assert each.target != at + 1, f"{at}: a jump to the next instruction"
                pending.append((each.target, has))
            if each.code not in {OpCode.JUMP, OpCode.RETURN}:
                pending.append((at + 1, has))
        reached |= set(states)
    assert reached == set(range(len(program.code))), "some code is never reached"
    used = {each.where for each in program.code} | {each.other for each in program.code}
    assert used - {-1} == set(range(len(program.locations))), "some location is never used"
