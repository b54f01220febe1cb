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
    """Options of ``linpoint report``."""

    description: ClassVar[str] = """\
Combine the results of many runs on one HTML page.

Each FILE holds one JSON document of any command, or one on each line. The page has a table that you can sort and
filter, and links to the pages that --report has written.

Exit code: that of the worst result: 0 no violation, 1 violation, 2 error, 3 unknown, in the order 2, 1, 3, 0.

Examples:
  # Keep the JSON document of a run
  linpoint check orders.jsonl --spec queue --report orders.html --json > orders.json
  # Combine all documents on one page
  linpoint report *.json --output index.html
"""

    files: tuple[str, ...] = argument(
        "FILE...", Words(), "Output of commands with --json; - reads standard input.", default=()
    )
    output: str = option("linpoint-report.html", FilePath("FILE.html"), "HTML page to write.", Panel.OUTPUT, short="-o")
