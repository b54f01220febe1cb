# SPDX-License-Identifier: Apache-2.0
"""The command line of the C++ host, ``host TARGET.so [options] -- [argv of the program]``, as declared values.

The options on ``Surface.HOST`` come from the user; the others pass only between the two processes. The C++ side has the
same table, which ``tools/generate_protocol.py`` generates from ``host_arguments()``.

Guarantee: ``host_words`` writes declared options only, each by the type of its declaration.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Any, Final

from linpoint.options.commands.crash import CrashOptions
from linpoint.options.commands.explore import ExploreOptions
from linpoint.options.commands.test import TestOptions
from linpoint.options.option_types import Choice, MemorySize, OnOff, OptionType, WholeNumber
from linpoint.options.schema import Option, Surface


class HostValue(Enum):
    """The ways to write the value of an option on the host's command line."""

    FLAG = "flag"
    """No value: the option alone."""
    CHOICE = "choice"
    INTEGER = "integer"
    DESCRIPTOR = "descriptor"
    """The descriptor of an open file that the host inherits; -1 for none."""
    BYTES = "bytes"
    SECONDS = "seconds"
    TEXT = "text"
    RANGES = "ranges"
    """Ranges of addresses: ``16-32,64-80``."""


@dataclass(frozen=True, slots=True)
class HostArgument:
    """One option of the host."""

    name: str
    """The name as an identifier: ``memory_model``."""
    value: HostValue
    default: Any = None
    """The default; None if the host has no default or a default of its own."""
    choices: tuple[str, ...] = ()
    help: str = ""

    @property
    def flag(self) -> str:
        """The name on the command line: ``--memory-model``."""
        return f"--{self.name.replace('_', '-')}"


_INTERNAL: Final = (
    HostArgument(
        "search", HostValue.TEXT, "dpor", help="Search: dpor, bounded:N, random:N, pos:N, pct:D:N, replay:..."
    ),
    HostArgument("seconds", HostValue.SECONDS, 0.0, help="Time limit of the search; 0 for none."),
    HostArgument("max_steps", HostValue.INTEGER, 100_000, help="Steps after which a run is given up."),
    HostArgument("max_memory", HostValue.BYTES, help="Memory that the target may allocate."),
    HostArgument("trace", HostValue.FLAG, False, help="Send the steps of the run."),
    HostArgument("os_threads", HostValue.FLAG, False, help="Run threads of the target on threads of the system."),
    HostArgument("atomic_operations", HostValue.FLAG, False, help="Run each operation without preemption."),
    HostArgument("atomic", HostValue.RANGES, (), help="Code that runs without preemption."),
    HostArgument("fences", HostValue.TEXT, help="Places of additional fences."),
    HostArgument("share", HostValue.DESCRIPTOR, -1, help="Descriptor of the memory that workers share."),
    HostArgument("workers", HostValue.INTEGER, 1, help="Number of hosts that share the work."),
    HostArgument("results", HostValue.DESCRIPTOR, 1, help="Descriptor of the messages."),
    HostArgument("scenarios", HostValue.DESCRIPTOR, -1, help="Descriptor of the scenarios."),
    HostArgument("crash", HostValue.TEXT, help="Crash tests to run."),
    HostArgument("answers", HostValue.DESCRIPTOR, -1, help="Descriptor of the answers to questions."),
    HostArgument("shard", HostValue.TEXT, "0/1", help="Part of the crash tests: 1/4 is the second of four."),
    HostArgument("images", HostValue.TEXT, help="Directory for images of tested crash states."),
    HostArgument("every", HostValue.INTEGER, 1, help="Write every N-th image."),
    HostArgument("fuel", HostValue.INTEGER, 0, help="Hooks until a run counts as endless."),
)
_KINDS: Final[dict[type[OptionType], HostValue]] = {
    OnOff: HostValue.FLAG,
    Choice: HostValue.CHOICE,
    WholeNumber: HostValue.INTEGER,
    MemorySize: HostValue.BYTES,
}


def host_arguments() -> dict[str, HostArgument]:
    """All options of the host by name, those from users first."""
    found: dict[str, HostArgument] = {}
    for options_class in (TestOptions, ExploreOptions, CrashOptions):
        for name, each in options_class.declared().items():
            if Surface.HOST in each.surfaces:
                found.setdefault(name, _of_user(each))
    return found | {each.name: each for each in _INTERNAL}


def _of_user(option: Option) -> HostArgument:
    choices = option.type.candidates
    return HostArgument(option.name, _KINDS[type(option.type)], option.default, choices, option.help)


def host_words(**values: Any) -> list[str]:
    """The words for values by name. A flag that is off, None and an empty value give no words."""
    known = host_arguments()
    words: list[str] = []
    for name, value in values.items():
        if value is None or value is False or (isinstance(value, (str, tuple)) and not value):
            continue
        argument = known[name]
        words.append(argument.flag)
        if argument.value is not HostValue.FLAG:
            words.append(_text(argument.value, value))
    return words


def _text(kind: HostValue, value: Any) -> str:
    if kind is HostValue.RANGES:
        return ",".join(f"{begin}-{end}" for begin, end in value)
    return f"{value:.3f}" if kind is HostValue.SECONDS else str(value)
