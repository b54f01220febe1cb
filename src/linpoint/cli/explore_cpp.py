# SPDX-License-Identifier: Apache-2.0
"""``linpoint explore PROGRAM.cpp``: what is built, asked of the host and told. No worker is needed: the host is one."""

from __future__ import annotations

import dataclasses
import re
import shlex
import sys
import time
from collections.abc import Callable
from fnmatch import fnmatchcase
from typing import Any, Final

import msgspec

from linpoint.campaign.worker_protocol import answer_of_program
from linpoint.cli import options
from linpoint.cli.output.output_formats import OutputFormats, write_report
from linpoint.cli.output.target_report import ReportEntry, ReportList
from linpoint.cli.output.terminal import ProgressLine, progress
from linpoint.errors import UsageError
from linpoint.explore.cpp.running import ISOLATIONS, RACES, Manner
from linpoint.histories.values import counted
from linpoint.hosts.address_symbols import functions
from linpoint.hosts.search_messages import SearchProgress
from linpoint.processes.command_runner import OutOfTimeError
from linpoint.subjects.cpp_program.program_search import DEFAULT_BUDGET, Settings
from linpoint.subjects.cpp_program.subject import CppProgram, explore_cpp, replay_cpp
from linpoint.targets.build_error import BuildError
from linpoint.targets.compiler_discovery import find_compiler
from linpoint.targets.compiler_flags import is_source, sorted_flags
from linpoint.targets.host_builder import find_host
from linpoint.targets.target_builder import BuildRecipe, Target, build_target
from linpoint.traces.trace import MEMORY_MODELS
from linpoint.verdicts import Budget, replay_token
from linpoint.verdicts.finding import Explored
from linpoint.verdicts.program import Answer, ProgramResult

_TO_TELL: Final = 0.3
"""Seconds of the budget that are kept for telling the answer."""
_AT_LEAST: Final = 0.1
_NOT_OWN: Final = re.compile(r"^_|std::|__gnu|\blinpoint::|\{lambda|::\$_|^atexit$")
_NAMED: Final = 12
"""Functions that are named where another one was asked for."""


@dataclasses.dataclass(frozen=True, slots=True)
class Asked:
    """A C++ program, and how it is to be built, run and explored."""

    files: tuple[str, ...]
    flags: tuple[str, ...] = ()
    compiler: str | None = None
    manner: Manner = dataclasses.field(default_factory=Manner)
    preemptions: int | None = None
    outcomes: bool = False
    atomic_methods: str | None = None
    """A pattern: functions that nobody interrupts."""


