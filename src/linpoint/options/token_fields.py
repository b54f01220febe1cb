# SPDX-License-Identifier: Apache-2.0
"""Options in replay tokens: what must be the same when a finding is replayed.

Guarantee: a token holds JSON; whatever it holds is checked by the types of the options, and a value that is not allowed
is LP-U004.
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
    """The options of a token that differ from their default, in the order of their declaration; or all of them.

    Those of the panel ``without`` are left out: that of targets in another language.
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
    """The options in the content of a token; its other fields are left to the caller."""
    values = {}
    try:
        for name, each in options_class.declared().items():
            if Surface.TOKEN in each.surfaces and content.get(name) is not None:
                values[name] = each.type.check(content[name], each.flag)
        return merge_layers(options_class, (Layer(Surface.TOKEN, values),))
    except LinpointError as error:
        fact = f"{error.message.rstrip('.')}. {error.remedy}".strip().rstrip(".")
        raise replay_token.not_a_finding(fact) from None
