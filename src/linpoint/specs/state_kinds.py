# SPDX-License-Identifier: Apache-2.0
"""Determines what a step of a user's spec can change in a state, by the types of its parts.

Guarantee: a value that ``is_immutable`` accepts cannot be changed, except by ``object.__setattr__`` on a frozen
dataclass. Cost: O(size of the state); for tuples of numbers and strings, one call into C.
"""

from __future__ import annotations

import dataclasses
import enum
import functools
import os
import threading
import types
from collections import Counter, OrderedDict, defaultdict
from typing import Any, Final

from linpoint.histories.values import FrozenObject

ATOMS: Final = frozenset(
    {
        *(int, float, complex, bool, str, bytes, type(None), object, range, FrozenObject),
        *(types.EllipsisType, types.ModuleType, types.BuiltinFunctionType),
        *(type(threading.Lock()), type(threading.RLock())),
    }
)
"""Types whose values no step can change. A bare ``object`` serves as a sentinel."""

_CONTAINERS: Final = (list, dict, set, OrderedDict, defaultdict, Counter)


class Kind(enum.Enum):
    """The ways of treating the values of a type."""

    ATOM = enum.auto()
    TUPLE = enum.auto()
    FROZEN_SET = enum.auto()
    FROZEN_DATACLASS = enum.auto()
    CONTAINER = enum.auto()
    """A built-in container, which can be copied."""
    OBJECT = enum.auto()
    """Anything else: a copy could be a different value than the object itself."""


@functools.lru_cache(maxsize=1024)
def kind_of(cls: type) -> Kind:
    """The kind of a type."""
    if cls in ATOMS or issubclass(cls, (type, enum.Enum, os.PathLike)):
        return Kind.ATOM
    if cls in _CONTAINERS:
        return Kind.CONTAINER
    if cls is frozenset:
        return Kind.FROZEN_SET
    bare = cls.__dictoffset__ == 0
    if issubclass(cls, tuple):
        return Kind.TUPLE if bare else Kind.OBJECT
    parameters = vars(cls).get("__dataclass_params__")
    if parameters is not None and parameters.frozen:
        return Kind.FROZEN_DATACLASS
    # Values implemented in C, such as dates and decimals: a hash of their own means that their content is constant.
    by_content = isinstance(cls.__hash__, types.WrapperDescriptorType) and cls.__hash__ is not object.__hash__
    return Kind.ATOM if by_content and bare and not hasattr(cls, "__slots__") else Kind.OBJECT


@functools.lru_cache(maxsize=1024)
def _field_names(cls: type) -> tuple[str, ...]:
    return tuple(each.name for each in dataclasses.fields(cls))


def is_immutable(value: Any) -> bool:
    """Whether no step can change ``value``."""
    cls: type = type(value)
    if cls in ATOMS:
        return True
    if cls is tuple or cls is frozenset:
        return ATOMS.issuperset(map(type, value)) or all(map(is_immutable, value))
    match kind_of(cls):
        case Kind.ATOM:
            return True
        case Kind.TUPLE:
            return all(map(is_immutable, value))
        case Kind.FROZEN_DATACLASS:
            return all(is_immutable(getattr(value, name)) for name in _field_names(cls))
        case _:
            return False