def split_words(program: str, words: list[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The sources and the compiler flags: sources come first, and flags begin where a word is none."""
    count = next((number for number, word in enumerate(words) if not is_source(word)), len(words))
    return (program, *words[:count]), tuple(words[count:])


def parse_args(text: str | None) -> tuple[str, ...]:
    """``--args "..."``, as a shell splits words."""
    try:
        return tuple(shlex.split(text or ""))
    except ValueError as error:
        raise UsageError(
            "LP-U001", f"--args {text!r} is not a list of words: {error}.", remedy="Close its quotes."
        ) from None


def run_cpp(asked: Asked, budget: str, max_memory: str | None, forms: OutputFormats) -> int:
    """Build, explore and say what was found; the exit code."""
    limits = Budget.starting_now(budget, max_memory)
    manner = dataclasses.replace(asked.manner, max_memory=limits.max_memory)
    asked = dataclasses.replace(asked, manner=manner)

    def work(program: CppProgram, settings: Settings, listen: Callable[[SearchProgress], None]) -> ProgramResult:
        settings = dataclasses.replace(settings, preemptions=asked.preemptions, outcomes=asked.outcomes)
        return explore_cpp(program, settings, listen=listen)

    return _run(asked, budget, forms, work)


class _Finding(msgspec.Struct):
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


def replay_cpp_program(content: dict[str, Any], *, as_json: bool) -> int:
    """Run the schedule of a finding again; it needs the sources where they were."""
    try:
        found = msgspec.convert(content, _Finding)
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
    manner = Manner(found.memory_model, found.races, found.reuse, found.spurious, found.isolate, tuple(found.args))
    asked = Asked(tuple(found.files), tuple(found.flags), found.compiler, manner, atomic_methods=found.atomic_methods)

    def work(program: CppProgram, settings: Settings, listen: Callable[[SearchProgress], None]) -> ProgramResult:
        if not found.schedule and found.finding == "crash":  # its process died, so nobody knows the schedule
            return explore_cpp(program, settings, listen=listen)
        changed = bool(found.code) and found.code != program.target.digest
        return replay_cpp(program, settings, tuple(found.schedule), changed=changed, listen=listen)

    return _run(asked, options.DEFAULT_BUDGET, OutputFormats(json=as_json), work)


Work = Callable[[CppProgram, Settings, Callable[[SearchProgress], None]], ProgramResult]


def _run(asked: Asked, budget: str, forms: OutputFormats, work: Work) -> int:
    file = asked.files[0]
    with progress() as line:
        try:
            sorted_flags(asked.flags)  # what cannot be is said before anything is built
            compiler = find_compiler(asked.compiler)
            host = find_host(compiler, tell=line)
            # The host is built once, which is no part of the work that the budget is for.
            limits = Budget.starting_now(budget, asked.manner.max_memory)
            end = None if limits.deadline is None else limits.deadline - _TO_TELL
            line(f"compiling {file}", at_once=True)
            target = build_target(BuildRecipe(asked.files, _all_flags(asked), compiler), deadline=end)
            left = DEFAULT_BUDGET if end is None else max(_AT_LEAST, end - time.monotonic())
            settings = Settings(left, replay=_content(asked, target))
            manner = dataclasses.replace(asked.manner, atomic=_atomic(asked, target))
            result = work(CppProgram(file, host, target, manner), settings, _listener(line))
        except BuildError as error:
            show_build_error(error)
            raise
        except OutOfTimeError:
            why = "the budget ended while it was compiled"
            result = ProgramResult(file, Answer.UNKNOWN, exhaustive=False, why=why, findings=(), explored=Explored())
    told = ReportEntry(file, "", answer_of_program(result))
    return write_report(ReportList([told], "linpoint explore"), forms, limits, interrupted=result.interrupted)


def _content(asked: Asked, target: Target) -> dict[str, Any]:
    """What a replay token holds beside the schedule."""
    manner = asked.manner
    content: dict[str, Any] = {"kind": "explore-cpp", "files": list(asked.files), "code": target.digest}
    content |= {"flags": list(asked.flags), "compiler": asked.compiler, "args": list(manner.args)}
    content |= {"memory_model": manner.memory_model, "races": manner.races, "isolate": manner.isolate}
    return content | {"reuse": manner.reuse, "spurious": manner.spurious, "atomic_methods": asked.atomic_methods}


def _all_flags(asked: Asked) -> tuple[str, ...]:
    """Functions that are to be atomic must not be made part of others."""
    return asked.flags if asked.atomic_methods is None else (*asked.flags, "-fno-inline")


def _atomic(asked: Asked, target: Target) -> tuple[tuple[int, int], ...]:
    """Where the functions are that the pattern is for; namespaces may be left out of it."""
    pattern = asked.atomic_methods
    if pattern is None:
        return ()
    known = functions(target.library)
    found = [each for each in known if fnmatchcase(each.name, pattern) or fnmatchcase(each.name, f"*::{pattern}")]
    if not found:
        own = (each.name for each in known if not _NOT_OWN.search(each.name))
        few = ", ".join(list(dict.fromkeys(own))[:_NAMED])
        message = f"--atomic-methods {pattern!r} is no function of the program."
        raise UsageError("LP-U001", message, remedy=f"It has, among others: {few}.")
    return tuple((each.begin, each.end) for each in found)


def _listener(line: ProgressLine) -> Callable[[SearchProgress], None]:
    def listen(reached: SearchProgress) -> None:
        whole = f" of about {reached.estimate:,.0f}" if reached.estimate else ""
        line(f"{counted(reached.schedules, 'schedule')}{whole}, {counted(reached.depth, 'step')} deep")

    return listen


def show_build_error(error: BuildError) -> None:
    """The messages of a compiler, untouched."""
    sys.stderr.flush()
    sys.stderr.buffer.write(error.output)
    sys.stderr.buffer.flush()
