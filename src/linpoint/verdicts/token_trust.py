# SPDX-License-Identifier: Apache-2.0
"""Limits the files and flags that a replay token may use, since strangers may write tokens.

A replay builds and runs code of the current directory, as the user requests. Guarantee: a token alone never makes
linpoint read, load or run anything elsewhere, nor the compiler write a file. Sources, specs and include directories
must lie below the current directory after resolving symbolic links. A compiler must be a plain name. Flags must be on a
list, none of which names a file, a program or a plug-in, and a macro cannot contain code. Everything else is a
``ForeignWord``, which is used only if the user allows this exact word. This module opens no files. Cost: O(words), and
resolving each path.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from linpoint.errors import UsageError
from linpoint.text.code_names import is_source, split_user_spec
from linpoint.text.phrases import count_noun
from linpoint.text.shell_commands import shell_command

_MODULES: Final = ("test", "stress", "refine")
"""Kinds of tokens whose file is a Python file or a module name."""
_CPP: Final = ("test-cpp", "explore-cpp", "crash")
_NOT_OPENED: Final = ("check", "stress-cpp")
"""Kinds of tokens that name a file without opening it."""

# "-include" and "-imacros" take any file; "-isysroot" and "-B" change the files that the compiler finds implicitly.
_DIRECTORY_FLAGS: Final = ("-I", "-isystem", "-iquote", "-idirafter")
_MACRO_FLAGS: Final = ("-D", "-U")
# A macro is code: -Dpush(x)=system(x), and -Dopen=unlink too. Macros meant for -D are in capitals, and their values are
# numbers, constants, memory orders or types.
_VALUE: Final = (
    r"-?[0-9][0-9a-fA-FxX.']{0,40}[uUlLzZfF]{0,3}|[A-Z]\w*|true|false|(?:std::)?memory_order(?:_|::)[a-z_]+"
    r"|(?:unsigned|int|long|short|char|bool|float|double|(?:std::)?(?:size_t|u?int(?:8|16|32|64)_t))"
)
_MACRO: Final = re.compile(rf"-D[A-Z_][A-Z0-9_]*(?:=(?:{_VALUE})?)?|-U[A-Za-z_]\w*", re.ASCII)
_CODE_GENERATION: Final = (
    *("aligned-new", "asynchronous-unwind-tables", "char8_t", "common", "concepts", "coroutines", "exceptions"),
    *("delete-null-pointer-checks", "fast-math", "gnu89-inline", "inline", "inline-functions", "ms-extensions"),
    *("non-call-exceptions", "omit-frame-pointer", "permissive", "pic", "PIC", "plt", "rounding-math", "rtti"),
    *("semantic-interposition", "short-enums", "signed-char", "signed-zeros", "sized-deallocation", "slp-vectorize"),
    *(
        "stack-protector",
        "stack-protector-strong",
        "store-merging",
        "strict-aliasing",
        "strict-enums",
        "strict-overflow",
    ),
    *("threadsafe-statics", "trapv", "tree-loop-vectorize", "tree-slp-vectorize", "tree-vectorize", "unroll-loops"),
    *("unsigned-char", "unwind-tables", "vectorize", "wrapv"),
)
_LIBRARIES: Final = ("atomic", "c", "dl", "m", "pmem", "pmemobj", "pthread", "rt", r"stdc\+\+", "tbb")
_HARMLESS: Final = re.compile(
    "|".join(
        [
            r"-std=[a-z0-9+:]{1,16}|-stdlib=lib(?:std)?c\+\+|-ansi|-pedantic|-pedantic-errors|-pthread|-w",
            r"-O(?:[0-3sgz]|fast)?",
            r"-g(?:[0-3]|gdb[0-3]?|dwarf(?:-[2-5])?)?",
            r"-W(?:no-)?[a-z][a-z0-9+-]*(?:=[a-z0-9+-]*)?",  # no comma: -Wl, -Wa, and -Wp, pass on anything
            rf"-f(?:no-)?(?:{'|'.join(_CODE_GENERATION)})|-fno-builtin(?:-[a-z0-9_]+)?",
            r"-fvisibility=[a-z]+|-f(?:template-depth|constexpr-(?:depth|steps|ops-limit|loop-limit))=[0-9]{1,9}",
            r"-m(?:arch|tune|cpu)=[a-z0-9+._-]+",
            r"-m(?:no-)?(?:64|cx16|sse[a-z0-9.]*|avx[a-z0-9]*|bmi2?|popcnt|lzcnt|fma4?|aes|sha|f16c|adx|rtm|movbe|clwb)",
            r"-m(?:no-)?(?:clflushopt|cldemote|waitpkg)",
            rf"-l(?:{'|'.join(_LIBRARIES)})",
        ]
    ),
    re.ASCII,
)
_COMPILER: Final = re.compile(
    r"(?:[a-z0-9_]+(?:-[a-z0-9_]+)*-linux-gnu-)?(?:g\+\+|gcc|c\+\+|cc|clang\+\+|clang)(?:-[0-9]{1,3}(?:\.[0-9]{1,2})?)?",
    re.ASCII,
)
_MODULE: Final = re.compile(r"[A-Za-z_]\w{0,99}(?:\.[A-Za-z_]\w{0,99}){0,15}", re.ASCII)

_NOT_BELOW: Final = "is not below the current directory"
_NO_FLAG: Final = "is not a compiler flag that a token may use"
_NO_COMPILER: Final = "is not a plain compiler name"
_NO_MODULE: Final = "is not a module in the current directory"
_NO_SOURCE: Final = "is not a C or C++ source file"
_MAX_SHOWN: Final = 4
_MAX_WORD_CHARS: Final = 160


@dataclass(frozen=True, slots=True)
class ForeignWord:
    """A word of a token that needs the user's permission."""

    word: str
    why: str
    """The reason, such as "../a.py is not below the current directory"."""


