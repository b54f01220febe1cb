# SPDX-License-Identifier: Apache-2.0
"""Validates values and times: only bounded JSON is accepted, and it is frozen.

Guarantee: the result of ``validate_value`` is immutable and nested at most ``MAX_NESTING_DEPTH`` deep, and its numbers
are finite and at most ``MAX_INTEGER_DIGITS`` long. Validated values can therefore neither overflow a stack nor stall on
a number. Cost: O(size of the value), without recursion before the depth is known.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

import msgspec

from linpoint.errors import HistoryError
from linpoint.histories.formats.file_format import format_error, shortened, shown
from linpoint.histories.operation import Time
from linpoint.histories.values import MAX_INTEGER_DIGITS, MAX_NESTING_DEPTH, Value, freeze

BYTE: Final = re.compile(r"\(byte (\d+)\)")
"""The position at which the JSON decoder stopped."""

_INTEGER_BOUND: Final = 10**MAX_INTEGER_DIGITS


def validate_value(value: Any, line: int | None) -> Value:
    """Return ``value`` frozen, or raise LP-H011 (too deep, too large) or LP-H007 (not JSON)."""
    kind = type(value)
    if kind is str or value is None or kind is bool:
        return value
    if kind is int or kind is float:
        if not -_INTEGER_BOUND < value < _INTEGER_BOUND:
            _check_number(value, line)
        return value
    _check_container(value, line)
    return freeze(value)


def is_time(value: Any) -> bool:
    """Whether ``value`` is an integer or a finite float, and not a bool."""
    kind = type(value)
    return (kind is int and -_INTEGER_BOUND < value < _INTEGER_BOUND) or (kind is float and math.isfinite(value))


def clock_reading(value: Any) -> Time | None:
    """A time that is only displayed; None for a value that is not a time."""
    return value if is_time(value) else None


def decode_json(text: str, line: int | None) -> Any:
    """Decode one JSON document; LP-H002 (not JSON) or LP-H011 (beyond the limits of the decoder)."""
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError, UnicodeError) as error:
        raise json_error(error, text, line) from None


def json_error(error: Exception, text: str, line: int | None) -> HistoryError:
    """The coded error for an exception of the JSON decoder."""
    if isinstance(error, RecursionError):
        return too_deep(line)
    if isinstance(error, msgspec.ValidationError):  # decoding without a type rejects only numbers
        return _too_large(line)
    reason = str(error)
    if "truncated" in reason and not text.rstrip().endswith(("}", "]")):
        remedy = "Complete it, or remove it if the recorder stopped there."
        return format_error("LP-H002", f"the JSON {shortened(text)} is truncated.", line, remedy)
    at = BYTE.search(reason)
    if at is None:  # the decoder runs past the end in a truncated escape
        return format_error(
            "LP-H002", f"{shortened(text)} has a string with an incomplete escape.", line, "Complete the escape."
        )
    near = text.encode()[max(0, int(at[1]) - 30) :][:60].decode(errors="ignore")
    what = BYTE.sub("", reason).removeprefix("JSON is malformed: ").strip()
    return format_error(
        "LP-H002", f"{shortened(near)} is not JSON: {what}.", line, "Write values as JSON, strings in double quotes."
    )


def too_deep(line: int | None) -> HistoryError:
    """The error for a value nested deeper than ``MAX_NESTING_DEPTH``."""
    return format_error(
        "LP-H011",
        f"a value is nested more than {MAX_NESTING_DEPTH} deep.",
        line,
        "Record a flatter value, such as an id or a digest.",
    )


def _too_large(line: int | None) -> HistoryError:
    return format_error(
        "LP-H011",
        f"a number is too large (integers have at most {MAX_INTEGER_DIGITS} digits, other numbers are 64-bit floats).",
        line,
        "Record it as a string.",
    )


def _check_number(number: float, line: int | None) -> None:
    if not -_INTEGER_BOUND < number < _INTEGER_BOUND:
        if isinstance(number, float) and math.isnan(number):
            raise format_error(
                "LP-H007", "a number is NaN, which is not JSON.", line, "Record null or a string instead."
            )
        if type(number) is int or math.isinf(number):
            raise _too_large(line)


def _check_container(value: Any, line: int | None) -> None:
    """Traverse depth first, so that a list that contains itself is reported as too deep."""
    stack = [(value, 1)]
    while stack:
        item, depth = stack.pop()
        if isinstance(item, (list, tuple)):
            children: Iterable[Any] = item
        elif isinstance(item, Mapping):
            _check_keys(item, line)
            children = item.values()
        else:
            continue
        if depth > MAX_NESTING_DEPTH:
            raise too_deep(line)
        for child in children:
            kind = type(child)
            if kind is int or kind is float:
                if not -_INTEGER_BOUND < child < _INTEGER_BOUND:
                    _check_number(child, line)
            elif kind is not str and child is not None and kind is not bool:
                stack.append((child, depth + 1))


def _check_keys(item: Mapping[Any, Any], line: int | None) -> None:
    for key in item:
        if type(key) is not str:
            message = f"an object has the key {shown(key)}, which is not a string."
            raise format_error("LP-H007", message, line, "Use strings as keys, as JSON does.")
