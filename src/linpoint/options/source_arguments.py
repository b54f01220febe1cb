# SPDX-License-Identifier: Apache-2.0
"""Finds sources, compiler flags, ``FILE:TEST`` and paths among the words of a command line. No file is opened."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from linpoint.text.code_names import is_cpp, is_source, split_user_spec

_FLAGS_WITH_PATHS: Final = ("-I", "-L", "-isystem", "-iquote", "-idirafter", "-include")
"""Compiler flags whose value, in the same word or the next one, is a path."""


def split_flags(words: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Split the words after ``--`` into sources and flags."""
    sources = tuple(word for word in words if is_source(word) and not word.startswith("-"))
    return sources, tuple(word for word in words if word not in sources)


def split_test(target: str) -> tuple[str, str] | None:
    """The file and the name of a C++ test, where the name may be empty; None for another kind of file."""
    if is_cpp(target):
        return target, ""
    file, _, name = target.partition(":")
    return (file, name) if is_cpp(file) else None


def spec_in_directory(spec: str, directory: Path) -> str:
    """A spec, with the path of its Python file, if it names one, relative to ``directory``."""
    found = split_user_spec(spec)
    return f"{directory / found[0]}:{found[1]}" if found is not None and found[0].endswith(".py") else spec


def flags_in_directory(words: Sequence[str], directory: Path) -> tuple[str, ...]:
    """Compiler flags and sources, with their paths relative to ``directory``."""
    found: list[str] = []
    is_path = False
    for word in words:
        if is_path or (is_source(word) and not word.startswith("-")):
            found.append(str(directory / word))
            is_path = False
            continue
        flag = next((each for each in _FLAGS_WITH_PATHS if word.startswith(each)), None)
        is_path = word == flag
        found.append(word if flag is None or is_path else f"{flag}{directory / word.removeprefix(flag)}")
    return tuple(found)
