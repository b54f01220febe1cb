# SPDX-License-Identifier: Apache-2.0
"""The names of a file that its code assigns where other threads may see the change.

They are read from compiled code, which is fast to scan. The source is parsed only where the code does not show whether
the module assigns or defines a name. Cost: O(instructions), once per file.
"""

from __future__ import annotations

import ast
import collections
import dis
import functools
import importlib.machinery
import inspect
import linecache
import types
import warnings
from collections.abc import Callable, Iterator
from typing import Any, Final, NamedTuple


class SharedNames(NamedTuple):
    """Names that functions of a file change although other code sees them."""

    globals: frozenset[str]
    nonlocals: frozenset[str]
    attributes: frozenset[str]
    """Attributes of any object; private ones include the name of their class."""


_NOTHING: Final = SharedNames(frozenset(), frozenset(), frozenset())
_ATTRIBUTES: Final = frozenset(dis.opmap[name] for name in ("STORE_ATTR", "DELETE_ATTR"))
_GLOBALS: Final = frozenset(dis.opmap[name] for name in ("STORE_GLOBAL", "DELETE_GLOBAL"))
_CELLS: Final = frozenset(dis.opmap[name] for name in ("STORE_DEREF", "DELETE_DEREF"))
_ASSIGNING: Final = _ATTRIBUTES | _GLOBALS


@functools.cache
def shared_names(file: str, *, program: bool = False) -> SharedNames:
    """The names of a file that are assigned where others may see it; of a ``program`` also those its module assigns."""
    source = functools.partial(linecache.getlines, file)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # they were reported on import
            code = _kept(file) or compile("".join(source()), file, "exec", dont_inherit=True)
            return shared_in(code, lambda: ast.parse("".join(source())), program=program)
    except (SyntaxError, ValueError, RecursionError):
        return _NOTHING


class _Reading(importlib.machinery.SourceFileLoader):
    """Reads the compiled file of an earlier import if it is up to date, and never writes one."""

    def set_data(self, *_: Any, **__: Any) -> None:
        """Does nothing."""


def _kept(file: str) -> types.CodeType | None:
    try:
        return _Reading("", file).get_code("")
    except (OSError, ImportError, EOFError):
        return None  # only linecache knows the file


def shared_in(code: types.CodeType, tree: Callable[[], ast.Module], *, program: bool = False) -> SharedNames:
    """The same for a compiled module; ``tree`` parses it."""
    codes = list(_within(code))
    attributes, found_globals = _stored(codes)
    nonlocals = {name for each in codes for name in _reassigned(each)}
    # Code that gets the names of the module as a dict may assign any of them, and so may code that holds the module.
    if program or any("globals" in each.co_names for each in codes):
        found_globals |= _assigned(tree())
    elif not attributes.isdisjoint(code.co_names):
        found_globals |= _assigned(tree()) & attributes
    return SharedNames(frozenset(found_globals), frozenset(nonlocals), frozenset(attributes))


def _within(code: types.CodeType) -> Iterator[types.CodeType]:
    yield code
    for inside in code.co_consts:
        if isinstance(inside, types.CodeType):
            yield from _within(inside)


def _stored(codes: list[types.CodeType]) -> tuple[set[str], set[str]]:
    """The attributes and the global names that are assigned."""
    attributes: set[str] = set()
    found_globals: set[str] = set()
    for code in codes:
        instructions = code.co_code
        opcodes = instructions[::2]
        if _ASSIGNING.isdisjoint(opcodes):
            continue
        more = 0
        for opcode, argument in zip(opcodes, instructions[1::2], strict=True):
            whole = more | argument
            more = whole << 8 if opcode == dis.EXTENDED_ARG else 0
            if opcode in _ASSIGNING:
                (attributes if opcode in _ATTRIBUTES else found_globals).add(code.co_names[whole])
    return attributes, found_globals


def _assigned(tree: ast.Module) -> set[str]:
    """The names that the module itself assigns."""
    return {
        node.id
        for statement in tree.body
        if not isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))
        for node in ast.walk(statement)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }


def _reassigned(code: types.CodeType) -> Iterator[str]:
    """The variables of enclosing functions that it assigns, and its own that it assigns again after inner functions may
    be in use by other threads.
    """
    if not (code.co_cellvars or code.co_freevars) or _CELLS.isdisjoint(code.co_code[::2]):
        return
    stores: collections.Counter[str] = collections.Counter(code.co_varnames[: _arguments(code)])
    instructions = list(dis.get_instructions(code))
    loops = [(one.argval, one.offset) for one in instructions if "BACKWARD" in one.opname]
    for one in instructions:
        if one.opcode in _CELLS:
            stores[one.argval] += 2 if any(begin <= one.offset <= end for begin, end in loops) else 1
    yield from (name for name in code.co_cellvars if stores[name] > 1)
    yield from (name for name in code.co_freevars if stores[name])


def _arguments(code: types.CodeType) -> int:
    starred = bool(code.co_flags & inspect.CO_VARARGS) + bool(code.co_flags & inspect.CO_VARKEYWORDS)
    return code.co_argcount + code.co_kwonlyargcount + starred
