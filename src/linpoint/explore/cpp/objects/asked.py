# SPDX-License-Identifier: Apache-2.0
"""How tests of C++ objects are to be built and run: what the user asks for, and what a file says of itself.

A file says it in comments of its own, with the options of the command, so that whoever runs it need not know them:

    // linpoint: --spec stack --memory-model tso -- -Iinclude stack.cpp

Guarantee: an option that is none is a coded error at its line. Paths in a comment begin at the file's folder. What the
user asks for wins; compiler flags of both are used, the user's last.
"""

from __future__ import annotations

import argparse
import os
import re
import shlex
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Final, NoReturn

from linpoint.errors import LinpointError, UsageError
from linpoint.hosts.host_config import RACES, HostConfig
from linpoint.scenarios.scenario import Scenario
from linpoint.targets.compiler_flags import is_source, split_flags
from linpoint.traces.trace import MEMORY_MODELS

LINEARIZABILITY: Final = "linearizability"
OUTCOMES: Final = "outcomes"
METHODS: Final = (LINEARIZABILITY, OUTCOMES)
_COMMENT: Final = re.compile(r"^[ \t]*//[ \t]*linpoint:(.*)$", re.MULTILINE)
_OF_PATHS: Final = ("-I", "-L", "-isystem", "-iquote", "-idirafter", "-include")
"""Compiler flags whose value, in the same word or the next one, is a path."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What is asked for; None where nothing is."""

    spec: str | None = None
    flags: tuple[str, ...] = ()
    """Compiler flags, and further sources."""
    compiler: str | None = None
    memory_model: str | None = None
    races: str | None = None
    reuse: bool = False
    method: str | None = None
    progress: bool = False
    scenario: Scenario | None = None
    threads: int | None = None
    operations: int | None = None
    seed: int | None = None
    workers: int | None = None

    def __post_init__(self) -> None:
        for option, given, known in (
            ("--memory-model", self.memory_model, tuple(MEMORY_MODELS)),
            ("--races", self.races, RACES),
            ("--method", self.method, METHODS),
        ):
            if given is not None and given not in known:
                raise UsageError("LP-U001", f"{option} {given!r} is none.", remedy=f"It is one of {', '.join(known)}.")

    def over(self, other: Asked) -> Asked:
        """The same, and what ``other`` asks for where nothing is asked for here."""
        given = {field.name: getattr(self, field.name) for field in fields(self)}
        given = {name: value for name, value in given.items() if value is not None and value is not False}
        return replace(other, **given | {"flags": (*other.flags, *self.flags)})

    @property
    def sources(self) -> tuple[str, ...]:
        """The sources beside the file of the test."""
        return split_flags(self.flags)[0]

    @property
    def compiler_flags(self) -> tuple[str, ...]:
        """What is not a source."""
        return split_flags(self.flags)[1]

    @property
    def compares_outcomes(self) -> bool:
        """Whether outcomes are compared, and no spec is needed."""
        return self.method == OUTCOMES

    @property
    def manner(self) -> HostConfig:
        """How the host is to run the tests."""
        workers = self.workers or os.cpu_count() or 1
        return HostConfig(self.memory_model or "sc", self.races or "stop", self.reuse, workers=workers)


def said_in(file: str) -> Asked:
    """What a file asks for in its comments; nothing, if it cannot be read: who builds it will say so."""
    found = Asked()
    for line, comment in comments_in(file):
        try:
            found = _parsed(comment, Path(file).parent).over(found)
        except LinpointError as error:
            raise error.at(f"{file}:{line}") from None
    return found


def comments_in(file: str) -> list[tuple[int, str]]:
    """The comments of a file that are for us, with their lines; none if it cannot be read."""
    try:
        text = Path(file).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return []
    return [(text.count("\n", 0, comment.start()) + 1, comment[1]) for comment in _COMMENT.finditer(text)]


def words_of(comment: str) -> tuple[list[str], list[str]]:
    """The options of a comment, and what comes after ``--``."""
    try:
        words = shlex.split(comment)
    except ValueError as error:
        raise UsageError("LP-U001", f"the options cannot be read: {error}.", remedy="Close the quotes.") from None
    at = words.index("--") if "--" in words else len(words)
    return words[:at], words[at + 1 :]


def _parsed(text: str, folder: Path) -> Asked:
    words, flags = words_of(text)
    given = vars(_parser().parse_args(words))
    before, after, scenario = (given.pop(name) for name in ("before", "after", "scenario"))
    if scenario is None and (before or after):
        raise UsageError("LP-U001", "--before and --after go with --scenario.", remedy="Add it.")
    given["scenario"] = None if scenario is None else Scenario.parse(scenario, before, after)
    given["spec"] = None if given["spec"] is None else spec_beside(given["spec"], folder)
    return Asked(**given, flags=flags_from(flags, folder))


class CommentParser(argparse.ArgumentParser):
    """The options of a command in a comment; what is none is LP-U001."""

    def error(self, message: str) -> NoReturn:
        """As ever, but coded."""
        options = sorted(option for option in self._option_string_actions if option.startswith("--"))
        raise UsageError(
            "LP-U001",
            f"a comment `// linpoint:` has options of the command, but {message}.",
            remedy=f"Known here: {', '.join(options)}; after -- compiler flags and more sources.",
        )


def _parser() -> CommentParser:
    parser = CommentParser(add_help=False, allow_abbrev=False)
    parser.add_argument("-s", "--spec")
    for name in ("--memory-model", "--races", "--method", "--compiler", "--scenario"):
        parser.add_argument(name)
    for name in ("--before", "--after"):
        parser.add_argument(name, default="")
    for name in ("--threads", "--operations", "--seed", "--workers"):
        parser.add_argument(name, type=whole_number)
    for name in ("--reuse", "--progress"):
        parser.add_argument(name, action="store_true")
    return parser


def whole_number(text: str) -> int:
    """For options that are numbers."""
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number")
    return int(text)


def spec_beside(spec: str, folder: Path) -> str:
    """A spec in a Python file, which is named as seen from the folder."""
    file, colon, name = spec.rpartition(":")
    return f"{_path(file, folder)}:{name}" if colon and file.endswith(".py") else spec


def flags_from(words: list[str], folder: Path) -> tuple[str, ...]:
    """Compiler flags and sources with their paths as seen from where we are."""
    found: list[str] = []
    is_path = False
    for word in words:
        if is_path or (is_source(word) and not word.startswith("-")):
            found.append(_path(word, folder))
            is_path = False
            continue
        flag = next((each for each in _OF_PATHS if word.startswith(each)), None)
        is_path = word == flag
        found.append(word if flag is None or is_path else f"{flag}{_path(word.removeprefix(flag), folder)}")
    return tuple(found)


def _path(word: str, folder: Path) -> str:
    return str(folder / word)
