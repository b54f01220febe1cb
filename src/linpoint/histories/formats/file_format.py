# SPDX-License-Identifier: Apache-2.0
"""What a format is: its name, its files' suffixes, a reader and, for some, a writer.

Guarantee: a reader turns any text into ``ReadItems`` or raises a ``HistoryError`` whose place is the bare line
number; the caller, who knows the file's name, puts it in front. Readers do not validate the history.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from linpoint.errors import HistoryError, UsageError
from linpoint.histories._native_columns import TextReader
from linpoint.histories.history import History
from linpoint.histories.operation import Annotation, Crash, Operation
from linpoint.histories.values import format_value

if TYPE_CHECKING:  # events are read with the errors of this module
    from linpoint.histories.formats.event_pairing import Event


class ReadItems(NamedTuple):
    """What a file holds, in the order of the file."""

    operations: list[Operation]
    crashes: list[Crash]
    annotations: list[Annotation]


class ReadOptions(NamedTuple):
    """What the user says about a file; formats that have no use for an option ignore it.

    ``keyed``: whether the values of event formats are pairs ``[key value]``; None finds out.
    ``columns``: for tables, our field name -> the name in the file's header.
    """

    keyed: bool | None = None
    columns: Mapping[str, str] | None = None


MakeReader = Callable[[int, bool], TextReader]
"""A native reader of a text of about so many bytes; whether that begins the file."""


@dataclass(frozen=True, slots=True)
class FileFormat:
    """One file format. ``write`` is None where the format can only be read, ``read`` where it is no text.

    ``write`` gives the content piece by piece. Before the first piece it raises ValueError or TypeError for values that
    are not JSON, and UsageError for a history that the format cannot hold.

    ``by_position`` says that it is a log of events, whose times are their positions. ``events`` are then those that one
    line tells of, given its number: where a log is a line for each event, and so can be read while it grows.

    ``native`` makes native readers for a file with this beginning, or None if that is for ``read``. They may be given
    ``parts`` of a file at the same time.
    """

    name: str
    description: str
    read: Callable[[str, ReadOptions], ReadItems] | None
    write: Callable[[History], Iterable[str | bytes]] | None = None
    suffixes: tuple[str, ...] = ()
    by_position: bool = False
    events: Callable[[str, int], list[Event]] | None = None
    native: Callable[[bytes, ReadOptions], MakeReader | None] | None = None
    parts: bool = True


def format_error(code: str, message: str, line: int | None, remedy: str) -> HistoryError:
    """A ``HistoryError`` at a line of the text that is being read."""
    return HistoryError(code, message, place=None if line is None else str(line), remedy=remedy)


def cannot_follow(message: str, line: int | None, remedy: str) -> UsageError:
    """The error for what a whole file may hold but one that is checked while it grows may not."""
    return UsageError("LP-U007", message, place=None if line is None else str(line), remedy=remedy)


def shortened(text: str, limit: int = 60) -> str:
    """``text`` on one line and not longer than ``limit``, in quotes, as evidence in a message."""
    text = text.strip()
    return repr(text if len(text) <= limit else text[: limit - 3] + "...")


def shown(value: Any, limit: int = 60) -> str:
    """``value`` as evidence in a message; a value too deep or too large to show is told by its type."""
    try:
        text = format_value(value)
    except (RecursionError, ValueError):
        return f"a {type(value).__name__}"
    return text if len(text) <= limit else text[: limit - 3] + "..."
