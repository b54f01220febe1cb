# SPDX-License-Identifier: Apache-2.0
"""Fingerprints of a user's object and everything it refers to. Comparing two of them shows whether the object changed.

Guarantee: two fingerprints differ whenever an attribute, an item of a container, or a value in the closure of a
function was replaced in between, in the object or in anything that it refers to. A cached property is not a change. An
object that cannot be inspected (a generator, an open file) is rejected with a coded error. Cost: O(everything the
object refers to).
"""

from __future__ import annotations

import copyreg
import functools
import types
from array import array
from collections import OrderedDict, defaultdict, deque
from collections.abc import Iterator, Mapping
from typing import Any, Final

from linpoint.errors import SpecError
from linpoint.specs.state_kinds import ATOMS, Kind, kind_of

Fingerprint = list[Any]
"""Types, sizes and the immutable values, in the order of a traversal. Two fingerprints are compared as lists."""

_BUFFERS: Final = (bytearray, array, memoryview)
_LOOKED_INTO: Final = (object, list, dict, tuple, set, frozenset, deque, OrderedDict, defaultdict, *_BUFFERS)
"""Types implemented in C whose content is traversed."""
_C_MEMBERS: Final = (types.MethodDescriptorType, types.GetSetDescriptorType, types.MemberDescriptorType)


def fingerprint(thing: Any) -> Fingerprint:
    """The fingerprint of ``thing`` at this moment."""
    found: Fingerprint = []
    numbers: dict[int, int] = {}
    visited: list[Any] = []  # keeps objects alive, so that ids stay unique during the traversal
    stack = [thing]
    while stack:
        value = stack.pop()
        cls: type = type(value)
        found.append(cls)
        if cls in ATOMS or kind_of(cls) is Kind.ATOM:
            found.append(value)
            continue
        number = numbers.setdefault(id(value), len(numbers))
        if number < len(visited):
            found.append(number)
            continue
        visited.append(value)
        parts = list(_parts(value, cls))
        found.append(len(parts))
        stack += reversed(parts)
    return found


def _parts(value: Any, cls: type) -> Iterator[Any]:
    """Everything that an object refers to."""
    if cls is types.FunctionType:
        yield from (cell.cell_contents for cell in value.__closure__ or () if cell != _EMPTY)
        yield from (value.__code__.co_name, value.__defaults__, value.__kwdefaults__, value.__dict__)
        return
    if cls is types.CodeType:
        return
    if isinstance(value, Mapping):
        for key, item in value.items():
            yield from (key, item)
    elif isinstance(value, (list, tuple, set, frozenset, deque)):
        yield from value
        yield getattr(value, "maxlen", None)
    elif isinstance(value, _BUFFERS):
        yield bytes(value)
    cached, slots, reduced = _layout(cls)
    attributes = getattr(value, "__dict__", None)
    if attributes is not None:
        for name, item in attributes.items():
            if name not in cached:
                yield from (name, item)
    for name in slots:
        if hasattr(value, name):
            yield from (name, getattr(value, name))
    if reduced:
        yield from _reduced(value)


_EMPTY: Final = types.CellType()


@functools.lru_cache(maxsize=1024)
def _layout(cls: type) -> tuple[frozenset[str], tuple[str, ...], bool]:
    """The names of cached properties, the slots, and whether there is content that neither they nor a dict hold."""
    cached = frozenset(
        name for each in cls.__mro__ for name, item in vars(each).items() if isinstance(item, functools.cached_property)
    )
    slots = tuple(copyreg._slotnames(cls))  # type: ignore[attr-defined]  # noqa: SLF001 - as copy and pickle do
    return cached, slots, any(_made_in_c(each) for each in cls.__mro__ if each not in _LOOKED_INTO)


def _made_in_c(cls: type) -> bool:
    """Whether a class has members that Python code did not define. There is no flag for that."""
    own = {"__dict__", "__weakref__", *copyreg._slotnames(cls)}  # type: ignore[attr-defined]  # noqa: SLF001 - as above
    return any(isinstance(item, _C_MEMBERS) and name not in own for name, item in vars(cls).items())


def _reduced(value: Any) -> Iterator[Any]:
    """The content of an object implemented in C, as copying and pickling see it."""
    try:
        reduce = copyreg.dispatch_table.get(type(value))
        found = value.__reduce_ex__(4) if reduce is None else reduce(value)
    except Exception as error:
        raise SpecError(
            "LP-S007",
            f"a state holds a {type(value).__name__}, whose changes cannot be detected ({error}).",
            remedy="Keep generators, files and similar objects out of the state.",
        ) from error
    if isinstance(found, str):
        yield found
        return
    for part in found:
        yield list(part) if isinstance(part, Iterator) else part
