# SPDX-License-Identifier: Apache-2.0
"""Finds the source line of a store, and the variable that a line stores to.

For inlined functions, the innermost line of the user's own code counts, in the file of the function that contains it.
Guarantee: an address without a line stays unknown, without an error.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from linpoint.hosts.address_symbols import AddressSymbols, SourceFrame, place_of, source_lines
from linpoint.hosts.crash_messages import Code, StoreEvent
from linpoint.hosts.search_messages import CodeModule
from linpoint.traces.trace import SourcePlace

_TARGET: Final = r"(?P<name>\*?[A-Za-z_][\w:]*(?:\(\))?(?:(?:\.|->|::)[A-Za-z_]\w*(?:\(\))?|\[[^\]=]*\])*)"
_STORED: Final = (
    re.compile(rf"{_TARGET}\s*(?:\.|->)\s*(?:store|exchange|compare_exchange_\w+|fetch_\w+|test_and_set|clear)\s*\("),
    re.compile(
        rf"(?:__atomic_\w+|__sync_\w+|CAS\w*|cas\w*|memcpy|memset|memmove|strcpy|\w*[mM]emcpy\w*)\s*\(\s*&?\s*{_TARGET}\s*,"
    ),
    re.compile(rf"(?:^|[;{{}}(,\s]){_TARGET}\s*(?:[-+*/%&|^]|<<|>>)?=(?!=)"),
    re.compile(rf"(?:\+\+|--)\s*{_TARGET}"),
    re.compile(rf"{_TARGET}\s*(?:\+\+|--)"),
)
_TYPES: Final = frozenset({"return", "auto", "const", "if", "while", "for"})


class StorePlaces:
    """Maps the addresses in host messages to source lines of one target."""

    def __init__(self, library: Path, modules: Sequence[CodeModule], sources: Sequence[str] = ()) -> None:
        """``sources`` are the target's source files, with the paths that the user gave."""
        self._symbols = AddressSymbols(library, modules)
        self._directory = os.path.realpath(".")
        self._beside = tuple(dict.fromkeys(Path(source).parent for source in sources))

    def look_up(self, codes: Iterable[Code | None]) -> None:
        """Find the lines of many addresses with few calls of the tools."""
        offsets = (self._offset(code) for code in codes)
        self._symbols.look_up(each for each in offsets if each is not None)

    def of(self, code: Code | None, stack: Sequence[Code] = ()) -> SourcePlace | None:
        """The user's line at a return address, else the line of the nearest caller that has one."""
        for each in (code, *stack):
            frame = self._frame(each)
            if frame is not None:
                return self._here(place_of(frame, self._directory))
        return None

    def way_to(self, codes: Sequence[Code | None]) -> list[SourcePlace]:
        """The user's lines at the return addresses of a call stack, innermost first."""
        frames = [each for code in codes for each in self._frames(code) if each.users]
        return [self._here(place_of(frame, self._directory)) for frame in frames]

    def of_store(self, store: StoreEvent | None) -> SourcePlace | None:
        """The user's line of a store, or None."""
        return None if store is None else self.of(store.place, store.stack)

    def key(self, store: StoreEvent) -> str:
        """The key that all stores of one line share."""
        place = self.of_store(store)
        return f"{place.file}:{place.line}" if place is not None else str(store.place)

    def _here(self, place: SourcePlace) -> SourcePlace:
        """The same line of an equal file next to the sources, if a compiler cache names a file elsewhere."""
        if not Path(place.file).is_absolute():
            return place
        elsewhere = source_lines(place.file)
        for directory in self._beside:
            mine = directory / Path(place.file).name
            lines = source_lines(str(mine)) if mine.is_file() else ()
            if lines and (not elsewhere or lines == elsewhere):
                text = lines[place.line - 1].strip() if place.line <= len(lines) else place.text
                return replace(place, file=str(mine), text=text)
        return place

    def _frame(self, code: Code | None) -> SourceFrame | None:
        return next((each for each in self._frames(code) if each.users), None)

    def _frames(self, code: Code | None) -> Sequence[SourceFrame]:
        offset = self._offset(code)
        return () if offset is None else self._symbols.frames(offset)

    def _offset(self, code: Code | None) -> int | None:
        """The offset of the call itself; its return address may belong to the next line."""
        offset = None if code is None else self._symbols.offset(code[1], code[0])
        return None if not offset else offset - 1


def stored_name(place: SourcePlace | None) -> str | None:
    """The variable that a line stores to; None if it is ambiguous."""
    text = "" if place is None else (place.text or "").split("//")[0]
    for pattern in _STORED:
        found = {match["name"] for match in pattern.finditer(text)} - _TYPES
        if len(found) == 1:
            return found.pop()
        if found:
            return None
    return None
