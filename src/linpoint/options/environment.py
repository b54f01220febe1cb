# SPDX-License-Identifier: Apache-2.0
"""Defaults of a machine, given as environment variables: ``LINPOINT_BUDGET=2m``, ``LINPOINT_COMPILER=clang++``.

Guarantee: a wrong value is LP-U001 at the name of the variable, and so is a variable whose name is almost that of an
option. Other variables that begin with ``LINPOINT_`` are ignored.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, Final

from linpoint.errors import LinpointError, UsageError
from linpoint.options.layers import Layer
from linpoint.options.nearest_name import nearest_name
from linpoint.options.options_base import Options
from linpoint.options.schema import Option, Surface

_PREFIX: Final = "LINPOINT_"


def environment_layers(options_class: type[Options], environment: Mapping[str, str] = os.environ) -> list[Layer]:
    """The layer of the variables that are set; an empty list if none is set."""
    given = {name: text for name, text in environment.items() if name.startswith(_PREFIX) and text}
    if not given:
        return []
    known = _variables(options_class)
    values: dict[str, Any] = {}
    for variable, text in given.items():
        each = known.get(variable)
        if each is None:
            _refuse_misspelt(variable)
            continue
        try:
            values[each.name] = each.type.parse_all([text], variable)
        except LinpointError as error:
            raise error if variable in error.message else error.at(variable) from None
    return [Layer(Surface.ENVIRONMENT, values)] if values else []


def _variables(options_class: type[Options]) -> dict[str, Option]:
    return {each.variable: each for each in options_class.declared().values() if Surface.ENVIRONMENT in each.surfaces}


def _refuse_misspelt(variable: str) -> None:
    from linpoint.options.commands.registry import options_classes  # noqa: PLC0415 - needed only for an unknown variable

    known = {name.removeprefix(_PREFIX) for each in options_classes().values() for name in _variables(each)}
    word = variable.removeprefix(_PREFIX)
    near = None if word in known else nearest_name(word, known)
    if near is not None and _is_misspelt(word, near):
        fact = f"unknown environment variable {variable}."
        raise UsageError("LP-U001", fact, place=variable, remedy=f"Did you mean {_PREFIX}{near}?")


def _is_misspelt(word: str, near: str) -> bool:
    """Whether a word is so similar to a name, an edit or two apart, that no other meaning is likely."""
    import difflib  # noqa: PLC0415 - as above

    return difflib.SequenceMatcher(None, word.lower(), near.lower()).ratio() >= _MIN_SIMILARITY


_MIN_SIMILARITY: Final = 0.8
