# SPDX-License-Identifier: Apache-2.0
"""Reads Parquet and Arrow files: a table with the names of fields, one operation per row. Needs pyarrow.

Batches of rows are read natively from the buffers of their columns. If they contain anything unusual, they are
converted to operation lines, column by column, and the reader of operation lines handles or reports it. A column of
strings has the same content as the cells of a CSV table: JSON, or plain text where that is allowed. Values of other
types stand for themselves: numbers, bools, lists, structs; instants and durations are integers, in nanoseconds. Inside
lists and structs, strings are strings. A null is a missing field, except in ``result``, where it is null; false in
``crash`` means no crash.

Guarantee: the same history as from operation lines, and the same errors, with the row as their place. Cost: about 0.2
microseconds per row, in batches.
"""

from __future__ import annotations

import importlib
import json
from collections.abc import Iterator
from typing import Any, Final

from linpoint.errors import HistoryError
from linpoint.histories._native_columns import ArrowReader
from linpoint.histories.formats import csv_table, operation_lines
from linpoint.histories.formats.file_content import FileContent
from linpoint.histories.formats.file_format import ReadItems, ReadOptions, format_error, shortened
from linpoint.histories.formats.native_reading import NativeRead, read_columns, what_was_read

_MAGIC: Final = {b"PAR1": "parquet", b"ARROW1": "arrow", b"\xff\xff\xff\xff": "arrow"}
_ARROW_STREAM_MAGIC: Final = (
    b"\xff\xff\xff\xff"  # an IPC stream, which has no magic number: the beginning of its first message
)
_ROWS_PER_BATCH: Final = 1 << 16
_DAMAGE: Final = (ValueError, TypeError, KeyError, IndexError, OverflowError)  # of pyarrow
_JSON: Final = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode


def columnar_format(head: bytes) -> str | None:
    """The name of the columnar format of a file with this beginning, if it has one."""
    return next((name for magic, name in _MAGIC.items() if head.startswith(magic)), None)


def read(content: FileContent, name: str, options: ReadOptions) -> NativeRead | ReadItems:
    """Read the content of a columnar file."""
    pa = library("pyarrow", name)
    rows: list[bytes] = []
    try:
        recorded = _columns(content, name, options)
        if recorded is None:
            recorded = read_columns(operation_lines.make_reader, [_blocks(content, name, options)], 0)
        if recorded is None:  # the Python reader reports the problem
            rows = [bytes(block) for block in _blocks(content, name, options)]
    except (pa.ArrowException, OSError, *_DAMAGE) as error:
        raise format_error(
            "LP-H002",
            f"the {name} data cannot be read: {shortened(str(error), 200)}.",
            None,
            "Write the file again, and close its writer before you read it.",
        ) from None
    if recorded is not None:
        return recorded
    if not rows:
        raise format_error("LP-H008", "the table has no rows.", None, "Write one operation per row.")
    return operation_lines.read(b"".join(rows).decode(), options)


def library(module: str, name: str) -> Any:
    """Import a module of pyarrow, which the format ``name`` needs; LP-H019 if it is not installed."""
    try:
        return importlib.import_module(module)
    except ImportError:
        raise format_error(
            "LP-H019",
            f"{'Parquet' if name == 'parquet' else 'Arrow'} files need pyarrow, which is not installed.",
            None,
            "Install it: pip install 'linpoint[columnar]'.",
        ) from None


def _columns(content: FileContent, name: str, options: ReadOptions) -> NativeRead | None:
    """The rows, read from the buffers of their columns; None if they contain anything unusual."""
    pa = library("pyarrow", name)
    reader = ArrowReader(0)
    for batch, columns in _batches(pa, content, name, options):
        fields = [csv_table.COLUMNS.index(field) for field in columns]
        picked = pa.RecordBatch.from_arrays([batch.column(at) for at in columns.values()], names=list(columns))
        schema, rows = picked.__arrow_c_array__()
        if not reader.add(schema, rows, fields):
            return None
    return what_was_read(reader.take_table()) if reader.finish() else None


def _blocks(content: FileContent, name: str, options: ReadOptions) -> Iterator[memoryview]:
    """The rows as operation lines, one block per batch."""
    pa = library("pyarrow", name)
    compute = library("pyarrow.compute", name)
    cells: dict[str, dict[str, str | None]] = {}
    first = 1
    for batch, columns in _batches(pa, content, name, options):
        pieces = []
        for field, column in columns.items():
            texts = _Texts(pa, compute, field, cells.setdefault(field, {}), first).of(batch.column(column))
            pieces.append(compute.binary_join_element_wise(f'"{field}":', texts, ""))
        body = compute.binary_join_element_wise(*pieces, ",", null_handling="skip")
        lines = compute.binary_join_element_wise("{", body, "}\n", "")
        first += len(lines)
        if len(lines):
            _, offsets, data = lines.buffers()
            ends = memoryview(offsets).cast("i" if lines.type == pa.string() else "q")
            yield memoryview(data).cast("B")[ends[lines.offset] : ends[lines.offset + len(lines)]]


