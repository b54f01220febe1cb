# SPDX-License-Identifier: Apache-2.0
"""Options in replay tokens: those that must be the same when a finding is replayed.

Guarantee: a token holds JSON. The types of the options validate its content, and a value that is not allowed is
LP-U004.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from linpoint.errors import LinpointError
from linpoint.options.layers import Layer
from linpoint.options.options_base import Options, merge_layers
from linpoint.options.schema import Panel, Surface
from linpoint.verdicts import replay_token

_AnyOptions = TypeVar("_AnyOptions", bound=Options)


def token_fields(options: Options, *, defaults: bool = False, without: Panel | None = None) -> dict[str, Any]:
    """The options of a token that differ from their defaults, or all with ``defaults``, in the order of declaration.

    The options of the panel ``without``, which is that of targets in another language, are omitted.
    """
    found = {}
    for name, each in options.declared().items():
        value = getattr(options, name)
        if each.panel is without:
            continue
        if Surface.TOKEN in each.surfaces and (defaults or value != each.default):
            found[name] = each.type.to_json(value)
    return found


def options_from_token(options_class: type[_AnyOptions], content: Mapping[str, Any]) -> _AnyOptions:
    """Read the options in the content of a token. The caller reads the other fields."""
    values = {}
    try:
        for name, each in options_class.declared().items():
            if Surface.TOKEN in each.surfaces and content.get(name) is not None:
                values[name] = each.type.check(content[name], each.flag)
        return merge_layers(options_class, (Layer(Surface.TOKEN, values),))
    except LinpointError as error:
        fact = f"{error.message.rstrip('.')}. {error.remedy}".strip().rstrip(".")
        raise replay_token.not_a_finding(fact) from None
