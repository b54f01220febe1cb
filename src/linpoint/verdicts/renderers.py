# SPDX-License-Identifier: Apache-2.0
"""The table of functions that render verdicts and results.

Explanations live in a layer above verdicts, which therefore know only the names of their renderers. Cost: a module is
imported when it first renders something.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from importlib import import_module
from types import MappingProxyType
from typing import Any, Final, Protocol

_TARGETS: Final[dict[tuple[str, str], str]] = {}


class Renderable(Protocol):
    """A verdict, an explanation or a result."""

    @property
    def subject_kind(self) -> str:
        """The kind, which selects the renderers."""
        ...


def register_renderer(kind: str, format: str, target: str) -> None:
    """Render ``kind`` as ``format`` by ``target``, a function as ``module:function``."""
    _TARGETS[kind, format] = target


def render(thing: Renderable, format: str, **options: Any) -> Any:
    """``thing`` in a format, by the function that is registered for its kind."""
    target = _TARGETS.get((thing.subject_kind, format))
    if target is None:
        raise LookupError(f"a {thing.subject_kind} cannot be rendered as {format}")
    return _function(target)(thing, **options)


def registered_renderers() -> Mapping[tuple[str, str], str]:
    """The targets of all renderers, by kind and format."""
    return MappingProxyType(_TARGETS)


@cache
def _function(target: str) -> Callable[..., Any]:
    module, _, name = target.partition(":")
    found: Callable[..., Any] = getattr(import_module(module), name)
    return found
