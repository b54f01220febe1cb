# SPDX-License-Identifier: Apache-2.0
"""Targets for persistent memory: every byte written is reported to the host, as are branches and comparisons."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from linpoint.targets.compiler_discovery import find_compiler
from linpoint.targets.target_builder import BuildRecipe, Target, build_target
from tests.targets.conftest import needs_compiler

pytestmark = needs_compiler

COMPILERS = [
    pytest.param(name, marks=pytest.mark.skipif(shutil.which(name) is None, reason=f"there is no {name} here"))
    for name in ("g++", "clang++")
]
# Each writes to the memory that ``to`` points to; its first content differs from the written value.
WAYS = {
    "a struct": "*(struct Big*)to = *(struct Big*)from;",
    "a large struct": "*(struct Large*)to = *(struct Large*)from;",
    "a small struct": "*(struct Small*)to = *(struct Small*)from;",
    "an empty struct": "*(struct Big*)to = (struct Big){0};",
    "a part": "((struct Big*)to)->inner = ((struct Big*)from)->inner;",
    "memcpy of 8": "memcpy(to, from, 8);",
    "memcpy of 24": "memcpy(to, from, 24);",
    "memcpy of 64": "memcpy(to, from, 64);",
    "memcpy of n": "memcpy(to, from, n);",
    "memmove of 64": "memmove(to, from, 64);",
    "memmove of 3": "memmove(to, from, 3);",
    "mempcpy of 32": "mempcpy(to, from, 32);",
    "memset of 64": "memset(to, 0, 64);",
    "memset of 9": "memset(to, 7, 9);",
    "memset of n": "memset(to, 7, n);",
    "bzero of 40": "bzero(to, 40);",
    "bcopy of 40": "bcopy(from, to, 40);",
    "__builtin_memcpy": "__builtin_memcpy(to, from, 48);",
    "__builtin_memset": "__builtin_memset(to, 3, 48);",
    "strcpy": 'strcpy(to, "a text that is long enough to be copied");',
    "strncpy": 'strncpy(to, "a text", 30);',
    "strcat": 'to[0] = 0; strcat(to, "a text that is long enough");',
    "strncat": 'to[0] = 0; strncat(to, "a text that is long enough", 9);',
    "stpcpy": 'stpcpy(to, "another text, long enough");',
    "sprintf": 'sprintf(to, "%s", "a text that is long enough");',
    "a loop": "for (int i = 0; i < 16; ++i) ((int*)to)[i] = 0;",
    "a loop that copies": "for (int i = 0; i < 16; ++i) ((int*)to)[i] = ((int*)from)[i];",
    "a longer loop": "for (int i = 0; i < 60; ++i) ((long*)to)[i] = 0;",
    "neighbours": "to[0] = 1; to[1] = 2; to[2] = 3; to[3] = 4; to[4] = 5; to[5] = 6; to[6] = 7; to[7] = 8;",
    "bits": "((struct Bits*)to)->low = 1; ((struct Bits*)to)->high = 2;",
    "a vector": "_mm_storeu_si128((__m128i*)to, _mm_set1_epi8(3));",
    "atomic": "__atomic_store_n((long*)to, 5, __ATOMIC_RELEASE);",
    "volatile": "*(volatile int*)to = 4;",
}
CPP_WAYS = {
    "copy": "std::copy((long*)from, (long*)from + 3, (long*)to);",
    "copy of bytes": "std::copy(from, from + 40, to);",
    "fill": "std::fill(to, to + 40, 3);",
    "construct": "new (to) Node{1, 2, {3}};",
    "construct an array": "new (to) long[6]();",
    "a string": 'new (to) std::string("short");',
    "a string of 15": 'std::string text("fifteen letters"); std::char_traits<char>::copy(to, text.data(), 15);',
    "a view": 'std::string_view("these are more than sixteen").copy(to, 27);',
    "assign": "std::array<long, 5> one{1, 2, 3, 4, 5}; *(std::array<long, 5>*)to = one;",
}
BEFORE = """
#define _GNU_SOURCE
#include <immintrin.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
struct Small { long a, b; };
struct Big { long a[8]; struct { char b[21]; } inner; };
struct Large { long a[60]; };
struct Bits { unsigned low : 5, high : 20; };
"""
CPP_BEFORE = """
#include <algorithm>
#include <array>
#include <new>
#include <string>
#include <string_view>
struct Node { long key; int value; long next[6]; };
extern "C" {
"""
DRIVER = r"""
#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static char to[512] __attribute__((aligned(64))), from[512] __attribute__((aligned(64))), old[512], seen[512];
static long branches, comparisons;
static void tell(const void* at, long size) {
    for (const char* each = at; each < (const char*)at + size; ++each)
        if (each >= to && each < to + sizeof to) seen[each - to] = 1;
}
#define ACCESS(n) \
    void __tsan_read##n(void* at) {} void __tsan_unaligned_read##n(void* at) {} void __tsan_volatile_read##n(void* at) {} \
    void __tsan_write##n(void* at) { tell(at, n); } void __tsan_unaligned_write##n(void* at) { tell(at, n); } \
    void __tsan_volatile_write##n(void* at) { tell(at, n); } void __tsan_unaligned_volatile_write##n(void* at) { tell(at, n); }
ACCESS(1) ACCESS(2) ACCESS(4) ACCESS(8) ACCESS(16)
void __tsan_read_range(void* at, long size) {}
void __tsan_write_range(void* at, long size) { tell(at, size); }
void __linpoint_store(void* at, unsigned size, const void* code) { (void)code; tell(at, size); }
void __tsan_vptr_update(void* at, void* value) { tell(at, 8); }
void __tsan_atomic64_store(long* at, long value, int order) { tell(at, 8); *at = value; }
void __tsan_init(void) {}
void __tsan_func_entry(void* caller) {}
void __tsan_func_exit(void) {}
void* __wrap_memcpy(void* a, const void* b, size_t n) { tell(a, n); return memmove(a, b, n); }
void* __wrap_memmove(void* a, const void* b, size_t n) { tell(a, n); return memmove(a, b, n); }
void* __wrap_memset(void* a, int b, size_t n) { tell(a, n); return memset(a, b, n); }
void* __wrap_mempcpy(void* a, const void* b, size_t n) { tell(a, n); return (char*)memmove(a, b, n) + n; }
void __wrap_bzero(void* a, size_t n) { tell(a, n); memset(a, 0, n); }
void __wrap_bcopy(const void* b, void* a, size_t n) { tell(a, n); memmove(a, b, n); }
char* __wrap_strcpy(char* a, const char* b) { tell(a, strlen(b) + 1); return strcpy(a, b); }
char* __wrap_strncpy(char* a, const char* b, size_t n) { tell(a, n); return strncpy(a, b, n); }
char* __wrap_stpcpy(char* a, const char* b) { tell(a, strlen(b) + 1); return strcpy(a, b) + strlen(b); }
char* __wrap_strcat(char* a, const char* b) { tell(a + strlen(a), strlen(b) + 1); return strcat(a, b); }
char* __wrap_strncat(char* a, const char* b, size_t n) { tell(a + strlen(a), n + 1); return strncat(a, b, n); }
size_t __wrap_strlen(const char* a) { return strlen(a); }
int __wrap_sprintf(char* a, const char* format, ...) {
    va_list words;
    va_start(words, format);
    int size = vsprintf(a, format, words);
    va_end(words);
    tell(a, size + 1);
    return size;
}
void __sanitizer_cov_trace_pc(void) { ++branches; }
#define COMPARISON(name) void __sanitizer_cov_trace_##name(long a, long b) { ++comparisons; }
COMPARISON(cmp1) COMPARISON(cmp2) COMPARISON(cmp4) COMPARISON(cmp8) COMPARISON(switch)
COMPARISON(const_cmp1) COMPARISON(const_cmp2) COMPARISON(const_cmp4) COMPARISON(const_cmp8)
typedef void Way(char*, const char*, long);
int main(int argc, char** argv) {
    void* library = dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL);
    if (!library) return fprintf(stderr, "%s\n", dlerror()), 1;
    for (Way** ways = dlsym(library, "ways"); *ways; ++ways) {
        for (int at = 0; at < 512; ++at) to[at] = 100 + at % 10, from[at] = 'A' + at % 20, seen[at] = 0;
        memcpy(old, to, 512);
        (*ways)(to, from, 50);
        int unseen = 0, changed = 0;
        for (int at = 0; at < 512; ++at) changed += to[at] != old[at], unseen += to[at] != old[at] && !seen[at];
        printf("%s\n", unseen ? "unseen" : changed ? "seen" : "nothing");
    }
    printf("%d %d\n", branches > 0, comparisons > 0);
    return 0;
}
"""


def source(ways: dict[str, str], before: str, after: str = "") -> str:
    functions = [
        f"void way{number}(char* to, const char* from, long n) {{ if (n > 1) {{ {text} }} }}"
        for number, text in enumerate(ways.values())
    ]
    table = ", ".join(f"way{number}" for number in range(len(ways)))
    return "\n".join([before, *functions, f"void (*ways[])(char*, const char*, long) = {{{table}, 0}};{after}\n"])


def run(target: Target, folder: Path) -> list[str]:
    (folder / "driver.c").write_text(DRIVER)
    words = ["g++", "-w", "-O1", "-rdynamic", "-x", "c", "-fno-builtin", "driver.c", "-o", "driver", "-ldl"]
    subprocess.run(words, cwd=folder, check=True)
    done = subprocess.run([folder / "driver", target.library], capture_output=True, text=True, check=True, timeout=120)
    return done.stdout.splitlines()


@pytest.mark.parametrize("level", ["-O0", "-O1", "-O2", "-O3"])
@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize("language", ["c", "cpp"])
def test_every_byte_written_is_reported(cache: Path, tmp_path: Path, compiler: str, level: str, language: str) -> None:
    ways = WAYS if language == "c" else CPP_WAYS
    text = source(WAYS, BEFORE, "int main(void) { return 0; }")
    if language == "cpp":
        text = source(CPP_WAYS, BEFORE + CPP_BEFORE, "}\nint main() {}")
    file = f"a.{language}"
    Path(file).write_text(text)
    target = build_target(BuildRecipe((file,), (level, "-w"), find_compiler(compiler)), persistent=True)
    assert not target.contents.unseen
    *told, counted = run(target, tmp_path)
    assert dict(zip(ways, told, strict=True)) == dict.fromkeys(ways, "seen")
    assert counted == "1 1"


def test_a_target_for_persistent_memory_is_built_separately(cache: Path) -> None:
    Path("a.c").write_text(
        "#include <immintrin.h>\nint main(void) { static int x; _mm_stream_si32(&x, 1); return 0; }\n"
    )
    recipe = BuildRecipe(("a.c",), (), find_compiler("g++"))
    plain, persistent = build_target(recipe), build_target(recipe, persistent=True)
    assert plain.digest != persistent.digest
    assert len(plain.contents.unseen) == 1
    assert not persistent.contents.unseen
    assert build_target(recipe) == plain
    assert build_target(recipe, persistent=True) == persistent
