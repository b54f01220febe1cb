# SPDX-License-Identifier: Apache-2.0
"""Readable names for the addresses in a state of a model, and the values there."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from linpoint.histories.values import Value
from linpoint.refine.state_layout import ModelLayout


class MemoryPlaces:
    """The cells of a model and the fields of its nodes, by address."""

    def __init__(self, layout: ModelLayout) -> None:
        self.layout = layout

    @cached_property
    def widths(self) -> list[int]:
        """The number of slots of the place that begins at each address."""
        return self.layout.place_widths()

    def name(self, address: int) -> str:
        """The name of an address: ``top``, ``wants[0]``, ``Node#1.next``."""
        layout, program = self.layout, self.layout.program
        for slot, cell in zip(reversed(layout.cell_slots), reversed(program.cells), strict=True):
            if slot <= address < layout.cells_end:
                index = (address - slot) // cell.width
                return f"{cell.name}[{index}]" if cell.is_array else cell.name
        for number, (base, stride) in enumerate(zip(layout.class_slots, layout.strides, strict=True)):
            node, offset = divmod(address - base, stride) if stride else (0, 0)
            if 0 <= node < layout.room.nodes[number]:
                name = f"{program.classes[number].name}#{node + 1}"
                for each in reversed(program.classes[number].fields):
                    if layout.field_offsets[each] <= offset:
                        return f"{name}.{program.fields[each].name}"
        return f"slot {address}"

    def value(self, address: int, codes: Sequence[int]) -> Value:
        """The value at an address; a record is an object, a tuple a list."""
        values = [self.layout.value_of(code) for code in codes]
        if len(values) == 1:
            return values[0]
        parts = self._parts(address)
        return dict(zip(parts, values, strict=True)) if len(parts) == len(values) else values

    def _parts(self, address: int) -> tuple[str, ...]:
        name = self.name(address)
        program = self.layout.program
        for cell in program.cells:
            if name.partition("[")[0] == cell.name:
                return cell.parts
        field = name.rpartition(".")[2]
        return next((each.parts for each in program.fields if each.name == field), ())
