# SPDX-License-Identifier: Apache-2.0
"""Validates arguments of scenarios: only values that survive being written as JSON and read again are accepted.

Guarantee: the result of ``json_value`` is immutable, consists of plain JSON types only, is bounded like the values of
histories, and can be encoded as UTF-8. A scenario can therefore be printed, parsed, stored in a token and replayed.
Cost: O(size of the value).
"""

from __future__ import annotations

from typing import Any, Final

from linpoint.errors import HistoryError, TestError
from linpoint.histories.formats.value_validation import validate_value
from linpoint.histories.values import FrozenObject, Value

_PLAIN: Final = frozenset({int, bool, float, type(None)})
_REMEDY: Final = "Draw numbers, strings, lists or dicts, and build other objects from them inside the operation."


def json_value(value: Any, *, place: str | None = None, what: str = "an argument") -> Value:
    """Return ``value`` frozen, or raise LP-T009 at ``place``; ``what`` names the value in the message."""
    try:
        frozen = validate_value(value, None)
    except HistoryError as error:
        raise TestError("LP-T009", f"{what} cannot be used: {error.message}", place=place, remedy=_REMEDY) from None
    waiting = [frozen]
    while waiting:
        item = waiting.pop()
        kind = type(item)
        if kind is tuple:
            waiting += item
        elif kind is FrozenObject:
            waiting += item.keys()
            waiting += item.values()
        elif kind is str:
            _check_letters(item, place, what)
        elif kind not in _PLAIN:
            # Enumerations of strings are rejected as well: replayed from a token, they would be different values.
            fact = f"{what} is {item!r}, a {kind.__name__}, which is not JSON."
            raise TestError("LP-T009", fact, place=place, remedy=_REMEDY)
    return frozen


def _check_letters(text: str, place: str | None, what: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError:
        fact = f"{what} has the text {text!r}, with half of a surrogate pair, which is not JSON."
        raise TestError("LP-T009", fact, place=place, remedy="Draw text that can be encoded as UTF-8.") from None
