# SPDX-License-Identifier: Apache-2.0
"""Short texts for the values, accesses and exceptions of a run, for the steps of its ``Trace``.

Inspecting a value runs no code of the program: anything but plain data is shown by its type. Only the text of an
exception comes from the program's code; if that code fails, the exception is shown by its type as well.
"""

from __future__ import annotations

import math
import types
from typing import Any, Final

from msgspec import UNSET

from linpoint.explore.python_control.bytecode_accesses import AccessAction
from linpoint.histories.values import FrozenObject, Value, format_value

_MAX_VALUE_CHARS: Final = 60
_MAX_SHOWN_ITEMS: Final = 8
_MAX_INTEGER_BITS: Final = 512
_MAX_VALUE_DEPTH: Final = 2
_PLAIN: Final = (bool, int, float, str)
_CALLABLE: Final = (
    types.BuiltinFunctionType,
    types.MethodDescriptorType,
    types.WrapperDescriptorType,
    types.MethodWrapperType,
)


def plain(value: Any, depth: int = _MAX_VALUE_DEPTH) -> Value:
    """A value to show: plain data as it is, anything else by its type."""
    if type(value) is int and value.bit_length() > _MAX_INTEGER_BITS:
        return f"<int of {value.bit_length()} bits>"
    if type(value) is float and not math.isfinite(value):
        return f"<{value}>"
    if value is UNSET or value is None or type(value) in _PLAIN:
        return value
    # A subclass may override methods: call those of its builtin base class.
    kind: Any = next((each for each in (list, tuple, dict) if isinstance(value, each)), None)
    if depth and kind is not None and kind.__len__(value) <= _MAX_SHOWN_ITEMS:
        if kind is dict:
            return FrozenObject((_key(key, depth), plain(each, depth - 1)) for key, each in dict.items(value))
        return tuple(plain(each, depth - 1) for each in kind.__iter__(value))
    return f"<{type(value).__name__.removeprefix('Controlled')}>"


def _key(key: Any, depth: int) -> str:
    return key if type(key) is str else str(plain(key, depth - 1))


def access_text(action: AccessAction, subject: Any, operands: list[Any]) -> str | None:
    """What an instruction does to the contents of an object, as text; None if its kind says everything."""
    last = operands[-1] if operands else None
    match action:
        case AccessAction.READ_ITEM | AccessAction.READ_CONTENTS if len(operands) > 1 and operands[-2] is subject:
            return f"[{_short(last)}]"
        case AccessAction.READ_MEMBERS if len(operands) > 1 and last is subject:
            return f"{_short(operands[-2])} in it?"
        case AccessAction.WRITE_CONTENTS if len(operands) > 2:
            return f"[{_short(last)}] = {_short(operands[-3])}"
        case AccessAction.ITERATE:
            return "next item"
        case AccessAction.CHANGE_IN_PLACE:
            return f"with {_short(last)}"
        case AccessAction.CALL_WITH_NAMES:
            return _called(subject, operands[:-1])  # the keyword names are on top
        case AccessAction.CALL | AccessAction.CALL_WITH_TUPLE | AccessAction.CALL_OF | AccessAction.SPREAD:
            return _called(subject, operands)
    return None


def _called(subject: Any, operands: list[Any]) -> str | None:
    """The call of a method or function, by the name of the callable."""
    for at, each in enumerate(operands):
        if isinstance(each, _CALLABLE) or (isinstance(each, type) and at + 1 < len(operands)):
            rest = [value for value in operands[at + 1 :] if value is not subject and value is not None]
            return f"{each.__name__}({', '.join(map(_short, rest))})"
    return None


def _short(value: Any) -> str:
    text = format_value(plain(value))
    return text if len(text) <= _MAX_VALUE_CHARS else f"{text[: _MAX_VALUE_CHARS - 3]}..."


def exception_text(error: BaseException) -> str:
    """An exception by its type and text, as at the end of a Python traceback."""
    try:
        text = str(error)
    except Exception:  # noqa: BLE001 - the program's own code
        text = ""
    return f"{type(error).__name__}: {text}" if text else type(error).__name__
