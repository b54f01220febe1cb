# SPDX-License-Identifier: Apache-2.0
"""A hook call preserves what the instruction preserves: registers, flags, and memory below the stack pointer."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from linpoint.targets.assembly_rewriting import add_hooks
from tests.targets.conftest import needs_compiler

pytestmark = needs_compiler

HAS_AVX = " avx " in Path("/proc/cpuinfo").read_text() if Path("/proc/cpuinfo").exists() else False
REGISTERS = ("rax", "rbx", "rcx", "rdx", "rsi", "rdi", "rbp", "rsp", *(f"r{number}" for number in range(8, 16)))
KEPT = ("rbx", "rbp", "r12", "r13", "r14", "r15")
CONDITIONS = ("c", "p", "z", "s", "o")
# The compared values, in one row: registers, then flags, then x87 and SSE, then AVX.
FLAGS, FX, WIDE, SIZE = 128, 256, 768, 768 + 16 * 32
DRIVER = r"""
#include <stdio.h>
#include <string.h>
char before[SIZE] __attribute__((aligned(64))), after[SIZE] __attribute__((aligned(64)));
char there[256] __attribute__((aligned(64)));
long red_zone[16], told[4];
static __attribute__((noinline)) void spoil(void) {
    char low[4096];
    memset(low, 0x5a, sizeof low);
    __asm__ volatile("" : : "r"(low) : "memory");
    __asm__ volatile(
        "movl $77, %%eax; movl %%eax, %%ecx; movl %%eax, %%edx; movl %%eax, %%esi; movl %%eax, %%edi; movl %%eax, %%r8d;"
        "movl %%eax, %%r9d; movl %%eax, %%r10d; movl %%eax, %%r11d;"
        SPOILED "addb $127, %%al" ::: "rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "memory", "cc");
}
static void tell(char* a, long b, const void* c) { told[0] = (long)a; told[1] = b; told[2] = (long)c; ++told[3]; spoil(); }
void __linpoint_flush(char* address, int later, const void* code) { tell(address, later, code); }
void __linpoint_fence(int kind, const void* code) { tell(0, kind, code); }
void __linpoint_locked(char* address, unsigned size, const void* code) { tell(address, size, code); }
void __linpoint_non_temporal(char* address, unsigned size, const void* code) { tell(address, size, code); }
void __linpoint_store(char* address, unsigned size, const void* code) { (void)address; (void)size; (void)code; spoil(); }
void check(void);
extern char site_begin[], site_end[];
int main(void) {
    check();
    for (int at = 0; at < SIZE; ++at)
        if (before[at] != after[at]) return printf("byte %d was %d and is %d\n", at, before[at], after[at]), 1;
    for (int at = 0; at < 16; ++at)
        if (red_zone[at] != 1000 + at) return printf("below the stack at %d is %ld\n", at, red_zone[at]), 1;
    if (told[3] != 1) return printf("%ld hooks\n", told[3]), 1;
    if (told[2] <= (long)site_begin || told[2] >= (long)site_end) return printf("the code is elsewhere\n"), 1;
    long stack;
    memcpy(&stack, before + 8 * 7, 8);
    if (!told[0]) printf("%ld at nothing", told[1]);
    else if (told[0] >= (long)there && told[0] < (long)there + 256) printf("%ld at %ld", told[1], told[0] - (long)there);
    else printf("%ld at stack %ld", told[1], told[0] - stack);
    return 0;
}
"""


def look(into: str, *, wide: bool) -> Iterator[str]:
    """Record everything without changing anything."""
    yield from (f"\tmovq %{name}, {into}+{8 * at}(%rip)" for at, name in enumerate(REGISTERS))
    yield from (f"\tset{each} {into}+{FLAGS + at}(%rip)" for at, each in enumerate(CONDITIONS))
    yield f"\tfxsave64 {into}+{FX}(%rip)"
    if wide:
        yield from (f"\tvmovups %ymm{number}, {into}+{WIDE + 32 * number}(%rip)" for number in range(16))


def program(instruction: str, *, comparison: str, wide: bool) -> str:
    """A function that puts values in every register and flag around an instruction."""
    lines = ["\t.text", "\t.globl check, site_begin, site_end", "check:", *(f"\tpushq %{each}" for each in KEPT)]
    lines += ["\tfldpi"] if wide else []
    for number in range(16):
        lines += [f"\tmovabsq ${0x0123456789ABC000 + number}, %rax", f"\tmovq %rax, %xmm{number}"]
        lines += [f"\tpshufd $68, %xmm{number}, %xmm{number}"]
        lines += [f"\tvinsertf128 $1, %xmm{number}, %ymm{number}, %ymm{number}"] if wide else []
        lines += [f"\tmovq ${1000 + number}, -{8 * number + 8}(%rsp)"]
    for number, name in enumerate(REGISTERS):
        if name not in ("rsp", "rdi", "rbp", "rdx"):
            lines += [f"\tmovabsq ${0x7EDCBA9876543000 + number}, %{name}"]
    lines += ["\tleaq there(%rip), %rdi", "\tleaq 64+there(%rip), %rbp", "\tmovl $8, %edx", f"\t{comparison}"]
    lines += [*look("before", wide=wide), "site_begin:", "#APP", f"\t{instruction}", "#NO_APP", "site_end:"]
    lines += look("after", wide=wide)
    for number in range(16):
        lines += [f"\tmovq -{8 * number + 8}(%rsp), %rax", f"\tmovq %rax, red_zone+{8 * number}(%rip)"]
    lines += ["\tfstp %st(0)"] if wide else []
    lines += [*(f"\tpopq %{each}" for each in reversed(KEPT)), "\tret", '\t.section .note.GNU-stack,"",@progbits', ""]
    return "\n".join(lines)


ABOVE = "cmpl $9, %edx"
EQUAL = "cmpl $8, %edx"
OVERFLOW = "cmpl $0x80000000, %edx"


@pytest.mark.parametrize(
    "wide",
    [False, pytest.param(True, marks=pytest.mark.skipif(not HAS_AVX, reason="the processor has no AVX"))],
    ids=["", "wide"],
)
@pytest.mark.parametrize(
    ("instruction", "comparison", "told"),
    [
        ("clflush (%rdi)", ABOVE, "0 at 0"),
        ("clwb 64(%rdi,%rdx,2)", EQUAL, "1 at 80"),
        ("clflushopt (%rbp)", OVERFLOW, "1 at 64"),
        ("clwb (%rsp)", ABOVE, "1 at stack 0"),
        ("clwb -24(%rsp)", EQUAL, "1 at stack -24"),
        ("clwb 16(%rsp,%rdx)", EQUAL, "1 at stack 24"),
        ("clwb there+3(%rip)", EQUAL, "1 at 3"),
        (".byte 0x66; clflush 8(%rdi)", EQUAL, "1 at 8"),
        ("sfence", EQUAL, "0 at nothing"),
        ("mfence", OVERFLOW, "1 at nothing"),
        ("movnti %rax, (%rdi)", EQUAL, "8 at 0"),
        ("movntdq %xmm4, 16(%rdi)", ABOVE, "16 at 16"),
        ("xchgl %edx, (%rdi); xchgl %edx, (%rdi)", EQUAL, ""),
        ("lock; notb 4(%rdi)", ABOVE, "1 at 4"),
    ],
)
def test_a_hook_call_preserves_all_state(
    tmp_path: Path, instruction: str, comparison: str, told: str, *, wide: bool
) -> None:
    text, unseen = add_hooks(program(instruction, comparison=comparison, wide=wide), persistent=True)
    assert not unseen
    (tmp_path / "a.s").write_text(text)
    (tmp_path / "driver.c").write_text(DRIVER)
    # An unused register of x87 need not be preserved.
    spoiled = (
        "vzeroall; fld1; fld1; fstp %%st(0); fstp %%st(0);"
        if wide
        else "".join(f"xorps %%xmm{number}, %%xmm{number};" for number in range(16))
    )
    defined = [f"-DSIZE={SIZE}", f'-DSPOILED="{spoiled}"']
    words = ["g++", "-no-pie", "-w", "-O1", *defined, "a.s", "-x", "c", "driver.c", "-o", "a"]
    subprocess.run(words, cwd=tmp_path, check=True)
    done = subprocess.run([tmp_path / "a"], capture_output=True, text=True, check=False, timeout=120)
    assert done.stdout == (told or "2 hooks\n")


def test_a_file_in_intel_syntax_stays_in_intel_syntax(tmp_path: Path) -> None:
    text, unseen = add_hooks("\t.intel_syntax noprefix\n\t.text\nf:\n\tmfence\n\tclflush\t[rax]\n\tret\n")
    assert [each.instruction for each in unseen] == ["clflush [rax]"]
    (tmp_path / "a.s").write_text(text)
    subprocess.run(["g++", "-c", "a.s"], cwd=tmp_path, check=True)
    assert "call .Llinpoint_fence_1" in text


CLOCK = r"""
#include <stdio.h>
unsigned long __linpoint_time(int kind, const void* code) { (void)kind; (void)code; return 0x1122334455667788; }
int main(void) {
    unsigned low, high, kept = 7;
    __asm__ volatile("rdtsc" : "=a"(low), "=d"(high), "+c"(kept));
    return printf("%x %x %u", high, low, kept) < 0;
}
"""


def test_the_clock_returns_both_halves_of_the_time(tmp_path: Path) -> None:
    (tmp_path / "clock.c").write_text(CLOCK)
    subprocess.run(["gcc", "-S", "-O1", "clock.c"], cwd=tmp_path, check=True)
    text, unseen = add_hooks((tmp_path / "clock.s").read_text(), persistent=True)
    assert not unseen
    (tmp_path / "clock.s").write_text(text)
    subprocess.run(["gcc", "clock.s", "-o", "clock"], cwd=tmp_path, check=True)
    assert subprocess.run(["./clock"], cwd=tmp_path, check=True, capture_output=True).stdout == b"11223344 55667788 7"
