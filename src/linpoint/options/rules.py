# SPDX-License-Identifier: Apache-2.0
"""Rules over several options of a command, declared on its options class.

Rules apply only to options that are given for the particular run (``layers.EXPLICIT``). A default of the project that
does not apply is ignored.
"""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Any, Protocol

from linpoint.errors import UsageError
from linpoint.options.schema import Option


@dataclass(frozen=True, slots=True)
class GivenOptions:
    """The options of a run, as rules see them."""

    options: Mapping[str, Option]
    values: Mapping[str, Any]
    explicit: AbstractSet[str]

    def is_set(self, name: str) -> bool:
        """Whether the option is explicitly given a value other than its default."""
        return name in self.explicit and self.has_value(name)

    def has_value(self, name: str) -> bool:
        """Whether any layer gives the option a value other than its default."""
        return bool(self.values[name] != self.options[name].default)

    def flags(self, names: tuple[str, ...]) -> str:
        """The names as on a command line."""
        return " and ".join(self.options[name].flag for name in names)


class Rule(Protocol):
    """A condition over several options."""

    def check(self, given: GivenOptions) -> None:
        """Raise LP-U001 unless the rule holds."""


@dataclass(frozen=True, slots=True)
class Requires:
    """These options require another one."""

    names: tuple[str, ...]
    needed: str
    remedy: str = ""

    def check(self, given: GivenOptions) -> None:
        """Reject them without the required option."""
        if any(map(given.is_set, self.names)) and not given.has_value(self.needed):
            flag = given.options[self.needed].flag
            verb = "require" if len(self.names) > 1 else "requires"
            remedy = self.remedy or f"Add {flag}."
            raise UsageError("LP-U001", f"{given.flags(self.names)} {verb} {flag}.", remedy=remedy)


@dataclass(frozen=True, slots=True)
class Conflicts:
    """An option that conflicts with each of the others."""

    name: str
    others: tuple[str, ...]
    remedy: str = "Omit one of them."

    def check(self, given: GivenOptions) -> None:
        """Reject the combination."""
        for other in self.others if given.is_set(self.name) else ():
            if given.is_set(other):
                flags = (given.options[each].flag for each in (other, self.name))
                raise UsageError("LP-U001", f"{' cannot be combined with '.join(flags)}.", remedy=self.remedy)


@dataclass(frozen=True, slots=True)
class Exclusive:
    """At most one of these options may be given."""

    names: tuple[str, ...]

    def check(self, given: GivenOptions) -> None:
        """Reject several of them."""
        found = tuple(filter(given.is_set, self.names))
        if len(found) > 1:
            raise UsageError("LP-U001", f"{given.flags(found)} exclude each other.", remedy="Omit all but one.")


@dataclass(frozen=True, slots=True)
class OnlyFor:
    """Options for targets of one language: ``cpp`` or ``python``. They are checked once the target is known."""

    language: str
    names: tuple[str, ...]
    targets: str
    """The targets in the message, as in "--races is for C++ programs"."""

    def check(self, given: GivenOptions) -> None:
        """Do nothing, since the language is not known yet."""

    def check_language(self, given: GivenOptions, language: str) -> None:
        """Reject these options for a target in another language."""
        for name in self.names if language != self.language else ():
            if name in given.explicit:
                flag = given.options[name].flag
                raise UsageError("LP-U001", f"{flag} is for {self.targets}.", remedy=f"Omit {flag}.")
