# SPDX-License-Identifier: Apache-2.0
"""What no hook of the compiler sees: instructions in inline assembly, and those of intrinsics.

A compiler hooks accesses that it makes itself. It knows nothing of those inside of ``asm``, so a search would end with
"every schedule was run" where most were not. Here the assembler text of a target is read: fences and flushes are turned
into calls of the host's hooks, before stores past the caches and locked instructions there is one if what is tested is in
persistent memory, what touches no memory is left alone, and everything else is named, so that no verdict is built on it.
Guarantee: an instruction in ``asm`` that touches memory is either hooked or named. Cost: O(letters).
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
    """An instruction that nobody sees, and where it comes from."""

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
"""Labels that nobody jumps to: a block goes on behind them. (``.LBB0_1`` is a block of clang.)"""
_PIECE: Final = re.compile(r'"(?:[^"\\]|\\.)*"|(?P<comment>/\*.*?\*/|#.*|//.*)|(?P<end>;)|[^"#;/]+|.')
_BEGINS: Final = ("#APP", "# APP", "# Start of file scope inline assembly")
_ENDS: Final = ("#NO_APP", "# NO_APP", "# End of file scope inline assembly")


def add_hooks(text: str, *, persistent: bool = False) -> tuple[str, list[UnhookedInstructions]]:
    """Assembler text with hooks, and the instructions that nobody sees."""
    if not persistent and not _WORTH_READING.search(text):
        return text, []
    reading = _Reading(persistent=persistent)
    lines = [each for line in text.split("\n") for each in reading.line(line)]
    added = stubs(reading.hooks, text)
    if added and reading.intel:
        added = "\n\t.att_syntax prefix" + added
    return "\n".join(lines) + added, reading.unseen


class _Reading:
    """Goes through the lines of a file once."""

    def __init__(self, *, persistent: bool) -> None:
        self.unseen: list[UnhookedInstructions] = []
        self.hooks: set[HookCall] = set()
        self.intel = False
        self._persistent = persistent
        self._files: dict[str, str] = {}
        self._place = ""
        self._marked = ""
        self._inside = False
        self._told = False
        """Whether a hook was called in this block, and nothing else since."""
        self._frame = False
        """Whether %rbp is where the stack of the function begins."""
        self._prefix = ""
        """The beginning of an instruction whose rest is the next statement."""

    def line(self, line: str) -> Iterable[str]:
        """What is to be written instead of a line."""
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
        """Hook what gcc leaves out: ``p->member = f()`` where the result is a structure, stored when the call returns.

        Other stores have the call of a hook before them, in their block and after whatever else is called there.
        """
        if text.startswith(".cfi_startproc"):
            self._frame, self._told = False, False
        elif text.startswith("call"):
            self._told = _OWN_HOOK.search(text) is not None
        elif _LABEL.match(text):
            # With -g most stores have such a label between them and their hook. A second one would take the place of
            # the first, on the line of whatever the value was computed from.
            self._told = self._told and _FOR_DEBUGGERS.match(text) is not None
        elif text.startswith("movq\t%rsp, %rbp"):
            self._frame = True
        elif not self._told and text.startswith(("mov", "vmov")):
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
            if is_prefix(text):  # "lock; addl": a statement of its own, and yet a prefix
                self._prefix, as_it_was = text, False
                continue
            hook = self._hook(text)
            if hook is None and self._prefix.startswith("."):  # data, and then an instruction
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
        """What has begun as a prefix, and is none."""
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
    """The statements of a line, without comments, and labels apart."""
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
