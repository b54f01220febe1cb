# SPDX-License-Identifier: Apache-2.0
"""Validates settings of users: numbers within their bounds, and functions with suitable parameters."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from typing import Any

from linpoint.errors import TestError
from linpoint.scenarios.scenario import Scenario
from linpoint.scenarios.tested_operation import place_of


def check_call(owner: str, what: str, function: Callable[..., Any], arguments: int) -> None:
    """Raise LP-T010 if ``function`` cannot be called with ``arguments`` arguments.

    Functions written in C may not be checked.
    """
    try:
        inspect.signature(function).bind(*[None] * arguments)
    except TypeError as error:
        wanted = "the object alone" if arguments else "no arguments"
        raise TestError(
            "LP-T010",
            f"{what} of {owner} is called with {wanted}, which it does not accept: {error}.",
            place=place_of(function),
            remedy="Give the other parameters defaults, or wrap it: lambda: Cache(capacity=2).",
        ) from None
    except ValueError:
        pass


def check_number(owner: str, setting: str, value: Any, least: int, *, place: str | None = None) -> None:
    """Raise LP-T010 unless ``value`` is a whole number of at least ``least``."""
    if type(value) is not int or value < least:
        raise bad_setting(owner, setting, value, f"Use a whole number of at least {least}.", place=place)


def listed_scenarios(owner: str, given: Any) -> tuple[Any, ...]:
    """A list of scenarios and texts, where a single one may stand for the list; LP-T010 for anything else."""
    found = (given,) if isinstance(given, (str, Scenario)) else tuple(given)
    for each in found:
        if not isinstance(each, (str, Scenario)):
            raise bad_setting(owner, "scenarios", each, 'Use texts such as "push(1) | pop()", or Scenarios.')
    return found


def listed_modules(given: Any) -> tuple[Any, ...]:
    """A list of modules and files, where a single one may stand for the list."""
    return (given,) if isinstance(given, str) or not isinstance(given, Iterable) else tuple(given)


def bad_setting(owner: str, setting: str, value: Any, remedy: str, *, place: str | None = None) -> TestError:
    """The error for a setting with an invalid value."""
    return TestError("LP-T010", f"{setting} of {owner} is {value!r}.", place=place, remedy=remedy)
