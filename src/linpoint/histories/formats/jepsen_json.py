# SPDX-License-Identifier: Apache-2.0
"""Jepsen-style events in JSON: an object a line, or one array of objects.

    {"index": 0, "process": 0, "type": "invoke", "f": "write", "value": [1, 3], "time": 12}

Guarantee and cost: as ``events``; in an array too each event knows its line.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, Final

import msgspec

from linpoint.histories.formats.event_pairing import NEMESIS, Event, event_from_mapping, pair
from linpoint.histories.formats.event_writer import events_of
from linpoint.histories.formats.file_format import ReadItems, ReadOptions, format_error, shortened
from linpoint.histories.formats.value_validation import BYTE, decode_json, json_error
from linpoint.histories.history import History

_ARRAY: Final = msgspec.json.Decoder(list[msgspec.Raw])
_BETWEEN: Final = re.compile(rb"[\s,\[]*+")
_ENCODE: Final = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode


def read(text: str, options: ReadOptions) -> ReadItems:
    """The items of a history in JSON events."""
    if text.lstrip().startswith("["):
        return pair((event_from_mapping(item, line) for line, item in _elements(text)), keyed=options.keyed)
    return pair(
        (event for number, line in enumerate(text.split("\n"), 1) for event in events(line, number)),
        keyed=options.keyed,
    )


def events(line: str, number: int) -> list[Event]:
    """The event on one line; none if it is blank."""
    return [event_from_mapping(decode_json(line, number), number)] if line and not line.isspace() else []


def write(history: History) -> str:
    """The history as one array, an event a line. Raises ValueError or TypeError for values that are not JSON."""
    lines = []
    for event in events_of(history):
        item: dict[str, Any] = {"index": event.index}
        if event.type == "crash":
            item |= {"crash": event.value} | ({} if event.process == NEMESIS else {"process": event.process})
        else:
            item |= {"process": event.process, "type": event.type, "f": event.f}
            if event.key is not None:
                item["key"] = event.key
            item["value"] = event.value
        if event.time is not None:
            item["time"] = event.time
        lines.append(_ENCODE(item))
    return "[\n" + ",\n".join(lines) + "\n]\n"


def _elements(text: str) -> Iterator[tuple[int, Any]]:
    """The elements of an array. They come undecoded, so that their bytes tell where each one stands."""
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
            f"the array of events is not JSON at {evidence}: {reason}.",
            line,
            "Separate the events by commas.",
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
