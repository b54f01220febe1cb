# SPDX-License-Identifier: Apache-2.0
"""Builds a user's C++ or C program as a target: a shared object with hooks, which the host loads.

Each source is compiled to assembler text, in which ``assembly_rewriting`` hooks what the compiler does not, and then to
an object. All objects are linked without the sanitizer's library, which the host replaces. Guarantee: a cached target
is reused only if the compiler, the flags, the sources and every header are unchanged.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import msgspec

from linpoint.processes.command_runner import run, run_commands
from linpoint.targets.assembly_rewriting import add_hooks
from linpoint.targets.build_cache import building, cache_directory, digest, file_digest, store
from linpoint.targets.build_error import BuildError
from linpoint.targets.build_recipe import (
    BuildManifest,
    BuildRecipe,
    accepted,
    dependencies,
    refuse_unreadable,
    remember,
    remembered,
)
from linpoint.targets.compiler_flags import own_flags, sorted_flags, source_word, to_assemble, to_compile, to_link
from linpoint.targets.host_builder import sdk
from linpoint.targets.unhooked_libraries import TRACE, unhooked_libraries

__all__ = ["BuildRecipe", "Target", "TargetContents", "build_target"]

_KIND: Final = "targets"
_FORM: Final = "6"
"""Version of the build procedure; increment it with every change."""
_MAIN: Final = re.compile(r"^[0-9a-f]+ [TW] main$", re.MULTILINE)


class TargetContents(msgspec.Struct, frozen=True):
    """Facts about a target, besides its code."""

    unseen: tuple[str, ...]
    """Instructions that no hook observes, with their places: no schedule of such a target can be trusted."""
    unhooked: tuple[str, ...]
    """Libraries without hooks: because of them a pass proves less."""


@dataclass(frozen=True, slots=True)
class Target:
    """A target that the host can load."""

    library: Path
    digest: str
    """The digest of all its inputs, which shows whether the program has changed since a finding."""
    contents: TargetContents


def build_target(recipe: BuildRecipe, *, persistent: bool = False, deadline: float | None = None) -> Target:
    """Build a program, unless the cache has it. Raises ``OutOfTimeError`` if ``deadline`` passes first.

    A program tested for its ``persistent`` memory gets further hooks: for branches and comparisons, for each store as
    it is written, and for stores past the caches and locked instructions in ``asm``.
    """
    refuse_unreadable(recipe)
    here = str(Path.cwd())
    include = sdk()
    ours = own_flags(recipe.compiler, persistent=persistent)
    parts = (_FORM, recipe.compiler.identity, *ours, here, str(include), *recipe.files, "--", *recipe.flags)
    recorded = cache_directory() / _KIND / f"{digest(parts)}.json"
    known = remembered(recorded, _KIND)
    if known is not None:
        return _target(*known)
    with building(_KIND) as directory:
        depends = _build(recipe, include, directory, deadline, persistent=persistent)
        name = digest([*parts, *(text for pair in sorted(depends.items()) for text in pair)])
        place = store(directory, _KIND, name)
    remember(recorded, BuildManifest(name, depends))
    return _target(place, name)


def _target(place: Path, name: str) -> Target:
    contents = msgspec.json.decode((place / "contents.json").read_bytes(), type=TargetContents)
    return Target(place / "target.so", name, contents)


def _build(
    recipe: BuildRecipe, include: Path, directory: Path, deadline: float | None, *, persistent: bool = False
) -> dict[str, str]:
    """Build the target in ``directory``; return the digests of its dependencies."""
    flags = sorted_flags(recipe.flags)
    compiler = recipe.compiler
    texts = [directory / f"{number}.s" for number in range(len(recipe.files))]
    commands = [
        to_compile(compiler, flags, include, source_word(file), text, persistent=persistent)
        for file, text in zip(recipe.files, texts, strict=True)
    ]
    accepted(recipe, run_commands(commands, deadline=deadline), "compile")
    unseen: list[str] = []
    for text in texts:
        hooked, found = add_hooks(text.read_text(encoding="utf-8", errors="surrogateescape"), persistent=persistent)
        text.write_text(hooked, encoding="utf-8", errors="surrogateescape")
        unseen += map(str, found)
    accepted(recipe, run_commands([to_assemble(compiler, text) for text in texts], deadline=deadline), "assemble")
    objects = [text.with_suffix(".o") for text in texts]
    library = directory / "target.so"
    link = to_link(compiler, flags, objects, library)
    linked = run([*link, TRACE], deadline=deadline)
    if linked.code:  # again, so that the output contains only messages
        accepted(recipe, [run(link, deadline=deadline)], "link")
    _refuse_without_main(recipe, library)
    depends = {path: file_digest(path) for text in texts for path in dependencies(text.with_suffix(".d"))}
    depends |= {path: file_digest(path) for path in flags.linking if Path(path).is_file()}
    contents = TargetContents(tuple(dict.fromkeys(unseen)), unhooked_libraries(linked.text, objects))
    (directory / "contents.json").write_bytes(msgspec.json.encode(contents))
    for made in [*texts, *objects, *(text.with_suffix(".d") for text in texts)]:
        made.unlink()
    return depends


def _refuse_without_main(recipe: BuildRecipe, library: Path) -> None:
    symbols = run(["nm", "-D", "--defined-only", str(library)])
    if not symbols.code and not _MAIN.search(symbols.text):
        raise BuildError(
            "LP-T033",
            "it has no main().",
            place=recipe.files[0],
            remedy="Pass all sources of the program, one with main(); in a test, use LINPOINT_TEST of linpoint/test.hpp.",
        )
