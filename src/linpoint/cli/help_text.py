# SPDX-License-Identifier: Apache-2.0
"""Help texts: options by panel with their defaults, as wide as the terminal."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from typing import Final

import click

from linpoint.options.options_base import Options
from linpoint.options.schema import Option, Panel

_MAX_WIDTH: Final = 100
_MIN_WIDTH: Final = 60
_HELP_ROW: Final = ("-h, --help", "Show this message and exit.")


def command_help(path: str, options_class: type[Options]) -> str:
    """The help of a command."""
    options = list(options_class.declared().values())
    arguments = [each for each in options if each.positional]
    formatter = _formatter()
    words = [each.flag if each.required else f"[{each.flag}]" for each in arguments]
    after = ["[-- FLAG...]"] if any(each.passthrough for each in options) else []
    formatter.write_usage(path, " ".join(["[OPTIONS]", *words, *after]))
    _write_description(formatter, options_class.description)
    if arguments:
        with formatter.section("Arguments"):
            formatter.write_dl([(each.flag, each.help_text) for each in arguments])
    for panel in Panel:
        rows = [_row(each) for each in options if each.panel is panel and not each.positional]
        rows += [_HELP_ROW] if panel is Panel.OUTPUT and rows else []
        _write_rows(formatter, panel.value, rows)
    if not any(each.panel is Panel.OUTPUT and not each.positional for each in options):
        _write_rows(formatter, "Options", [_HELP_ROW])
    return formatter.getvalue().rstrip("\n")


def group_help(
    path: str, description: str, options: Sequence[tuple[str, str]], commands: Sequence[tuple[str, str]]
) -> str:
    """The help of the program."""
    formatter = _formatter()
    formatter.write_usage(path, "[OPTIONS] COMMAND [ARGUMENTS]")
    _write_description(formatter, description)
    _write_rows(formatter, "Commands", commands)
    _write_rows(formatter, "Options", options)
    return formatter.getvalue().rstrip("\n")


def _formatter() -> click.HelpFormatter:
    width = shutil.get_terminal_size((80, 24)).columns
    return click.HelpFormatter(width=max(_MIN_WIDTH, min(width, _MAX_WIDTH)))


def _write_description(formatter: click.HelpFormatter, text: str) -> None:
    for paragraph in text.strip().split("\n\n"):
        formatter.write_paragraph()
        lines = paragraph.splitlines()
        if any(line.startswith("  ") for line in lines):  # examples, to be copied as they are
            formatter.write("".join(f"{line}\n" for line in lines))
        else:
            formatter.write_text(paragraph)


def _write_rows(formatter: click.HelpFormatter, title: str, rows: Sequence[tuple[str, str]]) -> None:
    if rows:
        with formatter.section(title):
            formatter.write_dl(list(rows), col_max=28)


def _row(option: Option) -> tuple[str, str]:
    names = f"{option.short}, {option.flag}" if option.short else option.flag
    if option.passthrough:
        return "-- FLAG...", option.help_text
    return f"{names} {option.type.metavar}".rstrip(), option.help_text