def foreign_words(content: Mapping[str, Any], allowed: Collection[str] = ()) -> list[ForeignWord]:
    """The words of a decoded token that need permission, without those that are ``allowed``.

    Values of a wrong type are left to the decoder of the kind, which rejects them.
    """
    found: dict[str, ForeignWord] = {}
    for each in _words(content):
        if each.word not in allowed:
            found.setdefault(each.word, each)
    return list(found.values())


def allow_arguments(content: Mapping[str, Any]) -> list[str]:
    """The arguments of ``linpoint replay`` that allow all words of a token that linpoint made."""
    return [f"--allow={each.word}" for each in foreign_words(content)]


def is_plain_compiler(name: str) -> bool:
    """Whether it is only the name of a compiler, which is looked up like any program."""
    return _COMPILER.fullmatch(name) is not None


def refuse_foreign_words(found: Sequence[ForeignWord], remedy: str) -> None:
    """Raise LP-U010 if there are any."""
    if not found:
        return
    facts = [f"{_shown(each.word)} {each.why}" for each in found[:_MAX_SHOWN]]
    if len(found) > _MAX_SHOWN:
        facts.append(f"and {count_noun(len(found) - _MAX_SHOWN, 'more argument')}")
    raise UsageError("LP-U010", f"the token was not run: {'; '.join(facts)}.", remedy=remedy)


def _shown(word: str) -> str:
    return shell_command([word if len(word) <= _MAX_WORD_CHARS else f"{word[:_MAX_WORD_CHARS]}..."])


def _words(content: Mapping[str, Any]) -> Iterator[ForeignWord]:
    kind = content.get("kind")
    file, files, spec = content.get("file"), content.get("files"), content.get("spec")
    if isinstance(file, str) and kind not in _NOT_OPENED:
        if kind in _CPP:
            yield from _source(file)
        else:
            yield from _module(file) if kind in _MODULES else _path(file)
    for each in files if isinstance(files, list) else ():
        yield from _source(each) if isinstance(each, str) else ()
    if isinstance(spec, str) and (own := split_user_spec(spec)) is not None:
        yield from _module(own[0])
    compiler, flags = content.get("compiler"), content.get("flags")
    if isinstance(compiler, str) and not is_plain_compiler(compiler):
        yield ForeignWord(compiler, _NO_COMPILER)
    if isinstance(flags, list):
        yield from _flags([each for each in flags if isinstance(each, str)])


def _flags(words: Sequence[str]) -> Iterator[ForeignWord]:
    """Foreign words among flags, parsed as a compiler does. A source counts anywhere, also as the value of a flag."""
    rest = iter(words)
    for word in rest:
        flag = next((each for each in (*_DIRECTORY_FLAGS, *_MACRO_FLAGS) if word.startswith(each)), None)
        if not word.startswith("-"):
            yield from _source(word)
        elif flag is None:
            if not _HARMLESS.fullmatch(word):
                yield ForeignWord(word, _NO_FLAG)
        elif (value := word.removeprefix(flag) or next(rest, None)) is None:
            yield ForeignWord(word, "has no value")
        elif flag in _DIRECTORY_FLAGS:
            yield from _directory(value)
        elif not _MACRO.fullmatch(f"{flag}{value}"):
            yield ForeignWord(f"{flag}{value}" if word != flag else value, "is not a macro that a token may define")


def _directory(value: str) -> Iterator[ForeignWord]:
    """The value of a directory flag. For gcc, ``-I=/etc`` lies in the system root, and ``@file`` has more words."""
    if is_source(value) or value.startswith(("-", "@", "=", "$")):
        yield ForeignWord(value, "is not a directory that a compiler accepts")
    elif not _is_below(value):
        yield ForeignWord(value, _NOT_BELOW)


def _source(file: str) -> Iterator[ForeignWord]:
    if not is_source(file) or file.startswith(("-", "@")):
        yield ForeignWord(file, _NO_SOURCE)
    else:
        yield from _path(file)


def _path(file: str) -> Iterator[ForeignWord]:
    if not _is_below(file):
        yield ForeignWord(file, _NOT_BELOW)


def _module(name: str) -> Iterator[ForeignWord]:
    """A Python file, or a module name, which may belong to an installed module."""
    if name.endswith(".py"):
        yield from _path(name)
        return
    if not _MODULE.fullmatch(name) or not all(map(_is_own_file, _files_of_module(Path(*name.split("."))))):
        yield ForeignWord(name, _NO_MODULE)


def _files_of_module(module: Path) -> Iterator[Path]:
    """The files that an import runs. An installed package takes precedence over a directory without ``__init__.py``."""
    yield from (each / "__init__.py" for each in reversed(module.parents) if each.name)
    package = module / "__init__.py"
    yield package if package.exists() else module.with_name(f"{module.name}.py")


def _is_own_file(path: Path) -> bool:
    return path.is_file() and _is_below(str(path))


def _is_below(path: str) -> bool:
    """Whether a path resolves to a place below the current directory."""
    try:
        here, there = os.path.realpath("."), os.path.realpath(path)
    except (OSError, ValueError):  # a null byte, or a name that the system rejects
        return False
    return Path(there).is_relative_to(here)
