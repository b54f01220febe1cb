# SPDX-License-Identifier: Apache-2.0
"""CSV: a header with the names of fields, then one operation per row, with JSON in the cells.

    process,op,args,result,call,return
    0,write,[3],null,10,25

Cells are separated by commas, semicolons or tabs. An empty cell is a missing field. ``op``, ``process``, ``outcome``,
``key``, ``crash`` and ``annotation`` may be plain text that is not JSON. With columns ``crash`` or ``annotation`` and
``time``, a row can be a crash or an annotation.

Guarantee: that of ``operation_lines``, through which every row passes. Cost: about 10 microseconds per row;
``native_reading`` reads most files far faster.
"""

from __future__ import annotations

import csv
import io
import itertools
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

import msgspec

from linpoint.errors import LinpointError, UsageError
from linpoint.histories._native_columns import CsvReader
from linpoint.histories.formats import operation_lines
from linpoint.histories.formats.field_names import other_name
from linpoint.histories.formats.file_format import MakeReader, ReadItems, ReadOptions, format_error, shortened
from linpoint.histories.formats.native_writing import ranges, table_writer
from linpoint.histories.formats.time_text import remedy_for_time
from linpoint.histories.formats.value_validation import decode_json
from linpoint.histories.history import History
from linpoint.histories.operation import Annotation, Crash, Operation
from linpoint.text.phrases import join_words

COLUMNS: Final = (*operation_lines.FIELDS, "crash", "annotation", "time", "until")
"""The names that a header may have. Other columns are ignored."""

_DELIMITERS: Final = (",", ";", "\t")
_HEADER: Final = re.compile(r"[^\n]*[^\s,;][^\n]*")
"""The first line with a non-blank cell."""

_TEXT: Final = frozenset({"process", "op", "outcome", "key", "crash", "annotation"})
_TIMES: Final = frozenset({"call", "return", "time", "until"})
_BARE: Final = re.compile(r"(?!(?:true|false|null)\Z)[A-Za-z_][\w.-]*", re.ASCII)
_ENCODE: Final = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode


def read(text: str, options: ReadOptions) -> ReadItems:
    """Read the items of a table."""
    rows = _rows(text, _delimiter_in(text, options))
    first, header = next(rows, (1, []))
    columns = columns_of(header, options.columns or {}, first)
    items = ReadItems([], [], [])
    for line, row in rows:
        if len(row) > len(header):
            raise format_error(
                "LP-H002",
                f"the row has {len(row)} cells and the header {len(header)}.",
                line,
                "Put cells with commas or quotes in double quotes.",
            )
        cells = {field: row[column] for field, column in columns.items() if column < len(row) and row[column].strip()}
        if not cells:
            continue
        item = operation_lines.item_from_dict(
            {field: value_of(field, cell, line) for field, cell in cells.items()}, line=line
        )
        if isinstance(item, Operation):
            items.operations.append(item)
        elif isinstance(item, Crash):
            items.crashes.append(item)
        else:
            assert isinstance(item, Annotation)
            items.annotations.append(item)
    if not any(items):
        raise format_error("LP-H008", "the table has a header but no rows.", first, "Write one operation per row.")
    return items


def native(head: bytes, options: ReadOptions) -> MakeReader | None:
    """The constructor of native readers for a table with this beginning; None if the header is wrong or incomplete."""
    text = head.decode(errors="ignore")
    delimiter = _delimiter_in(text, options)
    try:
        line, header = next(_rows(text, delimiter), (1, []))
        columns = columns_of(header, options.columns or {}, line)
    except LinpointError:
        return None
    if text.count("\n") < line or len(set(columns.values())) < len(columns):
        return None
    numbers = [-1] * len(header)
    for field, column in columns.items():
        numbers[column] = COLUMNS.index(field)
    return lambda expected_bytes, first: CsvReader(expected_bytes, delimiter, numbers, first)


def write(history: History) -> Iterable[str]:
    """Write the history as a table. Raises ValueError or TypeError for values that are not JSON."""
    writer = table_writer(history, _ENCODE)
    beside = list(operation_lines.dicts_beside(history))
    rows = [] if writer is not None else list(operation_lines.operation_dicts(history.operations))
    used = {field for row in (*rows, *beside) for field in row} | {"process", "op", "args", "result", "call", "return"}
    if writer is not None:
        used.update(field for number, field in enumerate(operation_lines.FIELDS) if writer.uses(number))
    header = [field for field in COLUMNS if field in used]
    first, last = _rows_of(rows, header, with_header=True), _rows_of(beside, header)
    if writer is None:
        return [first, last]
    columns = [COLUMNS.index(field) for field in header]
    pieces = (writer.rows(*piece, columns).decode() for piece in ranges(writer))
    return itertools.chain([first], pieces, [last])


