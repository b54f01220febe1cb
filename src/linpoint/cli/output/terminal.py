# SPDX-License-Identifier: Apache-2.0
"""What people and programs see: colours and tables when a person watches, plain text for a pipe, JSON on request.

Guarantee: nothing in a history, a file's name or an error is markup or reaches a terminal as a control character; all
text goes through ``printable``. JSON is UTF-8 whatever the terminal is.
"""

from __future__ import annotations

import json
import re
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

import msgspec

from linpoint.cli.output import standard_streams
from linpoint.limits.deadlines import uninterrupted
from linpoint.text.printable import printable
from linpoint.text.terminal_text import display_width, pad

if TYPE_CHECKING:
    from rich.console import Console

_COLOURS = {
    "LINEARIZABLE": "bold green",
    "HOLDS": "bold green",
    "VIOLATION": "bold red",
    "UNKNOWN": "bold yellow",
    "ERROR": "bold red",
}


_HIGHLIGHTS: Final = {
    r"(?m)^(Reason|Warning|HTML report|Replay|Explored|Schedule|Report|JUnit|Fix(?: \(verified\))?):": "bold",
    r"(?m)^(Scenario|Valid orders give)\b": "bold",
    r"(?m)^ +--- switch to .* still runnable\) ---$": "bold yellow",
    r"(?m)^ +--- switch to (?:(?!still runnable).)* ---$|^ +\.\.\. .* \.\.\.$": "dim",
    r"(?m)^=> .*$": "bold red",
    r"(?m)^-> .*$": "red",
    r"\(allowed: .*?\)|\bnever returns\b": "bold red",
    r"(?m)^ +(thread \d+ *(\| thread \d+ *)*)$": "bold",
    r"(?m)^Likely cause \(a guess\): [^.]*\.": "bold yellow",
    r"\bHowever\b|\ba contradiction\b": "bold red",
    r"(?m)^  (\w\d?|#\d+): ": "bold cyan",
}
"""The highlighted parts of an explanation on a terminal."""
_THREADS: Final = ("cyan", "magenta", "green", "blue")
"""The colours of the columns of a trace, one for each thread."""
_HEAD: Final = re.compile(r"(?m)^ +#(?:  where|  line)? .*\n(-[- ]+-)$")
_RULE: Final = re.compile(r" *(---|\.\.\.) ")


def console(*, stderr: bool = False) -> Console:
    """A console; without colours unless it is a terminal."""
    from rich.console import Console  # noqa: PLC0415 - costs 50 ms, and --json does not need it

    return Console(file=sys.stderr if stderr else standard_streams.out(), highlight=False, soft_wrap=True)


def encode_json(document: dict[str, Any]) -> bytes:
    """A JSON document in one line."""
    try:
        return msgspec.json.encode(document, enc_hook=repr)
    except UnicodeEncodeError:  # the name of a file is not UTF-8; only as an escape can it be in a document
        return json.dumps(document, default=repr).encode()


def print_json(document: dict[str, Any]) -> None:
    """One JSON document on stdout, whole or not at all: Ctrl-C waits."""
    data = encode_json(document)
    stream = standard_streams.out()
    with uninterrupted():
        stream.flush()
        stream.buffer.write(data + b"\n")
        stream.buffer.flush()


def print_text(text: str) -> None:
    """Text whose first word may be a verdict, which is coloured for people. Nothing in it is markup."""
    text = printable(text)
    if not standard_streams.out().isatty():
        standard_streams.out().write(text + "\n")
        standard_streams.out().flush()
        return
    from rich.text import Text  # noqa: PLC0415 - as above

    head, colon, rest = text.partition(":")
    styled = Text.assemble((head + colon, _COLOURS.get(head.strip(), "")), rest)
    for start, end, style in _thread_columns(text):
        styled.stylize(style, start, end)
    for pattern, style in _HIGHLIGHTS.items():
        styled.highlight_regex(pattern, style)
    console().print(styled)


def _thread_columns(text: str) -> Iterator[tuple[int, int, str]]:
    """Where the columns of threads are in the table of a trace, and the colour of each: the dashes below its head say."""
    for head in _HEAD.finditer(text):
        dashes = [(each.start(), each.end()) for each in re.finditer("-+", head[1])]
        threads = dashes[2:] if re.match(" +#  (where|line)", head[0]) else dashes[1:]
        start = head.start()
        for line in text[start:].splitlines(keepends=True):
            if not line.strip():
                break
            if not _RULE.match(line) or line.startswith("-"):
                for number, (begin, end) in enumerate(threads):
                    last = min(end, len(line.rstrip("\n")))
                    if begin < last:
                        yield start + begin, start + last, _THREADS[number % len(_THREADS)]
            start += len(line)


def print_lines(lines: Sequence[str], *, stderr: bool = False) -> None:
    """Lines as they are, for a program that reads them; nothing in them is markup or colour."""
    stream = sys.stderr if stderr else standard_streams.out()
    stream.write("".join(f"{line}\n" for line in lines))
    stream.flush()


def print_table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """A table: drawn for people, aligned plain text for a pipe."""
    cells = [[printable(cell, lines=False) for cell in row] for row in rows]
    if standard_streams.out().isatty():
        from rich.table import Table  # noqa: PLC0415 - as above
        from rich.text import Text  # noqa: PLC0415 - as above

        table = Table(*header)
        for row in cells:
            table.add_row(*(Text(cell, style=_COLOURS.get(cell.upper(), "")) for cell in row))
        console().print(table)
        return
    widths = [max(display_width(row[i]) for row in [header, *cells]) for i in range(len(header))]
    for line in [header, *cells]:
        print_text("  ".join(pad(cell, width) for cell, width in zip(line, widths, strict=True)).rstrip())


def print_error(text: str) -> None:
    """An error, in one line on stderr."""
    text = printable(text, lines=False)
    if sys.stderr.isatty():
        from rich.text import Text  # noqa: PLC0415 - as above

        console(stderr=True).print(Text.assemble(("error: ", "bold red"), text))
    else:
        sys.stderr.write(f"error: {text}\n")


class ProgressLine:
    """A line on stderr for work that takes longer than a blink; silent when nobody watches."""

    def __init__(self) -> None:
        self._status: Any = None
        self._started = time.monotonic()
        self._shown = 0.0

    def __call__(self, text: str, *, at_once: bool = False) -> None:
        """Show ``text`` and the time so far, at most ten times a second unless it must be seen at once."""
        now = time.monotonic()
        if self._status is None or (now - self._shown < 0.1 and not at_once):
            return
        from rich.text import Text  # noqa: PLC0415 - as above

        self._shown = now
        self._status(Text(f"{printable(text, lines=False)}, {now - self._started:.1f} s"))

    def watch(self, status: Any) -> None:
        """Show through ``status`` from now on."""
        self._status = status


@contextmanager
def progress() -> Iterator[ProgressLine]:
    """A progress line for the block."""
    line = ProgressLine()
    if not sys.stderr.isatty():
        yield line
        return
    with console(stderr=True).status("reading") as status:
        line.watch(status.update)
        yield line
