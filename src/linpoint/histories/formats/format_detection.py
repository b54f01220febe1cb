# SPDX-License-Identifier: Apache-2.0
"""Detects the format of a text by its content. Names and suffixes of files are not used.

Guarantee: the name of a format, or LP-H015 with the first line as evidence. Only the beginning is examined, except in
text logs, whose operations may follow any other log lines. Cost: O(1); O(length) for text logs.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

import msgspec

from linpoint.histories.formats.csv_table import header_of
from linpoint.histories.formats.file_format import format_error, shortened
from linpoint.histories.formats.jepsen_text import OPERATION

_HEAD_CHARS: Final = 4096
_SKIPPED: Final = re.compile(r"(?:\s++|;[^\n]*+)*+")
_JSON_NAMES: Final = re.compile(r'"(\w+)"\s*:')
_EDN_MAP: Final = re.compile(r"(?:\#[\w./-]+\s*)?\{[\s,]*:")
_EDN_BEGIN: Final = re.compile(r"(?:[\[(]\s*)?(?:;|\#[\w:]|\{[\s,]*:)|[\[(]\s*[\])]|\(")
_OPERATION_FIELDS: Final = frozenset(
    {"op", "args", "result", "call", "return", "outcome", "crash", "annotation", "watermark"}
)
_EVENT_FIELDS: Final = frozenset({"type", "f", "value", "index"})
_REMEDY: Final = (
    "linpoint reads operation lines (one JSON object per line), Jepsen EDN, Jepsen-style JSON events, Jepsen text logs, "
    "Porcupine's logs, CSV with a header (--columns maps other names), and Parquet and Arrow files."
)


def detect_format(text: str, columns: Mapping[str, str] | None = None) -> str:
    """The name of the format of a complete text."""
    skipped = _SKIPPED.match(text)
    start = skipped.end() if skipped else 0
    line = text[start:].split("\n", 1)[0]
    found = line_format(line, columns) or _format_of_forms(text, start)
    if found is None and OPERATION.search(text):
        found = "jepsen-text"
    if found is None and not line:
        found = "jepsen-edn"  # only comments: the reader reports that there are no events
    if found is None:
        number = text.count("\n", 0, start) + 1
        raise format_error(
            "LP-H015", f"the format is not recognised; the first line is {shortened(line)}.", number, _REMEDY
        )
    return found


def format_of_beginning(head: bytes, size: int, columns: Mapping[str, str] | None = None) -> str | None:
    """The format of a file of ``size`` bytes, if ``head`` suffices to detect it; ``detect_format`` then agrees."""
    text = head.decode(errors="ignore")
    skipped = _SKIPPED.match(text)
    start = skipped.end() if skipped else 0
    line, newline, _ = text[start:].partition("\n")
    whole = len(head) >= size
    if not line or not (newline or whole):
        return None
    found = line_format(line, columns)
    if found is None and (whole or len(text) > start + _HEAD_CHARS):
        found = _format_of_forms(text, start)
    return found


def line_format(line: str, columns: Mapping[str, str] | None = None) -> str | None:
    """The name of the format that a single line belongs to; None if it could be any."""
    line = line.strip()
    if OPERATION.search(line) and not line.startswith(("{", "[{", "({")):
        return "jepsen-text"
    if _EDN_MAP.match(line):
        names = set(re.findall(r":([a-z]+)", line))
        if len(names & {"process", "type", "f"}) < 2:
            return "jepsen-edn" if "crash" in names else None
        return "porcupine" if _is_porcupine(line) else "jepsen-edn"
    if line.startswith(("{", "[{")):
        return _json_format(_names(line))
    return "csv" if len(header_of(line, columns)) >= 2 else None


def _format_of_forms(text: str, start: int) -> str | None:
    """The format of a text that is not written line by line; None if it could be any."""
    head = text[start : start + _HEAD_CHARS]
    if _EDN_BEGIN.match(text, start):
        return "porcupine" if head.startswith("{") and _is_porcupine(head.split("}", 1)[0]) else "jepsen-edn"
    if re.compile(r"\[\s*\{").match(text, start):
        return _json_format(set(_JSON_NAMES.findall(head.split("}", 1)[0])))
    return None


def foreign_line(text: str, name: str, number: int | None = None) -> tuple[int, str] | None:
    """The number and format of a line that belongs to another format than ``name``, with which the text began.

    ``number`` restricts the search to that line. The first line never counts, since the format was detected from it.
    """
    lines = text.split("\n")
    first = next((position for position, line in enumerate(lines, 1) if line.strip()), 1)
    for position in range(first + 1, len(lines) + 1) if number is None else (number,):
        if first < position <= len(lines) and (number is not None or lines[position - 1].lstrip().startswith("{")):
            other = line_format(lines[position - 1])
            if other is not None and _family(other) != _family(name):
                return position, other
    return None


def _family(name: str) -> str:
    """The family of a format.

    A line without a key in a Porcupine log, which is EDN, lacks its key and is not another format.
    """
    return "jepsen-edn" if name == "porcupine" else name


def _is_porcupine(text: str) -> bool:
    return ":key" in text and re.search(r":f\s+:(?:get|put|append)\b", text) is not None


def _names(line: str) -> set[str]:
    try:
        item: Any = msgspec.json.decode(line)
    except (msgspec.DecodeError, RecursionError, UnicodeError):
        return set(_JSON_NAMES.findall(line[:_HEAD_CHARS]))
    if isinstance(item, list) and item:
        item = item[0]
    return set(item) if isinstance(item, dict) else set()


def _json_format(names: set[str]) -> str | None:
    operation, event = len(names & _OPERATION_FIELDS), len(names & _EVENT_FIELDS)
    if operation == event:
        return "jepsen-json" if names >= {"crash", "index"} else None
    return "operations" if operation > event else "jepsen-json"
