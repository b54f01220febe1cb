# SPDX-License-Identifier: Apache-2.0
"""Finds the functions of a program that run atomically, by a pattern for their names."""

from __future__ import annotations

import re
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Final

from linpoint.errors import UsageError
from linpoint.hosts.address_symbols import functions

_NOT_OWN: Final = re.compile(r"^_|std::|__gnu|\blinpoint::|\{lambda|::\$_|^atexit$")
_MAX_NAMED: Final = 12
"""The maximum number of functions that the error lists if the pattern matches none."""


def atomic_ranges(library: Path, pattern: str | None) -> tuple[tuple[int, int], ...]:
    """The address ranges of the functions that match the pattern; it may omit namespaces."""
    if pattern is None:
        return ()
    known = functions(library)
    found = [each for each in known if fnmatchcase(each.name, pattern) or fnmatchcase(each.name, f"*::{pattern}")]
    if not found:
        own = (each.name for each in known if not _NOT_OWN.search(each.name))
        few = ", ".join(list(dict.fromkeys(own))[:_MAX_NAMED])
        message = f"--atomic-methods {pattern!r} matches no function of the program."
        raise UsageError("LP-U001", message, remedy=f"Use a function of the program, such as {few}.")
    return tuple((each.begin, each.end) for each in found)
