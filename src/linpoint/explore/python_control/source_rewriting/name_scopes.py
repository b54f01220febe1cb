# SPDX-License-Identifier: Apache-2.0
"""The meaning of a name in its scope: an unshared variable, a shared cell or a shared global.

The compiler has decided this already; its decisions are read from the code objects of the unchanged source.
"""

from __future__ import annotations

import types
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum
from typing import Final, Self

from linpoint.explore.python_control.shared_names import SharedNames

MODULE: Final = "<module>"


class NameKind(Enum):
    """The kind of a name in a scope."""

    OWN = "a variable that is not shared"
    CELL = "a variable that functions share"
    GLOBAL = "a global that functions change"


def codes_within(code: types.CodeType) -> Iterator[types.CodeType]:
    """A code object and all nested ones, in the order of the source."""
    yield code
    for each in code.co_consts:
        if isinstance(each, types.CodeType):
            yield from codes_within(each)


@dataclass(frozen=True, slots=True)
class PythonScope:
    """A module, class or function. ``private`` is the name of the class for mangling names with two underscores."""

    name: str
    is_class: bool = False
    private: str = ""
    variables: frozenset[str] = frozenset()
    cells: frozenset[str] = frozenset()
    flags: int = 0

    def mangled(self, name: str) -> str:
        """A name as the compiler writes it."""
        if not self.private or not name.startswith("__") or name.endswith("__") or "." in name:
            return name
        owner = self.private.lstrip("_")
        return f"_{owner}{name}" if owner else name

    def kind(self, name: str, shared: SharedNames) -> NameKind:
        """The kind of a name in this scope. Names of a class body count as its own."""
        name = self.mangled(name)
        if self.is_class:
            return NameKind.OWN
        if name in self.cells:
            return NameKind.CELL if name in shared.nonlocals else NameKind.OWN
        if name in shared.globals and name not in self.variables:
            return NameKind.GLOBAL
        return NameKind.OWN


@dataclass(slots=True)
class ScopeTable:
    """The scopes of a source, by name and first line; two of the same name on one line count as one."""

    _known: dict[tuple[str, int], list[types.CodeType]] = field(default_factory=dict)

    @classmethod
    def of(cls, module: types.CodeType) -> Self:
        """The scopes of the compiled source."""
        scopes = cls()
        for code in codes_within(module):
            scopes._known.setdefault((code.co_name, code.co_firstlineno), []).append(code)
        return scopes

    def inner(self, outer: PythonScope, name: str, line: int, *, class_name: str = "") -> PythonScope:
        """The scope that begins there, or the outer one if the compiler created none (as for some comprehensions)."""
        codes = self._known.get((name, line), [])
        if not codes:
            return outer
        return PythonScope(
            name,
            bool(class_name),
            class_name or outer.private,
            frozenset().union(*(code.co_varnames for code in codes)),
            frozenset().union(*((*code.co_cellvars, *code.co_freevars) for code in codes)),
            codes[0].co_flags,
        )
