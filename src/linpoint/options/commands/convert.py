# SPDX-License-Identifier: Apache-2.0
"""Options of ``linpoint convert``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from linpoint.options.commands.check import ReadingOptions
from linpoint.options.option_types import MemorySize, OptionType, TimeSpan
from linpoint.options.schema import Panel, argument, option


@dataclass(frozen=True, kw_only=True)
class ConvertOptions(ReadingOptions):
    """The two files and their formats."""

    description: ClassVar[str] = """\
Convert a recorded history to another format.

Example:
  linpoint convert history.edn history.jsonl.gz
"""

    source: str = argument("IN", OptionType(), "The history to read; - is standard input.")
    target: str = argument(
        "OUT",
        OptionType(),
        "The file to write: .jsonl (ours), .edn, .json, .csv, .parquet or .arrow, each also with .gz; - is standard output.",
    )
    to: str | None = option(
        None, OptionType("NAME"), "Format to write.", Panel.OUTPUT, default_text="by the name of OUT"
    )
    budget: str | None = option(
        None, TimeSpan(), "Time for the whole command, such as 60s or 5m.", Panel.LIMITS, default_text="no limit"
    )
    max_memory: str | None = option(
        None, MemorySize(), "Maximum memory, such as 500M or 2G.", Panel.LIMITS, default_text="no limit"
    )
