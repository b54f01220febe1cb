# SPDX-License-Identifier: Apache-2.0
"""States as plain tuples, and one under construction: accesses under SC and TSO, and the canonical form.

A state is ``(shared, heap, blocks)``. ``shared`` has the values of cells, elements and locks, in the order of their
declarations. A block is the state of one process:

    (position, values, calls left, credits, reservations, buffer)

*position* is IDLE, RETURNING (``values`` is then the operation and its result), or the next access; ``values`` are then
its computed operands, followed by the variables that are live after it (see :mod:`flat_instructions`). So all local
computation happens with the step before, up to the next access, and no dead variable is kept. *credits* count, for each
operation with ``pairs_with``, how often it may still be called. *reservations* are the cells that were load-linked and
not written since (by any process); they end with the operation. *buffer* holds ``(place, value)``, oldest first.

Nodes are numbered in the order in which they are found: from the shared values in order, then from the blocks in order
(values, then buffer), then from the fields of nodes in the order of their numbers. Nodes that are not found vanish. So
two states are equal iff their reachable parts are isomorphic. A node is ``(class, published, fields...)``; whether it
was published is kept only where it matters (not for :attr:`Local.STEPS`).
"""

from __future__ import annotations

from typing import Any

from tests.refine.oracle.flat_instructions import FALSE, TRUE, Instruction, Value
from tests.refine.oracle.layout import Layout
from tests.refine.oracle.rules import Local, ModelError

IDLE, RETURNING = -1, -2

State = tuple[Any, Any, Any]
Event = tuple[Any, ...]
"""``("call", process, operation, arguments)``, ``("point", process)``, ``("return", process, result)`` or
``("fail", process)``."""


