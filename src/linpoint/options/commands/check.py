# SPDX-License-Identifier: Apache-2.0
"""Options of ``linpoint check``, and of commands that read histories."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, Final

from linpoint.errors import UsageError
from linpoint.histories.operation import Time
from linpoint.options.choices import CHECKERS, CONDITIONS, FORMAT_NAMES
from linpoint.options.commands.shared_options import LimitOptions, OutputOptions
from linpoint.options.option_types import (
    Choice,
    FilePath,
    JsonText,
    OnOff,
    OptionType,
    SpecName,
    TimeSpan,
    WholeNumber,
    Words,
)
from linpoint.options.options_base import Options
from linpoint.options.schema import CONFIG, Panel, Surface, argument, option

NO_VALUE: Final[Any] = object()
_UNITS: Final = {"ns": 1, "us": 10**3, "ms": 10**6, "s": 10**9}
"""Nanoseconds per unit of time."""
_SPANS: Final = _UNITS | {"m": 60 * 10**9, "min": 60 * 10**9, "h": 3600 * 10**9}
_SPAN: Final = re.compile(r"\s*(\d{1,30}(?:\.\d{1,30})?)\s*([a-z]*)\s*", re.ASCII)


@dataclass(frozen=True, slots=True)
class YesOrNo(OptionType):
    """``yes`` or ``no``."""

    metavar: str = "yes|no"

    @property
    def candidates(self) -> tuple[str, ...]:
        """The two words."""
        return ("yes", "no")

    def check(self, value: Any, name: str) -> str:
        """Accept ``yes`` and ``no`` only."""
        if value not in self.candidates:
            remedy = f"Write {name} yes or {name} no."
            raise UsageError("LP-U001", f"{name} {value!r} is neither yes nor no.", remedy=remedy)
        return str(value)


@dataclass(frozen=True, slots=True)
class ColumnMap(OptionType):
    """A map from the fields of an operation to the columns of a table: ``op=f,call=start``."""

    metavar: str = "MAP"

    def check(self, value: Any, name: str) -> str:
        """Accept a list of ``FIELD=COLUMN`` pairs."""
        for pair in str(value).split(","):
            field, equals, column = pair.partition("=")
            if not equals or not field.strip() or not column.strip():
                remedy = f"Write it as {name} op=f,call=start."
                raise UsageError("LP-U001", f"{name} {value!r} is not a map.", remedy=remedy)
        return str(value)


@dataclass(frozen=True, slots=True)
class ClockSkew(OptionType):
    """A time span, or a number in the unit of the file's times."""

    metavar: str = "TIME"

    def check(self, value: Any, name: str) -> str:
        """Accept a number with or without a unit."""
        match = _SPAN.fullmatch(str(value))
        if match is None or (match[2] and match[2] not in _SPANS):
            raise UsageError(
                "LP-U001",
                f"{name} {value!r} is not a time span.",
                remedy="Write it as 500us, 5ms or 1s, or as a number in the unit of the file's times.",
            )
        return str(value)


@dataclass(frozen=True, slots=True)
class TimeUnit(Choice):
    """A unit of time."""

    names: tuple[str, ...] = tuple(_UNITS)
    metavar: str = "|".join(_UNITS)

    def check(self, value: Any, name: str) -> str:
        """Accept a unit of time."""
        if value not in self.names:
            remedy = f"Use one of: {', '.join(self.names)}."
            raise UsageError("LP-U001", f"{name} {value!r} is not a unit of time.", remedy=remedy)
        return str(value)


@dataclass(frozen=True, kw_only=True)
class ReadingOptions(Options):
    """Options of commands that read histories."""

    keyed: str | None = option(
        None,
        YesOrNo(),
        "Whether each value of an event history is a pair of key and value.",
        Panel.FORMAT,
        on=CONFIG,
        default_text="detected from the values",
    )
    columns: str | None = option(
        None,
        ColumnMap(),
        "Columns of a table, as FIELD=COLUMN pairs: op=f,call=start.",
        Panel.FORMAT,
        on=CONFIG,
        default_text="columns named like the fields",
    )
    format: str | None = option(
        None,
        OptionType("NAME"),
        f"Format of the files: {', '.join(FORMAT_NAMES[:-1])} or {FORMAT_NAMES[-1]}.",
        Panel.FORMAT,
        on=CONFIG,
        default_text="detected from the content",
    )

    @property
    def is_keyed(self) -> bool | None:
        """Whether values are pairs of key and value; None to detect it."""
        return None if self.keyed is None else self.keyed == "yes"

    @property
    def column_map(self) -> dict[str, str] | None:
        """The columns by the fields of an operation; None if the option is not given."""
        if self.columns is None:
            return None
        pairs: Sequence[tuple[str, str, str]] = [pair.partition("=") for pair in self.columns.split(",")]
        return {field.strip(): column.strip() for field, _, column in pairs}

    @property
    def reading(self) -> dict[str, Any]:
        """The keyword arguments for ``linpoint.load``."""
        return {"keyed": self.is_keyed, "columns": self.column_map, "format": self.format}


