# SPDX-License-Identifier: Apache-2.0
"""Constructs histories in code: from drawings in ASCII, lists of dicts, or lists of operations.

A drawing has one row per process. Time runs to the right, and each column is an instant:

    A: |--enqueue(1)--|          |--dequeue()->2--|
    B:        |--enqueue(2)--|
    crash:                                           X

An operation is ``|--name(args)->result--|``. Without ``->`` the result is null. An operation that ends in ``--...`` has
an unknown outcome, and one with the result ``failed`` has failed. ``X`` in a row named ``crash`` is a crash of
everything, and in a row named ``object crash`` a crash of the object alone. A process whose name is a number, or
contains a colon or a bar, is written in quotes. Arguments and results are JSON.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

from linpoint.errors import HistoryError, UsageError
from linpoint.histories.formats.operation_lines import item_from_dict
from linpoint.histories.history import History
from linpoint.histories.operation import Annotation, Crash, Operation, Outcome, Process
from linpoint.histories.values import freeze

_BEGIN = re.compile(r"\|-+\s*([A-Za-z_][\w-]*?)\s*\(")
_NAME = re.compile(r"\s*(?:(\"(?:[^\"\\]|\\.)*\")|([^:|]+?))\s*:")
_DECODER = json.JSONDecoder()


def history(source: str | Iterable[Mapping[str, Any] | Operation | Crash | Annotation] | History) -> History:
    """Construct a history from a drawing, or from operations, crashes and annotations.

    These may be objects, or dicts with the fields of operation lines.
    """
    if isinstance(source, History):
        return source
    if isinstance(source, str):
        return _draw(source)
    if not isinstance(source, Iterable):
        raise UsageError(
            "LP-U001",
            f"a {type(source).__name__} is not a history.",
            remedy="Pass a drawing, a list of operations or dicts, or the result of linpoint.load(path).",
        )
    operations: list[Operation] = []
    crashes: list[Crash] = []
    annotations: list[Annotation] = []
    for number, item in enumerate(source, 1):
        made = item if isinstance(item, (Operation, Crash, Annotation)) else item_from_dict(item, line=number)
        if isinstance(made, Crash):
            crashes.append(made)
        elif isinstance(made, Annotation):
            annotations.append(made)
        else:
            operations.append(made)
    return History(operations, crashes=crashes, annotations=annotations)


def _draw(text: str) -> History:
    operations: list[Operation] = []
    crashes: list[Crash] = []
    for number, row in enumerate(text.splitlines(), 1):
        if not row.strip():
            continue
        head = _NAME.match(row)
        if head is None:
            raise _error(number, f"the row {row.strip()!r} has no process name.", "Start each row with `name:`.")
        name = head.group(2)
        if name in ("crash", "object crash"):
            marks = [at for at in range(head.end(), len(row)) if row[at] == "X"]
            crashes += [Crash(at, line=number, of_object=name != "crash") for at in marks]
        else:
            process = _json(head.group(1), 0, number)[0] if name is None else _process(name)
            operations += _row(row, head.end(), process, number)
    if not operations and not crashes:
        raise HistoryError("LP-H008", "the drawing has no operations.", remedy="Draw one as `A: |--read()->1--|`.")
    return History(operations, crashes=crashes, source="drawing")


def _process(name: str) -> Process:
    return int(name) if re.fullmatch(r"-?[0-9]{1,18}", name) else name


def _row(row: str, at: int, process: Process, number: int) -> Iterable[Operation]:
    while rest := row[at:].strip():
        begin = _BEGIN.search(row, at)
        if begin is None or row[at : begin.start()].strip():
            raise _error(number, f"cannot read {rest!r}.", "Draw an operation as `|--name(args)->result--|`.")
        args, at = _arguments(row, begin.end(), number)
        result: Any = None
        outcome = Outcome.OK
        if row.startswith("->", at):
            if row.startswith("failed", at + 2):
                outcome, at = Outcome.FAILED, at + len("->failed")
            else:
                result, at = _json(row, at + 2, number)
        end = re.compile(r"\s*-+(\||\.\.\.)").match(row, at)
        if end is None:
            raise _error(
                number, f"the operation {row[begin.start() : at]!r} has no end.", "End it with `--|` or `--...`."
            )
        unknown = end.group(1) != "|"
        at = end.end()
        yield Operation(
            process,
            begin.group(1),
            args,
            None if unknown else result,
            call=begin.start(),
            return_=None if unknown else at - 1,
            outcome=Outcome.UNKNOWN if unknown else outcome,
            line=number,
        )
        if not unknown:
            at -= 1 if row[at : at + 1] == "-" else 0  # one bar may both end an operation and begin the next


def _arguments(row: str, at: int, number: int) -> tuple[tuple[Any, ...], int]:
    args: list[Any] = []
    while True:
        while row[at : at + 1] in (" ", ","):
            at += 1
        if row[at : at + 1] == ")":
            return tuple(args), at + 1
        value, at = _json(row, at, number)
        args.append(value)


def _json(row: str, at: int, number: int) -> tuple[Any, int]:
    try:
        value, end = _DECODER.raw_decode(row, at)
    except (ValueError, RecursionError):
        raise _error(number, f"{row[at : at + 20]!r} is not JSON.", 'Strings need quotes: put("a").') from None
    return freeze(value), end


def _error(number: int, message: str, remedy: str) -> HistoryError:
    return HistoryError("LP-H016", message, place=f"drawing:{number}", remedy=remedy)
