# SPDX-License-Identifier: Apache-2.0
"""Classes of heap nodes, as a model declares them: their fields, and the creation of nodes in plain Python.

    class Node:
        value: int                              # a plain field, None until it is given
        marked: bool = False                    # with a default
        next: linpoint.Atomic["Node"]           # a cell
        lock = linpoint.lock()

Guarantee: the front end and the run in plain Python read a class through ``fields_of``, so they agree about its fields.
Nodes are equal only to themselves, and a cell of a node cannot be replaced by assignment.
"""

from __future__ import annotations

import ast
import enum
import inspect
import sys
from dataclasses import dataclass
from typing import Any, Final, get_args, get_origin

from linpoint.errors import ModelError
from linpoint.refine.python_cells import Array, Atomic, Lock, Record

_FIELDS: Final = "__linpoint_fields__"


@dataclass(frozen=True, slots=True)
class NodeField:
    """A field. ``default`` is its value in a node created without it; ``must`` is whether it has to be given."""

    name: str
    atomic: bool = False
    default: Any = None
    width: int = 1
    must: bool = False

    @property
    def is_lock(self) -> bool:
        """Whether it is a lock, which is never given."""
        return isinstance(self.default, Lock)


def is_node_class(thing: Any) -> bool:
    """Whether a class inside a model is a class of nodes. Enumerations there are constants."""
    return isinstance(thing, type) and not issubclass(thing, enum.Enum) and not hasattr(thing, "__linpoint_model__")


def fields_of(node_class: type) -> tuple[NodeField, ...]:
    """The fields of a class of nodes in the order of the source, annotated ones first."""
    found: dict[str, NodeField] = {}
    for name, annotation in annotations_of(node_class).items():
        atomic, width = read_annotation(annotation)
        found[name] = NodeField(name, atomic, None, width, must=width > 1)
    for name, default in vars(node_class).items():
        if name.startswith("__") or callable(default) or isinstance(default, (property, staticmethod, classmethod)):
            continue
        known = found.get(name)
        if isinstance(default, Atomic):
            found[name] = NodeField(name, atomic=True, default=default.initial, width=_width(default.initial))
        elif isinstance(default, (Lock, Array)):
            found[name] = NodeField(name, atomic=True, default=default)
        else:
            atomic = isinstance(default, Record) or (known is not None and known.atomic)
            found[name] = NodeField(name, atomic, default, _width(default))
    return tuple(found.values())


def make_node_class(node_class: type) -> None:
    """Let ``node_class(value=1)`` create a node. The class object stays the same, so cells may be declared with it."""
    fields = fields_of(node_class)
    kept = frozenset(each.name for each in fields if each.atomic)

    def __init__(self: Any, **given: Any) -> None:  # noqa: N807 - it becomes the method of that name
        for each in fields:
            if each.must and each.name not in given:
                raise _misfit(node_class, f'the field "{each.name}" is a tuple without a default.', "Pass it.")
            value = given.pop(each.name, each.default)
            if each.is_lock:
                value = Lock()
            elif each.atomic:
                value = Atomic(value)
            object.__setattr__(self, each.name, value)
        if given:
            raise _misfit(node_class, f'unknown field "{next(iter(given))}".', _known(fields))

    def __setattr__(self: Any, name: str, value: Any) -> None:  # noqa: N807 - as above
        if name in kept:
            raise ModelError("LP-M004", f'"{name}" of a {node_class.__name__} is a cell.', remedy="Write .store(...).")
        if all(name != each.name for each in fields):
            raise _misfit(node_class, f'unknown field "{name}".', _known(fields))
        object.__setattr__(self, name, value)

    def __repr__(self: Any) -> str:  # noqa: N807 - as above
        return f"<{node_class.__name__} {hex(id(self))}>"

    for method in (__init__, __setattr__, __repr__):
        setattr(node_class, method.__name__, method)
    setattr(node_class, _FIELDS, fields)


def annotations_of(thing: type) -> dict[str, Any]:
    """The annotations of a class as written; undefined names are harmless."""
    if sys.version_info >= (3, 14):  # pragma: no cover
        import annotationlib  # noqa: PLC0415

        return dict(annotationlib.get_annotations(thing, format=annotationlib.Format.STRING))
    return dict(inspect.get_annotations(thing))


def read_annotation(annotation: Any) -> tuple[bool, int]:
    """Whether a field is a cell, and its number of values: ``Atomic[tuple["Node", bool]]`` is a cell of two."""
    if isinstance(annotation, str):
        try:
            return _read(ast.parse(annotation, mode="eval").body)
        except SyntaxError:
            return False, 1
    if annotation is Atomic or get_origin(annotation) is Atomic:
        return True, _tuple_width(get_args(annotation)[0]) if get_args(annotation) else 1
    return False, _tuple_width(annotation)


def _read(node: ast.expr) -> tuple[bool, int]:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return read_annotation(node.value)
    named = node.value if isinstance(node, ast.Subscript) else node
    name = named.attr if isinstance(named, ast.Attribute) else named.id if isinstance(named, ast.Name) else ""
    if name == "Atomic":
        return True, _read(node.slice)[1] if isinstance(node, ast.Subscript) else 1
    if name in {"tuple", "Tuple"} and isinstance(node, ast.Subscript):
        return False, len(node.slice.elts) if isinstance(node.slice, ast.Tuple) else 1
    return False, 1


def _tuple_width(annotation: Any) -> int:
    if isinstance(annotation, str):
        return read_annotation(annotation)[1]
    forward = getattr(annotation, "__forward_arg__", None)
    if forward is not None:
        return read_annotation(forward)[1]
    return max(1, len(get_args(annotation))) if get_origin(annotation) is tuple else 1


def _width(value: Any) -> int:
    if isinstance(value, Record):
        return len(value.names())
    return len(value) if isinstance(value, tuple) else 1


def _known(fields: tuple[NodeField, ...]) -> str:
    return f"Use one of: {', '.join(each.name for each in fields)}." if fields else "Remove it; there are no fields."


def _misfit(node_class: type, fact: str, remedy: str) -> ModelError:
    return ModelError("LP-M008", f"{node_class.__name__}: {fact}", remedy=remedy)
