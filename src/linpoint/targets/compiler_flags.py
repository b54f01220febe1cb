# SPDX-License-Identifier: Apache-2.0
"""The compiler flags of a user, and those that bring a target under control.

Guarantee: what a user asks for is given to the compiler as it is, but for flags under which nothing could be seen, which
are refused by name.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from linpoint.errors import UsageError
from linpoint.targets.compiler_discovery import Compiler
from linpoint.text.code_names import is_cpp, is_source

DEFAULT: Final = ("-std=c++20", "-O1")
"""The flags that come first, so that what the user gives overrules them; C has its compiler's standard."""

FAST: Final = ("-std=c++20", "-O2")
"""As DEFAULT, for programs on real threads."""

_NEVER: Final = {
    "-c": "the whole program is linked",
    "-S": "the whole program is linked",
    "-E": "the whole program is linked",
    "-o": "the target has its own place",
}
_REFUSED: Final = {
    "-static": "the host loads the target as a shared object",
    "-pie": "the host loads the target as a shared object",
    "-no-pie": "the host loads the target as a shared object",
    "-fopenmp": "the threads of OpenMP are not under control",
    "--coverage": "all threads count in the same places, which would be data races",
}
_REFUSED_BEGINNINGS: Final = {
    "-fsanitize": "the hooks of one sanitizer are used already, and do not go with another",
    "-fprofile": "all threads count in the same places, which would be data races",
}
_NEVER_BEGINNINGS: Final = {"-M": "dependencies are written already"}
_UNHOOKED_BEGINNINGS: Final = {
    "-fsanitize": "a sanitizer is chosen by --sanitizer, so that its findings are understood"
}
_WITH_WORD: Final = frozenset(
    [
        "-I",
        "-D",
        "-U",
        "-L",
        "-l",
        "-x",
        "-include",
        "-imacros",
        "-isystem",
        "-iquote",
        "-idirafter",
        "-isysroot",
        "-Xlinker",
        "-Xassembler",
        "-Xpreprocessor",
        "-Xclang",
        "-mllvm",
        "-T",
        "-u",
        "-z",
        "-target",
        "-arch",
        "--param",
    ]
)
"""Flags whose value may be the next word."""
_ONLY_CPP: Final = re.compile(
    r"-std=(?:c|gnu)\+\+.*|-stdlib=.*|-f(?:no-)?(?:rtti|permissive|threadsafe-statics|sized-deallocation|aligned-new|char8_t"
    r"|coroutines|concepts|implicit-templates|visibility-inlines-hidden|gnu-unique)|-ftemplate-\w+=.*|-fconstexpr-.*"
)
_ONLY_C: Final = re.compile(r"-std=(?:c\d|gnu\d|iso).*|-f(?:no-)?gnu89-inline")
"""What compilers refuse, or complain of, in a source of the other language: sources of both have the same flags."""
_FOR_LINKER: Final = ("-l", "-L", "-Wl,")
_LINKERS_OWN: Final = ("-Xlinker", "-T", "-u", "-z", "-rdynamic")
# Binutils before 2.42 take the files of version 5 for others. With _FORTIFY_SOURCE other functions are called instead of
# those that the host has.
_HOOKS: Final = (
    "-g",
    "-gdwarf-4",
    "-fPIC",
    "-fsanitize=thread",
    "-fno-omit-frame-pointer",
    "-fno-lto",
    "-U_FORTIFY_SOURCE",
)
# What gcc makes of functions that write memory, in the place of a call, has no hooks. Those that only read are left, since
# constants are made with them too.
_CALLED: Final = (
    "-fno-tree-loop-distribute-patterns",
    *(f"-fno-builtin-{name}" for name in ("memcpy", "memmove", "memset", "mempcpy", "bcopy", "bzero")),
    *(f"-fno-builtin-{name}" for name in ("strcpy", "strncpy", "stpcpy", "stpncpy", "strcat", "strncat")),
    *(f"-fno-builtin-{name}" for name in ("sprintf", "snprintf", "vsprintf", "vsnprintf")),
)
_CALLED_COPIES_HEADER: Final = Path("linpoint") / "detail" / "called_copies.h"
"""For gcc: what the standard library writes with, as calls."""
_HOOKS_OF: Final = {
    # Fences are seen by us, whatever the compiler's own runtime makes of them.
    "gcc": (
        *("--param", "tsan-distinguish-volatile=1", "-fno-gnu-unique", "-fvisibility=default", "-Wno-tsan"),
        *_CALLED,
    ),
    "clang": (
        *("-mllvm", "-tsan-distinguish-volatile=1", "-mllvm", "-tsan-instrument-read-before-write=1"),
        *("-fvisibility=default", "-Wno-unused-command-line-argument"),
    ),
}
# Coverage guides what is tested, and stores are to be seen as they are written, not several as one.
_PERSISTENT: Final = ("-fsanitize-coverage=trace-pc,trace-cmp",)
_PERSISTENT_OF: Final = {
    "gcc": ("-fno-tree-vectorize", "-fno-tree-loop-vectorize", "-fno-tree-slp-vectorize", "-fno-store-merging"),
    "clang": ("-fno-vectorize", "-fno-slp-vectorize"),
}
# What the C library does with memory of the program, in functions that have no hooks; the host has others of these names.
_WRAPPED: Final = (
    *("memcpy", "memmove", "memset", "memcmp", "memchr", "strlen", "strcpy", "strncpy", "strcat", "strcmp", "strncmp"),
    *("bcmp", "stpcpy", "strchr", "strrchr", "sprintf", "snprintf", "vsnprintf", "mempcpy", "strncat", "stpncpy"),
    *("bcopy", "bzero"),
)
_LINK: Final = ("-Wl,-z,now", "-Wl," + ",".join(f"--wrap={name}" for name in _WRAPPED))
# The host has the same templates of the standard library as the target, but without hooks: each is to use its own.
_OWN_FIRST: Final = "-Wl,-Bsymbolic"


