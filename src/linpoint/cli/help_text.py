# SPDX-License-Identifier: Apache-2.0
"""Help of the program and of its commands: options with their defaults under headings, as wide as the terminal."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from typing import Final

import click

from linpoint.options.options_base import Options
from linpoint.options.schema import HEADINGS, Option

_MAX_WIDTH: Final = 100
_MIN_WIDTH: Final = 60
_MAX_NAMES_WIDTH: Final = 28
_HELP_ROW: Final = ("-h, --help", "Show this message and exit.")
_HELP_HEADING: Final = "Output"
_UNBREAKABLE_HYPHEN: Final = "\u2011"
"""Replaces hyphens while lines are broken, so that names can be copied."""
GROUP_USAGE: Final = "[OPTIONS] COMMAND [ARGUMENTS]"
"""The words after the name of the program."""


def usage_line(path: str, options_class: type[Options]) -> str:
    """The usage of a command in one line: required options, options, arguments and words after ``--``."""
    return f"Usage: {path} {_usage_words(options_class)}"


def command_help(path: str, options_class: type[Options]) -> str:
    """The help of a command."""
    options = list(options_class.declared().values())
    formatter = _formatter()
    formatter.write_usage(path, _usage_words(options_class))
    _write_description(formatter, options_class.description)
    _write_rows(formatter, "Arguments", [(each.flag, each.help_text) for each in options if each.positional])
    for heading, panels in HEADINGS.items():
        rows = [_row(each) for panel in panels for each in options if each.panel is panel and not each.positional]
        rows += [_HELP_ROW] if heading == _HELP_HEADING else []
        _write_rows(formatter, heading, rows)
    return _finished(formatter)


def group_help(
    path: str, description: str, options: Sequence[tuple[str, str]], commands: Sequence[tuple[str, str]], ending: str
) -> str:
    """The help of the program."""
    formatter = _formatter()
    formatter.write_usage(path, GROUP_USAGE)
    _write_description(formatter, description)
    _write_rows(formatter, "Commands", commands)
    _write_description(formatter, ending)
    _write_rows(formatter, "Options", options)
    return _finished(formatter)


def _usage_words(options_class: type[Options]) -> str:
    options = list(options_class.declared().values())
    required = [f"{each.flag} {each.type.metavar}" for each in options if each.required and not each.positional]
    arguments = [each.flag if each.required else f"[{each.flag}]" for each in options if each.positional]
    after = ["[-- FLAG...]"] if any(each.passthrough for each in options) else []
    return " ".join([*required, "[OPTIONS]", *arguments, *after])


def _formatter() -> click.HelpFormatter:
    width = shutil.get_terminal_size((80, 24)).columns
    return click.HelpFormatter(width=max(_MIN_WIDTH, min(width, _MAX_WIDTH)))


def _finished(formatter: click.HelpFormatter) -> str:
    return formatter.getvalue().rstrip("\n").replace(_UNBREAKABLE_HYPHEN, "-")


def _unbreakable(text: str) -> str:
    return text.replace("-", _UNBREAKABLE_HYPHEN)


def _write_description(formatter: click.HelpFormatter, text: str) -> None:
    for paragraph in text.strip().split("\n\n"):
        formatter.write_paragraph()
        lines = paragraph.splitlines()
        if any(line.startswith("  ") for line in lines):  # examples and lists keep their lines
            formatter.write("".join(f"{line}\n" for line in lines))
        else:
            formatter.write_text(_unbreakable(paragraph))


def _write_rows(formatter: click.HelpFormatter, title: str, rows: Sequence[tuple[str, str]]) -> None:
    if rows:
        with formatter.section(title):
            formatter.write_dl([(names, _unbreakable(text)) for names, text in rows], col_max=_MAX_NAMES_WIDTH)


def _row(option: Option) -> tuple[str, str]:
    names = f"{option.short}, {option.flag}" if option.short else option.flag
    if option.passthrough:
        return "-- FLAG...", option.help_text
    return f"{names} {option.type.metavar}".rstrip(), option.help_text
