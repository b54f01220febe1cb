# SPDX-License-Identifier: Apache-2.0
"""Options of ``linpoint convert``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from linpoint.options.choices import WRITABLE_FORMAT_NAMES
from linpoint.options.commands.check import ReadingOptions
from linpoint.options.option_types import MemorySize, OptionType, TimeSpan
from linpoint.options.schema import Panel, argument, option


@dataclass(frozen=True, kw_only=True)
class ConvertOptions(ReadingOptions):
    """Options of ``linpoint convert``."""

    description: ClassVar[str] = """\
Convert a recorded history to another format.

Exit code: 0 converted, 2 bad input, 3 a limit was reached and nothing was written.

Examples:
  # Choose the format by the name of the output file
  linpoint convert history.edn history.jsonl.gz
  # Name the format of standard output
  linpoint convert history.csv - --to operations
"""

    source: str = argument("IN", OptionType(), "The history to read; - reads standard input.")
    target: str = argument(
        "OUT",
        OptionType(),
        "The file to write: .jsonl, .edn, .json, .csv, .parquet or .arrow, each optionally with .gz; - writes standard "
        "output.",
    )
    to: str | None = option(
        None,
        OptionType("NAME"),
        f"Format to write: {', '.join(WRITABLE_FORMAT_NAMES[:-1])} or {WRITABLE_FORMAT_NAMES[-1]}.",
        Panel.OUTPUT,
        default_text="chosen by the name of OUT",
    )
    budget: str | None = option(
        None, TimeSpan(), "Time limit of the whole command, such as 60s or 5m.", Panel.LIMITS, default_text="no limit"
    )
    max_memory: str | None = option(
        None, MemorySize(), "Memory limit, such as 500M or 2G.", Panel.LIMITS, default_text="no limit"
    )