def _rows_of(rows: Iterable[Mapping[str, Any]], header: Sequence[str], *, with_header: bool = False) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    if with_header:
        writer.writerow(header)
    for row in rows:
        writer.writerow(
            [
                "" if field not in row or (row[field] is None and field != "result") else text_of(field, row[field])
                for field in header
            ]
        )
    return out.getvalue()


def header_of(line: str, columns: Mapping[str, str] | None) -> set[str]:
    """The fields that a header names, by which a line is recognised as the header of a table."""
    return max((_named(line, delimiter, columns) for delimiter in _DELIMITERS), key=len)


def _named(line: str, delimiter: str, columns: Mapping[str, str] | None) -> set[str]:
    try:
        cells = next(csv.reader([line], strict=True, skipinitialspace=True, delimiter=delimiter), [])
    except csv.Error:
        return set()
    names = {cell.strip() for cell in cells}
    return {field for field in COLUMNS if (columns or {}).get(field, field) in names}


def _delimiter_in(text: str, options: ReadOptions) -> str:
    """The delimiter that gives the most fields in the header; a comma in case of a tie."""
    header = _HEADER.search(text)
    line = "" if header is None else header[0]
    return max(_DELIMITERS, key=lambda delimiter: len(_named(line, delimiter, options.columns)))


def _rows(text: str, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """The rows that are not blank, each with its first line. A quoted cell may span several lines."""
    lines = (f"{line}\n" for line in text.split("\n"))
    reader = csv.reader(lines, strict=True, skipinitialspace=True, delimiter=delimiter)
    line = 1
    try:
        for row in reader:
            if any(cell.strip() for cell in row):
                yield line, row
            line = reader.line_num + 1
    except csv.Error as error:
        if "limit" in str(error):
            raise format_error(
                "LP-H011", f"a cell is too long: {error}.", line, "Save long values as operation lines (.jsonl)."
            ) from None
        raise format_error(
            "LP-H002",
            f"the row is not CSV: {error}.",
            line,
            'Put cells with commas in quotes, and double the quotes inside: "[""a""]".',
        ) from None


def columns_of(header: Sequence[str], renamed: Mapping[str, str], line: int | None) -> dict[str, int]:
    """The column number of each field; LP-H006 or LP-H007 for a header with a missing or repeated field."""
    for field in renamed:
        if field not in COLUMNS:
            raise UsageError(
                "LP-U001",
                f'unknown field "{field}" for a column.',
                remedy=f"Use {join_words(COLUMNS, 'or')}.",
            )
    names = [name.strip() for name in header]
    columns = {}
    for field in COLUMNS:
        name = renamed.get(field, field)
        if names.count(name) > 1:
            raise format_error(
                "LP-H007", f'the header has the column "{name}" twice.', line, "Give each column its own name."
            )
        if name in names:
            columns[field] = names.index(name)
        elif field in renamed or field in ("process", "op", "call"):
            raise format_error(
                "LP-H006",
                f'the header has no column "{name}": {shortened(",".join(header))}.',
                line,
                f"Name the columns like the fields, or map them: --columns {_mapping(names, renamed)}.",
            )
    return columns


def _mapping(names: Sequence[str], renamed: Mapping[str, str]) -> str:
    """The columns that probably hold the fields, in the form of ``--columns``; without any, an example."""
    found = {field: renamed.get(field) or other_name(field, names) for field in COLUMNS if field not in names}
    pairs = [f"{field}={name}" for field, name in found.items() if name is not None and name in names]
    return ",".join(pairs) or "op=f,call=start"


def value_of(field: str, cell: str, line: int) -> Any:
    """The value of a cell, or LP-H002 or LP-H011. Some fields may be plain text."""
    if field not in _TEXT:
        if field in _TIMES and ":" in cell and (remedy := remedy_for_time(cell)) is not None:
            raise format_error("LP-H007", f'"{field}" is the text {shortened(cell)}.', line, remedy)
        return decode_json(cell, line)
    try:
        return msgspec.json.decode(cell)
    except msgspec.ValidationError:  # JSON, but with a number that is too large
        return decode_json(cell, line)
    except (msgspec.DecodeError, RecursionError, UnicodeError):
        return cell


def text_of(field: str, value: Any) -> str:
    """The cell for a value. Raises ValueError or TypeError for a value that is not JSON."""
    return value if field in _TEXT and isinstance(value, str) and _BARE.fullmatch(value) else _ENCODE(value)
