# SPDX-License-Identifier: Apache-2.0
"""Spellings of flushes, fences, non-temporal stores and locked instructions, each with its host message.

``p`` is the address of 4096 bytes in ``memory``, at a multiple of 4096; ``n`` is 3.
"""

from __future__ import annotations

SPELLINGS: dict[str, tuple[str, str]] = {
    # Flushes: the spelling, and the hook with the distance from the address.
    "_mm_clflush": ("_mm_clflush(p + 64);", "flush 0 64"),
    "_mm_clflushopt": ("_mm_clflushopt(p + 8 * n);", "flush 1 24"),
    "_mm_clwb": ("_mm_clwb(p);", "flush 1 0"),
    "of a global": ("_mm_clwb(memory + 128);", "flush 1 128"),
    "of a variable of the thread": ("_mm_clwb(mine + 8);", "flush 1 mine+8"),
    "clflush in asm": ('__asm__ volatile("clflush (%0)" : : "r"(p));', "flush 0 0"),
    "clflush with an operand": ('__asm__ volatile("clflush %0" : "+m"(p[n]));', "flush 0 3"),
    "clflush with a scale": ('__asm__ volatile("clflush 7(%0,%1,4)" : : "r"(p), "r"(n));', "flush 0 19"),
    "clflush of a name": ('__asm__ volatile("clflush 5+memory(%rip)");', "flush 0 5"),
    "clflushopt in asm": ('__asm__ volatile("clflushopt %0" : "+m"(*p));', "flush 1 0"),
    "clwb in asm": ('__asm__ volatile("clwb %0" : "+m"(p[64]));', "flush 1 64"),
    "clwb from a register": ('__asm__ volatile("clwb (%%rdi)" : : "D"(p + 1));', "flush 1 1"),
    "clwb of a word": ('__asm__ volatile("clwb (%%eax)" : : "a"(p));', "flush 1 0"),
    "clwb of the thread": ('__asm__ volatile("clwb %%fs:(%0)" : : "r"((char*)mine - of_thread()));', "flush 1 mine+0"),
    "0x66 and clflush": ('__asm__ volatile(".byte 0x66; clflush %0" : "+m"(*(volatile char*)p));', "flush 1 0"),
    "0x66 and xsaveopt": ('__asm__ volatile(".byte 0x66; xsaveopt %0" : "+m"(*(volatile char*)p));', "flush 1 0"),
    "102 on a line": ('__asm__ volatile(".byte 102\\n\\txsaveopt %0" : "+m"(*(volatile char*)p));', "flush 1 0"),
    "data16": ('__asm__ volatile("data16\\n\\tclflush %0" : "+m"(*(volatile char*)p));', "flush 1 0"),
    "three in a block": (
        '__asm__ volatile("clwb (%0); clwb 64(%0) # two\\n\\tnop; sfence" : : "r"(p));',
        "flush 1 0, flush 1 64, fence 0",
    ),
    # Fences.
    "_mm_sfence": ("_mm_sfence();", "fence 0"),
    "_mm_mfence": ("_mm_mfence();", "fence 1"),
    "sfence in asm": ('__asm__ volatile("sfence" : : : "memory");', "fence 0"),
    "mfence in asm": ('__asm__ volatile("nop; mfence" : : : "memory");', "fence 1"),
    "of the stack": ('__asm__ volatile("lock; addl $0,0(%%rsp)" : : : "memory", "cc");', "fence 1"),
    "of the stack on a line": ('__asm__ volatile("lock\\n\\torl $0,(%%rsp)" : : : "memory", "cc");', "fence 1"),
    # Non-temporal stores.
    "_mm_stream_si32": ("_mm_stream_si32((int*)p, (int)n);", "non_temporal 4 0"),
    "_mm_stream_si64": ("_mm_stream_si64((long long*)(p + 8), n);", "non_temporal 8 8"),
    "_mm_stream_si128": ("_mm_stream_si128((__m128i*)(p + 16), _mm_set1_epi64x(n));", "non_temporal 16 16"),
    "_mm_stream_ps": ("_mm_stream_ps((float*)p, _mm_set1_ps(1.5f));", "non_temporal 16 0"),
    "_mm_stream_pd": ("_mm_stream_pd((double*)p, _mm_set1_pd(1.5));", "non_temporal 16 0"),
    "movnti of a long": ('__asm__ volatile("movnti %1, %0" : "=m"(*(long*)p) : "r"(n));', "non_temporal 8 0"),
    "movnti of an int": ('__asm__ volatile("movnti %1, %0" : "=m"(*(int*)p) : "r"((int)n));', "non_temporal 4 0"),
    "movnti of a new register": ('__asm__ volatile("movnti %%r9d, (%0)" : : "r"(p));', "non_temporal 4 0"),
    "movntq": ('__asm__ volatile("movntq %%mm0, %0; emms" : "=m"(*(long*)p));', "non_temporal 8 0"),
    "movntdq": ('__asm__ volatile("movntdq %%xmm0, %0" : "=m"(*(__m128i*)p));', "non_temporal 16 0"),
    # Locked instructions.
    "xchg": ('long v = n; __asm__ volatile("xchgq %0, %1" : "+r"(v), "+m"(*(long*)p));', "locked 8 0"),
    "xchg without a letter": ('int v = 1; __asm__ volatile("xchg %1, %0" : "+r"(v), "+m"(*(int*)p));', "locked 4 0"),
    "lock xadd": ('short v = 1; __asm__ volatile("lock; xaddw %0, %1" : "+r"(v), "+m"(*(short*)p));', "locked 2 0"),
    "lock inc": ('__asm__ volatile("lock incb %0" : "+m"(p[n]) : : "cc");', "locked 1 3"),
    "lock bts": ('__asm__ volatile("lock btsl $3, %0" : "+m"(*(int*)p) : : "cc");', "locked 4 0"),
    "cmpxchg": (
        'long v = n; __asm__ volatile("lock cmpxchg %1, %0; nop" : "+m"(*(long*)p), "+r"(v) : : "rax", "cc");',
        "locked 8 0",
    ),
    "cmpxchg16b": (
        '__asm__ volatile("lock\\n\\tcmpxchg16b %0" : "+m"(p[16]) : : "rax", "rbx", "rcx", "rdx", "cc", "memory");',
        "locked 16 16",
    ),
    "a loop": (
        'long v = 1; __asm__ volatile("1: lock decl (%1); jnz 1b" : "+r"(v) : "r"(p + 2048) : "cc", "memory");',
        "locked 4 2048, " * 2 + "locked 4 2048",
    ),
}
AVX: dict[str, tuple[str, str]] = {
    "_mm256_stream_si256": ("_mm256_stream_si256((__m256i*)(p + 32), _mm256_set1_epi64x(n));", "non_temporal 32 32"),
    "_mm256_stream_ps": ("_mm256_stream_ps((float*)p, _mm256_set1_ps(1.5f));", "non_temporal 32 0"),
    "vmovntdq": ('__asm__ volatile("vmovntdq %%ymm0, (%0)" : : "r"(p));', "non_temporal 32 0"),
    "vmovntps of sixteen": ('__asm__ volatile("vmovntps %%xmm0, 16(%0)" : : "r"(p));', "non_temporal 16 16"),
}
"""Only if the processor supports it."""