class Work:
    """A state under construction."""

    __slots__ = ("blocks", "heap", "layout", "shared")

    def __init__(self, layout: Layout, state: State) -> None:
        self.layout = layout
        self.shared: list[Value] = list(state[0])
        self.heap: list[tuple[Any, ...]] = list(state[1])
        self.blocks: list[tuple[Any, ...]] = list(state[2])

    # -- processes

    def rest(self, p: int, position: int, values: tuple[Value, ...]) -> None:
        self.blocks[p] = (position, values, *self.blocks[p][2:])

    def come_back(self, p: int) -> Event:
        """Return from the operation of a process."""
        _, (number, result), left, credit, _, buffer = self.blocks[p]
        done = self.layout.model.operations[number].name
        credit = tuple(n + (other == done) for n, other in zip(credit, self.layout.pairs, strict=True))
        self.blocks[p] = (IDLE, (), left, credit, (), buffer)
        return ("return", p, result)

    def ready(self, p: int, instruction: Instruction) -> bool:
        """Whether an access need not wait."""
        kind = instruction.kind
        if kind == "acquire" and self.shared[self.layout.first[instruction.places[0].name]] != FALSE:
            return False
        waits = kind not in {"load", "store"} and (kind != "release" or self.layout.rules.release_waits)
        return not (self.layout.tso and waits and self.blocks[p][5])

    def is_local(self, instruction: Instruction, operands: tuple[Value, ...]) -> bool:
        """Whether an access is invisible to all other processes."""
        if self.layout.local is Local.STEPS or not instruction.places:
            return False
        if self.layout.tso and instruction.kind not in {"load", "store"}:
            return False
        for place in instruction.places:
            if place.kind != "field":
                if place.name not in self.layout.of_one_process:
                    return False
            elif not (instruction.kind == "load" and (place.owner, place.name) in self.layout.never_written):
                pointer = operands[place.operand]
                if pointer is None or self.heap[pointer[1]][1]:
                    return False
        return True

    # -- memory

    def located(self, instruction: Instruction, which: int, operands: tuple[Value, ...]) -> Any:
        """A place: a number in shared memory, or a node and the number of its field."""
        place = instruction.places[which]
        if place.kind == "field":
            if operands[place.operand] is None:
                raise ModelError(f"{place.name} of None")
            return (operands[place.operand], self.layout.fields[place.owner, place.name])
        first = self.layout.first[place.name]
        if place.kind == "cell":
            return first
        index = operands[place.operand]
        if not 0 <= index < self.layout.size[place.name]:
            raise ModelError(f"{place.name}[{index}]")
        return first + index

    def read(self, p: int, place: Any) -> Value:
        for buffered, value in reversed(self.blocks[p][5]):
            if buffered == place:
                return value
        return self.shared[place] if isinstance(place, int) else self.heap[place[0][1]][place[1]]

    def write(self, place: Any, value: Value) -> None:
        """Change memory: reservations of the cell end."""
        if not isinstance(place, int):
            (_, n), at = place
            self.heap[n] = (*self.heap[n][:at], value, *self.heap[n][at + 1 :])
            if self.heap[n][1]:
                self.publish(value)
            return
        self.shared[place] = value
        self.publish(value)
        for p, (position, values, left, credit, reserved, buffer) in enumerate(self.blocks):
            if place in reserved:
                without = tuple(each for each in reserved if each != place)
                self.blocks[p] = (position, values, left, credit, without, buffer)

    def publish(self, value: Value) -> None:
        """From now on other processes may reach the nodes of this value, and those that they lead to."""
        if not isinstance(value, tuple) or self.layout.local is Local.STEPS:
            return
        if value[0] != "@":
            for part in value[1:]:
                self.publish(part)
            return
        kind, published, *fields = self.heap[value[1]]
        if not published:
            self.heap[value[1]] = (kind, 1, *fields)
            for part in fields:
                self.publish(part)

    def buffer(self, p: int, place: Any, value: Value) -> None:
        position, values, left, credit, reserved, buffer = self.blocks[p]
        self.blocks[p] = (position, values, left, credit, reserved, (*buffer, (place, value)))
        if isinstance(place, int) or self.heap[place[0][1]][1]:
            self.publish(value)

    def flush(self, p: int) -> None:
        """The oldest buffered store reaches memory."""
        position, values, left, credit, reserved, ((place, value), *rest) = self.blocks[p]
        self.blocks[p] = (position, values, left, credit, reserved, tuple(rest))
        self.write(place, value)

    def allocate(self, instruction: Instruction, env: dict[str, Value]) -> Value:
        name, *given = instruction.name.split()
        values = dict(zip(given, (operand(env) for operand in instruction.operands), strict=True))
        node = next(node for node in self.layout.model.nodes if node.name == name)
        fields = (values.get(field.name) for field in node.fields)
        self.heap.append((self.layout.classes.index(name), 0, *fields))
        return ("@", len(self.heap) - 1)

    def perform(self, p: int, instruction: Instruction, operands: tuple[Value, ...]) -> Value:
        """Perform an access; return its result."""
        kind = instruction.kind
        if kind == "fence":
            return None
        place = self.located(instruction, 0, operands)
        now = self.read(p, place)
        if kind in {"store", "release"}:
            value = FALSE if kind == "release" else operands[-1]
            at_once = kind == "release" and self.layout.rules.release_waits
            if self.layout.tso and not at_once and not self.is_local(instruction, operands):
                self.buffer(p, place, value)
            else:
                self.write(place, value)
            return None
        if kind == "load":
            return now
        if kind == "acquire":
            return self.write(place, TRUE)
        if kind == "ll":
            position, values, left, credit, reserved, buffer = self.blocks[p]
            assert isinstance(place, int), "only cells are load-linked here"
            self.blocks[p] = (position, values, left, credit, tuple(sorted({*reserved, place})), buffer)
            return now
        if kind == "swap":
            self.write(place, operands[-1])
            return now
        if kind == "fetch_add":
            self.write(place, now + operands[-1])
            return now
        if kind == "dcas":
            other = self.located(instruction, 1, operands)
            holds = (now, self.read(p, other)) == operands[-4:-2]
            if holds:
                self.write(place, operands[-2])
                self.write(other, operands[-1])
            return TRUE if holds else FALSE
        holds = place in self.blocks[p][4] if kind == "sc" else now == operands[-2]
        if holds:
            self.write(place, operands[-1])
        return TRUE if holds else FALSE

    # -- canonical form

    def state(self) -> State:
        """The state with nodes numbered as they are found; unreachable nodes are dropped."""
        if not self.heap:
            return (tuple(self.shared), (), tuple(self.blocks))
        numbers: dict[int, int] = {}
        found: list[int] = []

        def seen(value: Value) -> Value:
            if not isinstance(value, tuple):
                return value
            if value and value[0] == "@":
                n = value[1]
                if n not in numbers:
                    numbers[n] = len(found)
                    found.append(n)
                return ("@", numbers[n])
            return tuple([seen(part) for part in value])

        shared = tuple([seen(value) for value in self.shared])
        blocks = tuple([(b[0], seen(b[1]), b[2], b[3], b[4], seen(b[5])) for b in self.blocks])
        heap = []
        for n in found:  # it grows during the loop
            kind, published, *fields = self.heap[n]
            heap.append((kind, published, *[seen(value) for value in fields]))
        return (shared, tuple(heap), blocks)
