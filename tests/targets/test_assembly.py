# SPDX-License-Identifier: Apache-2.0
"""Which instructions of inline assembly are hooked, left alone or named."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from linpoint.targets.assembly import hooked
from tests.targets.conftest import needs_compiler


def block(statement: str) -> str:
    return f'\t.loc 1 3 5\n#APP\n# 7 "a.cpp" 1\n\t{statement}\n# 0 "" 2\n#NO_APP\n\tret\n'


@pytest.mark.parametrize(
    "statement",
    [
        "",
        "nop",
        "pause",
        "rep; nop",
        "movl %eax, %ebx",
        "bswap %eax",
        "addl $1, %eax",
        "popcnt %eax, %ebx",
        "lfence",
        "1: jne 1b",
        ".p2align 4",
        "xchg %eax, %ebx",
        "cpuid",
        "leaq 8(%rdi), %rax",
    ],
)
def test_what_touches_no_memory_is_left_alone(statement: str) -> None:
    text, unseen = hooked(block(statement))
    assert not unseen
    assert "linpoint" not in text


@pytest.mark.parametrize(
    "statement",
    [
        "mfence",
        "lock; addl $0,0(%rsp)",
        "lock orq $0, (%rsp)",
        "lock addl $0x0, -4(%esp)",
        "nop; mfence # a fence",
    ],
)
def test_a_fence_is_hooked(statement: str) -> None:
    text, unseen = hooked(block(statement))
    assert not unseen
    assert "call .Llinpoint_fence_5" in text
    assert "$5, %edi" in text


def test_a_fence_of_stores_is_a_release() -> None:
    text, unseen = hooked("\tsfence\n")
    assert not unseen
    assert "call .Llinpoint_fence_3" in text


@pytest.mark.parametrize(
    "statement",
    [
        "lock xaddl %eax, (%rdi)",
        "lock; cmpxchgl %ecx, (%rdx)",
        "lock addl $1, 8(%rsp)",
        "xchgl %eax, (%rdi)",
        "xchg %eax, [rdi]",
        "movl $1, counter(%rip)",
        "movl counter, %eax",
        "incl flag",
        "call other",
        "jmp *%rax",
        "syscall",
        "rdtsc",
        "rep movsb",
        ".byte 0xf0, 0x0f",
        "clflush (%rdi)",
        "pushq %rax",
    ],
)
def test_what_nobody_sees_is_named_with_its_line(statement: str) -> None:
    _, unseen = hooked(block(statement))
    assert [each.place for each in unseen] == ["a.cpp:7"]
    assert str(unseen[0]).endswith(" at a.cpp:7")


def test_without_a_marker_the_line_of_the_code_around_is_named() -> None:
    text = '\t.file 1 "/src" "b.cpp"\n\t.loc 1 12 3\n\t#APP\n\txchgl %eax, (%rdi)\n\t#NO_APP\n'
    assert [str(each) for each in hooked(text)[1]] == ["`xchgl %eax, (%rdi)` at b.cpp:12"]


def test_intrinsics_outside_of_blocks_are_seen_too() -> None:
    text, unseen = hooked('\t.file 1 "b.cpp"\n\t.loc 1 4 1\n\tmfence\n\tmovntil %eax, (%rdi)\n\trdtsc\n')
    assert "call .Llinpoint_fence_5" in text
    assert [str(each) for each in unseen] == ["`movntil %eax, (%rdi)` at b.cpp:4", "`rdtsc` at b.cpp:4"]


def test_text_without_any_is_what_it_was() -> None:
    text = "\tmovl %eax, (%rdi)\n\tcall __tsan_write4\n"
    assert hooked(text) == (text, [])


FENCES = r"""
extern "C" int __tsan_calls = 0;
extern "C" void __tsan_atomic_thread_fence(int order) {
    __tsan_calls = __tsan_calls * 10 + order;
    asm volatile("xor %%eax, %%eax; xor %%ecx, %%ecx; xorps %%xmm3, %%xmm3; std; cld" ::: "rax", "rcx", "xmm3", "cc");
}
int main() {
    long a = 11, c = 22, same = 0;
    double d = 1.5;
    asm volatile("cmp %%rax, %%rax\n\tmfence\n\tsete %b2\n\tsfence" : "+a"(a), "+c"(c), "+d"(same), "+x"(d) :: "memory", "cc");
    return !(a == 11 && c == 22 && d == 1.5 && same == 1 && __tsan_calls == 53);
}
"""


@needs_compiler
@pytest.mark.parametrize("level", ["-O0", "-O2"])
def test_a_hooked_fence_keeps_all_registers(tmp_path: Path, level: str) -> None:
    source, text = tmp_path / "a.cpp", tmp_path / "a.s"
    source.write_text(FENCES)
    subprocess.run(["g++", level, "-g", "-S", source, "-o", text], check=True)
    mended, unseen = hooked(text.read_text())
    assert not unseen
    assert mended.count("call .Llinpoint_fence_5") == mended.count("call .Llinpoint_fence_3") == 1
    text.write_text(mended)
    subprocess.run(["g++", text, "-o", tmp_path / "a"], check=True)
    assert subprocess.run([tmp_path / "a"], check=False).returncode == 0
