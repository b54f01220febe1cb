# SPDX-License-Identifier: Apache-2.0
"""Loads and saves histories: the table of formats, and errors with the name of the file.

Guarantee: ``load`` returns a valid ``History``, or raises a ``LinpointError`` whose place begins with the path as
given. Nothing in a file is ever evaluated. Cost: that of the reader of the format and of validation.
"""

from __future__ import annotations

import contextlib
import gc
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from linpoint.errors import HistoryError, UsageError
from linpoint.histories.formats import (
    csv_table,
    jepsen_edn,
    jepsen_json,
    jepsen_text,
    operation_lines,
    parquet_arrow,
    parquet_arrow_writer,
    porcupine_log,
)
from linpoint.histories.formats.file_content import FileContent, write_pieces
from linpoint.histories.formats.file_format import FileFormat, ReadItems, ReadOptions, format_error, shortened
from linpoint.histories.formats.format_detection import detect_format, foreign_line, format_of_beginning
from linpoint.histories.formats.native_reading import NativeRead, read_columns
from linpoint.histories.formats.value_validation import too_deep
from linpoint.histories.history import History, recorded_history
from linpoint.text.phrases import join_words
from linpoint.text.shell_commands import STANDARD

FORMATS: Final[Mapping[str, FileFormat]] = {
    format.name: format
    for format in (
        FileFormat(
            "operations",
            "operation lines (JSON)",
            operation_lines.read,
            operation_lines.write,
            (".jsonl",),
            native=operation_lines.native,
        ),
        FileFormat(
            "jepsen-edn",
            "Jepsen EDN",
            jepsen_edn.read,
            jepsen_edn.write,
            (".edn",),
            by_position=True,
            events=jepsen_edn.events,
            native=jepsen_edn.native,
            parts=False,
        ),
        FileFormat(
            "jepsen-json",
            "Jepsen-style JSON events",
            jepsen_json.read,
            jepsen_json.write,
            (".json",),
            by_position=True,
            events=jepsen_json.events,
            native=jepsen_json.native,
            parts=False,
        ),
        FileFormat("jepsen-text", "a Jepsen text log", jepsen_text.read, by_position=True, events=jepsen_text.events),
        FileFormat(
            "porcupine",
            "a Porcupine key-value log",
            porcupine_log.read,
            by_position=True,
            events=porcupine_log.events,
            native=porcupine_log.native,
            parts=False,
        ),
        FileFormat("csv", "a CSV table", csv_table.read, csv_table.write, (".csv",), native=csv_table.native),
        FileFormat("parquet", "a Parquet file", None, parquet_arrow_writer.write_parquet, (".parquet",)),
        FileFormat("arrow", "an Arrow file", None, parquet_arrow_writer.write_arrow, (".arrow", ".feather")),
    )
}
"""All formats by name."""

_COULD_BE_FOREIGN: Final = frozenset({"LP-H002", "LP-H006", "LP-H007"})


def load(
    path: str | os.PathLike[str],
    *,
    keyed: bool | None = None,
    columns: Mapping[str, str] | None = None,
    format: str | None = None,
) -> History:
    """Load the history in a file; ``-`` is standard input.

    ``format`` is the name of the format; by default it is detected from the content. ``keyed`` is whether the values of
    event formats are pairs ``[key value]``; by default it is detected from the values. ``columns`` maps fields to the
    columns of a CSV, Parquet or Arrow file. Formats ignore options that do not apply to them. Raises ``LinpointError``
    for bad input.
    """
    source = os.fsdecode(path)
    if format is not None and format not in FORMATS:
        raise UsageError("LP-U001", f'unknown format "{format}".', remedy=f"Use {join_words(list(FORMATS), 'or')}.")
    with _collector_paused():
        try:
            content = FileContent(source)
            options = ReadOptions(keyed, columns)
            name, found = _without_text(content, format, options)
            if found is None:
                text = content.text()
                name = format or detect_format(text, columns)
                found = _items(text, name, options)
            by_position = FORMATS[name].by_position
        except HistoryError as error:
            raise error.at(source) from None
        if isinstance(found, NativeRead):
            return recorded_history(
                found.operations, annotations=found.annotations, source=source, by_position=by_position
            )
        return History(
            found.operations,
            crashes=found.crashes,
            annotations=found.annotations,
            source=source,
            by_position=by_position,
        )


