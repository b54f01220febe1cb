# SPDX-License-Identifier: Apache-2.0
"""Static properties of a model: the places of its cells, its instructions, and the places that one process owns."""

from __future__ import annotations

from tests.refine.oracle import language
from tests.refine.oracle.flat_instructions import FALSE, Instruction, Value, encoded, flatten
from tests.refine.oracle.rules import Local, Rules


class Layout:
    """A model with its processes.

    ``first`` and ``size`` give the places of a name's cells in shared memory, ``fields`` the place of a field in its
    node. ``code`` has the instructions of all operations and of `setup`, one after the other; ``starts`` gives the
    begin of each, ``owner`` the operation of an instruction.
    """

    def __init__(
        self,
        model: language.Model,
        *,
        processes: int,
        operations: int,
        memory_model: str,
        local: Local,
        rules: Rules,
    ) -> None:
        self.model, self.processes, self.operations = model, processes, operations
        self.tso = memory_model == "tso"
        self.local, self.rules = local, rules
        self.allowed = [model.callable_by(p) for p in range(processes)]
        self.paired = [op.name for op in model.operations if op.pairs_with]
        self.pairs = [op.pairs_with for op in model.operations if op.pairs_with]
        self._place_cells()
        self._load_code()
        self._find_private_places()

    def _place_cells(self) -> None:
        self.first: dict[str, int] = {}
        self.size: dict[str, int] = {}
        shared: list[Value] = []
        for declaration in self.model.declarations:
            self.first[declaration.name] = len(shared)
            match declaration:
                case language.ArrayDeclaration(_, initial, size):
                    shared += [encoded(initial.value)] * size
                case language.CellDeclaration(_, initial):
                    shared.append(flatten((language.Return(initial),)).instructions[-2].operands[0]({}))
                case language.LockDeclaration():
                    shared.append(FALSE)
            self.size[declaration.name] = len(shared) - self.first[declaration.name]
        self.shared = shared
        self.classes = [node.name for node in self.model.nodes]
        self.fields = {
            (node.name, field.name): i + 2 for node in self.model.nodes for i, field in enumerate(node.fields)
        }

    def _load_code(self) -> None:
        self.code: list[Instruction] = []
        self.starts: list[int] = []
        self.owner: list[int] = []
        for number, body in enumerate([*(op.body for op in self.model.operations), self.model.setup]):
            self.starts.append(len(self.code))
            for instruction in flatten(body).instructions:
                instruction.jumps = [jump + self.starts[-1] for jump in instruction.jumps]
                self.code.append(instruction)
                self.owner.append(number)
        for instruction in self.code:
            if instruction.kind == "fence" and not self.tso and not self.rules.fence_under_sc:
                instruction.kind = "nothing"

    def _find_private_places(self) -> None:
        self.never_written = set(self.fields)
        touching: dict[str, set[int]] = {name: set() for name in self.first}
        written: set[str] = set()
        for position in range(self.starts[-1]):
            instruction = self.code[position]
            for place in instruction.places:
                if place.kind != "field":
                    number = self.owner[position]
                    touching[place.name] |= {p for p in range(self.processes) if number in self.allowed[p]}
                    if instruction.kind not in {"load", "ll"}:
                        written.add(place.name)
                elif instruction.kind not in {"load", "ll"}:
                    self.never_written.discard((place.owner, place.name))
        self.of_one_process = {name for name, who in touching.items() if len(who) <= 1 or name not in written}
