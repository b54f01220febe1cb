# SPDX-License-Identifier: Apache-2.0
"""The effect of an instruction on memory, as far as hooks need it, from its text (x86-64, AT&T syntax).

An instruction is hooked, harmless or neither. Hooked are flushes, fences, stores past the caches, locked instructions
and reads of the clock. A harmless one touches no memory, and does not make runs differ. Guarantee: an instruction that
is not fully understood is neither. Cost: O(characters).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

DURABLE_AFTER_FENCE: Final = 1
"""Kind of flush: the data is durable only after a fence."""
SFENCE, MFENCE = 0, 1
"""Kinds of fences: for stores, or for all accesses."""


@dataclass(frozen=True, slots=True)
class MemoryOperand:
    """The memory operand of an instruction."""

    displacement: str
    registers: str
    """In parentheses, as written, or empty."""
    of_thread: bool
    """Whether it is relative to the memory of the thread."""

    def moved(self, bytes_down: int) -> str:
        """The operand for ``lea`` after the stack pointer was moved down."""
        if not re.match(r"\(\s*%[re]sp\b", self.registers):
            return self.displacement + self.registers
        return (f"{self.displacement}+" if self.displacement else "") + str(bytes_down) + self.registers


@dataclass(frozen=True, slots=True)
class HookCall:
    """The message to the host about an instruction."""

    name: str
    """``flush``, ``fence``, ``non_temporal``, ``locked``, ``store`` or ``time``."""
    number: int
    """The kind of flush or fence, or the size of the access."""
    memory: MemoryOperand | None = None

    @property
    def stays(self) -> bool:
        """Whether the instruction is still executed."""
        return self.name in ("non_temporal", "locked", "store")


_OPERAND: Final = re.compile(
    r"(%fs:)?((?:[-+~]?[\w.$@]+(?:\s*[-+*]\s*[\w.$@]+)*)?)"
    r"((?:\(\s*(?:%\w+)?\s*(?:,\s*(?:%\w+)?\s*(?:,\s*[1248]?\s*)?)?\))?)"
)
_BETWEEN: Final = re.compile(r",(?![^(]*\))")
_FLUSH: Final = re.compile(r"(\.byte (?:0[xX]66|102|0146) |data16 )?(clflush|clflushopt|clwb|xsaveopt) (.+)")
_FENCE: Final = re.compile(r"(sfence|mfence)|lock (?:add|or|sub|xor)[bwlq]? \$0(?:x0+)?\s*,\s*-?\w*\(%[re]sp\)")
"""The second form only affects when other threads observe earlier accesses."""
_NON_TEMPORAL: Final = re.compile(r"v?(movnti[lq]?|movntq|movntdq|movntp[sd]|movnts[sd]) (.+)")
_LOCKED: Final = re.compile(
    r"(?:(?:xacquire|xrelease) )?(?:lock |(?=xchg))(?:(?:xacquire|xrelease) )?"
    r"(?:(add|adc|and|bt[crs]|cmpxchg|dec|inc|neg|not|or|sbb|sub|xadd|xchg|xor)([bwlq]?)|cmpxchg(8|16)b) (.+)"
)
_STORE: Final = re.compile(r"(mov[bwlq]?|v?mov(?:[au]p[sd]|dq[au]|[hl]p[sd]|s[sd]|d)) (%\w+), ?([^%$].*|)")
_SIZES: Final = {"b": 1, "w": 2, "l": 4, "q": 8}
_VECTORS: Final = {"x": 16, "y": 32, "z": 64}
_SCALARS: Final = {"movntil": 4, "movntiq": 8, "movntq": 8, "movntss": 4, "movntsd": 8}


def hook_of(text: str, *, persistent: bool) -> HookCall | None:
    """The hook for an instruction; ``text`` includes its prefixes, and has single spaces.

    Locked instructions and stores past the caches are hooked only for ``persistent`` memory: an exploration of
    schedules would have to know when they happen.
    """
    fence = _FENCE.fullmatch(text)
    if fence:
        return HookCall("fence", SFENCE if fence[1] == "sfence" else MFENCE)
    if text == "rdtsc" and persistent:  # code for emulated memory waits as long as real memory would take
        return HookCall("time", 0)
    return _flush(text) or ((_non_temporal(text) or _locked(text)) if persistent else None)


def store_of(text: str) -> HookCall | None:
    """A plain store of a register to memory that is not addressed by the stack pointer."""
    found = _STORE.fullmatch(text)
    if not found or re.search(r"\(%[re]sp", found[3]):
        return None
    register = found[2].removeprefix("%")
    if "mm" in register:
        whole = re.search(r"[au]p[sd]|dq[au]", found[1]) is not None
        size = _VECTORS[register[0]] if whole else 4 if found[1][-2:] in ("ss", "vd") else 8
    else:
        size = _register_size(register)
    return _with_memory("store", size, [found[3]]) if size else None


def is_prefix(text: str) -> bool:
    """Whether a statement is only the beginning of an instruction, which the next statement continues."""
    return (
        all(word in _PREFIXES for word in text.split())
        or re.fullmatch(r"\.byte (?:0[xX]66|102|0146)", text) is not None
    )


def _flush(text: str) -> HookCall | None:
    found = _FLUSH.fullmatch(text)
    if not found or (found[2] == "xsaveopt" and not found[1]):  # it saves registers to memory
        return None
    later = DURABLE_AFTER_FENCE if found[1] or found[2] != "clflush" else 0
    return _with_memory("flush", later, [found[3]])


def _non_temporal(text: str) -> HookCall | None:
    found = _NON_TEMPORAL.fullmatch(text)
    if not found:
        return None
    operands = _operands(found[2])
    register = operands[0].removeprefix("%")
    if found[1] == "movnti":
        size = _register_size(register)
    else:
        size = _SCALARS.get(found[1]) or (_VECTORS.get(register[:1], 0) if "mm" in register else 0)
    return _with_memory("non_temporal", size, operands) if size else None


def _locked(text: str) -> HookCall | None:
    found = _LOCKED.fullmatch(text)
    if not found:
        return None
    word, suffix, pair, rest = found.groups()
    operands = _operands(rest)
    if word and word.startswith("bt") and not operands[0].startswith("$"):
        return None  # the bit may be far from the address
    sizes = [_register_size(each.removeprefix("%")) for each in operands if each.startswith("%")]
    size = int(pair) if pair else _SIZES.get(suffix or "") or next(iter(sizes), 0)
    return _with_memory("locked", size, operands) if size else None


def _with_memory(name: str, number: int, operands: list[str]) -> HookCall | None:
    """The hook, if exactly one of the operands is memory and is understood."""
    found = [each for each in operands if not re.match(r"\$|%(?!fs:)", each)]
    match = _OPERAND.fullmatch(found[0]) if len(found) == 1 else None
    if match is None or not (match[2] or match[3]):
        return None
    return HookCall(name, number, MemoryOperand(match[2].replace(" ", ""), match[3], match[1] is not None))


def _operands(text: str) -> list[str]:
    return [each.strip() for each in _BETWEEN.split(text)]


def _register_size(name: str) -> int:
    """In bytes; 0 if it is not a register for integers."""
    if re.fullmatch(r"r(?:[a-d]x|bp|sp|si|di|8|9|1[0-5])", name):
        return 8
    if re.fullmatch(r"e(?:[a-d]x|bp|sp|si|di)|r(?:8|9|1[0-5])d", name):
        return 4
    if re.fullmatch(r"[a-d]x|bp|sp|si|di|r(?:8|9|1[0-5])w", name):
        return 2
    return 1 if re.fullmatch(r"[a-d][lh]|(?:bp|sp|si|di)l|r(?:8|9|1[0-5])b", name) else 0


_MEMORY: Final = re.compile(r"[(\[]")
# Not "rep": an instruction that touches memory after it also does so without it, and "rep; nop" is a pause.
_PREFIXES: Final = ("lock", "repe", "repz", "repne", "repnz", "xacquire", "xrelease", "data16")
_OF_OTHERS: Final = re.compile(
    r"(?:lock|xchg|cmpxchg|xadd|clflush|clwb|movnt|maskmov|rdtsc|rdrand|rdseed|rdpmc|syscall|sysenter|int\b|call|ret[qlw]?\b|iret|push"
    r"|pop(?!cnt)|in[bwl]?\b|out[bwl]?\b|movs[bwlq]\b|stos|cmps[bwlq]\b|lods|scas|xbegin|xend|xabort|hlt|monitor|mwait)"
)
"""Instructions that touch memory without naming it, read data that differs between runs, or leave the function."""
_GENERATED: Final = re.compile(
    r"\s+(?:(?:[sm]fence|lock|syscall)\b|clflush|clwb|v?movnt|v?maskmov|rdtsc|rdrand|rdseed|rdpmc|xbegin|xsave|movdir|enqcmd"
    r"|(?:xchg|vpmaskmov|vp?(?:gather|scatter|compress|expand))[^#]*[(\[]|[^#.][^#]*[)\]]\s*\{%?k)"
)
"""Instructions that compilers generate only for intrinsics in code whose atomics are hooked."""
_WITHOUT_EFFECT: Final = re.compile(r"(?:nop[wlq]?|pause|lfence|lea[lqw]?|prefetch\w*|cldemote)\b")
"""Instructions that may name memory, but neither access it nor order anything that was unordered."""
_DATA: Final = re.compile(r"\.(?:byte|word|short|value|long|int|quad|ascii|asciz|string|octa|fill|skip|incbin)\b")


def is_hidden(line: str) -> bool:
    """Whether a line generated by a compiler orders or touches memory without a compiler's hook."""
    return _GENERATED.match(line) is not None


def is_harmless(text: str) -> bool:
    """Whether a statement in ``asm`` touches no memory and does not make runs differ."""
    if text.endswith(":"):
        return True
    if text.startswith("."):
        return _DATA.match(text) is None
    word = text.split(maxsplit=1)[0].lower()
    if _WITHOUT_EFFECT.fullmatch(word) or text in ("rep", "rep nop"):
        return True
    if _OF_OTHERS.match(text.lower()) and not re.match(r"xchg[bwlq]?\s+%\w+\s*,\s*%\w+$", text):
        return False
    if word.startswith("j"):
        return "*" not in text
    if _MEMORY.search(text):
        return False
    # An operand that is neither a register nor a number names something in memory.
    operands = [part.strip() for part in text.partition(" ")[2].split(",") if part.strip()]
    return all(part.startswith(("%", "$")) for part in operands)
