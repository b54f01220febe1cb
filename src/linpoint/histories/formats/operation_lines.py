# SPDX-License-Identifier: Apache-2.0
"""Operation lines, linpoint's own format: one JSON object per line, in any order; or one array of such objects.

    {"process": 0, "op": "enqueue", "args": [3], "result": null, "call": 10, "return": 25}
    {"crash": true, "time": 40}
    {"crash": "object", "time": 70}
    {"annotation": "kill n1", "time": 40, "until": 55}

Guarantee: a saved history reads back with the same processes, operations, outcomes, keys, times, order hints, crashes
and annotations. Only ``item_from_dict`` decides what a line may contain; the history builder uses it as well. Cost:
about 5 microseconds per line; ``native_reading`` reads most files far faster.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

import msgspec

from linpoint.errors import HistoryError
from linpoint.histories._native_columns import LineReader
from linpoint.histories.formats.field_names import other_name
from linpoint.histories.formats.file_format import MakeReader, ReadItems, ReadOptions, format_error, shown
from linpoint.histories.formats.json_array import array_elements
from linpoint.histories.formats.native_writing import ranges, table_writer
from linpoint.histories.formats.time_text import remedy_for_time
from linpoint.histories.formats.value_validation import is_time, json_error, validate_value
from linpoint.histories.formats.watermarks import watermark_of
from linpoint.histories.history import History
from linpoint.histories.operation import Annotation, Crash, Operation, Outcome, Process, Time

FIELDS: Final = ("process", "op", "args", "result", "call", "return", "outcome", "key", "order", "times")
"""The fields of an operation. ``times`` holds the clock readings of a history ordered by position."""

_OUTCOMES: Final = {outcome.value: outcome for outcome in Outcome}
_ENCODE: Final = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(", ", ": ")).encode
_DECODE: Final = msgspec.json.Decoder().decode
_MISSING: Final = object()
_MAY_BE_NULL: Final = ("return", "order")


def read(text: str, options: ReadOptions) -> ReadItems:
    """Read the items of a text in operation lines, or of one array of them. Blank lines are skipped."""
    del options  # a key is a field of its own here, never part of a value
    operations: list[Operation] = []
    crashes: list[Crash] = []
    annotations: list[Annotation] = []
    array = text.lstrip().startswith("[")
    for number, decoded in array_elements(text, "operations") if array else _decoded(text):
        if watermark_of(decoded, number) is not None:  # only readers of a growing file use the promise
            continue
        item = item_from_dict(decoded, line=number)
        if type(item) is Operation:
            operations.append(item)
        elif type(item) is Crash:
            crashes.append(item)
        else:
            annotations.append(item)  # type: ignore[arg-type]
    if array and not (operations or crashes or annotations):
        raise format_error("LP-H008", "the array is empty.", None, "Record at least one operation.")
    return ReadItems(operations, crashes, annotations)


def _decoded(text: str) -> Iterator[tuple[int, Any]]:
    """The decoded content of each line that is not blank."""
    for number, line in enumerate(text.split("\n"), 1):
        if not line or line.isspace():
            continue
        try:
            yield number, _DECODE(line)
        except (msgspec.DecodeError, RecursionError, UnicodeError) as error:
            raise json_error(error, line, number) from None


def make_reader(expected_bytes: int, _first: bool) -> LineReader:
    """Construct a native reader of operation lines."""
    return LineReader(expected_bytes)


def native(head: bytes, options: ReadOptions) -> MakeReader:
    """The constructor of native readers of operation lines, for any beginning."""
    del head, options
    return make_reader


def item_from_dict(item: Mapping[str, Any], *, line: int | None) -> Operation | Crash | Annotation:
    """The operation, crash or annotation that an object of this format describes.

    Raises LP-H002 for a value that is not an object, LP-H006 for a missing field, LP-H007 for a field with an invalid
    value, and LP-H011 for one that is too deep or too large. The place of the error is the line.
    """
    # Reading a long file spends most of its time here, so common types are tested in place.
    if type(item) is not dict and not isinstance(item, Mapping):
        raise format_error(
            "LP-H002", f"{shown(item)} is not an object.", line, 'Write {"process": ..., "op": ..., "call": ...}.'
        )
    get = item.get
    name = get("op", _MISSING)
    if name is _MISSING:
        return _beside(item, line)
    if "crash" in item and _is_crash(item["crash"]):
        raise format_error(
            "LP-H007", 'the line has both a "crash" and an "op".', line, "Put the crash on a line of its own."
        )
    if type(name) is not str or not name:
        raise _not_allowed("op", name, "a non-empty string", line)
    process = get("process", _MISSING)
    if type(process) is not str:
        process = _process(process, line, item)
    call, return_ = get("call", _MISSING), get("return")
    if not is_time(call):
        raise _not_a_time("call", call, line, item)
    if return_ is not None and not is_time(return_):
        raise _not_a_time("return", return_, line, item)
    order = get("order")
    if order is not None and not is_time(order):
        raise _not_a_time("order", order, line, item)
    outcome = Outcome.UNKNOWN if return_ is None else Outcome.OK
    if "outcome" in item:
        outcome = _outcome(item["outcome"], outcome, line)
    args = get("args", ())
    if type(args) is not list and type(args) is not tuple:
        raise _not_allowed("args", args, "a list", line)
    result = get("result", _MISSING)
    if result is _MISSING:
        if outcome is Outcome.OK:
            remedy = 'Add a "result", null if it returns nothing; without "return" the outcome is unknown.'
            raise _missing("result", line, remedy, item)
        result = None
    return Operation(
        process,
        name,
        (validate_value(args[0], line),) if len(args) == 1 else tuple([validate_value(arg, line) for arg in args]),
        None if result is None else validate_value(result, line),
        call,
        return_,
        outcome,
        validate_value(item["key"], line) if "key" in item else None,
        _times(item["times"]) if "times" in item else None,
        line,
        order,
    )


def write(history: History) -> Iterable[str]:
    """Write the history as operation lines. Raises ValueError or TypeError for values that are not JSON."""
    writer = table_writer(history, _ENCODE)
    if writer is None:
        return ["".join(f"{_ENCODE(item)}\n" for item in as_dicts(history))]
    others = "".join(f"{_ENCODE(item)}\n" for item in dicts_beside(history))
    return itertools.chain((writer.lines(*piece).decode() for piece in ranges(writer)), [others])


def as_dicts(history: History) -> Iterator[dict[str, Any]]:
    """The items of a history as objects of this format. Fields with default values are omitted."""
    yield from operation_dicts(history.operations)
    yield from dicts_beside(history)


def operation_dicts(operations: Iterable[Operation]) -> Iterator[dict[str, Any]]:
    """Operations as objects of this format."""
    for op in operations:
        item: dict[str, Any] = {"process": op.process, "op": op.name, "args": op.args}
        if op.result is not None or op.outcome is Outcome.OK:
            item["result"] = op.result
        item["call"], item["return"] = op.call, op.return_
        if op.outcome is Outcome.FAILED or (op.outcome is Outcome.UNKNOWN and op.return_ is not None):
            item["outcome"] = op.outcome.value
        if op.key is not None:
            item["key"] = op.key
        if op.order is not None:
            item["order"] = op.order
        if op.times is not None:
            item["times"] = op.times
        yield item


def dicts_beside(history: History) -> Iterator[dict[str, Any]]:
    """Crashes and annotations as objects of this format."""
    for crash in history.crashes:
        process = {} if crash.process is None else {"process": crash.process}
        yield {"crash": "object" if crash.of_object else True} | process | {"time": crash.time}
    for annotation in history.annotations:
        yield {"annotation": annotation.text, "time": annotation.time} | (
            {} if annotation.until is None else {"until": annotation.until}
        )


def _beside(item: Mapping[str, Any], line: int | None) -> Crash | Annotation:
    """Read a line without "op": a crash or an annotation."""
    if "crash" in item:
        process = item.get("process")
        if not _is_crash(item["crash"]):
            raise _not_allowed("crash", item["crash"], 'true or "object"', line)
        of_object = item["crash"] is not True
        if of_object and process is not None:
            raise format_error(
                "LP-H007",
                f"the crash of the object has the process {shown(process)}.",
                line,
                'A crash of the object has no "process"; that of a process is {"crash": true, "process": ...}.',
            )
        return Crash(_time(item, line), None if process is None else _process(process, line, item), line, of_object)
    if "annotation" in item:
        text, time, until = item["annotation"], _time(item, line), item.get("until")
        if type(text) is not str:
            raise _not_allowed("annotation", text, "a string", line)
        if until is not None and (not is_time(until) or until < time):
            raise _not_allowed("until", until, f"a time not before {time}, or null", line)
        return Annotation(text, time, until, line)
    raise _missing("op", line, 'Add an "op", a "crash" or an "annotation".', item)


def _is_crash(value: Any) -> bool:
    return value is True or (type(value) is str and value == "object")


def _process(process: Any, line: int | None, item: Mapping[str, Any]) -> Process:
    if type(process) is str:
        return process
    if type(process) is int:
        if not is_time(process):
            validate_value(process, line)  # raises LP-H011
        return process
    if process is _MISSING:
        raise _missing("process", line, "Name the calling client by an integer or a string.", item)
    raise _not_allowed("process", process, "an integer or a string", line)


def _outcome(text: Any, default: Outcome, line: int | None) -> Outcome:
    outcome = _OUTCOMES.get(text) if type(text) is str else None
    if outcome is None:
        raise _not_allowed("outcome", text, '"ok", "failed" or "unknown"', line)
    return default if outcome is Outcome.OK else outcome


def _time(item: Mapping[str, Any], line: int | None) -> Time:
    time = item.get("time", _MISSING)
    if not is_time(time):
        raise _not_a_time("time", time, line, item)
    return time  # type: ignore[no-any-return]


def _times(times: Any) -> tuple[Time | None, Time | None] | None:
    """The clock readings, or None for anything else. They are only displayed, so they never make a line invalid."""
    if isinstance(times, (list, tuple)) and len(times) == 2 and all(time is None or is_time(time) for time in times):
        return (times[0], times[1])
    return None


def _missing(field: str, line: int | None, remedy: str, item: Mapping[str, Any]) -> HistoryError:
    other = other_name(field, item)
    if other is None:
        return format_error("LP-H006", f'the field "{field}" is missing.', line, remedy)
    return format_error(
        "LP-H006",
        f'the field "{field}" is missing, but there is a field "{other}".',
        line,
        f'Rename "{other}" to "{field}", if that is what it holds.',
    )


def _not_allowed(field: str, value: Any, wanted: str, line: int | None) -> HistoryError:
    return format_error("LP-H007", f'"{field}" is {shown(value)}.', line, f'"{field}" must be {wanted}.')


def _not_a_time(field: str, value: Any, line: int | None, item: Mapping[str, Any]) -> HistoryError:
    if value is _MISSING:
        return _missing(field, line, "Give the time as a number.", item)
    remedy = remedy_for_time(value) if type(value) is str else None
    if remedy is not None:
        return format_error("LP-H007", f'"{field}" is the text {shown(value)}.', line, remedy)
    if type(value) is int:
        validate_value(value, line)  # raises LP-H011: the only integer that is not a time is one that is too large
    return _not_allowed(field, value, f"an integer or a finite float{' or null' * (field in _MAY_BE_NULL)}", line)