@dataclass(frozen=True, slots=True)
class Flags:
    """A user's flags, for the two things a compiler does."""

    compiling: tuple[str, ...]
    linking: tuple[str, ...]


def sorted_flags(words: Sequence[str], *, hooked: bool = True) -> Flags:
    """Tell flags of the compiler from those of the linker; a coded error for one that cannot be.

    Programs without hooks (not ``hooked``), which run as they are, may have almost any.
    """
    compiling: list[str] = []
    linking: list[str] = []
    at = 0
    while at < len(words):
        group = list(words[at : at + 2 if words[at] in _WITH_WORD else at + 1])
        _refuse(group[0], hooked=hooked)
        if not group[0].startswith("-") or group[0].startswith(_FOR_LINKER) or group[0] in _LINKERS_OWN:
            linking += group  # a name is that of an object or a library
        else:
            compiling += group
        at += len(group)
    return Flags((*(DEFAULT if hooked else FAST), *compiling), tuple(linking))


def _refuse(word: str, *, hooked: bool) -> None:
    whole = _NEVER | (_REFUSED if hooked else {})
    beginnings = _NEVER_BEGINNINGS | (_REFUSED_BEGINNINGS if hooked else _UNHOOKED_BEGINNINGS)
    why = whole.get(word) or next((why for beginning, why in beginnings.items() if word.startswith(beginning)), "")
    if why:
        raise UsageError("LP-U001", f"the compiler flag {word} cannot be used: {why}.", remedy="Leave it out.")


def own_flags(compiler: Compiler, *, persistent: bool = False) -> tuple[str, ...]:
    """All that is not the user's: a target that was built with others of them is another one."""
    return (*DEFAULT, *_hooks(compiler, persistent=persistent), _OWN_FIRST, *_LINK)


def _hooks(compiler: Compiler, *, persistent: bool) -> tuple[str, ...]:
    further = (*_PERSISTENT, *_PERSISTENT_OF[compiler.family]) if persistent else ()
    return (*_HOOKS, *_HOOKS_OF[compiler.family], *further)


def source_word(file: str) -> str:
    """A source as a compiler takes it: neither as a flag nor as ``@FILE``, a file of further words."""
    return f"./{file}" if file.startswith(("-", "@")) else file


def to_compile(
    compiler: Compiler, flags: Flags, include: Path, source: str, to: Path, *, persistent: bool = False
) -> list[str]:
    """The command that makes assembler text of a source, and a file of what it depends on."""
    hooks = (*_hooks(compiler, persistent=persistent), "-isystem", str(include))
    if compiler.family == "gcc":
        hooks = (*hooks, "-include", str(include / _CALLED_COPIES_HEADER))
    written = ("-MD", "-MF", str(to.with_suffix(".d")), "-MT", "target")
    words = [*compiler.words, *in_language_of(source, [*flags.compiling, *hooks]), *written]
    return [*words, "-S", source, "-o", str(to)]


def in_language_of(source: str, words: Sequence[str]) -> list[str]:
    """Of flags for C and C++, those for a source; a C++ compiler is told if it is C, and does what the one for C does."""
    if is_source(source) and not is_cpp(source):
        return ["-x", "c", *(word for word in words if not _ONLY_CPP.fullmatch(word))]
    return [word for word in words if not _ONLY_C.fullmatch(word)]


def to_build(
    compiler: Compiler, flags: Flags, include: Path, sources: Sequence[str], more: Sequence[str], to: Path
) -> list[str]:
    """The command that makes a program of sources, without hooks, and a file of what it depends on."""
    written = ("-MD", "-MF", str(to.with_suffix(".d")), "-MT", "target")
    words = [*compiler.words, *flags.compiling, *more, "-isystem", str(include), *written]
    return [*words, *sources, *flags.linking, "-pthread", "-o", str(to)]


def to_assemble(compiler: Compiler, text: Path) -> list[str]:
    """The command that makes an object of assembler text."""
    return [*compiler.words, "-c", str(text), "-o", str(text.with_suffix(".o"))]


def to_link(compiler: Compiler, flags: Flags, objects: Sequence[Path], to: Path) -> list[str]:
    """The command that makes a shared object without a sanitizer's library."""
    words = [*compiler.words, "-shared", "-o", str(to), *map(str, objects), *flags.compiling, *flags.linking]
    return [*words, "-pthread", _OWN_FIRST, *_LINK]
