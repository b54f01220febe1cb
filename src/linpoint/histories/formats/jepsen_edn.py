# SPDX-License-Identifier: Apache-2.0
"""Jepsen's histories in EDN: one event per line, or one vector or list of events. Comments are skipped.

    {:process 0, :type :invoke, :f :write, :value 3, :time 12, :index 0}
    {:crash :object, :time 15, :index 1}

Guarantee and cost: those of ``edn_parser`` and ``event_pairing``.
"""

from __future__ import annotations

import re
from typing import Any, Final

from linpoint.errors import HistoryError
from linpoint.histories._native_columns import EdnReader
from linpoint.histories.formats.edn_parser import edn_values
from linpoint.histories.formats.event_pairing import NEMESIS, Event, event_from_mapping, pair
from linpoint.histories.formats.event_writer import events_of
from linpoint.histories.formats.file_format import MakeReader, ReadItems, ReadOptions, format_error
from linpoint.histories.history import History

_KEYWORD: Final = re.compile(r"[A-Za-z*!?_+.-][A-Za-z0-9*!?_+.-]*")
_LONG_BOUND: Final = 2**63


def read(text: str, options: ReadOptions) -> ReadItems:
    """Read the items of a Jepsen history in EDN."""
    return pair(events(text), keyed=options.keyed)


def events(text: str, first: int = 1) -> list[Event]:
    """The events in the order of the text, whose first line has the number ``first`` in its file."""
    try:
        found = edn_values(text, flatten=True)
    except HistoryError as error:
        if first == 1 or error.place is None:
            raise
        raise format_error(error.code, error.message, first + int(error.place) - 1, error.remedy) from None
    return [event_from_mapping(form, first + line - 1) for line, form in found]


def native(head: bytes, options: ReadOptions) -> MakeReader:
    """The constructor of native readers of events in EDN, for any beginning."""
    del head
    return lambda expected_bytes, _: EdnReader(expected_bytes, options.keyed, False)


def write(history: History) -> list[str]:
    """Write the history as one event per line. Raises ValueError or TypeError for values that EDN cannot represent."""
    return ["".join(f"{_event(event)}\n" for event in events_of(history))]


def _crash(event: Event) -> str:
    process = "" if event.process == NEMESIS else f", :process {_value(event.process)}"
    time = "" if event.time is None else f", :time {_value(event.time)}"
    return f"{{:index {event.index}, :crash {':object' if event.value == 'object' else 'true'}{process}{time}}}"


def _event(event: Event) -> str:
    if event.type == "crash":
        return _crash(event)
    fields: dict[str, str] = {
        "index": str(event.index),
        "process": ":nemesis" if event.process == NEMESIS else _value(event.process),
        "type": f":{event.type}",
        "f": f":{event.f}" if _KEYWORD.fullmatch(event.f) else _value(event.f),
    }
    if event.key is not None:
        fields["key"] = _value(event.key)
    fields["value"] = _value(event.value)
    if event.time is not None:
        fields["time"] = _value(event.time)
    return "{" + ", ".join(f":{name} {text}" for name, text in fields.items()) + "}"


def _value(value: Any) -> str:
    if value is None:
        return "nil"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value) if -_LONG_BOUND <= value < _LONG_BOUND else f"{value}N"
    if isinstance(value, float):
        if value - value != 0:
            raise ValueError(f"{value} is not a finite number")
        return repr(value)
    if isinstance(value, str):
        return _string(value)
    if isinstance(value, (list, tuple)):
        return "[" + " ".join(map(_value, value)) + "]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_value(key)} {_value(item)}" for key, item in value.items()) + "}"
    raise TypeError(f"{value!r} is not JSON")


def _string(text: str) -> str:
    """A string with only the escapes that Clojure's own reader accepts."""
    text = text.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + text.replace("\n", "\\n").replace("\r", "\\r").replace("\t", "\\t") + '"'
