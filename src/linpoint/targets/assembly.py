# SPDX-License-Identifier: Apache-2.0
"""What no hook of the compiler sees: instructions in inline assembly, and fences of intrinsics.

A compiler hooks accesses that it makes itself. It knows nothing of those inside of ``asm``, so a search would end with
"every schedule was run" where most were not. Here the assembler text of a target is read: fences (``mfence``, ``sfence``, a
locked operation on the stack that changes nothing) are turned into calls of the host's hook, what touches no memory is
left alone, and everything else is named, so that no verdict is built on it.
Guarantee: an instruction in ``asm`` that touches memory is either hooked or named. Cost: O(letters).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

SEQ_CST: Final = 5
RELEASE: Final = 3
"""As compilers number memory orders."""


@dataclass(frozen=True, slots=True)
class Unseen:
    """An instruction that nobody sees, and where it comes from."""

    place: str
    instruction: str

    def __str__(self) -> str:
        return f"`{self.instruction}` at {self.place}" if self.place else f"`{self.instruction}`"


_FILE: Final = re.compile(r'\s*\.file\s+(\d+)\s+"((?:[^"\\]|\\.)*)"(?:\s+"((?:[^"\\]|\\.)*)")?')
_LOC: Final = re.compile(r"\s*\.loc\s+(\d+)\s+(\d+)")
_MARKER: Final = re.compile(r'#\s+(\d+)\s+"((?:[^"\\]|\\.)*)"')
_LABEL: Final = re.compile(r"^\s*[\w.$]+:\s*")
_COMMENT: Final = re.compile(r"/\*.*?\*/|#.*|//.*")
_OF_STACK: Final = re.compile(r"lock\s+(?:add|or|sub|xor)[bwlq]?\s+\$0(?:x0+)?\s*,\s*-?\w*\(%[re]sp\)")
_MEMORY: Final = re.compile(r"[(\[]")
_PREFIXES: Final = ("lock", "rep", "repe", "repz", "repne", "repnz", "xacquire", "xrelease", "data16")
_OF_OTHERS: Final = re.compile(
    r"(?:lock|xchg|cmpxchg|xadd|clflush|clwb|movnt|maskmov|rdtsc|rdrand|rdseed|rdpmc|syscall|sysenter|int\b|call|ret\b|iret|push"
    r"|pop(?!cnt)|in[bwl]?\b|out[bwl]?\b|movs[bwlq]\b|stos|cmps[bwlq]\b|lods|scas|xbegin|xend|xabort|hlt|monitor|mwait)"
)
"""Of what touches memory without naming it, asks the machine for what differs from run to run, or leaves the function."""
_GENERATED: Final = re.compile(r"\s*(?:lock\b|clflush|clwb|movnt|maskmov|rdtsc|rdrand|rdseed|rdpmc|xbegin|syscall)")
"""What only an intrinsic makes a compiler write in code where atomics are hooked."""
_WITHOUT_EFFECT: Final = frozenset(
    [
        "nop",
        "nopw",
        "nopl",
        "pause",
        "lfence",
        "lea",
        "leaq",
        "leal",
        "prefetcht0",
        "prefetcht1",
        "prefetcht2",
        "prefetchnta",
        "prefetchw",
    ]
)
"""What may name memory, and yet neither reads nor writes it, or orders nothing that was not in order."""
_DATA: Final = re.compile(r"\.(?:byte|word|short|value|long|int|quad|ascii|asciz|string|octa|fill|skip|incbin)\b")


def hooked(text: str) -> tuple[str, list[Unseen]]:
    """Assembler text with hooks where fences were, and the instructions that nobody sees."""
    if not re.search(r"#\s*APP|[mls]fence|lock|clflush|clwb|movnt|rdtsc|rdrand|rdseed|xbegin|syscall", text):
        return text, []
    reading = _Reading()
    lines = [each for line in text.split("\n") for each in reading.line(line)]
    stubs = "".join(_stub(order) for order in sorted(reading.orders))
    return "\n".join(lines) + stubs, reading.unseen


class _Reading:
    """Goes through the lines of a file once."""

    def __init__(self) -> None:
        self.unseen: list[Unseen] = []
        self.orders: set[int] = set()
        self._files: dict[str, str] = {}
        self._place = ""
        self._marked = ""
        self._inside = False

    def line(self, line: str) -> Iterator[str]:
        """What is to be written instead of a line."""
        word = line.strip()
        if word in ("#APP", "# APP"):
            self._inside, self._marked = True, ""
        elif word in ("#NO_APP", "# NO_APP"):
            self._inside = False
        elif self._inside:
            yield from self._of_user(line)
            return
        else:
            yield from self._of_compiler(line)
            return
        yield line

    def _of_compiler(self, line: str) -> Iterator[str]:
        file, loc = _FILE.match(line), _LOC.match(line)
        if file:
            self._files[file[1]] = file[3] or file[2]
        elif loc:
            self._place = f"{self._files.get(loc[1], '?')}:{loc[2]}"
        elif line.strip() in ("mfence", "sfence"):
            yield from self._fence(SEQ_CST if "mfence" in line else RELEASE)
            return
        elif _GENERATED.match(line):
            self.unseen.append(Unseen(self._place, _plain(line)))
        yield line

    def _of_user(self, line: str) -> Iterator[str]:
        marker = _MARKER.match(line)
        if marker:
            self._marked = f"{marker[2]}:{marker[1]}" if marker[2] else self._marked
            yield line
            return
        pending = ""
        for each in _statements(line):
            text = f"{pending} {each}".strip()
            if text in _PREFIXES and text != "rep":  # "lock; addl": a statement of its own, and yet a prefix
                pending = text
                continue
            pending = ""
            if text in ("mfence", "sfence") or _OF_STACK.fullmatch(text):
                yield from self._fence(RELEASE if text == "sfence" else SEQ_CST)
                continue
            if not _harmless(text):
                self.unseen.append(Unseen(self._marked or self._place, text))
            yield f"\t{each}" if text == each else f"\t{text}"

    def _fence(self, order: int) -> Iterator[str]:
        self.orders.add(order)
        # Below the stack pointer a function without calls may keep what it needs.
        yield "\tleaq -128(%rsp), %rsp"
        yield f"\tcall .Llinpoint_fence_{order}"
        yield "\tleaq 128(%rsp), %rsp"


def _statements(line: str) -> Iterator[str]:
    for part in _COMMENT.sub("", line).split(";"):
        text = part.strip()
        while label := _LABEL.match(text):
            yield label[0].strip()
            text = text[label.end() :].strip()
        if text:
            yield _plain(text)


def _plain(text: str) -> str:
    return " ".join(_COMMENT.sub("", text).split())


def _harmless(text: str) -> bool:
    """Whether a statement touches no memory and nothing else that runs may differ in."""
    if text.endswith(":"):
        return True
    if text.startswith("."):
        return _DATA.match(text) is None
    word = text.split(maxsplit=1)[0].lower()
    if word in _WITHOUT_EFFECT or text in ("rep", "rep nop"):
        return True
    if _OF_OTHERS.match(text.lower()) and not re.match(r"xchg[bwlq]?\s+%\w+\s*,\s*%\w+$", text):
        return False
    if word.startswith("j"):
        return "*" not in text
    if _MEMORY.search(text):
        return False
    # What is neither a register nor a number is the name of something in memory.
    operands = [part.strip() for part in text.partition(" ")[2].split(",") if part.strip()]
    return all(part.startswith(("%", "$")) for part in operands)


_SAVED: Final = ("rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11")


def _stub(order: int) -> str:
    """Calls the hook of a fence, and keeps everything as a fence does. In a section of its own: it is on no line."""
    lines = [
        "",
        '\t.section .text.linpoint_fence,"ax",@progbits',
        f".Llinpoint_fence_{order}:",
        "\tpushq %rbp",
        "\tmovq %rsp, %rbp",
        "\tpushfq",
        *(f"\tpushq %{each}" for each in _SAVED),
        "\tandq $-16, %rsp",
        "\tsubq $256, %rsp",
        *(f"\tmovaps %xmm{number}, {16 * number}(%rsp)" for number in range(16)),
        "\tcld",
        f"\tmovl ${order}, %edi",
        "\tcall __tsan_atomic_thread_fence@PLT",
        *(f"\tmovaps {16 * number}(%rsp), %xmm{number}" for number in range(16)),
        f"\tleaq -{8 * (len(_SAVED) + 1)}(%rbp), %rsp",
        *(f"\tpopq %{each}" for each in reversed(_SAVED)),
        "\tpopfq",
        "\tpopq %rbp",
        "\tret",
        "",
    ]
    return "\n".join(lines)
