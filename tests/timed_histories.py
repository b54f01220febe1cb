# SPDX-License-Identifier: Apache-2.0
"""Histories in which times matter: one line per operation, such as ``peek()->2 [10, 12]``."""

from __future__ import annotations

import json
import re

from linpoint.histories.history import History
from linpoint.histories.operation import Operation, Outcome
from linpoint.histories.values import freeze

_LINE = re.compile(
    r"(?P<name>[\w-]+)\((?P<args>.*)\)(->(?P<result>.+?))?\s*\[(?P<call>-?[\d.]+), (?P<end>-?[\d.]+|\.\.\.)\]"
    r"(\s*order (?P<order>\d+))?"
)


def timed(text: str, *, together: bool = False) -> History:
    """The operations of ``text``. One that ends in ``...`` has an unknown outcome; ``order 3`` is a hint.

    Each has a process of its own, or all share one if they are ``together``.
    """
    return History([_operation(0 if together else process, line) for process, line in enumerate(_lines(text))])


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]


def _operation(process: int, line: str) -> Operation:
    found = _LINE.fullmatch(line)
    assert found, line
    unknown = found["end"] == "..."
    return Operation(
        process,
        found["name"],
        args=tuple(freeze(value) for value in json.loads(f"[{found['args']}]")),
        result=freeze(json.loads(found["result"])) if found["result"] else None,
        call=float(found["call"]),
        return_=None if unknown else float(found["end"]),
        outcome=Outcome.UNKNOWN if unknown else Outcome.OK,
        order=int(found["order"]) if found["order"] else None,
    )
