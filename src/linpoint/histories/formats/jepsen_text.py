# SPDX-License-Identifier: Apache-2.0
"""Jepsen's text logs: the lines of ``jepsen.util`` that report operations. Other log lines are skipped.

    INFO  jepsen.util - 0	:invoke	:read	nil

Guarantee: a line that reports an operation is used or rejected. ``load_save`` ensures that no event of another format
is among the skipped lines. Cost: O(length).
"""

from __future__ import annotations

import re
from typing import Any, Final

from linpoint.errors import HistoryError
from linpoint.histories.formats.edn_parser import edn_values
from linpoint.histories.formats.event_pairing import NEMESIS, Event, event_from_mapping, pair
from linpoint.histories.formats.file_format import ReadItems, ReadOptions, format_error

OPERATION: Final = re.compile(r"\bjepsen\.util\s+(?:-\s+)?:?([\w-]+)\s+:(\S+)\s+:(\S+)(?:[ \t]+(\S.*))?")
"""The process, type, f and value of a line."""


def read(text: str, options: ReadOptions) -> ReadItems:
    """Read the items of a Jepsen text log."""
    found = [event for number, line in enumerate(text.split("\n"), 1) for event in events(line, number)]
    if not found:
        raise format_error(
            "LP-H008",
            "the log has no operations of jepsen.util.",
            None,
            "Write lines like `INFO  jepsen.util - 0 :invoke :read nil`.",
        )
    return pair(found, keyed=options.keyed)


def events(line: str, number: int) -> list[Event]:
    """The event that a line of the log reports; none for other lines."""
    match = OPERATION.search(line)
    return [] if match is None else [_event(match, number)]


def _event(match: re.Match[str], line: int) -> Event:
    process, type_, f, text = match.groups()
    counts = type_ in ("invoke", "ok") and process != NEMESIS
    return event_from_mapping(
        {"process": _process(process), "type": type_, "f": f, "value": _value(text or "nil", line, counts)}, line
    )


def _process(text: str) -> int | str:
    return int(text) if re.fullmatch(r"-?[0-9]{1,300}", text) else text


def _value(text: str, line: int, counts: bool) -> Any:
    """Read the first form; an error message may follow it. If ``counts`` is false, any text is accepted."""
    try:
        found = edn_values(text)
    except HistoryError as error:
        if not counts:
            return text.strip()
        raise format_error(error.code, error.message, line, error.remedy) from None
    return found[0][1] if found else None
