# SPDX-License-Identifier: Apache-2.0
"""Each option is declared once, as a field of a frozen dataclass with its type, default, help and surfaces.

    class RefineOptions(Options):
        heap: str = option("gc", choice(("gc", "free", "counted")), "Memory management of nodes.", Panel.SEARCH)

Everything else is derived from these fields: the command line and its help, comments in C++ files, ``pyproject.toml``,
environment variables, options of pytest, replay tokens and the arguments of the C++ host.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from enum import Enum, Flag, auto
from typing import Any, Final

from linpoint.options.option_types import OptionType

_METADATA_KEY: Final = "linpoint.option"


class Surface(Flag):
    """A place where an option can be given, or to which it is passed on."""

    TOML = auto()
    """``[tool.linpoint]`` of pyproject.toml."""
    ENVIRONMENT = auto()
    """A variable such as ``LINPOINT_BUDGET``."""
    COMMENT = auto()
    """``// linpoint: ...`` in a C++ file."""
    COMMAND_LINE = auto()
    """The arguments of ``linpoint COMMAND``."""
    PYTEST = auto()
    """Options of pytest such as ``--linpoint-budget``."""
    CODE = auto()
    """An ``Options`` object that a caller constructs."""
    TOKEN = auto()
    """Replay tokens."""
    HOST = auto()
    """The command line of the C++ host. linpoint writes it and never reads it."""
    ARGV = auto()
    """The command line that linpoint prints so that the user can repeat the run."""


CONFIG: Final = Surface.TOML | Surface.ENVIRONMENT
"""Defaults of a project or a machine. They are ignored where they do not apply."""


_NOWHERE: Final = Surface(0)


class Panel(Enum):
    """Groups of options, in the order of declaration."""

    INPUT = "input"
    FORMAT = "file format"
    SEARCH = "search"
    PYTHON = "Python"
    """Options for Python targets only."""
    CPP = "C++"
    """Options for C++ targets only."""
    STRESS = "stress tests"
    CRASH = "crash tests"
    LIMITS = "limits"
    OUTPUT = "output"


HEADINGS: Final = {
    "Input": (Panel.INPUT, Panel.FORMAT),
    "Search": (Panel.SEARCH, Panel.STRESS, Panel.CRASH),
    "Limits": (Panel.LIMITS,),
    "Output": (Panel.OUTPUT,),
    "Python": (Panel.PYTHON,),
    "C++": (Panel.CPP,),
}
"""The headings of a command's help, in the order in which they are printed, with the panels beneath each."""


@dataclass(frozen=True, slots=True)
class Option:
    """The declaration of one option."""

    name: str
    default: Any
    type: OptionType
    help: str
    panel: Panel
    surfaces: Surface
    flag: str
    """``--memory-model``, or the metavar of a positional argument."""
    short: str = ""
    """The one-letter form, such as ``-s``; empty if there is none."""
    positional: bool = False
    required: bool = False
    passthrough: bool = False
    """Whether the option takes the words after ``--``."""
    concatenated: bool = False
    """Whether the values of several layers are joined. Otherwise the highest layer replaces the others."""
    group: str = ""
    """The group of the option: a layer that gives one field of a group replaces all fields of that group."""
    default_text: str = ""
    """A description of the default, where the value does not show it."""

    @property
    def key(self) -> str:
        """The name in pyproject.toml: ``memory-model``."""
        return self.flag.removeprefix("--") if self.flag.startswith("--") else self.name.replace("_", "-")

    @property
    def variable(self) -> str:
        """The environment variable: ``LINPOINT_MEMORY_MODEL``."""
        return "LINPOINT_" + self.key.replace("-", "_").upper()

    @property
    def help_text(self) -> str:
        """The help, with the default of an option that takes a value."""
        default = f"default: {self.default_text}" if self.default_text else ""
        shown = self.type.takes_value and not self.positional and self.default not in (None, "", (), {})
        if shown and not default:
            default = f"default {' '.join(self.type.words(self.default))}"
        return f"{self.help.rstrip('.')} ({default})." if default else self.help


def option(
    default: Any,
    kind: OptionType,
    help: str,  # noqa: A002 - the usual name
    panel: Panel,
    *,
    on: Surface = _NOWHERE,
    shown: bool = True,
    flag: str = "",
    short: str = "",
    required: bool = False,
    concatenated: bool = False,
    group: str = "",
    default_text: str = "",
) -> Any:
    """Declare a field as an option of the command line and of the surfaces ``on``; ``shown`` adds ``ARGV``."""
    surfaces = on | Surface.COMMAND_LINE | Surface.CODE | (Surface.ARGV if shown else _NOWHERE)
    declared = Option(
        "", default, kind, help, panel, surfaces, flag, short,
        required=required, concatenated=concatenated, group=group, default_text=default_text,
    )  # fmt: skip
    return dataclasses.field(default=default, metadata={_METADATA_KEY: declared})


def argument(metavar: str, kind: OptionType, help: str, *, default: Any = None, required: bool = True) -> Any:  # noqa: A002 - as above
    """Declare a field as a positional argument of the command line."""
    surfaces = Surface.COMMAND_LINE | Surface.CODE
    declared = Option("", default, kind, help, Panel.INPUT, surfaces, metavar, positional=True, required=required)
    return dataclasses.field(default=default, metadata={_METADATA_KEY: declared})


def passthrough(kind: OptionType, help: str, *, on: Surface, panel: Panel = Panel.CPP) -> Any:  # noqa: A002 - as above
    """Declare a field that takes the words after ``--``. The words of several layers are joined."""
    surfaces = on | Surface.COMMAND_LINE | Surface.CODE
    declared = Option("", (), kind, help, panel, surfaces, "--", passthrough=True, concatenated=True)
    return dataclasses.field(default=(), metadata={_METADATA_KEY: declared})


def declared_options(options_class: Any) -> dict[str, Option]:
    """The options of a class by field name: positional arguments first, then the panels in their order."""
    found = []
    for field in dataclasses.fields(options_class):
        declared = field.metadata.get(_METADATA_KEY)
        if declared is not None:
            flag = declared.flag or f"--{field.name.replace('_', '-')}"
            found.append(dataclasses.replace(declared, name=field.name, flag=flag))
    panels = list(Panel)
    found.sort(key=lambda each: (not each.positional, panels.index(each.panel)))
    return {each.name: each for each in found}
