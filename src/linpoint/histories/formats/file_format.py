# SPDX-License-Identifier: Apache-2.0
"""Describes file formats: the name, the suffixes of files, a reader and, for some, a writer.

Guarantee: a reader converts any text to ``ReadItems``, or raises a ``HistoryError`` whose place is the line number. The
caller, who knows the name of the file, puts it in front. Readers do not validate the history.
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
    """The items of a file, in the order of the file."""

    operations: list[Operation]
    crashes: list[Crash]
    annotations: list[Annotation]


class ReadOptions(NamedTuple):
    """Options of the user for reading a file. Formats ignore options that do not apply to them.

    ``keyed`` is whether the values of event formats are pairs ``[key value]``; None detects it. ``columns`` maps fields
    to the names in the header of a table.
    """

    keyed: bool | None = None
    columns: Mapping[str, str] | None = None


MakeReader = Callable[[int, bool], TextReader]
"""The constructor of a native reader.

Its arguments are the approximate size of the text in bytes, and whether the text begins the file.
"""


@dataclass(frozen=True, slots=True)
class FileFormat:
    """One file format. ``write`` is None if the format can only be read, ``read`` is None if it is not text.

    ``write`` gives the content piece by piece. Before the first piece it raises ValueError or TypeError for values that
    are not JSON, and UsageError for a history that the format cannot represent.

    ``by_position`` means that the format is a log of events, whose times are their positions. If each line of such a
    log is one event, so that it can be read while it grows, ``events`` gives the events of a line with its number.

    ``native`` gives the constructor of native readers for a file with this beginning, or None if ``read`` must read it.
    If ``parts`` is true, such readers may read parts of a file in parallel.
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
    """A ``HistoryError`` at a line of the text being read."""
    return HistoryError(code, message, place=None if line is None else str(line), remedy=remedy)


def cannot_follow(message: str, line: int | None, remedy: str) -> UsageError:
    """The error for content that a complete file may have, but a file that is checked while it grows may not."""
    return UsageError("LP-U007", message, place=None if line is None else str(line), remedy=remedy)


def shortened(text: str, limit: int = 60) -> str:
    """``text`` on one line, in quotes and at most ``limit`` characters long, as evidence in a message."""
    text = text.strip()
    return repr(text if len(text) <= limit else text[: limit - 3] + "...")


def shown(value: Any, limit: int = 60) -> str:
    """``value`` as evidence in a message. A value that is too deep or too large is described by its type."""
    try:
        text = format_value(value)
    except (RecursionError, ValueError):
        return f"a {type(value).__name__}"
    return text if len(text) <= limit else text[: limit - 3] + "..."
