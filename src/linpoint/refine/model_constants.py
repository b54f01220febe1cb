# SPDX-License-Identifier: Apache-2.0
"""Creates the same model with other constants.

A class that merely overrides ``length = 4`` keeps the arrays that were declared with the old length. So the body of the
class runs again, from its source, with the new constants in place of the old ones. Everything computed from them
changes accordingly, including the values of operations.
"""

from __future__ import annotations
import __future__

import ast
import types
from collections.abc import Mapping
from types import FunctionType
from typing import Any, TypeVar

from linpoint.errors import ModelError
from linpoint.refine.method_source import MethodSource, class_definition
from linpoint.refine.node_classes import is_node_class
from linpoint.refine.symbolic_values import symbolic_constant_of
from linpoint.scenarios.tested_operation import nearest

_Model = TypeVar("_Model", bound=type)


def with_constants(model: _Model, constants: Mapping[str, Any]) -> _Model:
    """A class like ``model`` with other constants."""
    values = {name: _as_constant(model, name, value) for name, value in constants.items()}
    known = constants_of(model)
    for name in values:
        if name not in known:
            raise ModelError(
                "LP-M013",
                f"{model.__name__} has no constant {name}.",
                remedy=f"{nearest(name, known)}Use one of: {', '.join(known)}."
                if known
                else f"Remove it; {model.__name__} has no constants.",
            )
    made: dict[type, type] = {}
    for each in reversed(model.__mro__):
        if vars(each).get("__linpoint_model__") is not True and hasattr(each, "__linpoint_model__"):
            made[each] = _recreated(each, tuple(made.get(base, base) for base in each.__bases__), values)
    return made[model]  # type: ignore[return-value]


def constants_of(model: type) -> dict[str, Any]:
    """The constants that a model declares, by name."""
    found: dict[str, Any] = {}
    for each in reversed(model.__mro__):
        if vars(each).get("__linpoint_model__") is not True:
            found.update(vars(each))
    return {
        name: value
        for name, value in found.items()
        if not name.startswith("__") and symbolic_constant_of(value) is not None
    }


def _as_constant(model: type, name: str, value: Any) -> Any:
    if isinstance(value, list):
        value = tuple(_as_constant(model, name, each) for each in value)
    if symbolic_constant_of(value) is None:
        raise ModelError(
            "LP-M010",
            f"{name} of {model.__name__} cannot be {value!r}.",
            remedy="Use integers, bools, texts, None, tuples or ranges of them, or enumerations.",
        )
    return value


class _Body(dict[str, Any]):
    """The names of a class while its body runs: given names cannot be overwritten."""

    def __init__(self, given: Mapping[str, Any]) -> None:
        super().__init__(given)
        self._given = frozenset(given)

    def __setitem__(self, name: str, value: Any) -> None:
        if name not in self._given:
            super().__setitem__(name, value)


def _recreated(model: type, bases: tuple[type, ...], values: Mapping[str, Any]) -> type:
    found = class_definition(model)
    if found is None:
        raise ModelError(
            "LP-M001",
            f"the source of {model.__name__} is not available, so its constants cannot be changed.",
            remedy="Write the model in a file.",
        )
    source, node = found
    body = _Body({name: value for name, value in values.items() if name in vars(model)})
    code = compile(ast.Module(node.body, []), source.file, "exec", flags=_flags(source), dont_inherit=True)
    try:
        exec(code, _globals(model), body)  # noqa: S102 - it already ran when its file was loaded
    except ModelError:
        raise
    except Exception as error:
        raise ModelError(
            "LP-M013",
            f"{model.__name__} cannot be created with {_shown(values)}: {type(error).__name__}: {error}.",
            place=source.place(node),
            remedy="Make the class accept these constants, and use only names of its file.",
        ) from error
    for name, thing in body.items():
        if isinstance(thing, FunctionType) or is_node_class(thing):
            thing.__qualname__ = f"{model.__qualname__}.{name}"
    kept = {"__module__": model.__module__, "__qualname__": model.__qualname__, "__doc__": model.__doc__}
    return types.new_class(model.__name__, bases, {}, lambda names: names.update({**body, **kept}))


def _globals(model: type) -> dict[str, Any]:
    """The names visible to the body of a class: those of its file, and those of functions enclosing its methods."""
    functions = [each for each in vars(model).values() if isinstance(each, FunctionType)]
    outer: dict[str, Any] = {}
    for each in functions:
        for name, cell in zip(each.__code__.co_freevars, each.__closure__ or (), strict=True):
            if name != "__class__":
                outer[name] = cell.cell_contents
    if functions:
        own = functions[0].__globals__
    else:
        import sys  # noqa: PLC0415

        own = vars(sys.modules[model.__module__])
    return {**own, **outer} if outer else own


def _flags(source: MethodSource) -> int:
    names = {
        each.name
        for node in source.tree.body
        if isinstance(node, ast.ImportFrom) and node.module == "__future__"
        for each in node.names
    }
    return sum(getattr(__future__, name).compiler_flag for name in names)


def _shown(values: Mapping[str, Any]) -> str:
    return ", ".join(f"{name}={value!r}" for name, value in values.items())
