# SPDX-License-Identifier: Apache-2.0
"""Options of ``linpoint explore``: whole programs in Python and C++."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from typing import Any, ClassVar

from linpoint.errors import UsageError
from linpoint.options.choices import ISOLATIONS
from linpoint.options.commands.shared_options import (
    LimitOptions,
    OutputOptions,
    backend_option,
    compiler_option,
    granularity_option,
    races_option,
    reuse_option,
)
from linpoint.options.option_types import OnOff, OptionType, WholeNumber, Words, choice
from linpoint.options.rules import OnlyFor, Rule
from linpoint.options.schema import CONFIG, Panel, Surface, argument, option
from linpoint.text.code_names import is_source
from linpoint.traces.trace import MEMORY_MODELS

_CPP = CONFIG | Surface.TOKEN
_ONLY_CPP = ("races", "compiler", "args", "reuse", "spurious", "isolate", "outcomes", "workers", "atomic_methods")


@dataclass(frozen=True, slots=True)
class ShellWords(OptionType):
    """Words in one text, as a shell splits them."""

    metavar: str = "WORDS"

    def parse(self, text: str, name: str) -> tuple[str, ...]:
        """The words of a text."""
        try:
            return tuple(shlex.split(text))
        except ValueError as error:
            raise UsageError(
                "LP-U001", f"{name} {text!r} is not a list of words: {error}.", remedy="Close its quotes."
            ) from None

    def check(self, value: Any, name: str) -> tuple[str, ...]:
        """A sequence of words."""
        return Words().check(value, name)

    def words(self, value: Any) -> list[str]:
        """One text."""
        return [shlex.join(value)]


@dataclass(frozen=True, kw_only=True)
class ExploreOptions(LimitOptions, OutputOptions):
    """How a program is explored."""

    rules: ClassVar[tuple[Rule, ...]] = (
        OnlyFor("cpp", _ONLY_CPP, "C++ programs"),
        OnlyFor("python", ("granularity", "backend"), "Python programs"),
    )
    description: ClassVar[str] = """\
Run a program with threads under every schedule: assertions, exceptions, deadlocks, data races.

Exit code: 0 holds, 1 violation, 2 bad input, 3 unknown.

Examples:
  linpoint explore bank.py
  linpoint explore bank.py --budget 2m -- --accounts 2
  linpoint explore dekker.cpp --memory-model tso -- -O2
"""

    program: str = argument("PROGRAM", OptionType(), "A Python program, or the first source of a C++ or C program.")
    words: tuple[str, ...] = argument(
        "WORD...",
        Words(),
        "More C++ and C sources. After --: arguments of a Python program, or compiler flags.",
        default=(),
        required=False,
    )
    preemptions: int | None = option(
        None,
        WholeNumber(),
        "Only schedules with up to N preemptions.",
        Panel.SEARCH,
        on=CONFIG,
        default_text="any number",
    )
    granularity: str = granularity_option()
    backend: str = backend_option()
    compiler: str | None = compiler_option(_CPP)
    args: tuple[str, ...] = option(
        (), ShellWords(), "Arguments of the program, in one word.", Panel.CPP, on=Surface.TOKEN
    )
    memory_model: str = option(
        "sc",
        choice(MEMORY_MODELS),
        "sc, tso (as x86) or pso. Python programs have sc: writes are visible immediately.",
        Panel.CPP,
        on=_CPP | Surface.HOST,
    )
    races: str = races_option(_CPP)
    isolate: str = option(
        "none",
        choice(ISOLATIONS),
        "Runs share a process (none) or have one each (fork).",
        Panel.CPP,
        on=_CPP | Surface.HOST,
    )
    reuse: bool = reuse_option(_CPP)
    spurious: bool = option(
        False, OnOff(), "Wake up condition variables spuriously.", Panel.CPP, on=_CPP | Surface.HOST
    )
    atomic_methods: str | None = option(
        None, OptionType("PATTERN"), "Functions that run without preemption.", Panel.CPP, on=_CPP
    )
    outcomes: bool = option(
        False, OnOff(), "Collect the output of the program over all schedules.", Panel.CPP, on=CONFIG | Surface.HOST
    )
    workers: int = option(1, WholeNumber(minimum=1), "Number of processes that share the search.", Panel.CPP, on=CONFIG)

    @property
    def is_cpp(self) -> bool:
        """Whether the program is one in C++ or C."""
        return is_source(self.program)

    @property
    def files(self) -> tuple[str, ...]:
        """The sources of a C++ program: the words before the first one that is not a source."""
        return (self.program, *self.words[: self._source_count])

    @property
    def flags(self) -> tuple[str, ...]:
        """The compiler flags of a C++ program."""
        return self.words[self._source_count :]

    @property
    def _source_count(self) -> int:
        return next((number for number, word in enumerate(self.words) if not is_source(word)), len(self.words))
