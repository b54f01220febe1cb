# SPDX-License-Identifier: Apache-2.0
"""A readable view of a state of a model: the memory, the position of each process, and the waiting stores.

Guarantee: it shows everything that a process can still reach: all cells, and every node to which a cell, a variable or
a store leads. Unreachable nodes are not shown. Cost: O(slots).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from linpoint.histories.values import Value
from linpoint.refine.memory_places import MemoryPlaces
from linpoint.refine.program_ir import Instruction, OpCode, PlaceKind
from linpoint.refine.state_layout import ModelLayout


@dataclass(frozen=True, slots=True)
class ProcessPosition:
    """The position of a process: its next line, its variables and its store buffer."""

    process: int
    calls: int = 0
    """The number of operations that it has begun, if they are counted."""
    line: int = 0
    """The line of its next access; 0 between two operations."""
    variables: tuple[tuple[str, Value], ...] = ()
    waiting: tuple[tuple[str, Value], ...] = ()
    """Stores that have not reached memory, oldest first."""


def memory_of(places: MemoryPlaces, state: Sequence[int]) -> list[tuple[str, Value]]:
    """All cells, and then the fields of all reachable nodes, by name."""
    layout, widths = places.layout, places.widths
    found = []
    for addresses in (range(1, layout.cells_end), *_reachable(layout, state, widths)):
        address = addresses.start
        while address < addresses.stop:
            values = state[address : address + widths[address]]
            found.append((places.name(address), places.value(address, values)))
            address += widths[address]
    return found


def process_position(
    places: MemoryPlaces, calls: Mapping[int, int], state: Sequence[int], process: int
) -> ProcessPosition:
    """The position of a process; ``calls`` are the open calls by process."""
    layout = places.layout
    instruction = next_access(layout, state, process)
    waiting = tuple(waiting_stores(places, state, process))
    begun = state[_block(layout, process) + layout.calls_slot] if layout.calls_slot else 0
    if instruction is None:
        return ProcessPosition(process, begun, waiting=waiting)
    names = layout.calls[calls[process]].operation.registers if process in calls else ()
    values = dict(_registers(layout, state, process))
    variables = tuple(
        (names[at], places.value(-1, [code])) for at, code in values.items() if at < len(names) and names[at]
    )
    return ProcessPosition(process, begun, instruction.line, variables, waiting)


def waiting_stores(places: MemoryPlaces, state: Sequence[int], process: int) -> Iterator[tuple[str, Value]]:
    """The stores of a process that have not reached memory, oldest first."""
    for address, values in _waiting(places.layout, state, process, places.widths):
        yield places.name(address), places.value(address, values)


def next_access(layout: ModelLayout, state: Sequence[int], process: int) -> Instruction | None:
    """The next instruction of a process; None between two operations."""
    stop = state[_block(layout, process)]
    return layout.program.code[layout.stops[stop]] if stop else None


def wanted_lock(layout: ModelLayout, state: Sequence[int], process: int) -> str | None:
    """The name of the lock for which a process waits."""
    instruction = next_access(layout, state, process)
    if instruction is None or instruction.code is not OpCode.ACQUIRE:
        return None
    place = layout.program.locations[instruction.where]
    if place.where is PlaceKind.CELL:
        return layout.program.cells[place.target].name
    code = dict(_registers(layout, state, process)).get(place.register)
    if code is None:
        return None
    if place.where is PlaceKind.ELEMENT:
        return f"{layout.program.cells[place.target].name}[{layout.value_of(code)}]"
    return f"{layout.value_of(code)}.{layout.program.fields[place.target].name}"


def _block(layout: ModelLayout, process: int) -> int:
    return layout.process_base + process * layout.process_slots


def _registers(layout: ModelLayout, state: Sequence[int], process: int) -> Iterator[tuple[int, int]]:
    """The live registers, with the codes of their values."""
    base = _block(layout, process)
    live = layout.live[layout.stops[state[base]]] if state[base] else 0
    numbers = [number for number in range(live.bit_length()) if live >> number & 1]
    for at, number in enumerate(numbers):
        yield number, state[base + layout.registers_slot + at]


def _waiting(
    layout: ModelLayout, state: Sequence[int], process: int, widths: Sequence[int]
) -> Iterator[tuple[int, Sequence[int]]]:
    """The addresses and values of the waiting stores."""
    if layout.manner.memory_model == "sc":
        return
    at = _block(layout, process) + layout.buffer_slot
    for number in range(state[at]):
        entry = at + 1 + number * (1 + layout.buffer_width)
        yield state[entry], state[entry + 1 : entry + 1 + widths[state[entry]]]


def _reachable(layout: ModelLayout, state: Sequence[int], widths: Sequence[int]) -> Iterator[range]:
    """The addresses of every reachable node, node by node, in the order of their numbers."""
    codes = [*state[1 : layout.cells_end]]
    for process in range(layout.manner.count):
        codes += [code for _, code in _registers(layout, state, process)]
        codes += [code for _, values in _waiting(layout, state, process, widths) for code in values]
    found: set[tuple[int, int]] = set()
    while codes:
        node = layout.node_of(codes.pop())
        if node is not None and node not in found:
            found.add(node)
            codes += [state[at] for at in _fields(layout, *node)]
    yield from (_fields(layout, *node) for node in sorted(found))


def _fields(layout: ModelLayout, number: int, node: int) -> range:
    base = layout.class_slots[number] + node * layout.strides[number]
    return range(base, base + layout.strides[number])
