# SPDX-License-Identifier: Apache-2.0
"""What people and programs see: colours and tables when a person watches, plain text for a pipe, JSON on request."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import msgspec

if TYPE_CHECKING:
    from rich.console import Console

_COLOURS = {
    "LINEARIZABLE": "bold green",
    "HOLDS": "bold green",
    "VIOLATION": "bold red",
    "UNKNOWN": "bold yellow",
    "ERROR": "bold red",
}


def console(*, stderr: bool = False) -> Console:
    """A console for people; without colours when nobody watches."""
    from rich.console import Console  # noqa: PLC0415 - costs 50 ms, and --json does not need it

    return Console(stderr=stderr, highlight=False, soft_wrap=True)


def print_json(document: dict[str, Any]) -> None:
    """One JSON document on stdout."""
    sys.stdout.write(msgspec.json.encode(document, enc_hook=repr).decode() + "\n")
    sys.stdout.flush()


def print_text(text: str) -> None:
    """Text whose first word may be a verdict, which is coloured for people. Nothing in it is markup."""
    if not sys.stdout.isatty():
        sys.stdout.write(text + "\n")
        sys.stdout.flush()
        return
    from rich.text import Text  # noqa: PLC0415 - as above

    head, colon, rest = text.partition(":")
    styled = Text(head + colon, style=_COLOURS.get(head, "")) + Text(rest)
    console().print(styled)


def print_table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """A table: drawn for people, aligned plain text for a pipe."""
    if sys.stdout.isatty():
        from rich.table import Table  # noqa: PLC0415 - as above
        from rich.text import Text  # noqa: PLC0415 - as above

        table = Table(*header)
        for row in rows:
            table.add_row(*(Text(cell, style=_COLOURS.get(cell.upper(), "")) for cell in row))
        console().print(table)
        return
    widths = [max(len(row[i]) for row in [header, *rows]) for i in range(len(header))]
    for row in [header, *rows]:
        print_text("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())


def print_error(text: str) -> None:
    """An error, on stderr."""
    if sys.stderr.isatty():
        from rich.text import Text  # noqa: PLC0415 - as above

        console(stderr=True).print(Text("error: ", style="bold red") + Text(text))
    else:
        sys.stderr.write(f"error: {text}\n")


class Progress:
    """A line on stderr for work that takes longer than a blink; silent when nobody watches."""

    def __init__(self) -> None:
        self._status: Any = None
        self._started = time.monotonic()
        self._shown = 0.0

    def __call__(self, text: str) -> None:
        """Show ``text`` and the time so far, at most ten times a second."""
        now = time.monotonic()
        if self._status is None or now - self._shown < 0.1:
            return
        self._shown = now
        self._status(f"{text}, {now - self._started:.1f} s")

    def watch(self, status: Any) -> None:
        """Show through ``status`` from now on."""
        self._status = status


@contextmanager
def progress() -> Iterator[Progress]:
    """A progress line for the block."""
    line = Progress()
    if not sys.stderr.isatty():
        yield line
        return
    with console(stderr=True).status("reading") as status:
        line.watch(status.update)
        yield line
