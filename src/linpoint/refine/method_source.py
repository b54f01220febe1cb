# SPDX-License-Identifier: Apache-2.0
"""The sources of the methods of a model: their syntax trees, and places for messages.

Guarantee: lines and columns are those of the file, in characters. Instructions count columns from 0, as Python does;
messages count them from 1, as editors do. A file is parsed once, however many models it contains.
"""

from __future__ import annotations

import ast
import functools
import linecache
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import FunctionType

from linpoint.errors import ModelError

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True, eq=False)
class MethodSource:
    """A parsed file."""

    file: str
    lines: tuple[str, ...]
    tree: ast.Module = field(repr=False)
    functions: dict[tuple[str, int], FunctionNode] = field(repr=False)
    """The functions by name and by the line in which they begin, including their decorators."""

    @property
    def shown(self) -> str:
        """The file as messages name it: relative to the current directory if it is inside."""
        path, here = Path(self.file), Path.cwd()
        return str(path.relative_to(here)) if path.is_relative_to(here) else str(path)

    def column(self, node: ast.AST) -> int:
        """The column at which a node begins, in characters from 0."""
        line, offset = getattr(node, "lineno", 1), getattr(node, "col_offset", 0)
        text = self.lines[line - 1] if line <= len(self.lines) else ""
        return len(text.encode()[:offset].decode(errors="ignore"))

    def place(self, node: ast.AST) -> str:
        """The place at which a node begins: ``file:line:column``."""
        return f"{self.shown}:{getattr(node, 'lineno', 1)}:{self.column(node) + 1}"

    def refused(self, code: str, node: ast.AST, fact: str, remedy: str) -> ModelError:
        """The error at ``node``, to be raised by the caller."""
        return ModelError(code, fact, place=self.place(node), remedy=remedy)


@functools.lru_cache(maxsize=64)
def _parsed(file: str, lines: tuple[str, ...]) -> MethodSource:
    tree = ast.parse("".join(lines))
    functions = {
        (node.name, min([node.lineno, *(each.lineno for each in node.decorator_list)])): node
        for node in ast.walk(tree)
        if isinstance(node, FunctionNode)
    }
    return MethodSource(file, tuple(line.rstrip("\r\n") for line in lines), tree, functions)


def source_of(function: FunctionType) -> MethodSource:
    """The file that contains a function."""
    file = function.__code__.co_filename
    linecache.checkcache(file)  # it may have been changed and loaded again
    lines = linecache.getlines(file, function.__globals__)
    if not lines:
        raise ModelError(
            "LP-M001",
            f"the source of {function.__qualname__} is not available.",
            place=file,
            remedy="Write the model in a file; interactive input and exec provide no source.",
        )
    try:
        return _parsed(file, tuple(lines))
    except SyntaxError as error:
        raise ModelError(
            "LP-M001",
            f"the file has changed and is no longer valid Python: {error.msg}.",
            place=f"{file}:{error.lineno}",
            remedy="Load it again.",
        ) from error


def definition_of(function: FunctionType) -> FunctionNode:
    """The syntax of a function."""
    source = source_of(function)
    code = function.__code__
    found = source.functions.get((code.co_name, code.co_firstlineno))
    if found is None:
        raise ModelError(
            "LP-M001",
            f"{function.__qualname__} no longer exists, or was not defined by def.",
            place=f"{source.shown}:{code.co_firstlineno}",
            remedy="Load the file again if it has changed; write each method of a model as def.",
        )
    return found


def class_definition(thing: type) -> tuple[MethodSource, ast.ClassDef] | None:
    """The syntax of a class, also of a nested one; None if it is not found, for example if a call created the class."""
    methods = [each for each in vars(thing).values() if isinstance(each, FunctionType)]
    own = [each for each in methods if each.__qualname__.startswith(f"{thing.__qualname__}.")]
    if own and linecache.getlines(own[0].__code__.co_filename, own[0].__globals__):
        source = source_of(own[0])
    else:
        file = getattr(sys.modules.get(thing.__module__), "__file__", None)
        lines = tuple(linecache.getlines(file)) if file else ()
        if not lines:
            return None
        source = _parsed(str(file), lines)
    found = [node for name, node in _classes(source.tree, "") if name == thing.__qualname__]
    return (source, found[-1]) if found else None


def declaration_of(model: type, name: str) -> tuple[MethodSource, ast.AST] | None:
    """The place of the declaration of a class attribute, for messages."""
    for each in model.__mro__:
        if name in vars(each) and (found := class_definition(each)) is not None:
            source, body = found
            return source, next((node for node in body.body if name in names_set_by(node)), body)
    return None


def names_set_by(node: ast.stmt) -> list[str]:
    """The names that a statement of a class sets."""
    if isinstance(node, ast.ClassDef | FunctionNode):
        return [node.name]
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    return [each.id for target in targets for each in ast.walk(target) if isinstance(each, ast.Name)]


def _classes(tree: ast.AST, inside: str) -> Iterator[tuple[str, ast.ClassDef]]:
    """The classes of a file with their qualified names."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.ClassDef):
            yield f"{inside}{node.name}", node
            yield from _classes(node, f"{inside}{node.name}.")
        elif isinstance(node, FunctionNode):
            yield from _classes(node, f"{inside}{node.name}.<locals>.")
        else:
            yield from _classes(node, inside)