BEFORE = """
#include <immintrin.h>
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif
extern char memory[4096];
extern __thread char mine[64];
static inline char* of_thread(void) { char* found; __asm__("movq %%fs:0, %0" : "=r"(found)); return found; }
"""
DRIVER = r"""
#include <stdint.h>
#include <stdio.h>
char memory[4096] __attribute__((aligned(4096)));
__thread char mine[64];
int lines;
static void tell(const char* name, unsigned number, char* address, const char* code) {
    if (lines) { if (code) printf("%lx\n", (unsigned long)(code - 1)); return; }
    printf(" %s %u", name, number);
    if (address >= mine && address < mine + 64) printf(" mine+%ld", (long)(address - mine));
    else if (address) printf(" %ld", (long)(address - memory));
    printf(code ? "," : " (no code),");
}
void __linpoint_flush(void* address, int later, const void* code) { tell("flush", later, address, code); }
void __linpoint_fence(int kind, const void* code) { tell("fence", kind, 0, code); }
void __linpoint_non_temporal(void* address, unsigned size, const void* code) { tell("non_temporal", size, address, code); }
void __linpoint_locked(void* address, unsigned size, const void* code) { tell("locked", size, address, code); }
void __tsan_init(void) {}
void __tsan_func_entry(void* caller) {}
void __tsan_func_exit(void) {}
#define ACCESS(name) void __tsan_##name(void* at) {}
ACCESS(read1) ACCESS(read2) ACCESS(read4) ACCESS(read8) ACCESS(read16) ACCESS(write1) ACCESS(write2) ACCESS(write4)
ACCESS(write8) ACCESS(write16) ACCESS(volatile_read1) ACCESS(volatile_write1) ACCESS(unaligned_write4)
ACCESS(unaligned_write8) ACCESS(unaligned_write16) ACCESS(unaligned_read8)
void __tsan_read_range(void* at, long size) {}
void __tsan_write_range(void* at, long size) {}
typedef void Act(char*, long);
extern Act* acts[];
int main(int argc, char** argv) {
    lines = argc > 1;
    for (Act** each = acts; *each; ++each) {
        *(int*)(memory + 2048) = 3;
        (*each)(memory, 3);
        if (!lines) printf("\n");
    }
    return 0;
}
"""


def source(spellings: dict[str, tuple[str, str]]) -> str:
    """Each spelling as a function on a line of its own."""
    functions = [
        f"void act{number}(char* p, long n) {{ (void)p; (void)n; {text} }}"
        for number, (text, _) in enumerate(spellings.values())
    ]
    table = ", ".join(f"act{number}" for number in range(len(spellings)))
    end = f"void (*acts[])(char*, long) = {{{table}, 0}};\n#ifdef __cplusplus\n}}\n#endif\n"
    return "\n".join([BEFORE, *functions, end])
