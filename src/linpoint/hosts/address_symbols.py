# SPDX-License-Identifier: Apache-2.0
"""Translates addresses of a target: code addresses to source lines, data addresses to variables.

The tools of the compilers (``addr2line``, ``nm``) do the work, with one call for many addresses. Addresses that they do
not know stay unknown, without an error.
"""

from __future__ import annotations

import bisect
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Final

from linpoint.hosts.search_messages import CodeModule
from linpoint.processes.command_runner import run
from linpoint.traces.trace import SourcePlace

_ADDRESS: Final = re.compile(r"0x[0-9a-fA-F]+")
_LINE: Final = re.compile(r"(.*):(\d+)(?: \(discriminator \d+\))?")
_SYMBOL: Final = re.compile(r"([0-9a-f]+) ([0-9a-f]+) ([bBdDrRsSgGuVv]) (.+)")
_CODE: Final = re.compile(r"([0-9a-f]+) ([0-9a-f]+) [tTwW] (.+)")
_LIBRARY: Final = ("/usr/include/", "/usr/lib/", "/usr/local/include/", "/usr/local/lib/", "/usr/share/", "/opt/")
_ANONYMOUS: Final = re.compile(r"\(anonymous namespace\)::|\[abi:\w+\]")
_ADDRESSES_PER_QUERY: Final = 4000
_TOOLS: Final = (("addr2line",), ("llvm-symbolizer", "--output-style=GNU"))


@dataclass(frozen=True, slots=True)
class SourceFrame:
    """A function on the stack and its current line."""

    function: str
    file: str
    line: int

    @property
    def users(self) -> bool:
        """Whether its path indicates the user's own code."""
        outside = self.file.startswith(_LIBRARY) or "/include/c++/" in self.file or "/include/linpoint/" in self.file
        return self.line > 0 and not outside


@dataclass(frozen=True, slots=True)
class _Variable:
    begin: int
    size: int
    name: str


class AddressSymbols:
    """The symbols of one target."""

    def __init__(self, library: Path, modules: Sequence[CodeModule]) -> None:
        self._library = library
        self._modules = modules
        self._frames: dict[int, tuple[SourceFrame, ...]] = {}
        self._variables = _variables(library)
        self._begins = [each.begin for each in self._variables]
        own = [number for number, each in enumerate(modules) if Path(each.path).name == library.name]
        self._own = own[0] if own else 0

    def offset(self, address: int, module: int | None = None) -> int | None:
        """Convert a code address to an offset into the target; None if it belongs to another file.

        Hosts report some addresses as offsets into a module, and others as memory addresses.
        """
        if not self._modules:
            return address
        bases = [each.base for each in self._modules]
        if module is not None and 0 <= module < len(bases) and (not bases[module] or address < bases[module]):
            return address if module == self._own else None
        if address < min(bases):
            return address
        nearest = max((base, number) for number, base in enumerate(bases) if base <= address)[1]
        return address - bases[nearest] if nearest == self._own else None

    def look_up(self, offsets: Iterable[int]) -> None:
        """Find the source lines of many addresses with few calls of the tools."""
        missing = sorted(set(offsets) - self._frames.keys())
        for at in range(0, len(missing), _ADDRESSES_PER_QUERY):
            part = missing[at : at + _ADDRESSES_PER_QUERY]
            self._frames |= dict.fromkeys(part, ())
            for tool in _TOOLS:
                done = run([*tool, "-a", "-f", "-i", "-C", "-e", str(self._library), *map(hex, part)])
                if not done.code:
                    self._frames |= _frames(done.text)
                    break

    def frames(self, offset: int) -> tuple[SourceFrame, ...]:
        """The functions at a code address, innermost first: inlined ones, then the function that contains them."""
        if offset not in self._frames:
            self.look_up([offset])
        return self._frames[offset]

    def variable(self, address: int, size: int = 1) -> str | None:
        """The variable at a data address, with an index or offset: ``name``, ``name[3]`` or ``name+8``.

        The address may be an offset into the target or a memory address.
        """
        base = self._modules[self._own].base if self._modules else 0
        offset = address - base if base and address >= base else address
        at = bisect.bisect_right(self._begins, offset) - 1
        if at < 0:
            return None
        found = self._variables[at]
        beside = offset - found.begin
        if beside >= max(found.size, 1):
            return None
        if found.size == size or (not beside and found.size < size):
            return found.name
        if found.size % size == 0 and beside % size == 0 and self._is_array(found.name):
            return f"{found.name}[{beside // size}]"
        return f"{found.name}+{beside}" if beside else found.name

    def _is_array(self, name: str) -> bool:
        """Whether the known sources use the name with an index, since symbols have no types."""
        plain = name.rpartition("::")[2]
        files = {frame.file for frames in self._frames.values() for frame in frames if frame.users}
        return any(re.search(rf"\b{re.escape(plain)}\s*\[", line) for file in files for line in source_lines(file))


