# SPDX-License-Identifier: Apache-2.0
"""Options of ``linpoint check``, and of reading histories."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, Final

from linpoint.errors import UsageError
from linpoint.histories.operation import Time
from linpoint.options.choices import CHECKERS, CONDITIONS
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
"""Nanoseconds in a unit of a file's times."""
_SPANS: Final = _UNITS | {"m": 60 * 10**9, "min": 60 * 10**9, "h": 3600 * 10**9}
_SPAN: Final = re.compile(r"\s*(\d{1,30}(?:\.\d{1,30})?)\s*([a-z]*)\s*", re.ASCII)


@dataclass(frozen=True, slots=True)
class YesOrNo(OptionType):
    """``yes`` or ``no``."""

    metavar: str = "yes|no"

    @property
    def candidates(self) -> tuple[str, ...]:
        """Both."""
        return ("yes", "no")

    def check(self, value: Any, name: str) -> str:
        """One of them."""
        if value not in self.candidates:
            remedy = f"Write {name} yes or {name} no."
            raise UsageError("LP-U001", f"{name} {value!r} is neither yes nor no.", remedy=remedy)
        return str(value)


@dataclass(frozen=True, slots=True)
class ColumnMap(OptionType):
    """A map from our fields to the columns of a table: ``op=f,call=start``."""

    metavar: str = "MAP"

    def check(self, value: Any, name: str) -> str:
        """A text that is such a map."""
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
        """A text that is one."""
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
        """One of the units."""
        if value not in self.names:
            remedy = f"Write one of {', '.join(self.names)}."
            raise UsageError("LP-U001", f"{name} {value!r} is not a unit of time.", remedy=remedy)
        return str(value)


@dataclass(frozen=True, kw_only=True)
class ReadingOptions(Options):
    """How the files of histories are read."""

    keyed: str | None = option(
        None,
        YesOrNo(),
        "Whether values of event formats are pairs of key and value.",
        Panel.FORMAT,
        on=CONFIG,
        default_text="recognised by the values",
    )
    columns: str | None = option(
        None, ColumnMap(), "Columns of a table, as our field = its column: op=f,call=start.", Panel.FORMAT, on=CONFIG
    )
    format: str | None = option(
        None,
        OptionType("NAME"),
        "Format of the file.",
        Panel.FORMAT,
        on=CONFIG,
        default_text="recognised by its content",
    )

    @property
    def is_keyed(self) -> bool | None:
        """Whether values are pairs; None to look at them."""
        return None if self.keyed is None else self.keyed == "yes"

    @property
    def column_map(self) -> dict[str, str] | None:
        """The columns by our fields."""
        if self.columns is None:
            return None
        pairs: Sequence[tuple[str, str, str]] = [pair.partition("=") for pair in self.columns.split(",")]
        return {field.strip(): column.strip() for field, _, column in pairs}

    @property
    def reading(self) -> dict[str, Any]:
        """The arguments of ``load``."""
        return {"keyed": self.is_keyed, "columns": self.column_map, "format": self.format}


@dataclass(frozen=True, kw_only=True)
class CheckOptions(ReadingOptions, LimitOptions, OutputOptions):
    """How histories are checked."""

    description: ClassVar[str] = """\
Decide whether recorded histories are linearizable, and explain why not.

Exit code: 0 linearizable, 1 violation, 2 bad input, 3 unknown; over several files the worst.

Examples:
  linpoint check orders.jsonl --spec queue
  linpoint check history.edn --spec cas-register --initial 0 --budget 60s
  linpoint check runs/*.jsonl.gz --spec FILE.py:MySpec --json
  linpoint check runs/*.jsonl --spec queue --report runs.html --junit runs.xml --github
"""

    files: tuple[str, ...] = argument("FILE...", Words(), "Histories; - is standard input.", default=())
    spec: str = option(
        None,
        SpecName(),
        "A built-in (see `linpoint specs`), FILE.py:Name or module:Name.",
        Panel.INPUT,
        on=CONFIG | Surface.TOKEN,
        short="-s",
        required=True,
    )
    initial: str | None = option(None, JsonText(), "The object's initial value; it is never guessed.", Panel.INPUT)
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
        "With --checker graph: follow its paper as published, even where it is wrong.",
        Panel.SEARCH,
        on=Surface.TOKEN,
    )
    clock_skew: str | None = option(
        None,
        ClockSkew(),
        "Maximum difference between the clocks of processes, such as 5ms, or a number in the file's unit.",
        Panel.INPUT,
        on=CONFIG,
        default_text="0",
    )
    time_unit: str = option("ns", TimeUnit(), "Unit of the file's times.", Panel.FORMAT, on=CONFIG)
    budget: str | None = option(
        None,
        TimeSpan(),
        "Time for the whole command, such as 60s or 5m.",
        Panel.LIMITS,
        on=CONFIG,
        shown=False,
        default_text="no limit",
    )
    jobs: int | None = option(
        None,
        WholeNumber(minimum=None),
        "Number of threads, for keys and for searches within a key.",
        Panel.LIMITS,
        on=CONFIG,
        short="-j",
        shown=False,
        default_text="all cores",
    )
    follow: bool = option(
        False,
        OnOff(),
        "Check one file while it grows; end at the first violation.",
        Panel.INPUT,
        short="-f",
        shown=False,
    )
    until_idle: str | None = option(
        None, TimeSpan(), "With --follow: stop after TIME without a new line.", Panel.LIMITS, shown=False
    )
    graph: str | None = option(
        None,
        FilePath(),
        "Write the precedence graph, reduced to its relevant part: .svg, .dot or .json. For mwcas and registers.",
        Panel.OUTPUT,
        shown=False,
    )

    @property
    def initial_value(self) -> Any:
        """The initial value; NO_VALUE if none is given."""
        return NO_VALUE if self.initial is None else json.loads(self.initial)

    @property
    def skew(self) -> Time:
        """The clock skew in the unit of the files' times; 0 if none is given."""
        match = _SPAN.fullmatch(self.clock_skew or "0")
        assert match is not None
        amount = Fraction(match[1]) * (Fraction(_SPANS[match[2]], _UNITS[self.time_unit]) if match[2] else 1)
        return int(amount) if amount.denominator == 1 else float(amount)
