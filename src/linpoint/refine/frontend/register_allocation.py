# SPDX-License-Identifier: Apache-2.0
"""Allocates the registers of an operation.

A register with a name keeps it: the registers of an inlined method are reused when it is inlined again, but for nothing
else, so that each register of a displayed state has a meaning. If that needs too many registers (``frugal``), any free
register may be reused for anything, and one that is used under two names has no name.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from linpoint.refine.program_ir import MAX_REGISTERS


class TooManyRegistersError(Exception):
    """An operation needs more registers than are available."""


@dataclass(slots=True)
class Registers:
    """The registers of one operation. ``names`` has "" for one without a name, and "?" for one with several names."""

    frugal: bool = False
    names: list[str] = field(default_factory=list)
    _free: set[int] = field(default_factory=set)

    def take(self, width: int = 1) -> int:
        """Consecutive registers without a name."""
        base = self._row([""] * width)
        for register in range(base, base + width):
            self.names[register] = "?" if self.names[register] else ""
        return base

    def take_named(self, labels: Sequence[str]) -> int:
        """Consecutive registers for a variable."""
        base = self._row(labels)
        for n, label in enumerate(labels):
            self.names[base + n] = label if self.names[base + n] in {"", label} else "?"
        return base

    def release(self, base: int, width: int) -> None:
        """Release registers."""
        self._free.update(range(base, base + width))

    def shown(self) -> tuple[str, ...]:
        """The names, "" for a register that has none."""
        return tuple("" if name == "?" else name for name in self.names)

    def _row(self, labels: Sequence[str]) -> int:
        """The first consecutive registers that are free or new and have these names; if ``frugal``, any names."""

        def fits(register: int, label: str) -> bool:
            return register in self._free and (self.frugal or self.names[register] == label)

        for base in range(len(self.names) + 1):
            known = zip(range(base, len(self.names)), labels, strict=False)
            if all(fits(register, label) for register, label in known):
                break
        more = base + len(labels) - len(self.names)
        for label in labels[len(labels) - more :] if more > 0 else ():
            self.names.append(label)
        if len(self.names) > MAX_REGISTERS:
            raise TooManyRegistersError
        self._free.difference_update(range(base, base + len(labels)))
        return base
