# SPDX-License-Identifier: Apache-2.0
"""Merges layers of options, field by field.

Precedence, lowest first: default, pyproject.toml, environment, comments of the file, command line (or pytest, or an
object constructed in code), replay token. Compiler flags of all layers are joined in this order. A layer that gives one
field of a group replaces all fields of that group.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from linpoint.options.schema import Option, Surface

EXPLICIT: Final = Surface.COMMENT | Surface.COMMAND_LINE | Surface.PYTEST | Surface.CODE
"""The layers that rules check. Values of other layers are ignored where they do not apply."""
_PRECEDENCE: Final = {
    Surface.TOML: 0,
    Surface.ENVIRONMENT: 1,
    Surface.COMMENT: 2,
    Surface.COMMAND_LINE: 3,
    Surface.PYTEST: 3,
    Surface.CODE: 3,
    Surface.TOKEN: 4,
}


@dataclass(frozen=True, slots=True)
class Layer:
    """The values that one surface gives, by the names of the fields."""

    surface: Surface
    values: Mapping[str, Any]


def merge_values(options: Mapping[str, Option], layers: Iterable[Layer]) -> dict[str, Any]:
    """Merge the values of all layers."""
    merged: dict[str, Any] = {}
    for layer in sorted(layers, key=lambda each: _PRECEDENCE[each.surface]):
        groups = {options[name].group for name in layer.values} - {""}
        merged = {name: value for name, value in merged.items() if options[name].group not in groups}
        for name, value in layer.values.items():
            joined = options[name].concatenated and name in merged
            merged[name] = (*merged[name], *value) if joined else value
    return merged
