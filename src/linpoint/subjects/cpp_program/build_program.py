# SPDX-License-Identifier: Apache-2.0
"""Builds a C++ program with the options of the user or of a replay token."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import msgspec

from linpoint.hosts.host_config import HostConfig
from linpoint.limits.budget import size
from linpoint.options.commands.explore import ExploreOptions
from linpoint.options.schema import Panel, Surface
from linpoint.options.token_fields import options_from_token, token_fields
from linpoint.subjects.cpp_program.atomic_methods import atomic_ranges
from linpoint.subjects.cpp_program.subject import CppProgramSubject
from linpoint.subjects.interface import Failure
from linpoint.targets.compiler_discovery import Compiler, find_compiler
from linpoint.targets.compiler_flags import sorted_flags
from linpoint.targets.host_builder import find_host
from linpoint.targets.target_builder import BuildRecipe, Target, build_target
from linpoint.verdicts import replay_token

CPP_PROGRAM_KIND: Final = "explore-cpp"
"""The kind of a token of a C++ program."""


def find_tools(options: ExploreOptions, report_progress: Callable[[str], None]) -> tuple[Compiler, Path]:
    """The compiler and a host built with it. Invalid options raise errors before anything is built."""
    sorted_flags(options.flags)
    compiler = find_compiler(options.compiler)
    return compiler, find_host(compiler, report_progress=report_progress)


def build_program(options: ExploreOptions, compiler: Compiler, host: Path, deadline: float | None) -> CppProgramSubject:
    """Build the program before the deadline."""
    # Atomic functions must not be inlined.
    flags = options.flags if options.atomic_methods is None else (*options.flags, "-fno-inline")
    target = build_target(BuildRecipe(options.files, flags, compiler), deadline=deadline)
    config = HostConfig(
        options.memory_model,
        options.races,
        options.reuse,
        options.spurious,
        options.isolate,
        options.args,
        size(options.max_memory),
        atomic_ranges(target.library, options.atomic_methods),
        options.workers,
    )
    token = _token(options, target)
    return CppProgramSubject(options.program, host, target, config, options.preemptions, options.outcomes, token=token)


def _token(options: ExploreOptions, target: Target) -> dict[str, Any]:
    """The content of a replay token besides the schedule."""
    content: dict[str, Any] = {"kind": CPP_PROGRAM_KIND, "files": list(options.files), "code": target.digest}
    return content | {"flags": list(options.flags)} | token_fields(options, defaults=True, without=Panel.PYTHON)


class _TokenContent(msgspec.Struct):
    """The content of a token of ``explore`` for C++, besides the options."""

    files: list[str]
    schedule: list[tuple[int, int]]
    finding: str
    flags: list[str] = []
    code: str = ""


@dataclass(frozen=True, slots=True)
class CppProgramToken:
    """The options to build and rerun a program, and the schedule that shows the failure."""

    options: ExploreOptions
    finding: str
    schedule: tuple[tuple[int, int], ...]
    code: str

    @classmethod
    def read(cls, content: dict[str, Any]) -> CppProgramToken:
        """Read a decoded token; raises LP-U004 if its content is malformed."""
        try:
            found = msgspec.convert(content, _TokenContent)
        except msgspec.ValidationError as error:
            raise replay_token.not_a_finding(str(error)) from None
        if not found.files:
            raise replay_token.not_a_finding("it names no sources")
        words = (*found.files[1:], *found.flags)
        options = options_from_token(ExploreOptions, content).with_values(
            Surface.TOKEN, program=found.files[0], words=words
        )
        return cls(options, found.finding, tuple(found.schedule), found.code)

    @property
    def failure(self) -> Failure | None:
        """The failure with its schedule; None if the process died and the schedule is unknown."""
        if not self.schedule and self.finding == "crash":
            return None
        return Failure(self.finding, None, self.schedule, 0, None)