def place_of(frame: SourceFrame, directory: str) -> SourcePlace:
    """A frame as a place with the text of its line; paths inside of ``directory`` become relative to it."""
    lines = source_lines(frame.file)
    text = lines[frame.line - 1].strip() if frame.line <= len(lines) else None
    path = Path(frame.file)
    file = str(path.relative_to(directory)) if path.is_relative_to(directory) else frame.file
    return SourcePlace(file, frame.line, frame.function or None, text)


@lru_cache(maxsize=256)
def source_lines(file: str) -> tuple[str, ...]:
    """The lines of a source file; empty if it cannot be read."""
    try:
        return tuple(Path(file).read_text(encoding="utf-8", errors="replace").splitlines())
    except OSError:
        return ()


def _frames(output: str) -> dict[int, tuple[SourceFrame, ...]]:
    """Parse a tool's output: an address, then for each function its name and its line."""
    found: dict[int, tuple[SourceFrame, ...]] = {}
    address = None
    lines = iter(output.splitlines())
    for line in lines:
        if _ADDRESS.fullmatch(line.strip()):
            address = int(line.strip(), 16)
            found[address] = ()
        elif line.strip() and address is not None:
            place = _LINE.fullmatch(next(lines, "").strip())
            if place is not None:
                name = "" if line == "??" else _ANONYMOUS.sub("", line.strip())
                found[address] += (SourceFrame(name, place[1], int(place[2])),)
    return found


@dataclass(frozen=True, slots=True)
class TargetFunction:
    """The code of one function, as offsets into its target."""

    name: str
    """The name without parameters and without anonymous namespaces."""
    begin: int
    end: int


def functions(library: Path) -> list[TargetFunction]:
    """The functions of a target, in the order of their addresses."""
    output = run(["nm", "-C", "-S", "-n", "--defined-only", str(library)]).text
    found = []
    for line in output.splitlines():
        match = _CODE.fullmatch(line)
        if match and int(match[2], 16):
            begin = int(match[1], 16)
            found.append(TargetFunction(_without_parameters(match[3]), begin, begin + int(match[2], 16)))
    return found


def _without_parameters(signature: str) -> str:
    name = _ANONYMOUS.sub("", signature)
    depth = 0
    for position, letter in enumerate(name):
        if letter == "(" and depth == 0 and not name.startswith("operator()", position - len("operator")):
            return name[:position]
        depth += (letter in "<({") - (letter in ">)}")
    return name


def _variables(library: Path) -> list[_Variable]:
    output = run(["nm", "-C", "-S", "-n", "--defined-only", str(library)]).text
    found = {}
    for line in output.splitlines():
        match = _SYMBOL.fullmatch(line)
        if match and not match[4].startswith(("vtable for", "typeinfo", "VTT for")):
            each = _Variable(int(match[1], 16), int(match[2], 16), _ANONYMOUS.sub("", match[4]))
            found[each.begin] = each
    return [found[begin] for begin in sorted(found)]
