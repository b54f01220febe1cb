# SPDX-License-Identifier: Apache-2.0
"""Reads histories that are one JSON array instead of one object per line: the elements, each with its first line.

Guarantee: every error is an LP-H002 or LP-H011 with its line. Cost: O(length). Elements are split without decoding
them, so that their bytes give the position of each.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

import msgspec

from linpoint.histories.formats.file_format import format_error, shortened
from linpoint.histories.formats.value_validation import BYTE, decode_json, json_error

_ARRAY: Final = msgspec.json.Decoder(list[msgspec.Raw])
_BETWEEN: Final = re.compile(rb"[\s,\[]*+")


def array_elements(text: str, what: str) -> Iterator[tuple[int, Any]]:
    """The elements of an array, each with its line. ``what`` names the elements in messages."""
    data = text.encode()
    try:
        elements = _ARRAY.decode(data)
    except (msgspec.DecodeError, RecursionError) as error:
        at = BYTE.search(str(error))
        offset = int(at[1]) if at else len(data.rstrip())
        line = data.count(b"\n", 0, offset) + 1
        if isinstance(error, RecursionError):
            raise json_error(error, "", None) from None
        reason = BYTE.sub("", str(error)).removeprefix("JSON is malformed: ").strip()
        evidence = shortened(text.split("\n")[line - 1])
        raise format_error(
            "LP-H002",
            f"the array of {what} is not JSON at {evidence}: {reason}.",
            line,
            f"Separate the {what} by commas.",
        ) from None
    line, position = 1, 0
    for element in elements:
        between = _BETWEEN.match(data, position)
        assert between is not None
        line += data.count(b"\n", position, between.end())
        position = between.end() + len(memoryview(element))
        raw = bytes(element)
        yield line, decode_json(raw.decode(), line)
        line += raw.count(b"\n")
