# SPDX-License-Identifier: Apache-2.0
"""Types of options: how a value is read from text, TOML or JSON, validated, and written as words again.

Guarantee: a value that is not allowed is a coded error. It names the option as the surface calls it (``name``), shows
the value and proposes the nearest allowed one. Nothing is evaluated, and no file is opened.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Final

from linpoint.errors import LinpointError, UsageError
from linpoint.limits.budget import seconds, size
from linpoint.options.nearest_name import did_you_mean
from linpoint.options.source_arguments import flags_in_directory, spec_in_directory
from linpoint.scenarios.scenario import Scenario
from linpoint.text.phrases import join_words

_MAX_DIGITS: Final = 18
_TRUE: Final = ("1", "true", "yes", "on")
_FALSE: Final = ("0", "false", "no", "off")


@dataclass(frozen=True, slots=True)
class OptionType:
    """Any text. Subclasses override what differs."""

    metavar: str = "TEXT"
    takes_value: ClassVar[bool] = True
    """False for flags, which take no value on a command line."""
    many: ClassVar[bool] = False
    """Whether the option may be repeated on a command line."""

    @property
    def candidates(self) -> tuple[str, ...]:
        """All allowed values, where they can be listed."""
        return ()

    def parse(self, text: str, name: str) -> Any:
        """Read a value from a text."""
        return self.check(text, name)

    def parse_all(self, texts: Sequence[str], name: str) -> Any:
        """Read the value of an option that one command line gives once or more; the last one wins."""
        return self.parse(texts[-1], name)

    def read(self, value: Any, name: str) -> Any:
        """Read a value from TOML or JSON."""
        return self.parse(value, name) if isinstance(value, str) else self.check(value, name)

    def check(self, value: Any, name: str) -> Any:
        """Return the value if it is allowed."""
        if not isinstance(value, str):
            raise _wrong(name, value, "a text", "Write it in quotes.")
        return value

    def words(self, value: Any) -> list[str]:
        """The words that give this value on a command line."""
        return [str(value)]

    def to_json(self, value: Any) -> Any:
        """The value as it is stored in a replay token."""
        return list(value) if isinstance(value, tuple) else value

    def in_directory(self, value: Any, directory: Path) -> Any:
        """The value, with paths relative to ``directory`` converted to paths relative to the working directory."""
        del directory
        return value


def _wrong(name: str, value: Any, wanted: str, remedy: str) -> UsageError:
    return UsageError("LP-U001", f"{name} {value!r} is not {wanted}.", remedy=remedy)


@dataclass(frozen=True, slots=True)
class OnOff(OptionType):
    """A flag, which is given or not."""

    metavar: str = ""
    takes_value: ClassVar[bool] = False

    def parse(self, text: str, name: str) -> bool:
        """Read the value of an environment variable."""
        if text.strip().lower() not in (*_TRUE, *_FALSE):
            raise _wrong(name, text, "true or false", "Write true or false.")
        return text.strip().lower() in _TRUE

    def check(self, value: Any, name: str) -> bool:
        """Accept true and false only."""
        if not isinstance(value, bool):
            raise _wrong(name, value, "true or false", "Write true or false.")
        return value

    def words(self, value: Any) -> list[str]:
        """No words, since a flag has no value."""
        del value
        return []


@dataclass(frozen=True, slots=True)
class Choice(OptionType):
    """One of several names. ``noun`` and ``code`` serve options whose mistakes have an error code of their own."""

    names: tuple[str, ...] = ()
    metavar: str = "NAME"
    noun: str = ""
    code: str = "LP-U001"

    @property
    def candidates(self) -> tuple[str, ...]:
        """The allowed names."""
        return self.names

    def check(self, value: Any, name: str) -> str:
        """Accept one of the names."""
        if not isinstance(value, str) or value not in self.names:
            fact = f'unknown {self.noun} "{value}".' if self.noun else f"{name} {value!r} is not allowed."
            hint = did_you_mean(str(value), self.names)
            raise UsageError(self.code, fact, remedy=f"{hint}Use {join_words(self.names, 'or')}.")
        return value


def choice(names: Iterable[str], **more: Any) -> Choice:
    """Construct the type of an option that takes one of the names."""
    return Choice(names=tuple(names), **more)


@dataclass(frozen=True, slots=True)
class Choices(OptionType):
    """Several of the names, as a tuple. In a text they are separated by commas, in any case."""

    names: tuple[str, ...] = ()
    metavar: str = "NAMES"
    noun: str = "name"
    error: type[LinpointError] = UsageError
    code: str = "LP-U001"
    many: ClassVar[bool] = True

    @property
    def candidates(self) -> tuple[str, ...]:
        """The allowed names."""
        return self.names

    def parse(self, text: str, name: str) -> tuple[str, ...]:
        """Read the names in a text."""
        found = tuple(word.strip().lower() for word in text.split(",") if word.strip())
        if not found:
            remedy = f"Use one or more of: {', '.join(self.names)}."
            raise self.error(self.code, f"{name} names no {self.noun}.", remedy=remedy)
        return self.check(found, name)

    def parse_all(self, texts: Sequence[str], name: str) -> tuple[str, ...]:
        """Read the names in all texts."""
        return tuple(word for text in texts for word in self.parse(text, name))

    def check(self, value: Any, name: str) -> tuple[str, ...]:
        """Accept a sequence of the names."""
        if not isinstance(value, (list, tuple, frozenset)):
            raise _wrong(name, value, f"a list of {self.noun}s", f"Use one or more of: {', '.join(self.names)}.")
        for each in value:
            if each not in self.names:
                remedy = f"{did_you_mean(str(each), self.names)}Use one or more of: {', '.join(self.names)}."
                raise self.error(self.code, f"{name}: unknown {self.noun} {each!r}.", remedy=remedy)
        return tuple(value)

    def words(self, value: Any) -> list[str]:
        """One word: the names, joined by commas."""
        return [",".join(value)]


@dataclass(frozen=True, slots=True)
class WholeNumber(OptionType):
    """A whole number within bounds."""

    metavar: str = "N"
    minimum: int | None = 0

    def parse(self, text: str, name: str) -> int:
        """Read a whole number from a text."""
        sign, digits = ("-", text.strip()[1:]) if text.strip().startswith("-") else ("", text.strip())
        if not (digits.isascii() and digits.isdigit()) or len(digits) > _MAX_DIGITS:
            raise _wrong(name, text, "a whole number", self._remedy)
        return self.check(int(sign + digits), name, shown=text)

    def check(self, value: Any, name: str, *, shown: Any = None) -> int:
        """Accept a whole number within the bounds."""
        if isinstance(value, bool) or not isinstance(value, int):
            raise _wrong(name, value, "a whole number", self._remedy)
        if self.minimum is not None and value < self.minimum:
            given = value if shown is None else shown
            kind = "a whole number" if self.minimum == 0 else f"a whole number of at least {self.minimum}"
            raise _wrong(name, given, kind, self._remedy)
        return value

    @property
    def _remedy(self) -> str:
        return "Use a whole number." if self.minimum is None else f"Use {self.minimum} or more."


@dataclass(frozen=True, slots=True)
class TimeSpan(OptionType):
    """A time span as text, such as ``30s``; a bare number means seconds."""

    metavar: str = "TIME"

    def check(self, value: Any, name: str) -> Any:
        """Accept a positive time span."""
        if isinstance(value, bool) or not isinstance(value, (str, int, float)):
            raise _wrong(name, value, "a time span", "Write it as 500ms, 60s, 5m or 1h.")
        seconds(value)
        return value


@dataclass(frozen=True, slots=True)
class MemorySize(OptionType):
    """A number of bytes as text, such as ``500M``."""

    metavar: str = "SIZE"

    def check(self, value: Any, name: str) -> Any:
        """Accept a positive size."""
        if isinstance(value, bool) or not isinstance(value, (str, int)):
            raise _wrong(name, value, "a size", "Write it as 500M or 2G.")
        size(value)
        return value


@dataclass(frozen=True, slots=True)
class FilePath(OptionType):
    """The path of a file."""

    metavar: str = "FILE"

    def in_directory(self, value: Any, directory: Path) -> str:
        """The path relative to the working directory."""
        return str(directory / value)


@dataclass(frozen=True, slots=True)
class SpecName(OptionType):
    """A built-in spec, ``FILE.py:Name`` or ``module:Name``."""

    metavar: str = "SPEC"

    def in_directory(self, value: Any, directory: Path) -> str:
        """The name, with the path of its file relative to the working directory."""
        return spec_in_directory(value, directory)


@dataclass(frozen=True, slots=True)
class ScenarioText(OptionType):
    """A scenario: operations separated by ``;``, threads by ``|``."""

    def check(self, value: Any, name: str) -> str:
        """Accept a text that is a scenario."""
        if not isinstance(value, str):
            raise _wrong(name, value, "a scenario", 'Write it as "push(1); pop() | push(2)".')
        Scenario.parse(value)
        return value


@dataclass(frozen=True, slots=True)
class CallsText(OptionType):
    """Operations of one thread, separated by ``;``."""

    def check(self, value: Any, name: str) -> str:
        """Accept a text."""
        if not isinstance(value, str):
            raise _wrong(name, value, "a list of operations", 'Write it as "push(1); pop()".')
        return value


@dataclass(frozen=True, slots=True)
class JsonText(OptionType):
    """A JSON value, as text."""

    metavar: str = "JSON"

    def check(self, value: Any, name: str) -> str:
        """Accept a text that is JSON."""
        try:
            json.loads(value)
        except (ValueError, RecursionError, TypeError):
            raise _wrong(name, value, "JSON", f"Strings need quotes: {name} '\"a\"'.") from None
        assert isinstance(value, str)
        return value


@dataclass(frozen=True, slots=True)
class Words(OptionType):
    """Any number of words: positional arguments, or compiler flags and sources after ``--``."""

    metavar: str = "WORD"
    many: ClassVar[bool] = True
    compiler_flags: bool = False

    def parse(self, text: str, name: str) -> tuple[str, ...]:
        """Read a text as a single word."""
        return self.check((text,), name)

    def parse_all(self, texts: Sequence[str], name: str) -> tuple[str, ...]:
        """Read all texts as words."""
        return self.check(tuple(texts), name)

    def check(self, value: Any, name: str) -> tuple[str, ...]:
        """Accept a sequence of texts."""
        if not isinstance(value, (list, tuple)) or not all(isinstance(each, str) for each in value):
            raise _wrong(name, value, "a list of texts", 'Write it as ["one", "two"].')
        return tuple(value)

    def words(self, value: Any) -> list[str]:
        """The words themselves."""
        return list(value)

    def in_directory(self, value: Any, directory: Path) -> tuple[str, ...]:
        """The words, with paths in compiler flags relative to the working directory."""
        return flags_in_directory(value, directory) if self.compiler_flags else tuple(value)
