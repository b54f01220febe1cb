# SPDX-License-Identifier: Apache-2.0
"""One declaration per option: a field of a frozen dataclass with its type, default, help and surfaces.

    class RefineOptions(Options):
        heap: str = option("gc", Choice("gc", "free", "counted"), "Memory management of nodes.", Panel.SEARCH)

Everything else that knows about options is derived from these fields: the command line and its help, comments in C++
files, ``pyproject.toml``, environment variables, options of pytest, replay tokens and the arguments of the C++ host.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from enum import Enum, Flag, auto
from typing import Any, Final

from linpoint.options.option_types import OptionType

_METADATA_KEY: Final = "linpoint.option"


class Surface(Flag):
    """Where an option can be given, or to whom it is passed on."""

    TOML = auto()
    """``[tool.linpoint]`` of pyproject.toml."""
    ENVIRONMENT = auto()
    """A variable such as ``LINPOINT_BUDGET``."""
    COMMENT = auto()
    """``// linpoint: ...`` in a C++ file."""
    COMMAND_LINE = auto()
    PYTEST = auto()
    """``--linpoint-budget`` and the like."""
    CODE = auto()
    """An ``Options`` object that a caller makes."""
    TOKEN = auto()
    """Replay tokens."""
    HOST = auto()
    """The command line of the C++ host, which is only written."""
    ARGV = auto()
    """The command that is shown to users, to run the same again."""


CONFIG: Final = Surface.TOML | Surface.ENVIRONMENT
"""Defaults of a project or a machine: ignored where they do not apply."""


_NOWHERE: Final = Surface(0)


class Panel(Enum):
    """Groups of the help text, in the order in which they are shown."""

    INPUT = "Input"
    FORMAT = "File format"
    SEARCH = "Search"
    PYTHON = "Python targets"
    CPP = "C++ targets"
    STRESS = "Stress tests"
    CRASH = "Crash tests"
    LIMITS = "Limits"
    OUTPUT = "Output"


@dataclass(frozen=True, slots=True)
class Option:
    """What the field declares."""

    name: str
    default: Any
    type: OptionType
    help: str
    panel: Panel
    surfaces: Surface
    flag: str
    """``--memory-model``; the metavar of a positional argument."""
    short: str = ""
    positional: bool = False
    required: bool = False
    passthrough: bool = False
    """Takes the words after ``--``."""
    concatenated: bool = False
    """Values of several layers are joined; otherwise the highest layer replaces the others."""
    group: str = ""
    """A layer that gives one field of a group replaces all fields of that group."""
    default_text: str = ""
    """The default in words where the value does not show it."""

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
        """The help with the default."""
        default = f"default: {self.default_text}" if self.default_text else ""
        if not default and not self.positional and self.default not in (None, False, "", (), {}):
            default = f"default {' '.join(self.type.words(self.default))}"
        text = self.help.rstrip(".")
        if not default:
            return self.help
        return f"{text[:-1]}; {default})." if text.endswith(")") else f"{text} ({default})."


def option(
    default: Any,
    kind: OptionType,
    help: str,  # noqa: A002 - the word for it
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
    """A field that is an option of the command line, and of the surfaces ``on``; ``shown`` puts it on ``ARGV``."""
    surfaces = on | Surface.COMMAND_LINE | Surface.CODE | (Surface.ARGV if shown else _NOWHERE)
    declared = Option(
        "", default, kind, help, panel, surfaces, flag, short,
        required=required, concatenated=concatenated, group=group, default_text=default_text,
    )  # fmt: skip
    return dataclasses.field(default=default, metadata={_METADATA_KEY: declared})


def argument(metavar: str, kind: OptionType, help: str, *, default: Any = None, required: bool = True) -> Any:  # noqa: A002 - as above
    """A field that is a positional argument of the command line."""
    surfaces = Surface.COMMAND_LINE | Surface.CODE
    declared = Option("", default, kind, help, Panel.INPUT, surfaces, metavar, positional=True, required=required)
    return dataclasses.field(default=default, metadata={_METADATA_KEY: declared})


def passthrough(kind: OptionType, help: str, *, on: Surface, panel: Panel = Panel.CPP) -> Any:  # noqa: A002 - as above
    """A field that takes the words after ``--``; those of several layers are joined."""
    surfaces = on | Surface.COMMAND_LINE | Surface.CODE
    declared = Option("", (), kind, help, panel, surfaces, "--", passthrough=True, concatenated=True)
    return dataclasses.field(default=(), metadata={_METADATA_KEY: declared})


def declared_options(options_class: Any) -> dict[str, Option]:
    """The options of a class by field name: arguments first, then panel by panel in the order of their declaration."""
    found = []
    for field in dataclasses.fields(options_class):
        declared = field.metadata.get(_METADATA_KEY)
        if declared is not None:
            flag = declared.flag or f"--{field.name.replace('_', '-')}"
            found.append(dataclasses.replace(declared, name=field.name, flag=flag))
    panels = list(Panel)
    found.sort(key=lambda each: (not each.positional, panels.index(each.panel)))
    return {each.name: each for each in found}
