# SPDX-License-Identifier: Apache-2.0
"""Copies a state for one step of a user's spec, and detects whether the step has changed the copy.

Built-in containers are copied. Other objects are not: the copy of an object with identity would be a different value.
Their content is recorded instead, so that a change is detected.

Guarantee: the containers of the original never change, and a change of the copy is detected unless it replaced a number
or a string by an equal one of the same type. Cost: O(size of the state); for containers of numbers and strings, a few
calls into C.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable
from typing import Any, Final

from linpoint.histories.values import FrozenObject
from linpoint.specs.object_fingerprints import Fingerprint, fingerprint
from linpoint.specs.state_kinds import ATOMS, Kind, is_immutable, kind_of


class StateCopy:
    """A copy of a state, with the data for detecting changes of it.

    A container that occurs in several places of the state occurs in the same places of the copy.
    """

    __slots__ = ("_containers", "_fingerprints", "_objects", "original", "shared", "value")

    def __init__(self, original: Any) -> None:
        self.original = original
        self.shared = False
        """Whether a container occurs in several places."""
        self._containers: dict[int, Any] = {}
        self._objects: dict[int, Any] = {}
        self.value = self._copy(original)
        self._fingerprints = self._look() if self._objects else []

    def is_changed(self) -> bool:
        """Whether the content of the copy's containers differs from that of the original's."""
        return not same_content(self.original, self.value)

    def changed_object(self) -> Any:
        """An object in the state that has changed, or None."""
        if not self._objects:
            return None
        pairs = zip(self._objects.values(), self._fingerprints, self._look(), strict=True)
        return next((each for each, before, after in pairs if before != after), None)

    def _look(self) -> list[Fingerprint]:
        return list(map(fingerprint, self._objects.values()))

    def _copy(self, value: Any) -> Any:
        cls: type = type(value)
        if cls in ATOMS:
            return value
        if cls is tuple:
            return value if ATOMS.issuperset(map(type, value)) else tuple(map(self._copy, value))
        match kind_of(cls):
            case Kind.ATOM:
                return value
            case Kind.CONTAINER:
                return self._copy_container(value, cls)
            case Kind.TUPLE:
                return tuple.__new__(cls, map(self._copy, value))
            case Kind.FROZEN_SET:
                self._note(value)
            case _ if not is_immutable(value):
                self._objects[id(value)] = value
        return value

    def _copy_container(self, value: Any, cls: type) -> Any:
        made = self._containers.get(id(value))
        if made is not None:
            self.shared = True
            return made
        made = self._containers[id(value)] = value.copy()
        if cls is list:
            if not ATOMS.issuperset(map(type, value)):
                made[:] = map(self._copy, value)
            return made
        self._note(value)
        if cls is not set and not ATOMS.issuperset(map(type, value.values())):
            for key, item in value.items():
                made[key] = self._copy(item)
        return made

    def _note(self, hashables: Iterable[Any]) -> None:
        """Record objects in hashable values, which cannot contain containers."""
        if not ATOMS.issuperset(map(type, hashables)):
            for each in hashables:
                self._copy(each)


_BY_VALUE: Final = frozenset({int, float, complex, bool, str, bytes, range, set, frozenset, FrozenObject})


def same_content(one: Any, other: Any) -> bool:
    """Whether a state and its copy are equal.

    Objects other than containers and plain values are compared by identity.
    """
    if one is other:
        return True
    cls = type(one)
    if cls is not type(other):
        return False
    if isinstance(one, (list, tuple)):
        return len(one) == len(other) and _same_items(one, other)
    if isinstance(one, dict) and cls is not FrozenObject:
        return len(one) == len(other) and _same_items(one, other) and _same_items(one.values(), other.values())
    return cls in _BY_VALUE and bool(one == other)


def _same_items(some: Iterable[Any], others: Iterable[Any]) -> bool:
    return all(map(operator.is_, some, others)) or all(map(same_content, some, others))
