# SPDX-License-Identifier: Apache-2.0
"""Options of ``linpoint explore``: whole programs in Python and C++."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from typing import Any, ClassVar

from linpoint.errors import UsageError
from linpoint.options.choices import ISOLATIONS
from linpoint.options.commands.shared_options import (
    MEMORY_MODEL_HELP,
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
    """A text that a shell would split into words."""

    metavar: str = "WORDS"

    def parse(self, text: str, name: str) -> tuple[str, ...]:
        """Split a text into words."""
        try:
            return tuple(shlex.split(text))
        except ValueError as error:
            raise UsageError(
                "LP-U001", f"{name} {text!r} is not a list of words: {error}.", remedy="Close the quotes."
            ) from None

    def check(self, value: Any, name: str) -> tuple[str, ...]:
        """Accept a sequence of words."""
        return Words().check(value, name)

    def words(self, value: Any) -> list[str]:
        """Join the words into one text."""
        return [shlex.join(value)]


@dataclass(frozen=True, kw_only=True)
class ExploreOptions(LimitOptions, OutputOptions):
    """Options of ``linpoint explore``."""

    rules: ClassVar[tuple[Rule, ...]] = (
        OnlyFor("cpp", _ONLY_CPP, "C++ programs"),
        OnlyFor("python", ("granularity", "backend"), "Python programs"),
    )
    description: ClassVar[str] = """\
Run a threaded program under every schedule, to find failed assertions, exceptions, deadlocks and data races.

linpoint builds and runs the program with your permissions.

Exit code: 0 no violation, 1 violation, 2 bad input, 3 unknown.

Examples:
  # Explore a Python program
  linpoint explore bank.py
  # Pass arguments to the program
  linpoint explore bank.py --budget 2m -- --accounts 2
  # Explore only schedules with few preemptions
  linpoint explore bank.py --preemptions 2
  # Explore a C++ program under a weaker memory model
  linpoint explore dekker.cpp --memory-model tso -- -O2
"""

    program: str = argument("PROGRAM", OptionType(), "A Python program, or the first source of a C++ or C program.")
    words: tuple[str, ...] = argument(
        "WORD...",
        Words(),
        "Further C++ and C sources. After --: arguments of a Python program, or flags for the C++ compiler.",
        default=(),
        required=False,
    )
    preemptions: int | None = option(
        None,
        WholeNumber(),
        "Explore only schedules with up to N preemptions.",
        Panel.SEARCH,
        on=CONFIG,
        default_text="any number",
    )
    granularity: str = granularity_option()
    backend: str = backend_option()
    compiler: str | None = compiler_option(_CPP)
    args: tuple[str, ...] = option(
        (),
        ShellWords(),
        "Arguments of the program, as one quoted text.",
        Panel.CPP,
        on=Surface.TOKEN,
        default_text="none",
    )
    memory_model: str = option(
        "sc",
        choice(MEMORY_MODELS),
        f"{MEMORY_MODEL_HELP} Python programs always have sc.",
        Panel.CPP,
        on=_CPP | Surface.HOST,
    )
    races: str = races_option(_CPP)
    isolate: str = option(
        "none",
        choice(ISOLATIONS),
        "Isolation of runs. none: all runs share a process; fork: each run has a process of its own.",
        Panel.CPP,
        on=_CPP | Surface.HOST,
    )
    reuse: bool = reuse_option(_CPP)
    spurious: bool = option(
        False, OnOff(), "Let condition variables wake up spuriously.", Panel.CPP, on=_CPP | Surface.HOST
    )
    atomic_methods: str | None = option(
        None,
        OptionType("PATTERN"),
        "Functions that run without preemption, such as 'Stack::*'.",
        Panel.CPP,
        on=_CPP,
        default_text="none",
    )
    outcomes: bool = option(
        False, OnOff(), "Collect the distinct outputs of the program.", Panel.CPP, on=CONFIG | Surface.HOST
    )
    workers: int = option(1, WholeNumber(minimum=1), "Number of processes that share the search.", Panel.CPP, on=CONFIG)

    @property
    def is_cpp(self) -> bool:
        """Whether the program is written in C++ or C."""
        return is_source(self.program)

    @property
    def files(self) -> tuple[str, ...]:
        """The sources of a C++ program: its first source and the sources that follow it directly."""
        return (self.program, *self.words[: self._source_count])

    @property
    def flags(self) -> tuple[str, ...]:
        """The compiler flags of a C++ program."""
        return self.words[self._source_count :]

    @property
    def _source_count(self) -> int:
        return next((number for number, word in enumerate(self.words) if not is_source(word)), len(self.words))
