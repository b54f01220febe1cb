# SPDX-License-Identifier: Apache-2.0
"""CSV: a header with our field names, then an operation a row, with JSON in the cells.

    process,op,args,result,call,return
    0,write,[3],null,10,25

An empty cell is a missing field. ``op``, ``process``, ``outcome``, ``key``, ``crash`` and ``annotation`` may be plain
text that is no JSON. With columns ``crash`` or ``annotation`` and ``time`` a row can be a crash or an annotation.
Guarantee: as ``operation_lines``, through which every row goes. Cost: about 10 microseconds a row.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import msgspec

from linpoint.errors import UsageError
from linpoint.histories.formats import operation_lines
from linpoint.histories.formats.file_format import ReadItems, ReadOptions, format_error, shortened
from linpoint.histories.formats.value_validation import decode_json
from linpoint.histories.history import History
from linpoint.histories.operation import Annotation, Crash, Operation

COLUMNS: Final = (*operation_lines.FIELDS, "crash", "annotation", "time", "until")
"""The names a header may have; other columns are ignored."""

_TEXT: Final = frozenset({"process", "op", "outcome", "key", "crash", "annotation"})
_BARE: Final = re.compile(r"(?!(?:true|false|null)\Z)[A-Za-z_][\w.-]*", re.ASCII)
_ENCODE: Final = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode


def read(text: str, options: ReadOptions) -> ReadItems:
    """The items of a table."""
    rows = _rows(text)
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
        raise format_error("LP-H008", "the table has a header but no rows.", first, "Write an operation a row.")
    return items


def write(history: History) -> str:
    """The history as a table. Raises ValueError or TypeError for values that are not JSON."""
    rows = list(operation_lines.as_dicts(history))
    used = {field for row in rows for field in row} | {"process", "op", "args", "result", "call", "return"}
    header = [field for field in COLUMNS if field in used]
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
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
    """Our fields that a header names: what makes a line look like the header of a table."""
    try:
        cells = {cell.strip() for cell in next(csv.reader([line], strict=True, skipinitialspace=True), [])}
    except csv.Error:
        return set()
    return {field for field in COLUMNS if (columns or {}).get(field, field) in cells}


def _rows(text: str) -> Iterator[tuple[int, list[str]]]:
    """The rows that are not blank, each with its first line; a cell in quotes may go over several."""
    reader = csv.reader((f"{line}\n" for line in text.split("\n")), strict=True, skipinitialspace=True)
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
    """Our field -> the number of its column; LP-H006 or LP-H007 for a header that lacks one or has one twice."""
    for field in renamed:
        if field not in COLUMNS:
            raise UsageError(
                "LP-U001",
                f'there is no field "{field}" to take a column for.',
                remedy=f"The fields are {', '.join(COLUMNS)}.",
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
                "Name the columns by our fields, or map them: --columns op=f,call=start.",
            )
    return columns


def value_of(field: str, cell: str, line: int) -> Any:
    """The value that a cell stands for, or LP-H002 or LP-H011; some fields may be plain text."""
    if field not in _TEXT:
        return decode_json(cell, line)
    try:
        return msgspec.json.decode(cell)
    except msgspec.ValidationError:  # JSON, but a number that is too large
        return decode_json(cell, line)
    except (msgspec.DecodeError, RecursionError, UnicodeError):
        return cell


def text_of(field: str, value: Any) -> str:
    """What a cell has to hold for a value. Raises ValueError or TypeError for what is not JSON."""
    return value if field in _TEXT and isinstance(value, str) and _BARE.fullmatch(value) else _ENCODE(value)
