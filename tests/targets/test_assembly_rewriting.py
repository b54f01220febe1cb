# SPDX-License-Identifier: Apache-2.0
"""Inline assembly: which instructions are hooked, left unchanged or named."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from linpoint.targets.assembly_rewriting import add_hooks
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
def test_instructions_without_memory_access_are_left_unchanged(statement: str) -> None:
    text, unseen = add_hooks(block(statement))
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
    text, unseen = add_hooks(block(statement))
    assert not unseen
    assert "call .Llinpoint_fence_1" in text
    assert "call __linpoint_fence@PLT" in text


def test_a_store_fence_is_a_release_fence() -> None:
    text, unseen = add_hooks("\tsfence\n")
    assert not unseen
    assert "call .Llinpoint_fence_0" in text


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
        ".byte 0x66, 0x0f, 0xae, 0x3f",
        ".byte 0x66; nop; clflush (%rdi)",
        ".byte 0x66",
        "lock",
        "lock; 1:",
        "xsaveopt (%rdi)",
        "clflush %gs:(%rdi)",
        "clwb [rdi]",
        "movntdqa (%rdi), %xmm0",
        "retq",
        "pushq %rax",
    ],
)
def test_unhooked_instructions_are_named_with_their_line(statement: str) -> None:
    _, unseen = add_hooks(block(statement))
    assert [each.place for each in unseen] == ["a.cpp:7"]
    assert str(unseen[0]).endswith(" at a.cpp:7")


def test_without_a_marker_the_line_of_the_surrounding_code_is_named() -> None:
    text = '\t.file 1 "/src" "b.cpp"\n\t.loc 1 12 3\n\t#APP\n\txchgl %eax, (%rdi)\n\t#NO_APP\n'
    assert [str(each) for each in add_hooks(text)[1]] == ["`xchgl %eax, (%rdi)` at b.cpp:12"]


def test_intrinsics_outside_assembly_blocks_are_hooked() -> None:
    text, unseen = add_hooks('\t.file 1 "b.cpp"\n\t.loc 1 4 1\n\tmfence\n\tmovntil %eax, (%rdi)\n\trdtsc\n')
    assert "call .Llinpoint_fence_1" in text
    assert [str(each) for each in unseen] == ["`movntil %eax, (%rdi)` at b.cpp:4", "`rdtsc` at b.cpp:4"]


def test_text_without_inline_assembly_is_unchanged() -> None:
    text = "\tmovl %eax, (%rdi)\n\tcall __tsan_write4\n"
    assert add_hooks(text) == (text, [])


@pytest.mark.parametrize("persistent", [False, True])
@pytest.mark.parametrize(
    "statement",
    [
        "clflush (%rdi)",
        "clflushopt 8(%rdi,%rax,2)",
        "clwb counter(%rip)",
        ".byte 0x66; clflush (%rdi)",
        ".byte\t102; xsaveopt (%rdi)",
        "1: clwb (%rdi) # ; lock",
    ],
)
def test_a_flush_is_hooked_and_removed(statement: str, *, persistent: bool) -> None:
    text, unseen = add_hooks(block(statement), persistent=persistent)
    assert not unseen
    assert "call __linpoint_flush@PLT" in text
    assert ".byte" not in text
    assert not any(word in text.replace("linpoint_flush", "") for word in ("clflush", "clwb", "xsaveopt"))


def test_a_byte_of_data_is_not_an_instruction_prefix() -> None:
    text, unseen = add_hooks("\t.byte 0x66\n\tclflush (%rdi)\n", persistent=True)
    assert "call .Llinpoint_flush_0" in text
    assert "\t.byte 0x66\n" in text
    assert not unseen


@pytest.mark.parametrize(
    "statement",
    [
        "lock btsq %rax, (%rdi)",  # the bit may be far from the address
        "lock incl %gs:(%rdi)",
        "lock xaddq %rax",
        "lock whatever",
        "xchgl (%rdi), (%rax)",
        "maskmovdqu %xmm0, %xmm1",
        "movnti %xmm0, (%rdi)",
        "vmovntdq %zmm0, (%rdi){%k1}",
        "movq $1, (%rdi)",
    ],
)
def test_unknown_instructions_are_named_for_persistent_memory_too(statement: str) -> None:
    text, unseen = add_hooks(block(statement), persistent=True)
    assert [each.instruction for each in unseen] == [statement]
    assert text == block(statement)


@pytest.mark.parametrize(
    ("statement", "hook"),
    [
        ("lock; cmpxchg8b (%rdi)", "locked_8"),
        ("lock subb %al, (%rdi)", "locked_1"),
        ("lock sub %ax, (%rdi)", "locked_2"),
        ("xacquire; lock; orl $1, (%rdi)", "locked_4"),
        ("xchg (%rdi), %r10", "locked_8"),
        ("lock xchg %r10d, (%rdi)", "locked_4"),
        ("movntsd %xmm1, (%rdi)", "non_temporal_8"),
        ("vmovntpd %zmm17, (%rdi)", "non_temporal_64"),
        ("lock incq %fs:8(%rdi)", "locked_8_of_thread"),
    ],
)
def test_hooks_have_the_size_of_the_access(statement: str, hook: str) -> None:
    text, unseen = add_hooks(block(statement), persistent=True)
    assert not unseen
    assert f"call .Llinpoint_{hook}\n" in text
    assert " ".join(statement.replace(";", "").split()) in text  # the instruction itself stays


def test_a_prefix_may_be_on_a_line_of_its_own() -> None:
    text = "\t#APP\n\tlock\n\n# why\n\txaddl\t%eax, (%rdi)\n\t#NO_APP\n"
    rewritten, unseen = add_hooks(text)
    assert [each.instruction for each in unseen] == ["lock xaddl %eax, (%rdi)"]
    assert "lock xaddl %eax, (%rdi)" in rewritten
    assert "call .Llinpoint_locked_4" in add_hooks(text, persistent=True)[0]


def test_assembly_outside_functions_is_read() -> None:
    text = "\t# Start of file scope inline assembly\nf:\n\tincl counter(%rip)\n\tmfence\n\t# End of file scope inline assembly\n"
    rewritten, unseen = add_hooks(text)
    assert [each.instruction for each in unseen] == ["incl counter(%rip)"]
    assert "call .Llinpoint_fence_1" in rewritten


GARBAGE = [
    '.ascii "a; clflush (%rdi) # b"',
    '.ascii "\\"; lock"',
    "nop /* clwb (%rdi)",
    "*/ mfence",
    "/ a comment",
    ";;; ;",
    "clflush",
    "clwb ,",
    "clwb (%rdi",
    "clwb )%rdi(",
    "clflush (%rsp)(%rsp)",
    "lock; lock; lock",
    "\\macro (%rdi)",
    "movnti",
    "xchg ,",
    '"',
    "\udc80 \0 \x0c",
    "%fs:",
    "clwb %fs:",
    "= 4",
    "x" * 5000 + "(" * 5000,
]


@pytest.mark.parametrize("persistent", [False, True])
def test_invalid_assembly_is_left_unchanged(*, persistent: bool) -> None:
    for each in GARBAGE:
        text = block(each)
        rewritten, _ = add_hooks(text, persistent=persistent)
        assert rewritten == text or "lock lock" in rewritten, each
        assert add_hooks(f"\t{each}\n#APP\n\tnop\n", persistent=persistent)
    for first in GARBAGE:  # and the text after it is still read
        for second in ("incl counter(%rip)", "lock incl (%rdi)"):
            found = add_hooks(block(first) + block(second))[1]
            assert found[-1].instruction == second


@needs_compiler
def test_strings_in_assembly_are_unchanged(tmp_path: Path) -> None:
    source, text = tmp_path / "a.cpp", tmp_path / "a.s"
    source.write_text(
        'asm(".data\\n.globl words\\nwords: .string \\"a; mfence # b\\"\\n.text");\nextern char words[];\nint main() {\n  asm volatile("mfence");\n  return words[2] != \' \';\n}\nextern "C" void __linpoint_fence() {}\n'
    )
    subprocess.run(["g++", "-S", source, "-o", text], check=True)
    text.write_text(add_hooks(text.read_text())[0])
    subprocess.run(["g++", text, "-o", tmp_path / "a"], check=True)
    assert subprocess.run([tmp_path / "a"], check=False).returncode == 0


def test_storing_a_structure_returned_by_a_call_is_hooked() -> None:
    body = "\tcall f@PLT\n\tmovq %rax, 8(%rbx)\n\tmovq %rdx, 16(%rbx)\n\tcall __tsan_write8@PLT\n\tmovq %rax, (%rbx)\n"
    text, unseen = add_hooks(f"\t.cfi_startproc\n{body}\tret\n", persistent=True)
    assert not unseen
    assert text.count("call .Llinpoint_store_8") == 2
    assert "linpoint" not in add_hooks(body)[0]


@pytest.mark.parametrize(
    ("label", "block"), [(".LVL7", False), (".LBE12", False), (".Ltmp3", False), (".L7", True), (".LBB0_1", True)]
)
def test_debug_labels_do_not_separate_a_store_from_its_hook(label: str, block: bool) -> None:
    """An added hook would replace the compiler's, on the line that the value comes from."""
    text, _ = add_hooks(f"\tcall __tsan_write8@PLT\n{label}:\n\tmovq %rax, (%rbx)\n", persistent=True)
    assert ("call .Llinpoint_store_8" in text) == block


@pytest.mark.parametrize(
    ("statement", "size"),
    [
        ("movl %eax, (%rdi)", 4),
        ("movups %xmm0, 8(%rdi)", 16),
        ("movq %xmm0, (%rdi)", 8),
        ("movss %xmm0, (%rdi)", 4),
        ("movhps %xmm0, (%rdi)", 8),
        ("movq %rax, place(%rip)", 8),
        ("movq %rax, 8(%rsp)", 0),
        ("movq %rax, %rbx", 0),
        ("movq 8(%rdi), %rbx", 0),
    ],
)
def test_stores_after_a_call_are_hooked_by_size(statement: str, size: int) -> None:
    text, _ = add_hooks(f"\tcall f\n\t{statement}\n", persistent=True)
    assert (f"call .Llinpoint_store_{size}" in text) == (size > 0)
    assert ("linpoint" in text) == (size > 0)