def _batches(pa: Any, content: FileContent, name: str, options: ReadOptions) -> Iterator[tuple[Any, dict[str, int]]]:
    """Batches of rows, with the column of each field."""
    renamed = options.columns or {}
    if name == "parquet":
        file = library("pyarrow.parquet", name).ParquetFile(content.file())
        header = file.schema_arrow.names
        wanted = [header[column] for column in csv_table.columns_of(header, renamed, None).values()]
        for batch in file.iter_batches(_ROWS_PER_BATCH, columns=wanted):
            yield batch, csv_table.columns_of(batch.schema.names, renamed, None)
        return
    stream = content.head.startswith(_ARROW_STREAM_MAGIC)
    reader = (pa.ipc.open_stream if stream else pa.ipc.open_file)(content.file())
    columns = csv_table.columns_of(reader.schema.names, renamed, None)
    batches = reader if stream else map(reader.get_batch, range(reader.num_record_batches))
    for batch in batches:
        batch.validate(full=True)  # offsets in a damaged file may point anywhere
        for start in range(0, batch.num_rows, _ROWS_PER_BATCH):
            yield batch.slice(start, _ROWS_PER_BATCH), columns


class _Texts:
    """The JSON text of each cell of a column; null if the field is missing."""

    def __init__(self, pa: Any, compute: Any, field: str, cells: dict[str, str | None], first: int) -> None:
        self._pa = pa
        self._compute = compute
        self._field = field
        self._cells = cells
        """The JSON of every different string of the column so far."""
        self._first = first
        """The row of the first cell."""

    def of(self, column: Any) -> Any:
        if self._field == "crash" and self._pa.types.is_boolean(column.type):
            column = self._compute.if_else(column, column, None)
        texts = self._typed(column, nested=False)
        return self._compute.fill_null(texts, "null") if self._field == "result" else texts

    def _typed(self, column: Any, *, nested: bool) -> Any:
        types, compute, kind = self._pa.types, self._compute, column.type
        if types.is_dictionary(kind):
            return self._typed(column.dictionary_decode(), nested=nested)
        if types.is_null(kind) or types.is_integer(kind) or types.is_boolean(kind):
            return compute.cast(column, self._pa.string())
        if types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind):
            return self._strings(column.cast(self._pa.string()), nested=nested)
        if types.is_temporal(kind):
            return compute.cast(self._nanoseconds(column), self._pa.string())
        if (types.is_list(kind) or types.is_large_list(kind)) and not types.is_nested(kind.value_type):
            return self._lists(column)
        if types.is_floating(kind) or types.is_nested(kind):
            return self._one_by_one(column)
        raise self._not_json(f"has the type {kind}")

    def _strings(self, column: Any, *, nested: bool) -> Any:
        encoded = column.dictionary_encode()
        found: list[str | None] = []
        for at, text in enumerate(encoded.dictionary.to_pylist()):
            if nested:
                found.append(_JSON(text))
                continue
            if text not in self._cells:
                self._cells[text] = None if not text.strip() else _JSON(self._value(text, encoded.indices, at))
            found.append(self._cells[text])
        return self._pa.array(found, self._pa.string()).take(encoded.indices)

    def _value(self, text: str, indices: Any, at: int) -> Any:
        try:
            return csv_table.value_of(self._field, text, 0)
        except HistoryError as error:
            row = self._first + self._compute.index(indices, at).as_py()
            raise format_error(error.code, error.message, row, error.remedy) from None

    def _nanoseconds(self, column: Any) -> Any:
        pa = self._pa
        kind = column.type
        if pa.types.is_timestamp(kind):
            column = column.cast(pa.timestamp("ns", kind.tz))
        elif pa.types.is_duration(kind):
            column = column.cast(pa.duration("ns"))
        else:
            raise self._not_json(f"has the type {kind}")
        return column.cast(pa.int64())

    def _lists(self, column: Any) -> Any:
        """Lists of plain values: the elements as text, joined."""
        texts = self._compute.fill_null(self._typed(column.flatten(), nested=True), "null")
        lengths = self._compute.fill_null(self._compute.list_value_length(column), 0).to_pylist()
        offsets = [0]
        for length in lengths:
            offsets.append(offsets[-1] + length)
        lists = self._pa.ListArray.from_arrays(self._pa.array(offsets, self._pa.int32()), texts)
        joined = self._compute.binary_join_element_wise("[", self._compute.binary_join(lists, ","), "]", "")
        return self._compute.if_else(column.is_valid(), joined, None)

    def _one_by_one(self, column: Any) -> Any:
        texts: list[str | None] = []
        for row, value in enumerate(column.to_pylist(), self._first):
            try:
                texts.append(None if value is None else _JSON(value))
            except (ValueError, TypeError) as error:
                raise format_error(
                    "LP-H007",
                    f'"{self._field}" is not JSON: {error}.',
                    row,
                    "Use null, bools, numbers, strings, lists and structs.",
                ) from None
        return self._pa.array(texts, self._pa.string())

    def _not_json(self, what: str) -> HistoryError:
        message = f'the column of "{self._field}" {what}, which is not JSON.'
        return format_error(
            "LP-H007", message, None, "Use numbers, bools, strings, lists or structs, or JSON in strings."
        )
