# SPDX-License-Identifier: Apache-2.0
"""Monitors the attributes of a class while its methods serve as steps. They belong to no state, so none may change.

Guarantee: a step that changes such an attribute is rejected, and so is every later step, since the attribute stays
changed. Cost: one comparison of each data attribute of the class and its bases before and after each step; most classes
have none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from linpoint.errors import SpecError
from linpoint.specs.object_fingerprints import Fingerprint, fingerprint

_MADE_BY_PYTHON = frozenset({"_abc_impl", "_abc_registry", "_abc_cache"})


class ClassAttributes:
    """The data attributes of a user's class and its bases."""

    def __init__(self, owner: str, cls: type) -> None:
        self._owner = owner
        self._classes = [each for each in cls.__mro__ if each.__dictoffset__ and each.__module__ != "builtins"]
        self._broken: SpecError | None = None

    def watching(self, operation: str, apply: Callable[..., Any]) -> Callable[..., Any]:
        """Wrap ``apply`` so that it is rejected if it changes an attribute."""

        def watched(state: Any, *args: Any) -> Any:
            if self._broken is not None:
                raise self._broken
            before = dict(self._look())
            found = apply(state, *args)
            after = dict(self._look())
            if before != after:
                name = next(each for each in {**before, **after} if before.get(each) != after.get(each))
                self._broken = SpecError(
                    "LP-S008",
                    f"{self._owner}.{operation} changes {name}, which all objects of the class share.",
                    place=f"{self._owner}.{operation}",
                    remedy="Make it an attribute of the object, in __init__, or write the spec with @linpoint.spec.",
                )
                raise self._broken
            return found

        return watched

    def _look(self) -> Iterator[tuple[str, Fingerprint]]:
        for cls in self._classes:
            for name, value in [*vars(cls).items()]:
                dunder = name.startswith("__") and name.endswith("__")
                if not dunder and name not in _MADE_BY_PYTHON and not hasattr(type(value), "__get__"):
                    try:
                        yield f"{cls.__qualname__}.{name}", fingerprint(value)
                    except SpecError:  # an attribute that cannot be inspected is compared by identity
                        yield f"{cls.__qualname__}.{name}", [id(value)]
