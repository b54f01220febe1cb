# SPDX-License-Identifier: Apache-2.0
"""Names for the memory that a program's steps access, and readable values.

A global has a symbol and a heap block a number. A stack variable has neither: its name comes from the source line that
accesses it, if that line is unambiguous.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from linpoint.hosts.address_symbols import AddressSymbols
from linpoint.hosts.search_messages import StepMessage
from linpoint.traces.trace import SourcePlace

_INT_BYTES: Final = 4
"""The size of an ``int``."""
_SMALL_NEGATIVE_BOUND: Final = 1 << 16
"""Values whose signed form is at most this far below zero are shown as negative numbers."""
_LOWEST_POINTER: Final = 1 << 32
_NAME: Final = r"((?:[A-Za-z_]\w*)(?:(?:\.|->)[A-Za-z_]\w*(?!\s*\())*(?:\[\w+\])?)"
_METHODS: Final = {
    "read": r"load|wait|test|operator",
    "write": r"store|clear",
    "update": r"exchange|fetch_\w+|test_and_set",
    "cas": r"compare_exchange_\w+",
    "lock": r"lock|try_lock|lock_shared|try_lock_for|wait\w*|acquire\w*|try_acquire\w*",
    "unlock": r"unlock|unlock_shared|release",
    "notify": r"notify_one|notify_all",
    "wait": r"wait\w*",
}
_GUARDS: Final = re.compile(r"(?:lock_guard|unique_lock|scoped_lock|shared_lock)\b[^({]*[({]\s*(\w+(?:(?:\.|->)\w+)*)")


class MemoryNames:
    """The names of the addresses in one trace."""

    def __init__(
        self,
        symbols: AddressSymbols,
        steps: Sequence[StepMessage],
        places: Sequence[SourcePlace | None],
        blocks: Mapping[int, str] | None = None,
    ) -> None:
        """``blocks`` has names for some heap blocks, by number."""
        self._names = blocks or {}
        self._symbols = symbols
        self._known: dict[int, str] = {}
        self._blocks: dict[int, tuple[int, int]] = {}
        for step in steps:
            if step.address is not None and step.block is not None:
                number, offset, size = step.block
                self._blocks[step.address - offset] = (number, size)
        for step in steps:
            if step.address is not None and step.symbol_module is not None:
                self._remember(step.address, self._symbols.variable(step.address, step.size or 1))
        for step, place in zip(steps, places, strict=True):
            if step.address is not None and self._in_block(step.address) is None and step.symbol_module is None:
                self._remember(step.address, _called(step, place))

    def name(self, step: StepMessage) -> str | None:
        """The name of the memory that a step accesses; None without an address."""
        return None if step.address is None else self.at(step.address, step.size or 1)

    def at(self, address: int, size: int = 1) -> str:
        """The name of the memory at an address; the address itself if it has no name."""
        known = self._known.get(address) or self._in_block(address) or self._symbols.variable(address, size)
        return known or f"{address:#x}"

    def is_named(self, address: int) -> bool:
        """Whether an address has a name."""
        return self.at(address) != f"{address:#x}"

    def pointed(self, value: int) -> str | None:
        """The name of the memory that a pointer points to; None if it has no name."""
        found = self._in_block(value) or self._known.get(value) or self._symbols.variable(value)
        return None if found is None else f"&{found}"

    def _remember(self, address: int, name: str | None) -> None:
        """Give an address a unique name, with a number if another variable has the same name."""
        if name is None or address in self._known:
            return
        taken = set(self._known.values())
        number, unique = 2, name
        while unique in taken:
            unique, number = f"{name} #{number}", number + 1
        self._known[address] = unique

    def _in_block(self, address: int) -> str | None:
        for begin, (number, size) in self._blocks.items():
            if begin <= address < begin + max(size, 1):
                name = self._names.get(number, f"block {number}")
                return f"{name}+{address - begin}" if address > begin else name
        return None


def readable_value(value: int | str, size: int, locations: MemoryNames) -> int | str:
    """A readable value: small negative numbers with a sign, pointers as the name of their target.

    Values narrower than an int are mostly flags or characters, so they have no sign.
    """
    if isinstance(value, str):
        return value
    below = value - (1 << (8 * size))
    if size >= _INT_BYTES and -_SMALL_NEGATIVE_BOUND <= below < 0:
        return below
    if value >= _LOWEST_POINTER:
        return locations.pointed(value) or f"{value:#x}"
    return value


def _called(step: StepMessage, place: SourcePlace | None) -> str | None:
    """The name in a step's source line for the accessed memory, if exactly one name fits the kind of step."""
    text = "" if place is None else place.text or ""
    names: set[str] = set()
    if step.kind in ("read", "write") and step.order is None:
        return None  # a plain access may be to anything on the line
    if step.kind in ("lock", "unlock"):
        names |= {match[1] for match in _GUARDS.finditer(text)}
    methods = _METHODS.get(step.kind)
    if methods:
        names |= {match[1] for match in re.finditer(rf"{_NAME}\s*(?:\.|->)\s*(?:{methods})\s*\(", text)}
    if not names and step.kind == "write":
        names = {match[1] for match in re.finditer(rf"(?:^|[;{{}}(\s]){_NAME}\s*=(?!=)", text)}
    return names.pop() if len(names) == 1 else None
