# SPDX-License-Identifier: Apache-2.0
"""Hooks instructions that the compiler does not hook: those in inline assembly, and those of intrinsics.

A compiler hooks only the accesses that it generates itself. Without hooks for ``asm``, a search would report that every
schedule was run although most were not. So this module reads the assembler text of a target. Fences and flushes become
calls of the host's hooks. For targets in persistent memory, stores past the caches and locked instructions get a call
before them. Instructions that do not touch memory stay as they are. All others are reported, so that no verdict rests
on them. Guarantee: an instruction in ``asm`` that touches memory is either hooked or reported. Cost: O(characters).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from linpoint.targets.hook_stubs import call_lines, stubs
from linpoint.targets.x86_instructions import HookCall, hook_of, is_harmless, is_hidden, is_prefix, store_of


@dataclass(frozen=True, slots=True)
class UnhookedInstructions:
    """An instruction that no hook observes, and its place in the source."""

    place: str
    instruction: str

    def __str__(self) -> str:
        return f"`{self.instruction}` at {self.place}" if self.place else f"`{self.instruction}`"


_WORTH_READING: Final = re.compile(
    r"#\s*APP|file scope inline assembly|[mls]fence|\block\b|clflush|clwb|movnt|maskmov|rdtsc|rdrand|rdseed|rdpmc|xbegin"
    r"|syscall|xsave|movdir|enqcmd|\bxchg|\bvp?(?:gather|scatter|compress|expand)|[)\]]\s*\{%?k"
)
_FILE: Final = re.compile(r'\.file\s+(\d+)\s+"((?:[^"\\]|\\.)*)"(?:\s+"((?:[^"\\]|\\.)*)")?')
_LOC: Final = re.compile(r"\.loc\s+(\d+)\s+(\d+)")
_MARKER: Final = re.compile(r'#\s+(\d+)\s+"((?:[^"\\]|\\.)*)"')
_OWN_HOOK: Final = re.compile(r"\b__(?:tsan|sanitizer|linpoint|wrap_mem)|\.Llinpoint")
_LABEL: Final = re.compile(r"^\s*[\w.$]+:\s*")
_FOR_DEBUGGERS: Final = re.compile(r"\.L(?:VL|BB|BE|BI|FB|FE|M|EHB|EHE|tmp)\d+:")
"""Labels to which no code jumps: a block continues after them. (``.LBB0_1`` begins a block of clang.)"""
_PIECE: Final = re.compile(r'"(?:[^"\\]|\\.)*"|(?P<comment>/\*.*?\*/|#.*|//.*)|(?P<end>;)|[^"#;/]+|.')
_BEGINS: Final = ("#APP", "# APP", "# Start of file scope inline assembly")
_ENDS: Final = ("#NO_APP", "# NO_APP", "# End of file scope inline assembly")


def add_hooks(text: str, *, persistent: bool = False) -> tuple[str, list[UnhookedInstructions]]:
    """Assembler text with hooks, and the instructions that no hook observes."""
    if not persistent and not _WORTH_READING.search(text):
        return text, []
    reading = _Reading(persistent=persistent)
    lines = [each for line in text.split("\n") for each in reading.line(line)]
    added = stubs(reading.hooks, text)
    if added and reading.intel:
        added = "\n\t.att_syntax prefix" + added
    return "\n".join(lines) + added, reading.unseen


class _Reading:
    """Reads the lines of a file once."""

    def __init__(self, *, persistent: bool) -> None:
        self.unseen: list[UnhookedInstructions] = []
        self.hooks: set[HookCall] = set()
        self.intel = False
        self._persistent = persistent
        self._files: dict[str, str] = {}
        self._place = ""
        self._marked = ""
        self._inside = False
        self._hook_is_last_call = False
        """Whether the last call in this block is that of a hook."""
        self._frame = False
        """Whether %rbp holds the stack base of the function."""
        self._prefix = ""
        """The beginning of an instruction that the next statement continues."""

    def line(self, line: str) -> Iterable[str]:
        """The replacement of a line."""
        text = line.lstrip()
        if text.startswith("#") and text.rstrip() in _BEGINS:
            self._inside, self._marked = True, ""
        elif text.startswith("#") and text.rstrip() in _ENDS:
            self._inside = False
            return [*self._without_rest(), line]
        elif self._inside or text.startswith((".att_syntax", ".intel_syntax")):
            return self._of_user(line)
        elif text.startswith((".loc", ".file")):
            self._find_place(text)
        elif not text.startswith((".", "#")) and is_hidden(line):
            return self._of_compiler(line)
        elif self._persistent:
            return self._of_result(line, text)
        return (line,)

    def _of_result(self, line: str, text: str) -> Iterable[str]:
        """Hook a store that gcc does not hook: ``p->member = f()`` with a structure as the result, stored when the call
        returns.

        Other stores have the call of a hook before them, in the same block and after all other calls there.
        """
        if text.startswith(".cfi_startproc"):
            self._frame, self._hook_is_last_call = False, False
        elif text.startswith("call"):
            self._hook_is_last_call = _OWN_HOOK.search(text) is not None
        elif _LABEL.match(text):
            # With -g most stores have such a label between them and their hook. A second hook would replace the first,
            # with the line of whatever the value was computed from.
            self._hook_is_last_call = self._hook_is_last_call and _FOR_DEBUGGERS.match(text) is not None
        elif text.startswith("movq\t%rsp, %rbp"):
            self._frame = True
        elif not self._hook_is_last_call and text.startswith(("mov", "vmov")):
            hook = store_of(" ".join(text.partition("#")[0].split()))
            if hook is not None and not (self._frame and "(%rbp" in text):
                return [*self._called(hook), line]
        return (line,)

    def _find_place(self, text: str) -> None:
        loc, file = _LOC.match(text), _FILE.match(text)
        if loc:
            self._place = f"{self._files.get(loc[1], '?')}:{loc[2]}"
        elif file:
            self._files[file[1]] = file[3] or file[2]

    def _of_compiler(self, line: str) -> Iterator[str]:
        text = " ".join(line.partition("#")[0].split())
        hook = self._hook(text)
        if hook is None:
            self.unseen.append(UnhookedInstructions(self._place, text))
        else:
            yield from self._called(hook)
        if hook is None or hook.stays:
            yield line

    def _of_user(self, line: str) -> Iterator[str]:
        marker = _MARKER.match(line)
        if marker:
            yield from self._without_rest()
            self._marked = f"{marker[2]}:{marker[1]}" if marker[2] else self._marked
            yield line
            return
        as_it_was = not self._prefix
        written: list[str] = []
        for each in _statements(line):
            if self._prefix and not each[0].isalpha():
                written += self._without_rest()
            self._note_dialect(each)
            text = f"{self._prefix} {each}".strip()
            if is_prefix(text):  # "lock; addl": a separate statement, but a prefix
                self._prefix, as_it_was = text, False
                continue
            hook = self._hook(text)
            if hook is None and self._prefix.startswith("."):  # data, followed by an instruction
                written += self._without_rest()
                text, hook = each, self._hook(each)
            self._prefix = ""
            if hook is not None:
                written += self._called(hook)
                as_it_was = False
            elif not is_harmless(text):
                self._name(text)
            if hook is None or hook.stays:
                written.append(f"\t{text}")
        yield from [line] if as_it_was else written

    def _note_dialect(self, text: str) -> None:
        if text.startswith((".att_syntax", ".intel_syntax")):
            self.intel = text.startswith(".intel")

    def _without_rest(self) -> list[str]:
        """Text that began like a prefix, but is not one."""
        if not self._prefix:
            return []
        self._name(self._prefix)
        written, self._prefix = [f"\t{self._prefix}"], ""
        return written

    def _name(self, text: str) -> None:
        self.unseen.append(UnhookedInstructions(self._marked or self._place, text))

    def _hook(self, text: str) -> HookCall | None:
        hook = hook_of(text, persistent=self._persistent)
        return None if hook is not None and hook.memory is not None and self.intel else hook

    def _called(self, hook: HookCall) -> Iterator[str]:
        self.hooks.add(hook)
        if self.intel:
            yield "\t.att_syntax prefix"
        yield from call_lines(hook)
        if self.intel:
            yield "\t.intel_syntax noprefix"


def _statements(line: str) -> Iterator[str]:
    """The statements of a line without comments, with labels as separate statements."""
    parts = [""]
    for piece in _PIECE.finditer(line):
        if piece["end"]:
            parts.append("")
        else:
            parts[-1] += " " if piece["comment"] else piece[0]
    for part in parts:
        text = part.strip()
        while label := _LABEL.match(text):
            yield label[0].strip()
            text = text[label.end() :].strip()
        if text:
            yield " ".join(text.split())
