# SPDX-License-Identifier: Apache-2.0
"""Options of ``linpoint report``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from linpoint.options.option_types import FilePath, Words
from linpoint.options.options_base import Options
from linpoint.options.schema import Panel, argument, option


@dataclass(frozen=True, kw_only=True)
class ReportOptions(Options):
    """The results and the page."""

    description: ClassVar[str] = """\
Put the results of many runs on one page.

A FILE is a JSON document of any command, or has one in each line. The page has a table to sort and to filter, and
links to the pages that `check --report` has written.

Exit code: the worst of the results: 0 they hold, 1 a violation, 2 an error, 3 unknown.

Examples:
  linpoint check orders.jsonl --spec queue --report orders.html --json > orders.json
  linpoint report *.json --output index.html
"""

    files: tuple[str, ...] = argument(
        "FILE...", Words(), "Output of commands with --json; - is standard input.", default=()
    )
    output: str = option("linpoint-report.html", FilePath("FILE.html"), "The page to write.", Panel.OUTPUT, short="-o")
