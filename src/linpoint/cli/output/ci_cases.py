# SPDX-License-Identifier: Apache-2.0
"""What CI systems are told: a suite for each file, a case for each key of a history or each test of an object.

JUnit XML and annotations are both made of these, whichever command it was.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class CiNote:
    """What is shown beside a line of a file."""

    level: str
    """``error`` or ``warning``."""
    title: str
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CiCase:
    """One key or one test: what is wrong with it, if anything is."""

    name: str
    seconds: float = 0.0
    file: str = ""
    """Where to look, if not in the file of the suite."""
    line: int | None = None
    wrong: str = ""
    """``failure`` or ``error``; empty for what is known to be right."""
    kind: str = ""
    message: str = ""
    text: str = ""
    replay: Sequence[str] = ()
    note: CiNote | None = None
    foremost: bool = False
    """Its note comes before those of the others of its suite."""


@dataclass(frozen=True, slots=True)
class CiSuite:
    """All cases of one file."""

    file: str
    classname: str
    cases: Sequence[CiCase]
    unit: str
    """What a case is: ``key`` or ``test``."""
    properties: Mapping[str, str] = field(default_factory=dict)
    warnings: Sequence[str] = ()
