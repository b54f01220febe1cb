# SPDX-License-Identifier: Apache-2.0
"""Builds a user's C++ test as a standalone program for real threads, with the user's compiler and without hooks.

Guarantee: as for targets with hooks (``target_builder``), a cached program is reused only if everything it depends on
is unchanged.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from linpoint.processes.command_runner import run_commands
from linpoint.targets.build_cache import building, cache_directory, digest, file_digest, store
from linpoint.targets.build_recipe import (
    BuildManifest,
    BuildRecipe,
    accepted,
    dependencies,
    refuse_unreadable,
    remember,
    remembered,
)
from linpoint.targets.compiler_flags import FAST, Flags, in_language_of, sorted_flags, source_word, to_build
from linpoint.targets.host_builder import sdk

_KIND: Final = "executables"
_FORM: Final = "1"
"""Version of the build procedure; increment it with every change."""
_STRESS: Final = ("-DLINPOINT_STRESS",)
_SANITIZING: Final = ("-g", "-fno-omit-frame-pointer", "-fno-sanitize-recover=all")


@dataclass(frozen=True, slots=True)
class Executable:
    """A program that can be started."""

    program: Path
    digest: str
    """The digest of all its inputs."""


def build_executable(recipe: BuildRecipe, *, sanitizer: str | None = None, deadline: float | None = None) -> Executable:
    """Build a test for real threads, unless the cache has it. Raises ``OutOfTimeError`` if ``deadline`` passes."""
    refuse_unreadable(recipe)
    flags = sorted_flags(recipe.flags, hooked=False)
    include = sdk()
    ours = (*_STRESS, *(() if sanitizer is None else (f"-fsanitize={sanitizer}", *_SANITIZING)))
    parts = (_FORM, recipe.compiler.identity, *FAST, *ours, str(Path.cwd()), str(include), *recipe.files)
    parts = (*parts, "--", *recipe.flags)
    recorded = cache_directory() / _KIND / f"{digest(parts)}.json"
    known = remembered(recorded, _KIND)
    if known is not None:
        return Executable(known[0] / "program", known[1])
    with building(_KIND) as directory:
        program = directory / "program"
        sources = [source_word(file) for file in recipe.files]
        objects = [directory / f"{number}.o" for number in range(len(sources))]
        compiling = (*ours, "-c")
        accepted(
            recipe,
            run_commands(
                [
                    to_build(recipe.compiler, _for_source(flags, source), include, [source], compiling, to)
                    for source, to in zip(sources, objects, strict=True)
                ],
                deadline=deadline,
            ),
            "compile",
        )
        depends = {path: file_digest(path) for to in objects for path in dependencies(to.with_suffix(".d"))}
        depends |= {path: file_digest(path) for path in flags.linking if Path(path).is_file()}
        link = to_build(recipe.compiler, flags, include, [str(each) for each in objects], ours, program)
        accepted(recipe, run_commands([link], deadline=deadline), "link")
        for made in directory.iterdir():
            if made != program:
                made.unlink()
        name = digest([*parts, *(text for pair in sorted(depends.items()) for text in pair)])
        place = store(directory, _KIND, name)
    remember(recorded, BuildManifest(name, depends))
    return Executable(place / "program", name)


def _for_source(flags: Flags, source: str) -> Flags:
    return Flags(tuple(in_language_of(source, flags.compiling)), ())
