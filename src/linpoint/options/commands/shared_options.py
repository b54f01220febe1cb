# SPDX-License-Identifier: Apache-2.0
"""Options that several commands share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from linpoint.options.choices import BACKENDS, GRANULARITIES, RACES
from linpoint.options.option_types import FilePath, MemorySize, OnOff, OptionType, TimeSpan, Words, choice
from linpoint.options.options_base import Options
from linpoint.options.schema import CONFIG, Panel, Surface, option, passthrough
from linpoint.options.source_arguments import split_flags

DEFAULT_BUDGET: Final = "30s"
"""Of commands that run code."""
CPP_SOURCE: Final = CONFIG | Surface.COMMENT | Surface.TOKEN
"""How a C++ target is built and run: wherever a default can be, in the file itself, and in tokens."""


def granularity_option() -> Any:
    """Where threads of Python code may switch."""
    return option(
        "access",
        choice(GRANULARITIES),
        "Scheduling points: before each shared access, each line or each opcode.",
        Panel.PYTHON,
        on=CONFIG | Surface.TOKEN,
    )


def backend_option() -> Any:
    """How accesses of Python code are observed."""
    return option(
        "auto",
        choice(BACKENDS),
        "How shared accesses are observed: native (in the interpreter's frames), ast (source rewriting) or auto.",
        Panel.PYTHON,
        on=CONFIG | Surface.TOKEN,
    )


def compiler_option(on: Surface) -> Any:
    """The compiler of C++ targets."""
    return option(None, OptionType("NAME"), "C++ compiler.", Panel.CPP, on=on, default_text="$CXX, g++, clang++")


def races_option(on: Surface) -> Any:
    """What happens at a data race of C++ code."""
    help_text = "What a data race does: stop the search, be reported, or be ignored."
    return option("stop", choice(RACES), help_text, Panel.CPP, on=on | Surface.HOST)


def reuse_option(on: Surface) -> Any:
    """Whether C++ code gets freed memory again."""
    return option(False, OnOff(), "Reuse freed memory immediately.", Panel.CPP, on=on | Surface.HOST)


@dataclass(frozen=True, kw_only=True)
class BuildOptions(Options):
    """How a C++ target is built."""

    flags: tuple[str, ...] = passthrough(
        Words(compiler_flags=True),
        "Compiler flags, and more C++ and C sources.",
        on=Surface.TOML | Surface.COMMENT | Surface.TOKEN,
    )
    compiler: str | None = compiler_option(CPP_SOURCE)

    @property
    def sources(self) -> tuple[str, ...]:
        """The sources among the flags."""
        return split_flags(self.flags)[0]

    @property
    def compiler_flags(self) -> tuple[str, ...]:
        """The flags without the sources."""
        return split_flags(self.flags)[1]


@dataclass(frozen=True, kw_only=True)
class LimitOptions(Options):
    """Time and memory of commands that run code."""

    budget: str | None = option(
        DEFAULT_BUDGET,
        TimeSpan(),
        "Time for the whole command, such as 30s or 5m.",
        Panel.LIMITS,
        on=CONFIG | Surface.PYTEST,
    )
    max_memory: str | None = option(
        None, MemorySize(), "Maximum memory, such as 500M or 2G.", Panel.LIMITS, on=CONFIG, shown=False
    )


@dataclass(frozen=True, kw_only=True)
class JsonOutputOptions(Options):
    """The one format that all commands with a verdict have."""

    json: bool = option(
        False, OnOff(), "Print one JSON document to standard output and nothing else.", Panel.OUTPUT, shown=False
    )


@dataclass(frozen=True, kw_only=True)
class OutputOptions(JsonOutputOptions):
    """The formats of an answer."""

    report: str | None = option(
        None,
        FilePath("FILE.html"),
        "Write an HTML page; over several files, tests or models an overview and a page for each.",
        Panel.OUTPUT,
        shown=False,
    )
    junit: str | None = option(
        None,
        FilePath("FILE.xml"),
        "Write JUnit XML: one suite per file, one case per key, test or model.",
        Panel.OUTPUT,
        shown=False,
    )
    github: bool = option(
        False,
        OnOff(),
        "Print annotations for GitHub Actions, at the lines of the files.",
        Panel.OUTPUT,
        on=CONFIG,
        shown=False,
    )
    summary: bool = option(
        False,
        OnOff(),
        "Print one line per file, test or model, and nothing else.",
        Panel.OUTPUT,
        on=CONFIG,
        shown=False,
    )
