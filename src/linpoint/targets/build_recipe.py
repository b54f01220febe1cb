# SPDX-License-Identifier: Apache-2.0
"""The inputs of targets, and the check that a cached target still matches its sources.

Guarantee: a cached target is reused only if everything it depended on, down to the headers, is unchanged.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import msgspec

from linpoint.errors import TestError
from linpoint.processes.command_runner import CommandOutput
from linpoint.targets.build_cache import file_digest, lookup
from linpoint.targets.build_error import BuildError
from linpoint.targets.compiler_discovery import Compiler

_ESCAPED: Final = re.compile(r"\\(.)")
_WORD: Final = re.compile(r"(?:\\.|[^\\\s])+")


@dataclass(frozen=True, slots=True)
class BuildRecipe:
    """The inputs of a target."""

    files: tuple[str, ...]
    """The sources, as the user wrote them."""
    flags: tuple[str, ...]
    compiler: Compiler


class BuildManifest(msgspec.Struct, frozen=True):
    """The dependencies of a target when it was built, and its name in the cache."""

    name: str
    depends: dict[str, str]
    """Digests of files by path."""


def refuse_unreadable(recipe: BuildRecipe) -> None:
    """Raise LP-T030 for the first source that cannot be read."""
    for file in recipe.files:
        try:
            with Path(file).open("rb"):
                pass
        except FileNotFoundError:
            remedy = "Give the path of a C++ or C program."
            raise TestError("LP-T030", "there is no such file.", place=file, remedy=remedy) from None
        except OSError as error:
            remedy = "Use a C++ or C source."
            raise TestError("LP-T030", f"it cannot be read: {error.strerror}.", place=file, remedy=remedy) from None


def remembered(recorded: Path, kind: str) -> tuple[Path, str] | None:
    """The directory and the name of a target built earlier, if everything it depends on is unchanged."""
    try:
        manifest = msgspec.json.decode(recorded.read_bytes(), type=BuildManifest)
    except (OSError, msgspec.MsgspecError):
        return None
    if any(file_digest(path) != content for path, content in manifest.depends.items()):
        return None
    place = lookup(kind, manifest.name)
    return None if place is None else (place, manifest.name)


def remember(path: Path, manifest: BuildManifest) -> None:
    """Record the dependencies of a target."""
    temporary = path.with_suffix(f".{os.getpid()}.new")
    temporary.write_bytes(msgspec.json.encode(manifest))
    temporary.replace(path)


def accepted(recipe: BuildRecipe, done: Sequence[CommandOutput], verb: str) -> None:
    """Raise LP-T033 with the compiler's messages if a command failed."""
    wrong = b"".join(each.output for each in done if each.code)
    if any(each.code for each in done):
        name = recipe.compiler.name
        raise BuildError(
            "LP-T033",
            f"{name} cannot {verb} it.",
            wrong,
            place=recipe.files[0],
            remedy=f"See its messages; pass flags for {name} after --.",
        )


def dependencies(written: Path) -> list[str]:
    """The files in a compiler's output for make: ``target: a.cpp b.hpp``, with escapes."""
    text = written.read_text(encoding="utf-8", errors="surrogateescape").replace("\\\n", " ")
    _, _, files = text.partition(":")
    return [str(Path(_ESCAPED.sub(r"\1", word).replace("$$", "$")).resolve()) for word in _WORD.findall(files)]
