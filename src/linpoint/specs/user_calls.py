# SPDX-License-Identifier: Apache-2.0
"""Calls functions of users. Exceptions and malformed results become coded errors that name the place."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Final

from linpoint.errors import LinpointError, SpecError
from linpoint.histories.values import canonical, format_value
from linpoint.specs.spec import Outcomes

STEP_REMEDY: Final = "Handle every state; return an empty list where the operation is not legal."


def call_step(place: str, function: Callable[..., Any], *args: Any, **keywords: Any) -> Outcomes:
    """The outcomes that a user's step gives. Whether they can be hashed is not checked yet."""
    return outcomes_of(place, call_user(place, function, *args, remedy=STEP_REMEDY, **keywords))


def outcomes_of(place: str, found: Any) -> Outcomes:
    """Validate the form of the result of a step."""
    pairs = found if isinstance(found, list) else [found]
    for pair in pairs:
        if not (isinstance(pair, tuple) and len(pair) == 2):
            raise SpecError(
                "LP-S007",
                f"returned {format_value(pair)} instead of (result, state).",
                place=place,
                remedy="Return `result, state`, or a list of such pairs.",
            )
    return pairs


def call_user(place: str, function: Callable[..., Any], *args: Any, remedy: str, **keywords: Any) -> Any:
    """Call ``function`` and return its result."""
    try:
        return function(*args, **keywords)
    except (Exception, SystemExit) as error:  # a step that calls sys.exit(0) must not look like a pass
        raise user_error(place, error, args, remedy) from error


def user_error(place: str, error: BaseException, args: Iterable[Any], remedy: str = STEP_REMEDY) -> LinpointError:
    """The coded error for an exception in a user's function."""
    if isinstance(error, LinpointError):
        return error
    given = ", ".join(map(format_value, args)) or "no arguments"
    message = f"{type(error).__name__}: {error} (called with {given})."
    return SpecError("LP-S006", message, place=place, remedy=remedy)


def need_hash(place: str, what: str, value: Any) -> None:
    """Reject a value that the searches cannot store, while the step that created it is still known.

    ``hash`` itself is tried first: it is far cheaper than the canonical form, which only built-in containers need.
    """
    try:
        hash(value)
    except Exception:  # noqa: BLE001 - if a user's __hash__ raises, the next attempt reports it
        try:
            hash(canonical(value))
        except Exception as error:
            raise SpecError(
                "LP-S007",
                f"{what} {value!r}, which cannot be hashed ({error}).",
                place=place,
                remedy="Use JSON values, tuples, frozensets and frozen dataclasses.",
            ) from error
