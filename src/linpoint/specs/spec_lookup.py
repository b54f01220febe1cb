# SPDX-License-Identifier: Apache-2.0
"""Finds specs by name: built-ins with parameters (``queue(capacity=8)``) and users' own (``FILE.py:Name``).

Parameters are JSON literals and are parsed, never evaluated. Loading a user's spec runs the user's module, and happens
only because the user has named it.
"""

from __future__ import annotations

import difflib
import json
import re
from typing import Any

from linpoint.errors import LinpointError, SpecError
from linpoint.specs.builtin import BUILT_IN
from linpoint.specs.functional_spec import from_object
from linpoint.specs.spec import Spec
from linpoint.specs.user_modules import load_user_module
from linpoint.text.code_names import split_user_spec

_CALL = re.compile(r"\s*([A-Za-z][\w-]*)\s*(?:\((.*)\))?\s*", re.DOTALL)
_KEYWORD = re.compile(r"\s*([A-Za-z_]\w*)\s*=\s*")
_NONE: Any = object()


def find(spec: Any, *, initial: Any = _NONE) -> Spec:
    """Find the spec for a name, a spec, or any object with ``initial`` and ``apply``.

    ``initial`` replaces the initial value.
    """
    found = _by_name(spec) if isinstance(spec, str) else as_spec(spec)
    return found if initial is _NONE else with_initial(found, initial)


def with_initial(spec: Spec, initial: Any) -> Spec:
    """The same spec with another initial value and otherwise equal parameters."""
    match = _CALL.fullmatch(spec.name)
    if match and match.group(2) and match.group(1) in BUILT_IN:
        args, keywords = _parameters(spec.name, match.group(2))
        return BUILT_IN[match.group(1)](*args, **keywords, initial=initial)
    return spec(initial=initial)


def as_spec(thing: Any) -> Spec:
    """Convert ``thing`` to a spec, or raise a coded error that describes what is missing."""
    if isinstance(thing, Spec):
        return thing
    if not isinstance(thing, type) and hasattr(thing, "initial") and callable(getattr(thing, "apply", None)):
        return from_object(thing)
    raise SpecError(
        "LP-S007",
        f"{thing!r} is not a spec.",
        remedy="Decorate a class of pure functions with @linpoint.spec, or wrap a class in linpoint.sequential(...).",
    )


def _by_name(text: str) -> Spec:
    own = split_user_spec(text)
    if own is not None:
        return _load(*own)
    match = _CALL.fullmatch(text)
    base = match.group(1).replace("_", "-") if match else text
    if match is None or base not in BUILT_IN:
        near = difflib.get_close_matches(base, BUILT_IN, n=1)
        hint = f"Did you mean {near[0]}? " if near else ""
        raise SpecError(
            "LP-S001",
            f'unknown spec "{text}".',
            remedy=f"{hint}Use {', '.join(BUILT_IN)}, or your own as FILE.py:Name or module:Name.",
        )
    if match.group(2) is None:
        return BUILT_IN[base]
    args, keywords = _parameters(text, match.group(2))
    return BUILT_IN[base](*args, **keywords)


def _parameters(spec: str, text: str) -> tuple[list[Any], dict[str, Any]]:
    decoder = json.JSONDecoder()
    args: list[Any] = []
    keywords: dict[str, Any] = {}
    at = 0
    while text[at:].strip():
        keyword = _KEYWORD.match(text, at)
        at = keyword.end() if keyword else at + len(text[at:]) - len(text[at:].lstrip())
        try:
            value, at = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            raise SpecError(
                "LP-S004",
                f"cannot read the parameters of {spec!r} at {text[at:]!r}.",
                remedy="Write JSON literals, as in queue(capacity=8) or register(initial=0).",
            ) from None
        if keyword:
            keywords[keyword.group(1)] = value
        else:
            args.append(value)
        rest = text[at:].lstrip()
        if rest and not rest.startswith(","):
            raise SpecError(
                "LP-S004",
                f"expected a comma at {rest!r} in {spec!r}.",
                remedy="Separate parameters by commas, as in f(1, a=2).",
            )
        at = len(text) - len(rest) + bool(rest)
    return args, keywords


def _load(module: str, name: str) -> Spec:
    try:
        loaded = load_user_module(module)
        found = getattr(loaded, name, None)
    except LinpointError:
        raise
    except (Exception, SystemExit) as error:  # a module that calls sys.exit(0) must not end as a pass
        raise SpecError(
            "LP-S005",
            f"{type(error).__name__}: {error}",
            place=module,
            remedy="Make the module import without errors; the current directory comes first on the path.",
        ) from error
    if found is None:
        there = [each for each, thing in vars(loaded).items() if isinstance(thing, Spec)]
        raise SpecError(
            "LP-S005",
            f'the file has no spec "{name}".',
            place=module,
            remedy=f"Use one of: {', '.join(there)}." if there else "Decorate a class with @linpoint.spec.",
        )
    return as_spec(found)
