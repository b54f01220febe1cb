# SPDX-License-Identifier: Apache-2.0
"""A state of a model for people: what is in memory, where each process stands, which stores wait.

Guarantee: nothing is left out that a process could still see: all cells, and every node that a cell, a variable or a store
leads to. What nobody can reach is not shown. Cost: O(slots).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from linpoint.histories.values import Value
from linpoint.refine.program_ir import Instruction, OpCode, PlaceKind
from linpoint.refine.state_layout import ModelLayout

if TYPE_CHECKING:
    from linpoint.refine.counterexample import ModelRun


@dataclass(frozen=True, slots=True)
class ProcessPosition:
    """Where a process stands: before which line, with what in its variables and in its store buffer."""

    process: int
    calls: int = 0
    """Operations that it has begun, where they are counted."""
    line: int = 0
    """The line of its next access; 0 between two operations."""
    variables: tuple[tuple[str, Value], ...] = ()
    waiting: tuple[tuple[str, Value], ...] = ()
    """Stores that have not reached memory, the oldest first."""


def memory_of(run: ModelRun, state: Sequence[int]) -> list[tuple[str, Value]]:
    """All cells and then the fields of all nodes that can be reached, by name."""
    assembly = run.assembly
    widths = assembly._widths()  # noqa: SLF001 - the layout is read, not changed
    found = []
    for addresses in (range(1, assembly.cells_end), *_reachable(assembly, state, widths)):
        address = addresses.start
        while address < addresses.stop:
            values = state[address : address + widths[address]]
            found.append((run.place_name(address), run.value(address, values)))
            address += widths[address]
    return found


def process_position(run: ModelRun, state: Sequence[int], process: int) -> ProcessPosition:
    """Where a process stands."""
    instruction = next_access(run.assembly, state, process)
    waiting = tuple(waiting_stores(run, state, process))
    counted = run.assembly.calls_slot
    calls = state[_block(run.assembly, process) + counted] if counted else 0
    if instruction is None:
        return ProcessPosition(process, calls, waiting=waiting)
    names = run.assembly.calls[run.calls[process]].operation.registers if process in run.calls else ()
    values = dict(_registers(run.assembly, state, process))
    variables = tuple(
        (names[at], run.value(-1, [code])) for at, code in values.items() if at < len(names) and names[at]
    )
    return ProcessPosition(process, calls, instruction.line, variables, waiting)


def waiting_stores(run: ModelRun, state: Sequence[int], process: int) -> Iterator[tuple[str, Value]]:
    """The stores of a process that have not reached memory, the oldest first."""
    widths = run.assembly._widths()  # noqa: SLF001 - as above
    for address, values in _waiting(run.assembly, state, process, widths):
        yield run.place_name(address), run.value(address, values)


def next_access(assembly: ModelLayout, state: Sequence[int], process: int) -> Instruction | None:
    """The instruction before which a process stands; None between two operations."""
    stop = state[_block(assembly, process)]
    return assembly.program.code[assembly.stops[stop]] if stop else None


def wanted_lock(run: ModelRun, state: Sequence[int], process: int) -> str | None:
    """The lock for which a process waits, by name."""
    assembly = run.assembly
    instruction = next_access(assembly, state, process)
    if instruction is None or instruction.code is not OpCode.ACQUIRE:
        return None
    place = assembly.program.locations[instruction.where]
    if place.where is PlaceKind.CELL:
        return assembly.program.cells[place.target].name
    code = dict(_registers(assembly, state, process)).get(place.register)
    if code is None:
        return None
    if place.where is PlaceKind.ELEMENT:
        return f"{assembly.program.cells[place.target].name}[{assembly.value_of(code)}]"
    return f"{assembly.value_of(code)}.{assembly.program.fields[place.target].name}"


def _block(assembly: ModelLayout, process: int) -> int:
    return assembly.process_base + process * assembly.process_slots


def _registers(assembly: ModelLayout, state: Sequence[int], process: int) -> Iterator[tuple[int, int]]:
    """The registers that are still asked for, with the codes of their values."""
    base = _block(assembly, process)
    live = assembly.live[assembly.stops[state[base]]] if state[base] else 0
    numbers = [number for number in range(live.bit_length()) if live >> number & 1]
    for at, number in enumerate(numbers):
        yield number, state[base + assembly.registers_slot + at]


def _waiting(
    assembly: ModelLayout, state: Sequence[int], process: int, widths: Sequence[int]
) -> Iterator[tuple[int, Sequence[int]]]:
    """The addresses and values of the stores that wait."""
    if assembly.manner.memory_model == "sc":
        return
    at = _block(assembly, process) + assembly.buffer_slot
    for number in range(state[at]):
        entry = at + 1 + number * (1 + assembly.buffer_width)
        yield state[entry], state[entry + 1 : entry + 1 + widths[state[entry]]]


def _reachable(assembly: ModelLayout, state: Sequence[int], widths: Sequence[int]) -> Iterator[range]:
    """The addresses of every node that somebody can reach, node by node, as they are numbered."""
    codes = [*state[1 : assembly.cells_end]]
    for process in range(assembly.manner.count):
        codes += [code for _, code in _registers(assembly, state, process)]
        codes += [code for _, values in _waiting(assembly, state, process, widths) for code in values]
    found: set[tuple[int, int]] = set()
    while codes:
        node = assembly.node_of(codes.pop())
        if node is not None and node not in found:
            found.add(node)
            codes += [state[at] for at in _fields(assembly, *node)]
    yield from (_fields(assembly, *node) for node in sorted(found))


def _fields(assembly: ModelLayout, number: int, node: int) -> range:
    base = assembly.class_slots[number] + node * assembly.strides[number]
    return range(base, base + assembly.strides[number])
