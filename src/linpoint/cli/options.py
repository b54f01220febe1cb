# SPDX-License-Identifier: Apache-2.0
"""Options that several commands share, with the texts of their ``--help``."""

from __future__ import annotations

import json
from typing import Annotated, Any, Final

import typer

from linpoint.cli import streams
from linpoint.errors import UsageError
from linpoint.specs.lookup import find
from linpoint.specs.protocol import Spec

JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON document on stdout and nothing else.")]
KeyedOption = Annotated[
    str | None,
    typer.Option(
        "--keyed",
        metavar="yes|no",
        help="Whether values of event formats are pairs of key and value. Default: look at them.",
    ),
]
ColumnsOption = Annotated[
    str | None,
    typer.Option("--columns", metavar="MAP", help="Columns of a CSV file, as our field = its column: op=f,call=start."),
]
FormatOption = Annotated[
    str | None, typer.Option("--format", metavar="NAME", help="The format of the file. Default: look at its content.")
]

NO_VALUE: Final[Any] = object()


def parse_keyed(text: str | None) -> bool | None:
    """``--keyed yes|no``."""
    if text is None:
        return None
    if text not in ("yes", "no"):
        raise UsageError(
            "LP-U001", f"--keyed {text!r} is neither yes nor no.", remedy="Write --keyed yes or --keyed no."
        )
    return text == "yes"


def parse_columns(text: str | None) -> dict[str, str] | None:
    """``--columns op=f,call=start``."""
    if text is None:
        return None
    columns = {}
    for pair in text.split(","):
        field, equals, column = pair.partition("=")
        if not equals or not field.strip() or not column.strip():
            raise UsageError(
                "LP-U001", f"--columns {text!r} is not a map.", remedy="Write it as --columns op=f,call=start."
            )
        columns[field.strip()] = column.strip()
    return columns


def parse_initial(text: str | None) -> Any:
    """``--initial JSON``; NO_VALUE when it was not given."""
    if text is None:
        return NO_VALUE
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise UsageError(
            "LP-U001", f"--initial {text!r} is not JSON.", remedy="Strings need quotes: --initial '\"a\"'."
        ) from None


def find_spec(text: str, initial: Any = NO_VALUE) -> Spec:
    """The spec that ``text`` names, with its first value. Its code may be the user's and print: stdout stays ours."""
    streams.keep_stdout()
    return find(text) if initial is NO_VALUE else find(text, initial=initial)
