# SPDX-License-Identifier: Apache-2.0
"""Calls of the host's hooks in assembler text, in place of an instruction or before one that stays.

The hooks are ``__linpoint_flush(address, later, code)``, ``__linpoint_fence(kind, code)``,
``__linpoint_non_temporal(address, size, code)``, ``__linpoint_locked(address, size, code)``,
``__linpoint_store(address, size, code)`` and ``__linpoint_time(kind, code)``. ``code`` is the address at which the
program continues, in the line of the instruction. Guarantee: a call preserves all registers, the flags, and the data
below the stack pointer, except for the result of the instruction.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from linpoint.targets.x86_instructions import HookCall

_RED_ZONE_BYTES: Final = 128
"""The area below the stack pointer in which a function without calls may keep data."""
_SAVED: Final = ("rdi", "rax", "rcx", "rdx", "rsi", "r8", "r9", "r10", "r11")
"""Registers that a call need not preserve, besides vectors; the first holds the address."""
_SAVED_BYTES: Final = 8 * (len(_SAVED) + 1)  # plus the flags
_WIDE: Final = re.compile(r"%[yz]mm|%k[0-7]|%xmm(?:1[6-9]|2\d|3[01])|%mm[0-7]|%st\b|\n\s*f(?:ld|ild|bld)")
_XSAVE_COMPONENTS: Final = 0xE7
"""The processor state of x87, SSE, AVX and AVX-512; components that the processor lacks are not saved."""
_XSAVE_BYTES: Final = 2688
"""The size of the saved state with all components."""


def call_lines(hook: HookCall) -> Iterator[str]:
    """The lines written in place of an instruction, or before it."""
    down = _RED_ZONE_BYTES if hook.memory is None else _RED_ZONE_BYTES + 8
    yield f"\tleaq -{down}(%rsp), %rsp"
    if hook.memory is not None:
        yield "\tmovq %rdi, (%rsp)"
        yield f"\tleaq {hook.memory.moved(down)}, %rdi"
    yield f"\tcall {_label(hook)}"
    if hook.memory is not None:
        yield "\tmovq (%rsp), %rdi"
    yield f"\tleaq {down}(%rsp), %rsp"


def stubs(hooks: Iterable[HookCall], text: str) -> str:
    """The targets of those calls. ``text`` is the whole file, and shows which registers may be in use.

    They are in a separate section, so they belong to no line. Their frames are described for profilers and debuggers.
    """
    wide = _WIDE.search(text) is not None
    by_label = {_label(hook): hook for hook in hooks}
    lines = [line for label in sorted(by_label) for line in _stub(label, by_label[label], wide=wide)]
    return "\n".join(["", '\t.section .text.linpoint,"ax",@progbits', *lines, ""]) if lines else ""


def _slot(register: str) -> int:
    """The offset of a saved register from the base of the frame; the flags come first."""
    return -8 * (_SAVED.index(register) + 2)


def _label(hook: HookCall) -> str:
    of_thread = "_of_thread" if hook.memory is not None and hook.memory.of_thread else ""
    return f".Llinpoint_{hook.name}_{hook.number}{of_thread}"


def _stub(label: str, hook: HookCall, *, wide: bool) -> Iterator[str]:
    keep, give_back = (_KEEP_ALL, _GIVE_BACK_ALL) if wide else (_KEEP_XMM, _GIVE_BACK_XMM)
    yield f"{label}:"
    yield from ("\t.cfi_startproc", "\tpushq %rbp", "\t.cfi_def_cfa_offset 16", "\t.cfi_offset %rbp, -16")
    yield from ("\tmovq %rsp, %rbp", "\t.cfi_def_cfa_register %rbp", "\tpushfq")
    yield from (f"\tpushq %{each}" for each in _SAVED)
    yield from (f"\t{each}" for each in keep)
    yield "\tcld"
    if hook.memory is None:
        yield from (f"\tmovl ${hook.number}, %edi", "\tmovq 8(%rbp), %rsi")
    else:
        if hook.memory.of_thread:
            yield "\taddq %fs:0, %rdi"
        yield from (f"\tmovl ${hook.number}, %esi", "\tmovq 8(%rbp), %rdx")
    yield f"\tcall __linpoint_{hook.name}@PLT"
    if hook.name == "time":  # put the halves of the result where registers are restored from
        yield from ("\tmovl %eax, %ecx", f"\tmovq %rcx, {_slot('rax')}(%rbp)", "\tshrq $32, %rax")
        yield f"\tmovq %rax, {_slot('rdx')}(%rbp)"
    yield from (f"\t{each}" for each in give_back)
    yield f"\tleaq -{_SAVED_BYTES}(%rbp), %rsp"
    yield from (f"\tpopq %{each}" for each in reversed(_SAVED))
    yield from ("\tpopfq", "\tpopq %rbp", "\t.cfi_def_cfa %rsp, 8", "\tret", "\t.cfi_endproc")


# Whether a loop has repeated is detected from the stack: it must contain no remains of earlier calls.
_KEEP_XMM: Final = (
    *("pushq $0", "pushq $0", "leaq 8(%rsp), %rsp", "andq $-16, %rsp", "subq $256, %rsp"),
    *(f"movaps %xmm{number}, {16 * number}(%rsp)" for number in range(16)),
)
_GIVE_BACK_XMM: Final = tuple(f"movaps {16 * number}(%rsp), %xmm{number}" for number in range(16))
_KEEP_ALL: Final = (
    *(f"subq ${_XSAVE_BYTES + 64}, %rsp", "cld", "xorl %eax, %eax", f"movl ${(_XSAVE_BYTES + 64) // 8}, %ecx"),
    *("movq %rsp, %rdi", "rep stosq", "addq $63, %rsp", "andq $-64, %rsp"),
    *(f"movl ${_XSAVE_COMPONENTS}, %eax", "xorl %edx, %edx", "xsave64 (%rsp)", "fninit", "movq -16(%rbp), %rdi"),
)
_GIVE_BACK_ALL: Final = (f"movl ${_XSAVE_COMPONENTS}, %eax", "xorl %edx, %edx", "xrstor64 (%rsp)")
