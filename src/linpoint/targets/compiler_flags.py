# SPDX-License-Identifier: Apache-2.0
"""The compiler flags of a user, and those that bring a target under control.

Guarantee: the user's flags are passed to the compiler unchanged. Flags that would make observation impossible are
rejected by name.
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
"""The first flags, so that the user's flags override them. C sources use the default standard of the compiler."""

FAST: Final = ("-std=c++20", "-O2")
"""Like DEFAULT, for programs on real threads."""

_NEVER: Final = {
    "-c": "the whole program is linked",
    "-S": "the whole program is linked",
    "-E": "the whole program is linked",
    "-o": "linpoint chooses the output file",
}
_REFUSED: Final = {
    "-static": "the host loads the target as a shared object",
    "-pie": "the host loads the target as a shared object",
    "-no-pie": "the host loads the target as a shared object",
    "-fopenmp": "linpoint does not control OpenMP threads",
    "--coverage": "its counters are shared by all threads, which would be data races",
}
_REFUSED_BEGINNINGS: Final = {
    "-fsanitize": "linpoint uses the hooks of a sanitizer, which excludes others",
    "-fprofile": "its counters are shared by all threads, which would be data races",
}
_NEVER_BEGINNINGS: Final = {"-M": "linpoint writes dependencies itself"}
_UNHOOKED_BEGINNINGS: Final = {"-fsanitize": "use --sanitizer, so that linpoint understands its findings"}
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
"""Flags that compilers reject, or warn of, in a source of the other language: sources of both get the same flags."""
_FOR_LINKER: Final = ("-l", "-L", "-Wl,")
_LINKERS_OWN: Final = ("-Xlinker", "-T", "-u", "-z", "-rdynamic")
# Binutils before 2.42 confuse the files of DWARF version 5. _FORTIFY_SOURCE would call functions other than those that
# the host provides.
_HOOKS: Final = (
    "-g",
    "-gdwarf-4",
    "-fPIC",
    "-fsanitize=thread",
    "-fno-omit-frame-pointer",
    "-fno-lto",
    "-U_FORTIFY_SOURCE",
)
# Code that gcc inlines for functions that write memory has no hooks, so those functions are called. Functions that only
# read may be inlined, since gcc also computes constants with them.
_CALLED: Final = (
    "-fno-tree-loop-distribute-patterns",
    *(f"-fno-builtin-{name}" for name in ("memcpy", "memmove", "memset", "mempcpy", "bcopy", "bzero")),
    *(f"-fno-builtin-{name}" for name in ("strcpy", "strncpy", "stpcpy", "stpncpy", "strcat", "strncat")),
    *(f"-fno-builtin-{name}" for name in ("sprintf", "snprintf", "vsprintf", "vsnprintf")),
)
_CALLED_COPIES_HEADER: Final = Path("linpoint") / "detail" / "called_copies.h"
"""For gcc: functions with which the standard library writes, as calls."""
_HOOKS_OF: Final = {
    # linpoint observes fences itself, whatever the compiler's own runtime does with them.
    "gcc": (
        *("--param", "tsan-distinguish-volatile=1", "-fno-gnu-unique", "-fvisibility=default", "-Wno-tsan"),
        *_CALLED,
    ),
    "clang": (
        *("-mllvm", "-tsan-distinguish-volatile=1", "-mllvm", "-tsan-instrument-read-before-write=1"),
        *("-fvisibility=default", "-Wno-unused-command-line-argument"),
    ),
}
# Coverage guides the tests. Stores must be observed as they are written, not merged.
_PERSISTENT: Final = ("-fsanitize-coverage=trace-pc,trace-cmp",)
_PERSISTENT_OF: Final = {
    "gcc": ("-fno-tree-vectorize", "-fno-tree-loop-vectorize", "-fno-tree-slp-vectorize", "-fno-store-merging"),
    "clang": ("-fno-vectorize", "-fno-slp-vectorize"),
}
# Functions of the C library that access memory of the program without hooks; the host provides replacements.
_WRAPPED: Final = (
    *("memcpy", "memmove", "memset", "memcmp", "memchr", "strlen", "strcpy", "strncpy", "strcat", "strcmp", "strncmp"),
    *("bcmp", "stpcpy", "strchr", "strrchr", "sprintf", "snprintf", "vsnprintf", "mempcpy", "strncat", "stpncpy"),
    *("bcopy", "bzero"),
)
_LINK: Final = ("-Wl,-z,now", "-Wl," + ",".join(f"--wrap={name}" for name in _WRAPPED))
# The host contains the same templates of the standard library as the target, but without hooks: each must use its own.
_OWN_FIRST: Final = "-Wl,-Bsymbolic"


