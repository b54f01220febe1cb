# SPDX-License-Identifier: Apache-2.0
"""Facts about a program that hold without running it: the live registers, and the steps that no other process can
observe.

Guarantee: a place called local is local in every run with these processes. Cost: linear in the code, except for
liveness, which iterates until nothing changes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from linpoint.refine.program_ir import CompiledModel, Instruction, OpCode, PlaceKind

_BINARY = frozenset(range(OpCode.ADD, OpCode.AT_MOST + 1))
_ASKS = frozenset((OpCode.JUMP_IF, OpCode.JUMP_UNLESS, OpCode.ASSUME, OpCode.ASSERT))
_ENDS = frozenset((OpCode.JUMP, OpCode.RETURN))
_JUMPS = frozenset((OpCode.JUMP, OpCode.JUMP_IF, OpCode.JUMP_UNLESS))
_READS = frozenset((OpCode.LOAD, OpCode.LOAD_LINKED))


def _row(first: int, width: int) -> range:
    return range(first, first + width)


def uses(program: CompiledModel, instruction: Instruction) -> Iterator[int]:
    """The registers whose values an instruction needs."""
    code, each = instruction.code, instruction
    for place in (each.where, each.other):
        if place >= 0 and program.locations[place].register >= 0:
            yield program.locations[place].register
    width = program.width(each.where) if each.where >= 0 else 1
    if code in _BINARY:
        yield from (each.b, each.c)
    elif code in (OpCode.MOVE, OpCode.NOT, OpCode.IS_NODE, OpCode.FETCH_ADD):
        yield each.b
    elif code in _ASKS:
        yield each.a
    elif code is OpCode.ALLOCATE:
        yield from _row(each.b, sum(program.fields[number].width for number in program.classes[each.c].fields))
    elif code is OpCode.RETURN:
        yield from _row(each.a, each.c)
    elif code is OpCode.STORE:
        yield from _row(each.a, width)
    elif code is OpCode.CAS:
        yield from _row(each.b, width)
        yield from _row(each.c, width)
    elif code in (OpCode.SWAP, OpCode.STORE_CONDITIONAL):
        yield from _row(each.b, width)
    elif code is OpCode.DCAS:
        yield from _row(each.b, 2 * (width + program.width(each.other)))


def sets(program: CompiledModel, instruction: Instruction) -> range:
    """The registers that an instruction sets."""
    code, each = instruction.code, instruction
    if (
        code in _ASKS
        or code in _ENDS
        or code in (OpCode.POINT, OpCode.STORE, OpCode.ACQUIRE, OpCode.RELEASE, OpCode.FENCE)
    ):
        return range(0)
    if code in (OpCode.LOAD, OpCode.LOAD_LINKED, OpCode.SWAP):
        return _row(each.a, program.width(each.where))
    return _row(each.a, 1)


def followers(position: int, instruction: Instruction) -> Iterator[int]:
    """The possible positions of a process after an instruction."""
    if instruction.code in _JUMPS:
        yield instruction.target
    if instruction.code not in _ENDS:
        yield position + 1


def live_registers(program: CompiledModel) -> list[int]:
    """For each instruction, a bit for each register whose value is still needed there or later."""
    live = [0] * len(program.code)
    needs = [sum({1 << register for register in uses(program, each)}) for each in program.code]
    gives = [sum(1 << register for register in sets(program, each)) for each in program.code]
    changed = True
    while changed:
        changed = False
        for position in range(len(program.code) - 1, -1, -1):
            after = 0
            for follower in followers(position, program.code[position]):
                after |= live[follower]
            now = needs[position] | (after & ~gives[position])
            if now != live[position]:
                live[position] = now
                changed = True
    return live


def reachable(program: CompiledModel, entry: int) -> list[int]:
    """The positions of the code that begins at ``entry``, in order."""
    found: set[int] = set()
    waiting = [entry]
    while waiting:
        position = waiting.pop()
        if position not in found:
            found.add(position)
            waiting.extend(followers(position, program.code[position]))
    return sorted(found)


@dataclass(frozen=True, slots=True)
class TouchedPlaces:
    """Kinds of places that code may read and write: a bit for each cell, followed by a bit for each field."""

    reads: int = 0
    writes: int = 0

    def __or__(self, other: TouchedPlaces) -> TouchedPlaces:
        return TouchedPlaces(self.reads | other.reads, self.writes | other.writes)


def touched_by(program: CompiledModel, instruction: Instruction) -> TouchedPlaces:
    """The places that one instruction may read and write."""
    found = TouchedPlaces()
    for place in (instruction.where, instruction.other):
        if place >= 0:
            bit = 1 << kind_of_place(program, place)
            found |= TouchedPlaces(bit, 0 if instruction.code in _READS else bit)
    return found


def kind_of_place(program: CompiledModel, location: int) -> int:
    """The number of the cell of a location, or of its field (numbered after all cells)."""
    place = program.locations[location]
    return place.target + (len(program.cells) if place.where is PlaceKind.FIELD else 0)


def touched_from(program: CompiledModel) -> list[TouchedPlaces]:
    """For each instruction, the places that may be touched from there to the end of its operation."""
    found = [touched_by(program, each) for each in program.code]
    changed = True
    while changed:
        changed = False
        for position in range(len(program.code) - 1, -1, -1):
            now = found[position]
            for follower in followers(position, program.code[position]):
                now |= found[follower]
            if now != found[position]:
                found[position] = now
                changed = True
    return found


def local_kinds(program: CompiledModel, processes: Mapping[str | None, int], *, heap_is_collected: bool) -> int:
    """A bit for each kind of place whose accesses no other process can observe.

    Either no process writes there after ``setup``, or only one process accesses it at all. The fields of nodes that are
    being created may be written, provided that nodes are never reused.
    """
    written, by = 0, dict[int, set[str | None]]()
    for operation in program.operations:
        if processes.get(operation.role, 0) == 0:
            continue
        for position in reachable(program, operation.entry):
            touched = touched_by(program, program.code[position])
            written |= touched.writes
            for kind in _bits(touched.reads | touched.writes):
                by.setdefault(kind, set()).add(operation.role)
    local = 0
    for kind in range(len(program.cells) + len(program.fields)):
        is_field = kind >= len(program.cells)
        unwritten = not written >> kind & 1 and (heap_is_collected or not is_field)
        alone = not is_field and sum(processes[role] for role in by.get(kind, ())) <= 1
        local |= (unwritten or alone) << kind
    return local


def _bits(mask: int) -> Iterator[int]:
    while mask:
        lowest = mask & -mask
        yield lowest.bit_length() - 1
        mask ^= lowest
