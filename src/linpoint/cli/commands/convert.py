# SPDX-License-Identifier: Apache-2.0
"""``linpoint convert``: a history from one format to another."""

from __future__ import annotations

from linpoint.cli.output import standard_streams
from linpoint.cli.output.terminal import print_text
from linpoint.histories.formats import load, save
from linpoint.options.commands.convert import ConvertOptions


def run(options: ConvertOptions) -> int:
    """Read the one file and write the other."""
    history = load(options.source, **options.reading)
    if options.target == "-":
        standard_streams.as_utf8()
    save(history, options.target, format=options.to)
    if options.target != "-":
        print_text(f"wrote {len(history):,} operations to {options.target}")
    return 0
