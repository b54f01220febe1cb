# SPDX-License-Identifier: Apache-2.0
"""The gate for arguments of scenarios: only what survives being written as JSON and read again passes.

Guarantee: what ``json_value`` returns is immutable, made of plain JSON types all the way down, bounded as the values of
histories are, and can be encoded as UTF-8; so a scenario can be printed, parsed, put into a token and replayed.
Cost: O(size of the value).
"""

from __future__ import annotations

from typing import Any, Final

from linpoint.errors import HistoryError, TestError
from linpoint.histories.formats.value_validation import validate_value
from linpoint.histories.values import FrozenObject, Value

_PLAIN: Final = frozenset({int, bool, float, type(None)})
_REMEDY: Final = "Draw numbers, strings, lists or dicts, and make what you need of them inside the operation."


def json_value(value: Any, *, place: str | None = None, what: str = "an argument") -> Value:
    """``value`` frozen, or LP-T009 at ``place``; ``what`` names the value in the message."""
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
            # Not even an enumeration of strings: replayed from a token, it would be another value than in the run.
            fact = f"{what} is {item!r}, a {kind.__name__}, which is not JSON."
            raise TestError("LP-T009", fact, place=place, remedy=_REMEDY)
    return frozen


def _check_letters(text: str, place: str | None, what: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError:
        fact = f"{what} has the text {text!r}, with half of a surrogate pair, which is not JSON."
        raise TestError("LP-T009", fact, place=place, remedy="Draw text that UTF-8 can hold.") from None
