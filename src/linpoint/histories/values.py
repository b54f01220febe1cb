# SPDX-License-Identifier: Apache-2.0
"""Values of operations: immutable JSON values, with the equality that specs and formats document.

``True`` is not ``1``, but ``1`` equals ``1.0``; a list equals a tuple. Python's equality differs, so values here are
never compared with ``==``: compare their ``canonical`` forms, which are hashable as well.
"""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Hashable, Iterable, Mapping
from typing import Any, Final, NoReturn

Value = Any  # None, bool, int, float, str, tuple of values, or FrozenObject

MAX_NESTING_DEPTH: Final = 64
"""The deepest nesting that is read. Deeper input is a coded error, not a stack overflow."""

MAX_INTEGER_DIGITS: Final = 300
"""The maximum number of digits of an integer. Longer ones only serve to exhaust a reader."""


class FrozenObject(dict[str, Any]):
    """An immutable JSON object."""

    __slots__ = ()

    def _refuse(self, *_: object, **__: object) -> NoReturn:
        raise TypeError("the values of a history are immutable")

    __setitem__ = __delitem__ = __ior__ = _refuse
    update = clear = pop = popitem = setdefault = _refuse

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(canonical(self))

    def __reduce__(self) -> tuple[Any, ...]:
        return (FrozenObject, (dict(self),))


def freeze(value: Any) -> Value:
    """Convert lists in ``value`` to tuples and dicts to ``FrozenObject``, at all levels."""
    kind = type(value)
    if kind is int or kind is str or value is None or kind is bool or kind is float:
        return value
    if isinstance(value, Mapping):
        return FrozenObject((key, freeze(item)) for key, item in value.items())
    if isinstance(value, (list, tuple)):
        return tuple(freeze(item) for item in value)
    return value


def thaw(value: Value) -> Any:
    """A fresh plain copy of a frozen value: tuples become lists, ``FrozenObject`` becomes dict."""
    kind = type(value)
    if kind is tuple:
        return [thaw(item) for item in value]
    if kind is FrozenObject:
        return {key: thaw(item) for key, item in value.items()}
    return value


def snapshot(value: Any) -> Value:
    """The value of an argument or result of a Python object, independent of later changes of the object.

    Parts without a comparable value, such as a list inside an object, are represented by their ``repr``.
    """
    frozen = freeze(value)
    try:
        hash(canonical(frozen))
    except TypeError:
        return repr(value)
    return frozen


class _Tag:
    """A marker that equals only itself, so that tagged forms never collide with users' values."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return f"<{self.name}>"


_TRUE, _FALSE, _NAN = _Tag("true"), _Tag("false"), _Tag("nan")
_LIST, _OBJECT, _ORDERED, _SET = _Tag("list"), _Tag("object"), _Tag("ordered object"), _Tag("set")


def canonical(value: Any) -> Hashable:
    """A hashable form. Two values are equal for linpoint if and only if their canonical forms are equal in Python.

    Built-in containers are traversed; any other object stands for itself and must be hashable.
    """
    kind = type(value)
    if kind is int or kind is str or value is None:
        return value  # type: ignore[no-any-return]
    if kind is bool:
        return _TRUE if value else _FALSE
    if kind is float:
        return value if value == value else _NAN  # noqa: PLR0124 - the test for NaN
    if kind is tuple or kind is list:
        return (_LIST, *map(canonical, value))
    if isinstance(value, Mapping):
        pairs = ((canonical(key), canonical(item)) for key, item in value.items())
        # The order of entries has no meaning in values of histories. In a state it has: an OrderedDict evicts by order.
        return (_ORDERED, *pairs) if kind is OrderedDict else (_OBJECT, frozenset(pairs))
    if isinstance(value, (set, frozenset)):
        return (_SET, frozenset(map(canonical, value)))
    if isinstance(value, (list, tuple)):
        return (_LIST, *map(canonical, value))
    return value  # type: ignore[no-any-return]


def equal_values(left: Any, right: Any) -> bool:
    """Whether two values are equal for linpoint."""
    if left is right:
        return True
    kind = type(left)
    if kind is type(right) and (kind is int or kind is str):
        return bool(left == right)
    return canonical(left) == canonical(right)


def scalars(value: Value) -> Iterable[Value]:
    """The numbers and strings inside ``value``. Null and booleans identify nothing and are omitted."""
    if isinstance(value, Mapping):
        for item in value.values():
            yield from scalars(item)
    elif isinstance(value, (list, tuple, set, frozenset)):
        for item in value:
            yield from scalars(item)
    elif value is not None and not isinstance(value, bool):
        yield value


def format_value(value: Any) -> str:
    """``value`` as compact JSON text, or its ``repr`` if it is not JSON."""
    try:
        return json.dumps(value, ensure_ascii=False, separators=(", ", ": "), default=repr)
    except (TypeError, ValueError):
        pass
    try:
        return repr(value)
    except ValueError:  # an integer with more digits than Python converts
        return hex(value) if isinstance(value, int) else f"<{type(value).__name__}>"
