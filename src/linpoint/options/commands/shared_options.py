# SPDX-License-Identifier: Apache-2.0
"""Options shared by several commands."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from linpoint.options.choices import BACKENDS, GRANULARITIES, RACES
from linpoint.options.option_types import FilePath, MemorySize, OnOff, OptionType, TimeSpan, Words, choice
from linpoint.options.options_base import Options
from linpoint.options.schema import CONFIG, Panel, Surface, option, passthrough
from linpoint.options.source_arguments import split_flags

DEFAULT_BUDGET: Final = "30s"
"""The default time limit of commands that run code."""
CPP_SOURCE: Final = CONFIG | Surface.COMMENT | Surface.TOKEN
"""Surfaces of the options that determine how a C++ target is built and run."""
MEMORY_MODEL_HELP: Final = (
    "Memory model. sc: sequential consistency; tso: stores are buffered, as on x86; pso: buffered stores to different "
    "addresses may also be reordered."
)


def granularity_option() -> Any:
    """The option for the points at which threads of Python code may switch."""
    return option(
        "access",
        choice(GRANULARITIES),
        "Points at which threads may switch: before each shared access, each line or each opcode.",
        Panel.PYTHON,
        on=CONFIG | Surface.TOKEN,
    )


def backend_option() -> Any:
    """The option for the way in which shared accesses of Python code are detected."""
    return option(
        "auto",
        choice(BACKENDS),
        "Detection of shared accesses. native: in the interpreter's frames; ast: by rewriting the source; auto: native "
        "where the interpreter supports it, else ast.",
        Panel.PYTHON,
        on=CONFIG | Surface.TOKEN,
    )


def compiler_option(on: Surface) -> Any:
    """The option for the compiler of C++ targets."""
    default = "$CXX, else g++, else clang++"
    return option(None, OptionType("NAME"), "C++ compiler.", Panel.CPP, on=on, default_text=default)


def races_option(on: Surface) -> Any:
    """The option for the reaction to a data race in C++ code."""
    help_text = (
        "On a data race, stop ends the search, report records it and continues, ignore treats plain accesses as "
        "relaxed atomic ones."
    )
    return option("stop", choice(RACES), help_text, Panel.CPP, on=on | Surface.HOST)


def reuse_option(on: Surface) -> Any:
    """The option for the immediate reuse of freed memory in C++ code."""
    help_text = "Reuse freed memory immediately, to find ABA bugs. Without it, linpoint looks for use after free."
    return option(False, OnOff(), help_text, Panel.CPP, on=on | Surface.HOST)


@dataclass(frozen=True, kw_only=True)
class BuildOptions(Options):
    """Options of commands that build a C++ target."""

    flags: tuple[str, ...] = passthrough(
        Words(compiler_flags=True),
        "Compiler flags, and further C++ and C sources (default: none).",
        on=Surface.TOML | Surface.COMMENT | Surface.TOKEN,
    )
    compiler: str | None = compiler_option(CPP_SOURCE)

    @property
    def sources(self) -> tuple[str, ...]:
        """The C++ and C sources among the words after ``--``."""
        return split_flags(self.flags)[0]

    @property
    def compiler_flags(self) -> tuple[str, ...]:
        """The words after ``--`` without the sources."""
        return split_flags(self.flags)[1]


@dataclass(frozen=True, kw_only=True)
class LimitOptions(Options):
    """Limits of time and memory for commands that run code."""

    budget: str | None = option(
        DEFAULT_BUDGET,
        TimeSpan(),
        "Time limit of the whole command, such as 30s or 5m.",
        Panel.LIMITS,
        on=CONFIG | Surface.PYTEST,
    )
    max_memory: str | None = option(
        None,
        MemorySize(),
        "Memory limit, such as 500M or 2G.",
        Panel.LIMITS,
        on=CONFIG,
        shown=False,
        default_text="no limit",
    )


@dataclass(frozen=True, kw_only=True)
class JsonOutputOptions(Options):
    """The output option of every command that gives a verdict."""

    json: bool = option(
        False, OnOff(), "Print one JSON document to standard output and nothing else.", Panel.OUTPUT, shown=False
    )


@dataclass(frozen=True, kw_only=True)
class OutputOptions(JsonOutputOptions):
    """Output options of commands that check several targets."""

    report: str | None = option(
        None,
        FilePath("FILE.html"),
        "Write an HTML report. For several files, tests or models: an overview and a page for each.",
        Panel.OUTPUT,
        shown=False,
        default_text="none",
    )
    junit: str | None = option(
        None,
        FilePath("FILE.xml"),
        "Write JUnit XML: a suite for each file, with a case for each key, test or model.",
        Panel.OUTPUT,
        shown=False,
        default_text="none",
    )
    github: bool = option(
        False,
        OnOff(),
        "Print GitHub Actions annotations at the lines of the files.",
        Panel.OUTPUT,
        on=CONFIG,
        shown=False,
    )
    summary: bool = option(
        False,
        OnOff(),
        "Print only one line per file, test or model.",
        Panel.OUTPUT,
        on=CONFIG,
        shown=False,
    )
