# SPDX-License-Identifier: Apache-2.0
"""A program laid out for a number of processes: integers for the native core, and their meaning.

The codes of values are small: None, False, True, then texts, nodes and integers. The room for nodes, integers and
waiting stores is a guess (``LayoutSizes``). The search corrects it: it reports what it lacked room for.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from linpoint.errors import ModelError
from linpoint.options.choices import HEAPS
from linpoint.refine import program_analysis
from linpoint.refine._native_refine import ModelProgram
from linpoint.refine.program_ir import CompiledModel, Constant, OpCode, OperationCode, PlaceKind

MAX_PROCESSES: Final = 8
_MAX_PLACE_KINDS: Final = 64
_NEGATIVE: Final = {1: 16, 2: 1 << 10, 4: 1 << 20}
_COUNTER_BITS: Final = 10
_HIGHEST: Final = {1: 255, 2: (1 << 16) - 1, 4: (1 << 31) - 1}


@dataclass(frozen=True, slots=True)
class ModelRunConfig:
    """The options for exploring a model."""

    processes: tuple[tuple[str | None, int], ...]
    """The number of processes of each role, in the order in which processes are numbered."""
    operations: int = 2
    """Operations per process; 0 = unbounded."""
    memory_model: str = "sc"
    heap: str = "gc"
    without: frozenset[str] = frozenset()
    points: bool = False
    compact: bool = False
    """Whether only hashes of states are stored."""

    @property
    def count(self) -> int:
        """The number of all processes."""
        return sum(count for _, count in self.processes)

    def uses(self, reduction: str) -> bool:
        """Whether one of ``REDUCTIONS`` is enabled."""
        return reduction not in self.without


@dataclass(frozen=True, slots=True)
class LayoutSizes:
    """The room in a state."""

    nodes: tuple[int, ...]
    """The number of nodes of each class."""
    slot_bytes: int = 1
    stores: int = 2
    """The number of waiting stores of each process."""

    @classmethod
    def for_program(cls, program: CompiledModel, manner: ModelRunConfig) -> LayoutSizes:
        """An initial guess: as many nodes as can be created, up to a small number."""
        counts = []
        for number in range(len(program.classes)):
            before = _allocations(program, program.setup, number) if program.setup else 0
            each = max((_allocations(program, operation, number) for operation in program.operations), default=0)
            made = manner.count * each * (manner.operations or 1)
            counts.append(before + min(made, 8))
        return cls(tuple(counts), 4 if manner.heap == "counted" else 1)

    def with_nodes(self, number: int) -> LayoutSizes:
        """The same with more nodes of a class."""
        more = [*self.nodes]
        more[number] += max(2, more[number] // 2)
        return replace(self, nodes=tuple(more))


def _allocations(program: CompiledModel, operation: OperationCode, number: int) -> int:
    return sum(
        program.code[position].code is OpCode.ALLOCATE and program.code[position].c == number
        for position in program_analysis.reachable(program, operation.entry)
    )


@dataclass(frozen=True, slots=True)
class ModelCall:
    """An operation with its arguments, which is one number for the native core."""

    operation: OperationCode
    arguments: tuple[Constant, ...]
    group: int


class ModelLayout:
    """A program with its layout. The search explores ``native``."""

    def __init__(self, program: CompiledModel, manner: ModelRunConfig, room: LayoutSizes) -> None:
        self.program = program
        self.manner = manner
        self.room = room
        self.atoms: list[Constant] = [None, False, True]
        self._number_atoms()
        self.first_node = len(self.atoms)
        self.nodes = sum(room.nodes)
        self.first_integer = self.first_node + self.nodes
        self.zero = self.first_integer + _NEGATIVE[room.slot_bytes]
        self.counted_bits = _COUNTER_BITS if manner.heap == "counted" else 0
        self.highest = (1 << self.counted_bits) - 1 if self.counted_bits else _HIGHEST[room.slot_bytes]
        if self.counted_bits:
            self.zero = self.first_integer + _NEGATIVE[1]
        self.groups = [(role, count) for role, count in manner.processes if count > 0]
        self.calls = [*self._calls()]
        self._lay_out()
        self.native = self._assemble()

    # Values.

    def _number_atoms(self) -> None:
        given: list[Constant] = [value for cell in self.program.cells for value in cell.initial]
        for each in self.program.code:
            given += [each.value, *each.values]
        given += [value for op in self.program.operations for item in op.parameters for value in item.domain]
        for value in given:
            if isinstance(value, str) and value not in self.atoms:
                self.atoms.append(value)

    def code_of(self, value: Constant) -> int:
        """The code of a value that is not a node."""
        if isinstance(value, int) and not isinstance(value, bool):
            code = self.zero + value
            if not self.first_integer <= code <= self.highest:
                raise TooNarrowError(value)
            return code
        return next(number for number, atom in enumerate(self.atoms) if atom is value or atom == value is not True)

    def node_of(self, code: int) -> tuple[int, int] | None:
        """The class and number of the node with this code; None if the code is not that of a node."""
        code = self.plain(code)
        node = code - self.first_node
        if not 0 <= node < self.nodes:
            return None
        for number, count in enumerate(self.room.nodes):
            if node < count:
                return number, node
            node -= count
        raise AssertionError(code)

    def plain(self, code: int) -> int:
        """A code without the modification count that pointers may have."""
        return code & ((1 << self.counted_bits) - 1) if self.counted_bits else code

    def value_of(self, code: int) -> Constant:
        """The value with this code; a node is shown by its class and number."""
        code = self.plain(code)
        node = self.node_of(code)
        if node is not None:
            return f"{self.program.classes[node[0]].name}#{node[1] + 1}"
        return self.atoms[code] if code < self.first_node else code - self.zero

    # Layout.

    def _calls(self) -> Iterator[ModelCall]:
        for number, (role, _) in enumerate(self.groups):
            for operation in self.program.operations:
                if operation.role != role and operation.role is not None:
                    continue
                domains = [parameter.domain for parameter in operation.parameters]
                for arguments in itertools.product(*domains):
                    yield ModelCall(operation, arguments, number)

    def _lay_out(self) -> None:
        program, manner = self.program, self.manner
        at = 1
        self.cell_slots = []
        for cell in program.cells:
            self.cell_slots.append(at)
            at += cell.size * cell.width
        self.cells_end = at
        self.field_offsets = [0] * len(program.fields)
        self.class_slots, self.strides = [], []
        for number, each in enumerate(program.classes):
            stride = 0
            for field in each.fields:
                self.field_offsets[field] = stride
                stride += program.fields[field].width
            self.class_slots.append(at)
            self.strides.append(stride)
            at += stride * self.room.nodes[number]
        self.private_base = at
        at += (self.nodes + 7) // 8
        self.owner_base = at
        at += self.nodes if manner.heap != "gc" else 0
        self.used_slots = [at + number for number in range(len(program.classes))]
        at += len(program.classes)
        self.process_base = at
        self._lay_out_process()
        self.slots = at + self.process_slots * manner.count

    def _lay_out_process(self) -> None:
        program, manner = self.program, self.manner
        self.live = program_analysis.live_registers(program)
        self.stops = [-1]
        for position, each in enumerate(program.code):
            returns = each.code is OpCode.RETURN and not manner.uses("fusion")
            if each.code.is_access or returns:
                self.stops.append(position)
        at = 1
        self.calls_slot = at if manner.operations else 0
        at += bool(manner.operations)
        paired = dict.fromkeys(each.pairs_with for each in program.operations if each.pairs_with)
        self.pair_slots = {name: at + number for number, name in enumerate(paired) if name is not None}
        at += len(self.pair_slots)
        links = any(each.code is OpCode.LOAD_LINKED for each in program.code)
        self.link_slot = at if links else 0
        at += links
        self.registers_slot = at
        self.registers = max((self.live[position].bit_count() for position in self.stops[1:]), default=0)
        at += self.registers
        self.buffer_slot = at
        self.buffer_width = 0
        if manner.memory_model != "sc":
            widths = [program.width(each.where) for each in program.code if each.code is OpCode.STORE]
            self.buffer_width = max(widths, default=0)
            at += 1 + self.room.stores * (1 + self.buffer_width)
        self.process_slots = at

    def _assemble(self) -> ModelProgram:
        program, manner = self.program, self.manner
        local = program_analysis.local_kinds(
            program, dict(self.groups_by_role()), heap_is_collected=manner.heap == "gc"
        )
        kinds = len(program.cells) + len(program.fields)
        numbers = {
            "processes": manner.count,
            "operations": manner.operations,
            "first_node": self.first_node,
            "nodes": self.nodes,
            "first_integer": self.first_integer,
            "zero": self.zero,
            "highest": self.highest,
            "counted_bits": self.counted_bits,
            "slot_bytes": self.room.slot_bytes,
            "slots": self.slots,
            "cells": self.cells_end - 1,
            "private_base": self.private_base,
            "owner_base": self.owner_base,
            "process_base": self.process_base,
            "process_slots": self.process_slots,
            "calls_slot": self.calls_slot,
            "link_slot": self.link_slot,
            "registers_slot": self.registers_slot,
            "registers": self.registers,
            "buffer_slot": self.buffer_slot,
            "buffer_entries": self.room.stores if manner.memory_model != "sc" else 0,
            "buffer_width": self.buffer_width,
            "heap": HEAPS.index(manner.heap),
            "canonical_heap": manner.uses("heap") or manner.heap != "gc",
            "fused": manner.uses("fusion"),
            "local_steps": manner.uses("local"),
            "symmetric": manner.uses("symmetry"),
            "ample": manner.uses("por") and manner.heap == "gc" and kinds <= _MAX_PLACE_KINDS,
            "store_buffers": manner.memory_model != "sc",
            "points": manner.points,
            "compact": manner.compact,
        }
        firsts = list(itertools.accumulate([0, *self.room.nodes]))
        classes = [
            [firsts[number], self.room.nodes[number], self.class_slots[number], self.strides[number], used]
            for number, used in enumerate(self.used_slots)
        ]
        starts = list(itertools.accumulate([0, *(count for _, count in self.groups)]))
        return ModelProgram(
            numbers,
            [*self._code()],
            [*self._places(local if manner.uses("local") else 0)],
            classes,
            self.choices,
            [self._invocation(call) for call in self.calls],
            [(starts[number], count) for number, (_, count) in enumerate(self.groups)],
            [max(position, 0) for position in self.stops],
            self._gives(),
            self._initial(),
            self.place_widths(),
            program.setup.entry if program.setup else -1,
            self._touched() if kinds <= _MAX_PLACE_KINDS else [[(0, 0)] * len(self.stops)] * 3,
        )

    def groups_by_role(self) -> Iterator[tuple[str | None, int]]:
        """The roles, each with the number of processes that may call its operations; without a role, all may."""
        yield from self.groups
        if all(role is not None for role, _ in self.groups):
            yield None, self.manner.count

    def _code(self) -> Iterator[list[int]]:
        self.choices: list[int] = []
        stops = {position: number for number, position in enumerate(self.stops) if number > 0}
        for position, each in enumerate(self.program.code):
            first = len(self.choices)
            self.choices += [self.code_of(value) for value in each.values]
            live = self.live[position]
            row = [each.code, max(each.a, 0), max(each.b, 0), max(each.c, 0), each.where, each.other, each.target]
            row += [self.code_of(each.value), first, len(each.values), live & 0xFFFFFFFF, live >> 32]
            yield [*row, stops.get(position, 0)]

    def _places(self, local: int) -> Iterator[list[int]]:
        for number, place in enumerate(self.program.locations):
            kind = program_analysis.kind_of_place(self.program, number)
            row = [place.where, max(place.register, 0), local >> kind & 1]
            if place.where is PlaceKind.FIELD:
                field = self.program.fields[place.target]
                base = self.class_slots[field.node_class] + self.field_offsets[place.target]
                yield [*row, base, 1, field.width, self.strides[field.node_class], field.node_class]
            else:
                cell = self.program.cells[place.target]
                yield [*row, self.cell_slots[place.target], cell.size, cell.width, cell.width, 0]

    def _invocation(self, call: ModelCall) -> tuple[int, int, int, list[int]]:
        pairs = call.operation.pairs_with
        needs = self.pair_slots[pairs] if pairs else 0
        return call.operation.entry, call.group, needs, [self.code_of(value) for value in call.arguments]

    def _gives(self) -> list[int]:
        found = [0] * len(self.program.code)
        for operation in self.program.operations:
            for position in program_analysis.reachable(self.program, operation.entry):
                if self.program.code[position].code is OpCode.RETURN:
                    found[position] = self.pair_slots.get(operation.name, 0)
        return found

    def _initial(self) -> list[int]:
        state = [0] * self.slots
        for slot, cell in zip(self.cell_slots, self.program.cells, strict=True):
            count = 1 << self.counted_bits if self.counted_bits else 0
            codes = [self.code_of(value) for value in cell.initial]
            state[slot : slot + len(codes)] = [code + (count if code == 0 else 0) for code in codes]
        return state

    def place_widths(self) -> list[int]:
        """The number of slots of the place that begins at each address."""
        widths = [1] * self.slots
        for slot, cell in zip(self.cell_slots, self.program.cells, strict=True):
            for number in range(cell.size):
                widths[slot + number * cell.width] = cell.width
        for number, field in enumerate(self.program.fields):
            for node in range(self.room.nodes[field.node_class]):
                base = self.class_slots[field.node_class] + node * self.strides[field.node_class]
                widths[base + self.field_offsets[number]] = field.width
        return widths

    def _touched(self) -> list[list[tuple[int, int]]]:
        later = program_analysis.touched_from(self.program)
        by_group = []
        for role, _ in self.groups:
            found = program_analysis.TouchedPlaces()
            for operation in self.program.operations:
                if operation.role is None or operation.role == role:
                    found |= later[operation.entry]
            by_group.append((found.reads, found.writes))
        at = [program_analysis.touched_by(self.program, self.program.code[position]) for position in self.stops[1:]]
        of = [later[position] for position in self.stops[1:]]
        return [by_group, *([(0, 0), *((each.reads, each.writes) for each in some)] for some in (at, of))]


class TooNarrowError(Exception):
    """A constant of the model needs wider slots."""


def lay_out(program: CompiledModel, manner: ModelRunConfig, room: LayoutSizes) -> ModelLayout:
    """Lay out a program, with wider slots if its constants need them."""
    while True:
        try:
            return ModelLayout(program, manner, room)
        except TooNarrowError as error:
            if room.slot_bytes == 4:
                message = f"{error.args[0]} is too large for a model."
                raise ModelError("LP-M020", message, place=program.file, remedy="Use smaller integers.") from None
            room = replace(room, slot_bytes=room.slot_bytes * 2)


def deal_roles(
    program: CompiledModel, processes: int | Sequence[tuple[str, int]]
) -> tuple[tuple[str | None, int], ...]:
    """The number of processes of each role: as given, or assigned to the roles in turn."""
    roles = [role for role in program.roles if role is not None]
    if not isinstance(processes, int):
        given = dict(processes)
        unknown = [name for name in given if name not in roles]
        if unknown:
            known = f"Use one of: {', '.join(roles)}." if roles else "Pass only the number of processes."
            raise ModelError("LP-M018", f"{program.name} has no role {unknown[0]!r}.", place=program.file, remedy=known)
        return tuple((role, given.get(role, 0)) for role in roles)
    if not roles:
        return ((None, processes),)
    counts = {role: len(range(number, processes, len(roles))) for number, role in enumerate(roles)}
    return tuple((role, counts[role]) for role in roles)
