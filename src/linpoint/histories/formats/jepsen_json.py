# SPDX-License-Identifier: Apache-2.0
"""Jepsen-style events in JSON: one object per line, or one array of objects.

    {"index": 0, "process": 0, "type": "invoke", "f": "write", "value": [1, 3], "time": 12}

Guarantee and cost: those of ``event_pairing``. Events in an array also have their lines.
"""

from __future__ import annotations

import json
from typing import Any, Final

from linpoint.histories._native_columns import JsonEventReader
from linpoint.histories.formats.event_pairing import NEMESIS, Event, event_from_mapping, pair
from linpoint.histories.formats.event_writer import events_of
from linpoint.histories.formats.file_format import MakeReader, ReadItems, ReadOptions
from linpoint.histories.formats.json_array import array_elements
from linpoint.histories.formats.value_validation import decode_json
from linpoint.histories.history import History

_ENCODE: Final = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode


def read(text: str, options: ReadOptions) -> ReadItems:
    """Read the items of a history in JSON events."""
    if text.lstrip().startswith("["):
        return pair(
            (event_from_mapping(item, line) for line, item in array_elements(text, "events")), keyed=options.keyed
        )
    return pair(
        (event for number, line in enumerate(text.split("\n"), 1) for event in events(line, number)),
        keyed=options.keyed,
    )


def events(line: str, number: int) -> list[Event]:
    """The event on one line; none if it is blank."""
    return [event_from_mapping(decode_json(line, number), number)] if line and not line.isspace() else []


def native(head: bytes, options: ReadOptions) -> MakeReader:
    """The constructor of native readers of events in JSON, for any beginning."""
    del head
    return lambda expected_bytes, _: JsonEventReader(expected_bytes, options.keyed)


def write(history: History) -> list[str]:
    """Write the history as one array, one event per line.

    Raises ValueError or TypeError for values that are not JSON.
    """
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
    return ["[\n" + ",\n".join(lines) + "\n]\n"]
