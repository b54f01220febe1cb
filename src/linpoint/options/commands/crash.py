# SPDX-License-Identifier: Apache-2.0
"""How crashes are to be tested: what the user asks for, and what a file says of itself in comments.

    // linpoint: --spec map --operations 500 -- -Iinclude list.c

Guarantee: as for tests of C++ objects; what the user asks for wins, compiler flags of both are used.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Final

from linpoint.checkers.conditions import validate as validate_condition
from linpoint.crash.crash_host import KINDS, PERSISTENCIES, CrashConfig
from linpoint.crash.crash_oracle import DEFAULT_CONDITION
from linpoint.errors import LinpointError, TestError, UsageError
from linpoint.explore.cpp.objects.asked import (
    CommentParser,
    comments_in,
    flags_from,
    spec_beside,
    whole_number,
    words_of,
)
from linpoint.limits.budget import size
from linpoint.scenarios.scenario import Scenario
from linpoint.targets.compiler_flags import split_flags

DEFAULT_OPERATIONS: Final = 1000
FEW_OPERATIONS: Final = 8
"""Where every crash state is tested."""
DEFAULT_KINDS: Final = ("dl1", "dl2", "c2", "dl3", "recovery")
_MOST_THREADS: Final = 2


@dataclass(frozen=True, slots=True)
class CrashOptions:
    """What is asked for; None where nothing is."""

    spec: str | None = None
    flags: tuple[str, ...] = ()
    """Compiler flags, and further sources."""
    compiler: str | None = None
    operations: int | None = None
    scenario: Scenario | None = None
    """One thread, or two: the second has operations that may run beside those of the first."""
    workload: str | None = None
    """A file."""
    probes: str | None = None
    exhaustive: bool = False
    points_only: bool = False
    tests: tuple[str, ...] | None = None
    persistency: str | None = None
    persistent_heap: bool = False
    pool_size: str | None = None
    condition: str | None = None
    seed: int | None = None
    workers: int | None = None

    def __post_init__(self) -> None:
        if self.persistency is not None and self.persistency not in PERSISTENCIES:
            remedy = f"It is one of {', '.join(PERSISTENCIES)}."
            raise UsageError("LP-U001", f"--persistency {self.persistency!r} is none.", remedy=remedy)
        for kind in self.tests or ():
            if kind not in KINDS:
                remedy = f"They are {', '.join(KINDS)}."
                raise TestError("LP-C003", f"--tests: there is no kind {kind!r}.", remedy=remedy)
        if self.condition is not None:
            validate_condition(self.condition)
        given = [
            name
            for name, is_given in (
                ("--operations", self.operations is not None),
                ("--scenario", self.scenario is not None),
                ("--workload", self.workload is not None),
            )
            if is_given
        ]
        if len(given) > 1:
            raise UsageError("LP-U001", f"{' and '.join(given)} exclude each other.", remedy="Leave all but one out.")
        if self.operations is not None and self.operations < 1:
            raise UsageError("LP-U001", f"--operations {self.operations} is none.", remedy="Give 1 or more.")
        if self.scenario is not None and len(self.scenario.threads) > _MOST_THREADS:
            fact = f"--scenario has {len(self.scenario.threads)} threads, and crashes are tested with one or two."
            raise UsageError("LP-U001", fact, remedy="Leave the others out.")
        size(self.pool_size)

    def over(self, other: CrashOptions) -> CrashOptions:
        """The same, and what ``other`` asks for where nothing is asked for here."""
        given = {each.name: getattr(self, each.name) for each in fields(self)}
        given = {name: value for name, value in given.items() if value is not None and value is not False}
        if given.keys() & {"operations", "scenario", "workload"}:
            other = replace(other, operations=None, scenario=None, workload=None)
        return replace(other, **given | {"flags": (*other.flags, *self.flags)})

    @property
    def sources(self) -> tuple[str, ...]:
        """The sources beside the file of the test."""
        return split_flags(self.flags)[0]

    @property
    def compiler_flags(self) -> tuple[str, ...]:
        """What is not a source."""
        return split_flags(self.flags)[1]

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of crash tests."""
        if self.tests is not None:
            return tuple(kind for kind in KINDS if kind in self.tests or (kind == "exhaustive" and self.exhaustive))
        return tuple(kind for kind in KINDS if kind in DEFAULT_KINDS or (kind == "exhaustive" and self.exhaustive))

    @property
    def length(self) -> int:
        """Operations of a workload that is generated."""
        return self.operations or (FEW_OPERATIONS if "exhaustive" in self.kinds else DEFAULT_OPERATIONS)

    @property
    def judged_by(self) -> str:
        """The condition."""
        return self.condition or DEFAULT_CONDITION

    def manner(self, max_memory: int | None) -> CrashConfig:
        """How hosts are to test."""
        return CrashConfig(
            self.persistency or "adr",
            size(self.pool_size),
            self.persistent_heap,
            self.points_only,
            self.seed or 0,
            self.workers or os.cpu_count() or 1,
            max_memory,
        )


def parse_kinds(text: str | None) -> tuple[str, ...] | None:
    """``--tests dl1,c2``."""
    if text is None:
        return None
    found = tuple(word.strip().lower() for word in text.split(",") if word.strip())
    if not found:
        raise TestError("LP-C003", "--tests names no kind.", remedy=f"They are {', '.join(KINDS)}.")
    return found


def said_in(file: str) -> CrashOptions:
    """What a file asks for in its comments."""
    found = CrashOptions()
    for line, comment in comments_in(file):
        try:
            found = _parsed(comment, Path(file).parent).over(found)
        except LinpointError as error:
            raise error.at(f"{file}:{line}") from None
    return found


def _parsed(comment: str, folder: Path) -> CrashOptions:
    words, flags = words_of(comment)
    given = vars(_parser().parse_args(words))
    before, scenario, kinds = (given.pop(name) for name in ("before", "scenario", "tests"))
    given["scenario"] = None if scenario is None else Scenario.parse(scenario, before)
    given["spec"] = None if given["spec"] is None else spec_beside(given["spec"], folder)
    given["workload"] = None if given["workload"] is None else str(folder / given["workload"])
    return CrashOptions(**given, tests=parse_kinds(kinds), flags=flags_from(flags, folder))


def _parser() -> CommentParser:
    parser = CommentParser(add_help=False, allow_abbrev=False)
    parser.add_argument("-s", "--spec")
    for name in ("--compiler", "--scenario", "--workload", "--probes", "--tests", "--persistency", "--pool-size"):
        parser.add_argument(name)
    parser.add_argument("--condition")
    parser.add_argument("--before", default="")
    for name in ("--operations", "--seed", "--workers"):
        parser.add_argument(name, type=whole_number)
    for name in ("--exhaustive", "--points-only", "--persistent-heap"):
        parser.add_argument(name, action="store_true")
    return parser