@dataclass(frozen=True, kw_only=True)
class CheckOptions(ReadingOptions, LimitOptions, OutputOptions):
    """Options of ``linpoint check``."""

    description: ClassVar[str] = """\
Check recorded histories against a spec, and explain each violation.

Exit code: 0 no violation, 1 violation, 2 bad input, 3 unknown. With several files the worst counts, in the order 2, 1,
3, 0.

Examples:
  # Check one history
  linpoint check orders.jsonl --spec queue
  # Give the initial value and a time limit
  linpoint check history.edn --spec cas-register --initial 0 --budget 60s
  # Use a spec of your own
  linpoint check orders.jsonl --spec myspec.py:MySpec
  # Check a log while it grows
  linpoint check events.jsonl --spec queue --follow --until-idle 30s
  # Write reports for a browser and for CI
  linpoint check runs/*.jsonl --spec queue --report runs.html --junit runs.xml --github
"""

    files: tuple[str, ...] = argument("FILE...", Words(), "Files of histories; - reads standard input.", default=())
    spec: str = option(
        None,
        SpecName(),
        "Spec of the object: a built-in (see `linpoint specs`), FILE.py:Name or module:Name; required.",
        Panel.INPUT,
        on=CONFIG | Surface.TOKEN,
        short="-s",
        required=True,
    )
    initial: str | None = option(
        None,
        JsonText(),
        "Initial value of the object. linpoint never guesses it.",
        Panel.INPUT,
        default_text="that of the spec",
    )
    checker: str = option(
        "auto",
        Choice(names=CHECKERS, noun="checker", code="LP-U002"),
        f"Checker: {', '.join(CHECKERS[:-1])} or {CHECKERS[-1]}.",
        Panel.SEARCH,
        on=CONFIG,
    )
    condition: str | None = option(
        None,
        Choice(names=CONDITIONS, noun="condition", code="LP-U003"),
        "Correctness condition: linearizable, strict, recoverable, durable, buffered-durable or sequential.",
        Panel.SEARCH,
        on=CONFIG | Surface.TOKEN,
        default_text="durable if the history has crashes, else linearizable",
    )
    paper_rules: bool = option(
        False,
        OnOff(),
        "With --checker graph: apply the algorithm exactly as published, including its known errors.",
        Panel.SEARCH,
        on=Surface.TOKEN,
    )
    clock_skew: str | None = option(
        None,
        ClockSkew(),
        "Maximum difference between the clocks of processes, such as 5ms; a bare number is in the unit of the file.",
        Panel.INPUT,
        on=CONFIG,
        default_text="no difference",
    )
    time_unit: str = option("ns", TimeUnit(), "Unit of the times in the files.", Panel.FORMAT, on=CONFIG)
    budget: str | None = option(
        None,
        TimeSpan(),
        "Time limit of the whole command, such as 60s or 5m.",
        Panel.LIMITS,
        on=CONFIG,
        shown=False,
        default_text="no limit",
    )
    jobs: int | None = option(
        None,
        WholeNumber(minimum=None),
        "Maximum number of threads.",
        Panel.LIMITS,
        on=CONFIG,
        short="-j",
        shown=False,
        default_text="one per processor",
    )
    follow: bool = option(
        False,
        OnOff(),
        "Check one file while it grows; stop at the first violation.",
        Panel.INPUT,
        short="-f",
        shown=False,
    )
    until_idle: str | None = option(
        None,
        TimeSpan(),
        "With --follow: stop after TIME without a new line.",
        Panel.LIMITS,
        shown=False,
        default_text="never",
    )
    graph: str | None = option(
        None,
        FilePath(),
        "Write the relevant part of the precedence graph of a mwcas or register history, as .svg, .dot or .json.",
        Panel.OUTPUT,
        shown=False,
        default_text="none",
    )

    @property
    def initial_value(self) -> Any:
        """The initial value; ``NO_VALUE`` if none is given."""
        return NO_VALUE if self.initial is None else json.loads(self.initial)

    @property
    def skew(self) -> Time:
        """The clock skew in the unit of the times in the files; 0 if none is given."""
        match = _SPAN.fullmatch(self.clock_skew or "0")
        assert match is not None
        amount = Fraction(match[1]) * (Fraction(_SPANS[match[2]], _UNITS[self.time_unit]) if match[2] else 1)
        return int(amount) if amount.denominator == 1 else float(amount)
