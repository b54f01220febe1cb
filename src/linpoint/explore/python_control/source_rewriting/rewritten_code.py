# SPDX-License-Identifier: Apache-2.0
"""Compiles the code of a file again, from an announcing source, and matches corresponding code objects.

Guarantee: a code object gets a counterpart only if the file currently compiles to it; code that has been edited since,
or was never in the file, gets none. Cost: about ten times that of compiling, once per file.
"""

from __future__ import annotations
import __future__

import ast
import functools
import linecache
import operator
import types
import warnings
from collections import defaultdict
from dataclasses import dataclass
from typing import Any, Final

from linpoint.explore.python_control.shared_names import shared_in
from linpoint.explore.python_control.source_rewriting.hook_calls import GENERATED_LINE, compiled
from linpoint.explore.python_control.source_rewriting.name_scopes import ScopeTable, codes_within
from linpoint.explore.python_control.source_rewriting.statement_rewriter import rewrite

_REWRITTEN_BY_PYTEST: Final = "@pytest_ar"
"""A name in code whose assertions pytest has rewritten."""

_FUTURE: Final[int] = functools.reduce(
    operator.or_, (getattr(__future__, name).compiler_flag for name in __future__.all_feature_names)
)

Place = tuple[str, int]


@dataclass(frozen=True, slots=True)
class CodeTwins:
    """The original code objects of a file with their announcing counterparts."""

    by_code: dict[types.CodeType, types.CodeType]
    by_place: dict[Place, types.CodeType]
    uses_random: bool = False

    def of(self, code: types.CodeType) -> types.CodeType | None:
        """The announcing code for this code; None if the source does not contain it."""
        found = self.by_code.get(code)
        if found is None and _REWRITTEN_BY_PYTEST in code.co_names:
            found = self.by_place.get(_place(code))
        if found is None or found.co_freevars != code.co_freevars:
            return None
        return found


NOTHING: Final = CodeTwins({}, {})


@dataclass(frozen=True, slots=True)
class CodeBuild:
    """The options for compiling a file."""

    lines: bool = False
    program: bool = False
    flags: int = 0
    """Compiler flags: code that executes a text passes its ``__future__`` features on to it."""


def flags_of(code: types.CodeType) -> int:
    """The ``__future__`` flags with which code was compiled."""
    return code.co_flags & _FUTURE


def twins_of(file: str, making: CodeBuild, names: dict[str, Any] | None = None) -> CodeTwins:
    """The twins of all code in a file; none if its source is not available. ``names`` are the globals of its module."""
    kept = (names or {}).get("__file__") if file.startswith("<frozen") else None  # the interpreter has a built-in copy
    source = "".join(linecache.getlines(kept or file, names))
    if not source:
        return NOTHING
    key = file, making
    if key not in _KNOWN or _KNOWN[key][0] != source:
        _KNOWN[key] = source, _make(source, file, making)
    return _KNOWN[key][1]


_KNOWN: Final[dict[tuple[str, CodeBuild], tuple[str, CodeTwins]]] = {}


def _make(source: str, file: str, making: CodeBuild) -> CodeTwins:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # they were reported when it was first compiled
            tree = ast.parse(source, file)
            plain = compile(source, file, "exec", flags=making.flags, dont_inherit=True)
        shared = shared_in(plain, lambda: tree, program=making.program)
        rewritten = rewrite(tree, ScopeTable.of(plain), shared, lines=making.lines)
        announcing = compiled(rewritten, file, making.flags)
    except (SyntaxError, ValueError, RecursionError):
        return NOTHING
    before, after = _by_place(plain), _by_place(announcing)
    pairs = [
        pair
        for place, codes in before.items()
        if len(codes) == len(after[place])
        for pair in zip(codes, after[place], strict=True)
    ]
    single = {_place(old): new for old, new in pairs if len(before[_place(old)]) == 1}
    random = any("random" in code.co_names for code in codes_within(plain))
    return CodeTwins(dict(pairs), single, random)


def _place(code: types.CodeType) -> Place:
    return code.co_qualname, code.co_firstlineno


def _by_place(module: types.CodeType) -> defaultdict[Place, list[types.CodeType]]:
    found: defaultdict[Place, list[types.CodeType]] = defaultdict(list)
    for code in codes_within(module):
        if code.co_firstlineno != GENERATED_LINE:
            found[_place(code)].append(code)
    return found
