# SPDX-License-Identifier: Apache-2.0
"""``linpoint convert``: a history from one format to another."""

from __future__ import annotations

from typing import Annotated

import typer

from linpoint.cli import options
from linpoint.cli.output import standard_streams
from linpoint.cli.output.terminal import print_text
from linpoint.histories.formats import load, save


def convert(
    source: Annotated[str, typer.Argument(metavar="IN", help="The history to read; - is standard input.")],
    target: Annotated[
        str,
        typer.Argument(
            metavar="OUT",
            help="The file to write: .jsonl (ours), .edn, .json, .csv, .parquet or .arrow, each also with .gz; - is standard output.",
        ),
    ],
    *,
    to: Annotated[
        str | None, typer.Option("--to", metavar="NAME", help="The format to write. Default: by the name of OUT.")
    ] = None,
    keyed: options.KeyedOption = None,
    columns: options.ColumnsOption = None,
    file_format: options.FormatOption = None,
) -> None:
    """Convert a recorded history to another format.

    Example:
      linpoint convert history.edn history.jsonl.gz
    """
    history = load(source, keyed=options.parse_keyed(keyed), columns=options.parse_columns(columns), format=file_format)
    if target == "-":
        standard_streams.as_utf8()
    save(history, target, format=to)
    if target != "-":
        print_text(f"wrote {len(history):,} operations to {target}")