def parse_operations(data: bytes | memoryview, source: str) -> History:
    """The history in operation lines."""
    with _collector_paused():
        recorded = read_columns(operation_lines.make_reader, [[memoryview(data)]], len(data))
        if recorded is not None:
            return recorded_history(recorded.operations, annotations=recorded.annotations, source=source)
        items = _items(bytes(data).decode(), "operations", ReadOptions())
        return History(items.operations, crashes=items.crashes, annotations=items.annotations, source=source)


def save(history: History, path: str | os.PathLike[str], *, format: str | None = None) -> None:
    """Save a history to a file; ``-`` is standard output, by default in operation lines.

    ``format`` is the name of the format, by default that of the suffix; ``.gz`` compresses the file. Raises LP-U005 if
    the format cannot represent the history: a saved file always reads back as the same history.
    """
    target = os.fsdecode(path)
    chosen = _chosen(target, format)
    if not history.operations and not history.crashes and not history.annotations:
        raise UsageError("LP-U005", "the history is empty.", place=target, remedy="Save a history with operations.")
    if history.clock_skew:
        raise UsageError(
            "LP-U005",
            f"no format can store the clock skew of {history.clock_skew}.",
            place=target,
            remedy="Save history.with_clock_skew(0), and pass the skew when you check it.",
        )
    assert chosen.write is not None
    try:
        content = chosen.write(history)
    except HistoryError as error:  # a library that is not installed
        raise error.at(target) from None
    except (ValueError, TypeError, RecursionError) as error:
        raise UsageError(
            "LP-U005",
            f"the history has a value that is not JSON: {error}.",
            place=target,
            remedy="Use null, bools, numbers, strings, lists and objects.",
        ) from None
    write_pieces(target, content)


@contextlib.contextmanager
def _collector_paused() -> Iterator[None]:
    """Pause garbage collection.

    Readers construct many objects and no cycles, so it would only traverse the growing history.
    """
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _without_text(
    content: FileContent, format: str | None, options: ReadOptions
) -> tuple[str, NativeRead | ReadItems | None]:
    """The format and the content of a file, if that does not require its complete text.

    Otherwise there is no content, and perhaps no format.
    """
    name = format or parquet_arrow.columnar_format(content.head)
    if name is not None and FORMATS[name].read is None:
        return name, parquet_arrow.read(content, name, options)
    name = name or format_of_beginning(content.head, content.size, options.columns)
    chosen = FORMATS.get(name or "")
    make = None if chosen is None or chosen.native is None else chosen.native(content.head, options)
    if chosen is None or make is None:
        return "", None
    try:
        return chosen.name, read_columns(make, content.parts() if chosen.parts else [content.whole()], content.size)
    except OSError:
        return "", None  # reading the text meets the problem again and reports it


def _items(text: str, name: str, options: ReadOptions) -> ReadItems:
    reader = FORMATS[name].read
    assert reader is not None
    try:
        items = reader(text, options)
    except RecursionError:  # readers do not recurse with the depth of the input; this serves callers deep in the stack
        raise too_deep(None) from None
    except HistoryError as error:
        if error.code in _COULD_BE_FOREIGN and error.place is not None:
            _refuse_mixture(text, name, int(error.place))
        raise
    if name == "jepsen-text":  # the reader skips unknown lines, and must not skip operations
        _refuse_mixture(text, name, None)
    return items


def _refuse_mixture(text: str, name: str, number: int | None) -> None:
    foreign = foreign_line(text, name, number)
    if foreign is None:
        return
    line, other = foreign
    began, here = FORMATS[name].description, FORMATS[other].description
    raise format_error(
        "LP-H009",
        f"the file starts as {began}, but this line is {here}: {shortened(text.split(chr(10))[line - 1])}.",
        line,
        "Keep each format in its own file.",
    ) from None


def _chosen(target: str, name: str | None) -> FileFormat:
    writable = {format.name: format for format in FORMATS.values() if format.write is not None}
    if name is not None:
        if name in writable:
            return writable[name]
        what = "can only be read" if name in FORMATS else "does not exist"
        raise UsageError("LP-U001", f'the format "{name}" {what}.', remedy=f"Use {join_words(list(writable), 'or')}.")
    if target == STANDARD:
        return writable["operations"]
    suffix = Path(target.removesuffix(".gz")).suffix
    for format in writable.values():
        if suffix in format.suffixes:
            return format
    suffixes = ", ".join(suffix for format in writable.values() for suffix in format.suffixes)
    raise UsageError(
        "LP-U005",
        f'unknown extension "{suffix}".' if suffix else "the file name has no extension.",
        place=target,
        remedy=f"Use one of {suffixes}, optionally followed by .gz.",
    )
