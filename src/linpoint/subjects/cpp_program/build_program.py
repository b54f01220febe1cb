# SPDX-License-Identifier: Apache-2.0
"""A C++ program as the user asks for it, built; and as its replay token holds it."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import msgspec

from linpoint.hosts.host_config import ISOLATIONS, RACES, HostConfig
from linpoint.subjects.cpp_program.atomic_methods import atomic_ranges
from linpoint.subjects.cpp_program.subject import CppProgramSubject
from linpoint.subjects.interface import Failure
from linpoint.targets.compiler_discovery import Compiler, find_compiler
from linpoint.targets.compiler_flags import sorted_flags
from linpoint.targets.host_builder import find_host
from linpoint.targets.target_builder import BuildRecipe, Target, build_target
from linpoint.traces.trace import MEMORY_MODELS
from linpoint.verdicts import replay_token

CPP_PROGRAM_KIND: Final = "explore-cpp"
"""The kind of a token."""


@dataclasses.dataclass(frozen=True, slots=True)
class CppProgramOptions:
    """A C++ program, and how it is to be built, run and explored."""

    files: tuple[str, ...]
    flags: tuple[str, ...] = ()
    compiler: str | None = None
    manner: HostConfig = dataclasses.field(default_factory=HostConfig)
    preemptions: int | None = None
    outcomes: bool = False
    atomic_methods: str | None = None
    """A pattern: functions that nobody interrupts."""

    @property
    def file(self) -> str:
        """The first source, by which the program is called."""
        return self.files[0]

    def find_tools(self, tell: Callable[[str], None]) -> tuple[Compiler, Path]:
        """The compiler and a host that was built with it. What cannot be is said before anything is built."""
        sorted_flags(self.flags)
        compiler = find_compiler(self.compiler)
        return compiler, find_host(compiler, tell=tell)

    def build(self, compiler: Compiler, host: Path, deadline: float | None) -> CppProgramSubject:
        """The program, built by the deadline."""
        # Functions that are to be atomic must not be made part of others.
        flags = self.flags if self.atomic_methods is None else (*self.flags, "-fno-inline")
        target = build_target(BuildRecipe(self.files, flags, compiler), deadline=deadline)
        manner = dataclasses.replace(self.manner, atomic=atomic_ranges(target.library, self.atomic_methods))
        token = self._token(target)
        return CppProgramSubject(self.file, host, target, manner, self.preemptions, self.outcomes, token=token)

    def _token(self, target: Target) -> dict[str, Any]:
        """What a replay token holds beside the schedule."""
        manner = self.manner
        content: dict[str, Any] = {"kind": CPP_PROGRAM_KIND, "files": list(self.files), "code": target.digest}
        content |= {"flags": list(self.flags), "compiler": self.compiler, "args": list(manner.args)}
        content |= {"memory_model": manner.memory_model, "races": manner.races, "isolate": manner.isolate}
        return content | {"reuse": manner.reuse, "spurious": manner.spurious, "atomic_methods": self.atomic_methods}


class CppProgramToken(msgspec.Struct):
    """The content of a token of ``explore`` for C++."""

    files: list[str]
    schedule: list[tuple[int, int]]
    finding: str
    flags: list[str] = []
    compiler: str | None = None
    code: str = ""
    memory_model: str = "sc"
    races: str = "stop"
    reuse: bool = False
    spurious: bool = False
    isolate: str = "none"
    args: list[str] = []
    atomic_methods: str | None = None

    @classmethod
    def read(cls, content: dict[str, Any]) -> CppProgramToken:
        """What a decoded token holds, or LP-U004."""
        try:
            found = msgspec.convert(content, cls)
        except msgspec.ValidationError as error:
            raise replay_token.not_a_finding(str(error)) from None
        for name, given, known in (
            ("memory model", found.memory_model, tuple(MEMORY_MODELS)),
            ("manner of races", found.races, RACES),
            ("isolation", found.isolate, ISOLATIONS),
        ):
            if given not in known:
                raise replay_token.not_a_finding(f"there is no {name} {given!r}")
        if not found.files:
            raise replay_token.not_a_finding("it names no sources")
        return found

    @property
    def options(self) -> CppProgramOptions:
        """How it is built and run again."""
        manner = HostConfig(self.memory_model, self.races, self.reuse, self.spurious, self.isolate, tuple(self.args))
        return CppProgramOptions(
            tuple(self.files), tuple(self.flags), self.compiler, manner, atomic_methods=self.atomic_methods
        )

    @property
    def failure(self) -> Failure | None:
        """The failure by its schedule; None for a process that died, so that nobody knows the schedule."""
        if not self.schedule and self.finding == "crash":
            return None
        return Failure(self.finding, None, tuple(self.schedule), 0, None)