@dataclass(frozen=True, slots=True)
class Flags:
    """A user's flags, separated for compiling and linking."""

    compiling: tuple[str, ...]
    linking: tuple[str, ...]


def sorted_flags(words: Sequence[str], *, hooked: bool = True) -> Flags:
    """Separate compiler flags from linker flags; raises a coded error for a flag that cannot be used.

    Programs without hooks (not ``hooked``), which run unmodified, may use almost any flag.
    """
    compiling: list[str] = []
    linking: list[str] = []
    at = 0
    while at < len(words):
        group = list(words[at : at + 2 if words[at] in _WITH_WORD else at + 1])
        _refuse(group[0], hooked=hooked)
        if not group[0].startswith("-") or group[0].startswith(_FOR_LINKER) or group[0] in _LINKERS_OWN:
            linking += group  # a name denotes an object or a library
        else:
            compiling += group
        at += len(group)
    return Flags((*(DEFAULT if hooked else FAST), *compiling), tuple(linking))


def _refuse(word: str, *, hooked: bool) -> None:
    whole = _NEVER | (_REFUSED if hooked else {})
    beginnings = _NEVER_BEGINNINGS | (_REFUSED_BEGINNINGS if hooked else _UNHOOKED_BEGINNINGS)
    why = whole.get(word) or next((why for beginning, why in beginnings.items() if word.startswith(beginning)), "")
    if why:
        raise UsageError("LP-U001", f"the compiler flag {word} cannot be used: {why}.", remedy="Remove it.")


def own_flags(compiler: Compiler, *, persistent: bool = False) -> tuple[str, ...]:
    """All flags that are not the user's; a target built with other flags is a different target."""
    return (*DEFAULT, *_hooks(compiler, persistent=persistent), _OWN_FIRST, *_LINK)


def _hooks(compiler: Compiler, *, persistent: bool) -> tuple[str, ...]:
    further = (*_PERSISTENT, *_PERSISTENT_OF[compiler.family]) if persistent else ()
    return (*_HOOKS, *_HOOKS_OF[compiler.family], *further)


def source_word(file: str) -> str:
    """A source in a form that a compiler takes neither for a flag nor for ``@FILE``, a file of further words."""
    return f"./{file}" if file.startswith(("-", "@")) else file


def to_compile(
    compiler: Compiler, flags: Flags, include: Path, source: str, to: Path, *, persistent: bool = False
) -> list[str]:
    """The command that compiles a source to assembler text and writes a file of its dependencies."""
    hooks = (*_hooks(compiler, persistent=persistent), "-isystem", str(include))
    if compiler.family == "gcc":
        hooks = (*hooks, "-include", str(include / _CALLED_COPIES_HEADER))
    written = ("-MD", "-MF", str(to.with_suffix(".d")), "-MT", "target")
    words = [*compiler.words, *in_language_of(source, [*flags.compiling, *hooks]), *written]
    return [*words, "-S", source, "-o", str(to)]


def in_language_of(source: str, words: Sequence[str]) -> list[str]:
    """The flags that apply to a source. For a C source, they make a C++ compiler compile C."""
    if is_source(source) and not is_cpp(source):
        return ["-x", "c", *(word for word in words if not _ONLY_CPP.fullmatch(word))]
    return [word for word in words if not _ONLY_C.fullmatch(word)]


def to_build(
    compiler: Compiler, flags: Flags, include: Path, sources: Sequence[str], more: Sequence[str], to: Path
) -> list[str]:
    """The command that compiles a program from sources, without hooks, and writes a file of its dependencies."""
    written = ("-MD", "-MF", str(to.with_suffix(".d")), "-MT", "target")
    words = [*compiler.words, *flags.compiling, *more, "-isystem", str(include), *written]
    return [*words, *sources, *flags.linking, "-pthread", "-o", str(to)]


def to_assemble(compiler: Compiler, text: Path) -> list[str]:
    """The command that assembles an object from assembler text."""
    return [*compiler.words, "-c", str(text), "-o", str(text.with_suffix(".o"))]


def to_link(compiler: Compiler, flags: Flags, objects: Sequence[Path], to: Path) -> list[str]:
    """The command that links a shared object without a sanitizer's library."""
    words = [*compiler.words, "-shared", "-o", str(to), *map(str, objects), *flags.compiling, *flags.linking]
    return [*words, "-pthread", _OWN_FIRST, *_LINK]
